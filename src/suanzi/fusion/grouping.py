"""The division of a pass on a device into kernels.

A kernel iterates over one shape, the domain of the kernel, and computes elementwise nodes of this shape in registers.
If rows of the domain fit into registers, the kernel also folds rows and computes values from the folds of each row. A
fold of longer rows has two kernels of its own. The first kernel folds pieces and computes values that only the fold
reads, and the second kernel folds the results of the pieces. Nodes that no kernel can compute are calls of their
operators.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import prod
from typing import Any

from suanzi import tuning
from suanzi.graph.node import Elementwise, Node, Reduction, Shape

# The forms of values: the shape of the domain, or one element for each row, with or without dimensions of size 1.
FULL, KEPT, LEAD = "full", "kept", "lead"


@dataclass(slots=True, eq=False)
class Group:
    """A group of nodes that one kernel computes, or the single node of a call."""

    kind: str  # "flat", "rows", "fold", "call"
    domain: Shape = ()
    folded: int = 0  # the number of trailing dimensions that form a row
    nodes: list[Node] = field(default_factory=list)
    forms: dict[Node, str] = field(default_factory=dict)

    def add(self, node: Node, form: str) -> None:
        self.nodes.append(node)
        self.forms[node] = form

    @property
    def lead(self) -> Shape:
        return self.domain[: len(self.domain) - self.folded]


def trailing(fold: Reduction) -> int:
    """Return the number of trailing dimensions that a reduction folds, or 0 if the reduction folds other dimensions."""
    shape = fold.operand.shape
    count = len(shape) - min(fold.axes, default=len(shape))
    kept = [axis for axis in range(len(shape) - count, len(shape)) if axis not in fold.axes]
    return 0 if any(shape[axis] != 1 for axis in kept) else count


class Grouping:
    """The groups of a pass's nodes. Each node comes after its operands."""

    def __init__(self, nodes: list[Node], wanted: list[Node], writes: Any) -> None:
        self.nodes, self.wanted = nodes, set(wanted)
        self.writes = writes  # a function that selects the nodes that kernels can compute
        self.groups: list[Group] = []
        self.place: dict[Node, int] = {}  # the group of each node
        self.on_the_way: dict[Node, Reduction] = {}  # nodes that a long fold's kernel computes
        for node in nodes:
            if isinstance(node, Reduction) and self._is_long(node):
                for x in self._private(node):
                    self.on_the_way[x] = node
        for node in nodes:
            if node not in self.on_the_way:
                self._put(node)

    def _is_long(self, fold: Reduction) -> bool:
        if not self.writes(fold, long=True):
            return False
        count = trailing(fold)
        row = prod(fold.operand.shape[len(fold.operand.shape) - count :])
        return bool(fold.axes) and (count == 0 or row > tuning.MOST_ROW)

    def _private(self, fold: Reduction) -> set[Node]:
        """Return the elementwise nodes that only `fold` reads, directly or through other nodes of the result."""
        readers: Counter[Node] = Counter(x for node in self.nodes for x in set(node.operands))
        found: set[Node] = set()
        waiting = [fold.operand]
        while waiting:
            x = waiting.pop()
            if x in self.wanted or readers[x] > 1 or not isinstance(x, Elementwise) or x in found:
                continue
            if x.shape == fold.operand.shape and x in self.nodes and self.writes(x):
                found.add(x)
                waiting += x.operands
        return found

    def _put(self, node: Node) -> None:
        operands = [x for part in self._made_of(node) for x in part.operands]
        earliest = max([self.place[x] for x in operands if x in self.place], default=0)
        if isinstance(node, Reduction) and self._is_long(node):
            group = Group("fold", node.operand.shape)
            for x in self.nodes:
                if self.on_the_way.get(x) is node:
                    group.add(x, FULL)
            group.add(node, KEPT)
            self._append(group)
        elif not self.writes(node) or (isinstance(node, Reduction) and not trailing(node)):
            self._append(Group("call", node.shape, 0, [node]))
        else:
            for i in range(earliest, len(self.groups)):
                if self._joined(node, self.groups[i]):
                    self.place[node] = i
                    return
            group = Group("flat", node.operand.shape if isinstance(node, Reduction) else node.shape)
            joined = self._joined(node, group)
            assert joined
            self._append(group)

    def _made_of(self, node: Node) -> list[Node]:
        return [node, *(x for x, fold in self.on_the_way.items() if fold is node)]

    def _append(self, group: Group) -> None:
        self.groups.append(group)
        for node in group.nodes:
            self.place[node] = len(self.groups) - 1

    def _joined(self, node: Node, group: Group) -> bool:
        """Add a node to a group if the group's kernel can compute the node. Return whether the node was added."""
        if group.kind not in ("flat", "rows") or len(group.nodes) >= tuning.LONGEST_KERNEL:
            return False
        if isinstance(node, Reduction):
            count = trailing(node)
            there = group.forms.get(node.operand, FULL)
            if node.operand.shape != group.domain or there != FULL or group.folded not in (0, count):
                return False
            group.kind, group.folded = "rows", count
            group.add(node, KEPT if node.keepdims else LEAD)
            return True
        form = self._form(node, group)
        if form is None:
            return False
        group.add(node, form)
        return True

    def _form(self, node: Node, group: Group) -> str | None:
        inside = {group.forms[x] for x in node.operands if x in group.forms}
        # Without leading dimensions, a value of the form LEAD is a scalar, which broadcasts to every shape.
        alone = not group.lead and LEAD in inside and node.shape != ()
        if node.shape == group.domain:
            return FULL if LEAD not in inside or alone else None
        if group.kind != "rows":
            return None
        if node.shape == (*group.lead, *(1,) * group.folded):
            return KEPT if inside <= {KEPT} or (alone and FULL not in inside) else None
        return LEAD if node.shape == group.lead and inside <= {LEAD} and inside else None
