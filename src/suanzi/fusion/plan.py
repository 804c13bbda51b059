"""Planning: the division of a graph into passes over memory, and of passes into parts that run block by block.

The following values are kept as tensors, some only for the time of a block:

- results;
- values of reductions, and operands that a reduction does not compute itself;
- values that broadcast to a larger shape;
- values that are slow to compute and would be computed twice.

All other values exist in registers only. A value that is needed before and after an operator between two passes is
stored if `worth_keeping` selects the value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod
from typing import Any, NamedTuple

from suanzi import _core, tuning
from suanzi._core import FusedProgram, FusedSchedule, Tensor
from suanzi.graph.asked import Asked
from suanzi.graph.node import Elementwise, Node, Reduction, Shape
from suanzi.graph.passes import needed
from suanzi.tensor.dtypes import complex64, complex128

COMPLEX = (complex64, complex128)


class Group(NamedTuple):
    """Nodes that are computed together: nodes of one shape by one program, or one node by a reduction."""

    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    stage: int  # a group runs after groups of smaller stages
    shape: Shape  # the shape over which the loops run
    inside: tuple[Node, ...]  # all nodes that the group computes, in order
    folds: bool = False
    program: FusedProgram | None = None  # None for a reduction of a value in memory


class Value(NamedTuple):
    """A value that is stored in memory, or in the cache while a block runs."""

    shape: Shape
    dtype: str
    bytes: int


def value_of(x: Any) -> Value | None:
    """Return the description of a tensor, or None if the tensor is not dense."""
    return Value(x.shape, str(x.dtype), x.nbytes) if isinstance(x, Tensor) else None


class Part(NamedTuple):
    """A planned group: the numbers of its nodes, and its text for `explain`."""

    nodes: tuple[int, ...]
    inputs: tuple[int, ...]
    shape: Shape
    names: tuple[str, ...]  # names of all operators
    folds: bool
    program: FusedProgram | None
    blocked: bool  # True if the group runs block by block


class Plan(NamedTuple):
    """A schedule, and the inputs and outputs of the schedule. The lists and the keys of `values` are the numbers of
    nodes.
    """

    schedule: FusedSchedule
    inputs: list[int]
    outputs: list[int]
    wanted: list[int]  # the results of the schedule that are outputs
    parts: list[Part]
    values: dict[int, Value]  # values of the nodes that are tensors
    unfused: int  # bytes that the operators read and write if run one at a time


class Planner:
    """The planner for nodes that are computed from the nodes in `leaves`. The values of `leaves` are True for
    contiguous nodes.
    """

    def __init__(self, leaves: dict[Node, bool]) -> None:
        self.leaves = leaves
        self.kept: set[Node] = set()
        self.through: dict[Node, set[Node]] = {}  # nodes in memory that another node's program also computes
        self.asked = Asked()

    def plan(self, wanted: list[Node]) -> Plan:
        inside = needed(wanted, self.leaves)
        for node in inside:
            if isinstance(node, Elementwise):
                self.asked.add(node)
        self.kept = set(wanted) | self._always_kept(inside, wanted)
        groups = self._groups()
        if twice := self._computed_twice(groups):
            self.kept |= twice
            groups = self._groups()
        groups = self._fitted(groups)
        return _Scheduler(self, groups, wanted).plan()

    def _always_kept(self, inside: list[Node], wanted: list[Node]) -> set[Node]:
        kept: set[Node] = set()
        users = Counter(x for node in inside for x in node.operands) + Counter(wanted)
        for node in inside:
            if isinstance(node, Reduction):
                made = users[node.operand] == 1 and self._makes_operand(node, inside)
                kept |= {node} if made else {node, node.operand}
            else:
                kept |= {x for x in node.operands if x.shape != node.shape}
        return kept - self.leaves.keys()

    def _makes_operand(self, fold: Reduction, inside: list[Node]) -> bool:
        """Return whether a reduction computes its operand tile by tile, instead of reading a stored operand."""
        shape = fold.operand.shape
        if isinstance(fold.operand, Reduction) or fold.operand.order is not None:
            return False
        if fold.operand.dtype in COMPLEX and fold.name in ("var", "std", "norm2"):
            return False  # the reduction folds real and imaginary parts separately
        folded = [i in fold.axes for i, extent in enumerate(shape) if extent != 1]
        if folded != sorted(folded) and folded[-1]:
            return False
        # Blocks of rows are better if the rows have other uses than one fold.
        alike = any(isinstance(x, Reduction) and x is not fold and x.operand.shape == shape for x in inside)
        later = any(x > fold and x.shape == shape for x in inside)
        return not self.leading(fold) or not (alike or later)

    def leading(self, fold: Reduction) -> Shape:
        """Return the sizes of the dimensions before the folded dimensions. Blocks along the returned dimensions can be
        folded separately. The result is empty if the elements of the operand are not in order.
        """
        in_order = fold.operand.order is None and self.leaves.get(fold.operand, True)
        return tuple(fold.operand.shape[: min(fold.axes)]) if in_order and fold.axes else ()

    def cone(self, node: Node) -> tuple[set[Node], list[Node]]:
        """Return the nodes computed for a node, the node itself included, and the stored nodes from which these nodes
        are computed.
        """
        inside, inputs, waiting = {node}, list[Node](), list(node.operands)
        while waiting:
            x = waiting.pop()
            if x in self.leaves or (x in self.kept and x not in self.through[node]):
                if x not in inputs:
                    inputs.append(x)
            elif x not in inside:
                inside.add(x)
                waiting += x.operands
        return inside, sorted(inputs)

    def _groups(self) -> list[Group]:
        stages: dict[Node, int] = dict.fromkeys(self.leaves, 0)
        together: dict[tuple[int, Shape], list[Node]] = defaultdict(list)
        groups = []
        elementwise = [x for x in sorted(self.kept) if not isinstance(x, Reduction)]
        for node in sorted(self.kept):
            alike = {x for x in elementwise if x < node and x.shape == node.shape}
            self.through[node] = set() if isinstance(node, Reduction) else alike
            stages[node] = 1 + max((stages[x] for x in self.cone(node)[1]), default=0)
            self.through[node] = {x for x in self.through[node] if stages[x] == stages[node]}
            if isinstance(node, Reduction):
                groups.append(self._group((node,), stages[node], node.operand.shape)._replace(folds=True))
            else:
                together[stages[node], node.shape].append(node)
        groups += [self._group(tuple(nodes), stage, shape) for (stage, shape), nodes in together.items()]
        return sorted(groups, key=lambda group: group.stage)

    def _group(self, nodes: tuple[Node, ...], stage: int, shape: Shape) -> Group:
        cones = [self.cone(node) for node in nodes]
        inputs = sorted({x for _, before in cones for x in before})
        inside = sorted({x for within, _ in cones for x in within})
        return Group(nodes, tuple(inputs), stage, shape, tuple(inside))

    def _computed_twice(self, groups: list[Group]) -> set[Node]:
        """Return the nodes of mathematical functions that more than one group would compute."""
        times = Counter(node for group in groups for node in group.inside)
        return {
            x for x, count in times.items() if count > 1 and x.is_heavy and not isinstance(x, Reduction)
        } - self.kept

    def _fitted(self, groups: list[Group]) -> list[Group]:
        """Return the groups with their programs. A group with more nodes than the engine has registers is divided."""
        fitted = []
        for group in groups:
            if group.folds and len(group.inside) == 1:
                fitted.append(group)
                continue
            first = group.nodes[0]
            made = [first.operand] if isinstance(first, Reduction) else list(group.nodes)
            program = self.asked.program(group.inputs, made)
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
    """A scheduler that puts each group before the blocks, within the blocks or after the blocks."""

    def __init__(self, planner: Planner, groups: list[Group], wanted: list[Node]) -> None:
        self.planner, self.leaves = planner, planner.leaves
        self.groups, self.wanted = groups, wanted
        self.rows: Shape = ()  # the leading dimensions, along which blocks are cut
        self.kinds: dict[Node, str] = {}  # kinds of nodes: "free" before the blocks, "rows" in the blocks, or "after"

    def plan(self) -> Plan:
        blocked = self._blocked()
        order = self.groups
        if blocked:
            order = [g for kind in ("free", "rows", "after") for g in self.groups if self._kind(g) == kind]
        return self._schedule(order, blocked)

    def _kind(self, group: Group) -> str:
        return self.kinds[group.nodes[0]]

    def _blocked(self) -> bool:
        """Set the kinds of all nodes. Return whether blocks contain some reduction."""
        folds = [x for g in self.groups for x in g.nodes if isinstance(x, Reduction) and g.program is None]
        self.rows = self._common_rows([fold for fold in folds if self.planner.leading(fold)])
        if not self.rows:
            return False
        # A value that broadcasts to more dimensions must be complete before its use.
        whole = {x for g in self.groups for x in g.inputs if len(x.shape) != len(g.shape)}
        self.kinds = dict.fromkeys(self.leaves, "free")
        for group in self.groups:
            kind = self._kind_of(group, whole)
            for node in group.nodes:
                self.kinds[node] = kind
        return any(g.folds and self._kind(g) == "rows" for g in self.groups)

    def _common_rows(self, folds: list[Reduction]) -> Shape:
        """Return the sizes of the dimensions along which blocks are cut. The dimensions are the leading dimensions of
        the reduction with the largest operand. Dimensions that another reduction does not share are left out if the
        rows then stay short.
        """
        folds = sorted(folds, key=lambda fold: -fold.operand.elements)
        rows = self.planner.leading(folds[0]) if folds else ()
        for fold in folds[1:]:
            leading = self.planner.leading(fold)
            same = [a == b for a, b in zip(rows, leading, strict=False)]
            shared = rows[: [*same, False].index(False)]
            row = prod(folds[0].operand.shape[len(shared) :]) * folds[0].operand.dtype.itemsize
            if shared and (shared == rows or row <= tuning.FUSED_ROW):
                rows = shared
        return rows

    def _kind_of(self, group: Group, whole: set[Node]) -> str:
        kinds = {self.kinds[x] for x in group.inputs}
        if "after" in kinds:
            return "after"
        count = len(self.rows)
        if isinstance(group.nodes[0], Reduction):
            leading = self.planner.leading(group.nodes[0])
            in_rows = group.program is None and leading[:count] == self.rows
        else:
            aligned = all(self.kinds[x] == "free" or len(x.shape) == len(group.shape) for x in group.inputs)
            wider = len(group.shape) > count and whole.isdisjoint(group.nodes)
            in_rows = group.shape[:count] == self.rows and aligned and ("rows" in kinds or wider)
        if in_rows:
            return "rows"
        return "free" if kinds <= {"free"} else "after"

    def _schedule(self, order: list[Group], blocked: bool) -> Plan:
        inside = {i for i, group in enumerate(order) if blocked and self._kind(group) == "rows"}
        made = [node for group in order for node in group.nodes]
        inputs = sorted({x for group in order for x in group.inputs if x in self.leaves})
        # Results of blocks that later groups read are complete in memory, like results of the part.
        left = {x for i, group in enumerate(order) if i not in inside for x in group.inputs} if inside else set()
        in_blocks = {node for i in inside for node in order[i].nodes}
        outputs = [node for node in made if node in self.wanted or (node in in_blocks and node in left)]
        place = {node: i for i, node in enumerate((*inputs, *made))}
        values = [self._value(node, "input") for node in inputs]
        values += [self._value(node, "output" if node in outputs else "temporary") for node in made]
        items = [self._item(group, place, i in inside) for i, group in enumerate(order)]
        schedule = _core.FusedSchedule(values, items, self.rows if inside else (), self._row_bytes(order, inside))
        described = {x.number: Value(x.shape, str(x.dtype), x.bytes) for x in (*inputs, *made)}
        computed = {x for group in order for x in group.inside}
        return Plan(
            schedule, [x.number for x in inputs], [x.number for x in self.wanted],
            [outputs.index(node) for node in self.wanted],
            [_part(group, i in inside) for i, group in enumerate(order)], described,
            sum(x.bytes for node in computed for x in (node, *set(node.operands))),
        )  # fmt: skip

    def _value(self, node: Node, role: str) -> tuple[str, Any, Shape, Shape | None]:
        return role, node.dtype, node.shape, node.order

    def _item(self, group: Group, place: dict[Node, int], inside: bool) -> tuple[Any, ...]:
        inputs = [(place[x], len(group.shape) - len(x.shape)) for x in group.inputs]
        fold = group.nodes[0]
        if not isinstance(fold, Reduction):
            return group.program, group.shape, inputs, [(place[x], 0) for x in group.nodes], inside
        how = (fold.name, fold.axes, fold.keepdims, fold.correction, fold.result_type, group.program)
        return how, group.shape, inputs, [(place[fold], 0)], inside

    def _row_bytes(self, order: list[Group], inside: set[int]) -> int:
        """Return the number of bytes that one row of all values in the blocks occupies."""
        seen = {x for i in inside for x in (*order[i].inputs, *order[i].nodes)}
        rows = [x for x in seen if x.shape[: len(self.rows)] == self.rows]
        return sum(x.dtype.itemsize * prod(x.shape[len(self.rows) :]) for x in rows)


def _part(group: Group, blocked: bool) -> Part:
    nodes, inputs = [tuple([x.number for x in nodes]) for nodes in (group.nodes, group.inputs)]
    names = tuple([x.name for x in group.inside])
    return Part(nodes, inputs, group.shape, names, group.folds, group.program, blocked)
