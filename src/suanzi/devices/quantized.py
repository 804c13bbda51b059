"""Quantized tensors on devices: device versions of the core's functions for codes.

`suanzi.kinds.quantized` defines the operators for the CPU and for devices alike. Numbers are float64, as on the CPU, so
that the codes equal the CPU's codes. Quantization parameters that cover given numbers follow from the least and the
greatest number. The host reads the least and the greatest number from the device, because the zero point is a Python
number.
"""

from __future__ import annotations

from typing import Any

import torch

from suanzi import _core
from suanzi._core import Tensor
from suanzi.devices import front
from suanzi.devices.parts import part
from suanzi.devices.products import product
from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import TORCH, brought, carried, stored
from suanzi.operators.creation.data import tensor
from suanzi.operators.creation.filled import zeros
from suanzi.operators.linalg import products
from suanzi.tensor.device import CPU, Device
from suanzi.tensor.dtypes import DType, float64, int8, int64
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

Found = tuple[DeviceTensor, Tensor, int]
_EXACT32, _EXACT64 = 2**24, 2**53  # float32 and float64 represent every integer up to these numbers


def numbers_of(x: Any, scale: Any, zero: int) -> Any:
    """Return the real numbers that codes represent, or the elements of a tensor without a scale, in float64. A Python
    number becomes a float.
    """
    if not isinstance(x, DeviceTensor):
        return float(x)
    t = carried(x.data)
    if x.dtype.is_integer and (zero or scale is not None):
        t = t.to(torch.int64) - zero
        return t.to(torch.float64) * _factor(scale)
    real = brought(x.data, torch.float64)
    return real if scale is None else real * _factor(scale)


def _factor(scale: Any) -> Any:
    if scale is None:
        return 1.0
    return scale.data.to(torch.float64) if isinstance(scale, DeviceTensor) else float(scale)


def _check_scale(operator: str, scale: Any, shape: tuple[int, ...]) -> None:
    if isinstance(scale, DeviceTensor) and scale.ndim and torch.broadcast_shapes(scale.shape, shape) != shape:
        raise DimensionsMismatchError(f"{operator}: a scale of shape {scale.shape} does not broadcast to {shape}")


def coded(operator: str, real: torch.Tensor, scale: Any, zero: int, codes: DType, symmetric: bool) -> Any:
    """Return the codes nearest to numbers. Ties are rounded to the even code, and codes are clipped to the range of the
    type.
    """
    _check_scale(operator, scale, tuple(real.shape))
    least, greatest = codes.limits
    least = -greatest if symmetric else least
    step = scale.data.to(torch.float64)
    held = torch.minimum(torch.maximum(real, step * (least - zero)), step * (greatest - zero))
    return stored((held / step).round().to(torch.int64).add_(zero).to(torch.int32), TORCH[codes])


def _finished(operator: str, t: torch.Tensor, device: Device, codes: DType, out: Any) -> DeviceTensor:
    """Return codes as a new tensor, or write the codes into a given tensor."""
    if out is None:
        return made(t, device, codes)
    if out.shape != tuple(t.shape):
        raise DimensionsMismatchError(
            f"{operator}: out has shape {out.shape}, but the result has shape {tuple(t.shape)}"
        )
    if out.dtype is not codes:
        raise TypeMismatchError(f"{operator}: out has element type {out.dtype}, but the codes have {codes}")
    out.data.copy_(t)
    return out  # type: ignore[no-any-return]


def _check_real(operator: str, x: DeviceTensor) -> None:
    if not (x.dtype.is_integer or x.dtype.kind_name == "real floating"):
        empty = front.empty_of(x.dtype)
        _core.quantize_finest(operator, empty, None, 0, int8, True, None)  # the call raises the CPU's error


def _check_numbers(operator: str, x: DeviceTensor) -> None:
    """Raise INVALID_ARGUMENT if an element is NaN. The function waits for the device."""
    _check_real(operator, x)
    if x.data.is_floating_point() and bool(torch.isnan(x.data).any()):
        raise InvalidArgumentError(f"{operator}: a value is NaN, which has no code")


