"""The numbers that follow from the shapes of the inputs alone; they are computed again only for new shapes.

Most nodes that exporters write into a model compute the shapes that others reshape to. They are as many as those that
compute, and give the same in each run on inputs of the same shapes.
"""

from __future__ import annotations

from typing import NamedTuple

from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import needed
from suanzi.interop.onnx.nodes import Constant, Item, Operation
from suanzi.interop.onnx.types import Kind

# Families of operators whose results have shapes that follow from values, or have none.
_BY_VALUES = frozenset({"control", "reading", "sequence", "values"})


class Brief(NamedTuple):
    """The calls that remain if the numbers that some nodes read are known."""

    nodes: list[Node]
    numbers: list[Operation]
    tensors: set[Node]  # nodes whose shapes follow from those of the inputs


def brief(graph: Graph) -> Brief:
    """The nodes of a run where another was on inputs of the same shapes, and those whose numbers that one knew."""
    nodes = needed(graph.results, ())
    known: set[Node] = {x for x in nodes if isinstance(x, Constant)}  # the value follows from the shapes of the inputs
    shaped = {
        x for x in nodes if not isinstance(x, (Operation, Item)) and not isinstance(x.dtype, Kind)
    }  # the shape does
    for node in nodes:
        if not isinstance(node, (Operation, Item)) or node.family == "random":
            continue
        if (shaped if node.family == "query" else known).issuperset(node.operands):
            known.add(node)
            shaped.add(node)
        elif node.family not in _BY_VALUES and shaped.issuperset(node.operands):
            shaped.add(node)
    # A node that depends on values stays, even if only its shape is needed: it may fail for some values.
    unknown = [x for x in nodes if x not in known]
    read = {x for node in unknown for x in node.operands}
    numbers = [x for x in nodes if isinstance(x, Operation) and x.family == "reading"]
    told = [x for x in numbers if x in known and x in read]
    return Brief(needed([*graph.results, *unknown], {*told}), told, shaped.difference(numbers))
