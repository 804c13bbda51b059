"""Probes of the clauses about one call. The call is refused, changes nothing, has a given result, or equals another
call.

The module `stated` makes the probes of this module from the clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arguments import Arguments, Dense, Plain
from ..oracle.element_types import ELEMENT_TYPES, Array
from ..probe import Finding, examined
from ..provider import BlockedError, Provider, needed, only_tensor, several
from ..standard import standard
from ..status import raised, status_in


@dataclass(frozen=True, slots=True)
class Stated:
    """A call about which the clauses state something. `needs` are the operators that make the call's arguments."""

    operator: str
    label: str
    aspect: str
    given: Arguments
    telling: bool | None = field(default=None, kw_only=True)  # True if the quick profile includes the call

    @property
    def needs(self) -> frozenset[str]:
        return self.given.needs

    def judge(self, provider: Provider) -> Finding:
        """Run the check and return its finding."""
        return examined(self.label, lambda: Finding(self._fault(provider)))

    def _fault(self, provider: Provider) -> str | None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Refuses(Stated):
    """The check that a call is refused with one of several statuses."""

    statuses: tuple[str, ...]

    def _fault(self, provider: Provider) -> str | None:
        _, error = _attempt(provider, self.operator, *_made(provider, self.given))
        asked = " or ".join(self.statuses)
        if error is None:
            return f"not refused with {asked}"
        status = status_in(error)
        if status in [standard().statuses[name] for name in self.statuses]:
            return None
        return f"not {asked} but {raised(error)}: {error}"


@dataclass(frozen=True, slots=True)
class ChangesNothing(Stated):
    """The check that every operand is unchanged after a refused call."""

    def _fault(self, provider: Provider) -> str | None:
        given = self.given if "output" in provider.claims else self.given.without("out")
        args, options = _made(provider, given)
        _, error = _attempt(provider, self.operator, args, options)
        if error is None:
            return None  # `Refuses` reports a call that succeeds
        tensors = _dense((*given.args, *given.options.values()), (*args, *options.values()))
        for i, (argument, tensor) in enumerate(tensors):
            if contents(provider, tensor) != _contents_of(argument):
                return f"tensor {i} was changed before the call was refused"
        return None


@dataclass(frozen=True, slots=True)
class NeedsAll(Stated):
    """The check that a call without a required parameter raises any exception."""

    def _fault(self, provider: Provider) -> str | None:
        _, error = _attempt(provider, self.operator, *_made(provider, self.given))
        return None if error is not None else "accepted"


@dataclass(frozen=True, slots=True)
class Gives(Stated):
    """The check that a call succeeds and returns results of the stated types and shape."""

    types: tuple[str | None, ...]
    shape: tuple[int, ...] | None

    def with_open_types(self) -> Gives:
        """Return the check that accepts any type for the floating results of integers and bools, because each library
        has its own default type.
        """
        given = [ELEMENT_TYPES[name].letter for name in self.given.types if name in ELEMENT_TYPES]
        if not given or not set(given) <= set("BI"):
            return self
        floating = {name for name, t in ELEMENT_TYPES.items() if t.letter in "FC"}
        return replace(self, types=tuple(None if name in floating else name for name in self.types))

    def _fault(self, provider: Provider) -> str | None:
        args, options = _made(provider, self.given)
        result = needed(provider, self.operator)(*args, **options)
        results = [result] if len(self.types) == 1 else several(result, len(self.types))
        if len(results) != len(self.types):
            return f"returned {len(results)} results, not {len(self.types)}"
        for tensor, name in zip(results, self.types, strict=True):
            if name is None:
                continue
            told = contents(provider, only_tensor(tensor))
            if not isinstance(told, tuple):
                return f"returned {type(tensor).__name__}, not a tensor"
            found, shape, _ = told
            if found != name or (self.shape is not None and shape != self.shape):
                return f"returned {found} {shape}, not {name} {'' if self.shape is None else self.shape}".rstrip()
        return None


