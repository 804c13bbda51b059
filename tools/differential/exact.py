"""Exact numbers for the differential runs: operands that are hard to compute with, rationals, and comparisons.

A real value is a Fraction, or a float if the value is NaN or infinite. A complex value is a pair of real values.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import suanzi
from suanzi import Tensor

mpmath.mp.prec = 240

FLOATING = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REAL = ("bool", *INTEGERS, *FLOATING)
NUMBERS = (*REAL, *COMPLEX)
# Bits of the significand, and the exponents of the least normal number and the least power of 2 beyond the range.
FORMATS = {
    "float16": (11, -14, 16),
    "bfloat16": (8, -126, 128),
    "float32": (24, -126, 128),
    "float64": (53, -1022, 1024),
}
PARTS = {"complex64": "float32", "complex128": "float64"}

Exact = Any  # a Fraction, or a float that is NaN or infinite


# --- operands ---


def shape_of(rng: random.Random, least_rank: int = 0, most_rank: int = 3, empty: bool = True) -> tuple[int, ...]:
    """Draw the sizes of a tensor: mostly few elements, sometimes no elements, seldom a long row."""
    if most_rank == 3 and least_rank < 2 and rng.random() < 0.01:
        return (rng.choice([300, 3000]),)
    rank = rng.randint(least_rank, most_rank)
    sizes = [0, 1, 2, 3, 4, 7] if empty and rng.random() < 0.15 else [1, 2, 3, 4, 7]
    return tuple(rng.choice(sizes) for _ in range(rank))


def number(rng: random.Random, dtype: str, plain: bool = False) -> Any:
    """Draw an element of a type, such as a small number, a number around the range's limits, an infinity or NaN."""
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype in INTEGERS:
        low, high = suanzi.as_dtype(dtype).limits
        some = [rng.randint(-5, 5), rng.randint(-100, 100), rng.randint(low, high)]
        if not plain:
            some += [rng.choice([low, low + 1, high, high - 1, 2**24 + 1, 2**53 + 1, -(2**53) - 1, high // 2, 0])]
        return min(max(rng.choice(some), low), high)
    precision, least, most = FORMATS[dtype]
    if plain:
        return rng.choice([rng.uniform(-10, 10), rng.gauss(0, 1), float(rng.randint(-5, 5))])
    kind = rng.randrange(8)
    if kind < 3:
        return rng.choice([rng.uniform(-10, 10), rng.gauss(0, 1), float(rng.randint(-5, 5)), rng.uniform(-120, 120)])
    if kind < 5:
        return rng.choice([-1, 1]) * rng.uniform(1, 2) * 2.0 ** rng.randint(least - precision + 2, most - 2)
    if kind == 5:
        return rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0])
    if kind == 6:
        greatest = (2 - 2.0 ** (1 - precision)) * 2.0 ** (most - 1)
        return rng.choice([-1, 1]) * rng.choice([greatest, greatest / 2, 2.0**least, 2.0 ** (least - precision + 1)])
    return rng.choice([math.inf, -math.inf, math.nan])


def operand(rng: random.Random, dtype: str, shape: Sequence[int], plain: bool | None = None) -> Tensor:
    """Draw a tensor of a type and a shape: contiguous, reversed, strided, transposed or in Fortran order."""
    if plain is None:
        plain = rng.random() < 0.4
    shape = tuple(shape)
    how = rng.randrange(5) if shape else 0
    made = tuple(2 * n for n in shape) if how == 1 else shape[::-1] if how in (2, 3) else shape
    count = math.prod(made)
    numbers = [number(rng, PARTS.get(dtype, dtype), plain) for _ in range(count * (2 if dtype in COMPLEX else 1))]
    if dtype in COMPLEX:
        numbers = [complex(a, b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
    kind: Any = np.float64 if dtype in FLOATING else np.complex128 if dtype in COMPLEX else np.dtype(dtype)
    x = suanzi.astype(suanzi.tensor(np.array(numbers, kind).reshape(made)), dtype)
    if how == 1:
        return x[tuple(slice(rng.randrange(2), None, 2) for _ in shape)]
    if how in (2, 3):
        return suanzi.permute_dims(x, tuple(reversed(range(len(shape)))))
    return x[tuple(slice(None, None, -1) for _ in shape)] if how == 4 else x


def exact(value: Any) -> Exact:
    """Return the exact value of a number of Python or mpmath."""
    if isinstance(value, complex):
        return exact(value.real), exact(value.imag)
    if isinstance(value, mpmath.mpf):
        if not mpmath.isfinite(value):
            return float(value)
        sign, mantissa, exponent, _ = value._mpf_
        # Exponents are cut to ±9000, which is far beyond the range of every type.
        size = Fraction(int(mantissa)) * Fraction(2) ** max(-9000, min(int(exponent), 9000))
        return -size if sign else size
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return Fraction(value)


def elements(x: Tensor) -> list[Exact]:
    """Return the exact values of a tensor's elements in the order of their indices."""
    return [exact(value) for value in suanzi.flatten(x).tolist()]


def slices(x: Tensor, axes: Sequence[int]) -> tuple[tuple[int, ...], list[list[Exact]]]:
    """Return the sizes of the axes outside `axes`, and for each place along these axes the elements along `axes`."""
    kept = [i for i in range(x.ndim) if i not in axes]
    left = tuple(x.shape[i] for i in kept)
    rows = suanzi.reshape(
        suanzi.permute_dims(x, (*kept, *axes)), (math.prod(left), math.prod(x.shape[i] for i in axes))
    )
    return left, [elements(row) for row in rows]


def axes_of(rng: random.Random, rank: int) -> tuple[Any, tuple[int, ...]]:
    """Draw an argument `axis` for a tensor of a rank. Return `axis` and the tuple of the axes that `axis` means."""
    if rank == 0 or rng.random() < 0.3:
        return None, tuple(range(rank))
    if rng.random() < 0.6:
        axis = rng.randrange(rank)
        return axis - rng.choice([0, rank]), (axis,)
    some = tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))
    return some, some


# --- comparisons ---


def exponent_of(value: Fraction) -> int:
    """Return the greatest e such that 2^e does not exceed a nonzero number's absolute value."""
    size = abs(value)
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def unit(value: Fraction, dtype: str) -> Fraction:
    """Return the unit in the last place of a number."""
    precision, least, _ = FORMATS[dtype]
    return Fraction(2) ** (max(exponent_of(value), least) - precision + 1 if value else least - precision + 1)


def agrees(found: float, wanted: Exact, dtype: str, units: float = 0.5, more: Fraction = Fraction(0)) -> bool:
    """Return True if `found` is within `units` units in the last place, plus `more`, of the exact value `wanted`."""
    if isinstance(wanted, float):
        return math.isnan(found) if math.isnan(wanted) else found == wanted
    if math.isnan(found):
        return False
    bound = Fraction(units) * unit(wanted, dtype) + more
    if math.isinf(found):
        precision, _, most = FORMATS[dtype]
        limit = (2 - Fraction(1, 2**precision)) * Fraction(2) ** (most - 1)
        return (wanted > 0) == (found > 0) and abs(wanted) + bound >= limit
    return abs(Fraction(found) - wanted) <= bound


def wrapped(value: int, dtype: str) -> int:
    """Return the integer of a type to which a number wraps, modulo 2^bits."""
    low, high = suanzi.as_dtype(dtype).limits
    return int((value - low) % (high - low + 1) + low)


def added(values: Iterator[Exact] | Sequence[Exact]) -> Exact:
    """Return the exact sum of values, or an infinity or NaN by the rules of IEEE 754 if a value is not finite."""
    odd, total = 0.0, Fraction(0)
    for value in values:
        if isinstance(value, float):
            odd += value
        else:
            total += value
    return total if odd == 0 else odd


def magnitude(values: Sequence[Exact]) -> Fraction:
    """Return the greatest absolute value among the finite numbers."""
    return max((abs(x) for x in values if isinstance(x, Fraction)), default=Fraction(0))


def is_nan(value: Exact) -> bool:
    if isinstance(value, tuple):
        return any(is_nan(part) for part in value)
    return isinstance(value, float) and math.isnan(value)


def is_finite(value: Exact) -> bool:
    return isinstance(value, Fraction)


def root(value: Fraction) -> Fraction:
    return Fraction(0) if value == 0 else exact(mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator))


def indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(n) for n in shape))
