"""Functions that make the cases' operands: vectors, matrices, stacks and indices with a given number of elements."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, prod
from typing import Any

import numpy as np

from suanzi.bench.cases.case import Make, Operands
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType

DType = np.dtype[Any]
Generator = np.random.Generator
Shape = Callable[[int], tuple[int, ...]]

# The ranges of floating numbers by kind. `_WHOLE` contains the ranges of integers, which are cut to the type's range.
_RANGES = {
    "real": (-10.0, 10.0),
    "positive": (0.01, 10.0),
    "unit": (-0.99, 0.99),
    "above one": (1.0, 10.0),
    "exponent": (-3.0, 3.0),
    "near one": (1 - 1e-6, 1 + 1e-6),
    "share": (0.0, 1.0),
    "pixel": (0.0, 255.0),
}
_WHOLE = {"exponent": (0, 4), "shift": (0, 8), "wide": (-(10**9), 10**9), "sorted by": (-(2**63), 2**63 - 1)}


def own_type(t: DType) -> ElementType:
    """Return the conformance kit's type for a NumPy type. Each library converts the kit's type to its own type."""
    return ELEMENT_TYPES[t.name]


def numbers(kind: str, shape: int | tuple[int, ...], t: DType, rng: Generator) -> Array:
    """Return random elements of a kind: a key of `_RANGES` or `_WHOLE`, "normal", or "coin", which makes bools for any
    type.
    """
    if kind == "coin" or t.kind == "b":
        return rng.random(shape, np.float32) < 0.5
    if t.kind in "iu":
        limits = np.iinfo(t)
        least, most = _WHOLE.get(kind, (0, 256) if kind == "pixel" else (1, 1000))
        return rng.integers(max(least, limits.min), min(most, limits.max), shape, t)
    if t.kind == "c":
        part = np.dtype(np.float32 if t.itemsize == 8 else np.float64)
        parts = [numbers(kind, shape, part, rng) for _ in range(2)]
        return np.asarray(parts[0] + 1j * parts[1]).astype(t, copy=False)
    drawn_as: Any = np.float64 if t == np.float64 else np.float32
    if kind in ("normal", "sorted by"):
        return rng.standard_normal(shape, drawn_as).astype(t, copy=False)
    low, high = _RANGES[kind]
    found = rng.random(shape, drawn_as)
    found *= high - low
    found += low
    return found.astype(t, copy=False)


def vectors(*kinds: str, further: tuple[Any, ...] = (), **options: Any) -> Make:
    """Return a function that makes one vector per kind, followed by further arguments and options."""
    return lambda n, t, rng: Operands((*(numbers(kind, n, t, rng) for kind in kinds), *further), options)


def shaped(shape: Shape, kind: str = "real", further: tuple[Any, ...] = (), **options: Any) -> Make:
    """Return a function that makes one tensor. `shape` computes the tensor's shape from the number of elements."""
    return lambda n, t, rng: Operands((numbers(kind, shape(n), t, rng), *further), options)


def square(n: int) -> tuple[int, int]:
    """Return the shape of a square matrix of at most n elements."""
    return max(1, isqrt(n)), max(1, isqrt(n))


def of_columns(columns: int) -> Shape:
    """Return a function that computes the shape of a matrix with `columns` columns. For n < `columns`, the matrix is a
    single row of n elements.
    """
    return lambda n: (max(1, n // columns), min(n, columns))


def stack_of(*shape: int) -> Shape:
    """Return a function that computes the shape of a stack of small tensors of shape `shape`."""
    return lambda n: (max(1, n // prod(shape)), *shape)


def transposed(kind: str = "real", further: tuple[Any, ...] = ()) -> Make:
    """Return a function that makes a square matrix with contiguous columns."""
    return lambda n, t, rng: Operands((numbers(kind, square(n), t, rng).T, *further))


def selected(shape: Shape, index_shape: Shape, axis: int | None = None, updates: bool = False, **options: Any) -> Make:
    """Return a function that makes a tensor, indices along an axis and, if `updates` is True, one update per index. The
    call receives the axis as an option.
    """
    along = {} if axis is None else {"axis": axis}

    def make(n: int, t: DType, rng: Generator) -> Operands:
        x, indices = numbers("share", shape(n), t, rng), rng.integers(0, shape(n)[axis or 0], index_shape(n))
        given = (numbers("share", index_shape(n), t, rng),) if updates else ()
        return Operands((x, indices, *given), {**along, **options})

    return make


def line(n: int) -> tuple[int]:
    return (n,)


def definite(shape: tuple[int, ...], t: DType, rng: Generator) -> Array:
    """Make a symmetric, positive definite, well-conditioned matrix, which every operator of linear algebra accepts."""
    x = numbers("normal", shape, np.dtype(np.float64), rng)
    found = x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])
    return np.asarray(found).astype(t)


def of_shape(*further: Any, shape: Callable[[int], Any] = lambda n: n, **options: Any) -> Make:
    """Return a function that makes arguments of functions without operands: a shape, further arguments and the element
    type.
    """
    return lambda n, t, rng: Operands((shape(n), *further), {**options, "dtype": own_type(t)})
