"""The classes of checks. A check makes calls and compares the outcome with the expected outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from .operands import Given, Output, arrays_of, output_arrays
from .oracle.compare import Expected
from .oracle.element_types import Array
from .oracle.rules import rules
from .provider import BlockedError, Provider, ResultError, needed, only_tensor, several
from .status import Status, raised, status_in


class Finding(NamedTuple):
    """The finding of a probe."""

    fault: str | None  # the fault, or None
    blocked: str | None = None  # the reason for a missing verdict
    error: float | None = None  # the largest error of a floating result in ulp, if the result has a bound
    snippet: str | None = None  # calls that reproduce the fault
    aspect: str | None = None  # the aspect of the fault, if not the probe's aspect
    missing: str | None = None  # element types that the provider does not have
    of_state: bool = False  # True if the fault depends on earlier calls


Answer = Expected | tuple[Expected, ...]
"""The outcome that one call must have: one result, or several."""


_TURNS = (
    "the second call on the same tensors",
    "a call with other elements after two",
    "the first result after later calls",
    "the third call on the same tensors",
)


@dataclass(frozen=True)
class Value:
    """A check that calls an operator on arrays and scalars, and compares the results with the expected results.

    An array that occurs twice among the operands becomes one tensor, passed twice.
    """

    operator: str
    label: str
    operands: tuple[Any, ...]  # the check converts arrays, lists of arrays and element types
    expected: Answer | Callable[[], Answer]  # the answer, or a function that computes the answer
    options: dict[str, Any] = field(default_factory=dict)
    aspect: str = "values"
    # True if the quick profile includes the probe, False if not, None if the probe's index decides.
    telling: bool | None = None
    other: Value | None = None  # a call with other elements, made between repeated calls
    out: str = ""  # the tensor for the result: "fresh", "strided", "reversed", "by columns" or "operand 0"
    claim: str = ""  # the claim that a provider must make to be tested
    ulps: float = 0.0  # the allowed error in ulp, if the expected result allows less

    def within(self, ulps: float) -> Value:
        """Return a copy of the check that allows errors of `ulps` ulp, even if the expected result allows less."""
        return replace(self, ulps=ulps, other=self.other and self.other.within(ulps))

    @cached_property
    def wanted(self) -> tuple[Expected, ...]:
        """Return the expected results."""
        answers = self._answer if isinstance(self._answer, tuple) else (self._answer,)
        return tuple(replace(e, bound=np.maximum(e.bound, self.ulps)) if self.ulps else e for e in answers)

    @cached_property
    def _answer(self) -> Answer:
        return self.expected() if callable(self.expected) else self.expected

    @property
    def arrays(self) -> list[Array]:
        """Return the arrays among the operands and the options."""
        return [array for x in (*self.operands, *self.options.values()) for array in arrays_of(x)]

    def judge(self, provider: Provider) -> Finding:
        """Check that the results of a call are as expected, and that the call leaves the operands unchanged."""

        _ = self.wanted  # an error of the oracle is not a fault of the provider

        def examine() -> Finding:
            fault, error, changed, _ = self._asked(provider)
            if fault is None and changed is not None:
                return Finding(changed, error=error, aspect="unchanged")
            return Finding(fault, error=error, of_state=fault is not None and fault.startswith(_TURNS))

        return examined(self.label, examine)

    def shows(self, provider: Provider) -> str | None:
        """Run the check once, and return a fault of any kind, or None."""
        try:
            fault, _, changed, _ = self._asked(provider)
        except Exception as error:
            return _said(error)
        return fault or changed

    def least(self, provider: Provider) -> Value:
        """Return a check with smaller operands if the smaller check shows a fault as well, and otherwise this check."""
        try:
            fault, _, _, results = self._asked(provider)
        except Exception:
            return self
        return self if fault is None else self._minimised(provider, results)

    def _asked(self, provider: Provider) -> tuple[str | None, float | None, str | None, list[Array]]:
        """Call the operator. Return the fault of the results, the largest error, the fault of a changed operand, and
        the results.
        """
        given, function = Given(provider), needed(provider, self.operator)
        operands = [given(x) for x in self.operands]
        options = {key: given(value) for key, value in self.options.items()}
        output = self._output(given, operands) if self.out else None
        if output is not None:
            options["out"] = output.tensor

        def call() -> Any:
            result = function(*operands, **options)
            return output.tensor if result is None and output is not None else result

        result = call()
        results = self._converted(provider, result)
        fault, error = self._compared(results)
        if fault is None and output is not None:
            fault = output.fault(provider, self.wanted[0])
        if fault is None and output is None and self.other is not None:
            fault = self._in_turns(provider, call, result)
        changed = given.changed(but=output and output.tensor)
        if fault is None and output is not None and result is not output.tensor and self.other is not None:
            fault = self._copied(provider, output, result)
        return fault, error, changed, results

    def _in_turns(self, provider: Provider, call: Callable[[], Any], first: Any) -> str | None:
        """Repeat the call, make a call with other elements, read the first result again, and repeat the call once more.
        Return the first fault, or None.
        """
        assert self.other is not None
        faults = [self._compared(self._converted(provider, call()))[0]]
        faults.append(self.other._asked(provider)[0])
        faults.append(self._compared(self._converted(provider, first))[0])
        faults.append(self._compared(self._converted(provider, call()))[0])
        return next((f"{turn}: {fault}" for turn, fault in zip(_TURNS, faults, strict=True) if fault), None)

    def _copied(self, provider: Provider, output: Output, result: Any) -> str | None:
        """Return a fault if the result is a copy of the output tensor. A later call that writes into the output tensor
        does not change a copy.
        """
        assert self.other is not None
        given = Given(provider)
        operands = [given(x) for x in self.other.operands]
        options = {key: given(value) for key, value in self.other.options.items()}
        needed(provider, self.operator)(*operands, **options, out=output.tensor)
        same = self.other.wanted[0].fault(_as_array(provider, result)) is None
        return None if same else "the result is not the output tensor, but a copy"

    def _output(self, given: Given, operands: list[Any]) -> Output:
        if self.out.startswith("operand"):
            return Output(operands[int(self.out.removeprefix("operand"))])
        memory, array = output_arrays(self.wanted[0], self.out)
        return Output(given.provider.from_numpy(array), memory, array)

    def _converted(self, provider: Provider, result: Any) -> list[Array]:
        results = several(result, len(self._answer)) if isinstance(self._answer, tuple) else [result]
        return [_as_array(provider, x) for x in results]

    def _compared(self, results: list[Array]) -> tuple[str | None, float | None]:
        if len(results) != len(self.wanted):
            return f"returned {len(results)} results, not {len(self.wanted)}", None
        operands = self.operands if rules(self.operator) else ()  # other results do not follow from single elements
        judged = [e.judged(r, operands) for e, r in zip(self.wanted, results, strict=True)]
        known = [error for _, error in judged if error is not None]
        faults = [fault for fault, _ in judged]
        at = next((i for i, fault in enumerate(faults) if fault), None)
        fault = None if at is None else faults[at] if len(faults) == 1 else f"result {at} {faults[at]}"
        return fault, max(known) if known else None

    def _minimised(self, provider: Provider, results: list[Array]) -> Value:
        """Return a check with one element of each operand. Return this check if the operator is not elementwise, or if
        the smaller check shows no fault.
        """
        single = len(self.wanted) == len(results) == 1 and not self.out and self.other is None
        plain = bool(rules(self.operator)) and single
        if not plain or not all(isinstance(x, np.ndarray) for x in self.operands):
            return self
        try:
            at = self.wanted[0].first_fault(results[0])
            operands = tuple(np.asarray(np.broadcast_to(x, results[0].shape)[at]) for x in self.operands)
            least = replace(self, operands=operands, expected=self.wanted[0].at(at))
            return self if at is None or least._asked(provider)[0] is None else least
        except Exception:
            return self


def _as_array(provider: Provider, result: Any) -> Array:
    # Some operators return a number or a tuple of numbers (size, shape).
    numbers = result if isinstance(result, tuple) else (result,)
    plain = all(isinstance(number, bool | int | float | complex) for number in numbers)
    return np.asarray(result) if plain else np.asarray(provider.to_numpy(only_tensor(result)))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A check that calls an operator with arguments that the operator must refuse. The check compares the status of
    the refusal with the required status (Table 1 of the standard).
    """

    operator: str
    label: str
    operands: tuple[Any, ...]
    status: int
    options: dict[str, Any] = field(default_factory=dict)
    aspect: str = "statuses"
    # True if the quick profile includes the probe, None if the probe's index decides.
    telling: bool | None = None

    def judge(self, provider: Provider) -> Finding:
        """Check that the library refuses the call with the right status."""
        wanted = Status(self.status).name
        try:
            _call(provider, self.operator, self.operands, self.options)
        except BlockedError as reason:
            return Finding(None, blocked=str(reason))
        except Exception as error:
            if status_in(error) == self.status:
                return Finding(None)
            fault = f"not {wanted} but {raised(error)}: {error}"
        else:
            fault = f"not refused with {wanted}"
        return Finding(f"{self.label}: {fault}")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A check of a behaviour that only several calls show."""

    operator: str
    label: str
    play: Callable[[Provider], Finding | str | None]
    aspect: str = "values"
    element_type: str = ""  # the element type of the operands, or "" if the operands have several types or none
    # True if the quick profile includes the probe, False if not, None if the probe's index decides.
    telling: bool | None = None

    def judge(self, provider: Provider) -> Finding:
        """Run the check and return its finding."""

        def examine() -> Finding:
            found = self.play(provider)
            return found if isinstance(found, Finding) else Finding(found)

        return examined(self.label, examine)


class Probe(Protocol):
    """A check of an operator, and the aspect of the operator that the check tests."""

    @property
    def label(self) -> str: ...

    @property
    def aspect(self) -> str: ...

    def judge(self, provider: Provider) -> Finding:
        """Run the probe with a provider and return its finding."""


def examined(label: str, examine: Callable[[], Finding]) -> Finding:
    """Return the finding of `examine`. Any exception of a foreign library is a fault."""
    try:
        found = examine()
    except BlockedError as reason:
        return Finding(None, blocked=str(reason))
    except Exception as error:
        return Finding(f"{label}: {_said(error)}")
    return found._replace(fault=f"{label}: {found.fault}") if found.fault is not None else found


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ResultError) else f"raised {type(error).__name__}: {error}"


def _call(provider: Provider, operator: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    function, given = needed(provider, operator), Given(provider)
    return function(*map(given, operands), **{key: given(value) for key, value in options.items()})
