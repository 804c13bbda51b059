"""Lookups in a table that is computed from stored tables. A run looks rows up in the stored tables, and computes only
these rows.

Small models store the vectors of their vocabulary as bytes, with a factor for each row. Computing the whole table at
load would take four times the memory and most of the loading time, although a run looks up only few rows.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import suanzi
from suanzi import tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import readers, rewritten
from suanzi.interop.onnx.nodes import Constant, Operation
from suanzi.interop.onnx.rows import Row
from suanzi.operators.shapes import common

_ELEMENTWISE = frozenset({"Add", "Cast", "DequantizeLinear", "Mul", "Sub"})  # operators that fail for no value

_SQUEEZED = Row(partial(suanzi.squeeze, axis=0), family="view")


def rows_first(graph: Graph) -> Graph:
    """Move each Gather along the first axis before the elementwise operations that compute the Gather's table.

    Each element is computed by the same operations as before, so the bits of the results do not change.
    """
    uses = readers(graph)

    def rule(node: Node, made: Graph) -> Node:
        if node.name in _ELEMENTWISE:
            node.shape = _shape(node)
        if not isinstance(node, Operation) or node.name != "Gather" or node.attributes != {"axis": 0}:
            return node
        table = node.operands[0]
        return _looked_up(node, table, tuning.DEEPEST_LOOKUP, uses, made) if _is_large(table) else node

    return rewritten(graph, rule)


def _looked_up(lookup: Operation, table: Node, levels: int, uses: Counter[Node], made: Graph) -> Node:
    """Return a node that looks rows up in the operands of the operation that computes `table`, and computes only these
    rows.
    """
    indices = lookup.operands[1]
    if not isinstance(table, Operation) or uses[table] > 1 or not levels:
        return made.add(lookup.on((table, indices), dtypes=(table.dtype,)))
    operands = []
    for x in table.operands:
        if len(x.shape) < len(table.shape):
            operands.append(x)
        elif x.shape[0] == table.shape[0]:
            operands.append(_looked_up(lookup, x, levels - 1, uses, made))
        else:  # all rows share one value
            operands.append(made.add(Operation("", _SQUEEZED, (x,), (x.dtype,), label=lookup.label)))
    return made.add(table.on(operands))


def _shape(node: Node) -> Any:
    """Return the shape of a node's result if all operands are computed from constants element by element, or None."""
    shapes = [x.shape for x in node.operands]
    if None in shapes or (node.name == "DequantizeLinear" and any(shape not in ((), (1,)) for shape in shapes[1:])):
        return None
    return common(shapes)  # None if the shapes do not broadcast, so that the run raises the error


def _is_large(table: Node) -> bool:
    if isinstance(table, Constant) or table.shape is None or table.dtype is None:
        return False
    return table.dtype.kind_name == "real floating" and len(table.shape) > 1 and table.bytes > tuning.LARGE_TABLE