@part("quantized_encode")
def encode(
    operator: str,
    x: DeviceTensor,
    x_scale: Any,
    x_zero: int,
    scale: DeviceTensor,
    zero: int,
    codes: DType,
    symmetric: bool,
    out: Any,
) -> DeviceTensor:
    """Return the codes of the elements of `x`, or of the numbers that the codes `x` represent if `x` has a scale."""
    _check_numbers(operator, x)
    t = coded(operator, numbers_of(x, x_scale, x_zero), scale, zero, codes, symmetric)
    return _finished(operator, t, x.device, codes, out)


@part("quantized_decode", "dequantize")
def decode(codes: DeviceTensor, scale: DeviceTensor, zero: int, real: DType) -> DeviceTensor:
    """Return the real numbers of codes, rounded once in float32 or exact in float64."""
    _check_scale("dequantize", scale, codes.shape)
    t = carried(codes.data).to(torch.int32) - zero
    return made(t.to(TORCH[real]) * scale.data.to(TORCH[real]), codes.device, real)


def _covering(operator: str, real: torch.Tensor, codes: DType, symmetric: bool, axis: int | None) -> tuple[Any, int]:
    """Return the finest scale and zero point that cover numbers. The CPU computes both from the least and the greatest
    number.
    """
    others = [i for i in range(real.ndim) if i != axis]
    if real.numel() == 0:
        shape = (0,) if axis is None else (0, real.shape[axis])
        ends = zeros(shape, dtype=float64, device=CPU)
    elif others:
        ends = tensor(torch.stack((real.amin(others), real.amax(others))).tolist(), dtype=float64, device=CPU)
    else:
        ends = tensor([real.tolist()], dtype=float64, device=CPU)
    _, scale, zero = _core.quantize_finest(operator, ends, None, 0, codes, symmetric, None if axis is None else 1)
    return scale, zero


def _finest(
    operator: str, real: torch.Tensor, device: Device, codes: DType, symmetric: bool, axis: int | None
) -> Found:
    scale, zero = _covering(operator, real, codes, symmetric, axis)
    there = scale.to_device(device)
    spread = there if axis is None else made(there.data.reshape(-1, *(1,) * (real.ndim - axis - 1)), device)
    return made(coded(operator, real, spread, zero, codes, symmetric), device, codes), there, zero


@part("quantize_finest")
def finest(
    operator: str, x: DeviceTensor, x_scale: Any, x_zero: int, codes: DType, symmetric: bool, axis: int | None
) -> Found:
    """Return the codes of numbers, and the finest scale and the zero point that cover the numbers."""
    _check_real(operator, x)
    return _finest(operator, numbers_of(x, x_scale, x_zero), x.device, codes, symmetric, axis)


# --- arithmetic ---


def _combined(operation: str, first: tuple[Any, Any, int], second: tuple[Any, Any, int]) -> DeviceTensor:
    """Return the result of an operation on the real numbers of two operands, in float64."""
    operands = []
    for x, scale, zero in (first, second):
        real = numbers_of(x, scale, zero)
        operands.append(made(real, x.device, float64) if isinstance(x, DeviceTensor) else real)
    found: DeviceTensor = getattr(_core, operation)(*operands, None)
    return found


@part("quantized_combine")
def combine(
    operator: str,
    operation: str,
    x: Any,
    x_scale: Any,
    x_zero: int,
    y: Any,
    y_scale: Any,
    y_zero: int,
    codes: DType,
    symmetric: bool,
    axis: int | None,
) -> Found:
    """Return the codes of an operation's result, and the finest scale and the zero point that cover the result."""
    real = _combined(operation, (x, x_scale, x_zero), (y, y_scale, y_zero))
    return _finest(operator, real.data, real.device, codes, symmetric, axis)


