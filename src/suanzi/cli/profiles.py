"""Tables and a picture of the times of a model's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suanzi.conformance.text import printable, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from suanzi.interop.onnx.profile import Timing

_MOST_NODES = 20


def by_operator(timings: Sequence[Timing]) -> list[tuple[str, int, float]]:
    """Return operators with the number and the time of their calls, the slowest first."""
    found: dict[str, tuple[int, float]] = {}
    for each in timings:
        count, seconds = found.get(each.operator, (0, 0.0))
        found[each.operator] = count + 1, seconds + each.seconds
    rows = [(name, count, seconds) for name, (count, seconds) in found.items()]
    return sorted(rows, key=lambda row: -row[2])


def lines(timings: Sequence[Timing], whole: float) -> list[str]:
    """Return the tables of operators and of the slowest nodes."""
    total = sum(each.seconds for each in timings) or 1.0
    operators = [
        (name, str(count), _time(seconds), f"{seconds / total:.1%}") for name, count, seconds in by_operator(timings)
    ]
    slowest = sorted(timings, key=lambda each: -each.seconds)[:_MOST_NODES]
    nodes = [(printable(each.label), _time(each.seconds), f"{each.seconds / total:.1%}") for each in slowest]
    return [
        f"a run: {_time(whole)}, of which nodes: {_time(sum(each.seconds for each in timings))}",
        "",
        *table([("operator", "calls", "time", "share"), *operators]),
        "",
        *table([("node", "time", "share"), *nodes]),
    ]


def _time(seconds: float) -> str:
    """Return a time in milliseconds, or in microseconds if milliseconds would show fewer than three digits."""
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.3f} µs"


def draw(timings: Sequence[Timing], title: str) -> Figure:
    """Return a picture of the times of the slowest operators as bars."""
    from matplotlib.figure import Figure

    rows = by_operator(timings)[:_MOST_NODES][::-1]
    figure = Figure(figsize=(8, 1 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.barh([f"{name} ({count})" for name, count, _ in rows], [seconds * 1e3 for *_, seconds in rows])
    axes.set_xlabel("ms")
    axes.set_title(title)
    return figure
