"""Cases of reductions and prefix sums: vectors, square matrices along each axis, many short rows, and ten long rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi.bench.cases.case import LARGE_SIZES, NOT_SLOWER, SIZES, Case, Make, Operands
from suanzi.bench.cases.operands import numbers, of_columns, shaped, square, vectors

_NAMES = ("sum", "mean", "max", "var", "std", "norm1", "norm2", "logsumexp", "cumulative_sum", "cumulative_prod")
_IN_EVERY_SIZE = ("sum", "mean", "max")
_SHORT_ROWS = (8, 49)


def _kind(name: str) -> str:
    return "near one" if name == "cumulative_prod" else "exponent"


def _goals(name: str) -> dict[int, float]:
    return {**NOT_SLOWER, 10_000_000: 0.3} if name == "cumulative_sum" else NOT_SLOWER


def _counted(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((np.maximum(numbers("normal", n, t, rng), 0),))


def _ten_rows(n: int) -> tuple[int, int]:
    return 10, max(1, n // 10)


def _truth(value: bool, decided: bool) -> Make:
    """Return a function that makes equal bools. If `decided` is True, the bool in the middle is different."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        x = np.full(n, value)
        x[n // 2] ^= decided
        return Operands((x,))

    return make


CASES: list[Case] = [
    Case("reduce", vectors("exponent", further=("sum",)), "sum"),
    *(
        Case(name, vectors(_kind(name)), sizes=SIZES if name in _IN_EVERY_SIZE else LARGE_SIZES, goals=_goals(name))
        for name in _NAMES
    ),
    Case("prod", vectors("unit")),
    Case("min", vectors("real")),
    *(
        Case(name, shaped(square, _kind(name), axis=axis), f"matrix, axis {axis}", LARGE_SIZES, goals=_goals(name))
        for name in _NAMES
        for axis in (0, 1)
    ),
    *(
        Case(name, vectors("exponent"), sizes=LARGE_SIZES, types=("float64", "float16", "int32"))
        for name in ("sum", "max", "cumulative_sum")
    ),
    *(
        Case(name, shaped(of_columns(columns), "exponent", axis=1), f"rows of {columns}", LARGE_SIZES)
        for name in ("sum", "max")
        for columns in _SHORT_ROWS
    ),
    Case("count_nonzero", _counted, sizes=LARGE_SIZES),
    *(Case(name, vectors("coin"), types=("bool",)) for name in ("all", "any")),
    Case("all", _truth(True, decided=False), "true", LARGE_SIZES, ("bool",)),
    *(Case(name, shaped(_ten_rows, "coin", axis=1), "10 rows", LARGE_SIZES, ("bool",)) for name in ("max", "any")),
    Case("all", _truth(True, decided=True), "false in the middle", LARGE_SIZES, ("bool",)),
    Case("any", _truth(False, decided=True), "true in the middle", LARGE_SIZES, ("bool",)),
]
