"""Convolutions and pools by PyTorch's functions; the other functions of neural networks are made of operators.

The CPU checks a call on operands without a batch, for which it computes nothing, and says the type and shape of the
result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

import suanzi.nn  # noqa: F401  # the rows are for its records
from suanzi import _core
from suanzi.devices import front
from suanzi.devices.table import finished, rows
from suanzi.devices.tensor import DeviceTensor
from suanzi.devices.types import HALVES, TORCH, converted
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.status import TypeMismatchError

Pairs = list[tuple[int, int]]


def _without_batch(x: DeviceTensor) -> Any:
    """Stands for a batch: it has no members, and one element in memory."""
    return _core.expand(front.one_of(x.dtype), (0, *x.shape[1:]) if x.ndim > 2 else x.shape)


def _told(call: Call) -> tuple[DType, tuple[int, ...]]:
    """The type of the result, and its shape."""

    def ask() -> Any:
        weight = getattr(call, "weight", None)

        def stand_in(x: DeviceTensor) -> Any:
            whole = weight is not None and x is weight
            return _core.expand(front.one_of(x.dtype), x.shape) if whole else _without_batch(x)

        return front.facts(front.with_stand_ins(call, stand_in))

    dtype, shape = front.kept("networks", call, ask)
    return dtype, (call.x.shape[0], *shape[1:])


def _each(given: Any, count: int) -> tuple[int, ...]:
    """A number for each of several, where one may stand for all; the CPU has checked how many there are."""
    read = tuple(_core.read_shape("nn", given, 0))
    return read * count if len(read) == 1 else read


def _sides(padding: Any, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]) -> Pairs:
    """The places that are added before and after each dimension; a span is that of a kernel with its dilation."""
    if padding == "valid":
        return [(0, 0)] * len(sizes)
    if isinstance(padding, str):
        found = []
        for size, span, stride in zip(sizes, spans, strides, strict=True):
            total = max((-(-size // stride) - 1) * stride + span - size, 0)
            before = (total + 1) // 2 if padding == "same_lower" else total // 2
            found.append((before, total - before))
        return found
    each = [padding] * len(sizes) if hasattr(padding, "__index__") else padding
    return [(before, after) for before, after in (_each(pair, 2) for pair in each)]


def _padded(t: torch.Tensor, pairs: Pairs, value: float) -> torch.Tensor:
    """The tensor with places of a value around its spatial dimensions; negative ones cut off."""
    if not any(map(any, pairs)):
        return t
    return functional.pad(t, [n for pair in reversed(pairs) for n in pair], value=value)


def _operands(call: Call, dtype: DType) -> list[torch.Tensor | None]:
    """The operands of a convolution in the type in which it is computed: float32 for halves."""
    if not dtype.kind_name.endswith("floating"):
        raise TypeMismatchError(f"{call.name}: the device has no convolution of {dtype}; x.to_device('cpu') has")
    there = TORCH[dtype]
    wide = torch.float32 if there in HALVES else there
    given = (call.x, call.weight, call.bias)
    return [None if x is None else converted(x.data, wide) for x in given]


_CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
_TRANSPOSED = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}


def _in_float32(function: Callable[..., torch.Tensor], *operands: Any) -> torch.Tensor:
    """A convolution without TensorFloat-32, in which cuDNN multiplies float32 unless it is told otherwise."""
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
        found = torch.zeros(shape, dtype=x.dtype, device=x.device)
        found = found if bias is None else found + bias.reshape(-1, *[1] * count)
        return finished(call, found, device, dtype)
    x = _padded(x, _sides(call.padding, call.x.shape[2:], spans, stride), 0)
    found = _in_float32(_CONVOLUTIONS[count], x, weight, bias, stride, 0, dilation, call.groups)
    return finished(call, found, device, dtype)


@rows("conv_transpose", out=True)
def transposed(call: Call, device: Device) -> Any:
    """The whole result, of which the padding is cut off, and to which places are added."""
    dtype, shape = _told(call)
    x, weight, bias = _operands(call, dtype)
    assert x is not None
    assert weight is not None
    count = x.ndim - 2
    stride, dilation, more = (_each(n, count) for n in (call.stride, call.dilation, call.output_padding))
    found = torch.zeros(shape, dtype=x.dtype, device=x.device)
    if 0 not in shape and x.numel() and weight.numel():
        whole = _in_float32(_TRANSPOSED[count], x, weight, None, stride, 0, 0, call.groups, dilation)
        spans = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
        cut = []
        for d, size in enumerate(shape[2:]):
            have, padding = whole.shape[2 + d], call.padding
            if isinstance(padding, str) and padding != "valid":
                total = (x.shape[2 + d] - 1) * stride[d] + spans[d] + more[d] - size
                before = -(-total // 2) if padding == "same_lower" else total // 2
            else:
                before = _sides(padding, [1] * count, spans, stride)[d][0]
            cut.append((-before, size - have + before))
        found = _padded(whole, cut, 0)
    return finished(call, found if bias is None else found + bias.reshape(-1, *[1] * count), device, dtype)


def _windows(call: Call, t: torch.Tensor, shape: tuple[int, ...], value: float) -> tuple[torch.Tensor, Pairs]:
    """The elements of the windows as the last dimensions of a view, and the padding that was asked for."""
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


@rows("max_pool", out=True)
def greatest(call: Call, device: Device) -> Any:
    if call.return_indices:
        raise TypeMismatchError(f"{call.name}: the device gives no indices; x.to_device('cpu') has them")
    dtype, shape = _told(call)
    t = call.x.data
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    least = -torch.inf if t.dtype.is_floating_point else torch.iinfo(t.dtype).min
    view, _ = _windows(call, t, shape, least)
    return finished(call, view.amax(_last(t.ndim - 2)), device, dtype)


@rows("avg_pool", out=True)
def averaged(call: Call, device: Device) -> Any:
    """Sums in float64, over the number of elements, or of places within the padding."""
    dtype, shape = _told(call)
    t = call.x.data.to(torch.float64)
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    last = _last(t.ndim - 2)
    view, pairs = _windows(call, t, shape, 0)
    if call.divisor_override is not None:
        return finished(call, view.sum(last) / call.divisor_override, device, dtype)
    ones = torch.ones((1, 1, *t.shape[2:]), dtype=t.dtype, device=t.device)
    if call.count_include_pad:
        ones = _padded(ones, pairs, 1)
        counts, _ = _windows(call.replaced(padding=0), ones, shape, 0)
    else:
        counts, _ = _windows(call, ones, shape, 0)
    number = counts.sum(last)
    return finished(call, torch.where(number == 0, 0.0, view.sum(last) / number), device, dtype)


@rows("lp_pool", out=True)
def normed(call: Call, device: Device) -> Any:
    dtype, shape = _told(call)
    t = call.x.data.to(torch.float64)
    if 0 in shape:
        return finished(call, torch.zeros(shape, dtype=t.dtype, device=t.device), device, dtype)
    view, _ = _windows(call, t, shape, 0)
    return finished(call, torch.linalg.vector_norm(view, call.norm_type, _last(t.ndim - 2)), device, dtype)
