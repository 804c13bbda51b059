"""The picture of a run of `suanzi bench`: the ratio of every cell, with one row per category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanzi.bench.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(results: Results) -> Figure:
    """Return a picture of the ratios of a run. Raise ModuleNotFoundError if matplotlib is not installed."""
    from matplotlib.figure import Figure

    categories = list(dict.fromkeys(cell.category.key for cell in results.cells))
    sizes = sorted({cell.size for cell in results.cells})
    figure = Figure(figsize=(9, 1 + 0.4 * len(categories)), layout="constrained")
    axes = figure.subplots()
    for number, size in enumerate(sizes):
        points = [
            (ratio, categories.index(cell.category.key))
            for cell in results.cells
            if cell.size == size and (ratio := cell.ratio(results.subject)) is not None
        ]
        shift = 0.6 * (number / max(1, len(sizes) - 1) - 0.5)
        axes.plot([x for x, _ in points], [y + shift for _, y in points], ".", label=f"{size:,} elements")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set(xscale="log", yticks=range(len(categories)), yticklabels=categories)
    axes.set_xlabel(f"time of {results.subject} over the fastest of {', '.join(list(results.libraries)[1:])}")
    axes.invert_yaxis()
    axes.legend(fontsize="small")
    return figure
