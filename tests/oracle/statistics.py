"""Norms, variances and logsumexp in long double by their definitions, and the errors that float64 arithmetic allows."""

from __future__ import annotations

import math

import numpy as np

from suanzi.conformance.oracle.element_types import EXTENDED, Array, ElementType, as_extended

STATISTICS = ("var", "std", "norm1", "norm2", "logsumexp")
UNIT = EXTENDED(2.0**-53)  # the rounding unit of float64, the type in which Suanzi accumulates statistics


def statistic(op: str, rows: Array, f: ElementType, correction: float = 0) -> tuple[Array, Array]:
    """Return the statistic `op` of each row, and the allowed absolute error before the result is rounded."""
    with np.errstate(all="ignore"):
        found, slack = _ALL[op](np.ascontiguousarray(as_extended(rows)), correction)
        if op == "norm1" and f.name == "complex64":  # the core computes absolute values of complex64 in float32
            slack = slack + EXTENDED(2.0**-24) * found
    return found, np.where(np.isfinite(slack), slack, 0)


def _steps(rows: Array) -> float:
    """Return an upper bound on the number of roundings that affect an element in a pairwise sum of a row."""
    return 30 + 2 * math.log2(rows.shape[1] + 1)


def _var(rows: Array, correction: float) -> tuple[Array, Array]:
    count = rows.shape[1]
    freedom = count - correction
    if freedom <= 0:
        return np.full(len(rows), np.nan, EXTENDED), np.zeros(len(rows), EXTENDED)
    squares = (np.abs(rows - rows.sum(axis=1, keepdims=True) / count) ** 2).sum(axis=1)
    # Before the deviation is computed, an element may be off by half a unit in the last place, and the mean may be off
    # by a few units.
    moved = 4 * UNIT * np.abs(rows).max(axis=1, initial=0)
    size = math.sqrt(count) * moved
    return squares / freedom, (_steps(rows) * UNIT * squares + 2 * np.sqrt(squares) * size + size**2) / freedom


def _std(rows: Array, correction: float) -> tuple[Array, Array]:
    variance, slack = _var(rows, correction)
    root = np.sqrt(variance)
    return root, np.fmin(np.sqrt(slack), np.where(root > 0, slack / root, np.inf)) + UNIT * root


def _norm1(rows: Array, _: float) -> tuple[Array, Array]:
    found = np.abs(rows).sum(axis=1)
    return found, _steps(rows) * UNIT * found


def _norm2(rows: Array, _: float) -> tuple[Array, Array]:
    largest = np.abs(rows).max(axis=1, initial=0)
    scale = np.where((largest > 0) & (largest < np.inf), largest, EXTENDED(1))
    found = np.sqrt((np.abs(rows / scale[:, None]) ** 2).sum(axis=1)) * scale
    return found, _steps(rows) * UNIT * found


def _logsumexp(rows: Array, _: float) -> tuple[Array, Array]:
    largest = rows.max(axis=1, initial=-np.inf)
    finite = np.isfinite(largest)
    rest = np.log(np.exp(rows - largest[:, None]).sum(axis=1))
    slack = _steps(rows) * UNIT * np.maximum(EXTENDED(1), rest) + 2 * UNIT * abs(largest)
    return np.where(finite, largest + rest, largest), np.where(finite, slack, 0)


_ALL = {"var": _var, "std": _std, "norm1": _norm1, "norm2": _norm2, "logsumexp": _logsumexp}
