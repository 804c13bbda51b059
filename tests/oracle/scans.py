"""Prefix sums and products by their definition: exact for integers, in long double for floating types."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from suanzi.conformance.oracle.compare import CORRECT, Expected
from suanzi.conformance.oracle.element_types import (
    ELEMENT_TYPES,
    EXTENDED,
    Array,
    ElementType,
    convert,
    exact,
    type_of,
    ulp,
)

SCANS = ("cumulative_sum", "cumulative_prod")
UNIT = EXTENDED(2.0**-53)  # the rounding unit of float64, the type in which Suanzi accumulates scans of floating types
STATED = 100  # the documented error bound of a sum of any length, in rounding units


def result_type(f: ElementType) -> ElementType:
    """Return the type of the result of a scan of the type `f` if the call has no `dtype`."""
    return f if f.kind in "FC" else ELEMENT_TYPES["uint64" if f.kind == "U" else "int64"]


def reference(
    op: str,
    x: Array,
    axis: int | None = None,
    dtype: str | None = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Expected:
    """Return the expected result and error bound of the scan `op` of a typed array."""
    result = ELEMENT_TYPES[dtype] if dtype else result_type(type_of(x))
    values = convert(exact(x), result)
    if axis is None:
        values, axis = values.ravel(), 0
    lines = np.moveaxis(values, axis, -1)
    step = slice(None, None, -1 if reverse else 1)
    kept = slice(0 if include_initial or exclusive else 1, -1 if exclusive else None)
    count = len(range(lines.shape[-1] + 1)[kept])
    found = np.empty((*lines.shape[:-1], count), values.dtype)
    slack = np.zeros(found.shape, EXTENDED)
    for at in np.ndindex(lines.shape[:-1]):
        found[at], slack[at] = (part[kept][step] for part in _line(op, lines[at][step], result))
    if result.kind not in "FC":
        return Expected(result, np.moveaxis(convert(found, result), -1, axis))
    with np.errstate(all="ignore"):
        correct = CORRECT if result.kind == "F" else 2 * CORRECT
        bound = correct + np.where(np.isfinite(slack), slack, 0) / ulp(found, result)
    return Expected(result, np.moveaxis(found, -1, axis), np.moveaxis(bound, -1, axis), signed_zero=False)


def _line(op: str, line: Array, result: ElementType) -> tuple[Array, Array]:
    """Return the scan of one line, with the initial value first, and the absolute error that each result may have."""
    if result.kind in "BUS":
        start, fold = (0, operator.add) if op == "cumulative_sum" else (1, operator.mul)
        numbers = itertools.accumulate((int(v) for v in line), fold, initial=start)
        if result.kind == "B":
            numbers = itertools.accumulate(map(bool, line), _TRUTH[op], initial=bool(start))
        return np.array(list(numbers), dtype=line.dtype), np.zeros(len(line) + 1, EXTENDED)
    start_value: Any = np.zeros(1, line.dtype) if op == "cumulative_sum" else np.ones(1, line.dtype)
    with np.errstate(all="ignore"):
        whole = np.concatenate([start_value, line])
        found = (np.cumsum if op == "cumulative_sum" else np.cumprod)(whole)
        if op == "cumulative_sum":
            return found, STATED * UNIT * np.cumsum(np.abs(whole)).astype(EXTENDED)
        return found, 4 * np.arange(len(whole)) * UNIT * np.abs(found).astype(EXTENDED)


_TRUTH = {"cumulative_sum": lambda a, b: a or b, "cumulative_prod": lambda a, b: a and b}
