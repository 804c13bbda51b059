"""The elements of operands for the models: ordinary elements, and elements at which functions change their
behaviour.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .inputs import SEED, random, specials
from .oracle.element_types import ELEMENT_TYPES, STRING, Array, ElementType, real_part, typed
from .oracle.models.model import Shape

PERIOD = 997  # the period of ordinary elements: a prime, so that different tiles begin with different elements
WORDS = (
    "",
    "a",
    " a ",
    "ab",
    "b\t",
    "aa",
    "é",
    "e\u0301",
    "算子",
    "算",
    "\ufffd",
    "\U00010000",
    "B",
    "b" * 70,
    "a\0b",
    "ba",
)


class Drawn:
    """An object that makes elements of one type: random elements, or repetitions of the type's special elements."""

    def __init__(self, t: ElementType, *, special: bool = False, other: bool = False) -> None:
        self.type, self.special, self._more = t, special, 20 * other

    @property
    def extremes(self) -> Array:
        """The special values of the type."""
        return _extremes(self.type)

    def any(self, shape: Shape, place: int = 0) -> Array:
        if self.special and self.type.kind != "T":
            # The elements of the second operand change slowly, so that every pair of special values occurs.
            values, numbers = _extremes(self.type), np.arange(prod(shape))
            slow = numbers // len(values) if place == 1 else numbers * 7 // 3
            chosen: Array = values[(numbers if place == 0 else slow) % len(values)]
            return np.reshape(chosen, shape)
        return np.resize(_ordinary(self.type, place + self._more), shape)

    def small(self, shape: Shape, place: int = 0) -> Array:
        return np.resize(_small(self.type, place + self._more), shape)

    def moderate(self, shape: Shape, place: int = 0) -> Array:
        return np.resize(_moderate(self.type, place + self._more), shape)

    def index(self, size: int, shape: Shape, place: int = 0) -> Array:
        if size == 0:  # no index is valid
            return np.zeros(shape if 0 in shape else (0, *shape[1:]), np.int64)
        return np.random.default_rng((SEED, size, place)).integers(-size, size, shape)

    def truth(self, shape: Shape, place: int = 0) -> Array:
        return np.resize(_small(ELEMENT_TYPES["bool"], place + self._more), shape)

    def few(self, shape: Shape, place: int = 0) -> Array:
        found = np.zeros(shape, self.type.numpy)
        flat = found.reshape(-1)
        at = (
            slice(-1, None)
            if len(shape) == 1
            else slice(place + self._more // 10 + 5, None, PERIOD if flat.size > PERIOD else 11)
        )
        flat[at] = 1
        return found

    def factors(self, shape: Shape, place: int = 0) -> Array:
        return np.resize(_factors(self.type, place + self._more), shape)

    def distinct(self, shape: Shape, place: int = 0) -> Array:
        size, t = prod(shape), self.type
        order = np.random.default_rng((SEED, place + self._more, size)).permutation(size)
        if t is STRING:
            return np.asarray([f"算{number}" for number in order]).reshape(shape)
        held = 2**t.precision if t.kind in "FC" else 2 ** (t.bits - 1)
        numbers = order % min(held, 2**40) if t.kind != "B" else order % 2
        found: Array = np.reshape(typed(numbers, t), shape)
        return found


def _rng(t: ElementType, place: int, what: int) -> np.random.Generator:
    return np.random.default_rng((SEED, place, what, *t.name.encode()))


@cache
def _ordinary(t: ElementType, place: int) -> Array:
    rng = _rng(t, place, 0)
    if t is STRING:
        return np.asarray(np.array(WORDS)[rng.permutation(np.arange(PERIOD) % len(WORDS))])
    return _fixed(random(t, PERIOD, rng))


@cache
def _small(t: ElementType, place: int) -> Array:
    rng = _rng(t, place, 1)
    if t.kind == "B":
        return _fixed(rng.integers(0, 2, PERIOD).astype(bool))
    least = 0 if t.kind == "U" else -4
    numbers = rng.integers(least, 5, PERIOD)
    return _fixed(typed(numbers + 1j * rng.integers(-4, 5, PERIOD) if t.kind == "C" else numbers, t))


@cache
def _moderate(t: ElementType, place: int) -> Array:
    if t.kind in "BUST":
        return _small(t, place) if t.kind != "T" else _ordinary(t, place)
    rng = _rng(t, place, 2)

    def part() -> Array:
        sizes: Array = np.ldexp(rng.integers(1, 2**10, PERIOD) / 2**10, rng.integers(-3, 4, PERIOD))
        return np.asarray(sizes * rng.choice([-1, 1], PERIOD))

    return _fixed(typed(part() + 1j * part() if t.kind == "C" else part(), t))


@cache
def _factors(t: ElementType, place: int) -> Array:
    rng = _rng(t, place, 3)
    if t.kind == "B":
        return _fixed(np.arange(PERIOD) != 500)
    if t.kind in "US":
        return _fixed(typed(rng.integers(0, 60, PERIOD) * 2 + 1, t))
    numbers = rng.choice([-1.0, 1.0], PERIOD)
    numbers[[1, 7, 400]], numbers[[2, 8, 401]] = 2.0, 0.5
    return _fixed(typed(numbers * (1j ** rng.integers(0, 4, PERIOD) if t.kind == "C" else 1), t))


def _fixed(array: Array) -> Array:
    array.flags.writeable = False
    return array


@cache
def _extremes(t: ElementType) -> Array:
    """Return the special values of a type. For complex types, return every pair of the first 13 special
    values of the parts' type. These values include NaN and zeros of both signs.
    """
    if t.kind != "C":
        return _fixed(specials(t))
    parts = specials(real_part(t))[:13]
    pairs = np.array([*product(parts, parts)])
    found = np.empty(len(pairs), t.numpy)
    found.real, found.imag = pairs[:, 0], pairs[:, 1]
    return _fixed(found)


def numbers_of(t: ElementType) -> list[Any]:
    """Return Python numbers for an element type: ordinary numbers, extreme numbers, and numbers that the type must
    round.
    """
    if t.kind == "B":
        return [True, False]
    if t.kind in "US":
        low, high = t.range
        return [3, high, low or 1, *([2**53 + 1, high - 1] if t.bits == 64 else [])]
    reals = [0.1, 2, -0.0, float("inf"), float("-inf"), float("nan"), 2**11 + 1]
    if t.bits >= 32:
        reals += [2**24 + 1, 2**53 + 1, -1e30]
    return reals if t.kind == "F" else [0.1 - 0.3j, 2, 2.5, complex(-0.0, 2**24 + 1)]
