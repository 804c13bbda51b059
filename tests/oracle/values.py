"""Operands: every combination of a type's special values, then random ones of all magnitudes."""

from __future__ import annotations

import zlib
from itertools import product

import numpy as np

from oracle.elementwise import Rule
from oracle.formats import EXTENDED, FORMATS, Array, Format, integer_range, round_to, typed

SHAPE = (4, 6, 10)
COUNT = 240


def generator(*names: str) -> np.random.Generator:
    """The random numbers of a test, the same in every run."""
    return np.random.default_rng(zlib.crc32(" ".join(names).encode()))


def specials(f: Format) -> Array:
    """The numbers at which something changes, the most telling first."""
    if f.kind == "B":
        return np.array([False, True])
    if f.kind in "US":
        low, high = integer_range(f)
        numbers = [0, 1, high, low, 2, 7, high - 1, high // 2 + 1, 10]
        numbers += [-1, low + 1, -7] if f.kind == "S" else [3, 15, f.bits]
        return np.array(numbers, dtype=object).astype(f.numpy)
    one = EXTENDED(1)
    largest = np.ldexp(2 - np.ldexp(one, 1 - f.precision), f.greatest)
    least = np.ldexp(one, f.least)
    tiny = np.ldexp(one, f.least - f.precision + 1)
    numbers = [np.nan, np.inf, -0.0, -np.inf, 0.0, -1.0, largest, tiny, 0.5, 2.0, -largest, least]
    return typed(np.array(numbers, EXTENDED), f)


def random(f: Format, count: int, rng: np.random.Generator) -> Array:
    """Random numbers: near 1, of moderate size, and anywhere in the type's range."""
    if f.kind == "B":
        return rng.integers(0, 2, count).astype(bool)
    if f.kind in "US":
        return _random_integers(f, count, rng)
    if f.kind == "C":
        part = FORMATS["float64" if f.name == "complex128" else "float32"]
        return (moderate(part, count, rng) + 1j * moderate(part, count, rng)).astype(f.numpy)
    wide = np.ldexp(rng.uniform(1, 2, count), rng.integers(f.least, f.greatest, count))
    wide *= rng.choice([-1, 1], count)
    mixed = np.where(rng.random(count) < 0.3, wide, moderate(f, count, rng))
    return typed(round_to(mixed.astype(EXTENDED), f), f)


def _random_integers(f: Format, count: int, rng: np.random.Generator) -> Array:
    low, high = integer_range(f)
    wide = rng.integers(low, high, count, dtype=f.numpy, endpoint=True)
    near = rng.integers(-9 if f.kind == "S" else 0, 10, count).astype(f.numpy)
    return np.where(rng.random(count) < 0.5, wide, near)


def moderate(f: Format, count: int, rng: np.random.Generator) -> Array:
    """Random floating numbers between 1/1000 and 10, of either sign."""
    size = np.where(rng.random(count) < 0.5, rng.uniform(0.001, 1, count), rng.uniform(1, 10, count))
    values = (size * rng.choice([-1, 1], count)).astype(EXTENDED)
    return typed(round_to(values, f), f)


def operands(rule: Rule, f: Format) -> list[Array]:
    """COUNT elements for each operand of a rule on one type."""
    rng = generator(rule.name, f.name)
    types = [FORMATS["bool"] if rule.conditional and i == 0 else f for i in range(rule.arity)]
    columns = [random(t, COUNT, rng) for t in types]
    if f.kind != "C":
        kept = {1: 12, 2: 12, 3: 5}[rule.arity]
        rows = list(product(*(specials(t)[:kept] for t in types)))
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column[: len(rows)] = values
    if "shift" in rule.name:
        columns[1] = _shift_counts(f, rng)
    return columns


def _shift_counts(f: Format, rng: np.random.Generator) -> Array:
    counts = rng.integers(-2 if f.kind == "S" else 0, f.bits + 3, COUNT).astype(f.numpy)
    counts[:4] = np.array([*integer_range(f), f.bits - 1, f.bits], dtype=object).astype(f.numpy)
    return counts
