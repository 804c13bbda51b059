"""Convolutions with the nodes after them as one call: normalisation, bias, residual, activation.

A normalisation with stored parameters, and a stored bias, become part of the stored weight and bias, which may change
the last bits of a result. The sum with a tensor, and an activation (Relu, Clip, LeakyRelu, HardSwish), are applied in
the convolution's pass.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import suanzi
from suanzi import DType, Tensor, _core
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import readers, rewritten
from suanzi.interop.onnx.compositions.convolutions import Options, convolved
from suanzi.interop.onnx.folding import read_only
from suanzi.interop.onnx.nodes import Constant, Item, Operation

_FLOATS = (suanzi.float32, suanzi.float64)


@dataclass(frozen=True, slots=True)
class Ended:
    """A convolution, the sum with a tensor, and an activation, in one pass. It is called with the operands it has."""

    options: Options
    has_bias: bool
    has_sum: bool = False
    activation: tuple[str, float, float] | None = None  # the core's name of it, and its numbers

    def __call__(self, x: Tensor, weight: Tensor, *others: Tensor) -> Tensor:
        options = self.options
        options.check("Conv", weight)
        bias = others[0] if self.has_bias else None
        added = others[-1] if self.has_sum else None
        return _core.conv_ended(
            *(x, weight, bias, options.stride, options.padding, options.dilation, options.groups),
            *(added, self.activation),
        )


def with_endings(graph: Graph) -> Graph:
    """The graph with one node for each convolution of float32 or float64 and the nodes after it that it can include."""
    return rewritten(graph, _Endings(graph).rule)


class _Endings:
    def __init__(self, graph: Graph) -> None:
        self.uses: Counter[Node] = readers(graph)

    def rule(self, node: Node, made: Graph) -> Node:
        found = self._replacement(node, made)
        if found is None:
            return node
        self.uses[found] = self.uses[node]
        return made.add(found)

    def _replacement(self, node: Node, made: Graph) -> Operation | None:
        if isinstance(node, Item):
            whole = node.operands[0]
            if node.index == 0 and isinstance(whole, Operation) and whole.name == "BatchNormalization":
                return self._normalised(whole, made) if self.uses[whole] == 1 else None
        elif isinstance(node, Operation):
            if node.name == "BatchNormalization" and not node.gives_several:
                return self._normalised(node, made)
            if node.name == "Add" and node.function is suanzi.add:
                return self._biased(node, made) or self._summed(node)
            if node.name in _ACTIVATIONS:
                return self._activated(node)
        return None

    def _convolution(self, node: Node) -> tuple[Operation, Ended] | None:
        """The convolution that a node is, if nobody else reads it."""
        if not isinstance(node, Operation) or node.dtype not in _FLOATS or self.uses[node] != 1:
            return None
        function = node.function
        if isinstance(function, partial) and function.func is convolved and len(function.args) == 1:
            has_bias = len(node.operands) == 3 and not _is_absent(node.operands[2])
            return node, Ended(function.args[0], has_bias)
        return (node, function) if isinstance(function, Ended) else None

    def _stored(self, node: Node) -> tuple[Operation, Ended, Tensor, Tensor | None] | None:
        """A convolution with a stored weight, and a stored bias if it has one, to which nothing is done yet."""
        found = self._convolution(node)
        if found is None or found[1].has_sum or found[1].activation:
            return None
        operation, ended = found
        weight = _value(operation.operands[1], operation.dtype)
        bias = _value(operation.operands[2], operation.dtype) if ended.has_bias else None
        if weight is None or (bias is None and ended.has_bias) or weight.ndim < 3:
            return None
        return operation, ended, weight, bias

    def _normalised(self, node: Operation, made: Graph) -> Operation | None:
        found = self._stored(node.operands[0])
        parameters = [_value(x, x.dtype) for x in node.operands[1:]]
        known = node.attributes
        if found is None or known.get("training_mode") or not known.get("spatial", 1):
            return None
        operation, ended, weight, bias = found
        given = [x for x in parameters if x is not None and x.shape == (weight.shape[0],) and x.dtype in _FLOATS]
        if len(given) != 4 or node.operands[1].dtype is not operation.dtype:
            return None
        scale, shift, mean, variance = (suanzi.astype(x, suanzi.float64) for x in given)
        factor = scale / suanzi.sqrt(variance + known["epsilon"])
        before = -mean if bias is None else suanzi.astype(bias, suanzi.float64) - mean
        scaled = suanzi.astype(weight, suanzi.float64) * suanzi.reshape(factor, (-1,) + (1,) * (weight.ndim - 1))
        return _with_constants(operation, ended, scaled, before * factor + shift, made)

    def _biased(self, node: Operation, made: Graph) -> Operation | None:
        for convolution, vector in (node.operands, node.operands[::-1]):
            found = self._stored(convolution)
            if found is None or found[2].shape[0] == 0:
                continue
            operation, ended, weight, bias = found
            value = _value(vector, operation.dtype)
            channels = (weight.shape[0],) + (1,) * (weight.ndim - 2)
            if value is None or value.shape not in (channels, (1, *channels)):
                continue
            total = suanzi.astype(suanzi.reshape(value, (-1,)), suanzi.float64)
            total = total if bias is None else total + suanzi.astype(bias, suanzi.float64)
            return _with_constants(operation, ended, weight, total, made)
        return None

    def _summed(self, node: Operation) -> Operation | None:
        first, second = node.operands
        if first is second or node.dtype not in _FLOATS:
            return None
        for convolution, other in ((second, first), (first, second)):
            found = self._convolution(convolution)
            if found is None or found[1].has_sum or found[1].activation or other.dtype is not node.dtype:
                continue
            operation, ended = found
            operands = operation.operands[: 2 + ended.has_bias]
            return _ended(operation, (*operands, other), replace(ended, has_sum=True))
        return None

    def _activated(self, node: Operation) -> Operation | None:
        found = self._convolution(node.operands[0])
        if found is None or found[1].activation or node.dtype is not found[0].dtype:
            return None
        operation, ended = found
        activation = _ACTIVATIONS[node.name](node)
        if activation is None:
            return None
        operands = operation.operands[: 2 + ended.has_bias + ended.has_sum]
        return _ended(operation, operands, replace(ended, activation=activation))


def _with_constants(operation: Operation, ended: Ended, weight: Tensor, bias: Tensor, made: Graph) -> Operation | None:
    """The convolution with another weight and bias; None if they are not finite in its type."""
    stored = [read_only(suanzi.astype(x, operation.dtype)) for x in (weight, bias)]
    if not all(suanzi.all(suanzi.isfinite(x)) for x in stored):
        return None
    constants = [made.add(Constant(x)) for x in stored]
    return _ended(operation, (operation.operands[0], *constants), replace(ended, has_bias=True))


def _ended(operation: Operation, operands: Iterable[Node], function: Ended) -> Operation:
    found = operation.on(operands, function)
    found.kind = function
    return found


def _bounds(node: Operation) -> tuple[str, float, float] | None:
    """The bounds of a Clip that are known."""
    if "min" in node.attributes:
        return "bounds", float(node.attributes["min"]), float(node.attributes["max"])
    found = [-math.inf, math.inf]
    for i, operand in enumerate(node.operands[1:]):
        if _is_absent(operand):
            continue
        value = _value(operand, node.dtype)
        if value is None or value.size != 1:
            return None
        found[i] = float(value.item())
    return "bounds", found[0], found[1]


# The functions of the core that follow a convolution's sums, by the names of nodes; each gives the bits of the node.
_ACTIVATIONS: dict[str, Callable[[Operation], tuple[str, float, float] | None]] = {
    "Clip": _bounds,
    "HardSwish": lambda node: ("hard_swish", 0.0, 0.0),
    "LeakyRelu": lambda node: ("leaky_relu", float(node.attributes["alpha"]), 0.0),
    "Relu": lambda node: ("bounds", 0.0, math.inf),
}


def _is_absent(node: Node) -> bool:
    return isinstance(node, Constant) and node.value is None


def _value(node: Node, dtype: DType | None) -> Tensor | None:
    """A stored tensor of this type."""
    value: Any = node.value if isinstance(node, Constant) else None
    return value if isinstance(value, Tensor) and value.dtype is dtype else None
