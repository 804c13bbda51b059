"""suanzi against NumPy and PyTorch on every elementwise operator and full reduction.

Run ``python benchmarks/elementwise.py`` for the whole table (minutes), ``--goals`` for the stated goals alone,
``--only exp,log`` for some operators, ``--save FILE`` for a Markdown table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import torch
from tqdm import tqdm

import suanzi
from cases import ELEMENTWISE, REDUCTIONS, Case
from timing import human, interleaved

SIZES = (1, 1_000, 100_000, 10_000_000)
THREADS = 2
BY_NAME = {case.name: case for case in ELEMENTWISE + REDUCTIONS}


def goal(name: str, size: int, bound: float, dtype: str = "float32") -> tuple[Case, int, float]:
    case = BY_NAME[name]
    return Case(**{**vars(case), "dtype": dtype}), size, bound


GOALS = [
    goal("add", 4, 0.6),
    goal("add", 10_000_000, 0.4),
    *(goal(name, 1_000_000, 1.0, dtype)
      for name in ("exp", "log", "sin", "tanh", "pow") for dtype in ("float32", "float64")),
    goal("sum", 10_000_000, 1.0),
]  # fmt: skip


class Row:
    """One measured cell: an operator at a size."""

    def __init__(self, case: Case, size: int, repeats: int) -> None:
        self.case, self.size = case, size
        self.times = interleaved(case.calls(size), repeats)
        rivals = {name: t for name, t in self.times.items() if name != "suanzi"}
        self.rival = min(rivals, key=rivals.__getitem__)
        self.ratio = self.times["suanzi"] / rivals[self.rival]

    def cells(self) -> list[str]:
        times = [human(self.times[k]) if k in self.times else "-" for k in ("suanzi", "numpy", "torch")]
        return [self.case.name, self.case.dtype, f"{self.size:,}", *times, f"{self.ratio:.2f}"]


HEADER = ["operator", "type", "elements", "suanzi", "NumPy", "PyTorch", "ratio to the faster"]


def measure(work: Iterable[tuple[Case, int]], repeats: int) -> list[Row]:
    return [Row(case, size, repeats) for case, size in tqdm(list(work), unit="cell", leave=False)]


def markdown(rows: Iterable[list[str]]) -> str:
    lines = [HEADER, ["---"] * len(HEADER), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report_goals(repeats: int) -> None:
    for case, size, bound in GOALS:
        row = Row(case, size, repeats)
        verdict = "holds" if row.ratio <= bound else "MISSED"
        print(" ".join(f"{cell:>12}" for cell in row.cells()), f" goal {bound:.2f}: {verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", action="store_true")
    parser.add_argument("--only", default="", help="operators, separated by commas")
    parser.add_argument("--sizes", default="", help="sizes, separated by commas")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    suanzi.set_num_threads(THREADS)
    torch.set_num_threads(THREADS)
    if options.goals:
        return report_goals(options.repeats)

    chosen = [BY_NAME[name] for name in options.only.split(",") if name] or list(BY_NAME.values())
    sizes = [int(float(size)) for size in options.sizes.split(",") if size] or SIZES
    rows = measure(((case, size) for case in chosen for size in sizes), options.repeats)
    table = markdown(row.cells() for row in rows)
    print(table)
    losing = [row for row in rows if row.ratio > 1]
    print(f"\n{len(rows)} cells, {len(losing)} slower than the faster peer")
    for row in sorted(losing, key=lambda row: -row.ratio):
        print(f"  {row.case.name} at {row.size:,}: {row.ratio:.2f} of {row.rival}")
    if options.save:
        options.save.write_text(table + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
