"""Queries to the core about nodes. `Asked` calls the core's functions with stand-ins for operands. Calls with stand-ins
compute nothing.

The core returns the type and shape of a call's result, and makes a program of the kernels that the call would run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from suanzi._core import FusedGraph, FusedProgram, Tensor
from suanzi.graph.node import Elementwise, Node
from suanzi.graph.stand_ins import TracedNumber


class Asked:
    """The core's graph of elementwise nodes and casts. The core finds the nodes' types and shapes, and makes programs
    of the nodes.
    """

    def __init__(self) -> None:
        self.graph = FusedGraph()
        # A slot is a placeholder in a program for a number that each run passes.
        self.numbers: list[TracedNumber] = []  # in the order of their slots
        self._slots: dict[int, float] = {}  # the slot of each number, by `id(number)`
        self._stand_ins: dict[Node, Tensor] = {}

    def add(self, node: Elementwise) -> Tensor:
        """Add an elementwise node or a cast to the core's graph, and return the core's stand-in for the node."""
        given = tuple([self._argument(x) for x in node.arguments])
        is_cast = node.record.name == "astype"
        made = self.graph.add_cast(given[0], given[1]) if is_cast else self.graph.record(node.record.builtin, given)
        self._stand_ins[node] = made
        return made

    def program(self, inputs: Iterable[Node], outputs: Iterable[Node]) -> FusedProgram | None:
        """Return the program that computes `outputs` (nodes of the same shape) from `inputs`, or None if the program
        exceeds the engine's limits.
        """
        return self.graph.program([self._argument(x) for x in inputs], [self._argument(x) for x in outputs])

    def _argument(self, x: Any) -> Any:
        if isinstance(x, Node):
            if x not in self._stand_ins:
                self._stand_ins[x] = self.graph.add_input(x.dtype, x.shape, x.order)
            return self._stand_ins[x]
        if type(x) is not TracedNumber:
            return x
        if id(x) not in self._slots:
            self._slots[id(x)] = self.graph.add_slot()
            self.numbers.append(x)
        return self._slots[id(x)]
