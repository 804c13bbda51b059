"""Sparse matrices against SciPy and PyTorch, at a density of 0.1 % and of 1 %; the size is that of rows and columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]

SIZE = 10_000
warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta state")


def matrix(n: int, density: float) -> tuple[suanzi.SparseTensor, scipy.sparse.csr_array, torch.Tensor]:
    rng = np.random.default_rng(0)
    theirs = scipy.sparse.random_array((n, n), density=density, rng=rng, format="csr", dtype=np.float32)
    theirs.indices, theirs.indptr = theirs.indices.astype(np.int32), theirs.indptr.astype(np.int32)
    parts = (torch.from_numpy(part) for part in (theirs.indptr, theirs.indices, theirs.data))
    return suanzi.to_sparse(theirs), theirs, torch.sparse_csr_tensor(*parts, size=(n, n))


def product(density: float, columns: int | None) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        x, a, s = matrix(n, density)
        b = np.random.default_rng(1).standard_normal((n,) if columns is None else (n, columns)).astype(np.float32)
        y, t = suanzi.tensor(b), torch.from_numpy(b)
        return {"suanzi": lambda: x @ y, "scipy": lambda: a @ b, "torch": lambda: s @ t}

    return make


def square(density: float) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        x, a, s = matrix(n, density)
        return {"suanzi": lambda: x @ x, "scipy": lambda: a @ a, "torch": lambda: s @ s}

    return make


def addition(density: float) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        x, a, s = matrix(n, density)
        y, b, t = x.T, a.T.tocsr(), torch.from_numpy(a.T.toarray()).to_sparse_csr()
        return {"suanzi": lambda: x + y, "scipy": lambda: a + b, "torch": lambda: s + t}

    return make


def unary(call: Callable[[Any], object], peer: Callable[[Any], object]) -> Callable[[float], Callable[[int], Calls]]:
    """One operator on compressed rows, and what SciPy calls it."""

    def of(density: float) -> Callable[[int], Calls]:
        def make(n: int) -> Calls:
            x, a, _ = matrix(n, density)
            return {"suanzi": lambda: call(x), "scipy": lambda: peer(a)}

        return make

    return of


HALF = np.random.default_rng(3).integers(0, SIZE, SIZE // 2)
HALF_OF_OURS = suanzi.tensor(HALF)
MIDDLE = slice(SIZE // 10, 6 * SIZE // 10)


def compression(density: float) -> Callable[[int], Calls]:
    """Coordinates in any order to compressed rows."""

    def make(n: int) -> Calls:
        a = matrix(n, density)[1].tocoo()
        order = np.random.default_rng(2).permutation(a.nnz)
        b = scipy.sparse.coo_array((a.data[order], (a.row[order], a.col[order])), shape=a.shape)
        x = suanzi.to_sparse(b)
        s = torch.sparse_coo_tensor(np.stack([b.row, b.col]).astype(np.int64), b.data, b.shape)
        return {"suanzi": lambda: x.to_csr(), "scipy": lambda: b.tocsr(), "torch": lambda: s.to_sparse_csr()}

    return make


def cases(name: str, make: Callable[[float], Callable[[int], Calls]], goal: bool = True) -> list[Comparison]:
    goals = {SIZE: 1.0} if goal else {}
    return [
        Comparison(f"{name}, density {density:.1%}", make(density), sizes=(SIZE,), goals=goals)
        for density in (0.001, 0.01)
    ]


CASES: list[Comparison] = [
    *cases("matmul sparse · vector", lambda density: product(density, None)),
    *cases("matmul sparse · dense (64 columns)", lambda density: product(density, 64)),
    *cases("matmul sparse · sparse", square),
    *cases("to_csr of coordinates", compression),
    *cases("add sparse + sparse", addition, goal=False),
    *cases("transpose", unary(lambda x: x.T, lambda a: a.T.tocsr()), goal=False),
    *cases("index_select rows", unary(lambda x: suanzi.index_select(x, HALF_OF_OURS), lambda a: a[HALF]), goal=False),
    *cases(
        "index_select columns",
        unary(lambda x: suanzi.index_select(x, HALF_OF_OURS, 1), lambda a: a[:, HALF]),
        goal=False,
    ),
    *cases("slice", unary(lambda x: x[MIDDLE, MIDDLE], lambda a: a[MIDDLE, MIDDLE]), goal=False),
    *cases("sum axis 0", unary(lambda x: suanzi.sum(x, axis=0), lambda a: a.sum(axis=0)), goal=False),
    *cases("sum axis 1", unary(lambda x: suanzi.sum(x, axis=1), lambda a: a.sum(axis=1)), goal=False),
    *cases("max axis 0", unary(lambda x: suanzi.max(x, axis=0), lambda a: a.max(axis=0)), goal=False),
    *cases("max axis 1", unary(lambda x: suanzi.max(x, axis=1), lambda a: a.max(axis=1)), goal=False),
]
