"""Passes of functions whose tensors are on a device: kernels if Triton supports the device, and calls of operators.

Without Triton, or without the compiler that Triton needs, all nodes are calls. A call returns the same results as a
kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.fusion.grouping import Group, Grouping
from suanzi.graph.node import Elementwise, Node, Reduction
from suanzi.graph.passes import needed
from suanzi.graph.recording import switched
from suanzi.graph.stand_ins import TracedNumber
from suanzi.graph.steps import Ref, last_uses
from suanzi.operators.registry import record_of
from suanzi.tensor.device import Device

if TYPE_CHECKING:
    from suanzi.fusion.launches import Launch


@dataclass(slots=True)
class DevicePass:
    """A part of a fused function that a device computes."""

    nodes: list[Node]  # each node comes after its operands
    leaves: list[Node]
    inputs: list[Ref]  # the values of the leaves
    wanted: list[Node]
    results: list[Ref]
    device: Device
    groups: list[Group] = field(default_factory=list)
    dead: list[list[int]] = field(default_factory=list)  # for each group, nodes that no later group reads
    launches: dict[Any, Launch] = field(default_factory=dict)  # launches by the layouts of operands

    @classmethod
    def of(
        cls, wanted: list[Node], results: list[Ref], leaves: dict[Node, bool], refs: dict[Node, Ref], device: Device
    ) -> DevicePass:
        """Make the pass that computes the nodes `wanted` from the nodes `leaves`, which are in memory."""
        nodes = needed(wanted, leaves)
        read = sorted({x for node in nodes for x in node.operands if x in leaves})
        made = cls(nodes, read, [refs[x] for x in read], wanted, results, device)
        made._divide(writes_of(device))
        return made

    def _divide(self, writes: Callable[..., bool]) -> None:
        self.groups = Grouping(self.nodes, self.wanted, writes).groups
        uses = [[x.number for node in group.nodes for x in (*node.operands, node)] for group in self.groups]
        self.dead = last_uses(uses, {x.number for x in self.wanted})

    def run(self, values: list[Any], arguments: tuple[Any, ...], out: dict[Ref, Tensor]) -> None:
        """Compute the results and store the results in `values`. The caller copies the results into the tensors of
        `out`.
        """
        known = {x.number: values[ref] for x, ref in zip(self.leaves, self.inputs, strict=True)}
        with switched(_core.set_carrying_out):
            for i, (group, dead) in enumerate(zip(self.groups, self.dead, strict=True)):
                if group.kind == "call" or not self._launched(i, known, arguments):
                    for node in group.nodes:
                        known[node.number] = computed(node, known, arguments)
                for number in dead:
                    known.pop(number, None)  # values kept only in registers are not stored
        for node, ref in zip(self.wanted, self.results, strict=True):
            values[ref] = ordered(known[node.number], node.order)

    def _launched(self, i: int, known: dict[int, Any], arguments: tuple[Any, ...]) -> bool:
        """Run the kernel of group `i` and add the values that the kernel writes to `known`. Return False if Triton
        cannot compile or launch the kernel.
        """
        from suanzi.devices.state import functions
        from suanzi.fusion.launches import Launch

        group = self.groups[i]
        key = (i, functions.correct, *(known[x.number].stride() for x in self.read(group)))
        if key not in self.launches:
            self.launches[key] = Launch.of(group, self.written(i), known, self.device)
        return self.launches[key].run(known, arguments)

    def read(self, group: Group) -> list[Node]:
        """Return the nodes that a group reads from other groups."""
        return sorted({x for node in group.nodes for x in node.operands if x not in group.forms})

    def written(self, i: int) -> list[Node]:
        """Return the nodes of group `i` that are results of the pass or operands of nodes in other groups."""
        others = {x for k, group in enumerate(self.groups) if k != i for node in group.nodes for x in node.operands}
        return [x for x in self.groups[i].nodes if x in others or x in self.wanted]

    def reads(self) -> list[Ref]:
        return self.inputs


def writes_of(device: Device) -> Callable[..., bool]:
    """Return the function that decides whether kernels of a device can compute a node."""
    from suanzi.devices.state import place_of
    from suanzi.devices.triton.launch import missing

    if missing(place_of(device).type) is not None:
        return lambda node, long=False: False
    from suanzi.devices.state import functions
    from suanzi.fusion.kernels import is_written

    return lambda node, long=False: is_written(node, correct=functions.correct, long=long)


def computed(node: Node, known: dict[int, Any], arguments: tuple[Any, ...]) -> Any:
    """Return the result of a node's operator on the device."""

    def given(x: Any) -> Any:
        if isinstance(x, Node):
            return known[x.number]
        return x.compute(arguments) if type(x) is TracedNumber else x

    if isinstance(node, Elementwise):
        return node.record.builtin(*[given(x) for x in node.arguments])
    assert isinstance(node, Reduction)
    record = record_of(node.name)
    assert record is not None
    named = {
        record.parameters[0]: known[node.operand.number],
        "axis": None if len(node.axes) == len(node.operand.shape) else node.axes,
        "keepdims": node.keepdims,
        "correction": node.correction,
        "dtype": node.result_type,
    }
    return record.builtin(*[named.get(name) for name in record.parameters])


def ordered(x: Any, order: tuple[int, ...] | None) -> Any:
    """Return `x`, or a copy of `x`, in the memory order that the CPU's result has."""
    from suanzi.devices.tensor import in_order

    return in_order(x, order)
