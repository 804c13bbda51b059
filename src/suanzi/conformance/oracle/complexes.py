"""The operations on complex numbers, as functions of arrays of complex long doubles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import reals
from .element_types import EXTENDED, Array


def modulus(z: Array) -> Array:
    return np.asarray(np.hypot(z.real, z.imag))


def join(real: Array, imag: Array) -> Array:
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.clongdouble)
    out.real, out.imag = real, imag
    return out


def by_parts(f: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function that applies the real function `f` to both parts of complex numbers."""
    return lambda z, **options: join(f(z.real, **options), f(z.imag, **options))


def multiply_add_size(a: Array, b: Array, c: Array) -> Array:
    """Return the scale for the error of a * b + c. The scale is the largest of the rounded numbers."""
    return np.asarray(np.fmax(np.fmax(modulus(a * b), modulus(c)), modulus(a * b + c)))


def sign(z: Array) -> Array:
    size = modulus(z)
    return np.asarray(z / np.where(size == 0, 1, size))


def is_close(a: Array, b: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    near = (modulus(a - b) <= EXTENDED(atol) + EXTENDED(rtol) * modulus(b)) & np.isfinite(b)
    return np.asarray(near | reals.equal_or_nan(a, b, equal_nan))


def expm1(z: Array) -> Array:
    """Return exp(z) - 1 = expm1(re)cos(im) - 2sin²(im/2) + i exp(re)sin(im)."""
    real = np.expm1(z.real) * np.cos(z.imag) - 2 * np.sin(z.imag / 2) ** 2
    return join(real, np.exp(z.real) * np.sin(z.imag))


def log1p(z: Array) -> Array:
    """Return the logarithm of 1 + z. Near 0, the formula |1 + z|² - 1 = re(2 + re) + im² avoids cancellation."""
    near = join(np.log1p(z.real * (2 + z.real) + z.imag**2) / 2, np.arctan2(z.imag, 1 + z.real))
    return np.asarray(np.where(modulus(z) < 0.5, near, np.log(join(1 + z.real, z.imag))))
