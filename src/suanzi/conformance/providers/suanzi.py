"""This library as a provider."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import suanzi
from suanzi.kinds import devices
from suanzi.operators.registry import extras, lookup
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import as_dtype

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import Provider


def gaps_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """The contiguous tensor of which one with these strides is a part, the steps in it, and the order of dimensions.

    None where there is no such part, or it is all.
    """
    if 0 in shape or 0 in strides or not shape:
        return None
    slowest = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
    wide: list[int] = []
    steps: list[slice] = []
    unit = 1
    for place, axis in reversed(list(enumerate(slowest))):
        step, rest = divmod(strides[axis], unit)
        whole = strides[slowest[place - 1]] if place else unit * step * shape[axis]
        extent, over = divmod(whole, unit)
        if rest or over or extent < (shape[axis] - 1) * step + 1:
            return None
        wide.insert(0, extent)
        steps.insert(0, slice(0, (shape[axis] - 1) * step + 1, step))
        unit *= extent
    order = tuple(slowest.index(axis) for axis in range(len(shape)))
    return (
        None
        if all(s.step == 1 for s in steps) and wide == [shape[a] for a in slowest]
        else (tuple(wide), tuple(steps), order)
    )


class Suanzi(Provider):
    """This library, with its additions to the operators: on the CPU, or on another device that it names."""

    name = "suanzi"
    device = ""  # of a class derived from this one, too, that does not call its constructor
    element_types = frozenset((*ELEMENT_TYPES, "string"))
    claims = frozenset(
        (
            *("output", "repetition", "correct rounding", "open types", "additions"),
            *("sparse operands", "quantized operands"),
        )
    )

    def __init__(self, device: str = "") -> None:
        self.device = device
        if device:
            devices.check(device, "conformance")
            self.element_types = frozenset(ELEMENT_TYPES)
            # Functions are PyTorch's there, which round otherwise.
            self.claims = self.claims - {"repetition", "correct rounding", "sparse operands", "quantized operands"}
            suanzi.devices.set_synchronous(True)

    def find(self, operator: str) -> Callable[..., Any] | None:
        try:
            record = lookup(operator)
        except KeyError:
            return None
        if not self.device or "device" not in record.parameters:
            return record.function
        return self._placed(record.function)

    def _placed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that makes a tensor, on the device."""

        @functools.wraps(function)
        def placed(*arguments: Any, **named: Any) -> Any:
            if named.get("device") in (None, "cpu"):  # the default one
                named["device"] = self.device
            return function(*arguments, **named)

        return placed

    def functions(self, operator: str) -> Iterable[str]:
        return (operator, *(extra.name for extra in extras(operator) if self.find(extra.name)))

    def element_type(self, name: str) -> Any:
        return as_dtype(name)

    def from_numpy(self, array: Array) -> Any:
        found = lookup("tensor" if array.dtype.kind == "U" else "from_reference").function(array)
        return found if not self.device else self._lying_so(found)

    def _lying_so(self, x: Any) -> Any:
        """A tensor on the device that lies as one of the host does, but for the direction of strides."""
        there = x.to_device(self.device)
        gaps = gaps_of(x.shape, tuple(map(abs, x.strides)))
        if gaps is None:
            return there
        wide, steps, order = gaps
        held = suanzi.empty(wide, dtype=x.dtype, device=self.device)[steps]
        view = suanzi.permute_dims(held, order)
        view[...] = there
        return view

    def to_numpy(self, tensor: Any) -> Array:
        dense = tensor.to_dense() if isinstance(tensor, SparseTensor) else tensor
        return dense.numpy()

    def order(self, tensor: Any) -> tuple[int, ...]:
        found: tuple[int, ...] = tensor.layout.order
        return found

    def device_of(self, tensor: Any) -> str:
        return str(tensor.device)

    def version(self) -> str:
        return suanzi.__version__
