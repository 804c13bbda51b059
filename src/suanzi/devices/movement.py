"""Views of tensors on devices, and operators that move elements."""

from __future__ import annotations

from typing import Any

import torch

from suanzi import _core
from suanzi.devices import errors, front
from suanzi.devices.parts import part
from suanzi.devices.platforms import same
from suanzi.devices.state import place_of
from suanzi.devices.table import TABLE, check_place, finished, laid, rows
from suanzi.devices.tensor import DeviceTensor, from_cpu, has_gaps, in_order, made, moved_to, order_of, to_cpu
from suanzi.devices.types import TORCH, as_bits, carried, converted, number, stored
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device, device_of
from suanzi.tensor.dtypes import DType, as_dtype, string
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError

# --- views ---


def viewed(x: DeviceTensor, how: Any) -> Any:
    """Return a view of `x` with the layout `how`, or a copy if a stride is negative, because PyTorch has no negative
    strides.
    """
    if how == ():
        return x
    if isinstance(how, list):
        return [viewed(x, part) for part in how]
    data, device = x.data, x.device
    backwards = [axis for axis, stride in enumerate(how.strides) if stride < 0]
    if not backwards:
        result = made(data.as_strided(how.shape, how.strides, data.storage_offset() + how.offset), device, x.dtype)
    else:
        result = made(as_bits(forwards(data, how, backwards)).flip(backwards).view(data.dtype), device, x.dtype)
    if how.order is not None:
        result._order = how.order
    return result


def forwards(data: torch.Tensor, how: Any, backwards: list[int]) -> torch.Tensor:
    """Return the view of `data` that has the layout `how` with the dimensions `backwards` reversed, so that no stride
    is negative.
    """
    offset = data.storage_offset()
    if 0 not in how.shape:  # a view without elements may begin anywhere
        offset += how.offset + sum(how.strides[axis] * (how.shape[axis] - 1) for axis in backwards)
    bits = as_bits(data)
    strides = [abs(stride) for stride in how.strides]
    return bits.as_strided(how.shape, strides, offset).view(data.dtype)


_VIEWS = ("diagonal", "split", "unstack", "slice", "crop", "flip", "rot90", "moveaxis", "swapaxes", "expand_dims")
_MORE_VIEWS = ("squeeze", "transpose", "permute_dims", "matrix_transpose", "expand", "broadcast_to")


@rows(*_VIEWS, *_MORE_VIEWS)
def as_on_the_cpu(call: Call, device: Device) -> Any:
    """Return a view with the layout that the CPU's view of a stand-in has."""
    found = viewed(call.x, front.view(call, call.x))
    return tuple(found) if isinstance(found, list) else found


@rows("broadcast_arrays", "broadcast_tensors", "meshgrid")
def broadcast(call: Call, device: Device) -> Any:
    shapes = front.kept("shapes", call, lambda: front.facts(front.with_stand_ins(call, front.spread)))
    tensors = call.tensors
    if call.record.called != "meshgrid":
        return tuple([made(x.data.expand(s), device, x.dtype) for x, (_, s) in zip(tensors, shapes, strict=True)])
    found = []
    for i, (x, (_, shape)) in enumerate(zip(tensors, shapes, strict=True)):
        axis = 1 - i if call.indexing == "xy" and i < 2 and len(tensors) > 1 else i
        sizes = [1] * len(shape)
        sizes[axis] = x.size
        found.append(made(x.data.reshape(sizes).expand(shape), device, x.dtype))
    return tuple(found)


@rows("reshape", "flatten")
def reshaped(call: Call, device: Device) -> Any:
    """Return a view if the strides allow a view, or else a copy, as PyTorch's reshape does."""
    x = call.x

    def ask() -> Any:
        rows_of_it = front.rows_of(x.shape, torch.empty(x.shape, device="meta").stride())
        return front.with_stand_ins(call, lambda given: rows_of_it).shape

    shape = front.kept("shape", call, ask)
    t = as_bits(x.data).reshape(shape)
    return made(t.view(x.data.dtype), device, x.dtype)


@rows("contiguous")
def contiguous(call: Call, device: Device) -> Any:
    x = call.x
    return x if x.data.is_contiguous() else made(as_bits(x.data).contiguous().view(x.data.dtype), device, x.dtype)


@rows("is_contiguous")
def is_contiguous(call: Call, device: Device) -> bool:
    return bool(call.x.data.is_contiguous())


@rows("reverse")
def reverse(call: Call, device: Device) -> Any:
    """Reverse elements along axes. With `lengths`, reverse only the given number of first elements of each batch
    member.
    """
    if call.lengths is None:
        return viewed(call.x, front.view(call, call.x))
    from suanzi.devices.indexing import reversed_lengths

    return reversed_lengths(call, device)


