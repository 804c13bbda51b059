"""Indexing on devices, and reading and writing by index tensors.

No unchecked index reaches PyTorch, because a wrong index would destroy a device's context. `state` records wrong
indices, and valid indices replace wrong indices in the call.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import Any, NamedTuple

import numpy as np
import torch

from suanzi import _core
from suanzi.devices import front
from suanzi.devices.creation import check_fits
from suanzi.devices.movement import forwards, moved, viewed
from suanzi.devices.state import state_of
from suanzi.devices.table import check_place, finished, rows, wider
from suanzi.devices.tensor import DeviceTensor, from_cpu, made
from suanzi.devices.types import HALVES, TORCH, as_bits, carried, converted, number, ordered, stored
from suanzi.kinds.call import Call
from suanzi.operators.creation.filled import empty
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import int64
from suanzi.tensor.exchange import source
from suanzi.tensor.status import DimensionsMismatchError, SuanziError, TypeMismatchError


def checked(call: Call, index: torch.Tensor, extent: int, device: Device) -> torch.Tensor:
    """Return indices counted from 0 within an extent. Wrong indices are recorded as errors and replaced by valid
    indices.
    """
    at = index.view(torch.int64) if index.dtype is torch.uint64 else carried(index).to(torch.int64)
    wrong = (at >= extent) | (at < (0 if index.dtype is torch.uint64 else -extent))
    state_of(device).note(call.name, wrong.any())
    return torch.where(at < 0, at + extent, at).clamp(0, max(extent - 1, 0))


def index_of(call: Call, index: Any, extent: int, device: Device) -> torch.Tensor:
    """Return an index argument as indices on the device, counted from 0. The function checks the indices of a device
    tensor. The CPU has already checked host integers.
    """
    if type(index) is DeviceTensor:
        return checked(call, index.data, extent, device)
    at = np.asarray(index).astype(np.int64)
    return torch.from_numpy(np.where(at < 0, at + extent, at)).to(state_of(device).place)


def _axis(call: Call, ndim: int) -> int:
    """Return the axis of a call. If the axis is wrong, the CPU may report another error of the call first."""
    try:
        return _core.read_axis(call.name, call.axis, ndim)
    except SuanziError as error:
        raise front.complaint(call) or error from None


@rows("gather", "take", "index_select", "gather_tiled")
def taken(call: Call, device: Device) -> Any:
    """Return slices along an axis. The dimensions of the index replace the axis."""
    x, index = call[0], call[1]
    t = as_bits(x.data)
    t, axis = (t.reshape(-1), 0) if call.axis is None and call.record.called == "take" else (t, _axis(call, t.ndim))
    further: dict[str, Any] = {"axis": axis}
    if call.record.called == "gather_tiled":  # a tile has as many dimensions as the result
        further["tile"] = (*(call.tile if isinstance(call.tile, (list, tuple)) else (call.tile,)), 1)
    front.deeper(call.replaced(x=made(t.view(x.data.dtype), device, x.dtype)), "x", **further)
    at = index_of(call, index, t.shape[axis], device)
    shape = (*t.shape[:axis], *at.shape, *t.shape[axis + 1 :])
    return moved(call, torch.index_select(t, axis, at.reshape(-1)).reshape(shape), device, x.dtype)


@rows("take_along_axis")
def taken_along(call: Call, device: Device) -> Any:
    x, indices = call.x, call.indices
    t = as_bits(x.data)
    axis = _axis(call, t.ndim)
    front.deeper(call, "x", "indices", axis=axis)
    at = index_of(call, indices, t.shape[axis], device)
    shape = list(torch.broadcast_shapes(*[(*s[:axis], 1, *s[axis + 1 :]) for s in (t.shape, at.shape)]))
    sizes = [(*shape[:axis], s[axis], *shape[axis + 1 :]) for s in (t.shape, at.shape)]
    return moved(call, torch.gather(t.expand(sizes[0]), axis, at.expand(sizes[1])), device, x.dtype)


@rows("gather_nd")
def gathered(call: Call, device: Device) -> Any:
    x, indices = call.x, call.indices
    front.deeper(call, "x")
    t = as_bits(x.data)
    shared, depth = call.batch_dims, indices.shape[-1]
    key: list[torch.Tensor] = []
    for i in range(shared):
        sizes = [1] * (indices.ndim - 1)
        sizes[i] = t.shape[i]
        key.append(torch.arange(t.shape[i], device=t.device).reshape(sizes))
    key += [checked(call, indices.data[..., i], t.shape[shared + i], device) for i in range(depth)]
    shape = (*indices.shape[:-1], *t.shape[shared + depth :])
    found = t[tuple(key)] if key and any(k.ndim for k in key) else t[tuple([k.reshape(1) for k in key])] if key else t
    return moved(call, found.expand(shape) if not key else found.reshape(shape), device, x.dtype)


# --- updates ---

_REDUCED = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}


def combined(t: torch.Tensor, axis: int, at: torch.Tensor, updates: torch.Tensor, mode: str) -> torch.Tensor:
    """Return the elements of `t`, combined by `mode` with `updates` at the indices `at` along an axis. `updates` has
    the shape of `at` and the type of `t`.
    """
    if mode == "update":
        places = torch.arange(at.numel(), device=t.device).reshape(at.shape)
        last = torch.full(t.shape, -1, dtype=torch.int64, device=t.device)
        last = last.scatter_reduce(axis, at, places, "amax")
        bits, given = as_bits(t), as_bits(updates).reshape(-1)
        if not given.numel():
            return t.clone()
        return torch.where(last >= 0, given[last.clamp(min=0)], bits).view(t.dtype)
    if t.dtype is torch.bool:
        truth = t.to(torch.uint8).scatter_reduce(
            axis, at, updates.to(torch.uint8), "amax" if mode in ("add", "max") else "amin"
        )
        return truth.to(torch.bool)
    if mode in ("min", "max"):
        found = ordered(t).scatter_reduce(axis, at, ordered(updates), _REDUCED[mode])
        return (
            (found ^ torch.iinfo(torch.int64).min).view(t.dtype) if t.dtype is torch.uint64 else stored(found, t.dtype)
        )
    wide = _wide(t)
    found = (
        wide.scatter_reduce(axis, at, _wide(updates), _REDUCED[mode])
        if mode == "mul"
        else wide.scatter_add(axis, at, _wide(updates))
    )
    return stored(found, t.dtype)


def _wide(t: torch.Tensor) -> torch.Tensor:
    """Return the elements in the type in which updates are added and multiplied. float32, complex64, float16 and
    bfloat16 elements are converted to a wider type, so that results are rounded once.
    """
    if t.dtype in HALVES or t.dtype is torch.float32:
        return t.to(torch.float64)
    return t.to(torch.complex128) if t.is_complex() else carried(t)


def _operands(call: Call, shape: tuple[int, ...], device: Device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the elements of the call's operand and the updates, expanded to `shape`, in the type of the computation.
    The updates are converted to the type of the elements first.
    """
    there, given = call.x.data.dtype, call.updates
    if type(given) is DeviceTensor:
        updates = converted(given.data, there)
    else:
        updates = stored(number(given, there, state_of(device).place), there)
    working = TORCH[wider(call, call.x.dtype) or call.x.dtype]
    return converted(call.x.data, working), converted(updates, working).expand(shape)


