"""The operations on real floating numbers, as functions of long double arrays, rounded nowhere but there.

Where long double is not wide enough (the fused product and sum, rounding to decimals) fractions are used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor as integer_floor
from typing import Any

import numpy as np

from oracle.formats import EXTENDED, Array, from_fraction
from oracle.integers import choose

ZERO = EXTENDED(0)


def _fraction(x: Any) -> Fraction:
    mantissa, exponent = np.frexp(x)
    return Fraction(int(np.ldexp(mantissa, 64))) * Fraction(2) ** (int(exponent) - 64)


def _by_fraction(f: Callable[..., Fraction], fallback: Array, *operands: Array) -> Array:
    """f where all operands are finite, else what is there already; a zero keeps the fallback's sign."""
    arrays = np.broadcast_arrays(*operands)
    out = np.array(fallback, dtype=EXTENDED)
    for i in np.ndindex(out.shape):
        items = [a[i] for a in arrays]
        if all(np.isfinite(items)):
            value = from_fraction(f(*map(_fraction, items)))
            out[i] = value if value != 0 else np.copysign(ZERO, out[i])
    return out


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """Exact before the last rounding."""
    return _by_fraction(lambda x, y, z: x * y + z, a * b + c, a, b, c)


def maximum(a: Array, b: Array) -> Array:
    """NaN from either side; +0 is larger than -0 (IEEE 754-2019, 9.6)."""
    return np.asarray(np.where((a == b) & np.signbit(a), b, np.maximum(a, b)))


def minimum(a: Array, b: Array) -> Array:
    return -maximum(-a, -b)


def clip(x: Array, low: Array, high: Array) -> Array:
    return minimum(maximum(x, low), high)


def trunc_divide(a: Array, b: Array) -> Array:
    """The integer part of the exact quotient."""
    plain = np.trunc(a / b)
    exact = np.rint((a - np.fmod(a, b)) / b)
    usable = np.isfinite(exact) & (np.abs(plain) < 2.0**60)
    return np.asarray(np.copysign(np.where(usable, exact, plain), a / b))


def floor_divide(a: Array, b: Array) -> Array:
    """The floor of the exact quotient; NaN for an infinite dividend, as in Python."""
    return np.asarray(np.floor_divide(a, b))


def remainder(a: Array, b: Array) -> Array:
    return np.asarray(np.remainder(a, b))


def reciprocal(x: Array) -> Array:
    return 1 / x


def sign(x: Array) -> Array:
    """Zeros keep their sign."""
    return np.asarray(np.where(x == 0, x, np.sign(x)))


def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def is_close(a: Array, b: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    near = (np.abs(a - b) <= EXTENDED(atol) + EXTENDED(rtol) * np.abs(b)) & np.isfinite(b)
    return np.asarray(near | (a == b) | (equal_nan & np.isnan(a) & np.isnan(b)))


def round_to_decimals(x: Array, *, decimals: int = 0, mode: str = "half_even") -> Array:
    """The number of so many decimals that the mode chooses for the exact x."""
    unit = Fraction(10) ** -decimals

    def chosen(value: Fraction) -> Fraction:
        scaled = value / unit
        floor = integer_floor(scaled)
        rest = scaled - floor
        return choose(floor, rest - Fraction(1, 2), rest != 0, value < 0, mode) * unit

    return _by_fraction(chosen, x, x)
