"""Edges of bins, and exact comparisons of elements with edges of any type.

An element and an edge of another type are compared without rounding the element. Each edge is replaced by the least
number of the elements' type that is not below the edge. An element is below the replacement if, and only if, the
element is below the edge. NumPy and Python compute the replacements, because edges are few. Elements are compared only
with numbers of the elements' own type.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from suanzi._core import Tensor
from suanzi.kinds.devices import placed
from suanzi.operators.creation.data import tensor
from suanzi.operators.reduction.folds import all
from suanzi.operators.transform.elements import astype
from suanzi.tensor.dtypes import DType, bfloat16, bool_, float16, float32, uint8
from suanzi.tensor.exchange import Array


class Thresholds(NamedTuple):
    """Edges as numbers of the elements' type, or of the wider type to which the elements were converted."""

    least: Tensor  # for each edge that some number reaches, the least number not below the edge
    last: Tensor  # the greatest number that is not above the last edge


def compared(x: Tensor) -> Tensor:
    """Return the values of `x` in a type that compares exactly: uint8 for bool, float32 for float16 and bfloat16."""
    if x.dtype is bool_:
        return astype(x, uint8)
    return astype(x, float32) if x.dtype in (float16, bfloat16) else x


def rise(edges: Tensor) -> bool:
    """Return whether each edge is above the previous edge. A comparison with NaN is False."""
    numbers = compared(edges)
    return bool(all(numbers[1:] > numbers[:-1]))


def thresholds(edges: Tensor, dtype: DType) -> Thresholds | None:
    """Return the thresholds that replace rising edges for elements of `dtype`. For an integer type, return None if all
    edges are above the type's range, or if all edges are below the range.
    """
    if edges.dtype is dtype:  # edges of another type take four times as long for 1,000 elements
        return Thresholds(edges, edges[-1])
    numbers = compared(edges).numpy()
    found = _of_floats(numbers, dtype) if dtype.kind == "f" else _of_integers(numbers, dtype)
    return found and Thresholds(*(placed(x, edges.device, "histogram") for x in found))


def _of_floats(edges: Array, dtype: DType) -> Thresholds:
    kind = np.dtype(dtype.name)
    with np.errstate(over="ignore", under="ignore"):
        near = edges.astype(kind)
        least = np.where(_is_below(near, edges), np.nextafter(near, kind.type(np.inf)), near)
        last = near[-1:]
        last = np.where(_is_below(edges[-1:], last), np.nextafter(last, kind.type(-np.inf)), last)
    return Thresholds(tensor(least), tensor(last[0]))


def _is_below(a: Array, b: Array) -> Array:
    """Return whether each number of `a` is below the number of `b` at the same index, without rounding the numbers."""
    if a.dtype.kind == b.dtype.kind == "f":
        return np.less(a, b)
    return np.array([x < y for x, y in zip(a.tolist(), b.tolist(), strict=True)], bool)


def _of_integers(edges: Array, dtype: DType) -> Thresholds | None:
    smallest, greatest = dtype.limits
    ceilings: list[Any] = (np.ceil(edges) if edges.dtype.kind == "f" else edges).tolist()
    least = [smallest if x <= smallest else int(x) for x in ceilings if x <= greatest]
    end = edges[-1].item()
    if not least or end < smallest:
        return None
    last = greatest if end >= greatest else math.floor(end)
    kind = np.dtype(dtype.name)
    return Thresholds(tensor(np.array(least, kind)), tensor(np.array(last, kind)))


def around(least: Any, greatest: Any) -> tuple[float, float]:
    """Return the greatest float that is not above `least`, and the least float that is not below `greatest`."""
    low, high = float(least), float(greatest)
    if low > least:
        low = math.nextafter(low, -math.inf)
    if high < greatest:
        high = math.nextafter(high, math.inf)
    return low, high


def shares_per_width(counts: Array, edges: Tensor) -> Array:
    """Convert counts to a density in float64: each bin's share of the total, divided by the width of the bin."""
    numbers = compared(edges).numpy()
    with np.errstate(all="ignore"):
        counts = np.ldexp(counts, -np.frexp(np.abs(counts).max())[1])  # the sum of the counts does not overflow
        shares: Array = counts / counts.sum()
        if numbers.dtype.kind != "f":  # differences modulo 2^64 are exact for rising integers
            numbers = numbers.astype(np.int64 if numbers.dtype.kind == "i" else np.uint64).view(np.uint64)
            return shares / np.diff(numbers).astype(np.float64)
        numbers = numbers.astype(np.float64)
        widths: Array = np.diff(numbers)
        # A width beyond the range of float64 is computed as twice the width of halved edges.
        return np.where(np.isinf(widths), shares / 2 / np.diff(numbers / 2), shares / widths)
