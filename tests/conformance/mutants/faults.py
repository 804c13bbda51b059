"""Faults, and the changes of calls and results of which faults consist."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import suanzi
from suanzi.conformance import Suanzi

Array = Any
Function = Callable[..., Any]
Maker = Callable[[Function], Function]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one function, with a maker that turns the right function into the faulty function."""

    kind: str
    function: str
    name: str
    make: Maker  # makes the wrong function from the right function
    calls: str = "pool"  # the calls that may show the fault: "pool", "large" or "refused"
    repeated: bool = False  # True if the fault shows only in several calls

    def __str__(self) -> str:
        return f"{self.kind}: {self.function}: {self.name}"


class Mutant(Suanzi):
    """Suanzi with one function replaced by a faulty function, which may keep a state."""

    def __init__(self, operator: str, fault: Callable[[Function], Function | None]) -> None:
        super().__init__()
        self.operator, self.fault = operator, fault
        self._made: Function | None = None

    def find(self, operator: str) -> Function | None:
        found = super().find(operator)
        if found is None or operator != self.operator:
            return found
        self._made = self._made or self.fault(found)
        return self._made


_MOST = 2**24


class Seen:
    """The arguments of a call by name, and the call's result. The change that a fault makes may depend on the arguments
    and on the result.
    """

    def __init__(self, bound: inspect.BoundArguments, result: Any = None) -> None:
        self.bound, self.given, self.result = bound, bound.arguments, result

    @property
    def operands(self) -> list[suanzi.Tensor]:
        """Return the tensors among the arguments, also within lists, except the output tensor."""
        found = []
        for name, value in self.given.items():
            several = value if isinstance(value, list | tuple) else (value,)
            found += [x for x in several if isinstance(x, suanzi.Tensor) and name != "out"]
        return found

    @property
    def sizes(self) -> list[int]:
        return [x.size for x in (*self.operands, *_results(self.result)) if isinstance(x, suanzi.Tensor)]


When = Callable[[Seen], bool]
Change = Callable[[Array], Array]


def always(_: Seen) -> bool:
    return True


