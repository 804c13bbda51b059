"""Planning: which parts of a graph run as one pass over memory, and which passes run together, block by block.

Kept as tensors, at most for the time of a block, are: what is wanted, what a reduction folds or gives, what is spread
over a larger shape, and what takes long to compute and would be computed twice. All else exists in registers alone.
"""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import FusedGraph, FusedProgram, FusedSchedule

Shape = tuple[int, ...]


class Reduction(NamedTuple):
    """A reduction of one node, which its own node stands for."""

    operand: int
    name: str
    axes: tuple[int, ...]
    keepdims: bool
    correction: float
    dtype: Any


class Group(NamedTuple):
    """Nodes that are computed together: those of one shape by one program, or one by a reduction."""

    nodes: tuple[int, ...]
    inputs: tuple[int, ...]
    stage: int  # after those of smaller ones
    shape: Shape  # that is walked
    inside: tuple[int, ...]  # all nodes that are computed, in order
    program: FusedProgram | None = None  # None for a reduction


class Value(NamedTuple):
    """What is in memory, or for the time of a block in the cache."""

    shape: Shape
    dtype: str
    bytes: int


class Plan(NamedTuple):
    """A schedule, and what it takes and gives."""

    schedule: FusedSchedule
    inputs: list[int]  # nodes
    outputs: list[int]
    wanted: list[int]  # which results of the schedule are those
    groups: list[Group]
    blocked: frozenset[int]  # which of the groups run block by block
    names: dict[int, str]  # of the operators of the nodes
    values: dict[int, Value]  # of the nodes that are tensors
    unfused: int  # bytes that the operators read and write, one at a time


