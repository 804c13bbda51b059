"""The operations on real floating-point numbers, as functions of long double arrays. Other modules round the results.

Operations for which long double is too narrow (the fused product and sum, rounding to decimals) use ratios of integers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .element_types import EXTENDED, Array, from_ratios
from .integers import choose

Ratio = tuple[int, int]  # numerator and positive denominator, not reduced


def _by_ratio(f: Callable[..., Ratio], fallback: Array, *operands: Array) -> Array:
    """Return f of the operands' exact ratios where all operands are finite, and the fallback elsewhere. Zeros have the
    fallback's sign.
    """
    out = np.array(fallback, dtype=EXTENDED)
    arrays = np.broadcast_arrays(*operands)
    finite = np.logical_and.reduce([np.isfinite(a) for a in arrays])
    rows = zip(*(a[finite] for a in arrays), strict=True)
    found = from_ratios([f(*(x.as_integer_ratio() for x in row)) for row in rows])
    out[finite] = np.where(found == 0, np.copysign(found, out[finite]), found)
    return out


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c, computed exactly before the last rounding."""

    def exact(x: Ratio, y: Ratio, z: Ratio) -> Ratio:
        return x[0] * y[0] * z[1] + z[0] * x[1] * y[1], x[1] * y[1] * z[1]

    return _by_ratio(exact, a * b + c, a, b, c)


def maximum(a: Array, b: Array) -> Array:
    """Return the maximum, or NaN if an operand is NaN. +0 is larger than -0 (IEEE 754-2019, 9.6)."""
    return np.asarray(np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b)))


def minimum(a: Array, b: Array) -> Array:
    return -maximum(-a, -b)


def clip(x: Array, low: Array, high: Array) -> Array:
    return minimum(maximum(x, low), high)


def trunc_divide(a: Array, b: Array) -> Array:
    """Return the integer part of the exact quotient."""
    plain = np.trunc(a / b)
    exact = np.rint((a - np.fmod(a, b)) / b)
    usable = np.isfinite(exact) & (np.abs(plain) < 2.0**60)
    return np.asarray(np.copysign(np.where(usable, exact, plain), a / b))


def reciprocal(x: Array) -> Array:
    return 1 / x


def floor_divide(a: Array, b: Array) -> Array:
    """Return the exact quotient rounded down, or floor(a / b) if an operand is infinite."""
    return np.asarray(np.where(np.isinf(a) | np.isinf(b), np.floor(a / b), np.floor_divide(a, b)))


def sign(x: Array) -> Array:
    """Return the sign, which is 0 for any zero."""
    return np.asarray(np.where(x == 0, EXTENDED(0), np.sign(x)))


def logaddexp_size(a: Array, b: Array) -> Array:
    """Return the scale for the error of logaddexp: the greatest of the summands and their sum."""
    return np.asarray(np.fmax(np.fmax(np.abs(a), np.abs(b)), np.abs(np.logaddexp(a, b))))


def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def equal_or_nan(a: Array, b: Array, equal_nan: bool) -> Array:
    return np.asarray((a == b) | (equal_nan & np.isnan(a) & np.isnan(b)))


def is_close(a: Array, b: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    near = (np.abs(a - b) <= EXTENDED(atol) + EXTENDED(rtol) * np.abs(b)) & np.isfinite(b)
    return np.asarray(near | equal_or_nan(a, b, equal_nan))


def round_to_decimals(x: Array, *, decimals: int = 0, mode: str = "half_even") -> Array:
    """Round each exact element to a number of decimals by the mode."""
    scale, unit = 10 ** max(decimals, 0), 10 ** max(-decimals, 0)

    def chosen(value: Ratio) -> Ratio:
        divisor = value[1] * unit
        floor, rest = divmod(value[0] * scale, divisor)
        return choose(floor, 2 * rest - divisor, rest != 0, value[0] < 0, mode) * unit, scale

    return _by_ratio(chosen, x, x)
