"""suanzi against NumPy and PyTorch on every elementwise operator and full reduction.

Run ``python benchmarks/elementwise.py`` for the whole table (minutes), ``--goals`` for the stated goals alone,
``--only exp,log`` for some operators, ``--save FILE`` for a Markdown table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
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

TITLE = "# Speed against NumPy and PyTorch"
METHOD = """Written by `python benchmarks/elementwise.py --save docs/benchmarks.md`. The three are called in turn in one
process, in batches of at least 2 ms with a pause before each; times are medians per call. Every call allocates its
result, as a user's would; the ratio is suanzi's time over the faster peer's."""


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


def markdown(rows: Iterable[list[str]], header: list[str]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def goal_rows(repeats: int) -> list[list[str]]:
    """The cells that have a goal, each with the goal and whether it holds."""
    rows = []
    for case, size, bound in tqdm(GOALS, unit="goal", leave=False):
        row = Row(case, size, repeats)
        rows.append([*row.cells(), f"{bound:.1f}", "holds" if row.ratio <= bound else "missed"])
    return rows


def losers(rows: Iterable[Row]) -> str:
    """The cells in which a peer is faster, the worst first."""
    rows = list(rows)
    losing = sorted((row for row in rows if row.ratio > 1), key=lambda row: -row.ratio)
    lines = [f"{len(rows)} cells, {len(losing)} slower than the faster peer:"]
    lines += [f"- {row.case.name} at {row.size:,}: {row.ratio:.2f} of {row.rival}" for row in losing]
    return "\n".join(lines)


def describe_machine() -> str:
    model = next((x for x in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in x), ": unknown")
    return (
        f"{model.partition(':')[2].strip()}, SIMD level {suanzi_level()}, {THREADS} threads for suanzi and PyTorch; "
        f"NumPy {np.__version__}, PyTorch {torch.__version__}."
    )


def suanzi_level() -> str:
    from suanzi import _core

    return _core.simd_level()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", action="store_true", help="the stated goals alone")
    parser.add_argument("--only", default="", help="operators, separated by commas")
    parser.add_argument("--sizes", default="", help="sizes, separated by commas")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--save", type=Path, help="write goals and table to a Markdown file")
    options = parser.parse_args()
    suanzi.set_num_threads(THREADS)
    torch.set_num_threads(THREADS)
    goals = markdown(goal_rows(options.repeats), [*HEADER, "goal", ""]) if options.goals or options.save else ""
    print(goals)
    if options.goals:
        return

    chosen = [BY_NAME[name] for name in options.only.split(",") if name] or list(BY_NAME.values())
    sizes = [int(float(size)) for size in options.sizes.split(",") if size] or SIZES
    rows = measure(((case, size) for case in chosen for size in sizes), options.repeats)
    table, summary = markdown((row.cells() for row in rows), HEADER), losers(rows)
    print(table, summary, sep="\n\n")
    if options.save:
        parts = [TITLE, describe_machine(), METHOD, "## Goals", goals, "## Every operator", summary, table]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
