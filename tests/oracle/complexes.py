"""The operations on complex numbers: arithmetic in complex long double, functions by mpmath.

mpmath knows no signed zeros, so branch cuts are for the C library's long double functions (`on_the_cut`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from oracle.formats import EXTENDED, Array
from oracle.reals import round_to_decimals as round_reals

_BITS = 200


def to_mpmath(x: Any) -> Any:
    """A long double as an mpf, exactly."""
    mantissa, exponent = np.frexp(x)
    high = float(mantissa)
    return mpmath.ldexp(mpmath.mpf(high) + mpmath.mpf(float(mantissa - EXTENDED(high))), int(exponent))


def from_mpmath(x: Any) -> Any:
    """An mpf as a long double, to 64 bits or more."""
    if not mpmath.isfinite(x):
        return EXTENDED(float(x))
    mantissa, exponent = mpmath.frexp(x)
    high = float(mantissa)
    value = EXTENDED(high) + EXTENDED(float(mantissa - high))
    with np.errstate(over="ignore"):
        return np.ldexp(value, max(-20000, min(20000, int(exponent))))


def by_mpmath(f: Callable[..., Any]) -> Callable[..., Array]:
    """An mpmath function of numbers as one of complex long double arrays."""

    def apply(*operands: Array) -> Array:
        arrays = np.broadcast_arrays(*operands)
        out = np.empty(arrays[0].shape, np.clongdouble)
        with mpmath.workprec(_BITS):
            for i in np.ndindex(out.shape):
                z = f(*(mpmath.mpc(to_mpmath(a[i].real), to_mpmath(a[i].imag)) for a in arrays))
                out.real[i], out.imag[i] = from_mpmath(z.real), from_mpmath(z.imag)
        return out

    return apply


def on_the_cut(name: str) -> Callable[[Array], Array]:
    """The C library's function, which takes the side of a cut from the sign of a zero."""
    renamed = name.replace("asin", "arcsin").replace("acos", "arccos").replace("atan", "arctan")
    function: Callable[[Array], Array] = getattr(np, renamed)
    return function


def modulus(z: Array) -> Array:
    return np.asarray(np.hypot(z.real, z.imag))


def by_parts(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A real function applied to both parts."""

    def apply(z: Array) -> Array:
        out = np.empty(z.shape, np.clongdouble)
        out.real, out.imag = f(z.real), f(z.imag)
        return out

    return apply


def round_to_decimals(z: Array, *, decimals: int = 0, mode: str = "half_even") -> Array:
    return by_parts(lambda x: round_reals(x, decimals=decimals, mode=mode))(z)


def join(real: Array, imag: Array) -> Array:
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.clongdouble)
    out.real, out.imag = real, imag
    return out


def sign(z: Array) -> Array:
    size = modulus(z)
    return np.asarray(z / np.where(size == 0, 1, size))


def is_close(a: Array, b: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    near = (modulus(a - b) <= EXTENDED(atol) + EXTENDED(rtol) * modulus(b)) & np.isfinite(b)
    return np.asarray(near | (a == b) | (equal_nan & np.isnan(a) & np.isnan(b)))
