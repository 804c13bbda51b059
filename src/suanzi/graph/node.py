"""The nodes of a graph. Each node describes a value by type and shape. No code reads the elements of the value from the
node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, TypeVar

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import Record
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import uint8

KINDS = (Tensor, SparseTensor, QuantizedTensor)
Shape = tuple[int, ...]
AnyNode = TypeVar("AnyNode", bound="Node")


class Node:
    """A value that exists when the graph runs: an argument, an outside tensor, or the result of a call.

    The subclasses describe values that the graph computes.
    """

    __slots__ = ("dtype", "like", "name", "number", "operands", "order", "shape")

    number: int  # greater than the operands' numbers
    name: str  # the operator's name, or "" if no call of the graph makes the value

    def __init__(self, name: str, dtype: Any, shape: Shape, order: Shape | None, operands: Iterable[Node] = ()) -> None:
        self.name, self.dtype, self.shape, self.order = name, dtype, shape, order
        self.operands = tuple(operands)
        self.like: Any = None  # a tensor of the same layout and kind, whose values no code reads

    def __lt__(self, other: Node) -> bool:
        return self.number < other.number

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * int(self.dtype.itemsize)

    @property
    def layout(self) -> Tensor:
        """Return a tensor with the layout of the value in memory. No code writes into the tensor."""
        if self.like is None:
            self.like = _core.empty(self.shape, uint8, None, self.order)
        like: Tensor = self.like
        return like

    @property
    def is_heavy(self) -> bool:
        """Return whether the node is so slow to compute that a program never computes the node twice."""
        return False


class Elementwise(Node):
    """The result of an elementwise operator.

    `arguments` are the arguments of the record's builtin. A node replaces each tensor, and a `TracedNumber` replaces
    each number that calls pass.
    """

    __slots__ = ("arguments", "heavy", "record")

    def __init__(
        self, record: Record, arguments: tuple[Any, ...], dtype: Any = None, shape: Shape = (),
        order: Shape | None = None, *, heavy: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(record.called, dtype, shape, order, (x for x in arguments if isinstance(x, Node)))
        self.record, self.arguments, self.heavy = record, arguments, heavy

    @property
    def is_heavy(self) -> bool:
        return self.heavy

    def on(self, operands: Iterable[Node], shape: Shape, order: Shape | None) -> Elementwise:
        """Return a copy of the node with other operands, another shape and another memory order."""
        given = iter(operands)
        arguments = tuple([next(given) if isinstance(x, Node) else x for x in self.arguments])
        return Elementwise(self.record, arguments, self.dtype, shape, order, heavy=self.heavy)


class Reduction(Node):
    """The result of a reduction of one operand."""

    __slots__ = ("axes", "correction", "keepdims", "result_type")

    def __init__(
        self, name: str, operand: Node, dtype: Any, shape: Shape, *, axes: Shape, keepdims: bool,
        correction: float, result_type: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, dtype, shape, None, (operand,))
        self.axes, self.keepdims = axes, keepdims
        self.correction, self.result_type = correction, result_type  # the arguments of the call

    @property
    def operand(self) -> Node:
        return self.operands[0]

    @property
    def is_heavy(self) -> bool:
        return True

    def on(self, operand: Node, shape: Shape, *, keepdims: bool) -> Reduction:
        """Return a copy of the reduction with another operand, shape and `keepdims`."""
        return Reduction(
            self.name, operand, self.dtype, shape, axes=self.axes, keepdims=keepdims,
            correction=self.correction, result_type=self.result_type,
        )  # fmt: skip


class Derived(Node):
    """A value that is made from stored values without computation. A step makes the value when another step needs the
    value in memory.
    """

    __slots__ = ("arguments", "function")

    def __init__(
        self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], like: Any, order: Shape | None
    ) -> None:
        super().__init__(name, like.dtype, like.shape, order, (x for x in arguments if isinstance(x, Node)))
        self.function, self.arguments, self.like = function, arguments, like


class View(Derived):
    """A view of the first argument of a call. The other arguments are plain values."""

    __slots__ = ()

    @property
    def source(self) -> Node:
        return self.operands[0]

    def of(self, x: Tensor) -> Any:
        return self.function(x, *self.arguments[1:])


class Graph:
    """All recorded nodes in order, and the nodes of the results."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.results: tuple[Node, ...] = ()

    def add(self, node: AnyNode) -> AnyNode:
        node.number = len(self.nodes)
        self.nodes.append(node)
        return node
