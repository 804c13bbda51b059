"""Cases of sparse matrices, beside SciPy and PyTorch. The size of a case is the number of stored elements."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import suanzi
from suanzi.bench.cases.case import AsIs, Call, Case, Make, Operands
from suanzi.bench.cases.operands import numbers

_ROWS = 10_000
_SIZES = (100_000, 1_000_000)  # 0.1 % and 1 % of all elements
_NOT_SLOWER = dict.fromkeys(_SIZES, 1.0)
_COLUMNS = 64

Function = Callable[..., Any]


def _rows(n: int) -> int:
    return min(_ROWS, n)


def _places(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return the rows and columns of n distinct random elements of a matrix, sorted by rows."""
    rows = _rows(n)
    found = np.sort(rng.choice(rows * rows, n, replace=False))
    return found // rows, found % rows


def _compressed(*further: Callable[[int, np.random.Generator], Any]) -> Make:
    """Return a function that makes the three parts of a compressed sparse row matrix, and further operands."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        (rows, columns), values = _places(n, rng), numbers("normal", n, t, rng)
        starts = np.searchsorted(rows, np.arange(_rows(n) + 1)).astype(np.int32)
        return Operands((starts, columns.astype(np.int32), values, *(other(n, rng) for other in further)))

    return make


def _coordinates(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    """Return coordinates in random order, the values, and the number of rows."""
    order = rng.permutation(n)
    places = np.stack(_places(n, rng), axis=1)[order]
    return Operands((AsIs(places), AsIs(numbers("normal", n, t, rng)), _rows(n)))


def _dense(columns: int | None) -> Callable[[int, np.random.Generator], Any]:
    shape: Callable[[int], Any] = _rows if columns is None else lambda n: (_rows(n), columns)
    return lambda n, rng: rng.standard_normal(shape(n), np.float32)


def _half(n: int, rng: np.random.Generator) -> Any:
    return rng.integers(0, _rows(n), max(1, _rows(n) // 2))


def _ours(starts: Any, columns: Any, values: Any) -> Any:
    size = starts.size - 1
    return suanzi.sparse_tensor((size, size), columns, values, indptr=starts)


def _scipys(starts: Any, columns: Any, values: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, columns, starts), shape=(starts.size - 1,) * 2)


def _torchs(starts: Any, columns: Any, values: Any) -> Any:
    import torch

    return torch.sparse_csr_tensor(starts, columns, values, size=(starts.numel() - 1,) * 2)


_MATRICES: dict[str, Function] = {"suanzi": _ours, "scipy": _scipys, "torch": _torchs}


def _calling(**functions: Function) -> Mapping[str, Callable[..., Call]]:
    """Return, for each library, a function that prepares the call of the library's function on a matrix and further
    operands.
    """

    def prepared(library: str, function: Function, *operands: Any) -> Call:
        return partial(function, _MATRICES[library](*operands[:3]), *operands[3:])

    return {library: partial(prepared, library, function) for library, function in functions.items()}


_TRANSPOSED: dict[str, Function] = {
    "suanzi": lambda x: x.T,
    "scipy": lambda x: x.T.tocsr(),
    "torch": lambda x: x.to_sparse_coo().T.coalesce().to_sparse_csr(),
}


def _with_transposed(library: str, *parts: Any) -> Call:
    """Return the call that adds a matrix and the transpose of the matrix, both with compressed rows."""
    x = _MATRICES[library](*parts)
    return partial(operator.add, x, _TRANSPOSED[library](x))


def _middle(x: Any) -> Any:
    part = slice(_ROWS // 10, 6 * _ROWS // 10)
    return x[part, part]


def _to_rows_ours(places: Any, values: Any, rows: int) -> Call:
    x: Any = suanzi.sparse_tensor((rows, rows), places, values)
    return lambda: x.to_csr()


def _to_rows_scipy(places: Any, values: Any, rows: int) -> Call:
    x = _coo(places, values, rows)
    return lambda: x.tocsr()


def _coo(places: Any, values: Any, rows: int) -> Any:
    from scipy.sparse import coo_array

    return coo_array((values, (places[:, 0], places[:, 1])), shape=(rows, rows), copy=True)


def _to_rows_torch(places: Any, values: Any, rows: int) -> Call:
    x = _created_torch(places, values, rows)()
    return lambda: x.to_sparse_csr()


def _created_torch(places: Any, values: Any, rows: int) -> Call:
    """Return the call that makes PyTorch's sparse tensor. PyTorch copies and checks the parts, as the other libraries
    do.
    """
    import torch

    indices, elements = torch.from_numpy(places.T.copy()), torch.from_numpy(values)
    return lambda: torch.sparse_coo_tensor(indices.clone(), elements.clone(), (rows, rows), check_invariants=True)


_TO_ROWS = {"suanzi": _to_rows_ours, "scipy": _to_rows_scipy, "torch": _to_rows_torch}
_CREATED = {
    "suanzi": lambda places, values, rows: lambda: suanzi.sparse_tensor((rows, rows), places, values),
    "scipy": lambda places, values, rows: lambda: _coo(places, values, rows),
    "torch": _created_torch,
}
_PRODUCT = _calling(suanzi=operator.matmul, scipy=operator.matmul, torch=operator.matmul)
_SQUARED = _calling(**dict.fromkeys(_MATRICES, lambda x: x @ x))


def _reductions() -> Iterator[Case]:
    for name in ("sum", "max"):
        for axis in (0, 1):
            own = _calling(
                suanzi=partial(getattr(suanzi, name), axis=axis),
                scipy=partial(lambda x, name, axis: getattr(x, name)(axis=axis), name=name, axis=axis),
            )
            yield Case(name, _compressed(), f"sparse, axis {axis}", _SIZES, own=own)


CASES: list[Case] = [
    Case("matmul", _compressed(_dense(None)), "sparse · vector", _SIZES, goals=_NOT_SLOWER, own=_PRODUCT),
    Case("matmul", _compressed(_dense(_COLUMNS)), "sparse · 64 columns", _SIZES, goals=_NOT_SLOWER, own=_PRODUCT),
    Case("matmul", _compressed(), "sparse · sparse", _SIZES, goals=_NOT_SLOWER, own=_SQUARED),
    Case("sparse_tensor", _coordinates, "of coordinates", _SIZES, own=_CREATED),
    Case("sparse_tensor", _coordinates, "coordinates to rows", _SIZES, goals=_NOT_SLOWER, own=_TO_ROWS),
    Case("add", _compressed(), "sparse", _SIZES, own={name: partial(_with_transposed, name) for name in _MATRICES}),
    Case(
        "transpose",
        _compressed(),
        "sparse",
        _SIZES,
        own=_calling(suanzi=lambda x: x.T, scipy=lambda x: x.T.tocsr()),
    ),
    Case(
        "index_select",
        _compressed(_half),
        "sparse, rows",
        _SIZES,
        own=_calling(suanzi=suanzi.index_select, scipy=lambda x, index: x[index]),
    ),
    Case(
        "index_select",
        _compressed(_half),
        "sparse, columns",
        _SIZES,
        own=_calling(suanzi=lambda x, index: suanzi.index_select(x, index, 1), scipy=lambda x, index: x[:, index]),
    ),
    Case("slice", _compressed(), "sparse", _SIZES, own=_calling(suanzi=_middle, scipy=_middle)),
    *_reductions(),
]