@rows("T", "mT")
def attribute(call: Call, device: Device) -> Any:
    return getattr(call.x, call.name)


# --- copies ---


@rows("clone")
def clone(call: Call, device: Device) -> Any:
    x = call.x
    found = made(as_bits(x.data).clone().view(x.data.dtype), device, x.dtype)
    if has_gaps(x.data):
        return laid(call, found)
    if x.size < 2 or 1 in x.shape:
        found._order = order_of(x)
    return found


@rows("destroy")
def destroy(call: Call, device: Device) -> None:
    call.x._end()


@TABLE.rows("to_device", several=True)
def to_device(call: Call) -> Any:
    """Copy a tensor between two devices, or between a device and the CPU."""
    return errors.guarded_part(call.name, _to_device, (call,))


def _to_device(call: Call) -> Any:
    if type(call.x) is DeviceTensor:
        return moved_to(call.x, call.device, call.stream)
    if call.stream is not None:
        raise InvalidArgumentError(
            f"to_device: stream {shown(call.stream)} is not None; PyTorch's current stream is used"
        )
    return from_cpu(call.x, same(device_of(call.device, call.name), call.name))


@rows("astype")
def astype(call: Call, device: Device) -> Any:
    x, dtype = call.x, as_dtype(call.dtype, call.name)
    _core.read_truth(call.name, "copy", call.copy)
    if dtype is string:
        raise TypeMismatchError(f"{call.name}: strings exist on the CPU only, and the tensor is on {device}")
    if dtype is x.dtype:
        return _core.clone(x) if call.copy else x
    front.small(call)  # the call raises the CPU's errors
    return laid(call, made(converted(x.data, TORCH[dtype]), device, dtype))


# --- elements in other places ---


def moved(call: Call, t: torch.Tensor, device: Device, dtype: DType) -> Any:
    """Return the moved bits `t` as a tensor of type `dtype`, or write the bits into `out`."""
    return finished(call, t.view(TORCH[dtype]) if t.dtype is not TORCH[dtype] else t, device, dtype)


@rows("concat", "stack", out=True)
def joined(call: Call, device: Device) -> Any:
    tensors = list(call.tensors)
    rest = call.replaced(tensors=tensors)
    dtype, shape = front.kept("join", rest.replaced(out=None), lambda: _joined_facts(rest))
    there = TORCH[dtype]
    parts = [as_bits(converted(x.data, there)) for x in tensors]
    if call.record.called == "stack":
        axis = _core.read_axes(call.name, call.axis, len(shape))[0]
        return moved(call, torch.stack(parts, axis), device, dtype)
    if call.axis is None:
        return moved(call, torch.cat([part.reshape(-1) for part in parts]), device, dtype)
    axis = _core.read_axes(call.name, call.axis, len(shape))[0]
    return moved(call, torch.cat(parts, axis), device, dtype)


def _joined_facts(call: Call) -> Any:
    if not front.is_large(call):
        return front.facts(front.with_stand_ins(call, front.spread))
    dtype, rule = front.with_stand_ins(call, front.image).dtype, call.record.shape
    shape = rule(call) if rule else ()
    if shape is None and call.axis is not None:
        front.with_stand_ins(call, front.spread)  # the call raises the error for shapes that do not fit
    return dtype, shape


@rows("tile", "repeat", "roll", "fftshift", "ifftshift", "tril", "triu")
def placed_elsewhere(call: Call, device: Device) -> Any:
    """Apply an operator that only moves or repeats the elements of one operand. The elements are moved as bits."""
    x = call.x
    if front.whole(call) is None:
        _check_large(call)
    t = as_bits(x.data)
    return moved(call, _MOVES[call.record.called](call, t), device, x.dtype)


def _check_large(call: Call) -> None:
    """Raise the CPU's error for a call with a large operand. The counts of `repeat` depend on the operand's sizes."""
    if call.record.called != "repeat":
        front.small(call)
    elif call.axis is None:
        front.deeper(call.replaced(x=_core.reshape(call.x, (-1,))), "x", axis=0)
    else:
        front.deeper(call, "x", axis=_core.read_axes(call.name, call.axis, call.x.ndim)[0])


def _tile(call: Call, t: torch.Tensor) -> torch.Tensor:
    repetitions = call.repetitions
    return torch.tile(t, (repetitions,) if isinstance(repetitions, int) else tuple(repetitions))


