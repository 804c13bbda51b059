"""Movement of transposes after the elementwise operations that follow a convolution.

Models whose channels come last have a transpose after each convolution and another transpose before the next
convolution. If the operations between two transposes come first, the transposes cancel each other, and the operations
can join the convolution's pass (after_conv.py).
"""

from __future__ import annotations

from functools import partial

import suanzi
from suanzi import Tensor
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import rewritten
from suanzi.interop.onnx.folding import read_only
from suanzi.interop.onnx.nodes import Constant, Operation

_OF_ONE = frozenset({"Clip", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh"})
_OF_TWO = frozenset({"Add", "Div", "Mul", "Sub"})
_POOLS = frozenset({"AveragePool", "BatchNormalization", "GlobalAveragePool", "MaxPool"})


def transposed_later(graph: Graph) -> Graph:
    """Move transposes of a convolution's result after elementwise operations, and join neighbouring transposes.

    Each element is computed by the same operations as before, so the bits of the results do not change.
    """
    return rewritten(graph, _Moved().rule)


class _Moved:
    def __init__(self) -> None:
        self.found: set[Node] = set()  # convolutions, and operations that now come before a transpose
        self.ranks: dict[Node, int] = {}  # the ranks that follow from the graph

    def rule(self, node: Node, made: Graph) -> Node:
        return self._noted(self._replacement(node, made))

    def _replacement(self, node: Node, made: Graph) -> Node:
        if not isinstance(node, Operation):
            return node
        if node.name == "Conv":
            self.found.add(node)
        elif node.name == "Transpose":
            return self._joined(node, made)
        elif node.name in _OF_ONE or node.name in _OF_TWO:
            return self._moved(node, made) or node
        return node

    def _joined(self, node: Operation, made: Graph) -> Node:
        """Return one transpose in place of two successive transposes, or the tensor itself if the transposes cancel
        each other. Return `node` unchanged if its operand is not a transpose.
        """
        (before,) = node.operands
        first, second = _axes(before), _axes(node)
        if first is None or second is None or len(first) != len(second):
            return node
        axes = tuple(first[i] for i in second)
        (x,) = before.operands
        return self._checked(x, node, made) if axes == (*range(len(axes)),) else made.add(_transposed(node, x, axes))

    def _moved(self, node: Operation, made: Graph) -> Node | None:
        """Apply the operation `node` to operands without their transposes, and return a transpose of the result. Return
        None if the operation cannot be moved.
        """
        every = [axes for x in node.operands if (axes := _axes(x)) is not None]
        if not every or any(axes != every[0] for axes in every):
            return None
        axes = every[0]
        if not any(_axes(x) is not None and x.operands[0] in self.found for x in node.operands):
            return None
        operands = [self._before(x, axes, made) for x in node.operands]
        if None in operands:
            return None
        moved = made.add(node.on([x for x in operands if x is not None]))
        self.found.add(self._noted(moved))
        like = next(x for x in node.operands if isinstance(x, Operation) and _axes(x) is not None)
        return made.add(_transposed(like, moved, axes))

    def _before(self, x: Node, axes: tuple[int, ...], made: Graph) -> Node | None:
        """Return the node whose transpose by `axes` equals `x`. The result is the operand if `x` is a transpose, a
        permuted constant if `x` is a constant, and None for other nodes.
        """
        if isinstance(x, Operation) and _axes(x) is not None:
            return self._checked(x.operands[0], x, made)
        if not isinstance(x, Constant):
            return None
        value = x.value
        if not isinstance(value, Tensor) or (value.size == 1 and value.ndim <= len(axes)):
            return x
        if value.ndim > len(axes):
            return None
        whole = suanzi.reshape(value, (1,) * (len(axes) - value.ndim) + value.shape)
        back = [axes.index(i) for i in range(len(axes))]
        return self._noted(made.add(Constant(read_only(suanzi.transpose(whole, back)))))

    def _checked(self, x: Node, transpose: Operation, made: Graph) -> Node:
        """Return `x` if `x` has the rank that a transpose of `x` requires. If the rank is not known, return a transpose
        that moves no axis but raises the error of a wrong rank.
        """
        rank = len(_axes(transpose) or ())
        if self.ranks.get(x) == rank:
            return x
        return self._noted(made.add(_transposed(transpose, x, tuple(range(rank)))))

    def _noted(self, node: Node) -> Node:
        """Record the rank of a node if the rank is known, and return the node."""
        rank = self._rank(node)
        if rank is not None:
            self.ranks[node] = rank
        return node

    def _rank(self, node: Node) -> int | None:
        if isinstance(node, Constant):
            return node.value.ndim if isinstance(node.value, Tensor) else None
        axes = _axes(node)
        if axes is not None:
            return len(axes)
        known = [self.ranks[x] for x in node.operands[:2] if x in self.ranks]
        if node.name == "Conv" and known:  # the image and the weight have the same rank
            return known[0]
        if node.name in _OF_ONE or node.name in _POOLS:
            return self.ranks.get(node.operands[0])
        return max(known) if node.name in _OF_TWO and len(known) == 2 else None


def _axes(node: Node) -> tuple[int, ...] | None:
    """Return the order of the axes of a transpose, or None for another node or an order that is not stored."""
    if not isinstance(node, Operation) or node.name != "Transpose":
        return None
    axes = tuple(node.attributes.get("perm", ()))
    return axes if axes and sorted(axes) == [*range(len(axes))] else None


def _transposed(like: Operation, x: Node, axes: tuple[int, ...]) -> Operation:
    """Return a transpose of the node `x` by `axes`, with the label of the transpose `like`."""
    return Operation(
        like.name, like.row, (x,), (x.dtype,), label=like.label, function=partial(suanzi.transpose, axes=axes),
        kind=(like.name, axes), attributes={"perm": axes},
    )  # fmt: skip
