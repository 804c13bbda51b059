"""Convolutions and pooling on devices: PyTorch's functions, or products of patches where PyTorch has no function.

The CPU checks a call on stand-ins with an empty batch, which costs no computation, and returns the type and shape of
the result. Most other functions of neural networks consist of operators and need no code here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as product_of_ranges
from math import prod
from typing import Any

import torch
from torch.nn import functional

import suanzi.nn  # noqa: F401  # the rows are for its records
from suanzi import _core
from suanzi.devices import front
from suanzi.devices.indexing import combined
from suanzi.devices.products import product
from suanzi.devices.sampling import of_shapes, result_of
from suanzi.devices.state import state_of
from suanzi.devices.table import finished, rows
from suanzi.devices.tensor import made
from suanzi.devices.types import HALVES, OURS, TORCH, as_bits, brought, carried, converted, flipped, ordered, stored
from suanzi.kinds.call import Call
from suanzi.operators.composition import into_each
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType, uint64
from suanzi.tensor.status import OutOfRangeError

Pairs = list[tuple[int, int]]


def _told(call: Call) -> tuple[DType, tuple[int, ...]]:
    """Return the type and the shape of a call's result, which the CPU determines."""

    def ask() -> Any:
        others = [front.mapped(getattr(call, name), front.spread) for name in call.record.operands[1:]]
        return front.facts(of_shapes(lambda x: call.on(x, *others), call.x))

    told = front.kept("networks", call, ask)
    dtype, shape = told[0] if isinstance(told, list) else told  # pooling with indices returns a list
    return dtype, (call.x.shape[0], *shape[1:])


def _each(given: Any, count: int) -> tuple[int, ...]:
    """Return one number per dimension. A single number applies to all dimensions. The CPU has checked the count of
    numbers.
    """
    read = tuple(_core.read_shape("nn", given, 0))
    return read * count if len(read) == 1 else read