def _repeat(call: Call, t: torch.Tensor) -> torch.Tensor:
    repeats = call.repeats
    if type(repeats) is DeviceTensor:
        repeats = carried(repeats.data).to(torch.int64)
        if repeats.numel() and (least := int(repeats.amin())) < 0:
            raise InvalidArgumentError(f"{call.name}: {least} is a negative number of repetitions")
        if repeats.numel() == 1:
            repeats = int(repeats.item())
    elif not isinstance(repeats, int):
        repeats = torch.tensor(list(repeats), dtype=torch.int64, device=t.device)
        repeats = int(repeats[0]) if len(repeats) == 1 else repeats
    flat = t.reshape(-1) if call.axis is None else t
    axis = 0 if call.axis is None else _core.read_axes(call.name, call.axis, t.ndim)[0]
    return torch.repeat_interleave(flat, repeats, dim=axis)


def _roll(call: Call, t: torch.Tensor) -> torch.Tensor:
    shifts = call.shift if isinstance(call.shift, (list, tuple)) else (call.shift,)
    if call.axis is None:
        return torch.roll(t.reshape(-1), sum(shifts)).reshape(t.shape)
    axes = call.axis if isinstance(call.axis, (list, tuple)) else (call.axis,)
    longest = max(len(shifts), len(axes))
    shifts, axes = (tuple(p) * (longest if len(p) == 1 else 1) for p in (shifts, axes))
    for shift, axis in zip(shifts, axes, strict=True):
        if t.shape[axis]:
            t = torch.roll(t, int(shift) % t.shape[axis], axis)
    return t.clone() if t.numel() == 0 else t


