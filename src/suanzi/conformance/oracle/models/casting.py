"""Models of casts, and the numbers that test casts between two types: limits, ties and fractions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from ..compare import Expected, exactly
from ..element_types import (
    ELEMENT_TYPES,
    EXTENDED,
    STRING,
    Array,
    ElementType,
    convert,
    exact,
    real_part,
    type_of,
    typed,
)
from .model import Elements, Model, Shape

_POWERS = (3, 7, 8, 9, 11, 12, 15, 16, 24, 25, 31, 32, 53, 54, 62, 63, 64)


def cast(x: Array, dtype: ElementType, copy: bool = True) -> Expected:
    """Return the expected cast of an array. Each element is truncated, rounded once, wrapped around or compared
    with 0.
    """
    with np.errstate(all="ignore"):
        values = exact(x)
        if type_of(x).kind == "C" and dtype.kind == "B":
            return exactly(np.asarray(values != 0))
        if type_of(x).kind == "F" and dtype.kind in "US":
            return exactly(np.trunc(values).astype(np.int64 if dtype.kind == "S" else np.uint64).astype(dtype.numpy))
        return exactly(typed(convert(values, dtype), dtype))


def telling(source: ElementType, target: ElementType) -> Array:
    """Return elements that test a cast to another type, such as the limits of the type and ties between two of its
    numbers. The result contains no element whose cast is unspecified.
    """
    numbers = [EXTENDED(0), EXTENDED(1), *_near_powers()]
    if source.kind == "C":
        parts = telling(real_part(source), real_part(target) if target.kind == "C" else target)
        zero = parts.dtype.type(0)
        both, alone = [(x, x) for x in parts], [*((x, zero) for x in parts), *((zero, x) for x in parts)]
        pairs = np.array([*product(parts[:24], parts[1:3]), *both, *alone])
        found = np.empty(len(pairs), source.numpy)
        found.real, found.imag = pairs[:, 0], pairs[:, 1]
        return found
    if source.kind == "B":
        return np.array([False, True, True, False])
    if source.kind in "US":
        low, high = source.range
        whole = (
            {int(x) for x in numbers}
            | {-int(x) for x in numbers}
            | {low, low + 1, high, high - 1}
            | set(_twice_rounded())
        )
        return typed(np.array(sorted(n for n in whole if low <= n <= high), object), source)
    numbers += [EXTENDED(x) for x in (0.25, 0.5, 0.75, 0.9375, 1.5, 2.5, 3.5, 1e-3, 126.5, 127.5, 254.5, 255.5, 100.25)]
    if target.kind in "FC":
        numbers += [*_ties(real_part(target)), EXTENDED(np.inf), EXTENDED(np.nan)]
    with np.errstate(all="ignore"):
        values = np.array([*numbers, *(-x for x in numbers)], EXTENDED)
        found = np.unique(typed(values, source))
        found = np.concatenate([found, -found[found == 0]])
    if target.kind in "US":
        low, high = target.range
        wide = exact(found)
        kept = np.isfinite(wide) & (np.trunc(wide) >= EXTENDED(low)) & (np.trunc(wide) <= EXTENDED(high))
        found = found[kept]
    return found


def _near_powers() -> Iterator[Any]:
    """Yield powers of two and neighbours of the powers, which are all exact in 64 bits."""
    for power in _POWERS:
        for off in (-1, 0, 1, 2, 3) if power < 64 else (-1, 0):
            yield EXTENDED(2) ** power + EXTENDED(off)


def _twice_rounded() -> Iterator[int]:
    """Yield integers that an intermediate rounding would turn into ties."""
    for bits, wide in ((24, 53), (11, 24), (8, 24)):
        for top in (54, 60, 62):
            tie = 2**top + 2 ** (top - bits)
            yield from (tie, tie + 1, tie - 1, tie + 2 ** (top - wide - 1), tie + 3 * 2 ** (top - bits))
            yield -tie - 1


def _ties(t: ElementType) -> Iterator[Any]:
    """Yield midpoints between successive numbers of a floating type, and numbers near these midpoints. Some numbers are
    at the upper end of the type's range, and some are near the least numbers.
    """
    half = np.ldexp(EXTENDED(1), -t.precision)
    for base in (half, 3 * half):
        for off in (EXTENDED(0), np.ldexp(EXTENDED(1), -40), np.ldexp(EXTENDED(1), -52)):
            yield from (1 + base + off, 1 + base - off)
    end = np.ldexp(EXTENDED(1), t.greatest) * (2 - half)
    largest = np.ldexp(EXTENDED(1), t.greatest) * (2 - 2 * half)
    least = np.ldexp(EXTENDED(1), t.least - t.precision + 1)
    yield from (largest, end, end * (1 - np.ldexp(EXTENDED(1), -20)), end * (1 - np.ldexp(EXTENDED(1), -50)), end * 2)
    yield from (least, least / 2, least * 0.75, least * 1.5, least * 2.5, least / 4, np.ldexp(EXTENDED(1), t.least))


def _small(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return (elements.small(shape),)


_TARGETS = (
    ("float64", "BIF"),
    ("int32", "BIF"),
    ("float32", "BIF"),
    ("int64", "IF"),
    ("complex64", "FC"),
    ("bool", "FIC"),
)

MODELS = (
    *(Model("astype", cast, types=types, operands=_small, by_place=("dtype",), special="",
            constant={"dtype": ELEMENT_TYPES[target]}, choices={"copy": (True, False)}) for target, types in _TARGETS),
    Model("astype", lambda x, dtype, copy=True: x, types="S", by_place=("dtype",), constant={"dtype": STRING}, long=()),
)  # fmt: skip
