"""The picture of a fused program: the passes in order, the tensors between passes, and the tensors to and from memory.

The module needs matplotlib, which is an extra: ``pip install 'suanzi[plot]'``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

from suanzi.fusion.description import Description, Part, Step, size
from suanzi.fusion.plan import Value

try:
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
except ImportError as error:
    raise ImportError("suanzi.fuse: plot: the package matplotlib is missing; pip install 'suanzi[plot]'") from error

# All lengths are in inches, which are also the units of the axes. y grows downwards.
_MARGIN, _RAIL, _BOX, _GAP, _LINE, _PORT = 0.25, 0.3, 3.7, 0.42, 0.19, 0.33
_CHARACTER = 0.06  # the average width of a label's character
_LANE = 0.22
_MOST_ARROWS = 4  # the most arrows from memory into one box (a single arrow represents all values if there are more)
_MEMORY, _CACHE, _TEXT = "#2f6690", "#d1495b", "#22272e"
_FILL = {"pass": "#dbe9f4", "fold": "#fbe3c4", "operator": "#eceff1"}
_EDGE = {"pass": "#2f6690", "fold": "#c77d1a", "operator": "#78838c"}
_KIND = {"pass": "pass", "fold": "fold", "operator": "operator of its own"}


class _Arrow(NamedTuple):
    """An arrow between memory and a box."""

    label: str
    cached: bool  # True for a value that an earlier step left in the cache


class _Link(NamedTuple):
    """A value that one step writes and other steps read, and the positions of the steps."""

    label: str
    writer: int
    readers: tuple[int, ...]
    cached: bool


class _Box:
    """A box for a step, and the position of the box in the picture."""

    def __init__(self, step: Step, part: Part | None) -> None:
        self.step, self.part = step, part
        self.reads: list[_Arrow] = []
        self.writes: list[_Arrow] = []
        self.right = 0  # the number of ports that links use on the right side
        # A line may break between two operators, but not between an operator and its count.
        tied = step.words().replace(" ", "\u00a0").replace(",\u00a0", ", ") if len(step.operators) > 1 else step.words()
        self.words = [line.replace("\u00a0", " ") for line in textwrap.wrap(tied, 50)]
        self.top = self.height = 0.0

    @property
    def head(self) -> str:
        if self.step.shape is None:
            return ""
        return f"{self.step.shape}, {prod(self.step.shape):,} elements"

    def place(self, top: float) -> float:
        """Set the position of the box. Return the position of the next box."""
        self.top = top
        ports = max(len(self.reads) + len(self.writes), self.right)
        self.height = max(0.42 + _LINE * len(self.words), _PORT * ports + 0.1)
        return top + self.height

    def port(self, i: int, count: int) -> float:
        return self.top + self.height * (i + 0.5) / count


def draw(description: Description, title: str) -> Figure:
    """Return the figure of a program."""
    boxes = [_Box(step, part) for step, part in _steps(description)]
    links = _links(description, boxes)
    for box in boxes:
        box.reads = _reads(description, boxes, box)
        box.writes = [_Arrow(_label(description.values[x]), False) for x in box.step.writes if x in description.results]
    return _Picture(boxes, links, title, description.summary()).figure


def draw_untraced(reason: str, title: str) -> Figure:
    """Return the figure of a function that runs without fusion."""
    box = _Box(Step("operator", ((reason, 1),), None, (), ()), None)
    return _Picture([box], [], title, "not traced, runs as it is").figure


def _steps(description: Description) -> Iterator[tuple[Step, Part | None]]:
    for part in description.parts:
        if isinstance(part, Step):
            yield part, None
        else:
            yield from ((step, part) for step in part.steps)


def _links(description: Description, boxes: list[_Box]) -> list[_Link]:
    writers = {x: i for i, box in enumerate(boxes) for x in box.step.writes}
    links = []
    for x, writer in writers.items():
        if readers := [i for i, box in enumerate(boxes) if x in box.step.reads]:
            cached = all(_share_blocks(boxes[writer], boxes[i]) for i in readers)
            links.append(_Link(_label(description.values[x], cached), writer, tuple(readers), cached))
    return links


def _share_blocks(a: _Box, b: _Box) -> bool:
    return a.step.blocked and b.step.blocked and a.part is b.part


def _reads(description: Description, boxes: list[_Box], box: _Box) -> list[_Arrow]:
    """Return the arrows from memory into a box, for the arguments and outside tensors that the step reads. Links show
    the results of other steps.
    """
    written = {x for other in boxes for x in other.step.writes}
    given = [x for x in box.step.reads if x not in written]
    before = {x for other in boxes[: boxes.index(box)] if _share_blocks(other, box) for x in other.step.reads}
    if len(given) > _MOST_ARROWS:
        values = [description.values[x] for x in given]
        total = size(sum(value.bytes for value in values if value is not None))
        return [_Arrow(f"{len(given)} tensors, {total}", all(x in before for x in given))]
    return [_Arrow(_label(description.values[x], x in before), x in before) for x in given]


def _label(value: Value | None, cached: bool = False) -> str:
    if value is None:
        return ""
    return f"{value.dtype} {value.shape}" if cached else f"{value.dtype} {value.shape}, {size(value.bytes)}"


class _Picture:
    """The picture of a program: boxes in a column, memory at the left, and links between boxes at the right."""

    def __init__(self, boxes: list[_Box], links: list[_Link], title: str, summary: str) -> None:
        self.boxes = boxes
        self.direct = [link for link in links if link.readers == (link.writer + 1,)]
        self.lanes = _assigned([link for link in links if link not in self.direct])
        for link, _ in self.lanes:
            for i in (link.writer, *link.readers):
                boxes[i].right += 1
        arrows = [arrow.label for box in boxes for arrow in (*box.reads, *box.writes)]
        self.left = 2 * _MARGIN + _RAIL + _width(arrows, 0.8) + 0.25
        self.right = self.left + _BOX
        # The first lane is to the right of the labels of links that use lanes.
        self.lane = self.right + 0.2 + _width([link.label for link, _ in self.lanes], 0.0)
        lanes = 1 + max((lane for _, lane in self.lanes), default=-1)
        width = self.lane + _LANE * lanes + _MARGIN
        self.bottom = self._place()
        height = self.bottom + 0.55
        width = max(width, 2 * _MARGIN + _CHARACTER * len(summary))
        self.figure = Figure(figsize=(width, height), dpi=150)
        self.axes: Any = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(height, 0))
        self.axes.set_axis_off()
        self._text(_MARGIN, 0.3, title, fontsize=13, weight="bold")
        self._text(_MARGIN, 0.58, summary, color="#5b6670")
        self._draw()

    # --- layout ---

    def _place(self) -> float:
        y = 0.9
        before: _Box | None = None
        for i, box in enumerate(self.boxes):
            if box.step.blocked and not (before and _share_blocks(before, box)):
                y += 0.42  # the head of the frame
            if before is not None and before.step.blocked and not _share_blocks(before, box):
                y += 0.2  # the foot of the frame
            labels = sum(link.writer == i for link in self.direct)
            y = box.place(y) + max(_GAP, 0.2 + _LINE * labels)
            before = box
        return y + (0.2 if before is not None and before.step.blocked else 0)

    # --- drawing ---

    def _draw(self) -> None:
        self._rail()
        self._frames()
        for box in self.boxes:
            self._box(box)
            self._arrows(box)
        for i in range(len(self.boxes) - 1):
            self._handed_down(i)
        self._handed_on()
        self._legend()

    def _text(self, x: float, y: float, text: str, **options: Any) -> None:
        self.axes.text(x, y, text, **{"fontsize": 9, "color": _TEXT, "va": "center", **options})

    def _line(self, xs: tuple[float, ...], ys: tuple[float, ...], cached: bool) -> None:
        color, style = (_CACHE, (0, (3, 1.5))) if cached else (_MEMORY, "-")
        self.axes.plot(xs, ys, color=color, linestyle=style, linewidth=1.3, solid_capstyle="round")

    def _arrow(self, start: tuple[float, float], end: tuple[float, float], cached: bool) -> None:
        style: dict[str, Any] = {
            "color": _CACHE if cached else _MEMORY,
            "linestyle": (0, (3, 1.5)) if cached else "-",
            "linewidth": 1.3,
        }
        arrow = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=10, shrinkA=0, shrinkB=0, **style)
        arrow.set_gid("cache" if cached else "memory")
        self.axes.add_patch(arrow)

    def _rail(self) -> None:
        top = self.boxes[0].top - (0.42 if self.boxes[0].step.blocked else 0) if self.boxes else 0.9
        height = self.bottom - 0.2 - top
        self.axes.add_patch(Rectangle((_MARGIN, top), _RAIL, height, facecolor="#e6edf2", edgecolor="none"))
        middle = top + height / 2
        self._text(_MARGIN + _RAIL / 2, middle, "memory", rotation=90, ha="center", color=_MEMORY, weight="bold")

    def _frames(self) -> None:
        start = 0
        for i, box in enumerate(self.boxes):
            if box.step.blocked and (i + 1 == len(self.boxes) or not _share_blocks(box, self.boxes[i + 1])):
                while not _share_blocks(self.boxes[start], box):
                    start += 1
                self._frame(self.boxes[start], box)
                start = i + 1

    def _frame(self, first: _Box, last: _Box) -> None:
        x, y = self.left - 0.2, first.top - 0.4
        inside = [lane for link, lane in self.lanes if link.cached and self.boxes[link.writer].part is first.part]
        right = self.lane + _LANE * max(inside) + 0.15 if inside else self.right + 0.2
        height = last.top + last.height + 0.2 - y
        style: dict[str, Any] = {"facecolor": "#fdf6f4", "edgecolor": _CACHE, "linewidth": 1.0}
        frame = FancyBboxPatch((x, y), right - x, height, boxstyle="round,pad=0,rounding_size=0.12", **style)
        frame.set_gid("block")
        self.axes.add_patch(frame)
        rows = first.part.block_rows if first.part else 0
        label = f"block by block, about {rows:,} row{'s' if rows != 1 else ''} at a time, in the cache"
        self._text(self.left, y + 0.2, label, color=_CACHE, style="italic")

    def _box(self, box: _Box) -> None:
        kind = box.step.kind
        style: dict[str, Any] = {
            "facecolor": _FILL[kind],
            "edgecolor": _EDGE[kind],
            "linestyle": "--" if kind == "operator" else "-",
        }
        shape = "round,pad=0,rounding_size=0.07"
        patch = FancyBboxPatch((self.left, box.top), _BOX, box.height, boxstyle=shape, linewidth=1.3, zorder=2, **style)
        patch.set_gid(kind)
        self.axes.add_patch(patch)
        y = box.top + (box.height - 0.42 - _LINE * len(box.words)) / 2 + 0.18
        self._text(self.left + 0.12, y, _KIND[kind], weight="bold", color=_EDGE[kind], zorder=3)
        self._text(self.right - 0.12, y, box.head, ha="right", color="#5b6670", fontsize=8, zorder=3)
        for i, line in enumerate(box.words):
            self._text(self.left + 0.12, y + 0.22 + _LINE * i, line, zorder=3)

    def _arrows(self, box: _Box) -> None:
        count, rail = len(box.reads) + len(box.writes), _MARGIN + _RAIL
        edge = self.left - 0.2 if box.step.blocked else self.left
        for i, arrow in enumerate((*box.reads, *box.writes)):
            y, inwards = box.port(i, count), i < len(box.reads)
            start, end = ((edge if arrow.cached else rail), y), (self.left, y)
            self._arrow(*((start, end) if inwards else (end, start)), arrow.cached)
            self._text(rail + 0.14, y - 0.09, "" if arrow.cached else arrow.label, fontsize=8, color=_MEMORY)

    def _handed_down(self, i: int) -> None:
        """Draw one arrow from box `i` to the next box, with a label for each value that only the next box reads."""
        links = [link for link in self.direct if link.writer == i]
        if not links:
            return
        x, start, end = self.left + 0.6, self.boxes[i].top + self.boxes[i].height, self.boxes[i + 1].top
        self._arrow((x, start), (x, end), all(link.cached for link in links))
        first = (start + end) / 2 - _LINE * (len(links) - 1) / 2
        for k, link in enumerate(links):
            self._text(x + 0.15, first + _LINE * k, link.label, fontsize=8, color=_CACHE if link.cached else _MEMORY)

    def _handed_on(self) -> None:
        """Draw the links that a box after the next box reads. The links run on lanes beside the boxes."""
        used = [0] * len(self.boxes)

        def port(i: int) -> float:
            used[i] += 1
            return self.boxes[i].port(used[i] - 1, self.boxes[i].right)

        for link, lane in self.lanes:
            x = self.lane + _LANE * lane
            start, ends = port(link.writer), [port(i) for i in link.readers]
            self._line((self.right, x, x), (start, start, ends[-1]), link.cached)
            for y in ends:
                self._arrow((x, y), (self.right, y), link.cached)
            color = _CACHE if link.cached else _MEMORY
            self._text(self.right + 0.1, start - 0.09, link.label, fontsize=8, color=color)

    def _legend(self) -> None:
        y = self.bottom + 0.25
        x = _MARGIN
        for cached, words in ((False, "in memory"), (True, "in the cache")):
            self._line((x, x + 0.35), (y, y), cached)
            self._text(x + 0.45, y, words, fontsize=8, color="#5b6670")
            x += 1.3


def _assigned(links: list[_Link]) -> list[tuple[_Link, int]]:
    """Assign to each link a lane that no other link uses at the same height."""
    ends: list[int] = []
    assigned = []
    for link in sorted(links, key=lambda link: link.writer):
        lane = next((i for i, end in enumerate(ends) if end < link.writer), len(ends))
        ends[lane:] = [link.readers[-1], *ends[lane + 1 :]]
        assigned.append((link, lane))
    return assigned


def _width(labels: list[str], least: float) -> float:
    return max([_CHARACTER * len(label) for label in labels], default=least)
