"""Probes of additional functions that no other module tests: cross products, nextafter, broadcasting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..inputs import Maker, random_values, sample, specials, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType, convert, exact, floating, typed
from ..probe import Probe, Refusal, Value
from ..status import Status


def _cross(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of cross products. The probes test small integers (exact in every type), integers that wrap around,
    each axis, and broadcasting.
    """
    for t in types(available, "IFC"):
        for shapes, axis in (
            (((3,), (3,)), -1),
            (((2, 3), (2, 3)), -1),
            (((2, 3), (2, 3)), 1),
            (((3, 4), (3, 4)), 0),
            (((2, 3, 4), (2, 3, 4)), -2),
            (((5, 1, 3), (4, 3)), -1),
            (((0, 3), (0, 3)), -1),
            (((400, 3), (400, 3)), -1),
        ):
            a, b = (_small(t, shape, place) for place, shape in enumerate(shapes))
            yield _product(operator, f"{t.name} of shapes {shapes}, axis={axis}", a, b, t, axis)
        if t.kind in "US":
            low, high = t.range
            a, b = np.array([high, high - 1, low], t.numpy), np.array([low, 3, high], t.numpy)
            yield _product(operator, f"{t.name} that wraps around", a, b, t, -1)
    x = np.ones((2, 3), np.float32)
    yield Refusal(operator, "two elements", (x[:, :2], x[:, :2]), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "other lengths", (x, x[:, :2]), Status.DIMENSIONS_MISMATCH)
    yield Refusal(
        operator, "shapes that do not broadcast", (x, np.ones((4, 3), np.float32)), Status.DIMENSIONS_MISMATCH
    )
    yield Refusal(operator, "no such axis", (x, x), Status.OUT_OF_RANGE, {"axis": 2})
    yield Refusal(operator, "bools", (x > 0, x > 0), Status.TYPE_MISMATCH)
    if "string" in available:
        yield Refusal(operator, "text", (np.array(["a", "b", "c"]), x[0]), Status.TYPE_MISMATCH)


def _product(operator: str, label: str, a: Array, b: Array, t: ElementType, axis: int) -> Value:
    wide = [np.moveaxis(exact(x).astype(object), axis, -1) for x in np.broadcast_arrays(a, b)]
    x, y = ([w[..., i] for i in range(3)] for w in wide)
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    found = np.moveaxis(np.stack([np.asarray(part) for part in parts], -1), -1, axis)
    if t.kind in "US":
        expected = Expected(t, convert(found, t))
    else:
        numbers = found.astype(np.clongdouble if t.kind == "C" else np.longdouble)
        expected = Expected(t, numbers, 1.0, signed_zero=False)
    return Value(operator, label, (a, b), expected, {"axis": axis})


def _small(t: ElementType, shape: tuple[int, ...], place: int) -> Array:
    numbers = (7 * np.arange(int(np.prod(shape))) + 3 * place) % 9 - (0 if t.kind == "U" else 4)
    values = numbers * (1 + 2j) if t.kind == "C" else numbers
    return typed(values.reshape(shape), t)


def _nextafter(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of `nextafter` on every pair of special values and on random numbers. The results are compared by
    bits.
    """
    for t in types(available, "F"):
        special = specials(t)
        first, second = (x.ravel() for x in np.broadcast_arrays(special[:, None], special[None, :]))
        x, y = np.concatenate([first, random_values(t, 0)]), np.concatenate([second, random_values(t, 1)])
        yield Value(operator, t.name, (x, y), exactly(_neighbours(x, y)))
        column = x[:6, None].copy()
        yield Value(
            operator, f"{t.name} broadcast", (column, y[:5]), exactly(_neighbours(*np.broadcast_arrays(column, y[:5])))
        )
        yield Value(operator, f"{t.name} empty", (x[:0], y[:0]), exactly(x[:0]), aspect="empty")
    for t in types(available, "I"):
        numbers = np.array([0, 1, 5, 100], t.numpy)
        single = numbers.astype(floating(t).numpy)
        expected = exactly(_neighbours(single, single[::-1].copy()))
        yield Value(operator, t.name, (numbers, numbers[::-1].copy()), expected)
    yield Refusal(operator, "complex numbers", (np.ones(2, np.complex64),) * 2, Status.TYPE_MISMATCH)
    yield Refusal(
        operator, "other shapes", (np.ones(2, np.float32), np.ones(3, np.float32)), Status.DIMENSIONS_MISMATCH
    )


def _neighbours(x: Array, y: Array) -> Array:
    """Return the number after `x` in the direction of `y`. The bits of a number, taken as an integer, grow by 1 from
    each absolute value to the next.
    """
    if x.size == 0:
        return x
    t = next(t for t in ELEMENT_TYPES.values() if t.numpy == x.dtype)
    bits = np.ascontiguousarray(x).view(f"u{t.bits // 8}")
    one = bits.dtype.type(1)
    with np.errstate(all="ignore"):
        a, b = x.astype(np.float64), y.astype(np.float64)
        away = (b > a) == (a > 0)
        stepped = np.where(away, bits + one, bits - one)
        sign = np.asarray(bits.dtype.type(1 << (t.bits - 1)))
        least = np.where(b < 0, sign | one, one).astype(bits.dtype)
        found = np.where(a == 0, least, stepped).astype(bits.dtype).view(x.dtype)
        found = np.where(a == b, y, found)
        return np.asarray(np.where(np.isnan(a) | np.isnan(b), np.array(np.nan, x.dtype), found), x.dtype)


_TO: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((3, 1, 4), (2, 3, 5, 4)),
    ((), (2, 3)),
    ((1,), (0,)),
    ((2, 1), (2, 3)),
    ((2, 3), (2, 3)),
    ((1, 2, 1, 2), (3, 1, 2, 5, 2)),
)


def _broadcast_to(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for shape, other in _TO:
            for label, x in (("", sample(t, shape)), (", by columns", sample(t, shape[::-1]).T)):
                expected = exactly(np.broadcast_to(x, other))
                yield Value(operator, f"{t.name}{label} {shape} to {other}", (x, other), expected)
    x = np.ones((2, 3), np.float32)
    for bad in ((2, 4), (3,), (3, 3), (), (2, 1), (4, 3, 2)):
        yield Refusal(operator, f"(2, 3) to {bad}", (x, bad), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "a size that is not a whole number", (x, (2, 2.5)), Status.TYPE_MISMATCH)


def _broadcast_tensors(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    several: tuple[tuple[tuple[int, ...], ...], ...] = (
        ((3, 4), (4,)),
        ((3, 1), (1, 4), ()),
        ((2, 3),),
        ((2, 1, 3), (4, 1), (5, 1, 1, 1), (3,)),
        ((0,), (1,)),
    )
    for t in types(available):
        for shapes in several:
            arrays: tuple[Any, ...] = tuple(sample(t, shape) for shape in shapes)
            expected = tuple(exactly(x) for x in np.broadcast_arrays(*arrays))
            yield Value(operator, f"{t.name} of shapes {shapes}", arrays, expected)
    pair = (np.ones((2, 3), np.float32), np.ones(2, np.float32))
    yield Refusal(operator, "shapes that do not broadcast", pair, Status.DIMENSIONS_MISMATCH)


PROBES: dict[str, Maker] = {
    "cross": _cross,
    "nextafter": _nextafter,
    "broadcast_to": _broadcast_to,
    "broadcast_tensors": _broadcast_tensors,
}
