"""Probes of gathering and scattering by index. Each expected element follows from the definition of the operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import SEED, sample, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, convert
from ..probe import Probe, Refusal, Value
from ..status import Status

_SHAPE = (3, 4, 5)
_INDEX_TYPES = ("int64", "int32", "int8", "uint8")


def _indices(size: int, shape: tuple[int, ...], name: str = "int64") -> Array:
    least = 0 if name.startswith("u") else -size
    return np.random.default_rng((SEED, size, *shape)).integers(least, size, shape).astype(name)


def _built(x: Array, shape: tuple[int, ...], place: Callable[[tuple[int, ...]], tuple[Any, ...]]) -> Expected:
    """Return the expected result of a given shape. For each position in the result, `place` returns the place of the
    element in `x`.
    """
    result = np.empty(shape, x.dtype)
    for position in np.ndindex(shape):
        result[position] = x[place(position)]
    return exactly(result)


def _slices(x: Array, index: Array, axis: int) -> Expected:
    axis %= x.ndim
    end = axis + index.ndim
    shape = x.shape[:axis] + index.shape + x.shape[axis + 1 :]
    return _built(x, shape, lambda p: (*p[:axis], index[p[axis:end]], *p[end:]))


def _along(x: Array, index: Array, axis: int) -> Expected:
    axis %= x.ndim
    return _built(x, index.shape, lambda p: (*p[:axis], index[p], *p[axis + 1 :]))


def _tuples(x: Array, index: Array, batch: int) -> Expected:
    depth, end = index.shape[-1], index.ndim - 1
    shape = index.shape[:-1] + x.shape[batch + depth :]
    return _built(x, shape, lambda p: (*p[:batch], *index[p[:end]], *p[end:]))


def _gathered(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of gather, take, index_select and take_along_axis, which accept an index and an axis."""
    along = operator == "take_along_axis"
    expect = _along if along else _slices
    for t in types(available):
        for label, x in (
            ("", sample(t, _SHAPE)),
            (", transposed", sample(t, _SHAPE[::-1]).T),
            (", reversed", sample(t, _SHAPE)[::-1]),
        ):
            for axis in (0, 1, -1):
                shape = (*x.shape[:axis], 6, *x.shape[axis:][1:]) if along else (2, 3)
                index = _indices(x.shape[axis], shape)
                yield Value(
                    operator, f"{t.name}, axis={axis}{label}", (x, index), expect(x, index, axis), {"axis": axis}
                )
    x = np.arange(60, dtype=np.float32).reshape(_SHAPE)
    for name in _INDEX_TYPES:
        index = _indices(3, _SHAPE if along else (4,), name)
        yield Value(operator, f"{name} indices", (x, index), expect(x, index, 0), {"axis": 0})
    none = np.zeros((0, 4, 5) if along else (0,), np.int64)
    yield Value(operator, "no indices", (x, none), expect(x, none, 0), {"axis": 0})
    shape = (1, 1, 1) if along else (1,)
    for bad in (3, -4):
        yield Refusal(operator, f"index {bad} of 3", (x, np.full(shape, bad)), Status.OUT_OF_RANGE, {"axis": 0})
    yield Refusal(operator, "no such axis", (x, np.zeros(shape, np.int64)), Status.OUT_OF_RANGE, {"axis": 3})
    yield Refusal(operator, "indices that are not integers", (x, np.zeros(shape)), Status.TYPE_MISMATCH, {"axis": 0})


