"""Tests of integer division by a constant, which the core computes by an inverse, and of floating-point remainders.

Python's integers are the oracle of division. Quotients of floating-point numbers have any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import suanzi
from suanzi.conformance.oracle.element_types import Array

# Functions of Python's integers for divisors other than 0. The test reduces overflowing results to the type.
FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "trunc_divide": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "fmod": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}


def called(name: str, x: suanzi.Tensor, divisor: int) -> suanzi.Tensor:
    if name == "trunc_divide":
        return suanzi.divide(x, divisor, rounding="trunc")
    return getattr(suanzi, name)(x, divisor)


def expected(name: str, a: Array, divisor: int) -> Array:
    f = FUNCTIONS[name]
    bits = 8 * a.dtype.itemsize
    wrapped = [f(int(v), divisor) % 2**bits for v in a] if divisor else [0] * len(a)
    return np.array(wrapped, f"u{a.dtype.itemsize}").view(a.dtype)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_byte_by_every_byte(name: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    a = np.arange(info.min, info.max + 1).astype(dtype)
    x = suanzi.tensor(a)
    for divisor in range(info.min, info.max + 1):
        result = called(name, x, divisor).numpy()
        assert (result == expected(name, a, divisor)).all(), divisor


@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wide(name: str, dtype: str) -> None:
    """Divisors are near powers of two and the type's limits. Dividends are near multiples of the divisor and limits."""
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    rng = np.random.default_rng(5)
    powers = [s * 2**k + d for k in range(info.bits) for d in (-1, 0, 1) for s in (1, -1)]
    drawn = [int(v) for v in rng.integers(low, high, 30, dtype, endpoint=True)]
    small = list(range(-12, 13))
    for divisor in {v for v in (*powers, *drawn, *small, low, low + 1, high - 1, high) if low <= v <= high}:
        quotients = [int(v) for v in rng.integers(low, high, 40, dtype, endpoint=True)]
        multiples = [q // (divisor or 1) * divisor + d for q in quotients for d in (-1, 0, 1)]
        values = (*multiples, *small, low, low + 1, high - 1, high, divisor, -divisor)
        a = np.array([v for v in values if low <= v <= high], dtype)
        result = called(name, suanzi.tensor(a), divisor).numpy()
        assert (result == expected(name, a, divisor)).all(), divisor


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64"])
def test_long_and_strided(dtype: str) -> None:
    """Dividends fill several tiles, of which the last is incomplete. Divisors are one number or many, mostly equal."""
    a = np.random.default_rng(6).integers(0, 100, 200_003).astype(dtype)
    for divisor in (7, 10, 64):
        x = suanzi.tensor(a)
        for name in ("floor_divide", "remainder"):
            wanted = getattr(np, name)(a, a.dtype.type(divisor))
            one = suanzi.tensor([divisor], dtype=dtype)
            assert (getattr(suanzi, name)(x, divisor).numpy() == wanted).all()
            assert (getattr(suanzi, name)(x, one).numpy() == wanted).all()
            assert (getattr(suanzi, name)(x, suanzi.full_like(x, divisor)).numpy() == wanted).all()
            assert (getattr(suanzi, name)(x[::3], divisor).numpy() == wanted[::3]).all()
    alike_but_one = np.full(50, 7, dtype)
    alike_but_one[49] = 3
    assert (
        suanzi.floor_divide(suanzi.tensor(a[:50]), suanzi.tensor(alike_but_one)).numpy() == a[:50] // alike_but_one
    ).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rests_of_large_quotients_are_exact(dtype: str) -> None:
    """`fmod` equals Python's exact `fmod`. `remainder` is that result, moved once to the sign of the divisor."""
    t = np.dtype(dtype)
    rng = np.random.default_rng(27)
    unsigned = f"u{t.itemsize}"
    info = np.finfo(t)
    special = np.array([info.max, info.tiny, info.smallest_subnormal, 1, 3, 7], t)
    patterns = rng.integers(0, 2 ** (8 * t.itemsize), (2, 20_001), unsigned).view(t)
    a = np.concatenate([patterns[0], np.repeat(special, special.size), -np.repeat(special, special.size)])
    b = np.concatenate([patterns[1], np.tile(special, special.size), np.tile(special, special.size)])
    good = np.isfinite(a) & (b != 0) & ~np.isnan(b)
    a, b = a[good], b[good]
    rests = np.array([math.fmod(float(p), float(q)) for p, q in zip(a, b, strict=True)])
    assert np.array_equal(
        suanzi.fmod(suanzi.tensor(a), suanzi.tensor(b)).numpy().view(unsigned), rests.astype(t).view(unsigned)
    )
    moved = np.where((rests != 0) & (np.signbit(rests) != np.signbit(b)), rests + b.astype(np.float64), rests)
    expected = np.where(rests == 0, np.copysign(0.0, b), moved).astype(t)
    found = suanzi.remainder(suanzi.tensor(a), suanzi.tensor(b)).numpy()
    assert np.array_equal(found.view(unsigned), expected.view(unsigned))
