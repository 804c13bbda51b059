"""Cases of gathering and scattering by random indices, in one dimension and along each axis of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi.bench.cases.case import LARGE_SIZES, Case, Make, Operands
from suanzi.bench.cases.operands import line, numbers, selected, square

_GOAL = {10_000_000: 0.6}
_TAKEN = selected(line, line)


def _assign(x: Any, index: Any, updates: Any) -> None:
    x[index] = updates


def _scattered(mode: str) -> Make:
    return selected(line, line, updates=True, mode=mode)


def _masked(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("share", n, t, rng), numbers("coin", n, t, rng)))


def _points(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    shape = square(n)
    return Operands((numbers("share", shape, t, rng), rng.integers(0, shape[0], (n, 2))))


def _along(axis: int) -> list[Case]:
    of_rows = selected(square, lambda n: square(n)[:1], axis)
    of_elements = selected(square, square, axis)
    updated = selected(square, square, axis, updates=True)
    return [
        Case(name, make, f"axis {axis}", LARGE_SIZES)
        for name, make in (
            ("gather", of_rows),
            ("index_select", of_rows),
            ("take_along_axis", of_elements),
            ("scatter", updated),
        )
    ]


CASES: list[Case] = [
    Case("take", _TAKEN, sizes=LARGE_SIZES, goals=_GOAL),
    Case("take", _TAKEN, "x[index]", LARGE_SIZES, goals=_GOAL, way=lambda x, index: x[index]),
    Case("take", _masked, "x[mask]", LARGE_SIZES, way=lambda x, mask: x[mask]),
    Case("scatter", _scattered("update"), sizes=LARGE_SIZES, goals=_GOAL),
    Case("scatter", selected(line, line, updates=True), "x[index] = y", LARGE_SIZES, goals=_GOAL, way=_assign),
    *(Case("scatter", _scattered(mode), mode, LARGE_SIZES, goals=_GOAL) for mode in ("add", "max")),
    *_along(0),
    *_along(1),
    Case("gather_nd", _points, sizes=LARGE_SIZES),
]
