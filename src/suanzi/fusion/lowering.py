"""Nodes as programs of the tile engine: the core's functions are asked for the kernels that they would run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from suanzi._core import FusedGraph, FusedProgram, Tensor
from suanzi.graph.node import Elementwise, Node
from suanzi.graph.stand_ins import TracedNumber


class Lowered:
    """The nodes of one plan, of which programs are made."""

    def __init__(self) -> None:
        self.graph = FusedGraph()
        self.numbers: list[TracedNumber] = []  # that each run gives, by the slots that stand for them
        self._slots: dict[int, float] = {}  # by their id
        self._stand_ins: dict[Node, Tensor] = {}

    def add(self, nodes: Iterable[Node]) -> None:
        """Nodes to compute, each after its operands."""
        for node in nodes:
            if not isinstance(node, Elementwise):
                continue
            arguments: tuple[Any, ...] = tuple([self._argument(x) for x in node.arguments])
            if node.record.name == "astype":
                self._stand_ins[node] = self.graph.add_cast(arguments[0], arguments[1])
            else:
                self._stand_ins[node] = self.graph.record(node.record.builtin, arguments)

    def program(self, inputs: Iterable[Node], outputs: Iterable[Node]) -> FusedProgram | None:
        """What computes the outputs, which have one shape; None where that takes more than the engine has."""
        return self.graph.program([self._stand_in(x) for x in inputs], [self._stand_in(x) for x in outputs])

    def _argument(self, x: Any) -> Any:
        if isinstance(x, Node):
            return self._stand_in(x)
        if type(x) is not TracedNumber:
            return x
        if id(x) not in self._slots:
            self._slots[id(x)] = self.graph.add_slot()
            self.numbers.append(x)
        return self._slots[id(x)]

    def _stand_in(self, node: Node) -> Tensor:
        if node not in self._stand_ins:
            self._stand_ins[node] = self.graph.add_input(node.dtype, node.shape, node.order)
        return self._stand_ins[node]
