"""Reductions and cumulative reductions on devices."""

from __future__ import annotations

from collections.abc import Callable
from math import nan, prod
from typing import Any

import torch

from suanzi import _core
from suanzi.devices import front
from suanzi.devices.table import finished, rows, wider
from suanzi.devices.types import (
    HALVES,
    TORCH,
    brought,
    carried,
    computed_type,
    converted,
    flipped,
    folded_type,
    ordered,
    stored,
)
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType

Axes = tuple[int, ...]
Fold = Callable[[torch.Tensor, Axes, bool], torch.Tensor]


def folded_axes(name: str, axis: Any, ndim: int) -> Axes:
    """Return the axes that a reduction folds."""
    return tuple(range(ndim)) if axis is None else tuple(_core.read_axes(name, axis, ndim))


def _working(t: torch.Tensor, result: torch.dtype) -> torch.Tensor:
    """Return the elements in the type in which a reduction computes, which is float32 for float16 and bfloat16. For a
    result of these types, integers are rounded to the type of the result first.
    """
    folded = folded_type(t.dtype, result)
    return brought(converted(t, folded), torch.float32) if folded in HALVES else brought(t, folded)


def _along(function: Callable[[torch.Tensor, int, bool], torch.Tensor]) -> Fold:
    """Return a reduction along several axes, made from a PyTorch function of one axis."""

    def fold(t: torch.Tensor, axes: Axes, keepdims: bool) -> torch.Tensor:
        for axis in sorted(axes, reverse=True):
            t = function(t, axis, keepdims)
        return t

    return fold


def _widest(dtype: torch.dtype) -> torch.dtype:
    """Return the type in which elements of a type are summed. float32 and complex64 elements are summed in double
    precision, so that only the final rounding of a sum matters.
    """
    return {torch.float32: torch.float64, torch.complex64: torch.complex128}.get(dtype, dtype)


# The product of so many numbers, whose greater parts have magnitudes of 1/2 to 1, stays in the range of float64.
_MANTISSAS = 2**9


def _product(t: torch.Tensor, axes: Axes, keepdims: bool) -> torch.Tensor:
    """Return products, computed in double precision for float32 and complex64 elements. If a product is 0, infinite or
    NaN, an intermediate product may have left the range of float64. The function then computes the product again with
    separate exponents.
    """
    plain = _along(lambda t, axis, keepdims: torch.prod(t, axis, keepdims, dtype=_widest(t.dtype)))
    found = plain(t, axes, keepdims)
    if not found.is_floating_point() and not found.is_complex():
        return found
    left = (found == 0) | ~torch.isfinite(found)
    if bool(left.any()):
        lines = t.movedim(axes, tuple(range(-len(axes), 0))).flatten(-len(axes))
        found[left] = _product_of_parts(lines[left.squeeze(axes) if keepdims else left].to(found.dtype))
    return found


def _product_of_parts(t: torch.Tensor) -> torch.Tensor:
    """Return the product of each row of numbers: the product of the mantissas, shifted by the sum of the exponents."""
    mantissas, exponents = _parts(t)
    total = exponents.sum(-1)
    while (count := mantissas.shape[-1]) != 1:
        step = min(count, _MANTISSAS)
        rest = torch.ones((len(t), -count % step), dtype=t.dtype, device=t.device)
        pieces = torch.cat([mantissas, rest], -1).reshape(len(t), -1, step)
        mantissas, exponents = _parts(torch.prod(pieces, -1))
        total = total + exponents.sum(-1)
    return _shifted(mantissas[:, 0], total)


