"""Arithmetic, products, conversions and comparisons whose definition by ONNX differs from suanzi's definition."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property, partial, reduce
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, _core, tuning
from suanzi.interop.onnx.compositions.narrow import closed, opened
from suanzi.interop.onnx.compositions.reading import of_same_shape
from suanzi.interop.onnx.precision import HALVES
from suanzi.interop.onnx.rows import Prepared
from suanzi.interop.onnx.types import AnyType, Stored, dtype_of, element_type
from suanzi.tensor.messages import shown


def divide(a: Tensor, b: Tensor) -> Tensor:
    """Divide two tensors. Quotients of integers are truncated toward zero."""
    return suanzi.divide(a, b, rounding="trunc" if a.dtype.is_integer else None)


def power(x: Tensor, y: Tensor) -> Tensor:
    """Return powers in the type of the base, whatever the type of the exponent."""
    if x.dtype is y.dtype:
        return suanzi.square(x) if _is_two(y) else suanzi.pow(x, y)
    if not x.dtype.is_integer:
        return suanzi.astype(suanzi.pow(suanzi.astype(x, HALVES.get(x.dtype, x.dtype), copy=False), y), x.dtype)
    if not y.dtype.is_integer:
        return _power_of_integers(x, suanzi.astype(y, suanzi.float64, copy=False))
    if y.dtype is suanzi.uint64:
        # A smaller exponent that int64 holds leads to the same power. Powers of odd numbers modulo 2**64 repeat after
        # 2**62, and powers of even numbers are 0 for exponents of at least 64.
        y = suanzi.where(y >> 62 == 0, y, (y & (2**62 - 1)) | 2**62)
        y = suanzi.astype(y, suanzi.int64)
    return suanzi.astype(suanzi.pow(x, y), x.dtype, copy=False)


def _is_two(y: Tensor) -> bool:
    """Return whether an exponent is the float32 number 2. A square of float32 has the same bits as the power."""
    return y.dtype is suanzi.float32 and y.ndim == 0 and not _core.is_tracing() and y.item() == 2


def _power_of_integers(x: Tensor, y: Tensor) -> Tensor:
    """Return truncated powers of integers to real exponents. For integer exponents, powers within int64 are exact."""
    values = suanzi.pow(suanzi.astype(x, suanzi.float64), y)
    result = suanzi.astype(values, x.dtype)
    if x.dtype.itemsize < y.dtype.itemsize:
        return result
    size = suanzi.abs(values)  # float64 holds every integer up to 2**53
    inexact = (suanzi.floor(y) == y) & (y > 0) & (size >= 2.0**53) & (size < 2.0**63)
    return suanzi.where(inexact, suanzi.pow(x, suanzi.astype(suanzi.clip(y, 0.0, 64.0), suanzi.int64)), result)


def modulo_10(a: Tensor, b: Tensor, *, fmod: int) -> Tensor:
    if not fmod and not a.dtype.is_integer:
        raise InvalidArgumentError(f"Mod: fmod is 0, but before opset 28 must be 1 for operands of {a.dtype}")
    return modulo(a, b, fmod=fmod)


def modulo(a: Tensor, b: Tensor, *, fmod: int) -> Tensor:
    return (suanzi.fmod if fmod else suanzi.remainder)(a, b)


def bit_shift(x: Tensor, y: Tensor, *, direction: str) -> Tensor:
    return (suanzi.bitwise_left_shift if direction == "LEFT" else suanzi.bitwise_right_shift)(x, y)


def folded(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Return a function that applies an operator of two operands to any number of operands."""

    return partial(_folded, function)


def _folded(function: Callable[[Tensor, Tensor], Tensor], *operands: Tensor) -> Tensor:
    return reduce(function, operands)


total = folded(suanzi.add)


def mean(*operands: Tensor) -> Tensor:
    return reduce(suanzi.add, operands) / len(operands)


def is_inf(x: Tensor, *, detect_negative: int, detect_positive: int) -> Tensor:
    if detect_negative and detect_positive:
        return suanzi.isinf(x)
    if detect_negative:
        return suanzi.equal(x, -math.inf)
    return suanzi.equal(x, math.inf) if detect_positive else suanzi.zeros(x.shape, dtype=suanzi.bool)


