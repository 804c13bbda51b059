"""Sorting and searching on devices, and selection of greatest, nonzero and distinct elements."""

from __future__ import annotations

from typing import Any

import torch

from suanzi import _core
from suanzi.devices import front
from suanzi.devices.elementwise import _brought
from suanzi.devices.indexing import checked
from suanzi.devices.state import place_of
from suanzi.devices.table import finished, rows
from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import TORCH, as_bits, brought, carried, converted, ordered
from suanzi.kinds.call import Call
from suanzi.operators.index.sorting import TopK
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import bool_, int64

_INT64 = int64


def _axis(call: Call, ndim: int) -> int:
    return int(_core.read_axes(call.name, call.axis, max(ndim, 1))[0])


@rows("argmax", "argmin")
def extreme_place(call: Call, device: Device) -> Any:
    """Return the index of the first greatest or least element, or of the first NaN if an element is NaN."""
    front.small(call)
    t = ordered(call.x.data)
    greatest = call.record.called == "argmax"
    if call.axis is None:
        found = _first_extreme(t.reshape(-1), 0, greatest)
        found = found.reshape((1,) * t.ndim) if call.keepdims else found.reshape(())
    elif t.ndim == 0:
        found = torch.zeros((), dtype=torch.int64, device=t.device)
    else:
        axis = _axis(call, t.ndim)
        found = _first_extreme(t, axis, greatest)
        found = found if call.keepdims else found.squeeze(axis)
    return made(found, device, _INT64)


def _first_extreme(t: torch.Tensor, axis: int, greatest: bool) -> torch.Tensor:
    """Return the first index of the greatest or least element along an axis. PyTorch may return the index of any of
    several equal elements.
    """
    if not t.numel():  # the result is empty as well, and PyTorch refuses empty operands
        return torch.sum(t, axis, True, dtype=torch.int64)
    value = (torch.amax if greatest else torch.amin)(t, axis, True)
    there = t == value
    if t.is_floating_point():
        there = there | (torch.isnan(value) & torch.isnan(t))
    count = t.shape[axis]
    shape = [1] * t.ndim
    shape[axis] = count
    places = torch.arange(count, device=t.device).reshape(shape)
    return torch.amin(torch.where(there, places, count), axis, True)


def _sort_keys(t: torch.Tensor) -> list[torch.Tensor]:
    """Return the keys that order the elements, the most important key first."""
    if not t.is_complex():
        return [ordered(t)]
    wrong = torch.isnan(t.real) | torch.isnan(t.imag)
    return [t.real, t.imag] if not wrong.any() else [wrong.to(torch.uint8), t.real, t.imag]


def sorted_places(t: torch.Tensor, axis: int, descending: bool) -> torch.Tensor:
    """Return the indices that sort elements along an axis. The sort is stable, and NaN is greater than all numbers."""
    keys = _sort_keys(t)
    places = torch.sort(keys[-1], dim=axis, descending=descending, stable=True)[1]
    for key in keys[-2::-1]:
        again = torch.sort(torch.gather(key, axis, places), dim=axis, descending=descending, stable=True)[1]
        places = torch.gather(places, axis, again)
    return places


@rows("sort", "argsort", out=True)
def sort(call: Call, device: Device) -> Any:
    x = call.x
    dtype, _ = front.kept("sort", call.replaced(out=None), lambda: front.facts(front.with_stand_ins(call, front.image)))
    t = x.data.reshape(1) if x.ndim == 0 else x.data
    axis = _axis(call, t.ndim)
    places = sorted_places(t, axis, bool(call.descending)) if t.numel() else torch.zeros_like(t, dtype=torch.int64)
    if call.record.called == "argsort":
        return finished(call, places.reshape(x.shape), device, dtype)
    found = torch.gather(as_bits(t), axis, places).reshape(x.shape)
    return finished(call, found.view(x.data.dtype), device, dtype)


@rows("topk")
def topk(call: Call, device: Device) -> Any:
    """Return the greatest or least elements by a stable sort, which selects the first of equal elements."""
    x = call.x
    front.whole(call)
    t = x.data.reshape(1) if x.ndim == 0 else x.data
    axis = _axis(call, t.ndim)
    places = sorted_places(t, axis, bool(call.largest)).narrow(axis, 0, call.k)
    if not call.sorted:
        places = torch.sort(places, dim=axis)[0]
    values = torch.gather(as_bits(t), axis, places).view(x.data.dtype)
    shape = () if x.ndim == 0 and call.k == 1 else values.shape
    found: list[Any] = [
        made(values.reshape(shape), device, x.dtype),
        made(places.reshape(shape).clone(), device, _INT64),
    ]
    return TopK(*found)


@rows("searchsorted")
def searchsorted(call: Call, device: Device) -> Any:
    """Return, for each value, the number of sorted elements that are less than the value, or not greater than the value
    for the side "right". The elements and the values are converted to a common type.
    """
    ordered_, values, sorter = call.sorted, call.values, call.sorter
    stacked = ordered_.ndim > 1 and (type(values) is not DeviceTensor or values.shape[:-1] != ordered_.shape[:-1])
    if stacked or (sorter is not None and sorter.shape != ordered_.shape):
        front.with_stand_ins(call, front.spread)  # the call raises the error for shapes that do not fit
    front.whole(call)
    dtypes = [x.dtype for x in (ordered_, values) if type(x) is DeviceTensor]
    empties = [front.empty_of(dtype) for dtype in dtypes]
    if type(values) is not DeviceTensor:
        empties.append(values)
    common = _core.where(front.empty_of(bool_), *empties).dtype
    there = TORCH[common]
    line = converted(ordered_.data, there)
    if sorter is not None:
        at = checked(call, sorter.data, line.shape[-1], device)
        line = torch.gather(as_bits(line), -1, at).view(there)
    if type(values) is DeviceTensor:
        wanted = converted(values.data, there)
    else:
        found = _brought(values, there, place_of(device))
        assert found is not None
        wanted = found.view(there) if there is torch.uint64 else found.to(there)
    right = call.side == "right"
    if line.is_complex():
        found = _search_complex(_complex_keys(line), _complex_keys(wanted), right).reshape(wanted.shape)
    else:
        keys = [ranked(t).contiguous() for t in (line, wanted)]
        found = torch.searchsorted(*keys, right=right)
    return made(found, device, _INT64)