def _take(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    yield from _gathered(operator, available)
    x, index = np.arange(12, dtype=np.float32).reshape(3, 4).T, np.array([[11, 0], [-1, 5]])
    yield Value(operator, "without an axis", (x, index), _slices(x.reshape(-1), index, 0))


def _gather_nd(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        x = sample(t, _SHAPE)
        for batch, tuples, depth in (
            (0, (6,), 1),
            (0, (2, 3), 2),
            (0, (), 3),
            (1, (3,), 1),
            (1, (3, 2), 2),
            (2, (3, 4), 1),
        ):
            parts = [_indices(n, tuples) for n in _SHAPE[batch : batch + depth]]
            index = np.stack(parts, -1)
            expected = _tuples(x, index, batch)
            label = f"{t.name}, {depth} indices, batch_dims={batch}"
            yield Value(operator, label, (x, index), expected, {"batch_dims": batch})
    x = np.zeros((2, 3), np.float32)
    yield Refusal(operator, "an index beyond", (x, np.array([[0, 3]])), Status.OUT_OF_RANGE)
    yield Refusal(
        operator, "longer tuples than dimensions", (x, np.zeros((1, 3), np.int64)), Status.DIMENSIONS_MISMATCH
    )
    yield Refusal(operator, "indices that are not integers", (x, np.zeros((1, 2))), Status.TYPE_MISMATCH)


def _gather_tiled(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        x, index = sample(t, _SHAPE[::-1]).T, _indices(4, (6,))
        for tile in ((1, 1, 1), (2, 4, 3), (9, 9, 9)):
            yield Value(operator, f"{t.name}, tile={tile}", (x, index, tile), _slices(x, index, 1), {"axis": 1})
    x, index = np.zeros(_SHAPE, np.float32), np.zeros(2, np.int64)
    yield Refusal(operator, "a tile of another rank", (x, index, (1, 1)), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "a tile of size 0", (x, index, (1, 0, 1)), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "an index beyond", (x, index + 3, (1, 1, 1)), Status.OUT_OF_RANGE)


_MODES: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": min,
    "max": max,
}


def _updated(mode: str, t: ElementType, x: Array, places: list[tuple[Any, ...]], updates: list[Any]) -> Expected:
    """Return the expected tensor after all updates, one after the other. The numbers are small, so that no result is
    rounded.
    """
    result = x.astype(object)
    for place, update in zip(places, updates, strict=True):
        result[place] = _MODES[mode](result[place], update)
    if t.kind in "US":
        return Expected(t, convert(result, t))
    return exactly((result != 0 if t.kind == "B" else result).astype(t.numpy))


def _scattered(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of scatter and scatter_nd with repeated indices."""
    tuples = operator == "scatter_nd"
    for t in types(available):
        counted = np.arange(12).reshape(3, 4)
        x = (counted % 2 if t.kind == "B" else counted + 1).astype(t.numpy)
        for mode in _MODES:
            if t.kind == "C" and mode in ("min", "max"):
                first = np.zeros((1, 2), np.int64)
                yield Refusal(operator, f"{mode} of {t.name}", (x, first, 1), Status.TYPE_MISMATCH, {"mode": mode})
                continue
            for axis in (0,) if tuples else (0, 1):
                index = _indices(3 + axis, (5, 2) if tuples else (3, 4))
                if tuples:
                    index[:, 1] = _indices(4, (5,))
                u = np.resize([2, 1, 0, 1, 3], index.shape[:1] if tuples else index.shape)
                u = (u % 2 if t.kind == "B" else u).astype(t.numpy)
                positions = list(np.ndindex(u.shape))
                if tuples:
                    places = [tuple(index[p]) for p in positions]
                else:
                    places = [(*p[:axis], index[p], *p[axis + 1 :]) for p in positions]
                updates = [u[p].item() for p in positions]
                expected = _updated(mode, t, x, places, updates)
                options = {"mode": mode} if tuples else {"mode": mode, "axis": axis}
                yield Value(operator, f"{mode} of {t.name}, axis={axis}", (x, index, u), expected, options)
    x = np.zeros((3, 4), np.float32)
    index = np.array([[0, 1], [2, 4]])
    yield Refusal(operator, "an index beyond", (x, index if tuples else index.T + 1, 1), Status.OUT_OF_RANGE)
    yield Refusal(operator, "indices that are not integers", (x, index * 1.0, 1), Status.TYPE_MISMATCH)
    yield Refusal(
        operator, "updates that do not fit", (x, index % 2, np.zeros(7, np.float32)), Status.DIMENSIONS_MISMATCH
    )
    yield Refusal(operator, "no such mode", (x, index % 2, 1), Status.INVALID_ARGUMENT, {"mode": "sub"})


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    **dict.fromkeys(("gather", "index_select", "take_along_axis"), _gathered),
    "take": _take,
    "gather_nd": _gather_nd,
    "gather_tiled": _gather_tiled,
    **dict.fromkeys(("scatter", "scatter_nd"), _scattered),
}
