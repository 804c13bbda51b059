"""Recognition of activations that a model expresses by several nodes: SiLU, GELU by Erf, HardSwish.

Exporters write these nodes for versions of ONNX that have no operator for the activations.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from suanzi.graph.node import Node
from suanzi.interop.onnx.nodes import Constant, Operation


class Spelled(NamedTuple):
    """The name of a recognised function, and the node of the function's operand."""

    name: str
    operand: Node


LAST = frozenset({"Mul", "Div"})
"""The names of the last nodes of all activations."""


def spelled(node: Operation, uses: Counter[Node]) -> Spelled | None:
    """Return the activation whose last node is `node`, or None. No other node may read an intermediate result."""
    for match in (_silu, _gelu, _hard_swish):
        found = match(node, _Between(uses))
        if found is not None and uses[found.operand] == 2:
            return found
    return None


class _Between:
    """The search for the intermediate nodes of an activation. An intermediate node is a node that exactly one other
    node reads.
    """

    def __init__(self, uses: Counter[Node]) -> None:
        self.uses = uses

    def operands(self, node: Node, name: str) -> list[tuple[Node, Node]]:
        """Return the two operands of a node in both orders, or an empty list if the node does not have the operator
        `name`.
        """
        if not isinstance(node, Operation) or node.name != name or len(node.operands) != 2:
            return []
        first, second = node.operands
        return [(first, second), (second, first)]

    def inner(self, node: Node, name: str) -> list[tuple[Node, Node]]:
        """Return the operands of an intermediate node in both orders, or an empty list for another node or operator."""
        return self.operands(node, name) if self.uses[node] == 1 else []

    def by_number(self, node: Node, name: str, number: float) -> Node | None:
        """Return the operand that an intermediate node combines with a given stored number, or None."""
        return next((x for x, stored in self.inner(node, name) if is_number(stored, number)), None)

    def argument(self, node: Node, name: str) -> Node | None:
        """Return the first operand of an intermediate node with the operator `name`, or None."""
        is_it = isinstance(node, Operation) and node.name == name and self.uses[node] == 1
        return node.operands[0] if is_it else None


def _silu(node: Operation, between: _Between) -> Spelled | None:
    """Recognise x * Sigmoid(x), or x * Sigmoid(x * 1)."""
    for x, gate in between.operands(node, "Mul"):
        inside = between.argument(gate, "Sigmoid")
        if inside is not None and x in (inside, between.by_number(inside, "Mul", 1)):
            return Spelled("silu", x)
    return None


def _gelu(node: Operation, between: _Between) -> Spelled | None:
    """Recognise x * (Erf(x / sqrt(2)) + 1) * 0.5, with the products in any order."""
    for product, half in between.operands(node, "Mul"):
        if is_number(half, 0.5):
            pairs = between.inner(product, "Mul")
        else:
            x = between.by_number(half, "Mul", 0.5)
            pairs = [] if x is None else [(x, product)]
        for x, sum_ in pairs:
            erf = between.by_number(sum_, "Add", 1)
            inside = None if erf is None else between.argument(erf, "Erf")
            if inside is not None and x is _over_root(inside, between):
                return Spelled("gelu", x)
    return None


def _over_root(node: Node, between: _Between) -> Node | None:
    """Return the node x if `node` computes x / sqrt(2), or None."""
    found = between.inner(node, "Div")
    if found and is_number(found[0][1], math.sqrt(2)):
        return found[0][0]
    return between.by_number(node, "Mul", math.sqrt(0.5))


def _hard_swish(node: Operation, between: _Between) -> Spelled | None:
    """Recognise x * Clip(x + 3, 0, 6) / 6."""
    found = between.operands(node, "Div")
    if not found or not is_number(found[0][1], 6):
        return None
    for x, clip in between.inner(found[0][0], "Mul"):
        sum_ = between.argument(clip, "Clip")
        if sum_ is not None and _is_clip(clip, 0, 6) and x is between.by_number(sum_, "Add", 3):
            return Spelled("hard_swish", x)
    return None


def _is_clip(node: Node, low: float, high: float) -> bool:
    """Return whether a Clip has given bounds, as attributes or as stored operands."""
    assert isinstance(node, Operation)
    if node.attributes.keys() & {"min", "max"}:
        return node.attributes.get("min") == low and node.attributes.get("max") == high
    bounds = node.operands[1:]
    return len(bounds) == 2 and is_number(bounds[0], low) and is_number(bounds[1], high)


def is_number(node: Node, number: float) -> bool:
    """Return whether a node is a stored tensor of one element that equals a number to the precision of float32."""
    value = node.value if isinstance(node, Constant) else None
    if value is None or not hasattr(value, "item") or value.size != 1 or value.ndim > 1:
        return False
    return math.isclose(float(value.item()), number, rel_tol=1e-7)