@rows("scatter", out=True)
def scattered(call: Call, device: Device) -> Any:
    x = call.x
    axis = _axis(call, x.ndim)
    front.deeper(call, "x", "index", "updates", axis=axis)
    at = checked(call, call[1].data, x.shape[axis], device)
    data, updates = _operands(call, tuple(at.shape), device)
    return finished(call, combined(data, axis, at, updates, call.mode), device, x.dtype)


@rows("scatter_nd", out=True)
def scattered_nd(call: Call, device: Device) -> Any:
    """Scatter by index tuples. The dimensions that the tuples address become one dimension."""
    x, indices = call.x, call.indices
    front.deeper(call, "x", "updates")
    depth = indices.shape[-1]
    sizes, rest = x.shape[:depth], x.shape[depth:]
    at = torch.zeros(indices.shape[:-1], dtype=torch.int64, device=x.data.device)
    for i, extent in enumerate(sizes):
        at = at * extent + checked(call, indices.data[..., i], extent, device)
    data, updates = _operands(call, (*indices.shape[:-1], *rest), device)
    count, width = at.numel(), prod(rest)
    wide = at.reshape(count, 1).expand(count, width)
    lines = data.reshape(prod(sizes), width)
    found = combined(lines, 0, wide, updates.reshape(count, width), call.mode)
    return finished(call, found.reshape(x.shape), device, x.dtype)


