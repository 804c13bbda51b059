"""Suanzi as a provider."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import suanzi
from suanzi import Tensor, _core
from suanzi.kinds import devices
from suanzi.operators.registry import extras, lookup
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import as_dtype, string

from ..oracle.element_types import ELEMENT_TYPES, Array
from ..provider import Provider


def gaps_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """Return the shape of a larger contiguous tensor, slices of the larger tensor, and an order of axes. The slices
    with the axes in this order have the given shape and strides.

    The result is None if no larger tensor has slices with these strides, or if the slices are the whole tensor.
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


def _has_strings(x: Any) -> bool:
    """Return whether an argument is a string tensor, the type string, or a sequence that contains one of these."""
    if isinstance(x, list | tuple):
        return any(map(_has_strings, x))
    return x is string or (isinstance(x, Tensor) and not _core.is_destroyed(x) and x.dtype is string)


def _moved(x: Any, device: str) -> Any:
    """Return an argument or a result with all tensors copied to another device. String tensors and destroyed tensors
    stay unchanged.
    """
    if isinstance(x, list | tuple):
        items = [_moved(item, device) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    is_tensor = isinstance(x, Tensor) and not _core.is_destroyed(x)
    return x.to_device(device) if is_tensor and x.dtype is not string else x


class Suanzi(Provider):
    """The provider of Suanzi and of Suanzi's additions to the operators, on the CPU or on another named device."""

    name = "suanzi"
    device = ""  # the device of derived classes that do not call this constructor
    element_types = frozenset((*ELEMENT_TYPES, "string"))
    claims = frozenset(
        (
            *("output", "repetition", "correct rounding", "open types", "additions"),
            "negative strides",
            *("sparse operands", "quantized operands"),
        )
    )

    def __init__(self, device: str = "") -> None:
        self.device = device
        if device:
            devices.check(device, "conformance")
            # On other devices, PyTorch's functions compute the results, and round differently from Suanzi's functions.
            self.claims = self.claims - {
                *("repetition", "correct rounding", "negative strides"),
                *("sparse operands", "quantized operands"),
            }
            suanzi.devices.set_synchronous(True)

    def find(self, operator: str) -> Callable[..., Any] | None:
        try:
            function = lookup(operator).function
        except KeyError:
            return None
        return self._by_default(function) if self.device else function

    def _by_default(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that its default device is the device on which the provider creates tensors.

        Strings exist on the CPU only, so calls with strings run on the CPU.
        """

        @functools.wraps(function)
        def placed(*arguments: Any, **named: Any) -> Any:
            with suanzi.set_default_device(self.device):
                if not any(map(_has_strings, (*arguments, *named.values()))):
                    return function(*arguments, **named)
                here = {name: _moved(x, "cpu") for name, x in named.items()}
                found = function(*[_moved(x, "cpu") for x in arguments], **here)
                if named.get("out") is None or found is not here["out"]:
                    return _moved(found, self.device)
                named["out"][...] = _moved(found, self.device)
                return named["out"]

        return placed

    def functions(self, operator: str) -> Iterable[str]:
        return (operator, *(extra.name for extra in extras(operator) if self.find(extra.name)))

    def element_type(self, name: str) -> Any:
        return as_dtype(name)

    def from_numpy(self, array: Array) -> Any:
        if array.dtype.kind == "U":  # strings exist on the CPU only
            return lookup("tensor").function(array)
        found = lookup("from_reference").function(array)
        return self._lying_so(found) if self.device else found

    def _lying_so(self, x: Any) -> Any:
        """Return a copy of `x` on the device. The copy has the layout of `x`, except that all strides are positive."""
        there = x.to_device(self.device)
        gaps = gaps_of(x.shape, tuple(map(abs, x.stride())))
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
