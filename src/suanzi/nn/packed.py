"""Layers whose weights are codes of a few bits, packed in bytes.

The core multiplies by the stored codes (native/ops/product/packed.cpp). The whole weight is decoded only for float64
operands.
"""

from __future__ import annotations

from math import prod
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.bitwise import bitwise_and, bitwise_right_shift
from suanzi.operators.composition import floating_operand, into, widened
from suanzi.operators.creation.filled import empty
from suanzi.operators.linalg.products import linear
from suanzi.operators.registry import operator
from suanzi.operators.shapes import shape_of
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.joining import stack
from suanzi.operators.transform.rearranging import slice
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.dtypes import DType, float32, float64, uint8

_NAME = "linear_packed"


def fields(codes: Tensor, bits: int) -> Tensor:
    """Unpack numbers of `bits` bits from bytes, the lowest bits first. Each number becomes an element along the last
    axis.
    """
    if bits == 8:
        return codes
    parts = [bitwise_and(bitwise_right_shift(codes, shift), 2**bits - 1) for shift in range(0, 8, bits)]
    return reshape(stack(parts, -1), (*codes.shape[:-1], codes.shape[-1] * len(parts)))


def centred_codes(codes: Tensor, zero_points: Tensor | None, bits: int, dtype: DType) -> Tensor:
    """Return the unpacked codes minus the zero points, as a tensor of shape (features, blocks, elements of a block)."""
    numbers = astype(fields(codes, bits), dtype)
    if zero_points is None:
        return numbers - float(2 ** (bits - 1))
    if zero_points.dtype is uint8:
        zero_points = slice(fields(zero_points, bits), 0, codes.shape[1], axis=1)
    return numbers - reshape(astype(zero_points, dtype, copy=False), (*codes.shape[:2], 1))


def _narrow(x: Any) -> Any:
    """Convert a float64 tensor to float32, because the core checks only calls without float64. Return any other operand
    unchanged.
    """
    return astype(x, float32) if isinstance(x, Tensor) and x.dtype is float64 else x


def _shape(call: Any) -> tuple[int, ...] | None:
    """Return the shape of the result of `linear_packed`, or None if the shape of an operand is unknown. The last size
    is the number of output features. The other sizes are the leading sizes of `x`.
    """
    x, codes = shape_of(call.x), shape_of(call.codes)
    return (*x[:-1], codes[0]) if x and codes else None


@operator(
    "F",
    ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    name="nn.linear_packed",
    family="product",
    operands=("x", "codes", "scales", "zero_points", "bias"),
    shape=_shape,
)
def linear_packed(
    x: Tensor,
    codes: Tensor,
    scales: Tensor,
    /,
    zero_points: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    bits: int = 4,
    out: Tensor | None = None,
) -> Tensor:
    """Linear layer, x Wᵀ + b, whose weight consists of packed codes of 2, 4 or 8 bits (权重压缩的线性操作).

    A row of the weight consists of blocks with the same number of elements, which is a multiple of 16. A code c of a
    block represents the number ``(c - zero_point) * scale`` with the block's own zero point and scale. The layout is
    the layout of ONNX's ``MatMulNBits``. The function reads the stored codes directly. Codes of 4 bits need an eighth
    of the bytes of float32.

    Parameters
    ----------
    x : Tensor
        A floating tensor of shape (…, in).
    codes : Tensor
        A tensor of uint8 and of shape (out, blocks, bytes of a block): the codes along a row of the weight, the lowest
        bits of a byte first. The last block may extend beyond the end of the row. The function ignores the codes beyond
        the end.
    scales : Tensor
        A floating tensor of shape (out, blocks).
    zero_points : Tensor, optional
        The zero points: a floating tensor of shape (out, blocks), or a uint8 tensor of shape (out, bytes of a row),
        packed like the codes. By default all zero points are ``2 ** (bits - 1)``.
    bias : Tensor, optional
        A floating tensor of shape (out,).
    bits : int, optional
        The number of bits of a code: 2, 4 or 8.

    Returns
    -------
    Tensor
        A tensor of shape (…, out) and of the type of `x`. The function computes in float32 and rounds once. If `x` is
        float64, the function decodes the weight and computes in float64. The result is the same on any number of
        threads.

    Raises
    ------
    TypeMismatchError
        The codes are not uint8, another operand is not floating, or an operand is float64 although `x` is not float64.
    DimensionsMismatchError
        The shapes do not fit each other, or the number of elements of a block is not a multiple of 16.
    InvalidArgumentError
        `bits` is not 2, 4 or 8.
    OutOfRangeError
        `bits` does not fit 64 bits.

    Source
    ------
    ONNX Runtime, operator ``com.microsoft.MatMulNBits``.

    Examples
    --------
    >>> import suanzi
    >>> codes = suanzi.full((1, 1, 8), 0x9A, dtype="uint8")  # 10, 9, 10, 9, …, which stand for 2, 1, 2, 1, …
    >>> x = suanzi.ones((1, 16))
    >>> print(suanzi.nn.linear_packed(x, codes, suanzi.tensor([[0.5]])))
    [[12.]]
    """
    count = _core.read_integer(_NAME, "bits", bits)
    dtype, x = floating_operand(_NAME, "x", x).dtype, widened(x, out)
    if dtype is not float64:
        return into(out, _core.linear_packed(_NAME, x, codes, scales, zero_points, bias, count))
    no_rows = empty((0,) * min(x.ndim, 1) + x.shape[-1:], dtype=float32)
    # The call of the core with an `x` of no rows only checks the operands.
    _core.linear_packed(_NAME, no_rows, codes, _narrow(scales), _narrow(zero_points), _narrow(bias), count)
    weight = centred_codes(codes, zero_points, count, float64)
    weight = weight * reshape(astype(scales, float64, copy=False), (*scales.shape, 1))
    rows = slice(reshape(weight, (codes.shape[0], prod(weight.shape[1:]))), 0, x.shape[-1], axis=1)
    return into(out, linear(x, rows, None if bias is None else astype(bias, float64, copy=False)))