def reversed_lengths(call: Call, device: Device) -> Any:
    """Reverse the first elements of each batch member. `lengths` has the number of reversed elements of each member."""
    x = call.x
    front.whole(call)
    axis, batch = (_core.read_axes(call.name, a, x.ndim)[0] for a in (call.axis, call.batch_axis))
    lengths = call.lengths
    n = x.shape[axis]
    if type(lengths) is DeviceTensor:
        given = carried(lengths.data).to(torch.int64)
        state_of(device).note(call.name, ((given < 0) | (given > n)).any())
    else:
        given = torch.as_tensor(np.asarray(lengths).astype(np.int64)).to(x.data.device)
    sizes = [1] * x.ndim
    sizes[batch] = x.shape[batch]
    given = given.clamp(0, n).reshape(sizes)
    line = [1] * x.ndim
    line[axis] = n
    places = torch.arange(n, device=x.data.device).reshape(line)
    at = torch.where(places < given, given - 1 - places, places).expand(x.shape)
    return moved(call, torch.gather(as_bits(x.data), axis, at), device, x.dtype)


# --- keys ---

_BASIC = (int, slice, type(None), type(Ellipsis), np.integer)


class _Plan(NamedTuple):
    """A key in the form of a view of the indexed tensor, and the indices along each dimension of the view."""

    t: torch.Tensor
    indices: tuple[Any, ...]
    single: bool  # True if no index has dimensions, in which case the plan adds one dimension
    shape: tuple[int, ...]  # the shape of the selection


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _with_numbers(key: Any) -> Any:
    """Return the key with Python numbers in place of tensors that bound slices of the key."""
    if isinstance(key, tuple):
        return tuple(map(_with_numbers, key))
    if not isinstance(key, slice):
        return key
    return slice(*[int(x) if type(x) is DeviceTensor else x for x in (key.start, key.stop, key.step)])


def _is_basic_part(part: Any) -> bool:
    return isinstance(part, _BASIC) and type(part) is not bool


def _is_basic(key: Any) -> bool:
    return all(map(_is_basic_part, _parts(key)))


def _host_or_device(part: Any, device: Device) -> Any:
    """Return a part of a key with indices on the device, copied from the host if necessary. Integers, slices, None and
    ``...`` stay unchanged, like parts that the CPU refuses.
    """
    if type(part) is DeviceTensor or _is_basic_part(part):
        return part
    if not isinstance(part, (bool, list, tuple, range)) and not hasattr(part, "__array__"):
        return part
    found, is_typed = source(list(part) if isinstance(part, range) else part, "index")
    if not (found.size or is_typed):  # an empty list has no element type
        found = _core.astype(found, "int64", True)
    return from_cpu(found, device) if found.dtype.kind in "biu" else part


def _is_mask(part: Any) -> bool:
    return type(part) is DeviceTensor and part.data.dtype is torch.bool