def clip(x: Tensor, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    if min is None and max is None:
        return x
    return suanzi.clip(x, _bound("min", min), _bound("max", max))


def _bound(name: str, bound: Tensor | float | None) -> Tensor | float | None:
    """Return a bound of Clip. Vectors of one element, which ONNX Runtime accepts, become tensors of shape ()."""
    if not isinstance(bound, Tensor) or not bound.ndim:
        return bound
    if bound.shape != (1,):
        raise DimensionsMismatchError(f"Clip: {name} of shape {bound.shape} is not a scalar")
    return suanzi.reshape(bound, ())


def gemm(*, alpha: float, beta: float, transpose_a: int, transpose_b: int) -> Callable[..., Tensor]:
    """Return a function that computes ``alpha A B + beta C`` with the given attributes. The function broadcasts C."""
    return partial(_gemm, alpha, beta, transpose_a, transpose_b)  # unlike a lambda, a partial function can be pickled


def _gemm(
    alpha: float, beta: float, transpose_a: int, transpose_b: int, a: Tensor, b: Tensor, c: Tensor | None = None
) -> Tensor:
    if transpose_a:
        a = a.T
    if alpha == beta == 1 and c is not None and c.ndim == 1 and a.ndim == 2 and c.size > 1:
        return suanzi.linear(a, b if transpose_b else b.T, c)
    if transpose_b:
        b = b.T
    product = suanzi.matmul(a, b)
    if product.ndim != 2:
        raise DimensionsMismatchError(f"Gemm: operands of shapes {a.shape} and {b.shape} are not matrices")
    if c is not None and beta == 0:  # C is not read, so NaN in C does not reach the result
        if not _broadcasts(c.shape, product.shape):
            raise DimensionsMismatchError(f"Gemm: shape {c.shape} of C does not broadcast to {product.shape}")
        c = None
    dtype = product.dtype
    if dtype.is_integer and (alpha != 1 or (c is not None and beta != 1)):  # alpha and beta are real numbers
        product = suanzi.astype(product, suanzi.float64)
        c = None if c is None else suanzi.astype(c, suanzi.float64)
    if alpha != 1:
        product = product * alpha
    if c is not None:
        if c.ndim == 1:  # for a single row, adding equal shapes is faster than broadcasting
            c = c[None]
        product = of_same_shape("Gemm", suanzi.add(product, c if beta == 1 else c * beta), product)
    return suanzi.astype(product, dtype, copy=False)


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Return whether the shape `shape` broadcasts to the shape `to`."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(size in (1, wanted) for size, wanted in pairs)


class CodedMatrix:
    """A matrix of codes, or a stack of matrices, that multiplies other codes. Zero points are subtracted from the codes
    of both operands.

    The second call packs a matrix, because only a matrix that the model stores is multiplied twice. With the packed
    matrix, a product of 16 rows of 384 codes takes half the time (Zen 5). The packed matrix takes as much memory as the
    codes, or twice as much on processors without an instruction for bytes. The codes also stay in memory.
    """

    def __init__(self, codes: Tensor, zero: Tensor | None = None) -> None:
        self.codes = codes
        self.panels: Tensor | None = None
        self.is_used = False
        self.zeros: Tensor | None = None  # present only if columns have different zero points
        self.zero: int = 0
        if zero is not None and _is_uniform(zero):
            self.zero = suanzi.reshape(zero, (-1,))[0].item()
        elif zero is not None:
            self.zeros = suanzi.astype(zero, suanzi.int32)

    def __call__(self, a: Tensor, a_zero: Tensor | None = None) -> Tensor:
        """Return the products in int32, corrected by the sums of codes if the zero points of rows or columns differ."""
        points = None if a_zero is None or a_zero.size == 1 else a_zero
        zero = a_zero.item() if a_zero is not None and points is None else 0
        product = self._times(a, zero)
        terms = a.shape[-1]
        if points is not None:  # one zero point per row
            points = suanzi.astype(points if points.ndim != 1 else suanzi.reshape(points, (-1, 1)), suanzi.int32)
            product = product - points * (self.column_sums - terms * self.zero)
        if self.zeros is not None:
            rows = suanzi.sum(a, -1, keepdims=True, dtype=suanzi.int32)
            product = product - (rows - terms * (zero if points is None else points)) * self.zeros
        return product

    def _times(self, a: Tensor, zero: int) -> Tensor:
        codes, panels = self.codes, self.panels
        if panels is None and self.is_used and self.is_packable:
            panels = self.panels = _core.to_byte_panels(codes, self.zero)
        self.is_used = True
        # Panels of 16-bit numbers are twice as large as the codes, so a few rows take longer with such panels.
        if panels is None or (panels.size >= 2 * codes.size and a.size <= tuning.FEW_BYTE_ROWS * codes.shape[0]):
            return _core.matmul_integers(a, zero, codes, self.zero)
        terms, columns = codes.shape
        return _core.multiply_byte_panels(a, zero, panels, terms, columns, self.zero)

    @property
    def is_packable(self) -> bool:
        """Return whether the matrix is large, and has so many columns that the padded panels stay small."""
        codes = self.codes
        return codes.ndim == 2 and codes.size >= tuning.PACKED_MATRIX and codes.shape[1] >= tuning.LEAST_BYTE_COLUMNS

    @cached_property
    def column_sums(self) -> Tensor:
        return suanzi.sum(self.codes, -2, keepdims=True, dtype=suanzi.int32)


def _is_uniform(zero: Tensor) -> bool:
    return zero.size == 1 or (zero.size > 1 and zero.ndim == 1 and bool(suanzi.all(suanzi.equal(zero, zero[0]))))


def matmul_integer(a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None) -> Tensor:
    """Subtract zero points from two matrices of codes, and return the product of the differences in int32."""
    return CodedMatrix(b, b_zero)(a, a_zero)


def times(matrix: CodedMatrix, a: Tensor, a_zero: Tensor | None = None) -> Tensor:
    return matrix(a, a_zero)


matmul_of_codes = Prepared((1, 3), CodedMatrix, times)


def einsum(*operands: Tensor, equation: str) -> Tensor:
    return suanzi.einsum(equation, *operands)


def cast(x: Tensor | Stored, *, to: int, saturate: int = 1, round_mode: str = "up") -> Tensor | Stored:
    """Cast a tensor to another type. `saturate` and `round_mode` apply only to the float8 types."""
    return _cast(x, element_type(to, "Cast"), saturate, round_mode)


def cast_like(
    x: Tensor | Stored, target: Tensor | Stored, *, saturate: int = 1, round_mode: str = "up"
) -> Tensor | Stored:
    return _cast(x, target.dtype, saturate, round_mode)


def _cast(x: Tensor | Stored, dtype: AnyType, saturate: int, round_mode: str) -> Tensor | Stored:
    if x.dtype is dtype:
        return x
    tensor = opened(x)
    if isinstance(dtype, DType):
        return converted(tensor, dtype)
    if tensor.dtype is suanzi.string:
        tensor = converted(tensor, suanzi.float32)
    return closed(tensor, dtype, saturate, round_mode)


def converted(x: Tensor, dtype: DType) -> Tensor:
    """Return the elements in another type. The function also converts numbers to texts and texts to numbers."""
    if x.dtype is dtype or suanzi.string not in (x.dtype, dtype):
        return suanzi.astype(x, dtype, copy=False)
    flat = suanzi.reshape(x, (x.size,)).tolist()
    if dtype is suanzi.string:
        values = suanzi.tensor([_text(v, x.dtype) for v in flat], dtype=dtype)
    else:
        numbers = [number(text, dtype, "Cast") for text in flat]
        # The conversion of float64 rounds numbers that are too large to infinities.
        values = suanzi.astype(suanzi.tensor(numbers, dtype=dtype if dtype.is_integer else suanzi.float64), dtype)
    return suanzi.reshape(values, x.shape)


def _text(value: Any, dtype: DType) -> str:
    """Return the text of a number without an exponent. A whole number has all digits. Any other number has enough
    digits to identify the number.
    """
    if dtype.kind_name != "real floating" or not math.isfinite(value):
        return str(value)
    return f"{value:.0f}" if value == int(value) else f"{Decimal(str(dtype.numpy.type(value))):f}"


def number(text: str, dtype: DType, operator: str) -> float:
    """Return the number that a text spells in ASCII. Integer types accept only whole numbers without an exponent."""
    try:
        if text.isascii() and "_" not in text:  # Python also accepts digits of other scripts and underscores
            return int(text) if dtype.is_integer else float(text)
    except ValueError:
        pass
    raise InvalidArgumentError(f"{operator}: {shown(text)} is not a number of {dtype}")


def bit_cast(x: Tensor, *, to: int) -> Tensor:
    """Return the bytes of `x` as elements of another type of the same size."""
    dtype = dtype_of(to, "BitCast")
    if dtype.itemsize != x.dtype.itemsize or suanzi.string in (dtype, x.dtype):
        raise InvalidArgumentError(f"BitCast: elements of {x.dtype} do not have the size of {dtype}")
    return suanzi.from_reference(suanzi.contiguous(x).numpy().view(dtype.numpy))
