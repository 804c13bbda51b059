"""Conversion of a call's operands from arrays to a provider's objects, and the check that a call leaves its operands
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .oracle.compare import Expected
from .oracle.element_types import Array, ElementType
from .provider import Provider, needed

Step = tuple[str, tuple[Any, ...]]
"""An operator and its arguments after the tensor."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """An operand that the provider's operators make from a tensor, possibly as a view of the tensor's memory."""

    of: Array
    steps: tuple[Step, ...]
    array: Array  # the expected elements


def arrays_of(x: Any) -> Iterator[Array]:
    """Yield the arrays in an argument: the argument itself, the elements of a `View`, or the arrays in a list."""
    if isinstance(x, np.ndarray):
        yield x
    elif isinstance(x, View):
        yield x.array
    elif isinstance(x, list):
        for item in x:
            yield from arrays_of(item)


class Given:
    """The arguments of one call. The object converts each array to a tensor once, and keeps a copy of each array."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._made: dict[int, tuple[Array, Array, Any]] = {}  # by id: the array, a copy of the array, and the tensor

    def __call__(self, x: Any) -> Any:
        """Return the provider's object for an argument."""
        if isinstance(x, np.ndarray):
            if id(x) not in self._made:
                self._made[id(x)] = x, x.copy(), self.provider.from_numpy(x)
            return self._made[id(x)][2]
        if isinstance(x, View):
            tensor = self(x.of)
            for operator, further in x.steps:
                tensor = needed(self.provider, operator)(tensor, *further)
            return tensor
        if isinstance(x, list):
            return [self(item) for item in x] if any(True for _ in arrays_of(x)) else x
        return self.provider.element_type(x.name) if isinstance(x, ElementType) else x

    def changed(self, but: Any = None) -> str | None:
        """Return the fault of an operand that the call changed, or None. Restore the arrays, because a tensor may share
        memory with an array. The method does not check the tensor `but`, which the call may change.
        """
        fault = None
        for number, (array, before, tensor) in enumerate(self._made.values()):
            if tensor is not but and not _same(np.asarray(self.provider.to_numpy(tensor)), before):
                fault = fault or f"operand {number} was changed by a call that succeeded"
            if array.flags.writeable and not _same(array, before):
                array[...] = before
        return fault


def _same(array: Array, before: Array) -> bool:
    """Return whether the elements are the same bit for bit. A NaN may have become another NaN."""
    if array.shape != before.shape:
        return False
    if before.dtype.kind == "U":
        return bool(array.tolist() == before.tolist())
    if array.dtype != before.dtype:
        return False
    if array.tobytes() == before.tobytes():
        return True
    if before.dtype.kind == "c":
        return _same(array.real, before.real) and _same(array.imag, before.imag)
    if before.dtype.kind in "biu":
        return bool(np.array_equal(array, before))
    same = (array == before) & (np.signbit(array) == np.signbit(before))
    return bool(np.all(same | (np.isnan(array) & np.isnan(before))))


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """A tensor into which a call must write its result."""

    tensor: Any
    memory: Array | None = None  # the memory of the tensor, which may have further elements
    array: Array | None = None

    def fault(self, provider: Provider, wanted: Expected) -> str | None:
        """Return the fault of the output tensor after the call, or None."""
        found = wanted.fault(np.asarray(provider.to_numpy(self.tensor)))
        if found is not None:
            return f"the output tensor {found}"
        if self.memory is None or self.array is None:
            return None
        others = self.memory.copy()
        others[_places(self.memory, self.array)] = 1
        return None if np.all(others == 1) else "elements beside the output tensor were written"


def _places(memory: Array, array: Array) -> Any:
    """Return a mask of `memory` that is True at the places of the array's elements."""
    flat = np.zeros(memory.shape, bool)
    steps = tuple(m // max(n, 1) for m, n in zip(memory.shape, array.shape, strict=True))
    flat[tuple(slice(None, None, max(step, 1)) for step in steps)] = True
    return flat


def output_arrays(wanted: Expected, how: str) -> tuple[Array, Array]:
    """Return memory full of ones, and a view of the memory for a result. The view has all elements of the memory in
    the same or the reverse order, or every second element along each axis.
    """
    shape, numpy_type = wanted.values.shape, wanted.element_type.numpy
    step = {"fresh": 1, "strided": 2, "reversed": 1, "by columns": 1}[how]
    memory = np.ones([n * step for n in shape], numpy_type, order="F" if how == "by columns" else "C")
    every: tuple[Any, ...] = (..., *[slice(None, None, step)] * len(shape))
    back: tuple[Any, ...] = (..., *[slice(None, None, -1)] * len(shape))
    view = memory[every]
    return memory, view[back] if how == "reversed" else view
