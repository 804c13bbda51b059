"""Fusion of convolutions with the nodes that follow: normalisation, factor, bias, residual and activation.

A normalisation with stored parameters, a stored factor and a stored bias become part of the stored weight and bias. The
pass of the convolution also adds a tensor, applies an activation, and multiplies the activation by a number or adds a
number. The fusion may change the last bits of a result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import suanzi
from suanzi import DType, Tensor, _core, array_api, tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import readers, rewritten
from suanzi.interop.onnx.compositions.convolutions import Filters, Options, PackedWeight, convolved
from suanzi.interop.onnx.compositions.numbers import total
from suanzi.interop.onnx.folding import read_only
from suanzi.interop.onnx.nodes import Constant, Item, Operation
from suanzi.interop.onnx.spelled import LAST, spelled

_FLOATS = (suanzi.float32, suanzi.float64)
# The greatest magnitude that a factor may give to an element of a weight. The weight of a trained convolution times the
# factor of the following normalisation rarely exceeds some tens, because the factor is large only where the sums are
# small.
_MOST = 512.0


@dataclass(frozen=True, slots=True)
class Ended:
    """A function that computes a convolution, the addition of a tensor, and an activation in one pass. A call passes
    only the operands that exist.
    """

    options: Options
    has_bias: bool
    has_sum: bool = False
    activation: tuple[str, float, float] | None = None  # the core's name of the activation, and its parameters
    filters: Filters | None = None  # the weight, or None if the weight is an operand
    overwrites: bool = False  # True if the result may take the memory of the added tensor

    def __call__(self, x: Tensor, *operands: Tensor) -> Tensor:
        options, others = self.options, operands
        weight: Tensor | PackedWeight
        if self.filters is None:
            weight, others = operands[0], operands[1:]
            options.check("Conv", weight)
        else:
            weight = self.filters.of(x)
        bias = others[0] if self.has_bias else None
        added = others[-1] if self.has_sum else None
        return _core.conv_ended(
            *(x, weight, bias, options.stride, options.padding, options.dilation, options.groups),
            *(added, self.activation, self.overwrites),
        )

    @property
    def overwriting(self) -> Ended | None:
        """Return a function whose result may take the memory of the last operand, or None if no tensor is added."""
        return replace(self, overwrites=True) if self.has_sum else None


def with_endings(graph: Graph) -> Graph:
    """Return a graph in which one node replaces each convolution of float32 or float64 and the nodes behind the
    convolution that can be computed in the same pass.
    """
    return rewritten(graph, _Endings(graph).rule)


def with_filters(graph: Graph) -> Graph:
    """Return a graph whose convolutions of float32 or float64 hold their large constant weights."""
    known: dict[tuple[Node, Options], Filters] = {}

    def rule(node: Node, made: Graph) -> Node:
        found = _ended_of(node)
        if found is None:
            return node
        operation, ended = found
        weight = _value(operation.operands[1], operation.dtype)
        options = ended.options
        if weight is None or weight.size < tuning.PACKED_MATRIX or options.fault(weight):
            return node
        filters = known.setdefault((operation.operands[1], options), Filters(weight, options))
        x, _, *others = operation.operands  # the image, or an added tensor, may be the weight as well
        operands = [x, *(each for each in others if not _is_absent(each))]
        return made.add(_ended(operation, operands, replace(ended, filters=filters)))

    return rewritten(graph, rule)


class _Endings:
    def __init__(self, graph: Graph) -> None:
        self.uses: Counter[Node] = readers(graph)
        self.convolutions: dict[Node, tuple[Operation, Ended]] = {}

    def rule(self, node: Node, made: Graph) -> Node:
        found = self._replacement(node, made) if self.convolutions else None
        if found is not None:
            self.uses[found] = self.uses[node]
            made.add(found)
        convolution = _ended_of(found or node)
        if convolution is not None:
            self.convolutions[convolution[0]] = convolution
        return found or node

    def _replacement(self, node: Node, made: Graph) -> Operation | None:
        if isinstance(node, Item):
            whole = node.operands[0]
            if node.index == 0 and isinstance(whole, Operation) and whole.name == "BatchNormalization":
                return self._normalised(whole, made) if self.uses[whole] == 1 else None
        elif isinstance(node, Operation):
            if node.name == "BatchNormalization" and not node.gives_several:
                return self._normalised(node, made)
            follows = not self.convolutions.keys().isdisjoint(node.operands)
            if follows and node.name in _ACTIVATIONS:
                return self._activated(node, node.operands[0], _ACTIVATIONS[node.name](node))
            if follows and _adds(node):
                return self._biased(node, made) or self._moved(node) or self._summed(node)
            if follows and node.name == "Sub" and node.function is suanzi.subtract:
                return self._biased(node, made)
            if follows and node.name == "Mul" and node.function is suanzi.multiply:
                found = self._scaled(node, made) or self._moved(node)
                if found is not None:
                    return found
            function = spelled(node, self.uses) if node.name in LAST else None
            if function is not None:
                return self._activated(node, function.operand, (function.name, *_UNMOVED), reads=2)
        return None

    def _convolution(self, node: Node, reads: int = 1) -> tuple[Operation, Ended] | None:
        """Return a node and its function if the node is a convolution whose result `reads` operations read, or None."""
        return self.convolutions.get(node) if self.uses[node] == reads else None

    def _stored(self, node: Node) -> tuple[Operation, Ended, Tensor, Tensor | None] | None:
        """Return a convolution and its function, stored weight and optional stored bias. Return None if the weight or
        bias is not stored, or if the convolution already includes a sum or an activation.
        """
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
        return _with_constants(operation, ended, _times(weight, factor), before * factor + shift, made)

    def _with_stored(self, node: Operation) -> Iterator[tuple[Operation, Ended, Tensor, Tensor | None, Tensor]]:
        """Yield the convolution with a stored weight that is one operand of `node`, and the other operand in float64.
        The other operand must be a stored number, or a stored number per channel.
        """
        for convolution, other in (node.operands, node.operands[::-1]):
            found = self._stored(convolution)
            value = _value(other, node.dtype)
            if found is None or value is None or found[2].shape[0] == 0:
                continue
            channels = (found[2].shape[0],) + (1,) * (found[2].ndim - 2)
            if value.shape in (channels, (1, *channels)) or (value.size == 1 and value.ndim <= found[2].ndim):
                yield *found, suanzi.reshape(suanzi.astype(value, suanzi.float64), (-1,))

    def _biased(self, node: Operation, made: Graph) -> Operation | None:
        """Return a convolution whose bias includes the stored operand of an Add or the stored subtrahend of a Sub, or
        None.
        """
        subtracts = node.name == "Sub"
        for operation, ended, weight, bias, value in self._with_stored(node):
            if subtracts and operation is not node.operands[0]:
                continue
            zero = suanzi.zeros(weight.shape[0], dtype=suanzi.float64)
            total = (-value if subtracts else value) + (zero if bias is None else suanzi.astype(bias, suanzi.float64))
            return _with_constants(operation, ended, weight, total, made)
        return None

    def _scaled(self, node: Operation, made: Graph) -> Operation | None:
        for operation, ended, weight, bias, value in self._with_stored(node):
            return _with_constants(
                operation, ended, _times(weight, value), None if bias is None else bias * value, made
            )
        return None

    def _moved(self, node: Operation) -> Operation | None:
        """Return a convolution whose activation includes the stored factor or summand of `node`, or None."""
        for convolution, other in (node.operands, node.operands[::-1]):
            found = self._convolution(convolution)
            value = _value(other, node.dtype)
            if found is None or value is None or value.size != 1 or value.ndim > 1:
                continue
            operation, ended = found
            if ended.activation is None or ended.activation[0] not in _MOVABLE:
                continue
            name, factor, summand = ended.activation
            number = float(value.item())
            if node.name == "Mul" and summand == 0 and _fits(factor, number, value.dtype):
                activation = name, factor * number, summand
            elif _adds(node) and summand == 0:
                activation = name, factor, number
            else:
                continue
            return _ended(operation, operation.operands, replace(ended, activation=activation))
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

    def _activated(
        self, node: Operation, operand: Node, activation: tuple[str, float, float] | None, reads: int = 1
    ) -> Operation | None:
        found = self._convolution(operand, reads)
        if found is None or found[1].activation or activation is None or node.dtype is not found[0].dtype:
            return None
        operation, ended = found
        if activation[0] in _NEARLY and node.dtype is not suanzi.float32:
            return None
        operands = operation.operands[: 2 + ended.has_bias + ended.has_sum]
        return _ended(operation, operands, replace(ended, activation=activation))


def _ended_of(node: Node) -> tuple[Operation, Ended] | None:
    """Return a node and its function if the node is a convolution of float32 or float64, or None."""
    if not isinstance(node, Operation) or node.dtype not in _FLOATS:
        return None
    function = node.function
    if isinstance(function, partial) and function.func is convolved and len(function.args) == 1:
        has_bias = len(node.operands) == 3 and not _is_absent(node.operands[2])
        return node, Ended(function.args[0], has_bias)
    return (node, function) if isinstance(function, Ended) else None


def _adds(node: Operation) -> bool:
    """Return whether an operation adds two tensors."""
    return node.function is suanzi.add or (node.function is total and len(node.operands) == 2)


def _times(weight: Tensor, factor: Tensor) -> Tensor | None:
    """Return a weight times float64 factors, rounded once. `factor` has a number per output channel, or one number.
    Return None if a product underflows, or if a factor of magnitude above 1 makes an element larger than `_MOST`.

    The separate nodes multiply only the complete sum by the factor. In the sum of the new weight, terms that cancel may
    overflow. A factor of magnitude at most 1 enlarges no term. With a larger factor, the sum of n products cannot
    overflow if no magnitude in the image exceeds ``limit / (_MOST * n)``. The limit is the largest number of the type.
    """
    shaped = suanzi.reshape(factor, (-1,) + (1,) * (weight.ndim - 1))
    product = suanzi.multiply(weight, shaped, out=suanzi.empty_like(weight))
    return None if _underflows(product, weight, shaped) or _grows(product, shaped) else product


def _grows(product: Tensor, factor: Tensor) -> bool:
    """Return whether an element of a product is NaN or larger than `_MOST` because of a factor of magnitude above 1."""
    if not product.size or suanzi.vector_norm(product, ord=math.inf).item() <= _MOST:
        return False
    return bool(suanzi.any((suanzi.abs(factor) > 1) & ~(suanzi.abs(product) <= _MOST)))


def _underflows(product: Tensor, weight: Tensor, factor: Tensor) -> bool:
    """Return whether a product of a normal number and a factor other than 0 is subnormal or 0. The separate nodes do
    not lose the digits of such a product if the image has large elements.
    """
    least = array_api.finfo(product.dtype).smallest_normal
    if not product.size or suanzi.vector_norm(product, ord=-math.inf).item() >= least:
        return False
    was_small = suanzi.less(suanzi.abs(weight), least) | suanzi.equal(factor, 0)
    return bool(suanzi.any(suanzi.less(suanzi.abs(product), least) & ~was_small))


def _fits(factor: float, number: float, dtype: DType) -> bool:
    """Return whether the product of two factors is a normal number of a type, or 0 because a factor is 0."""
    limits = array_api.finfo(dtype)
    return factor == 0 or number == 0 or limits.smallest_normal <= abs(factor * number) <= limits.max


def _with_constants(
    operation: Operation, ended: Ended, weight: Tensor | None, bias: Tensor | None, made: Graph
) -> Operation | None:
    """Return a convolution with another weight and bias. Return None without a weight, or if a number is not finite in
    the result's type.
    """
    if weight is None:
        return None
    given = (weight,) if bias is None else (weight, bias)
    stored = [read_only(suanzi.astype(x, operation.dtype, copy=False)) for x in given]
    if not all(math.isfinite(suanzi.sum(x).item()) for x in stored):  # a sum takes one pass, and rarely overflows
        return None
    constants = [made.add(Constant(x)) for x in stored]
    return _ended(operation, (operation.operands[0], *constants), replace(ended, has_bias=bias is not None))


def _ended(operation: Operation, operands: Iterable[Node], function: Ended) -> Operation:
    found = operation.on(operands, function)
    found.kind = function
    return found


def _bounds(node: Operation) -> tuple[str, float, float] | None:
    """Return the bounds of a Clip as an activation, or None if a bound is not constant, or is NaN or -0."""
    found = [float(node.attributes.get("min", -math.inf)), float(node.attributes.get("max", math.inf))]
    for i, operand in enumerate(node.operands[1:]):
        if _is_absent(operand):
            continue
        value = _value(operand, node.dtype)
        if value is None or value.shape not in ((), (1,)):
            return None
        found[i] = float(value.item())
    is_plain = all(x < 0 or x > 0 or str(x) == "0.0" for x in found)
    return ("bounds", found[0], found[1]) if is_plain else None


# The neutral parameters of an activation: a factor of 1, and a summand that changes no bit.
_UNMOVED = (1.0, -0.0)
# `_MOVABLE` has the activations that accept a factor and a summand. `_NEARLY` has the activations whose formula in the
# core differs from the formula of the nodes.
_MOVABLE = frozenset({"hard_swish", "sigmoid", "silu", "gelu"})
_NEARLY = frozenset({"sigmoid", "silu", "gelu"})

# The core's activations that can follow a convolution, by the names of nodes.
_ACTIVATIONS: dict[str, Callable[[Operation], tuple[str, float, float] | None]] = {
    "Clip": _bounds,
    "Gelu": lambda node: ("gelu", *_UNMOVED) if node.attributes.get("approximate", "none") == "none" else None,
    "HardSwish": lambda node: ("hard_swish", *_UNMOVED),
    "LeakyRelu": lambda node: ("leaky_relu", float(node.attributes["alpha"]), 0.0),
    "Relu": lambda node: ("bounds", 0.0, math.inf),
    "Sigmoid": lambda node: ("sigmoid", *_UNMOVED),
}


def _is_absent(node: Node) -> bool:
    return isinstance(node, Constant) and node.value is None


def _value(node: Node, dtype: DType | None) -> Tensor | None:
    """Return the tensor of a constant node if the tensor has a given type, or None."""
    value: Any = node.value if isinstance(node, Constant) else None
    return value if isinstance(value, Tensor) and value.dtype is dtype else None
