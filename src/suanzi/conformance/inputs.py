"""The operands of the checks: values of each element type, in every memory arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product
from math import prod

import numpy as np

from .oracle.element_types import (
    ELEMENT_TYPES,
    EXTENDED,
    Array,
    ElementType,
    real_part,
    round_to,
    typed,
)
from .probe import Probe

Maker = Callable[[str, frozenset[str]], Iterator[Probe]]
"""The type of functions that make the probes of one function, for the element types that a provider has."""

SEED = 20250137
SAMPLES = 200


def specials(t: ElementType) -> Array:
    """Return the special values of a type, the most important first. Small complex numbers come last."""
    if t.kind == "B":
        return np.array([False, True])
    if t.kind in "US":
        low, high = t.range
        numbers = [0, 1, high, low, 2, 7, high - 1, high // 2 + 1, 10]
        numbers += [-1, low + 1, -7, 3, -3] if t.kind == "S" else [3, 15, t.bits]
        return typed(np.array(numbers, object), t)
    one = EXTENDED(1)
    largest = np.ldexp(2 - np.ldexp(one, 1 - t.precision), t.greatest)
    least = np.ldexp(one, t.least)
    tiny = np.ldexp(one, t.least - t.precision + 1)
    reals = [np.nan, np.inf, -0.0, -np.inf, 0.0, -1.0, largest, tiny, 0.5, 2.0, -largest, least, one]
    positive = [2.5, 3.0, np.pi, 100.0, 1 - np.ldexp(one, -t.precision)]
    reals += [*positive, *(-x for x in (tiny, 0.5, 2.0, least, *positive))]
    grid = [complex(re, im) for re in _GRID for im in _GRID] if t.kind == "C" else []
    return typed(np.array([*reals, *grid]), t)


_GRID = (0.0, 1.0, -1.0, 0.5, -2.0)


def random(t: ElementType, count: int, rng: np.random.Generator) -> Array:
    """Return random elements of a type. Integers are small, or are from the type's whole range. Real numbers are
    moderate, or are from nearly the whole range of the type. Complex numbers have moderate parts.
    """
    if t.kind == "B":
        return rng.integers(0, 2, count).astype(bool)
    if t.kind in "US":
        low, high = t.range
        wide = rng.integers(low, high, count, dtype=t.numpy, endpoint=True)
        near = rng.integers(-9 if t.kind == "S" else 0, 10, count).astype(t.numpy)
        return np.where(rng.random(count) < 0.5, wide, near)
    if t.kind == "C":
        return (moderate(real_part(t), count, rng) + 1j * moderate(real_part(t), count, rng)).astype(t.numpy)
    wide = np.ldexp(rng.uniform(1, 2, count), rng.integers(t.least, t.greatest, count))
    wide *= rng.choice([-1, 1], count)
    mixed = np.where(rng.random(count) < 0.3, wide, moderate(t, count, rng))
    return typed(round_to(mixed.astype(EXTENDED), t), t)


def moderate(t: ElementType, count: int, rng: np.random.Generator) -> Array:
    """Return random floating numbers of either sign, with absolute values between 1/1000 and 10."""
    size = np.where(rng.random(count) < 0.5, rng.uniform(0.001, 1, count), rng.uniform(1, 10, count))
    values = (size * rng.choice([-1, 1], count)).astype(EXTENDED)
    return typed(round_to(values, t), t)


@cache
def random_values(t: ElementType, which: int) -> Array:
    """Return reproducible random elements of a type. `which` distinguishes the operands of one call."""
    return random(t, SAMPLES, np.random.default_rng((SEED, which, list(ELEMENT_TYPES).index(t.name))))


def value_operands(types: list[ElementType]) -> list[Array]:
    """Return a vector for each operand: every combination of the first two operands' special values, and random values.

    Complex operands have no infinite or NaN parts, because the standard does not define results for these parts.
    """
    special = [specials(t)[-(len(_GRID) ** 2) :] if t.kind == "C" else specials(t) for t in types]
    if len(types) > 1:
        first, second = np.broadcast_arrays(special[0][:, None], special[1][None, :])
        special = [first.ravel(), second.ravel(), *(np.resize(s, first.size) for s in special[2:])]
    return [np.concatenate([s, random_values(t, i)]) for i, (s, t) in enumerate(zip(special, types, strict=True))]


def edge_operands(t: ElementType, arity: int) -> list[Array]:
    """Return a vector of complex numbers for each operand: every pair of numbers whose parts are zeros of either sign,
    numbers near 1, and numbers whose squares overflow or vanish.
    """
    far = 3 * t.greatest // 4
    large, small = 2.0**far, 2.0**-far
    parts = [0.0, -0.0, 1.5, -2.0, 3 * large, -4 * large, 5 * small, -small]
    numbers = np.empty(len(parts) ** 2, t.numpy)
    numbers.real, numbers.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
    if arity == 1:
        return [numbers]
    second = np.tile(numbers, len(numbers))
    return [np.repeat(numbers, len(numbers)), *[second] * (arity - 1)]


def mixed_operands(types: list[ElementType], common: ElementType) -> list[Array]:
    """Return a vector for each operand of a call with operands of different types: every pair of a few small numbers,
    and random numbers. The conversion to the common type is exact.
    """
    small = np.arange(4)
    pairs = [np.repeat(small, len(small)), *[np.tile(small, len(small))] * (len(types) - 1)]

    def drawn(t: ElementType, which: int) -> Array:
        rng = np.random.default_rng((SEED, which))
        if t.kind == "C":  # small parts, because a power multiplies the error of a logarithm by the exponent
            return rng.uniform(-2, 2, (SAMPLES, 2)).astype(real_part(t).numpy).view(t.numpy)[:, 0]
        if t.kind == "F":
            return moderate(t, SAMPLES, rng)
        return random_values(t, which) if common.kind in "BUS" else rng.integers(0, 11, SAMPLES).astype(t.numpy)

    return [np.concatenate([x.astype(t.numpy), drawn(t, i)]) for i, (x, t) in enumerate(zip(pairs, types, strict=True))]


# The aspect that each arrangement tests.
ASPECT_OF = {
    "zero-dimensional": "ranks",
    "empty": "empty",
    "one element": "ranks",
    "strided": "layouts",
    "transposed": "layouts",
    "negative stride": "layouts",
    "broadcast": "broadcasting",
}


def arrangements(types: list[ElementType]) -> Iterator[tuple[str, list[Array]]]:
    """Yield the name of each memory arrangement, and operands that have this arrangement."""

    def fill(which: int, shape: tuple[int, ...]) -> Array:
        return np.resize(random_values(types[which], which), shape)

    n = range(len(types))
    yield "zero-dimensional", [fill(i, ()) for i in n]
    yield "empty", [fill(i, (0, 3)) for i in n]
    yield "one element", [fill(i, (1,)) for i in n]
    yield "strided", [fill(i, (5, 22))[::2, 1::3] for i in n]
    yield (
        "transposed",
        [fill(i, (5, 7)).T if i % 2 == 0 else fill(i, (7, 5)) for i in n],
    )
    yield "negative stride", [fill(i, (4, 9))[::-1, ::-1] for i in n]
    if len(types) > 1:
        shapes = [(4, 1, 3), (5, 1), ()]
        yield "broadcast", [fill(i, shapes[i]) for i in n]


def accepted(accepts: str, available: frozenset[str]) -> list[ElementType]:
    """Return the element types that an operator accepts and a provider has, the most important first."""
    found = [t for t in ELEMENT_TYPES.values() if t.letter in accepts and t.name in available]
    return sorted(found, key=lambda t: _FIRST.index(t.name) if t.name in _FIRST else len(_FIRST) + (t.kind == "B"))


_FIRST = ("float32", "int32", "complex64", "float64", "int64")


Order = tuple[int, ...]

# Small shapes, also with sizes of 0 and 1, and every logical order of each shape (chapter 6.4 of the standard).
ORDERS = [
    (shape, order)
    for rank in range(4)
    for shape in product((0, 1, 2, 3) if rank < 3 else (0, 1, 2), repeat=rank)
    for order in permutations(range(rank))
]


def in_memory(shape: tuple[int, ...], order: Order) -> Array:
    """Return an array of each element's place in memory. The first dimension in the order varies fastest."""
    slowest_first = order[::-1]
    block = np.arange(prod(shape), dtype=np.float32).reshape([shape[axis] for axis in slowest_first])
    return block.transpose([slowest_first.index(axis) for axis in range(len(shape))])


def types(available: frozenset[str], kinds: str = "BIFC") -> list[ElementType]:
    """Return the element types of given kinds that a provider has."""
    return accepted(kinds, available)


def accumulated(t: ElementType) -> ElementType:
    """Return the type of a sum of elements: 64 bits for integers and bool."""
    return t if t.kind in "FC" else ELEMENT_TYPES["uint64" if t.kind == "U" else "int64"]


def sample(t: ElementType, shape: tuple[int, ...]) -> Array:
    """Return an array of a given shape that repeats the special values of a type."""
    return np.resize(specials(t), shape)
