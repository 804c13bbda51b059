"""The values of a graph that are in memory, and the steps of a program that put values into memory.

An operator outside a computation needs its operands in memory. Results, and views that cannot be computed from views of
operands, are also in memory. An intermediate value is stored unless a second computation of the value takes less time.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable
from typing import Any

from suanzi import _core
from suanzi._core import Pattern, Tensor
from suanzi.graph.node import Derived, Elementwise, Graph, Node, Reduction, View
from suanzi.graph.passes import needed, worth_keeping
from suanzi.graph.steps import Computation, Invocation, Operand, Ref, facts_of, leaves, mapped
from suanzi.graph.views import Views


class Memory:
    """The values that are in memory after the recorded steps."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.steps: list[Computation | Invocation] = []
        self.refs: dict[Node, Ref] = {}
        self.in_order: dict[Node, bool] = {}  # for each dense value, True if the value is contiguous
        self.patterns: dict[int, Ref] = {}  # patterns of sparse tensors by id
        self.size = 0  # the number of values that the steps keep
        self.views = Views(self)
        self._computed: dict[Node, Node] = {}  # the nodes that are computed in place of recorded nodes

    # --- values in memory ---

    def keep(self) -> Ref:
        """Return the index of a new value in the list of values that a run keeps."""
        self.size += 1
        return self.size - 1

    def put(self, node: Node, ref: Ref, *, in_order: bool) -> None:
        self.refs[node], self.in_order[node] = ref, in_order

    def has(self, node: Node) -> bool:
        return node in self.refs

    def call(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], *, free: bool) -> Invocation:
        """Add the step that calls a function, after steps that bring the operands into memory, and return the added
        step.
        """
        self.bring([x for x in leaves(arguments) if isinstance(x, Node)])
        step = Invocation(name, function, mapped(arguments, self._operand), free=free)
        self.steps.append(step)
        return step

    def _operand(self, x: Any) -> Any:
        if isinstance(x, Node):
            return Operand(self.refs[x])
        return Operand(self.patterns[id(x)]) if isinstance(x, Pattern) else x

    # --- bringing values into memory ---

    def bring(self, wanted: list[Node]) -> None:
        """Add steps that bring the values of given nodes into memory."""
        missing = [x for x in dict.fromkeys(wanted) if not self.has(x)]
        if not missing:
            return
        made_of = [x for node in missing if _is_assembled(node) for x in node.operands]
        dense = list(dict.fromkeys([x for x in missing if not _is_assembled(x)] + made_of))
        forms = [self.form(x) for x in dense if not self.has(x)]
        if forms := [x for x in dict.fromkeys(forms) if not self.has(x)]:
            self.views.settle(forms)
            self._keep_what_comes_again(forms)
        if forms := [x for x in forms if not self.has(x)]:
            self._compute(forms)
        for node in dense:
            if not self.has(node):
                self.put(node, self.refs[self._computed[node]], in_order=self.in_order[self._computed[node]])
        for node in missing:
            if isinstance(node, Derived) and not self.has(node):
                self.derive(node)

    def derive(self, node: Derived) -> None:
        """Add a step that derives a node from stored values, and keep the result in memory."""
        step = self.call(node.name, node.function, node.arguments, free=not isinstance(node, View))
        step.results.append(self.keep())
        step.facts.append(facts_of(node))
        step.view_of = self.refs[node.source] if isinstance(node, View) else None
        self.put(node, step.results[0], in_order=isinstance(node.like, Tensor) and lies_in_order(node.like))

    def form(self, node: Node) -> Node:
        """Return the node that the program computes in place of `node`. The two nodes are the same unless the program
        computes a view from views of operands.
        """
        for x in needed([node], ChainMap[Node, Any](self._computed, self.refs)):
            if not self.has(x):
                self._computed[x] = self._form(x)
        return self._computed.get(node, node)

    def _form(self, node: Node) -> Node:
        operands = [self._computed.get(x, x) for x in node.operands]
        if isinstance(node, View):
            return self.views.form(node, operands[0])
        if isinstance(node, Reduction):
            self.views.take_if_it_has_gaps(operands[0])  # a reduction folds the elements in memory order
        if all(x is y for x, y in zip(operands, node.operands, strict=True)):
            return node
        if isinstance(node, Reduction):
            return self.graph.add(node.on(operands[0], node.shape, keepdims=node.keepdims))
        assert isinstance(node, Elementwise)
        return self.graph.add(node.on(operands, node.shape, node.order))

    def _compute(self, nodes: list[Node]) -> None:
        step = Computation(nodes, [], dict(self.in_order), {*needed(nodes, self.refs)})
        self.steps.append(step)
        self._put_results(step, nodes)

    def _put_results(self, step: Computation, nodes: Iterable[Node]) -> None:
        for node in nodes:
            step.results.append(self.keep())
            self.put(node, step.results[-1], in_order=node.order is None)

    def _keep_what_comes_again(self, nodes: list[Node]) -> None:
        """Let earlier computations keep intermediate values if storing a value is faster than computing the value
        again.
        """
        before: dict[Node, Computation] = {}
        for step in self.steps:
            if isinstance(step, Computation):
                before.update({node: step for node in step.inside if node not in before})
        for node in worth_keeping(nodes, before, self.refs) if before else ():
            self.views.take_if_it_is_one(node)
            if not self.has(node):
                before[node].wanted.append(node)
                self._put_results(before[node], [node])


def _is_assembled(node: Node) -> bool:
    """Return whether a node is a tensor made of parts, and not a view."""
    return isinstance(node, Derived) and not isinstance(node, View)


def lies_in_order(x: Tensor) -> bool:
    return x.is_contiguous() and _core.order_if_other(x) is None
