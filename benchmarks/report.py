"""What the speed benchmarks report: a measured cell, Markdown tables, the cells that lose, the machine.

What is measured lives in cases.py and in areas/, how in timing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import numpy as np
import torch
from tqdm import tqdm

from suanzi import _core
from timing import human, interleaved, processor

THREADS = 2


class Measurable(Protocol):
    """One operator on one kind of input."""

    @property
    def name(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    def calls(self, size: int) -> Mapping[str, Callable[[], object]]:
        """The rivals by name, "suanzi" among them, on the same input of ``size`` elements."""


class Row:
    """One measured cell: an operator at a size."""

    def __init__(self, case: Measurable, size: int, repeats: int) -> None:
        self.case, self.size = case, size
        self.times = interleaved(case.calls(size), repeats)
        rivals = {name: t for name, t in self.times.items() if name != "suanzi"}
        self.rival = min(rivals, key=rivals.__getitem__)
        self.ratio = self.times["suanzi"] / rivals[self.rival]

    def cells(self) -> list[str]:
        # SciPy stands for NumPy where that has no such thing.
        times = [
            next((human(self.times[k]) for k in keys if k in self.times), "-")
            for keys in (("suanzi",), ("numpy", "scipy"), ("torch",))
        ]
        return [self.case.name, self.case.dtype, f"{self.size:,}", *times, f"{self.ratio:.2f}"]


HEADER = ["operator", "type", "elements", "suanzi", "NumPy", "PyTorch", "ratio to the faster"]


AGAIN = 4
"""How often a cell is measured again that misses its bound: the machines are shared, and what one run says about a few
microseconds on two threads the next may not."""


def measure(work: Iterable[tuple[Measurable, int, float]], repeats: int) -> list[Row]:
    """A row for each case and size, with a bound on its ratio.

    Where the ratio misses the bound, the row is the middle one of several, of which the others come when everything
    has been measured once.
    """
    cells = list(work)
    rows = [Row(case, size, repeats) for case, size, _ in tqdm(cells, unit="cell", leave=False)]
    missed = {i: [row] for i, row in enumerate(rows) if row.ratio > cells[i][2]}
    for _ in range(AGAIN):
        for i, seen in tqdm(missed.items(), unit="cell", leave=False):
            seen.append(Row(rows[i].case, rows[i].size, repeats))
    for i, seen in missed.items():
        rows[i] = sorted(seen, key=lambda row: row.ratio)[len(seen) // 2]
    return rows


def markdown(rows: Iterable[list[str]], header: list[str]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def losers(rows: Iterable[Row]) -> str:
    """The cells in which a peer is faster, the worst first."""
    rows = list(rows)
    losing = sorted((row for row in rows if row.ratio > 1), key=lambda row: -row.ratio)
    lines = [f"{len(rows)} cells, {len(losing)} slower than the faster peer:"]
    lines += [f"- {row.case.name} at {row.size:,}: {row.ratio:.2f} of {row.rival}" for row in losing]
    return "\n".join(lines)


def describe_machine() -> str:
    return (
        f"{processor()}, SIMD level {_core.simd_level()}, {THREADS} threads for suanzi and "
        f"PyTorch; NumPy {np.__version__}, PyTorch {torch.__version__}."
    )
