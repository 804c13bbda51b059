"""Products with constant matrices. A call includes a following addition of a vector, and large matrices are packed
once.

A BLAS library packs a matrix again at every call. For a few rows, packing takes longer than the product itself.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import suanzi
from suanzi import Tensor, tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import readers, rewritten
from suanzi.interop.onnx.compositions.matrices import Codes, Weight, linear
from suanzi.interop.onnx.nodes import Constant, Operation
from suanzi.interop.onnx.rows import Prepared

_FLOATS = (suanzi.float32, suanzi.float64)


def with_vectors(graph: Graph) -> Graph:
    """Replace each product with a constant matrix and the addition of a constant vector by one call of `linear`. The
    call saves a pass over memory.

    No other node may read the product. The last bit of a result may change, because the sum begins with the vector.
    """
    uses = readers(graph)

    def rule(node: Node, made: Graph) -> Node:
        if isinstance(node, Operation) and node.function is suanzi.add:
            for product, vector in (node.operands, node.operands[::-1]):
                if isinstance(product, Operation) and product.function is suanzi.matmul and uses[product] == 1:
                    matrix = _matrix(product.operands[1])
                    if matrix is not None and is_vector(vector, matrix.shape[1]) and vector.dtype is matrix.dtype:
                        return made.add(product.on((*product.operands, vector), linear))
        return node

    return rewritten(graph, rule)


def packed(graph: Graph) -> Graph:
    """Replace each product with a large constant matrix by a call of a `Weight`, which holds the matrix."""
    weights: dict[tuple[Node, bool, bool], Weight] = {}

    def rule(node: Node, _: Graph) -> Node:
        if not isinstance(node, Operation) or not multiplies(node):
            return node
        matrix, is_gemm = _matrix(node.operands[1]), node.name == "Gemm"
        if matrix is not None and matrix.size >= tuning.PACKED_MATRIX:
            transposed = is_gemm and bool(node.attributes["transB"])
            matrix = matrix.T if transposed else matrix
            if not is_gemm or all(is_vector(x, matrix.shape[1]) for x in node.operands[2:]):
                weight = Weight(matrix, takes_matrices=is_gemm)
                node.function = weights.setdefault((node.operands[1], transposed, is_gemm), weight)
                node.operands = (node.operands[0], *node.operands[2:])
        return node

    return rewritten(graph, rule)


def prepared(graph: Graph) -> Graph:
    """Replace functions that first convert constants, such as codes to numbers, by functions that convert the constants
    only at the first run.
    """

    def rule(node: Node, _: Graph) -> Node:
        whole = node.row.function if isinstance(node, Operation) else None
        if not isinstance(node, Operation) or not isinstance(whole, Prepared):
            return node
        chosen, others = whole.apart(node.operands)
        bound = node.function if isinstance(node.function, partial) else partial(node.function)
        if bound.func is whole and all(isinstance(x, Constant) for x in chosen):
            node.function = Ready(whole, [x.value for x in chosen], bound.keywords)
            node.operands = tuple(others)
        return node

    return rewritten(graph, rule)


class Ready:
    """A function of a node's operands that are not constants. The first call converts the constants."""

    def __init__(self, whole: Prepared, constants: list[Any], keywords: dict[str, Any]) -> None:
        self.whole, self.constants, self.keywords = whole, constants, keywords
        self.value: Any = None

    def __call__(self, *operands: Any) -> Any:
        value = self.value
        if value is None:
            value = self.value = self.whole.prepare(*self.constants, **self.keywords)
        return self.whole.finish(value, *operands, **self.keywords)

    def __reduce__(self) -> tuple[type[Ready], tuple[Prepared, list[Any], dict[str, Any]]]:
        return Ready, (self.whole, self.constants, self.keywords)


def multiplies(node: Operation) -> bool:
    """Return whether a node only multiplies its first operand by its second operand, and may add a third operand."""
    given = node.attributes
    if node.name == "Gemm":
        return bool(given["alpha"] == given["beta"] == 1 and not given["transA"])
    return node.function in (suanzi.matmul, linear)


def _matrix(node: Node) -> Tensor | Codes | None:
    """Return the value of a node that is a constant matrix of floats, or None for other nodes."""
    value: Any = node.value if isinstance(node, Constant) else None
    return value if isinstance(value, Tensor | Codes) and value.ndim == 2 and value.dtype in _FLOATS else None


def is_vector(node: Node, size: int) -> bool:
    """Return whether a node is a constant vector of a given size."""
    return isinstance(node, Constant) and node.shape == (size,)
