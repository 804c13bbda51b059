"""Norms, variances and logsumexp in long double by their definitions, and the errors that float64 may make."""

from __future__ import annotations

import math

import numpy as np

from suanzi.conformance.oracle.element_types import EXTENDED, Array, ElementType, as_extended

STATISTICS = ("var", "std", "norm1", "norm2", "logsumexp")
UNIT = EXTENDED(2.0**-53)  # of float64, in which floating types are accumulated


def statistic(op: str, rows: Array, f: ElementType, correction: float = 0) -> tuple[Array, Array]:
    """One result for each row of exact values of a type, and the absolute error allowed besides the last rounding."""
    found = np.empty(len(rows), EXTENDED)
    slack = np.empty(len(rows), EXTENDED)
    with np.errstate(all="ignore"):
        for i, row in enumerate(as_extended(rows)):
            found[i], slack[i] = _ONE[op](row, correction)
            if op == "norm1" and f.name == "complex64":  # whose absolute values are float32
                slack[i] += EXTENDED(2.0**-24) * found[i]
    return found, np.where(np.isfinite(slack), slack, 0)


def _steps(row: Array) -> float:
    """How many roundings a pairwise fold of the row may suffer."""
    return 30 + 2 * math.log2(len(row) + 1)


def _var(row: Array, correction: float) -> tuple[EXTENDED, EXTENDED]:
    freedom = len(row) - correction
    if freedom <= 0:
        return EXTENDED(np.nan), EXTENDED(0)
    squares = (np.abs(row - row.sum() / len(row)) ** 2).sum()
    # An element may be off by half a unit in the last place before its distance is taken, the mean by a few.
    moved = 4 * UNIT * np.abs(row).max(initial=0)
    size = math.sqrt(len(row)) * moved
    return squares / freedom, (_steps(row) * UNIT * squares + 2 * np.sqrt(squares) * size + size**2) / freedom


def _std(row: Array, correction: float) -> tuple[EXTENDED, EXTENDED]:
    variance, slack = _var(row, correction)
    root = np.sqrt(variance)
    return root, np.fmin(np.sqrt(slack), slack / root if root > 0 else np.inf) + UNIT * root


def _norm1(row: Array, _: float) -> tuple[EXTENDED, EXTENDED]:
    found = np.abs(row).sum()
    return found, _steps(row) * UNIT * found


def _norm2(row: Array, _: float) -> tuple[EXTENDED, EXTENDED]:
    largest = np.abs(row).max(initial=0)
    scale = largest if 0 < largest < np.inf else EXTENDED(1)
    found = np.sqrt((np.abs(row / scale) ** 2).sum()) * scale
    return found, _steps(row) * UNIT * found


def _logsumexp(row: Array, _: float) -> tuple[EXTENDED, EXTENDED]:
    largest = row.max(initial=-np.inf)
    if not np.isfinite(largest):
        return largest, EXTENDED(0)
    rest = np.log(np.exp(row - largest).sum())
    return largest + rest, _steps(row) * UNIT * max(EXTENDED(1), rest) + 2 * UNIT * abs(largest)


_ONE = {"var": _var, "std": _std, "norm1": _norm1, "norm2": _norm2, "logsumexp": _logsumexp}