def _shift(sign: int) -> Any:
    def shift(call: Call, t: torch.Tensor) -> torch.Tensor:
        axes = range(t.ndim) if call.axes is None else _core.read_axes(call.name, call.axes, t.ndim)
        t = t.clone()
        for axis in axes:
            n = t.shape[axis]
            t = torch.roll(t, n // 2 if sign > 0 else -(n // 2), axis) if n else t
        return t

    return shift


_MOVES: dict[str, Any] = {
    "tile": _tile,
    "repeat": _repeat,
    "roll": _roll,
    "fftshift": _shift(1),
    "ifftshift": _shift(-1),
    "tril": lambda call, t: torch.tril(t, call.k),
    "triu": lambda call, t: torch.triu(t, call.k),
}


@rows("diag")
def diag(call: Call, device: Device) -> Any:
    """Return a matrix of zeros with a vector on a diagonal, or a copy of a diagonal."""
    x = call.x
    front.whole(call)
    return moved(call, torch.diag(as_bits(x.data), call.offset).clone(), device, x.dtype)


@rows("masked_fill", out=True)
def masked_fill(call: Call, device: Device) -> Any:
    """Return the elements of the operand, replaced by the value where the mask is True, in the type of the operand.

    The host reads a value of another type from the device, because the value may not fit the operand's type.
    """
    if type(call.value) is DeviceTensor:
        if call.value.ndim:
            front.with_stand_ins(call, front.spread)  # the call raises the error for a value with dimensions
        if call.value.dtype is not call.x.dtype:
            call = call.replaced(value=call.value.item())
    x, mask, value = call.x, call.mask, call.value
    front.check_broadcast(call, x, mask)
    dtype, _ = front.kept("fill", call.replaced(out=None), lambda: front.facts(front.with_stand_ins(call, front.image)))
    there, place = TORCH[dtype], place_of(device)
    truth = carried(mask.data) != 0 if type(mask) is DeviceTensor else torch.tensor(bool(mask), device=place)
    filler = converted(value.data, there) if type(value) is DeviceTensor else stored(number(value, there, place), there)
    t = torch.where(truth, as_bits(filler), as_bits(converted(x.data, there)))
    return moved(call, t, device, dtype)


def _reflected(n: int, before: int, after: int, mode: str, place: torch.device) -> torch.Tensor:
    """Return the index of the element at each position of a padded dimension."""
    at = torch.arange(-before, n + after, device=place)
    if mode in ("edge", "replicate"):
        return at.clamp(0, max(n - 1, 0))
    if mode in ("wrap", "circular"):
        return at % max(n, 1)
    if mode == "reflect":
        period = max(2 * (n - 1), 1)
        at = at % period
        return torch.where(at >= n, period - at, at) if n > 1 else torch.zeros_like(at)
    period = max(2 * n, 1)  # the period of the mode "symmetric"
    at = at % period
    return torch.where(at >= n, period - 1 - at, at)


@rows("pad")
def pad(call: Call, device: Device) -> Any:
    x, mode = call.x, call.mode
    widths = _widths(call.pad_width, x.ndim)
    if mode == "constant":  # sizes do not matter
        front.small(call)
    else:
        front.deeper(call, "x", pad_width=[*widths, (0, 0)])
    t = as_bits(x.data)
    if mode == "constant":
        there = TORCH[x.dtype]
        place = place_of(device)
        value = 0 if call.value is None else call.value
        if type(value) is DeviceTensor:
            filler = converted(value.data, there)
        else:
            filler = stored(number(value, there, place), there)
        shape = [n + before + after for n, (before, after) in zip(t.shape, widths, strict=True)]
        found = as_bits(filler).expand(shape).clone()
        inside = found
        for axis, (before, _) in enumerate(widths):
            inside = inside.narrow(axis, before, t.shape[axis])
        inside.copy_(t)
        return moved(call, found, device, x.dtype)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            t = t.index_select(axis, _reflected(t.shape[axis], before, after, mode, t.device))
    return moved(call, t if t is not x.data and t.data_ptr() != x.data.data_ptr() else t.clone(), device, x.dtype)


def _widths(given: Any, ndim: int) -> list[tuple[int, int]]:
    """Return the numbers of elements that padding adds before and after each dimension."""
    if isinstance(given, int):
        return [(given, given)] * ndim
    pairs = list(given)
    if pairs and all(isinstance(p, int) for p in pairs):
        return [(pairs[0], pairs[-1])] * ndim if len(pairs) <= 2 else [(p, p) for p in pairs]
    pairs = [tuple(p) if isinstance(p, (list, tuple)) else (p, p) for p in pairs]
    pairs = [p if len(p) == 2 else (p[0], p[0]) for p in pairs]
    return pairs * ndim if len(pairs) == 1 and ndim != 1 else pairs


# --- memory orders ---


def order_if_other(x: DeviceTensor) -> tuple[int, ...] | None:
    """Return the order of the dimensions in memory, or None for row-major order."""
    order = order_of(x)
    return None if x.data.is_contiguous() and order == tuple(reversed(range(len(order)))) else order


def has_no_gaps(t: torch.Tensor) -> bool:
    """Return whether the elements occupy distinct addresses without gaps."""
    expected = 1
    for stride, extent in sorted(zip(t.stride(), t.shape, strict=True)):
        if extent == 1:
            continue
        if stride != expected and t.numel():
            return False
        expected *= extent
    return True


def reinterpreted(x: DeviceTensor, dtype: Any) -> DeviceTensor:
    """Return a view with elements of another type. The CPU's operator computes the shape or raises the error."""
    found = _core.reinterpret(front.strided_elements(x), dtype)
    try:
        data = x.data.view(TORCH[found.dtype])
    except RuntimeError as error:  # PyTorch expresses strides in elements
        raise InvalidArgumentError(
            f"view: PyTorch: {str(error).partition(chr(10))[0]}; a clone has such a view"
        ) from None
    result = made(data, x.device, found.dtype)
    if found.size < 2 or 1 in found.shape:
        result._order = _core.order(found)
    return result


# --- functions of the core that suanzi's Python functions call for tensors ---

INTERNAL: dict[str, Any] = {
    "read_tensor": lambda operator, x: (x.data, x)[1],
    "order": lambda x: order_of(x),
    "in_memory": lambda x: made(x.data.permute(order_of(x)[::-1]).view(-1), x.device, x.dtype),
    "is_destroyed": lambda x: not hasattr(x, "data"),
    "reinterpret": reinterpreted,
    "tolist": lambda x: x.tolist(),
    "is_foreign": lambda x: False,
    "among_integers": lambda operator, x1, x2: None,  # a shortcut of the CPU for small integers
    "order_if_other": lambda x: order_if_other(x),
    "dense_order": lambda x: order_if_other(x) if has_no_gaps(x.data) else None,
    "holds_elements": lambda x: True,
}


@part("copy_into")
def copy_into(operator: str, x: DeviceTensor, values: DeviceTensor) -> None:
    """Copy the elements of one tensor into another tensor."""
    x.data.copy_(converted(values.data, x.data.dtype))


@part("check_out")
def check_out(operator: str, out: DeviceTensor, shape: tuple[int, ...], dtype: DType) -> None:
    """Raise the CPU's error if a result of a given shape and type cannot be written into a tensor."""
    check_place(operator, out, tuple(shape))
    _core.check_out(operator, front.empty_of(out.dtype), (0,), dtype)


@rows("array_equal")
def array_equal(call: Call, device: Device) -> bool:
    """Return whether shapes and elements are equal. The function waits for the device."""
    shapes = [x.shape if isinstance(x, DeviceTensor) or hasattr(x, "shape") else () for x in (call.x1, call.x2)]
    if shapes[0] != shapes[1]:  # the CPU compares no elements
        return bool(front.kept("unequal", call, lambda: front.with_stand_ins(call, front.spread)))
    return bool(_core.all(_core.equal(call.x1, call.x2, None), None, False, None))


@rows("allclose")
def allclose(call: Call, device: Device) -> bool:
    close = _core.isclose(call.x1, call.x2, call.rtol, call.atol, call.equal_nan)
    return bool(_core.all(close, None, False, None))


__all__ = ["in_order", "to_cpu", "viewed"]