def _dimensions(part: Any) -> int:
    """Return the number of dimensions that a part of a key addresses."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if _is_mask(part) else 1


def _masks_fit(x: DeviceTensor, parts: list[Any]) -> bool:
    """Return whether the masks of a key have the sizes of the dimensions that the masks address. A mask of size 0 fits
    a dimension of any size.
    """
    at, rest = 0, x.ndim - sum(map(_dimensions, parts))
    for part in parts:
        if _is_mask(part):
            there = x.shape[at : at + part.ndim]
            if len(there) < part.ndim or any(n not in (0, m) for n, m in zip(part.shape, there, strict=True)):
                return False
        at += rest if part is Ellipsis else _dimensions(part)
    return True


def _chosen(part: Any) -> tuple[torch.Tensor, ...] | None:
    """Return the indices of the elements that a mask selects, or None for any other part of a key. The only index of a
    mask without dimensions lies along a new dimension.
    """
    if not _is_mask(part):
        return None
    found: tuple[torch.Tensor, ...] = (part.data if part.ndim else part.data.reshape(1)).nonzero(as_tuple=True)
    return found


def _selected(call: Call, x: DeviceTensor, parts: list[Any], chosen: list[Any]) -> tuple[int, ...]:
    """Return the shape of the selection of a key, or raise the CPU's error for the key.

    The CPU selects from a tensor that has a further dimension of size 0, so that the CPU moves no elements. Stand-ins
    for the masks' indices replace the masks.
    """
    given = _parts(call.key)
    fit = _masks_fit(x, parts)

    def ask() -> tuple[int, ...]:
        key: list[Any] = []
        for original, part, indices in zip(given, parts, chosen, strict=True):
            if indices is None or not fit:
                key.append(front.spread(original) if type(original) is DeviceTensor else original)
            elif part.ndim:
                key += [_core.expand(front.one_of(int64), tuple(index.shape)) for index in indices]
            else:
                key.append(bool(indices[0].numel()))
        if fit:
            more = (slice(None),) if any(part is Ellipsis for part in key) else (Ellipsis, slice(None))
            with suppress(SuanziError):  # the call below raises the error for the true shape
                whole = empty((*x.shape, 0), dtype=x.dtype, device=CPU)
                return whole[(*key, *more)].shape[:-1]
        return front.spread(x)[tuple(key)].shape

    counts = tuple([None if indices is None else indices[0].numel() for indices in chosen])
    return front.kept("key", _reading(call), ask, counts, fit)  # type: ignore[no-any-return]


def _planned(call: Call, x: DeviceTensor, device: Device) -> _Plan:
    """Return the plan of the call's key: the view that the key's slices make, and the key's indices."""
    parts = [_host_or_device(part, device) for part in _parts(call.key)]
    chosen = list(map(_chosen, parts))
    selected = _selected(call, x, parts, chosen)
    used = sum(map(_dimensions, parts))
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
        chosen.append(None)
    t, at = as_bits(x.data), 0
    indices: list[Any] = []
    for part, found in zip(parts, chosen, strict=True):
        if part is None:
            t = t.unsqueeze(at)
            indices.append(None)
        elif part is Ellipsis:
            indices += [None] * (x.ndim - used)
        elif isinstance(part, slice):
            t = _sliced(call, t, at, part)
            indices.append(None)
        elif found is not None:
            t = t if part.ndim else t.unsqueeze(at)
            indices += found
        elif type(part) is DeviceTensor:
            indices.append(checked(call, part.data, t.shape[at], device))
        else:
            indices.append(torch.tensor(int(part) % t.shape[at], device=t.device))
        at = len(indices)
    given = [index for index in indices if index is not None]
    single = all(index.ndim == 0 for index in given)
    whole = tuple([slice(None) if i is None else i.reshape(1) if i.ndim == 0 else i for i in indices])
    return _Plan(t, whole, single, selected)


def _sliced(call: Call, t: torch.Tensor, axis: int, part: slice) -> torch.Tensor:
    start, stop, step = part.indices(t.shape[axis])
    count = len(range(start, stop, step))
    if step > 0:
        return t.narrow(axis, start if count else 0, max(stop - start, 0) if count else 0)[
            (slice(None),) * axis + (slice(None, None, step),)
        ]
    if call.record.called == "__setitem__":
        raise TypeMismatchError("index: a slice with a negative step beside indices is not assigned on devices")
    return t.flip(axis)[(slice(None),) * axis + (slice(t.shape[axis] - 1 - start, None, -step),)].narrow(axis, 0, count)