def _parts(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mantissas and the exponents of numbers. The greater part of a complex mantissa has a size of 1/2 to 1.
    Numbers that are 0, infinite or NaN have the exponent 0.
    """
    size = torch.maximum(torch.abs(t.real), torch.abs(t.imag)) if t.is_complex() else torch.abs(t)
    exponents = torch.where(torch.isfinite(size), torch.frexp(size)[1], 0).to(torch.int64)
    return _shifted(t, -exponents), exponents


def _shifted(t: torch.Tensor, exponents: torch.Tensor) -> torch.Tensor:
    """Return numbers, multiplied by powers of two. Each number is multiplied in three steps, so that every factor stays
    in the range of float64.
    """
    if t.is_complex():
        return torch.complex(_shifted(t.real, exponents), _shifted(t.imag, exponents))
    for _ in range(3):
        step = exponents.clamp(-1000, 1000)
        t, exponents = torch.ldexp(t, step.to(torch.float64)), exponents - step
    return t


def _norm1(t: torch.Tensor, axes: Axes, keepdims: bool) -> torch.Tensor:
    return torch.sum(torch.abs(t), axes, keepdims)


def _norm2(t: torch.Tensor, axes: Axes, keepdims: bool) -> torch.Tensor:
    """Return the Euclidean norm. The squares are computed in float64. float64 elements are first divided by a power of
    two near the greatest element, so that no square overflows or vanishes.
    """
    size = torch.abs(t)
    if size.numel() == 0:
        return torch.sum(size, axes, keepdims)
    if size.dtype is not torch.float64:  # float64 represents squares of float32 exactly
        wide = size.to(torch.float64)
        return torch.sqrt(torch.sum(wide * wide, axes, keepdims)).to(size.dtype)
    scale = power_near(torch.amax(size, axes, True))
    scaled = size / scale
    root = torch.sqrt(torch.sum(scaled * scaled, axes, True)) * scale
    return root if keepdims else root.squeeze(axes)


def power_near(most: torch.Tensor) -> torch.Tensor:
    """Return the greatest power of two that is not above a number, or 1 for 0 and numbers that are not finite."""
    _, exponent = torch.frexp(most)
    one = torch.ones_like(most)
    return torch.where((most == 0) | ~torch.isfinite(most), one, torch.ldexp(one, exponent - 1))


def _logsumexp(t: torch.Tensor, axes: Axes, keepdims: bool) -> torch.Tensor:
    return torch.logsumexp(t, axes, keepdims)


# Reductions whose elements are converted to the result's type first.
FOLDS: dict[str, Fold] = {
    "sum": lambda t, axes, keepdims: torch.sum(t, axes, keepdims, dtype=_widest(t.dtype)),
    "prod": _product,
    "mean": lambda t, axes, keepdims: torch.mean(t, axes, keepdims, dtype=_widest(t.dtype)),
    "norm1": _norm1,
    "norm2": _norm2,
    "logsumexp": _logsumexp,
}
_OF_SIZES = ("norm1", "norm2")  # the result is real for complex elements


def _result(call: Call) -> tuple[DType, Axes]:
    """Return the type of a reduction's result and the folded axes. Raise the CPU's errors for types, axes and empty
    operands.
    """

    def ask() -> Any:
        found = front.with_stand_ins(call, front.image)
        return found.dtype, folded_axes(call.name, call.axis, call.x.ndim)

    image = tuple([min(extent, 1) for extent in call.x.shape])
    key = call.replaced(x=None, out=None) if call.has_out else call.replaced(x=None)
    return front.kept("fold", key, ask, call.x.dtype, image)  # type: ignore[no-any-return]


def reduced(call: Call, device: Device) -> Any:
    """Reduce a tensor along axes by the operator that the call names."""
    result, axes = _result(call)
    result = wider(call, result) or result
    name = call.record.called
    there, data = TORCH[result], call.x.data
    if name in ("max", "min"):
        t = extreme_of(converted(data, there), axes, bool(call.keepdims), name)
    elif name in ("all", "any"):
        truth = carried(data) != 0
        t = getattr(torch, name)(truth, axes, bool(call.keepdims)) if axes else truth
    elif name in ("var", "std"):
        t = _variance(call, data, axes, there, name)
    else:
        complex_ = data.is_complex() and name in _OF_SIZES
        working = data if complex_ else _working(data, there)
        if name == "mean" and not data.is_floating_point() and not data.is_complex():
            working = converted(data, torch.float64)
        t = FOLDS[name](working, axes, bool(call.keepdims)) if axes else _alone(name, working)
    return finished(call, t, device, result)


def _alone(name: str, t: torch.Tensor) -> torch.Tensor:
    """Return the result of a reduction along no axis, which reduces each element alone."""
    return torch.abs(t) if name in _OF_SIZES else t


def extreme_of(data: torch.Tensor, axes: Axes, keepdims: bool, name: str) -> torch.Tensor:
    function = torch.amax if name == "max" else torch.amin
    if data.dtype is torch.bool:
        return (torch.any if name == "max" else torch.all)(data, axes, keepdims) if axes else data.clone()
    t = ordered(data)
    if not axes:
        return carried(data).clone()
    if data.numel() == 0:  # the result is empty as well, and PyTorch refuses empty operands
        return torch.sum(carried(data), axes, keepdims).to(carried(data).dtype)
    found = function(t, axes, keepdims)
    if data.dtype is torch.uint64:
        return flipped(found)
    if not data.is_floating_point():
        return found
    # +0 is greater than -0.
    signs = torch.where(t == 0, t.signbit(), name == "max")
    sign = (torch.all if name == "max" else torch.any)(signs.to(torch.bool), axes, keepdims)
    return torch.where(found == 0, torch.where(sign, -0.0, 0.0).to(found.dtype), found)


def _variance(call: Call, data: torch.Tensor, axes: Axes, there: torch.dtype, name: str) -> torch.Tensor:
    wide = converted(data, torch.complex128 if data.is_complex() else torch.float64)
    correction = float(call.correction) if "correction" in call.places else 0.0  # `reduce` lacks the parameter
    keepdims = bool(call.keepdims)
    if not axes:
        wide, axes, keepdims = wide.unsqueeze(-1), (wide.ndim,), False
    count = prod(wide.shape[axis] for axis in axes)
    is_defined = count > correction
    if not is_defined or not data.numel():  # PyTorch warns for so few elements and sometimes returns infinities
        return torch.full_like(torch.sum(wide.real, axes, keepdims), 0.0 if is_defined else nan)
    if data.dtype not in (torch.float64, torch.complex128) or wide.ndim != data.ndim:
        return getattr(torch, name)(wide, axes, correction=correction, keepdim=keepdims)
    # Scaling keeps the sums of the elements and of their squares finite whenever the deviation is finite.
    scale = power_near(torch.amax(torch.abs(wide), axes, True))
    found = _mean_square(wide / scale, axes, count, correction)
    found = torch.sqrt(found) * scale if name == "std" else found * scale * scale
    return found if keepdims else found.squeeze(axes)


def _mean_square(t: torch.Tensor, axes: Axes, count: int, correction: float) -> torch.Tensor:
    """Return the mean square of the deviations from the mean, corrected for the rounding of the mean.

    PyTorch's function adds one deviation after the other, so the error grows with the number of elements.
    """
    apart = t - torch.mean(t, axes, True)
    total, rest = torch.sum(_squares(apart), axes, True), torch.sum(apart, axes, True)
    return (total - _squares(rest) / count) / (count - correction)


def _squares(t: torch.Tensor) -> torch.Tensor:
    return t.real * t.real + t.imag * t.imag if t.is_complex() else t * t


NAMES = ("sum", "prod", "mean", "max", "min", "all", "any", "var", "std", "norm1", "norm2", "logsumexp")
rows(*NAMES, out=True)(reduced)


@rows("count_nonzero")
def count_nonzero(call: Call, device: Device) -> Any:
    result, axes = _result(call)
    truth = carried(call.x.data) != 0
    t = torch.sum(truth, axes, bool(call.keepdims)) if axes else truth.to(torch.int64)
    return finished(call, t, device, result)


# --- cumulative reductions ---


@rows("cumulative_sum", "cumulative_prod", out=True)
def scanned(call: Call, device: Device) -> Any:
    """Return cumulative sums or products along an axis. If `reverse` is set, the scan begins at the end of the axis. If
    `exclusive` is set, each sum or product leaves out the element at its own index.
    """

    def ask() -> Any:
        found = front.with_stand_ins(call, front.image)
        axis = 0 if call.axis is None else _core.read_axes(call.name, call.axis, call.x.ndim)[0]
        return found.dtype, axis

    result, axis = front.kept("scan", call.replaced(out=None), ask)
    t = call.x.data.reshape(-1) if call.axis is None and call.x.ndim != 1 else call.x.data
    t = t if call.dtype is None else converted(t, TORCH[result])
    result = wider(call, result) or result
    there = TORCH[result]
    t = _working(t, there)
    t = t.to(torch.int64) if there is torch.bool else t  # a number other than 0 means True
    t = t.flip(axis) if call.reverse else t
    sums = call.record.called == "cumulative_sum"
    found = torch.cumsum(t, axis, dtype=t.dtype) if sums else torch.cumprod(t, axis, dtype=t.dtype)
    if call.exclusive or call.include_initial:
        shape = [*found.shape]
        shape[axis] = 1
        first = torch.full(shape, 0 if sums else 1, dtype=found.dtype, device=found.device)
        found = torch.cat([first, found], axis)
        if call.exclusive:
            found = found.narrow(axis, 0, found.shape[axis] - 1)
    found = found.flip(axis) if call.reverse else found
    return finished(call, found != 0 if there is torch.bool else found, device, result)


def fold_formula(reduction: str, formula: str, operands: Any, number: Any, axis: Any, keepdims: Any, dtype: Any) -> Any:
    """Reduce the values of a formula of the core (native/ops/formulas)."""
    made = getattr(_core, formula)(*operands, *(() if number is None else (number,)))
    return _core.reduce(made, reduction, axis, keepdims, dtype, None)


__all__ = ["FOLDS", "computed_type", "folded_axes", "reduced", "stored"]
