"""The document about a run of `suanzi bench`, for docs/results: the machine, the method, a summary and the table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from suanzi.bench.results import NEAR, Cell, Results, geometric_mean
from suanzi.bench.timing import human

_TITLE = "# Speed beside other libraries"
_METHOD = f"""`suanzi bench --markdown FILE` writes this page. A cell is an operator with one element type and one
number of elements. Each library runs in a process of its own, and the processes take turns. In a turn a library times
a batch of calls, which takes about 2 ms or more. A batch that does not count comes first, unless a call takes 0.25 s or
more. A turn begins when no thread waits actively for work any more. A time is the median of a call. The time includes
the allocation of the result unless a cell says `out=`. A ratio is Suanzi's time divided by the fastest other library's
time. The bound of a ratio is its goal, or 1 if the ratio has no goal. If a ratio is above its bound, or below its bound
by a factor of less than {NEAR}, the command measured the cell four more times at the end. The table then shows the
median of the five measurements."""
_SORT = 'PyTorch\'s `sort` always returns indices, so `sort` is in the row "values and indices".'
_SLOWED = "MKL computes the functions and products of {names}, and runs slower code on AMD's processors."


def write(results: Results, file: Path) -> None:
    """Write the document of a run to a file."""
    has_sort = any(cell.operator == "sort" for cell in results.cells)
    parts = [_TITLE, _machine(results), f"{_METHOD} {_SORT}" if has_sort else _METHOD]
    if results.slowed:
        parts.append(_SLOWED.format(names=", ".join(results.slowed)))
    parts += ["## Summary", _slower(results), _means(results), "## Cells", _cells(results)]
    file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def judged(results: Results, cell: Cell) -> list[str]:
    """Return the ratio of a cell, its goal, and the verdict. A missing value becomes an empty text."""
    ratio = cell.ratio(results.subject)
    shown = "" if ratio is None else f"{ratio:.2f}"
    if cell.goal is None or ratio is None:
        return [shown, "", ""]
    return [shown, f"{cell.goal:.1f}", "missed" if cell.misses(results.subject) else "holds"]


def times(results: Results, cell: Cell) -> list[str]:
    """Return the time of a cell in each library as text, or "-" if a library has no time."""
    return [human(cell.seconds[name]) if name in cell.seconds else "-" for name in results.libraries]


def _machine(results: Results) -> str:
    facts = results.environment
    versions = ", ".join(f"{name} {version}" for name, version in results.libraries.items())
    return (
        f"The processor is {facts['processor']} at SIMD level {facts['simd']}, and each library used "
        f"{facts['threads']} threads. The versions are {versions}, Python {facts['python']}."
    )


def _slower(results: Results) -> str:
    compared = sum(cell.ratio(results.subject) is not None for cell in results.cells)
    slower = results.slower()
    end = ":" if slower else "."
    lines = [f"Of {compared} cells, {len(slower)} are slower than the fastest other library{end}", ""]
    lines += [
        f"- {cell.name} of {cell.size:,} elements in {cell.element_type} takes {ratio:.2f} times the time of "
        f"{cell.fastest_peer(results.subject)}"
        for ratio, cell in slower
    ]
    return "\n".join(lines).rstrip()


def _means(results: Results) -> str:
    rows = [[f"{key} ({chinese})", str(count), f"{mean:.2f}"] for key, chinese, count, mean in results.means()]
    ratios = [ratio for cell in results.cells if (ratio := cell.ratio(results.subject)) is not None]
    rows += [["all", str(len(ratios)), f"{geometric_mean(ratios):.2f}"]] if ratios else []
    return table(["category", "cells", "geometric mean of the ratios"], rows)


def _cells(results: Results) -> str:
    header = ["operator", "type", "elements", *results.libraries, "ratio", "goal", ""]
    rows = (
        [cell.name, cell.element_type, f"{cell.size:,}", *times(results, cell), *judged(results, cell)]
        for cell in results.cells
    )
    return table(header, rows)
