"""Planning: which parts of a graph run as one pass over memory, and which passes run together, block by block.

Kept as tensors, at most for the time of a block, are: what is wanted, what a reduction gives, what it folds unless that
is computed on its way, what is spread over a larger shape, and what takes long to compute and would be computed twice.
All else exists in registers alone. What operators between two passes lose is kept where `worth_keeping` says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container
from math import prod
from typing import Any, NamedTuple

from suanzi import _core, tuning
from suanzi._core import FusedGraph, FusedProgram, FusedSchedule, Tensor
from suanzi.tensor.dtypes import complex64, complex128

COMPLEX = (complex64, complex128)
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
    folds: bool = False
    program: FusedProgram | None = None  # None for a reduction of what is in memory


class Value(NamedTuple):
    """What is in memory, or for the time of a block in the cache."""

    shape: Shape
    dtype: str
    bytes: int


def value_of(x: Any) -> Value | None:
    """What is said of a tensor; None for one that is not dense."""
    return Value(x.shape, str(x.dtype), x.nbytes) if isinstance(x, Tensor) else None


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
        self.through: dict[int, set[int]] = {}  # which kept nodes the program of another one computes as well

    def plan(self, wanted: list[int]) -> Plan:
        needed = self.needed(wanted)
        self.kept = set(wanted) | self._always_kept(needed, wanted)
        groups = self._groups()
        if twice := self._computed_twice(groups):
            self.kept |= twice
            groups = self._groups()
        groups = self._fitted(groups)
        return _Scheduler(self, groups, wanted).plan()

    def worth_keeping(self, wanted: list[int], before: Container[int]) -> list[int]:
        """Of what passes before computed and lost again, the nodes that are better kept than computed once more."""
        needed = self.needed(wanted)
        waiting = [x for x in wanted if x in before]
        waiting += [x for node in needed if node not in before for x in self.operands(node) if x in before]
        found, seen = set(), set(self.leaves)
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if self._takes_long(node):
                found.add(node)
            else:
                waiting += self.operands(node)
        return sorted(found)

    def _takes_long(self, node: int) -> bool:
        """A reduction, a mathematical function on the way, or more steps than a write and a read of the result cost.

        What is spread over more elements than it is made of costs more memory than time: that never is.
        """
        inside = self.needed([node])
        long = len(inside) > tuning.STEPS_LIKE_MEMORY or any(self.is_heavy(x) for x in inside)
        made_of = max(
            (prod(self.graph.shape(x)) for i in inside for x in self.operands(i) if x in self.leaves), default=0
        )
        return node in self.reductions or (long and prod(self.graph.shape(node)) <= made_of)

    def is_heavy(self, node: int) -> bool:
        return node in self.reductions or self.graph.heavy(node)

    def operands(self, node: int) -> list[int]:
        if node in self.reductions:
            return [self.reductions[node].operand]
        return self.graph.operands(node)

    def needed(self, wanted: list[int]) -> list[int]:
        """The nodes to compute, each after its operands, which have smaller numbers."""
        found, waiting = set(), list(wanted)
        while waiting:
            node = waiting.pop()
            if node not in found and node not in self.leaves:
                found.add(node)
                waiting += self.operands(node)
        return sorted(found)

    def _always_kept(self, needed: list[int], wanted: list[int]) -> set[int]:
        kept = set()
        users = Counter(x for node in needed for x in self.operands(node)) + Counter(wanted)
        for node in needed:
            if node in self.reductions:
                operand = self.reductions[node].operand
                made = users[operand] == 1 and self._makes_operand(node, needed)
                kept |= {node} if made else {node, operand}
            else:
                shape = self.graph.shape(node)
                kept |= {x for x in self.operands(node) if self.graph.shape(x) != shape}
        return kept - self.leaves.keys()

    def _makes_operand(self, node: int, needed: list[int]) -> bool:
        """Whether a reduction computes what it folds tile by tile: its kernels take that in runs or in whole rows."""
        fold = self.reductions[node]
        shape = self.graph.shape(fold.operand)
        if fold.operand in self.reductions or self.graph.order(fold.operand) is not None:
            return False
        if self.graph.dtype(fold.operand) in COMPLEX and fold.name in ("var", "std", "norm2"):
            return False  # the parts are folded each
        folded = [i in fold.axes for i, extent in enumerate(shape) if extent != 1]
        if folded != sorted(folded) and folded[-1]:
            return False
        # Blocks of rows are better where more is done with these than to fold them once.
        others = {x for x in needed if x in self.reductions and x != node}
        alike = any(self.graph.shape(self.reductions[x].operand) == shape for x in others)
        later = any(x > node and self.graph.shape(x) == shape for x in needed)
        return not self.leading(fold) or not (alike or later)

    def leading(self, fold: Reduction) -> Shape:
        """The dimensions before those that are folded, where the elements lie in order: blocks of them are folded each
        by itself."""
        in_order = self.graph.order(fold.operand) is None and self.leaves.get(fold.operand, True)
        return tuple(self.graph.shape(fold.operand)[: min(fold.axes)]) if in_order and fold.axes else ()

    def cone(self, node: int) -> tuple[set[int], list[int]]:
        """The nodes that are computed on the way to one, itself among them, and those that are kept before it."""
        inside, inputs, waiting = {node}, [], self.operands(node)
        while waiting:
            x = waiting.pop()
            if x in self.leaves or (x in self.kept and x not in self.through[node]):
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
        elementwise = [x for x in sorted(self.kept) if x not in self.reductions]
        for node in sorted(self.kept):
            shape = self.graph.shape(node)
            alike = {x for x in elementwise if x < node and self.graph.shape(x) == shape}
            self.through[node] = set() if node in self.reductions else alike
            stages[node] = 1 + max((stages[x] for x in self.cone(node)[1]), default=0)
            self.through[node] = {x for x in self.through[node] if stages[x] == stages[node]}
            if node in self.reductions:
                shape = self.graph.shape(self.reductions[node].operand)
                groups.append(self._group((node,), stages[node], shape)._replace(folds=True))
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
            for node in group.inside:
                times[node] += 1
        return {node for node, count in times.items() if count > 1 and self.graph.heavy(node)} - self.kept

    def _fitted(self, groups: list[Group]) -> list[Group]:
        """The groups with their programs; what has more nodes than the engine has registers is divided."""
        fitted = []
        for group in groups:
            if group.folds and len(group.inside) == 1:
                fitted.append(group)
                continue
            made = [self.reductions[group.nodes[0]].operand] if group.folds else list(group.nodes)
            program = self.graph.program(list(group.inputs), made)
            if program is not None:
                fitted.append(group._replace(program=program))
            elif group.folds:
                self.kept.add(made[0])
                return self._fitted(self._groups())
            elif len(group.nodes) > 1:
                half = len(group.nodes) // 2
                parts = (group.nodes[:half], group.nodes[half:])
                for node in parts[1]:
                    self.through[node] -= {*parts[0]}
                fitted += self._fitted([self._group(part, group.stage, group.shape) for part in parts])
            else:
                self.kept.add(group.inside[len(group.inside) // 2])
                return self._fitted(self._groups())
        return fitted


class _Scheduler:
    """Puts groups in order: those before the blocks, those in them, and those after."""

    def __init__(self, planner: Planner, groups: list[Group], wanted: list[int]) -> None:
        self.planner, self.graph = planner, planner.graph
        self.reductions, self.leaves, self.operands = planner.reductions, planner.leaves, planner.operands
        self.groups, self.wanted = groups, wanted
        self.rows: Shape = ()  # the leading dimensions that blocks are of
        self.kinds: dict[int, str] = {}  # of nodes: free, in rows, after the blocks

    def plan(self) -> Plan:
        blocked = self._blocked()
        order = self.groups
        if blocked:
            order = [g for kind in ("free", "rows", "after") for g in self.groups if self._kind(g) == kind]
        return self._schedule(order, blocked)

    def _kind(self, group: Group) -> str:
        return self.kinds[group.nodes[0]]

    def _blocked(self) -> bool:
        """Whether there are reductions that leave leading dimensions; sorts all nodes by what they are."""
        folds = [self.reductions[g.nodes[0]] for g in self.groups if g.folds and g.program is None]
        self.rows = self._common_rows([fold for fold in folds if self.planner.leading(fold)])
        if not self.rows:
            return False
        # What is used as if it had more dimensions is needed whole.
        whole = {x for g in self.groups for x in g.inputs if len(self.graph.shape(x)) != len(g.shape)}
        self.kinds = dict.fromkeys(self.leaves, "free")
        for group in self.groups:
            kind = self._kind_of(group, whole)
            for node in group.nodes:
                self.kinds[node] = kind
        return any(g.folds and self._kind(g) == "rows" for g in self.groups)

    def _common_rows(self, folds: list[Reduction]) -> Shape:
        """The leading dimensions of the largest of what is folded, less those that others fold if rows stay short."""
        folds = sorted(folds, key=lambda fold: -prod(self.graph.shape(fold.operand)))
        rows = self.planner.leading(folds[0]) if folds else ()
        for fold in folds[1:]:
            leading = self.planner.leading(fold)
            same = [a == b for a, b in zip(rows, leading, strict=False)]
            shared = rows[: [*same, False].index(False)]
            row = prod(self.graph.shape(folds[0].operand)[len(shared) :]) * self.graph.dtype(folds[0].operand).itemsize
            if shared and (shared == rows or row <= tuning.FUSED_ROW):
                rows = shared
        return rows

    def _kind_of(self, group: Group, whole: set[int]) -> str:
        kinds = {self.kinds[x] for x in group.inputs}
        if "after" in kinds:
            return "after"
        count = len(self.rows)
        if group.folds:
            leading = self.planner.leading(self.reductions[group.nodes[0]])
            in_rows = group.program is None and leading[:count] == self.rows
        else:
            aligned = all(self.kinds[x] == "free" or len(self.graph.shape(x)) == len(group.shape) for x in group.inputs)
            wider = len(group.shape) > count and whole.isdisjoint(group.nodes)
            in_rows = group.shape[:count] == self.rows and aligned and ("rows" in kinds or wider)
        if in_rows:
            return "rows"
        return "free" if kinds <= {"free"} else "after"

    def _schedule(self, order: list[Group], blocked: bool) -> Plan:
        inside = {i for i, group in enumerate(order) if blocked and self._kind(group) == "rows"}
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
        fold = self.reductions.get(group.nodes[0])

        inputs = [(place[x], len(group.shape) - len(self.graph.shape(x))) for x in group.inputs]
        if fold is None:
            return group.program, group.shape, inputs, [(place[x], 0) for x in group.nodes], inside
        how = (fold.name, fold.axes, fold.keepdims, fold.correction, fold.dtype, group.program)
        return how, group.shape, inputs, [(place[group.nodes[0]], 0)], inside

    def _row_bytes(self, order: list[Group], inside: set[int]) -> int:
        """Of all that the blocks have of the rows, and of one of these."""
        seen = {x for i in inside for x in (*order[i].inputs, *order[i].nodes)}
        rows = [x for x in seen if self.graph.shape(x)[: len(self.rows)] == self.rows]
        return sum(self.graph.dtype(x).itemsize * prod(self.graph.shape(x)[len(self.rows) :]) for x in rows)
