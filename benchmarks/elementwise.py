"""suanzi against NumPy and PyTorch on every elementwise operator and full reduction.

Run ``python benchmarks/elementwise.py`` for the whole table (minutes), ``--goals`` for the stated goals alone,
``--only exp,log`` for some operators, ``--save FILE`` for a Markdown table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

import suanzi
from cases import ELEMENTWISE, REDUCTIONS, Case
from report import HEADER, THREADS, describe_machine, losers, markdown, measure

SIZES = (1, 1_000, 100_000, 10_000_000)
BY_NAME = {case.name: case for case in ELEMENTWISE + REDUCTIONS}


def goal(name: str, size: int, bound: float, dtype: str = "float32") -> tuple[Case, int, float]:
    case = BY_NAME[name]
    return Case(**{**vars(case), "floating": dtype}), size, bound


GOALS = [
    goal("add", 4, 0.6),
    goal("add", 10_000_000, 0.4),
    *(goal(name, 1_000_000, 1.0, dtype)
      for name in ("exp", "log", "sin", "tanh", "pow") for dtype in ("float32", "float64")),
    goal("sum", 10_000_000, 1.0),
]  # fmt: skip

TITLE = "# Speed against NumPy and PyTorch"
METHOD = """Written by `python benchmarks/elementwise.py --save docs/results/elementwise.md`. The three are called in
turn in one process, in batches of at least 2 ms, each once no thread spins any more and after a batch that does not
count; times are medians per call. Every call allocates its result, as a user's would; the ratio is suanzi's time over
the faster peer's. A cell that misses its goal, or 1 where it has none, is measured four times more at the end, and the
middle one of the five stands here."""


def goal_rows(repeats: int) -> list[list[str]]:
    """The cells that have a goal, each with the goal and whether it holds."""
    return [
        [*row.cells(), f"{bound:.1f}", "holds" if row.ratio <= bound else "missed"]
        for row, (*_, bound) in zip(measure(GOALS, repeats), GOALS, strict=True)
    ]


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
    rows = measure(((case, size, 1.0) for case in chosen for size in sizes), options.repeats)
    table, summary = markdown((row.cells() for row in rows), HEADER), losers(rows)
    print(table, summary, sep="\n\n")
    if options.save:
        parts = [TITLE, describe_machine(), METHOD, "## Goals", goals, "## Every operator", summary, table]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
