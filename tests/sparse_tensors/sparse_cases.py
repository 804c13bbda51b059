"""Sparse tensors for the tests, and the equal dense arrays, which NumPy makes without Suanzi."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import suanzi
from suanzi import SparseTensor
from suanzi.tensor.dtypes import NUMBERS

NAMES = tuple(dtype.name for dtype in NUMBERS)


@dataclass(frozen=True)
class Parts:
    """The shape, the coordinates (nnz, ndim) and the values (nnz,) of a sparse tensor."""

    shape: tuple[int, ...]
    indices: Any
    values: Any

    def dense(self) -> Any:
        """Return the equal dense array. NumPy adds elements with equal coordinates, or joins bools with `or`."""
        numbers = np.zeros(len(self.values), np.int64)
        for size, column in zip(self.shape, self.indices.T, strict=True):
            numbers = numbers * size + column.astype(np.int64)
        result = np.zeros(math.prod(self.shape), self.values.dtype)
        (np.logical_or if self.values.dtype == bool else np.add).at(result, numbers, self.values)
        return result.reshape(self.shape)

    def stored(self) -> Any:
        """Return a mask of the shape that is True at the coordinates of stored elements."""
        result = np.zeros(self.shape, bool)
        result[tuple(self.indices.T)] = True
        return result

    def coo(self) -> SparseTensor:
        return suanzi.sparse_tensor(self.shape, self.indices, self.values)

    def csr(self) -> SparseTensor:
        """Make a tensor of compressed rows. Elements of a row keep their order, so columns may be unordered."""
        order = np.argsort(self.indices[:, 0], kind="stable")
        indptr = np.searchsorted(self.indices[order, 0], np.arange(self.shape[0] + 1))
        return suanzi.sparse_tensor(self.shape, self.indices[order, 1], self.values[order], indptr=indptr)


def random_values(rng: np.random.Generator, n: int, name: str) -> Any:
    """Make n small whole numbers of a type. Sums of the numbers are exact in every element type."""
    if name == "bool":
        return rng.random(n) < 0.7
    low = 0 if name.startswith("u") else -4
    values = rng.integers(low, 5, n).astype(np.float64)
    complete = values + 1j * rng.integers(-4, 5, n) if name.startswith("complex") else values
    return complete.astype(suanzi.as_dtype(name).numpy)


def random_parts(shape: tuple[int, ...], n: int, name: str = "float64", seed: int = 0, index: str = "int64") -> Parts:
    """Make the parts of a sparse tensor of n elements in random order. Several elements may have equal coordinates."""
    rng = np.random.default_rng((seed, n, *shape))
    columns = [rng.integers(0, size, n) for size in shape]
    indices = np.stack(columns, axis=1) if columns else np.zeros((n, 0))
    return Parts(shape, indices.astype(index), random_values(rng, n, name))


# Matrices: ordinary, empty, without rows or columns, one row, one column, one element, zeros only, very long, and full
# of duplicates.
MATRICES = {
    "random": random_parts((7, 9), 20),
    "empty": random_parts((5, 4), 0),
    "no rows": random_parts((0, 4), 0),
    "no columns": random_parts((4, 0), 0),
    "one row": random_parts((1, 30), 11),
    "one column": random_parts((30, 1), 11),
    "one element": random_parts((1, 1), 1),
    "all zero": Parts((3, 4), np.array([[0, 1], [2, 3]]), np.zeros(2)),
    "tall": random_parts((5000, 2), 40),
    "wide": random_parts((2, 5000), 40),
    "duplicates": random_parts((3, 4), 200),
}
ARRAYS = {
    **MATRICES,
    "scalar": random_parts((), 3),
    "vector": random_parts((20,), 8),
    "cube": random_parts((4, 5, 6), 30),
    "rank 6": random_parts((2, 3, 1, 2, 2, 3), 30),
}
