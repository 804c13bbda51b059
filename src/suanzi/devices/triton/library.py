# mypy: ignore-errors
# Triton compiles the text of these functions, so the functions use only the part of Python that Triton supports.
"""Functions that kernels call, because Triton lacks the functions or treats zeros and NaN differently from Suanzi."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def greater(a, b):
    """Return the greater of two numbers: NaN if a number is NaN, and the positive zero of two zeros."""
    larger = tl.where(a > b, a, tl.where((a == b) & (a == 0), a + b, b))
    return tl.where(a != a, a, tl.where(b != b, b, larger))


@triton.jit
def lesser(a, b):
    """Return the lesser of two numbers: NaN if a number is NaN, and the negative zero of two zeros."""
    return greater(a * -1.0, b * -1.0) * -1.0


@triton.jit
def whole(x, first):
    """Round to the nearest integer, half to even. Numbers of at least `first` have no fractions."""
    size = tl.abs(x)
    near = (size + first) - first
    return tl.where(size < first, tl.where(signed(x), near * -1.0, near), x)


@triton.jit
def signed(x):
    """Return whether the sign bit is set, for zeros as well."""
    bits = x.to(tl.int64, bitcast=True) if x.dtype == tl.float64 else x.to(tl.int32, bitcast=True)
    return bits < 0


@triton.jit
def with_sign(x, y):
    """Return the magnitude of x with the sign of y."""
    return tl.where(signed(x) == signed(y), x, x * -1.0)


@triton.jit
def sign(x):
    """Return -1, 0 or 1, and NaN for NaN."""
    return tl.where(x != x, x, (x > 0).to(x.dtype) - (x < 0).to(x.dtype))


@triton.jit
def key(x):
    """Return an integer for each floating number. The integers are in the order of the floating numbers, with -0 before
    0 and NaN last.
    """
    if x.dtype == tl.float64:
        bits = x.to(tl.int64, bitcast=True)
        most = tl.full([], 0x7FFFFFFFFFFFFFFF, tl.int64)
    else:
        bits = x.to(tl.int32, bitcast=True)
        most = tl.full([], 0x7FFFFFFF, tl.int32)
    return tl.where(x != x, most, tl.where(bits < 0, bits ^ most, bits))


@triton.jit
def of_key(k):
    """Return the floating number whose `key` is the integer `k`."""
    if k.dtype == tl.int64:
        x = tl.where(k < 0, k ^ 0x7FFFFFFFFFFFFFFF, k).to(tl.float64, bitcast=True)
    else:
        x = tl.where(k < 0, k ^ 0x7FFFFFFF, k).to(tl.float32, bitcast=True)
    return x


@triton.jit
def number(low, high):
    """Return a float64 number from the two halves of its bits. Triton would read a Python float as float32."""
    bits = (high.to(tl.int64) << 32) | (low.to(tl.int64) & 0xFFFFFFFF)
    return bits.to(tl.float64, bitcast=True)


@triton.jit
def saturated(x, least: tl.constexpr, most: tl.constexpr):
    """Return floating numbers as int64, truncated toward zero and clipped to two limits. NaN becomes 0."""
    wide = x.to(tl.float64)
    wide = tl.where(wide != wide, 0.0, wide)
    over, under = wide >= most, wide <= least
    inside = tl.where(over | under, 0.0, wide).to(tl.int64)
    return tl.where(over, tl.full([], most, tl.int64), tl.where(under, tl.full([], least, tl.int64), inside))


__all__ = ["libdevice"]
