"""Fourier transforms and interpolation on devices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import nan
from typing import Any

import torch

from suanzi import _core
from suanzi.devices import front
from suanzi.devices.table import rows
from suanzi.devices.tensor import made
from suanzi.devices.types import HALVES, TORCH, as_bits, converted, stored
from suanzi.kinds.call import Call
from suanzi.operators.creation.matrices import eye
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import as_dtype

_DOUBLE = (torch.float64, torch.complex128)
_ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")


_TO_REAL = ("irfft", "hfft", "irfftn")


def _spoiled(call: Call, t: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Return True for the results of a transform that depend on an element that is not finite. PyTorch may return
    finite numbers where an element is not finite, because some of PyTorch's sums skip zero factors.
    """
    axes: Sequence[int]
    if "axis" in call.places:
        axes = _core.read_axes(call.name, call.axis, t.ndim)
    elif call.axes is not None:
        axes = _core.read_axes(call.name, call.axes, t.ndim)
    else:
        axes = _last(t.ndim, call.s)
    for axis in axes:
        count = shape[axis] // 2 + 1 if axis == axes[-1] else shape[axis]
        t = t.narrow(axis, 0, min(count, t.shape[axis]))
    return (~torch.isfinite(t)).any(dim=tuple(axes), keepdim=True) if len(axes) else ~torch.isfinite(t)


def _last(ndim: int, s: Any) -> Sequence[int]:
    """Return the axes of a transform if the call names no axes: all axes, or as many of the last axes as `s` has
    lengths.
    """
    return range(0 if s is None else ndim - (len(s) if isinstance(s, Sequence) else 1), ndim)


def _short(x: Any) -> Any:
    """Return a stand-in with the dimensions of `x`, each of at most two elements. A half-length transform needs two
    elements.
    """
    return _core.expand(front.one_of(x.dtype), tuple([min(n, 2) for n in x.shape]))


@rows(*_ONE_AXIS, *_SEVERAL)
def transformed(call: Call, device: Device) -> Any:
    """Return the result of PyTorch's transform of the same name. float16 and bfloat16 are computed in float32."""
    dtype, _ = front.kept("transform", call, lambda: front.facts(front.with_stand_ins(call, _short)))
    there = TORCH[dtype]
    name = call.record.called
    t = call.x.data
    double = there in _DOUBLE
    takes_complex = t.is_complex() or name in ("irfft", "hfft", "irfftn")
    kind = (
        (torch.complex128 if double else torch.complex64)
        if takes_complex
        else (torch.float64 if double else torch.float32)
    )
    t = converted(t, kind)
    if not t.numel():
        _, shape = front.whole(call)
        return made(torch.zeros(shape, dtype=there, device=t.device), device, dtype)  # the shape depends on `n`
    function = getattr(torch.fft, name)
    found = function(t, call.s, call.axes, call.norm) if name in _SEVERAL else function(t, call.n, call.axis, call.norm)
    if name in _TO_REAL:
        found = torch.where(_spoiled(call, t, found.shape), nan, found)
    return made(stored(converted(found, there), there).contiguous(), device, dtype)


# --- interpolation ---


@rows("interpolate")
def interpolated(call: Call, device: Device) -> Any:
    """Interpolate along one spatial axis after the other. The CPU determines the elements and weights of each
    result.
    """
    x = call.x
    spatial = x.ndim - 2
    sizes = front.kept("sizes", call, lambda: _sizes(call))
    t = x.data
    if call.mode in ("nearest", "nearest-exact"):
        bits = as_bits(t)
        for d in range(spatial):
            places = front.kept(f"places {d}", call, partial(_places, call, d))
            bits = bits.index_select(2 + d, torch.tensor(places, device=t.device))
        return made(bits.reshape((*x.shape[:2], *sizes)).clone().view(t.dtype), device, x.dtype)
    wide = t.to(torch.float64)
    for d in sorted(range(spatial), key=lambda d: sizes[d] / max(x.shape[2 + d], 1)):
        taps = front.kept(f"taps {d}", call, partial(_taps, call, d))
        if taps is not None and taps != ():
            wide = _weighed(wide, 2 + d, *taps)
    if t.dtype is torch.uint8:
        found = torch.round(wide).clamp(0, 255).to(torch.uint8)
    else:
        found = converted(wide, t.dtype) if t.dtype in HALVES else wide.to(t.dtype)
    if x.size and t.data_ptr() == found.data_ptr():
        found = found.clone()
    return made(found, device, x.dtype)


