"""Probes of operators that sort: argsort and topk, sort, unique, searchsorted.

This module has its own definition of the order. Each element has a sort key, which the function `_place` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import accepted, specials
from ..oracle.compare import exactly
from ..oracle.element_types import Array, ElementType
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed, several
from ..status import Status

Maker = Callable[[str, frozenset[str]], Iterator[Probe]]


def _place(element: Any) -> tuple[Any, ...]:
    """Return the sort key of an element. The keys put NaNs last, and order complex numbers by their parts."""
    if isinstance(element, complex):
        parts = (element.real, element.imag)
        nan = tuple(part != part for part in parts)
        return (*nan, *(0.0 if missing else part for part, missing in zip(parts, nan, strict=True)))
    return (element != element, 0 if element != element else element)


def _order(row: Array, descending: bool = False) -> list[int]:
    """Return the indices that sort a row. Equal elements keep their order."""
    numbers = row.tolist()
    places = [_place(float(n) if row.dtype.name == "bfloat16" else n) for n in numbers]
    rank = {place: i for i, place in enumerate(sorted(set(places)))}
    return sorted(range(len(numbers)), key=lambda i: -rank[places[i]] if descending else rank[places[i]])


def _orders(x: Array, axis: int, descending: bool = False) -> Array:
    rows = np.moveaxis(x, axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    orders = np.array([_order(row, descending) for row in flat], np.int64).reshape(rows.shape)
    return np.moveaxis(orders, -1, axis)


def _inputs(t: ElementType) -> Iterator[tuple[str, Array]]:
    """Yield the special values of a type with repetitions, in three memory arrangements."""
    special = specials(t)
    flat = special[np.arange(60) * 7919 % special.size]
    yield "contiguous", flat.reshape(3, 20)
    yield "transposed", flat.reshape(20, 3).T
    yield "negative stride", flat.reshape(3, 20)[::-1, ::-1]


def _sorting(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("BIFC", available):
        for label, x in _inputs(t):
            for axis in (0, 1):
                for descending in (False, True):
                    order = _orders(x, axis, descending)
                    result = order if operator == "argsort" else np.take_along_axis(x, order, axis)
                    options = {"axis": axis, "descending": descending, "stable": True}
                    yield Value(operator, f"{t.name} {label} {options}", (x,), exactly(result), options)
    yield Refusal(operator, "no such axis", (np.ones((2, 3), np.float32),), Status.OUT_OF_RANGE, {"axis": 2})


def _topk(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    def chooses(x: Array, k: int, axis: int, largest: bool) -> Callable[[Provider], str | None]:
        def play(provider: Provider) -> str | None:
            function = needed(provider, operator)
            results = several(function(provider.from_numpy(x), k, axis=axis, largest=largest), 2)
            values, indices = map(provider.to_numpy, results)
            order = np.take(_orders(x, axis, largest), range(k), axis=axis)
            wrong = exactly(order).fault(indices, ())
            return wrong or exactly(np.take_along_axis(x, order, axis)).fault(values, ())

        return play

    for t in accepted("BIFC", available):
        for label, x in _inputs(t):
            for axis, k in ((0, 2), (1, 1), (1, 7), (1, 20)):
                for largest in (True, False):
                    text = f"{t.name} {label} k={k} axis={axis} largest={largest}"
                    yield Scenario(operator, text, chooses(x, k, axis, largest))
    yield Refusal(operator, "k past the end", (np.ones((2, 3), np.float32), 4), Status.OUT_OF_RANGE)


def _unique(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("BIF", available):
        for label, x in _inputs(t):
            flat = x.reshape(-1)
            ordered = flat[_order(flat)]
            first = [
                i for i in range(flat.size) if i == 0 or _place(ordered[i].item()) != _place(ordered[i - 1].item())
            ]
            yield Value(operator, f"{t.name} {label}", (x,), exactly(ordered[first]))


def _searchsorted(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("BIF", available):
        _, x = next(_inputs(t))
        row = x[0][_order(x[0])]
        places = [_place(n) for n in row.tolist()]
        for side in ("left", "right"):
            wanted = [_place(n) for n in x[1].tolist()]
            counts = [sum(p < w or (side == "right" and p == w) for p in places) for w in wanted]
            yield Value(operator, f"{t.name} {side}", (row, x[1]), exactly(np.array(counts, np.int64)), {"side": side})
    row = np.ones(3, np.float32)
    yield Refusal(operator, "no such side", (row, row), Status.INVALID_ARGUMENT, {"side": "middle"})


PROBES: dict[str, Maker] = {
    "argsort": _sorting,
    "sort": _sorting,
    "topk": _topk,
    "unique": _unique,
    "searchsorted": _searchsorted,
}
