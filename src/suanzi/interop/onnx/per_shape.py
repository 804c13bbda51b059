"""Values that depend only on the shapes of the inputs. The values are computed again only for new shapes.

Many nodes that exporters write into a model compute shapes for Reshape and similar operators. About half of a model's
nodes compute such values, and return the same values in each run on inputs of the same shapes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from suanzi import tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import needed, used
from suanzi.interop.onnx.folding import handed_out
from suanzi.interop.onnx.nodes import Constant, Item, Operation
from suanzi.interop.onnx.types import Kind

# Families of operators whose results have data-dependent shapes, or no shapes.
_BY_VALUES = frozenset({"control", "reading", "sequence", "values"})


# Families of operators that return small results for small tensors.
_SMALL = frozenset({"query", "elementwise", "conversion", "view", "gather", "reading"})


class Brief(NamedTuple):
    """The nodes of a run that starts with values kept from another run on inputs of the same shapes."""

    nodes: list[Node]
    numbers: list[Operation]  # operations whose values, which follow from the shapes of the inputs, are kept
    tensors: set[Node]  # nodes whose shapes follow from the shapes of the inputs


def brief(graph: Graph) -> Brief:
    """Return the nodes that a run computes after another run on inputs of the same shapes, and the nodes whose values
    the first run keeps.
    """
    nodes = used(graph)
    known: set[Node] = {x for x in nodes if isinstance(x, Constant)}  # values that follow from the inputs' shapes
    shaped = {
        x for x in nodes if not isinstance(x, (Operation, Item)) and not isinstance(x.dtype, Kind)
    }  # nodes whose shapes follow from the inputs' shapes
    for node in nodes:
        if not isinstance(node, (Operation, Item)) or node.family == "random":
            continue
        if (shaped if node.family == "query" else known).issuperset(node.operands):
            known.add(node)
            shaped.add(node)
        elif node.family not in _BY_VALUES and shaped.issuperset(node.operands):
            shaped.add(node)
    # A node that depends on values stays even if other nodes need only the node's shape, because the node may fail for
    # some values.
    unknown = [x for x in nodes if x not in known]
    read = {x for node in unknown for x in node.operands}
    numbers = [x for x in nodes if isinstance(x, Operation) and x.family == "reading"]
    small, kept = _small(nodes, known), handed_out(graph, by_graphs=False)  # a user may write into a result
    told = [x for x in nodes if isinstance(x, Operation) and x in known and x in read]
    told = [x for x in told if x.family == "reading" or (x in small and x not in kept and not x.gives_several)]
    return Brief(needed([*graph.results, *unknown], {*told}), told, shaped.difference(numbers))


def _small(nodes: Iterable[Node], known: set[Node]) -> set[Node]:
    """Return the known nodes whose values are small, such as shapes and numbers computed from shapes."""
    found: set[Node] = set()
    for node in nodes:
        if isinstance(node, Constant):
            small = node.size <= tuning.MERGED_CONSTANT
        else:
            family = node.family if node in known and isinstance(node, (Operation, Item)) else ""
            small = family in _SMALL and (family == "query" or found.issuperset(node.operands))
        if small:
            found.add(node)
    return found
