"""Queries of the core about nodes: the core's functions are called with stand-ins for operands, and compute nothing.

The answers are the type and shape of a call's result, and the kernels that the call would run. The core makes a program
of the kernels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from suanzi._core import FusedGraph, FusedProgram, Tensor
from suanzi.graph.node import Elementwise, Node
from suanzi.graph.stand_ins import TracedNumber


class Asked:
    """A query about elementwise nodes and casts that are computed from other nodes."""

    def __init__(self) -> None:
        self.graph = FusedGraph()
        self.numbers: list[TracedNumber] = []  # the numbers that each run passes, by their slots
        self._slots: dict[int, float] = {}  # slots by the numbers' ids
        self._stand_ins: dict[Node, Tensor] = {}

    def add(self, node: Elementwise) -> Tensor:
        """Return the stand-in of a node."""
        given = tuple([self._argument(x) for x in node.arguments])
        is_cast = node.record.name == "astype"
        made = self.graph.add_cast(given[0], given[1]) if is_cast else self.graph.record(node.record.builtin, given)
        self._stand_ins[node] = made
        return made

    def program(self, inputs: Iterable[Node], outputs: Iterable[Node]) -> FusedProgram | None:
        """Return the program for outputs of one shape, or None if the program exceeds the engine's limits."""
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