@part("quantized_combine_into")
def combine_into(
    operator: str,
    operation: str,
    x: Any,
    x_scale: Any,
    x_zero: int,
    y: Any,
    y_scale: Any,
    y_zero: int,
    scale: DeviceTensor,
    zero: int,
    codes: DType,
    symmetric: bool,
    out: DeviceTensor,
) -> None:
    """Write the codes of an operation's result into `out`. `scale` and `zero` are the parameters of `out`."""
    real = _combined(operation, (x, x_scale, x_zero), (y, y_scale, y_zero))
    _check_shape(operator, out, real.shape)
    _finished(operator, coded(operator, real.data, scale, zero, codes, symmetric), real.device, codes, out)


def _check_shape(operator: str, out: DeviceTensor, shape: tuple[int, ...]) -> None:
    if out.shape != shape:
        raise DimensionsMismatchError(f"{operator}: out has shape {out.shape}, but the result has shape {shape}")


# --- products ---


def _extent(x: DeviceTensor, zero: int) -> int:
    """Return the greatest magnitude that a code of the type of `x` can have after the zero point is subtracted."""
    least, greatest = x.dtype.limits
    return max(greatest - zero, zero - least)


def _scale_in_product(x: DeviceTensor, scale: DeviceTensor, summed: int, other: int) -> torch.Tensor:
    """Return the scale of an operand in the shape of the product. The summed axis is missing if the other operand is a
    vector.
    """
    t = scale.data.to(torch.float64)
    if t.numel() == 1:
        return t.reshape(())
    shape = [1] * (x.ndim - t.ndim) + list(t.shape)
    if other < 2:
        del shape[summed]
    return t.reshape(shape)


def _multiplied(operator: str, x: DeviceTensor, x_scale: Any, x_zero: int, y: Any, y_scale: Any, y_zero: int) -> Any:
    """Return the matrix product of two quantized operands in float64: exact sums of products of codes, times both
    scales.
    """
    if not (x.ndim and y.ndim) or x.shape[-1] != y.shape[max(y.ndim - 2, 0)]:
        products.matmul(front.spread(x), front.spread(y))  # the call raises the CPU's error
    terms = max(x.shape[-1], 1)
    bound = _extent(x, x_zero) * _extent(y, y_zero) * terms
    if bound > int64.limits[1]:
        raise InvalidArgumentError(f"{operator}: the sum of {terms} products may pass 64 bits")
    kind = torch.float32 if bound <= _EXACT32 else torch.float64 if bound <= _EXACT64 else torch.int64
    a, b = ((carried(t.data).to(torch.int64) - zero).to(kind) for t, zero in ((x, x_zero), (y, y_zero)))
    try:
        sums = product(a, b).to(torch.float64)
    except RuntimeError:
        products.matmul(front.spread(x), front.spread(y))  # the call raises the CPU's error
        raise
    left = _scale_in_product(x, x_scale, x.ndim - 1, y.ndim)
    return sums * (left * _scale_in_product(y, y_scale, max(y.ndim - 2, 0), x.ndim))


@part("quantized_matmul")
def matmul(
    operator: str,
    x: DeviceTensor,
    x_scale: DeviceTensor,
    x_zero: int,
    y: DeviceTensor,
    y_scale: DeviceTensor,
    y_zero: int,
    codes: DType,
    symmetric: bool,
) -> Found:
    """Return the codes of a matrix product, and the finest scale and the zero point that cover the product."""
    real = _multiplied(operator, x, x_scale, x_zero, y, y_scale, y_zero)
    return _finest(operator, real, x.device, codes, symmetric, None)


@part("quantized_matmul_into")
def matmul_into(
    operator: str,
    x: DeviceTensor,
    x_scale: DeviceTensor,
    x_zero: int,
    y: DeviceTensor,
    y_scale: DeviceTensor,
    y_zero: int,
    scale: DeviceTensor,
    zero: int,
    codes: DType,
    symmetric: bool,
    out: DeviceTensor,
) -> None:
    """Write the codes of a matrix product into `out`. `scale` and `zero` are the parameters of `out`."""
    real = _multiplied(operator, x, x_scale, x_zero, y, y_scale, y_zero)
    _check_shape(operator, out, tuple(real.shape))
    _finished(operator, coded(operator, real, scale, zero, codes, symmetric), x.device, codes, out)
