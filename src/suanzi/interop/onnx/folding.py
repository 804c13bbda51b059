"""The work on a graph when a model is loaded. Equal operations become one operation, and operations on constants are
computed once.

A model may be hostile, so loading must stay cheap. An operation is computed at load only if the size of its result is
known beforehand and the work is in proportion to that size (growth.py). The size of all results together is bounded.
The run computes the other operations, and raises the errors of operations that fail.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import suanzi
from suanzi import Tensor, tuning
from suanzi.graph.node import Graph, Node
from suanzi.graph.passes import readers, rewritten
from suanzi.interop.onnx.growth import BY_FAMILY
from suanzi.interop.onnx.nodes import Constant, Item, Operation
from suanzi.interop.onnx.types import Kind

_WIDEST = 16  # bytes of an element of unknown type


def equal(graph: Graph) -> Graph:
    """Merge equal nodes, because exporters store numbers such as 0 and 1 once for every use. Remove Identity and casts
    to the same type.
    """
    first: dict[Hashable, Node] = {}
    results, apart = {*graph.results}, handed_out(graph)  # a user may write into one result and read another

    def rule(node: Node, _: Graph) -> Node:
        if node.name == "Identity" or (node.name == "Cast" and _keeps_type(node)):
            return node.operands[0]
        key: Hashable = node
        if isinstance(node, Item):
            key = node.index, node.operands
        elif isinstance(node, Constant) and node not in results:
            key = _value_of(node)
        elif isinstance(node, Operation) and node not in apart and node.family != "random":
            key = node.kind, node.operands, len(node.dtypes)
        return first.setdefault(key, node)

    return rewritten(graph, rule)


def _keeps_type(node: Node) -> bool:
    return isinstance(node.dtype, suanzi.DType) and node.operands[0].dtype is node.dtype


def handed_out(graph: Graph, *, by_graphs: bool = True) -> set[Node]:
    """Return the results of a graph, and all values of which results may be views. If `by_graphs` is False, the
    function does not follow the operands of nodes that contain graphs.
    """
    found = {*graph.results}
    for node in reversed(graph.nodes):
        if node not in found or (isinstance(node, Operation) and node.row.has_graphs and not by_graphs):
            continue
        if isinstance(node, Item) or (isinstance(node, Operation) and node.may_view):
            found.update(node.operands)
    return found


def _value_of(node: Constant) -> Hashable:
    """Return a key that equal small constants share. The key of any other constant is the constant itself."""
    value = node.value
    if node.size > tuning.MERGED_CONSTANT or node.dtype is suanzi.string or isinstance(node.dtype, Kind):
        return node
    return (value.dtype, value.shape, value.numpy().tobytes()) if isinstance(value, Tensor) else repr(value)


def computed(graph: Graph) -> Graph:
    """Replace operations on constants by their results, except operations that fail, have no estimate of their work, or
    exceed the bounds.
    """
    return rewritten(graph, _Computed(graph).rule)


class _Computed:
    """The rule that computes operations on constants at load, within bounds for memory and work. The rule also frees
    values that no node reads any more.
    """

    def __init__(self, graph: Graph) -> None:
        self.readers = readers(graph)
        stored = self.live = sum(x.size for x in self.readers if isinstance(x, Constant))
        self.most_live, self.work_left = (
            float(stored * times + more) for times, more in (tuning.MOST_GROWTH, tuning.MOST_WORK)
        )

    def rule(self, node: Node, made: Graph) -> Node:
        value = self._part(node) if isinstance(node, Item) else self._value(node)
        if value is None:
            return node
        constant = made.add(Constant(value, node.dtype))
        self.readers[constant] = self.readers[node]
        self.live += constant.size
        for x in node.operands:
            self.readers[x] -= 1
            if not self.readers[x]:
                assert isinstance(x, Constant)
                self.live -= x.size
                x.value = None
        return constant

    def _part(self, node: Item) -> Any:
        (whole,) = node.operands
        return whole.value[node.index] if isinstance(whole, Constant) else None

    def _value(self, node: Node) -> Any:
        """Return the value of an operation on constants (a tuple for several values), or None if the run must compute
        the operation.
        """
        growth = (node.row.growth or BY_FAMILY.get(node.family)) if isinstance(node, Operation) else None
        if growth is None or not isinstance(node, Operation):
            return None
        operands = [x.value for x in node.operands if isinstance(x, Constant)]
        if len(operands) < len(node.operands):
            return None
        if suanzi.string in (
            *(x.dtype for x in node.operands),
            *node.dtypes,
        ):  # strings are of unknown size
            return None
        width = max(_WIDEST if dtype is None else dtype.itemsize for dtype in node.dtypes)
        try:
            size = growth(*operands) * width
            if not size <= min(self.most_live - self.live, self.work_left):
                return None
            found = node.function(*operands)
            value = tuple(map(read_only, found)) if node.gives_several else read_only(found)
        except Exception:  # the run raises the error
            return None
        if node.gives_several and len(value) < len(node.dtypes):
            return None
        self.work_left -= size
        return value


def read_only(value: Any) -> Any:
    """Return a read-only constant, because a run may return the constant to the user, and later runs need the same
    value.

    A tensor of strings stays writable, because no NumPy array can share the memory of strings.
    """
    if isinstance(value, Tensor) and value.dtype is not suanzi.string:
        array = value.numpy()
        if array.flags.writeable:
            array.flags.writeable = False
            return suanzi.from_reference(array)
    return value
