"""Probes of searching and of selection by a mask: argmax, argmin, nonzero, masked_select, masked_fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import Maker, arrangements, random_values, specials, types
from ..oracle.compare import exactly
from ..oracle.element_types import Array, ElementType, exact
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed, several
from ..status import Status

_MATRIX = np.ones((2, 3), np.float32)


def _searched(t: ElementType, operator: str) -> Iterator[tuple[str, Array]]:
    """Yield labels and matrices: with equal elements, in several memory arrangements, with NaN and infinities, with
    zeros of both signs, and with long rows.
    """
    x = np.resize(random_values(t, 0)[:50], (7, 13))
    yield "", x
    yield ", negative stride", x[::-1, ::-1]
    yield ", transposed", x.T
    yield ", special values", np.resize(specials(t), (3, 31))
    if t.kind == "F":
        zeros = np.array([[-0.0, 0.0, -0.0], [0.0, -0.0, -0.0]]).astype(t.numpy)  # the first of equal elements counts
        yield ", zeros of both signs", zeros
    long = np.zeros((2, 70_000)).astype(t.numpy)
    long[0, 69_998:] = 1
    yield ", long rows", long if operator == "argmax" or t.kind == "B" else 1 - long


def _search(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    find: Callable[..., Any] = {"argmax": np.argmax, "argmin": np.argmin}[operator]
    for t in types(available, "BIF"):
        for label, x in _searched(t, operator):
            ordered = x if t.kind in "BUS" else exact(x)
            for axis in (None, 0, 1, -1):
                expected = exactly(np.asarray(find(ordered, axis=axis), np.int64))
                yield Value(operator, f"{t.name}, axis={axis}{label}", (x,), expected, {"axis": axis})
    kept = exactly(np.zeros((2, 1), np.int64))
    yield Value(operator, "keepdims", (_MATRIX,), kept, {"axis": 1, "keepdims": True})
    yield Refusal(operator, "no such axis", (_MATRIX,), Status.OUT_OF_RANGE, {"axis": 2})
    yield Refusal(operator, "no elements", (_MATRIX[:0],), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "complex numbers", (_MATRIX.astype(np.complex64),), Status.TYPE_MISMATCH)


def _sparse(t: ElementType) -> Iterator[tuple[str, Array]]:
    yield "special values", specials(t)
    for label, (x,) in arrangements([t]):
        zeros = np.random.default_rng(x.ndim).random(x.shape) < 0.5
        yield label, np.where(zeros, np.zeros(1, t.numpy), x).astype(t.numpy)
    long = np.zeros(70_001).astype(t.numpy)
    long[::7] = 1
    yield "long", long


def _nonzero(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    def coordinates(x: Array) -> Callable[[Provider], str | None]:
        def play(provider: Provider) -> str | None:
            function = needed(provider, operator)
            found = [provider.to_numpy(axis) for axis in several(function(provider.from_numpy(x)), x.ndim)]
            expected = np.nonzero(x != 0)
            if len(found) != len(expected):
                return f"returned {len(found)} vectors for {x.ndim} dimensions"
            wrong = [k for k in range(x.ndim) if not np.array_equal(found[k], expected[k])]
            return f"other coordinates along axis {wrong[0]}" if wrong else None

        return play

    for t in types(available):
        for label, x in _sparse(t):
            if x.ndim > 0:
                yield Scenario(operator, f"{t.name}, {label}", coordinates(x))
    yield Refusal(operator, "a scalar", (np.ones((), np.float32),), Status.DIMENSIONS_MISMATCH)


def _count_nonzero(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for label, x in _sparse(t):
            yield Value(operator, f"{t.name}, {label}", (x,), exactly(np.asarray((x != 0).sum(), np.int64)))


def _masked(available: frozenset[str]) -> Iterator[tuple[str, Array, Array]]:
    for t in types(available):
        for label, (x,) in arrangements([t]):
            mask = np.random.default_rng(x.ndim).random(x.shape) < 0.5
            yield f"{t.name}, {label}", x, np.asarray(mask)
    yield "a mask that is broadcast", _MATRIX, np.array([True, False, True])


def _masked_select(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for label, x, mask in _masked(available):
        yield Value(operator, label, (x, mask), exactly(x[np.broadcast_to(mask, x.shape)]))
    yield Refusal(operator, "shapes that do not fit", (_MATRIX, np.ones(2, bool)), Status.DIMENSIONS_MISMATCH)


def _masked_fill(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for label, x, mask in _masked(available):
        expected = x.copy()
        expected[np.broadcast_to(mask, x.shape)] = 1
        yield Value(operator, label, (x, mask, 1), exactly(expected))
    yield Refusal(operator, "shapes that do not fit", (_MATRIX, np.ones(2, bool), 1), Status.DIMENSIONS_MISMATCH)
    small = _MATRIX.astype(np.int8)
    yield Refusal(operator, "a value that does not fit", (small, small, 300), Status.OUT_OF_RANGE)
    yield Refusal(operator, "a value of another kind", (small, small, 0.5), Status.TYPE_MISMATCH)


PROBES: dict[str, Maker] = {
    **dict.fromkeys(("argmax", "argmin"), _search),
    "nonzero": _nonzero,
    "count_nonzero": _count_nonzero,
    "masked_select": _masked_select,
    "masked_fill": _masked_fill,
}