def ranked(t: torch.Tensor) -> torch.Tensor:
    """Return integers in the order of the elements. NaN is greater than all numbers and equal to itself."""
    if not t.is_floating_point():
        return ordered(t)
    wide = t if t.dtype is torch.float64 else t.to(torch.float32)
    bits = wide.view(torch.int64 if wide.dtype is torch.float64 else torch.int32)
    info = torch.iinfo(bits.dtype)
    return torch.where(torch.isnan(wide), info.max, torch.where(bits < 0, info.min - bits, bits))


def _complex_keys(t: torch.Tensor) -> list[torch.Tensor]:
    wrong = torch.isnan(t.real) | torch.isnan(t.imag)
    return [wrong.to(torch.int8), *(ranked(torch.where(wrong, 0.0, part)) for part in (t.real, t.imag))]


def _search_complex(line: list[torch.Tensor], wanted: list[torch.Tensor], right: bool) -> torch.Tensor:
    """Return the positions of `wanted` among the sorted keys `line` by counting, because PyTorch does not order complex
    numbers.
    """
    counted: Any = right
    for a, b in zip(reversed([k[..., None, :] for k in line]), reversed([k[..., None] for k in wanted]), strict=True):
        counted = (a < b) | ((a == b) & counted)
    return counted.sum(-1)


@rows("nonzero")
def nonzero(call: Call, device: Device) -> Any:
    """Return the indices of nonzero elements. The function waits for the device, because the shape of the result
    depends on the values.
    """
    x = call.x
    front.small(call)
    truth = carried(x.data) != 0
    found = torch.nonzero(truth)
    if not call.as_tuple:
        return made(found.T.contiguous().T, device, _INT64)
    columns = found.T.contiguous()
    return tuple([made(columns[i], device, _INT64) for i in range(x.ndim)])


@rows("masked_select")
def masked_select(call: Call, device: Device) -> Any:
    x, mask = call.x, call.mask
    front.check_broadcast(call, x, mask)
    front.small(call)
    place = place_of(device)
    truth = carried(mask.data) != 0 if type(mask) is DeviceTensor else torch.tensor(bool(mask), device=place)
    bits, truth = torch.broadcast_tensors(as_bits(x.data), truth)
    return made(bits[truth].view(x.data.dtype), device, x.dtype)


@rows("unique")
def unique(call: Call, device: Device) -> Any:
    """Return distinct values by a stable sort. The first occurrence in the tensor represents each value."""
    x = call.x
    front.small(call)
    if call.axis is None:
        flat = as_bits(x.data).reshape(-1).view(x.data.dtype)
        places = (
            sorted_places(flat, 0, False) if flat.numel() else torch.zeros(0, dtype=torch.int64, device=flat.device)
        )
        runs = as_bits(flat)[places].view(flat.dtype)
        same = _same(runs[1:], runs[:-1])
    else:
        axis = _core.read_axes(call.name, call.axis, x.ndim)[0]
        rows_ = (
            x.data.movedim(axis, 0)
            if x.data.dtype not in (torch.uint16, torch.uint32, torch.uint64)
            else (as_bits(x.data).movedim(axis, 0).view(x.data.dtype))
        )
        flat = rows_.reshape(rows_.shape[0], -1) if rows_.numel() else rows_.reshape(rows_.shape[0], 0)
        places = torch.arange(flat.shape[0], device=flat.device)
        for column in reversed(range(flat.shape[1])):
            line = as_bits(flat[:, column])[places].view(flat.dtype)
            places = places[sorted_places(line, 0, False)]
        runs = as_bits(flat)[places].view(flat.dtype)
        same = _same(runs[1:], runs[:-1]).all(-1)
    first = torch.cat([torch.ones(min(len(runs), 1), dtype=torch.bool, device=runs.device), ~same])
    groups = torch.cumsum(first, 0) - 1
    starts = torch.nonzero(first).reshape(-1)
    indices = places[starts]
    if call.axis is None:
        values = as_bits(flat)[indices].view(flat.dtype)
    else:
        values = as_bits(x.data).index_select(axis, indices).view(x.data.dtype)
    results = [made(values, device, x.dtype)]
    if call.return_index:
        results.append(made(indices, device, _INT64))
    if call.return_inverse:
        inverse = torch.empty_like(groups)
        inverse[places] = groups
        results.append(made(inverse.reshape(x.shape) if call.axis is None else inverse, device, _INT64))
    if call.return_counts:
        ends = torch.cat([starts[1:], torch.full((min(len(runs), 1),), len(runs), device=runs.device)])
        results.append(made(ends - starts, device, _INT64))
    return tuple(results) if len(results) > 1 else results[0]


def _same(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return whether elements are equal. NaN equals NaN."""
    a, b = carried(a), carried(b)
    return (a == b) | (torch.isnan(a) & torch.isnan(b)) if a.is_floating_point() or a.is_complex() else a == b


__all__ = ["brought", "sorted_places"]