@dataclass(frozen=True, slots=True)
class AreSame(Stated):
    """The check that two calls have the same results, exactly or nearly."""

    other: Arguments
    result: str
    nearly: bool = False

    @property
    def needs(self) -> frozenset[str]:
        return self.given.needs | self.other.needs | ({"dequantize"} if self.result == "quantized" else set())

    def _fault(self, provider: Provider) -> str | None:
        found = [self._result(provider, given) for given in (self.given, self.other)]
        if self.nearly:
            arrays = [np.asarray(provider.to_numpy(x)) for x in found]
            same = arrays[0].dtype == arrays[1].dtype and _near(*(x.astype(np.complex128) for x in arrays))
            return (
                None
                if same
                else f"returned {_shown(arrays[0].tolist())}, and the other call returned {_shown(arrays[1].tolist())}"
            )
        told = [contents(provider, x) for x in found]
        return (
            None if told[0] == told[1] else f"returned {_shown(told[0])}, and the other call returned {_shown(told[1])}"
        )

    def _result(self, provider: Provider, given: Arguments) -> Any:
        args, options = _made(provider, given)
        result = needed(provider, self.operator)(*args, **options)
        return needed(provider, "dequantize")(result) if self.result == "quantized" else result


def _near(x: Array, y: Array) -> bool:
    """Return whether two arrays are nearly equal. Nearly equal arrays have the same shape and the same finite places.
    The finite elements differ at most by a thousandth of the greatest magnitude in `y`.
    """
    if x.shape != y.shape or not np.array_equal(np.isfinite(x), np.isfinite(y)):
        return False
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    return x.size == 0 or bool(np.abs(x - y).max() <= np.abs(y).max() / 1000)


Probe = Refuses | ChangesNothing | NeedsAll | Gives | AreSame


def _made(provider: Provider, given: Arguments) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as the provider's objects. If an object cannot be made, raise BlockedError, because the
    operator is not at fault.
    """
    try:
        args = tuple(a.made(provider) for a in given.args)
        return args, {name: a.made(provider) for name, a in given.options.items()}
    except BlockedError:
        raise
    except Exception as error:
        raise BlockedError(f"the arguments cannot be made: {type(error).__name__}: {error}") from error


def _dense(given: Iterable[Any], made: Iterable[Any]) -> Iterator[tuple[Dense, Any]]:
    """Yield the tensors among the arguments, and the provider's objects for the tensors."""
    for argument, value in zip(given, made, strict=True):
        if isinstance(argument, Dense):
            yield argument, value
        elif isinstance(argument, Plain) and isinstance(argument.value, list | tuple):
            yield from _dense(argument.value, value)


def _attempt(
    provider: Provider, operator: str, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """Return the result of a call and None, or None and the exception. A missing operator raises BlockedError."""
    function = needed(provider, operator)
    try:
        return function(*args, **options), None
    except BlockedError:
        raise
    except Exception as error:
        return None, error


def contents(provider: Provider, result: Any) -> Any:
    """Return a result in a comparable form: a tensor as type, shape and bits."""
    if result is None or type(result) in (bool, int, float, complex, str):  # NumPy's scalars count as tensors
        return result
    if isinstance(result, tuple | list):
        return [contents(provider, item) for item in result]
    array = np.asarray(provider.to_numpy(result))
    if array.dtype.name in ELEMENT_TYPES:
        return array.dtype.name, array.shape, np.ascontiguousarray(array).tobytes()
    return "string", array.shape, [str(x) for x in array.flat]


def _contents_of(argument: Dense) -> Any:
    array = argument.array
    elements = [str(x) for x in array.flat] if argument.type == "string" else np.ascontiguousarray(array).tobytes()
    return argument.type, array.shape, elements


def _shown(found: Any) -> str:
    text = repr(found)
    return text if len(text) <= 80 else f"{text[:77]}…"
