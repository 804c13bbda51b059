"""suanzi against NumPy and PyTorch on the dense operators that are not elementwise.

Run ``python benchmarks/dense.py`` for the whole table (minutes), ``--areas sorting,random`` or ``--only sort,topk``
for a part, ``--save FILE`` for a Markdown table. What is measured lives in areas/, a module for each.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import torch

import suanzi
from areas import AREAS
from report import HEADER, THREADS, Row, describe_machine, losers, markdown, measure

TITLE = "# Speed of the dense operators against NumPy and PyTorch"
METHOD = """Written by `python benchmarks/dense.py --save docs/results/dense.md`. Measured as in
[elementwise.md](elementwise.md); a goal is a bound on the ratio at that size."""


def judged(row: Row) -> list[str]:
    """The cells of a row with its goal and whether it holds; empty where there is none."""
    bound = row.case.goals.get(row.size)
    return (
        [*row.cells(), f"{bound:.1f}", "holds" if row.ratio <= bound else "missed"] if bound else [*row.cells(), "", ""]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--areas", default=",".join(AREAS), help="modules of areas/, separated by commas")
    parser.add_argument("--only", default="", help="operators, separated by commas")
    parser.add_argument("--sizes", default="", help="sizes, separated by commas")
    parser.add_argument("--goals", action="store_true", help="only the cells that have a goal")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    options = parser.parse_args()
    suanzi.set_num_threads(THREADS)
    torch.set_num_threads(THREADS)
    only = set(filter(None, options.only.split(",")))
    sizes = {int(float(size)) for size in options.sizes.split(",") if size}
    work = [
        (case, size, case.goals.get(size, 1.0))
        for area in options.areas.split(",")
        for case in importlib.import_module(f"areas.{area}").CASES
        for size in case.sizes
        if (not only or case.name.split()[0] in only)
        and (not sizes or size in sizes)
        and (not options.goals or size in case.goals)
    ]
    rows = measure(work, options.repeats)
    table, summary = markdown((judged(row) for row in rows), [*HEADER, "goal", ""]), losers(rows)
    print(table, summary, sep="\n\n")
    if options.save:
        parts = [TITLE, describe_machine(), METHOD, summary, table]
        options.save.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
