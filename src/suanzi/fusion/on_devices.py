"""Passes of functions whose tensors lie on a device: the operators one at a time, as the device has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.graph.node import Elementwise, Node, Reduction
from suanzi.graph.passes import needed
from suanzi.graph.recording import switched
from suanzi.graph.stand_ins import TracedNumber
from suanzi.graph.steps import Ref, last_uses
from suanzi.operators.registry import record_of


@dataclass(slots=True)
class DevicePass:
    """A part of the function that a device computes, node by node."""

    nodes: list[Node]  # each after its operands
    inputs: list[Ref]
    leaves: list[Node]  # which those are
    wanted: list[Node]
    results: list[Ref]
    dead: list[list[int]]  # after each node, the numbers of those that no later one reads

    @classmethod
    def of(cls, wanted: list[Node], results: list[Ref], leaves: dict[Node, bool], refs: dict[Node, Ref]) -> DevicePass:
        """What computes nodes of others that are in memory."""
        nodes = needed(wanted, leaves)
        read = sorted({x for node in nodes for x in node.operands if x in leaves})
        uses = [(*(x.number for x in node.operands), node.number) for node in nodes]
        dead = last_uses(uses, {x.number for x in wanted})
        return cls(nodes, [refs[x] for x in read], read, wanted, results, dead)

    def run(self, values: list[Any], arguments: tuple[Any, ...], out: dict[Ref, Tensor]) -> None:
        """The results among the values; nothing is written into `out`, which takes them afterwards."""
        known = {x.number: values[ref] for x, ref in zip(self.leaves, self.inputs, strict=True)}
        with switched(_core.set_carrying_out):
            for node, dead in zip(self.nodes, self.dead, strict=True):
                known[node.number] = computed(node, known, arguments)
                for number in dead:
                    del known[number]
        for node, ref in zip(self.wanted, self.results, strict=True):
            values[ref] = ordered(known[node.number], node.order)

    def reads(self) -> list[Ref]:
        return self.inputs


def computed(node: Node, known: dict[int, Any], arguments: tuple[Any, ...]) -> Any:
    """What the operator of a node gives on the device."""

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
    """The tensor in the order that the CPU gives such a result."""
    from suanzi.devices.movement import in_order

    return in_order(x, order)
