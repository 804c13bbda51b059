"""One check: a call, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from .oracle.compare import Expected
from .oracle.element_types import Array, ElementType
from .provider import BlockedError, Provider, needed
from .snippets import call_text
from .status import Status


class Finding(NamedTuple):
    """What a probe found."""

    fault: str | None  # what is wrong, or None
    blocked: str | None = None  # why that cannot be told
    error: float | None = None  # of a floating result: the largest error in ulp, where it has a bound
    snippet: str | None = None  # a call that reproduces the fault
    aspect: str | None = None  # that the fault is about, if not the probe's own


@dataclass(frozen=True, slots=True)
class Value:
    """Calls an operator on arrays and scalars and compares what it returns."""

    operator: str
    label: str
    operands: tuple[Any, ...]  # arrays and element types become the provider's own
    expected: Expected
    options: dict[str, Any] = field(default_factory=dict)
    aspect: str = "values"

    def within(self, ulps: float) -> Value:
        """The same with errors of as many ulp, where it allows less."""
        return replace(self, expected=replace(self.expected, bound=np.maximum(self.expected.bound, ulps)))

    def judge(self, provider: Provider) -> Finding:
        """Whether the result is what is expected."""

        def examine() -> Finding:
            result = self._result(provider)
            fault = self.expected.fault(result, self.operands)
            error = self.expected.worst_error(result)
            if fault is None:
                return Finding(None, error=error)
            least = self._minimised(provider, result)
            return Finding(fault, error=error, snippet=call_text(least.operator, least.operands, least.options))

        return examined(self.label, examine)

    def _result(self, provider: Provider) -> Array:
        result = _call(provider, self.operator, self.operands, self.options)
        # Some operators answer with a number or a tuple (size, shape).
        plain = isinstance(result, bool | int | float | complex | tuple)
        return np.asarray(result) if plain else provider.to_numpy(result)

    def _minimised(self, provider: Provider, result: Array) -> Value:
        """The same fault with one element of each operand, where it shows there too."""
        at = self.expected.first_fault(result)
        if at is None or not all(isinstance(x, np.ndarray) for x in self.operands):
            return self
        try:
            operands = tuple(np.asarray(np.broadcast_to(x, result.shape)[at]) for x in self.operands)
            least = replace(self, operands=operands, expected=self.expected.at(at))
            return least if least.expected.fault(least._result(provider)) else self
        except Exception:  # no elementwise operator
            return self


@dataclass(frozen=True, slots=True)
class Refusal:
    """Calls an operator with what it must refuse, and compares the status (Table 1)."""

    operator: str
    label: str
    operands: tuple[Any, ...]
    status: int
    options: dict[str, Any] = field(default_factory=dict)
    aspect: str = "statuses"

    def judge(self, provider: Provider) -> Finding:
        """Whether the call is refused, and with the right status."""
        wanted = Status(self.status).name
        try:
            _call(provider, self.operator, self.operands, self.options)
        except BlockedError as reason:
            return Finding(None, blocked=str(reason))
        except Exception as error:
            status = getattr(error, "status", None)
            if status == self.status:
                return Finding(None)
            fault = f"not {wanted} but {type(error).__name__} (status {status}): {error}"
        else:
            fault = f"not refused with {wanted}"
        return Finding(f"{self.label}: {fault}", snippet=call_text(self.operator, self.operands, self.options))


@dataclass(frozen=True, slots=True)
class Scenario:
    """Something that takes more than one call to see."""

    operator: str
    label: str
    play: Callable[[Provider], Finding | str | None]
    aspect: str = "values"
    element_type: str = ""  # of the operands, where they have one
    telling: bool | None = None  # whether the quick profile asks it; None: by its place among its like

    def judge(self, provider: Provider) -> Finding:
        """What comes of it."""

        def examine() -> Finding:
            found = self.play(provider)
            return found if isinstance(found, Finding) else Finding(found)

        return examined(self.label, examine)


class Probe(Protocol):
    """What is asked of an operator, and what it tells of."""

    @property
    def label(self) -> str: ...

    @property
    def aspect(self) -> str: ...

    def judge(self, provider: Provider) -> Finding:
        """What comes of it with a provider."""


def examined(label: str, examine: Callable[[], Finding]) -> Finding:
    """What `examine` finds; whatever a foreign library throws is a fault."""
    try:
        found = examine()
    except BlockedError as reason:
        return Finding(None, blocked=str(reason))
    except Exception as error:
        return Finding(f"{label}: raised {type(error).__name__}: {error}")
    return found._replace(fault=f"{label}: {found.fault}") if found.fault is not None else found


def _call(provider: Provider, operator: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    function = needed(provider, operator)

    def given(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return provider.from_numpy(x)
        return provider.element_type(x.name) if isinstance(x, ElementType) else x

    return function(*map(given, operands), **{key: given(value) for key, value in options.items()})