def _narrow(x: Any) -> Any:
    """Return a stand-in that has the spatial dimensions of `x`, and at most one batch member and channel."""
    shape = tuple([min(n, 1) for n in x.shape[:2]]) + x.shape[2:]
    return _core.expand(front.one_of(x.dtype), shape)


def _sizes(call: Call) -> tuple[int, ...]:
    _, shape = front.facts(front.with_stand_ins(call, _narrow))
    return shape[2:]  # type: ignore[no-any-return]


def _of_one_axis(call: Call, d: int, x: Any) -> Any:
    """Return the CPU's result for `x` of a call that interpolates only along spatial axis `d`. All other spatial axes
    have size 1 before and after the call.
    """
    spatial = call.x.ndim - 2
    named: dict[str, Any] = {"x": x}
    if call.size is not None:
        sizes = [call.size] * spatial if isinstance(call.size, int) else list(call.size)
        named["size"] = tuple([n if i == d else 1 for i, n in enumerate(sizes)])
    else:
        scales = call.scale_factor
        scales = list(scales) if isinstance(scales, (list, tuple)) else [scales] * spatial
        named["scale_factor"] = tuple([s if i == d else 1.0 for i, s in enumerate(scales)])
    return call.builtin(*call.replaced(**named))


def _line(call: Call, d: int, x: Any, count: int) -> Any:
    shape = [count, 1] + [1] * (call.x.ndim - 2)
    shape[2 + d] = call.x.shape[2 + d]
    return _core.reshape(x, tuple(shape))


def _places(call: Call, d: int) -> list[int]:
    """Return the index of the element that each result along an axis copies."""
    n = call.x.shape[2 + d]
    dtype = "float64" if call.x.dtype.name == "float64" else "float32"
    exact = n < 1 << 24 or dtype == "float64"
    numbers = _core.arange(0, n, 1, as_dtype(dtype if exact else "int64"), None)
    found = _of_one_axis(call, d, _line(call, d, numbers, 1))
    return [int(place) for place in _core.tolist(_core.reshape(found, (-1,)))]


def _taps(call: Call, d: int) -> Any:
    """Return the elements along an axis that contribute to each result, and the weights, or () if the axis is
    unchanged.
    """
    import numpy as np

    n = call.x.shape[2 + d]
    dtype = "float64" if call.x.dtype.name == "float64" else "float32"
    unit = eye(n, None, dtype=as_dtype(dtype), device=CPU)
    weights = _of_one_axis(call, d, _line(call, d, unit, n)).numpy().reshape(n, -1).T.astype(np.float64)
    if weights.shape == (n, n) and np.array_equal(weights, np.eye(n)):
        return ()
    taken = weights != 0
    first = np.where(taken.any(1), taken.argmax(1), 0)
    last = np.where(taken.any(1), n - 1 - taken[:, ::-1].argmax(1), 0)
    width = int((last - first).max()) + 1 if len(first) else 1
    places = np.minimum(first[:, None] + np.arange(width), max(n - 1, 0))
    inside = first[:, None] + np.arange(width) < n
    return places, np.where(inside, np.take_along_axis(weights, places, 1), 0.0)


def _weighed(t: torch.Tensor, axis: int, places: Any, weights: Any) -> torch.Tensor:
    """Return weighted sums of elements. Elements of weight 0 do not contribute, even if the elements are not finite."""
    at, by = torch.tensor(places, device=t.device), torch.tensor(weights, device=t.device)
    total: Any = None
    shape = [1] * t.ndim
    shape[axis] = by.shape[0]
    for k in range(by.shape[1]):
        weight = by[:, k].reshape(shape)
        part = t.index_select(axis, at[:, k])
        term = torch.where(weight == 0, torch.zeros_like(part), part * weight)
        total = term if total is None else total + term
    return total