@rows("__getitem__")
def item(call: Call, device: Device) -> Any:
    call = call.replaced(key=_with_numbers(call.key))
    x = call.x
    if _is_basic(call.key):
        return viewed(x, front.view(call, x))
    plan = _planned(call, x, device)
    return made(plan.t[plan.indices].reshape(plan.shape).view(x.data.dtype), device, x.dtype)


def _is_apart(indices: tuple[Any, ...]) -> bool:
    """Return whether slices lie between indices. If slices lie between indices, the indices' dimensions come first in
    the result.
    """
    places = [i for i, index in enumerate(indices) if not isinstance(index, slice)]
    return places[-1] - places[0] + 1 != len(places)


@rows("__setitem__")
def assigned(call: Call, device: Device) -> None:
    call = call.replaced(key=_with_numbers(call.key))
    x = call.x
    check_place("index", x, x.shape)
    if _is_basic(call.key):
        how = front.view(_reading(call), x)
        shape = x.shape if how == () else how.shape
        value = as_bits(_value(call, shape, device))
        if how == ():
            as_bits(x.data).copy_(value)
            return
        backwards = [axis for axis, stride in enumerate(how.strides) if stride < 0]
        target = as_bits(forwards(x.data, how, backwards))
        target.copy_(value.flip(backwards) if backwards else value)
        return
    plan = _planned(call, x, device)
    value = as_bits(_value(call, plan.shape, device))
    if plan.single:
        place = next(i for i, index in enumerate(plan.indices) if not isinstance(index, slice))
        value = value.unsqueeze(0 if _is_apart(plan.indices) else place)
    _write(plan, value)


def _write(plan: _Plan, value: torch.Tensor) -> None:
    """Write `value` into the elements that a plan selects. The last of several values for one element stays."""
    if not value.numel():
        return
    if not any(stride for stride, extent in zip(value.stride(), value.shape, strict=True) if extent > 1):
        plan.t[plan.indices] = value[(0,) * value.ndim]
        return
    places = torch.arange(plan.t.numel(), device=plan.t.device).reshape(plan.t.shape)[plan.indices].reshape(-1)
    order = torch.arange(places.numel(), device=plan.t.device)
    last = torch.full((plan.t.numel(),), -1, dtype=torch.int64, device=plan.t.device)
    last = last.scatter_reduce(0, places, order, "amax").reshape(plan.t.shape)
    plan.t.copy_(torch.where(last >= 0, value.reshape(-1)[last.clamp(min=0)], plan.t))


def _reading(call: Call) -> Call:
    """Return the call that reads the elements that the call `call` reads or assigns."""
    from suanzi.kinds.call import call_of

    return call_of("__getitem__", (call.x, call.key))


def _value(call: Call, shape: tuple[int, ...], device: Device) -> torch.Tensor:
    """Return the assigned value in the type of the target, expanded to the shape of the selection. Raise the CPU's
    errors for values that the type cannot hold, and for shapes that do not broadcast.
    """
    x, value = call.x, call.value
    if type(value) is DeviceTensor:
        if x.dtype.kind in "iu":
            check_fits("index", value, x.dtype)
        elif value.dtype is not x.dtype:  # the assignment on the CPU raises the errors for types
            empty((0,), dtype=x.dtype, device=CPU)[...] = front.empty_of(value.dtype)
        found = converted(value.data, x.data.dtype)
        if found.untyped_storage().data_ptr() == x.data.untyped_storage().data_ptr():
            found = found.clone()
    else:
        held = empty(source(value, "index")[0].shape, dtype=x.dtype, device=CPU)
        held[...] = value
        found = from_cpu(held, device).data
    while found.ndim > len(shape) and found.shape[0] == 1:
        found = found[0]
    given = tuple(found.shape)
    pairs = zip(reversed(given), reversed(shape), strict=False)
    if len(given) > len(shape) or any(n not in (1, m) for n, m in pairs):
        raise DimensionsMismatchError(f"index: shape {given} does not broadcast to {shape}")
    return found.expand(shape)


__all__ = ["checked", "combined", "index_of", "reversed_lengths"]