def _sides(padding: Any, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]) -> Pairs:
    """Return the padding before and after each dimension. A span is the extent of a dilated kernel."""
    if isinstance(padding, str):
        if padding == "valid":
            return [(0, 0)] * len(sizes)
        found = []
        for size, span, stride in zip(sizes, spans, strides, strict=True):
            total = max((-(-size // stride) - 1) * stride + span - size, 0)
            before = (total + 1) // 2 if padding == "same_lower" else total // 2
            found.append((before, total - before))
        return found
    each = padding if isinstance(padding, list | tuple) else _each(padding, len(sizes))
    return [(before, after) for before, after in (_each(pair, 2) for pair in each)]


def _padded(t: torch.Tensor, pairs: Pairs, value: float) -> torch.Tensor:
    """Return `t` padded with a value around the spatial dimensions. Negative padding removes elements."""
    if not any(map(any, pairs)):
        return t
    return functional.pad(t, [n for pair in reversed(pairs) for n in pair], value=value)


def _operands(call: Call, dtype: DType) -> list[torch.Tensor | None]:
    """Return the operands of a convolution in the type of the computation, which is float32 for operands of float16 and
    bfloat16.
    """
    there = TORCH[dtype]
    wide = torch.float32 if there in HALVES else there
    given = (call.x, call.weight, call.bias)
    return [None if x is None else brought(x.data, wide) for x in given]


def _with_bias(t: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    if bias is None:
        return t
    bias = bias.reshape(-1, *[1] * (t.ndim - 2))
    return t | bias if t.dtype is torch.bool else t + bias


def _is_floating(t: torch.Tensor) -> bool:
    return bool(t.is_floating_point() or t.is_complex())


_CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
_TRANSPOSED = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}


def _in_float32(function: Callable[..., torch.Tensor], *operands: Any) -> torch.Tensor:
    """Call a convolution without TensorFloat-32, which cuDNN uses for float32 by default."""
    now = torch.backends.cudnn
    known = {"enabled": now.enabled, "benchmark": now.benchmark, "deterministic": now.deterministic}
    with now.flags(**known, allow_tf32=False):
        return function(*operands)


@rows("conv", out=True)
def convolved(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    x, weight, bias = _operands(call, dtype)
    assert x is not None
    assert weight is not None
    count = x.ndim - 2
    stride, dilation = _each(call.stride, count), _each(call.dilation, count)
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if 0 in shape or not x.numel() or not weight.numel():
        found = _with_bias(torch.zeros(shape, dtype=x.dtype, device=x.device), bias)
        return finished(call, found, device, dtype)
    x = _padded(x, _sides(call.padding, call.x.shape[2:], spans, stride), 0)
    if _is_floating(x):
        found = _in_float32(_CONVOLUTIONS[count], x, weight, bias, stride, 0, dilation, call.groups)
    else:
        found = _with_bias(_of_integers(x, weight, spans, stride, dilation, call.groups), bias)
    return finished(call, found, device, dtype)


def _of_integers(
    x: torch.Tensor, weight: torch.Tensor, spans: Sequence[int], stride: Sequence[int], dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:  # fmt: skip
    """Convolve integers as products of patches and kernels, because PyTorch's convolutions are only for floating
    types.
    """
    count, batch, taps = x.ndim - 2, x.shape[0], prod(weight.shape[1:])
    view = x
    for d in range(count):
        view = view.unfold(2 + d, spans[d], stride[d])[..., :: dilation[d]]
    places = view.shape[2 : 2 + count]
    view = view.reshape(batch, groups, -1, *view.shape[2:])  # (N, G, C, places, taps)
    lines = view.permute(1, 0, *range(3, 3 + count), 2, *range(3 + count, view.ndim)).reshape(groups, -1, taps)
    found = product(lines, weight.reshape(groups, -1, taps).mT)
    found = found.reshape(groups, batch, *places, -1).permute(1, 0, -1, *range(2, 2 + count))
    return found.reshape(batch, -1, *places)


@rows("conv_transpose", out=True)
def transposed(call: Call, device: Device) -> Any:
    """Return the transposed convolution: the whole result, cropped by the padding and extended by the output
    padding.
    """
    dtype, shape = _told(call)
    x, weight, bias = _operands(call, dtype)
    assert x is not None
    assert weight is not None
    count = x.ndim - 2
    stride, dilation, more = (_each(n, count) for n in (call.stride, call.dilation, call.output_padding))
    found = torch.zeros(shape, dtype=x.dtype, device=x.device)
    if 0 not in shape and x.numel() and weight.numel():
        spans = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
        if _is_floating(x):
            whole = _in_float32(_TRANSPOSED[count], x, weight, None, stride, 0, 0, call.groups, dilation)
        else:
            whole = _transposed_of_integers(x, weight, spans, stride, dilation, call.groups)
        cut = []
        for d, size in enumerate(shape[2:]):
            have, padding = whole.shape[2 + d], call.padding
            if isinstance(padding, str) and padding != "valid":
                total = max((x.shape[2 + d] - 1) * stride[d] + spans[d] + more[d] - size, 0)
                before = -(-total // 2) if padding == "same_lower" else total // 2
            else:
                before = _sides(padding, [1] * count, spans, stride)[d][0]
            cut.append((-before, size - have + before))
        found = _padded(whole, cut, 0)
    return finished(call, _with_bias(found, bias), device, dtype)


def _transposed_of_integers(
    x: torch.Tensor, weight: torch.Tensor, spans: Sequence[int], stride: Sequence[int], dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:  # fmt: skip
    """Compute a transposed convolution of integers. For each tap, which is a position in the kernel, the function adds
    the products of the elements and the tap's weights to the result.
    """
    sizes, kernel, batch = x.shape[2:], weight.shape[2:], x.shape[0]
    lines = x.reshape(batch, groups, -1, prod(sizes)).permute(1, 0, 3, 2).reshape(groups, batch * prod(sizes), -1)
    found = product(lines, weight.reshape(groups, lines.shape[2], -1))
    found = found.reshape(groups, batch, *sizes, weight.shape[1], *kernel).movedim(2 + len(sizes), 2).movedim(0, 1)
    found = found.reshape(batch, -1, *sizes, *kernel)
    reach = [(size - 1) * step + span for size, step, span in zip(sizes, stride, spans, strict=True)]
    whole = torch.zeros((*found.shape[:2], *reach), dtype=x.dtype, device=x.device)
    for tap in product_of_ranges(*map(range, kernel)):
        firsts = [n * d for n, d in zip(tap, dilation, strict=True)]
        ends = [first + (size - 1) * step + 1 for first, size, step in zip(firsts, sizes, stride, strict=True)]
        part = whole[(..., *map(slice, firsts, ends, stride))]
        terms = found[(..., *tap)]
        part.copy_(part | terms if x.dtype is torch.bool else part + terms)
    return whole


def _windows(call: Call, t: torch.Tensor, shape: tuple[int, ...], value: float) -> tuple[torch.Tensor, Pairs]:
    """Return a view that has the elements of each window in the last dimensions, and the padding of each spatial
    dimension. The tensor is padded first, as the call requests.
    """
    count = t.ndim - 2
    kernel, dilation = _each(call.kernel_size, count), _each(call.dilation, count)
    stride = kernel if call.stride is None else _each(call.stride, count)
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    pairs = _sides(call.padding, t.shape[2:], spans, stride)
    reach = []
    for d, (before, after) in enumerate(pairs):
        need = (shape[2 + d] - 1) * stride[d] + spans[d]
        reach.append((before, max(after, need - t.shape[2 + d] - before)))
    view = _padded(t, reach, value)
    for d in range(count):
        view = view.unfold(2 + d, spans[d], stride[d]).narrow(2 + d, 0, shape[2 + d])[..., :: dilation[d]]
    return view, pairs


def _last(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


def _numbered(sizes: Sequence[int], device: torch.device) -> torch.Tensor:
    """Return the index of each element of a plane, as a tensor of shape (1, 1, *sizes)."""
    return torch.arange(prod(sizes), device=device).reshape(1, 1, *sizes)


def _least(t: torch.Tensor) -> Any:
    return -torch.inf if t.dtype.is_floating_point else torch.iinfo(t.dtype).min


def _greatest(view: torch.Tensor, places: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return each window's greatest element, and the first index of this element, or None if `places` is None. The
    index -1 means padding.
    """
    last = _last((view.ndim - 2) // 2)
    if places is None:
        return view.amax(last), None
    value = view.amax(last, True)
    there = (view == value) | (torch.isnan(value) & torch.isnan(view)) if view.is_floating_point() else view == value
    none = torch.iinfo(torch.int64).max
    first = torch.where(there & (places >= 0), places, none).amin(last)
    return value.squeeze(last), torch.where(first == none, -1, first)


def _with_places(call: Call, found: tuple[torch.Tensor, torch.Tensor | None], device: Device, dtype: DType) -> Any:
    values, places = found
    ours = call.x.data.dtype
    values = flipped(values).view(ours) if ours is torch.uint64 else stored(values, ours)
    if places is None:
        return finished(call, values, device, dtype)
    found_values = finished(call.replaced(out=None), values, device, dtype)
    return into_each(call.name, call.out, (found_values, made(places, device, OURS[torch.int64])))


def _empty(call: Call, shape: tuple[int, ...], device: Device, dtype: DType) -> Any:
    t = call.x.data
    places = torch.zeros(shape, dtype=torch.int64, device=t.device) if call.return_indices else None
    return _with_places(call, (torch.zeros(shape, dtype=ordered(t).dtype, device=t.device), places), device, dtype)


@rows("max_pool", out=True)
def greatest(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    if 0 in shape:
        return _empty(call, shape, device, dtype)
    t = ordered(call.x.data)
    view, _ = _windows(call, t, shape, _least(t))
    places = None
    if call.return_indices:
        places, _ = _windows(call, _numbered(t.shape[2:], t.device), (1, 1, *shape[2:]), -1)
    return _with_places(call, _greatest(view, places), device, dtype)


@rows("avg_pool", out=True)
def averaged(call: Call, device: Device) -> Any:
    """Return the mean of each window: a float64 sum, divided by `divisor_override`, or by the number of elements in the
    window. If `count_include_pad` is set, elements of the padding count.
    """
    dtype, shape = _told(call)
    t = call.x.data.to(torch.float64)
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    last = _last(t.ndim - 2)
    view, pairs = _windows(call, t, shape, 0)
    if call.divisor_override is not None:
        return finished(call, _mean(view, last, call.divisor_override), device, dtype)
    ones = torch.ones((1, 1, *t.shape[2:]), dtype=t.dtype, device=t.device)
    if call.count_include_pad:
        ones = _padded(ones, pairs, 1)
        counts, _ = _windows(call.replaced(padding=0), ones, shape, 0)
    else:
        counts, _ = _windows(call, ones, shape, 0)
    return finished(call, _mean(view, last, counts.sum(last)), device, dtype)


def _mean(view: torch.Tensor, last: tuple[int, ...], number: Any) -> torch.Tensor:
    """Return the sums over the dimensions `last`, divided by `number`, and 0 where `number` is 0. If a sum overflows,
    the terms of the sum are scaled first.
    """
    total = view.sum(last)
    mean = torch.where(torch.isfinite(total), total / number, (view * 2.0**-64).sum(last) / number * 2.0**64)
    return torch.where(number == 0, 0.0, mean) if isinstance(number, torch.Tensor) else mean


@rows("lp_pool", out=True)
def normed(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    t = call.x.data.to(torch.float64)
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    view, _ = _windows(call, t, shape, 0)
    last = _last(t.ndim - 2)
    # The elements are divided by the greatest element, so that the sum of the powers neither overflows nor underflows.
    most = view.abs().amax(last, True)
    scale = torch.where((most > 0) & torch.isfinite(most), most, 1.0)
    norm = torch.linalg.vector_norm(view / scale, call.norm_type, last)
    return finished(call, norm * scale.squeeze(last), device, dtype)


# --- adaptive pooling ---


def _parts(t: torch.Tensor, sizes: Sequence[int], value: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the elements of each part of each spatial axis in the last dimensions, and the number of elements in each
    part.
    """
    count = len(sizes)
    number = torch.ones((), dtype=torch.float64, device=t.device)
    view = t
    for d, results in enumerate(sizes):
        size = t.shape[2 + d]
        # The bounds of the parts depend only on sizes, so the host computes the bounds.
        first = [n * size // results for n in range(results)]
        length = [-(-(n + 1) * size // results) - start for n, start in enumerate(first)]
        most = max(length)
        index = [min(start + k, size - 1) for start in first for k in range(most)]
        inside = [k < n for n in length for k in range(most)]
        at, there = (torch.tensor(x, device=t.device) for x in (index, inside))
        shape = [1] * view.ndim
        shape[2 + d] = len(index)
        view = view.index_select(2 + d, at)
        view = torch.where(there.reshape(shape), view, torch.tensor(value, dtype=t.dtype, device=t.device))
        view = view.unflatten(2 + d, (results, most)).movedim(3 + d, -1)
        number = number[..., None] * torch.tensor(length, dtype=torch.float64, device=t.device)
    assert view.ndim == 2 + 2 * count
    return view, number


@rows("adaptive_avg_pool", out=True)
def averaged_parts(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    t = call.x.data.to(torch.float64)
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    view, number = _parts(t, shape[2:], 0)
    return finished(call, _mean(view, _last(t.ndim - 2), number), device, dtype)


@rows("adaptive_max_pool", out=True)
def greatest_parts(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    if 0 in shape:
        return _empty(call, shape, device, dtype)
    t = ordered(call.x.data)
    view, _ = _parts(t, shape[2:], _least(t))
    places = None
    if call.return_indices:
        places, _ = _parts(_numbered(t.shape[2:], t.device), shape[2:], -1)
    return _with_places(call, _greatest(view, places), device, dtype)


@rows("max_unpool", out=True)
def unpooled(call: Call, device: Device) -> Any:
    """Return planes of zeros with the elements of the operand at given indices. If several elements have the same
    index, the last element stays.
    """
    x, indices = call.x, call.indices
    dtype, shape = result_of(call, x, indices)
    planes, plane = prod(x.shape[:2]), prod(shape[2:])
    t = x.data
    if not x.size:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    at = carried(indices.data).to(torch.int64).reshape(planes, -1)
    state_of(device).note(call.record.name, ((at < 0) | (at >= plane)).any())
    empty = torch.zeros((planes, max(plane, 1)), dtype=t.dtype, device=t.device)
    found = combined(empty, 1, at.clamp(0, max(plane - 1, 0)), t.reshape(planes, -1), "update")
    return finished(call, found[:, :plane].reshape(shape), device, dtype)


# --- functions of integer labels ---


def _within(call: Call, device: Device, extent: int) -> torch.Tensor:
    """Return the integers of a call as valid indices. Integers outside 0 to `extent` - 1 are recorded as errors."""
    at = carried(call.x.data).to(torch.int64)
    state_of(device).note(call.record.name, ((at < 0) | (at >= extent)).any())
    return at.clamp(0, max(extent - 1, 0))


@rows("embedding", out=True)
def embedded(call: Call, device: Device) -> Any:
    x, weight = call.x, call.weight
    dtype, shape = front.small(call)
    shape = (*x.shape, weight.shape[1])
    if not weight.shape[0] and x.size:
        front.with_stand_ins(call, front.spread)  # the CPU's check refuses indices into a table without rows
    at = _within(call, device, weight.shape[0])
    found = torch.index_select(as_bits(weight.data), 0, at.reshape(-1)).reshape(shape)
    return finished(call, found.view(weight.data.dtype), device, dtype)


@rows("one_hot", out=True)
def one_hot(call: Call, device: Device) -> Any:
    """Return one-hot rows. The function waits for the device if the greatest integer determines the rows' length."""
    x, classes, asked = call.x, call.num_classes, call
    if classes == -1 and x.size and x.dtype.is_integer:
        beyond = 2**63 if x.dtype is uint64 else 0
        least, most = (int(end) + beyond for end in torch.aminmax(ordered(x.data)))
        if least < 0:
            raise OutOfRangeError(f"{call.name}: index {least} is not at least 0")
        classes, asked = most + 1, call.replaced(num_classes=0)
    dtype, _ = front.kept("small", asked, lambda: front.facts(front.with_stand_ins(asked, front.without_elements)))
    _core.read_shape(call.name, (x.size * int(classes),), 0)  # the call raises the error for too many elements
    at = _within(call, device, int(classes))
    found = at[..., None] == torch.arange(int(classes), device=at.device)
    return finished(call, converted(found, TORCH[dtype]), device, dtype)


@rows("linear_packed", out=True)
def by_packed_weights(call: Call, device: Device) -> Any:
    """Apply a linear layer. All packed weights are decoded in memory first."""
    x, bits = call.x, int(call.bits)

    def ask() -> Any:
        # The call checks the operands with an empty batch.
        return front.facts(
            front.with_stand_ins(call, lambda t: front.spread(t)[:0] if t is x and t.ndim > 1 else front.spread(t))
        )

    dtype, _ = front.kept("linear_packed", call, ask)
    wide = torch.float64 if TORCH[dtype] is torch.float64 else torch.float32
    zeros: Any = 2.0 ** (bits - 1)
    if call.zero_points is not None:
        zeros = call.zero_points.data
        zeros = _codes(zeros, bits)[:, : call.codes.shape[1]] if zeros.dtype is torch.uint8 else zeros
        zeros = brought(zeros, wide)[..., None]
    numbers = (brought(_codes(call.codes.data, bits), wide) - zeros) * brought(call.scales.data, wide)[..., None]
    found = product(brought(x.data, wide), numbers.flatten(1)[:, : x.shape[-1]].mT)
    return finished(call, found if call.bias is None else found + brought(call.bias.data, wide), device, dtype)


def _codes(t: torch.Tensor, bits: int) -> torch.Tensor:
    """Unpack numbers of `bits` bits from bytes, the lowest bits first. Each number becomes an element along the last
    axis.
    """
    return torch.stack([t >> shift & 2**bits - 1 for shift in range(0, 8, bits)], -1).flatten(-2)
