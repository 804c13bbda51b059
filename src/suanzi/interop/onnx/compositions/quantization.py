"""Quantization in ONNX's form: integers in plain tensors, with scales and zero points as further operands."""

from __future__ import annotations

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, _core
from suanzi.interop.onnx.compositions.narrow import closed, opened, require_zero
from suanzi.interop.onnx.compositions.numbers import CodedMatrix
from suanzi.interop.onnx.compositions.reading import positive_axis
from suanzi.interop.onnx.rows import Prepared
from suanzi.interop.onnx.types import NARROW, Stored, dtype_of, element_type


def quantize_linear(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | Stored | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Tensor | Stored:
    """Return ``x / scale`` rounded to the nearest integer, ties to even, plus the zero point.

    For a floating result type, the quotient is rounded to the type's nearest number. `saturate` determines the result
    for numbers beyond the range of the type.
    """
    dtype = element_type(output_dtype, "QuantizeLinear") if output_dtype else suanzi.uint8
    if zero_point is not None:
        if output_dtype and zero_point.dtype is not dtype:
            raise InvalidArgumentError(
                f"QuantizeLinear: output_dtype is {dtype}, but the zero point is {zero_point.dtype}"
            )
        dtype, zero_point = zero_point.dtype, opened(zero_point)
        _check_zero_point(zero_point, scale, "QuantizeLinear")
        zero_point = suanzi.astype(_spread(zero_point, x, axis, block_size, "QuantizeLinear"), suanzi.float32)
    scale = _spread(scale, x, axis, block_size, "QuantizeLinear")
    computed = dtype_of(precision, "QuantizeLinear") if precision else scale.dtype
    if (x.dtype.is_integer or scale.dtype.is_integer) and not precision:
        computed = suanzi.float64
    quotient = suanzi.true_divide(_as(x, computed), _as(scale, computed))
    if isinstance(dtype, DType):
        return stored(quotient, zero_point, dtype)
    narrow = NARROW[dtype]
    if not narrow.is_float:
        first = -(2 ** (narrow.bits - 1)) if narrow.numpy.name.startswith("int") else 0
        return closed(stored(quotient, zero_point, suanzi.int8, (first, first + 2**narrow.bits - 1)), dtype)
    if zero_point is not None and narrow.bits == 8:
        require_zero(zero_point, "QuantizeLinear")
    elif zero_point is not None:
        quotient = quotient + zero_point
    return closed(quotient, dtype, saturate)


def dequantize_linear(
    x: Tensor | Stored,
    scale: Tensor,
    zero_point: Tensor | Stored | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    """Return ``(x - zero_point) * scale`` in the type of the scale, or in the type `output_dtype`."""
    dtype = dtype_of(output_dtype, "DequantizeLinear") if output_dtype else scale.dtype
    is_float8 = isinstance(x, Stored) and "float8" in x.dtype.text
    x = opened(x)
    wide = suanzi.float64 if x.dtype is suanzi.int32 else suanzi.float32  # the type holds all differences of codes
    values = suanzi.astype(x, wide)
    if zero_point is not None:
        zero_point = opened(zero_point)
        _check_zero_point(zero_point, scale, "DequantizeLinear")
        if is_float8:
            require_zero(zero_point, "DequantizeLinear")
        values = values - _as(_spread(zero_point, x, axis, block_size, "DequantizeLinear"), wide)
    return _as(values * _as(_spread(scale, x, axis, block_size, "DequantizeLinear"), wide), dtype)


def dynamic_quantize_linear(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return uint8 codes with one scale for all elements, the scale, and the zero point."""
    return _core.dynamic_codes(x)


def _coded_matrix(b: Tensor, b_zero: Tensor) -> CodedMatrix:
    return CodedMatrix(b, of_all(b_zero))


def _scaled_product(
    b: CodedMatrix, a: Tensor, a_scale: Tensor, a_zero: Tensor, b_scale: Tensor, y_scale: Tensor, y_zero: Tensor
) -> Tensor:
    """Return the codes of a scaled product of codes. A scale or zero point applies to all codes of an operand, to a row
    of `a`, or to a column of `b`.
    """
    whole = b(a, of_all(a_zero))
    # The sums of products of codes need more bits than float32 has.
    a_scale, b_scale, y_scale = (_as(of_all(scale), suanzi.float64) for scale in (a_scale, b_scale, y_scale))
    factor = (suanzi.reshape(a_scale, (-1, 1)) if a_scale.ndim == 1 else a_scale) * b_scale / y_scale
    return stored(suanzi.astype(whole, suanzi.float64) * factor, _as(of_all(y_zero), suanzi.float32), y_zero.dtype)


qlinear_matmul = Prepared((3, 5), _coded_matrix, _scaled_product)


def stored(values: Tensor, zero_point: Tensor | None, dtype: DType, limits: tuple[int, int] | None = None) -> Tensor:
    """Round `values`, add `zero_point`, and return the sums as integers of a type. The sums are clipped to `limits`, or
    by default to the type's range.
    """
    steps = _as(suanzi.rint(values), suanzi.float32)
    if zero_point is not None:
        steps = steps + zero_point
    return suanzi.astype(suanzi.clip(steps, *map(float, limits or dtype.limits)), dtype)


def of_all(parameter: Tensor) -> Tensor:
    """Return a vector of one element as a tensor of shape (), and any other parameter unchanged."""
    return suanzi.reshape(parameter, ()) if parameter.shape == (1,) else parameter


def fits_scale(zero_point: Tensor, scale: Tensor) -> bool:
    """Return whether a zero point has the shape of a scale. A vector of one element counts as a scalar."""
    one = ((), (1,))
    return zero_point.shape == scale.shape or (zero_point.shape in one and scale.shape in one)


def _check_zero_point(zero_point: Tensor, scale: Tensor, operator: str) -> None:
    if not fits_scale(zero_point, scale):
        raise DimensionsMismatchError(
            f"{operator}: a zero point of shape {zero_point.shape} does not fit a scale of shape {scale.shape}"
        )


def _spread(parameter: Tensor, x: Tensor, axis: int, block_size: int, operator: str) -> Tensor:
    """Return a parameter in a shape that broadcasts with `x`: a number for all elements, or a number per position or
    block of an axis.
    """
    if parameter.size == 1 and not block_size:
        return suanzi.reshape(parameter, ())
    along = positive_axis(axis, x.ndim, operator)
    length = x.shape[along]
    if not block_size:
        if parameter.shape != (length,):
            raise DimensionsMismatchError(
                f"{operator}: a parameter of shape {parameter.shape} does not fit size {length} along axis {axis}"
            )
        return suanzi.reshape(parameter, (length,) + (1,) * (x.ndim - 1 - along))
    expected = tuple(-(-n // block_size) if i == along else n for i, n in enumerate(x.shape))
    if block_size < 0 or parameter.shape != expected:
        raise DimensionsMismatchError(
            f"{operator}: a parameter of shape {parameter.shape} is not {expected}, for blocks of {block_size}"
        )
    return suanzi.slice(suanzi.repeat(parameter, min(block_size, length), along), 0, length, axis=along)


def _as(x: Tensor, dtype: DType) -> Tensor:
    return suanzi.astype(x, dtype, copy=False)
