"""Cases of sorting and operators based on sorting, of the indices of maxima and nonzero elements, and of masks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from suanzi.bench.cases.case import LARGE_SIZES, Call, Case, Make, Operands
from suanzi.bench.cases.operands import Shape, line, numbers, of_columns, shaped, square, vectors

_MATRIX_SIZES = (100_000, 10_000_000)
_SHARES = {"half": 0.0, "one in 100": 2.326}  # limits, by the share of normal numbers above the limit
_ROWS_OF_100 = of_columns(100)


def _sorting(name: str, goal: float) -> Iterator[Case]:
    make = vectors("sorted by")
    yield Case(name, make, sizes=LARGE_SIZES, goals={10_000_000: goal})
    yield Case(name, make, sizes=LARGE_SIZES, types=("int64", "float64", "float16", "uint8"))
    for axis in (0, 1):
        yield Case(name, shaped(_ROWS_OF_100, "sorted by", axis=axis), f"axis {axis}", _MATRIX_SIZES)


def _topk(k: int, shape: Shape = line, axis: int = -1) -> Make:
    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        return Operands((numbers("sorted by", shape(n), t, rng), min(k, shape(n)[axis])), {"axis": axis})

    return make


def _searched(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    """Make sorted elements, and as many values in random order."""
    return Operands((np.sort(numbers("sorted by", n, t, rng)), numbers("sorted by", n, t, rng)))


def _above(limit: float, shape: Shape = line) -> Make:
    """Return a function that makes a tensor in which only elements above a limit are nonzero."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        x = numbers("normal", shape(n), t, rng)
        x[x <= limit] = 0
        return Operands((x,))

    return make


def _masked(limit: float, *further: float) -> Make:
    """Return a function that makes numbers, a mask of the numbers above a limit, and further arguments."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        x = numbers("normal", n, t, rng)
        return Operands((x, x > limit, *further))

    return make


def _fill(x: Any, mask: Any, value: float) -> Call:
    import suanzi

    return lambda: suanzi.masked_fill(x, mask, value, out=x)


_FILL_IN_PLACE = {
    "suanzi": _fill,
    "numpy": lambda x, mask, value: lambda: np.putmask(x, mask, value),
    "torch": lambda x, mask, value: lambda: x.masked_fill_(mask, value),
}


def _sort_of_torch(x: Any) -> Call:
    import torch

    return lambda: torch.sort(x)


def _sorted_with_indices(x: Any) -> Call:
    import suanzi

    def both() -> Any:
        order = suanzi.argsort(x)
        return suanzi.take(x, order), order

    return both


def _numpy_with_indices(x: Any) -> Call:
    def both() -> Any:
        order = np.argsort(x)
        return x[order], order

    return both


# PyTorch's sort always returns indices. In the case "values and indices", the other libraries also return the sorted
# elements and the indices.
_VALUES_AND_INDICES = {"suanzi": _sorted_with_indices, "numpy": _numpy_with_indices, "torch": _sort_of_torch}

CASES: list[Case] = [
    *_sorting("sort", 0.6),
    Case("sort", vectors("sorted by"), "values and indices", LARGE_SIZES, own=_VALUES_AND_INDICES),
    *_sorting("argsort", 0.5),
    Case("topk", _topk(50), "k = 50", LARGE_SIZES, goals={10_000_000: 0.5}),
    Case("topk", _topk(1000), "k = 1000", _MATRIX_SIZES),
    *(Case("topk", _topk(10, _ROWS_OF_100, axis), f"k = 10, axis {axis}", _MATRIX_SIZES) for axis in (0, 1)),
    Case("unique", vectors("sorted by"), sizes=LARGE_SIZES),
    Case("unique", vectors("sorted by", return_counts=True), "counts", LARGE_SIZES, ("uint8", "int16", "float32")),
    Case("searchsorted", _searched, sizes=LARGE_SIZES),
    Case("argmax", vectors("normal"), sizes=LARGE_SIZES, goals={10_000_000: 0.8}),
    Case("argmax", vectors("normal"), sizes=LARGE_SIZES, types=("int8", "int64", "float16")),
    Case("argmin", vectors("normal"), sizes=LARGE_SIZES),
    *(
        Case("argmax", shaped(shape, "normal", axis=axis), variant, LARGE_SIZES)
        for variant, shape, axis in (
            ("along the rows", square, 1),
            ("along the columns", square, 0),
            ("rows of 10", of_columns(10), 1),
            ("10 columns", of_columns(10), 0),
        )
    ),
    *(
        Case("nonzero", _above(limit, shape), f"{matrix}{share}", LARGE_SIZES, goals=goals)
        for share, limit in _SHARES.items()
        for matrix, shape in (("", line), ("matrix, ", square))
        for goals in [{10_000_000: 0.3} if (share, matrix) == ("half", "") else {}]
    ),
    *(Case("masked_select", _masked(limit), share, LARGE_SIZES) for share, limit in _SHARES.items()),
    Case("masked_fill", _masked(0.0, 2.0), sizes=LARGE_SIZES),
    Case("masked_fill", _masked(0.0, 2.0), "in place", LARGE_SIZES, own=_FILL_IN_PLACE),
]
