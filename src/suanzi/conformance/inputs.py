"""What the checks compute on: values of each element type, in every arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from math import prod

import numpy as np

from suanzi.conformance.element_types import ELEMENT_TYPES, Array, ElementType

SEED = 20250137
SAMPLES = 200


@cache
def special_values(name: str) -> Array:
    """Zeros, ones, extremes, denormals, infinities and NaN of a type, each where it exists."""
    t = ELEMENT_TYPES[name]
    if t.kind == "B":
        return np.array([False, True])
    if t.kind in "US":
        low, high = (0, 2**t.bits - 1) if t.kind == "U" else (-(2 ** (t.bits - 1)), 2 ** (t.bits - 1) - 1)
        values = {0, 1, 2, 3, 7, 10, low, low + 1, high - 1, high, max(low, -1), max(low, -3)}
        return np.array(sorted(values), dtype=t.numpy)
    if t.kind == "C":
        parts = [0.0, 1.0, -1.0, 0.5, -2.0]
        return np.array([complex(re, im) for re in parts for im in parts], dtype=t.numpy)
    largest = np.ldexp(2.0 - 2.0 ** (1 - t.precision), t.greatest_exponent)
    normal = np.ldexp(1.0, t.least_exponent)
    denormal = np.ldexp(1.0, t.least_exponent - t.precision + 1)
    positive = [
        0.0,
        1.0,
        0.5,
        2.0,
        2.5,
        3.0,
        np.pi,
        100.0,
        largest,
        normal,
        denormal,
        np.inf,
        1 - 2.0**-t.precision,
    ]
    return np.array([*positive, *(-v for v in positive), np.nan], dtype=np.float64).astype(t.numpy)


@cache
def random_values(name: str, which: int) -> Array:
    """Reproducible samples; `which` tells the operands of one call apart."""
    t = ELEMENT_TYPES[name]
    rng = np.random.default_rng((SEED, which, list(ELEMENT_TYPES).index(name)))
    if t.kind == "B":
        return rng.random(SAMPLES) < 0.5
    if t.kind in "US":
        info = np.iinfo(t.numpy)
        wide = rng.integers(info.min, info.max, SAMPLES, dtype=t.numpy, endpoint=True)
        small = rng.integers(max(info.min, -20), 20, SAMPLES, dtype=t.numpy, endpoint=True)
        return np.where(rng.random(SAMPLES) < 0.5, wide, small)
    if t.kind == "C":
        return (_floats(rng, 0.0) + 1j * _floats(rng, 0.0)).astype(t.numpy)
    spread = rng.uniform(t.least_exponent, t.greatest_exponent, SAMPLES)
    return _floats(rng, np.where(rng.random(SAMPLES) < 0.5, spread, 0.0)).astype(t.numpy)


def _floats(rng: np.random.Generator, exponent: Array | float) -> Array:
    return np.asarray(rng.uniform(-2.0, 2.0, SAMPLES) * np.exp2(exponent))


def value_operands(names: tuple[str, ...]) -> tuple[Array, ...]:
    """Every combination of two operands' special values, then random ones; one-dimensional."""
    specials = [special_values(name) for name in names]
    if len(names) == 1:
        combined = specials
    else:
        first, second = np.broadcast_arrays(specials[0][:, None], specials[1][None, :])
        combined = [first.ravel(), second.ravel()]
        combined += [np.resize(s, first.size) for s in specials[2:]]
    return tuple(
        np.concatenate([c, random_values(name, i)]) for i, (c, name) in enumerate(zip(combined, names, strict=True))
    )


def _fill(name: str, which: int, shape: tuple[int, ...]) -> Array:
    return np.resize(random_values(name, which), shape)


def arrangements(names: tuple[str, ...]) -> Iterator[tuple[str, tuple[Array, ...]]]:
    """Labelled operands that differ in shape and strides, not in what is asked of them."""
    n = range(len(names))
    yield "zero-dimensional", tuple(_fill(names[i], i, ()) for i in n)
    yield "empty", tuple(_fill(names[i], i, (0, 3)) for i in n)
    yield "one element", tuple(_fill(names[i], i, (1,)) for i in n)
    yield "strided", tuple(_fill(names[i], i, (5, 22))[::2, 1::3] for i in n)
    yield (
        "transposed",
        tuple(_fill(names[i], i, (5, 7)).T if i % 2 == 0 else _fill(names[i], i, (7, 5)) for i in n),
    )
    yield "negative stride", tuple(_fill(names[i], i, (4, 9))[::-1, ::-1] for i in n)
    if len(names) > 1:
        shapes = [(4, 1, 3), (5, 1), ()]
        yield "broadcast", tuple(_fill(names[i], i, shapes[i]) for i in n)


def accepted(accepts: str, available: frozenset[str]) -> list[ElementType]:
    """The element types of the kinds that an operator accepts and a provider has."""
    return [t for t in ELEMENT_TYPES.values() if t.accepted_as in accepts and t.name in available]


Order = tuple[int, ...]

# Every logical order (6.4) of small shapes, dimensions of size 0 and 1 among them.
ORDERS = [
    (shape, order)
    for rank in range(4)
    for shape in product((0, 1, 2, 3) if rank < 3 else (0, 1, 2), repeat=rank)
    for order in permutations(range(rank))
]


def in_memory(shape: tuple[int, ...], order: Order) -> Array:
    """Each element's place in memory: the first dimension in the order varies fastest."""
    slowest_first = order[::-1]
    block = np.arange(prod(shape), dtype=np.float32).reshape([shape[axis] for axis in slowest_first])
    return block.transpose([slowest_first.index(axis) for axis in range(len(shape))])
