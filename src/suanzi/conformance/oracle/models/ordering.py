"""Models of operators that sort elements or return the places of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ..compare import Expected, exactly
from ..element_types import Array, type_of
from .model import Elements, Model, Options, Shape

_RANKS: tuple[Shape, ...] = ((1,), (7,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2))


def _comparable(x: Array) -> Array:
    return x.astype(np.float32) if x.dtype.kind != "U" and type_of(x).name == "bfloat16" else x


def _argsort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort an array along an axis. NaN is last, or first if descending. Equal elements keep
    their order.
    """
    keys = _comparable(x)
    if not descending:
        return np.asarray(np.argsort(keys, axis, kind="stable"), np.int64)
    backwards = np.argsort(np.flip(keys, axis), axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backwards, axis), np.int64)


def _sort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Expected:
    found = exactly(np.take_along_axis(x, _argsort(x, axis, descending), axis))
    return found if stable else replace(found, signed_zero=False, array=None)


def _topk(x: Array, k: int, axis: int = -1, largest: bool = True) -> tuple[Array, Array]:
    order = np.take(_argsort(x, axis, largest), range(k), axis)
    return np.take_along_axis(x, order, axis), order


def _counts(shape: Shape) -> Sequence[Options]:
    found: list[Options] = []
    for axis in range(-len(shape), len(shape)):
        n = shape[axis]
        found += [{"k": k, "axis": axis} for k in {min(3, n), n, 1, n // 2}]
    return found or [{"k": 1}]


def _distinct(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return (elements.any(shape) if elements.special else elements.distinct(shape),)


def _searchsorted(keys: Array, values: Any, side: str = "left", sorter: Array | None = None) -> Array:
    return np.asarray(np.searchsorted(_comparable(keys), _comparable(values), side, sorter), np.int64)  # type: ignore[call-overload]


def _sorted_and(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a sorted vector with as many elements as the shape has, and the values to search for."""
    row = elements.any((prod(shape),))
    row = row if row.dtype.kind != "f" else np.where(np.isnan(row), np.ones_like(row), row)
    return row[_argsort(row)], elements.any(shape, 1)


def _with_sorter(side: str) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes the operands of `searchsorted`: an unsorted vector, the values, the side, and the
    indices that sort the vector.
    """

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        row = elements.moderate((prod(shape),))
        return row, elements.any(shape, 1), side, _argsort(row)

    return operands


def _unique(
    x: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None
) -> Any:
    """Return the distinct elements in ascending order and, on request, the index of each element's first occurrence,
    the inverse indices and the counts. All NaNs count as one element.
    """
    if axis is not None:
        found = np.unique(x, True, True, True, axis)
    else:
        flat = np.ascontiguousarray(x).reshape(-1)
        order = _argsort(flat)
        ordered = _comparable(flat)[order]
        new = np.ones(flat.size, bool)
        with np.errstate(all="ignore"):
            same = ordered[1:] == ordered[:-1]
            if ordered.dtype.kind == "f":
                same |= np.isnan(ordered[1:]) & np.isnan(ordered[:-1])
        new[1:] = ~same
        inverse = np.empty(flat.size, np.int64)
        inverse[order] = np.cumsum(new) - 1
        firsts = np.flatnonzero(new)
        found = flat[order[new]], order[new], inverse.reshape(x.shape), np.diff([*firsts, flat.size])
    further = zip(found[1:], (return_index, return_inverse, return_counts), strict=True)
    chosen = [found[0], *(part.astype(np.int64) for part, asked in further if asked)]
    return chosen if len(chosen) > 1 else chosen[0]


def _nonzero(x: Array, as_tuple: bool = True) -> Any:
    found = np.nonzero(x != 0)
    return list(found) if as_tuple else np.stack(found, -1)


def _some(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a tensor in which about half of the elements are 0."""
    if elements.special:
        return (elements.any(shape),)
    return (np.where(elements.truth(shape, 1), elements.any(shape), np.zeros((), elements.type.numpy)),)


_PARTS = dict.fromkeys(("return_index", "return_inverse", "return_counts"), (False, True))
_ROWS: dict[str, Any] = {"axis": "axis", "ranks": _RANKS, "types": "IFCBS"}
_TIED: dict[str, Any] = {"choices": {"descending": (False, True), "stable": (True, False)}}

MODELS = (
    # An unstable order may permute equal elements, so the operand has distinct elements.
    Model("argsort", _argsort, choices={"descending": (False, True)}, in_place=(), **_ROWS),
    Model("argsort", _argsort, operands=_distinct, special="", long=(), **_TIED, **{**_ROWS, "types": "IF"}),
    Model("sort", _sort, choices={"descending": (False, True)}, out=True, **_ROWS),
    Model("sort", _sort, operands=_distinct, special="", long=(), **_TIED, **{**_ROWS, "types": "IF"}),
    Model("topk", _topk, types="IF", operands=_distinct, calls=_counts, by_place=("k",), ranks=_RANKS, empty=(),
          choices={"largest": (True, False)}, special="IF", long=((131_075,), (1225, 107))),
    Model("unique", _unique, types="IFB", choices=_PARTS, ranks=_RANKS, empty=((0,), (2, 0))),
    Model("unique", _unique, types="I", operands=lambda e, s: (e.few(s) + e.truth(s),), axis="axis", choices=_PARTS,
          ranks=((7, 2),), empty=(), long=(), shape=(6, 2), special=""),
    Model("searchsorted", _searchsorted, types="IFB", operands=_sorted_and, choices={"side": ("left", "right")},
          ranks=_RANKS, long=((20_011,),), arranged=False, special="IF"),
    *(Model("searchsorted", _searchsorted, types="IF", operands=_with_sorter(side), ranks=(), long=((20_011,),),
            arranged=False, special="") for side in ("left", "right")),
    Model("nonzero", _nonzero, types="IFCB", operands=_some, ranks=_RANKS, choices={"as_tuple": (True, False)},
          long=((131_075,), (25, 107, 49))),
)  # fmt: skip