class Planner:
    """Of one graph, of which some nodes are there already: `leaves` says whether each lies contiguously."""

    def __init__(self, graph: FusedGraph, reductions: dict[int, Reduction], leaves: dict[int, bool]) -> None:
        self.graph, self.reductions, self.leaves = graph, reductions, leaves
        self.kept: set[int] = set()

    def plan(self, wanted: list[int]) -> Plan:
        needed = self._needed(wanted)
        self.kept = set(wanted) | self._always_kept(needed)
        groups = self._groups()
        if twice := self._computed_twice(groups):
            self.kept |= twice
            groups = self._groups()
        groups = self._fitted(groups)
        return _Scheduler(self, groups, wanted).plan()

    def operands(self, node: int) -> list[int]:
        if node in self.reductions:
            return [self.reductions[node].operand]
        return self.graph.operands(node)

    def _needed(self, wanted: list[int]) -> list[int]:
        """The nodes to compute, each after its operands, which have smaller numbers."""
        found, waiting = set(), list(wanted)
        while waiting:
            node = waiting.pop()
            if node not in found and node not in self.leaves:
                found.add(node)
                waiting += self.operands(node)
        return sorted(found)

    def _always_kept(self, needed: list[int]) -> set[int]:
        kept = set()
        for node in needed:
            if node in self.reductions:
                kept |= {node, self.reductions[node].operand}
            else:
                shape = self.graph.shape(node)
                kept |= {x for x in self.operands(node) if self.graph.shape(x) != shape}
        return kept - self.leaves.keys()

    def cone(self, node: int) -> tuple[set[int], list[int]]:
        """The nodes that are computed on the way to one, itself among them, and those that are kept before it."""
        inside, inputs, waiting = {node}, [], self.operands(node)
        while waiting:
            x = waiting.pop()
            if x in self.leaves or x in self.kept:
                if x not in inputs:
                    inputs.append(x)
            elif x not in inside:
                inside.add(x)
                waiting += self.operands(x)
        return inside, sorted(inputs)

    def _groups(self) -> list[Group]:
        stages: dict[int, int] = dict.fromkeys(self.leaves, 0)
        together: dict[tuple[int, Shape], list[int]] = defaultdict(list)
        groups = []
        for node in sorted(self.kept):
            inputs = self.cone(node)[1]
            stages[node] = 1 + max((stages[x] for x in inputs), default=0)
            shape = self.graph.shape(node)
            if node in self.reductions:
                groups.append(Group((node,), tuple(inputs), stages[node], self.graph.shape(inputs[0]), (node,)))
            else:
                together[stages[node], shape].append(node)
        groups += [self._group(tuple(nodes), stage, shape) for (stage, shape), nodes in together.items()]
        return sorted(groups, key=lambda group: group.stage)

    def _group(self, nodes: tuple[int, ...], stage: int, shape: Shape) -> Group:
        cones = [self.cone(node) for node in nodes]
        inputs = sorted({x for _, before in cones for x in before})
        inside = sorted({x for within, _ in cones for x in within})
        return Group(nodes, tuple(inputs), stage, shape, tuple(inside))

    def _computed_twice(self, groups: list[Group]) -> set[int]:
        """Mathematical functions that more than one group would compute."""
        times: dict[int, int] = defaultdict(int)
        for group in groups:
            if group.nodes[0] not in self.reductions:
                for node in group.inside:
                    times[node] += 1
        return {node for node, count in times.items() if count > 1 and self.graph.heavy(node)} - self.kept

    def _fitted(self, groups: list[Group]) -> list[Group]:
        """The groups with their programs; what has more nodes than the engine has registers is divided."""
        fitted = []
        for group in groups:
            if group.nodes[0] in self.reductions:
                fitted.append(group)
                continue
            program = self.graph.program(list(group.inputs), list(group.nodes))
            if program is not None:
                fitted.append(group._replace(program=program))
            elif len(group.nodes) > 1:
                half = len(group.nodes) // 2
                parts = (group.nodes[:half], group.nodes[half:])
                fitted += self._fitted([self._group(part, group.stage, group.shape) for part in parts])
            else:
                self.kept.add(group.inside[len(group.inside) // 2])
                return self._fitted(self._groups())
        return fitted


class _Scheduler:
    """Puts groups in order: those before the blocks, those in them, and those after."""

    def __init__(self, planner: Planner, groups: list[Group], wanted: list[int]) -> None:
        self.graph, self.reductions, self.leaves = planner.graph, planner.reductions, planner.leaves
        self.operands, self.groups, self.wanted = planner.operands, groups, wanted
        self.domain: Shape = ()
        self.rows: Shape = ()
        self.kinds: dict[int, str] = {}  # of nodes: free, whole rows, one a row (kept or not), after the blocks

    def plan(self) -> Plan:
        blocked = self._blocked()
        order = [g for g in self.groups if self._kind(g) == "free"] if blocked else self.groups
        if blocked:
            order = order + [g for g in self.groups if self._kind(g) not in ("free", "after")]
            order += [g for g in self.groups if self._kind(g) == "after"]
        return self._schedule(order, blocked)

    def _kind(self, group: Group) -> str:
        return self.kinds[group.nodes[0]]

    def _blocked(self) -> bool:
        """Whether there are reductions of rows that share a shape and their axes; sorts all nodes by what they are."""
        folds = [self.reductions[g.nodes[0]] for g in self.groups if g.nodes[0] in self.reductions]
        shared = {(self.graph.shape(fold.operand), fold.axes) for fold in folds if self._folds_rows(fold)}
        if len(shared) != 1:
            return False
        ((self.domain, axes),) = shared
        self.rows = self.domain[: len(self.domain) - len(axes)]
        self.kinds = dict.fromkeys(self.leaves, "free")
        for group in self.groups:
            kind = self._kind_of(group)
            for node in group.nodes:
                self.kinds[node] = kind
        return any(kind not in ("free", "after") for kind in self.kinds.values())

    def _folds_rows(self, fold: Reduction) -> bool:
        """Whether it folds the trailing dimensions of what lies contiguously: then each row stands for itself."""
        rank = len(self.graph.shape(fold.operand))
        trailing = fold.axes == tuple(range(rank - len(fold.axes), rank)) and 0 < len(fold.axes) < rank
        return trailing and self.graph.order(fold.operand) is None and self.leaves.get(fold.operand, True)

    def _kind_of(self, group: Group) -> str:
        kinds = {self.kinds[x] for x in group.inputs}
        if "after" in kinds:
            return "after"
        if (fold := self.reductions.get(group.nodes[0])) is not None:
            if group.shape == self.domain and self._folds_rows(fold) and kinds <= {"free", "rows"}:
                return "kept" if fold.keepdims else "dropped"
            return "free" if kinds == {"free"} else "after"
        ones = self.rows + (1,) * (len(self.domain) - len(self.rows))
        if group.shape == self.domain and "dropped" not in kinds:
            return "rows"
        if group.shape == ones and kinds <= {"free", "kept"} and "kept" in kinds:
            return "kept"
        if group.shape == self.rows and kinds <= {"free", "dropped"} and "dropped" in kinds:
            return "dropped"
        return "free" if kinds <= {"free"} else "after"

    def _schedule(self, order: list[Group], blocked: bool) -> Plan:
        inside = {i for i, group in enumerate(order) if blocked and self._kind(group) not in ("free", "after")}
        made = [node for group in order for node in group.nodes]
        inputs = sorted({x for group in order for x in group.inputs if x in self.leaves})
        # What the blocks leave to those after them is there as a whole, as results are.
        left = {x for i, group in enumerate(order) if i not in inside for x in group.inputs} if inside else set()
        in_blocks = {node for i in inside for node in order[i].nodes}
        outputs = [node for node in made if node in self.wanted or (node in in_blocks and node in left)]
        place = {node: i for i, node in enumerate((*inputs, *made))}
        values = [self._value(node, "input") for node in inputs]
        values += [self._value(node, "output" if node in outputs else "temporary") for node in made]
        items = [self._item(group, place, i in inside) for i, group in enumerate(order)]
        schedule = _core.FusedSchedule(values, items, self.rows if inside else (), self._row_bytes(order, inside))
        wanted = [outputs.index(node) for node in self.wanted]
        names = {x: self._name(x) for group in order for x in group.inside}
        described = {x: Value(self.graph.shape(x), str(self.graph.dtype(x)), self._bytes(x)) for x in (*inputs, *made)}
        unfused = sum(self._bytes(x) for node in names for x in (node, *set(self.operands(node))))
        return Plan(schedule, inputs, self.wanted, wanted, order, frozenset(inside), names, described, unfused)

    def _bytes(self, node: int) -> int:
        return prod(self.graph.shape(node)) * self.graph.dtype(node).itemsize

    def _name(self, node: int) -> str:
        return self.reductions[node].name if node in self.reductions else str(self.graph.name(node))

    def _value(self, node: int, role: str) -> tuple[str, Any, Shape, Shape | None]:
        return role, self.graph.dtype(node), self.graph.shape(node), self.graph.order(node)

    def _item(self, group: Group, place: dict[int, int], inside: bool) -> tuple[Any, ...]:
        rank = len(self.rows) if inside and self._kind(group) == "dropped" else len(self.domain)
        fold = self.reductions.get(group.nodes[0])
        if fold is not None:
            rank = len(group.shape)

        def use(node: int, skipped: int) -> tuple[int, int]:
            return place[node], skipped if inside else 0

        inputs = [use(x, rank - len(self.graph.shape(x))) for x in group.inputs]
        if fold is None:
            outputs = [use(x, rank - len(group.shape)) for x in group.nodes]
            return group.program, group.shape, inputs, outputs, inside
        how = (fold.name, fold.axes, fold.keepdims, fold.correction, fold.dtype)
        return how, group.shape, inputs, [use(group.nodes[0], 0)], inside

    def _row_bytes(self, order: list[Group], inside: set[int]) -> int:
        """Of all that the blocks have of the domain's shape, and of a row of it."""
        seen = {x for i in inside for x in (*order[i].inputs, *order[i].nodes)}
        item_bytes = sum(self.graph.dtype(x).itemsize for x in seen if self.graph.shape(x) == self.domain)
        return item_bytes * prod(self.domain[len(self.rows) :])