def _results(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def bound(function: Function, operands: tuple[Any, ...], options: dict[str, Any]) -> Seen | None:
    try:
        return Seen(inspect.signature(function).bind(*operands, **options))
    except TypeError:
        return None


# --- changes of arguments ---


def otherwise(change: Callable[[Seen], None]) -> Maker:
    """Make a fault that calls the function with arguments that `change` has changed."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            seen = bound(function, operands, options)
            if seen is None:
                return function(*operands, **options)
            change(seen)
            return function(*seen.bound.args, **seen.bound.kwargs)

        return call

    return fault


def tensor_of(array: Array, like: suanzi.Tensor) -> suanzi.Tensor:
    """Return a tensor with the elements of an array and the element type of `like`."""
    if like.dtype is suanzi.string:
        return suanzi.tensor(np.asarray(array, "U") if array.dtype.kind == "U" else array)
    return suanzi.astype(suanzi.tensor(np.ascontiguousarray(array).reshape(array.shape)), like.dtype)


def array_of(x: suanzi.Tensor) -> Array:
    """Return a copy of the elements as a NumPy array. More than 2^24 elements raise AllocFailedError."""
    if x.size > _MOST:
        raise suanzi.AllocFailedError("no memory holds the elements")
    if x.dtype is suanzi.string:
        return np.array(x.tolist(), "U70").reshape(x.shape)
    return np.array(x.numpy())


def operands_changed(change: Change, *, when: When = always, place: int | None = None) -> Maker:
    """Make a fault that replaces each operand, or only the operand number `place`, by `change` of its elements."""

    def changed(seen: Seen) -> None:
        if not when(seen):
            return
        count = 0
        for name, value in list(seen.given.items()):
            if name == "out":
                continue
            if isinstance(value, suanzi.Tensor):
                if place is None or place == count:
                    seen.given[name] = _changed(value, change)
                count += 1
            elif isinstance(value, list | tuple) and any(isinstance(x, suanzi.Tensor) for x in value):
                seen.given[name] = [_changed(x, change) if isinstance(x, suanzi.Tensor) else x for x in value]

    return otherwise(changed)


def _changed(x: suanzi.Tensor, change: Change) -> suanzi.Tensor:
    with np.errstate(all="ignore"):
        array = np.asarray(change(array_of(x)))
    return x if _alike(array, x) else tensor_of(array, x)


def _alike(array: Array, x: suanzi.Tensor) -> bool:
    """Return whether an array has the shape and the bytes of a tensor."""
    return array.shape == x.shape and array.tobytes() == array_of(x).tobytes()


# --- changes of results ---


def result_changed(change: Change, *, when: When = always, which: int | None = None) -> Maker:
    """Make a fault that replaces each result, or only the result number `which`, by `change` of its elements."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            result = function(*operands, **options)
            seen = bound(function, operands, options)
            if seen is None:
                return result
            seen.result = result
            if not when(seen):
                return result
            changed, out = altered(result, change, which), options.get("out")
            if out is None or result is not out:
                return changed
            out[...] = changed
            return out

        return call

    return fault


def altered(result: Any, change: Change, which: int | None = None) -> Any:
    """Return a result with elements that `change` has changed.

    If `which` is given, change only the result with this number.
    """
    if isinstance(result, tuple) and not all(isinstance(x, int) for x in result):
        changed = [altered(x, change) if which in (None, i) else x for i, x in enumerate(result)]
        return tuple(changed) if type(result) is tuple else type(result)(*changed)
    if isinstance(result, list):
        return [altered(x, change) if which in (None, i) else x for i, x in enumerate(result)]
    with np.errstate(all="ignore"):
        if isinstance(result, suanzi.Tensor):
            array = np.asarray(change(array_of(result)))
            return result if _alike(array, result) else tensor_of(array, result)
        if isinstance(result, bool | int):
            return type(result)(np.asarray(change(np.array([result]))).ravel()[0])
        if isinstance(result, tuple) and result:
            return tuple(np.asarray(change(np.array(result))).tolist())
    return result


def off(x: Array) -> Array:
    """Return an array of the same type and shape in which every element differs."""
    if x.dtype.kind == "U":
        return np.char.add(x, "x")
    if x.dtype.kind == "b":
        return ~x
    if x.dtype.kind in "iu":
        return x ^ np.array(1, x.dtype)
    moderate = np.isfinite(x) & (np.abs(x) < 1000)
    return np.where(moderate, x + np.array(1, x.dtype), np.where(np.isfinite(x), x / 2, np.zeros((), x.dtype))).astype(
        x.dtype
    )


def _at(places: Callable[[int], Any]) -> Change:
    def change(x: Array) -> Array:
        flat = x.reshape(-1)
        chosen = places(flat.size)
        flat[chosen] = off(flat[chosen]).astype(flat.dtype)
        return flat.reshape(x.shape)

    return change


last = _at(lambda size: slice(max(size - 1, 0), size))
first = _at(lambda size: slice(0, 1))
tail = _at(lambda size: slice(size - size % 64 if size % 64 else max(size - 64, 0), size))
middle = _at(lambda size: slice(size // 2, size // 2 + 1))
past_100000 = _at(lambda size: slice(100_000, size))
every_4096th = _at(lambda size: slice(4095, size, 4096))
every_65536th = _at(lambda size: slice(65535, size, 65536))
everywhere = _at(lambda size: slice(0, size))


def reversed_(x: Array) -> Array:
    return x.reshape(-1)[::-1].reshape(x.shape)


def rolled(x: Array) -> Array:
    return np.roll(x, 1)


def along_first(x: Array) -> Array:
    """Reverse the array along the first axis."""
    return x[::-1] if x.ndim else x


def last_two_mixed(x: Array) -> Array:
    """Return the elements in the order of an array with swapped last axes, in the shape of `x`."""
    return np.swapaxes(x, -1, -2).reshape(x.shape) if x.ndim > 1 else x


def zeroed(x: Array) -> Array:
    return np.zeros_like(x)


def opposite(x: Array) -> Array:
    return ~x if x.dtype.kind == "b" else x if x.dtype.kind == "U" else (0 - x).astype(x.dtype)
