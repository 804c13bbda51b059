"""Tables and a picture of the times of a model's nodes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from suanzi.conformance.text import printable, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from suanzi.interop.onnx.profile import Timing

_MOST_NODES = 20


def added(timings: Sequence[Timing], key: str) -> list[tuple[str, int, float]]:
    """Return the labels or operators of timings with the number and the time of their calls, the slowest first."""
    found: dict[str, tuple[int, float]] = {}
    for each in timings:
        name = getattr(each, key)
        count, seconds = found.get(name, (0, 0.0))
        found[name] = count + 1, seconds + each.seconds
    rows = [(name, count, seconds) for name, (count, seconds) in found.items()]
    return sorted(rows, key=lambda row: -row[2])


def lines(timings: Sequence[Timing], whole: float) -> list[str]:
    """Return the tables of operators and of the slowest nodes."""
    total = sum(each.seconds for each in timings)
    operators = [("operator", "calls", "time", "share"), *_rows(added(timings, "operator"), total)]
    nodes = [("node", "calls", "time", "share"), *_rows(added(timings, "label")[:_MOST_NODES], total)]
    return [f"a run: {_time(whole)}, of which nodes: {_time(total)}", "", *table(operators), "", *table(nodes)]


def _rows(added: Sequence[tuple[str, int, float]], total: float) -> list[tuple[str, ...]]:
    return [
        (printable(name), str(count), _time(seconds), f"{seconds / (total or 1.0):.1%}")
        for name, count, seconds in added
    ]


def _time(seconds: float) -> str:
    """Return a time in milliseconds, or in microseconds if milliseconds would show fewer than three digits."""
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.3f} µs"


def draw(timings: Sequence[Timing], title: str) -> Figure:
    """Return a picture of the times of the slowest operators as bars."""
    from matplotlib.figure import Figure

    rows = added(timings, "operator")[:_MOST_NODES][::-1]
    figure = Figure(figsize=(8, 1 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.barh([_plain(f"{name} ({count})") for name, count, _ in rows], [seconds * 1e3 for *_, seconds in rows])
    axes.set_xlabel("ms")
    axes.set_title(_plain(title))
    return figure


def _plain(text: str) -> str:
    """Return a text that matplotlib draws as it is. Without backslashes, two dollar signs enclose a formula."""
    return printable(text).replace("$", r"\$")


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """Suppress the warnings of matplotlib about characters that the font lacks, such as Chinese characters."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)
        yield
