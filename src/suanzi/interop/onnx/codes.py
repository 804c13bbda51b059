"""Products with constant matrices that a model stores as codes of 8 bits. The products read the codes directly.

If `load` computed the numbers of a matrix of codes, the numbers would take four times the memory of the codes. The
speed of memory would then limit a product of a few rows.
"""

from __future__ import annotations

import suanzi
from suanzi import Tensor, tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import rewritten
from suanzi.interop.onnx.compositions.matrices import Codes
from suanzi.interop.onnx.compositions.quantization import fits_scale
from suanzi.interop.onnx.nodes import Constant, Operation
from suanzi.interop.onnx.weights import is_vector, multiplies

_TYPES = (suanzi.int8, suanzi.uint8)


def codes_kept(graph: Graph) -> Graph:
    """Return a graph in which products read `Codes` in place of the operations that would decode the codes."""
    known: dict[Node, Constant | None] = {}

    def rule(node: Node, made: Graph) -> Node:
        if not isinstance(node, Operation) or not multiplies(node):
            return node
        first, second, *others = node.operands
        if second not in known:
            codes = _codes(second)
            is_worth_it = codes is not None and codes.size >= tuning.PACKED_MATRIX
            known[second] = made.add(Constant(codes, suanzi.float32)) if is_worth_it else None
        constant = known[second]
        if constant is None:
            return node
        matrix = constant.value.T if node.attributes.get("transB") else constant.value
        if not matrix.is_scaled_by_columns or not all(is_vector(x, matrix.shape[1]) for x in others):
            return node
        return made.add(node.on((first, constant, *others)))

    return rewritten(graph, rule)


def _codes(node: Node) -> Codes | None:
    """Return the codes and factors of a matrix of float32, or None if `node` does not compute a matrix from stored
    codes.
    """
    if not isinstance(node, Operation) or node.dtype is not suanzi.float32:
        return None
    is_product = node.name == "Mul"
    if is_product:
        first, second = node.operands
        cast, factor = (first, second) if first.name == "Cast" else (second, first)
        operands = (*cast.operands, factor) if cast.name == "Cast" else ()
    elif node.name == "DequantizeLinear" and not node.attributes.get("block_size"):
        operands = node.operands
    else:
        return None
    values = [x.value for x in operands if isinstance(x, Constant) and isinstance(x.value, Tensor)]
    if len(values) != len(operands) or len(values) < 2:
        return None
    codes, scale, *zeros = values
    if not is_product and not all(fits_scale(zero, scale) for zero in zeros):
        return None  # the run raises the error
    if codes.ndim != 2 or codes.dtype not in _TYPES or scale.dtype is not suanzi.float32:
        return None
    axis = 1 if is_product else int(node.attributes.get("axis", 1))
    spread = (_spread(x, codes.shape, axis, is_product) for x in (scale, *zeros))
    factors = [x for x in spread if x is not None]
    if len(factors) != len(values) - 1 or any(x.dtype is not codes.dtype for x in zeros):
        return None
    return Codes(codes, *factors)


def _spread(x: Tensor, shape: tuple[int, ...], axis: int, broadcasts: bool) -> Tensor | None:
    """Return the scale or zero point `x` of codes as a matrix that broadcasts to `shape`. Return None if `x` has
    neither one number, nor a number for each row or column.
    """
    if x.size == 1 and x.ndim <= 2:
        return x.reshape((1, 1))
    if x.ndim == 1 and axis in (1, -1, 0, -2):
        x = x.reshape((1, -1) if axis % 2 else (-1, 1))
    elif not broadcasts:
        return None
    return x if x.shape in ((1, shape[1]), (shape[0], 1)) else None
