"""Sums, products, extremes and means: exact for integers, otherwise within the error that a float64 sum may have.

A sum may have the error of a pairwise sum (Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14,
1993), which grows with the logarithm of the number of terms. The module `statistics` has norms, variances and
logsumexp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from oracle.statistics import STATISTICS, UNIT, statistic
from suanzi.conformance.oracle.compare import CORRECT, Expected
from suanzi.conformance.oracle.element_types import (
    ELEMENT_TYPES,
    EXTENDED,
    Array,
    ElementType,
    convert,
    exact,
    from_ratios,
    type_of,
    ulp,
)

FOLDS = ("sum", "prod", "mean", "max", "min", "all", "any")
OPERATIONS = (*FOLDS, *STATISTICS)

Axes = int | tuple[int, ...] | None


def accepts(op: str, f: ElementType) -> bool:
    return f.kind != "C" or op not in ("max", "min", "logsumexp")


def result_type(op: str, f: ElementType) -> ElementType:
    """Return the type of the result of the reduction `op` on the type `f` if the call has no `dtype`."""
    if op in STATISTICS and f.kind == "C":
        return ELEMENT_TYPES["float32" if f.name == "complex64" else "float64"]
    if op in ("all", "any"):
        return ELEMENT_TYPES["bool"]
    if op in ("max", "min") or f.kind in "FC":
        return f
    return ELEMENT_TYPES["float32" if op == "mean" or op in STATISTICS else "uint64" if f.kind == "U" else "int64"]


def reference(
    op: str, x: Array, axes: Axes = None, keepdims: bool = False, dtype: str | None = None, correction: float = 0
) -> Expected:
    """Return the expected result and error bound of the reduction `op` of a typed array."""
    f = type_of(x)
    result = ELEMENT_TYPES[dtype] if dtype else result_type(op, f)
    values = exact(x)
    if op in ("sum", "prod") or (dtype and f.kind in "FC" and op not in STATISTICS):
        values = convert(values, result)
    if values.dtype == bool:
        values = values.astype(int).astype(object)
    reduced = _axes(axes, x.ndim)
    rows = _rows(values, reduced)
    shape = tuple(1 if i in reduced else n for i, n in enumerate(x.shape) if keepdims or i not in reduced)
    if op in STATISTICS or (op in ("sum", "prod", "mean") and result.kind in "FC"):
        found, slack = statistic(op, rows, f, correction) if op in STATISTICS else _floating(op, rows, result)
        with np.errstate(all="ignore"):
            correct = CORRECT if result.kind == "F" else 2 * CORRECT  # both parts of a complex result are rounded
            bound = np.asarray(correct + slack / ulp(found, result)).reshape(shape)
            # The variance, the square of std, may exceed the range of float64.
            overflows = (found**2 * rows.shape[1] >= np.ldexp(EXTENDED(1), 1024)) & (op == "std")
            alternative = np.where(overflows, np.inf, found).reshape(shape)
        return Expected(result, found.reshape(shape), bound, alternative=alternative, signed_zero=False)
    found = np.array([_EXACT[op](row) for row in rows], dtype=_internal(result))
    found = convert(found, result) if result.kind in "BUS" else found
    return Expected(result, found.reshape(shape), signed_zero=False)


def _axes(axes: Axes, rank: int) -> set[int]:
    if axes is None:
        return set(range(rank))
    return {a % rank for a in ((axes,) if isinstance(axes, int) else axes)}


def _rows(values: Array, reduced: set[int]) -> Array:
    """Return a matrix. Each row has the elements of which the reduction makes one element of the result."""
    kept = [i for i in range(values.ndim) if i not in reduced]
    count = math.prod(values.shape[i] for i in kept)
    length = math.prod(values.shape[i] for i in reduced)
    return values.transpose([*kept, *sorted(reduced)]).reshape(count, length)


def _internal(f: ElementType) -> Any:
    return object if f.kind in "BUS" else np.clongdouble if f.kind == "C" else EXTENDED


def _product(row: Array) -> int:
    return math.prod(int(v) for v in row)


_EXACT: dict[str, Callable[[Array], Any]] = {
    "sum": lambda row: sum(int(v) for v in row),
    "prod": _product,
    "max": lambda row: row.max(),  # NumPy's `max` and `min` return NaN if a row has a NaN
    "min": lambda row: row.min(),
    "all": lambda row: all(v != 0 for v in row),
    "any": lambda row: any(v != 0 for v in row),
}


def _floating(op: str, rows: Array, result: ElementType) -> tuple[Array, Array]:
    """Return the sum, product or mean of each row, and the allowed absolute error before the result is rounded."""
    count = rows.shape[1]
    kind = _internal(result)
    with np.errstate(all="ignore"):
        if op == "prod":
            found = np.prod(rows.astype(kind, order="C"), axis=1)
            slack = (2 * count * UNIT * abs(found)).astype(EXTENDED)
        else:
            divisor = count if op == "mean" else 1
            found = (_sums(rows, divisor) if divisor else rows.sum(axis=1) * np.nan).astype(kind)
            size = (abs(np.ascontiguousarray(rows)).sum(axis=1) / max(divisor, 1)).astype(EXTENDED)
            slack = (20 + 2 * math.log2(count + 1)) * UNIT * size
            if result.name in ("float16", "bfloat16"):  # the core adds groups of eight in float32
                slack += 3 * 2.0**-24 * size
    return found, np.where(np.isfinite(slack), slack, 0)


def _sums(rows: Array, divisor: int) -> Array:
    """Return the sum of each row divided by the divisor: exact for integers, or computed pairwise in long double."""
    if rows.dtype == object:
        return from_ratios([(sum(int(v) for v in row), divisor) for row in rows])
    return np.asarray(np.ascontiguousarray(rows).sum(axis=1) / divisor)
