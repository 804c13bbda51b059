"""Probes of the creation of sparse tensors (chapter 7.2.1.14).

A provider's `to_numpy` returns all elements of a sparse tensor, stored or not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..inputs import Maker, sample, types
from ..oracle.compare import exactly
from ..oracle.element_types import Array, ElementType
from ..probe import Probe, Refusal, Value
from ..status import Status

# Shapes, and the coordinates of some elements in random order.
_CASES: tuple[tuple[tuple[int, ...], list[tuple[int, ...]]], ...] = (
    ((3, 4), [(2, 3), (0, 0), (1, 2), (0, 3)]),
    ((5,), [(4,), (1,)]),
    ((2, 3, 2), [(1, 2, 1), (0, 0, 1), (1, 0, 0)]),
    ((1, 1000), [(0, 999)]),
    ((2, 2), []),
)


def _places(shape: tuple[int, ...], places: list[tuple[int, ...]]) -> Array:
    return np.array(places, np.int64).reshape(len(places), len(shape))


def _with(shape: tuple[int, ...], indices: Array, values: Array) -> Array:
    dense = np.zeros(shape, values.dtype)
    dense[tuple(indices.T)] = values
    return dense


def _sparse_tensor(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for shape, places in _CASES:
            indices, values = _places(shape, places), _values(t, len(places))
            expected = exactly(_with(shape, indices, values))
            yield Value(operator, f"{t.name} {shape}", (shape, indices, values, len(places)), expected)
    indices, values = _places((3, 4), _CASES[0][1]), np.ones(4, np.float32)
    for t in types(available, "I"):
        if t.name in ("int16", "int32", "int64"):
            expected = exactly(_with((3, 4), indices, values))
            yield Value(operator, f"indices of {t.name}", ((3, 4), indices.astype(t.numpy), values), expected)
    yield Refusal(operator, "an index past the shape", ((2, 4), indices, values), Status.OUT_OF_RANGE)
    yield Refusal(operator, "a negative index", ((3, 4), -indices, values), Status.OUT_OF_RANGE)
    yield Refusal(operator, "too few values", ((3, 4), indices, values[:3]), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "too few coordinates", ((3, 4, 5), indices, values), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "another number", ((3, 4), indices, values, 5), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "a negative size", ((3, -4), indices, values), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "indices that are not integers", ((3, 4), indices / 1, values), Status.TYPE_MISMATCH)


def _values(t: ElementType, count: int) -> Array:
    return sample(t, (count,))


def _to_sparse(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        for shape, places in _CASES:
            dense = _with(shape, _places(shape, places), _values(t, len(places)))
            dense = np.where(dense == 0, np.zeros(1, t.numpy), dense)  # no zero is stored, so -0 becomes 0
            yield Value(operator, f"{t.name} {shape}", (dense,), exactly(dense))
    yield Refusal(operator, "no dimensions", (np.ones((), np.float32),), Status.DIMENSIONS_MISMATCH)


PROBES: dict[str, Maker] = {"sparse_tensor": _sparse_tensor, "to_sparse": _to_sparse}
