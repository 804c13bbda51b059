"""The inputs of a model that are indices into stored tables, and the number of rows of these tables.

A random index past the end of a table is an error, and no other part of a model states which indices are valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

# Operators that only move, repeat, convert, bound, pad or leave out elements of the first operand.
_MOVING = frozenset(
    ("Cast", "Clip", "Expand", "Flatten", "Gather", "Identity", "Pad", "Reshape", "Slice", "Split", "Squeeze", "Tile")
) | {"Transpose", "Unsqueeze"}
# Operators whose results have the shape of their first operand.
_SAME_SHAPE = frozenset(("Cast", "DequantizeLinear", "Identity"))
# Operators that read tables by indices. Each pair has the position of the operand that contains the indices, and the
# position of the operand that is the table.
_INDEXED = {
    "Gather": ((1, 0),),
    "GatherElements": ((1, 0),),
    "EmbedLayerNormalization": ((0, 2), (1, 4)),
}


def rows_of_tables(model: ModelProto) -> dict[str, int]:
    """Return, for each input of indices, the number of rows of the smallest table that the input indexes."""
    found: dict[str, int] = {}
    _look(model.graph, {value.name: value.name for value in model.graph.input}, {}, found)
    return found


def _look(graph: GraphProto, origins: Mapping[str, str], outer: Mapping[str, Any], found: dict[str, int]) -> None:
    """Record, in `found`, the numbers of rows of the tables that a graph indexes. `origins` has the model's input from
    which each value derives, and `outer` has the known shapes of values.
    """
    shapes = {**outer, **{tensor.name: tuple(tensor.dims) for tensor in graph.initializer}}
    origin = {**origins}
    for node in graph.node:
        _note(node, origin, shapes, found)
        sources = [origin[x] for x in node.input[: None if node.op_type == "Concat" else 1] if x in origin]
        if sources and node.op_type in (*_MOVING, "Concat"):
            origin.update(dict.fromkeys(node.output, sources[-1]))
        if node.op_type == "Constant":
            shapes.update(dict.fromkeys(node.output, next(map(_shape_of, node.attribute), ())))
        elif node.op_type in _SAME_SHAPE and node.input[0] in shapes:
            shapes.update(dict.fromkeys(node.output, shapes[node.input[0]]))
        for attribute in node.attribute:
            for body in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                _look(body, origin, shapes, found)


def _shape_of(value: AttributeProto) -> tuple[int, ...]:
    """Return the shape of the value of a node `Constant`, whichever attribute holds the value."""
    if value.HasField("t"):
        return tuple(value.t.dims)
    return (max(len(value.floats), len(value.ints), len(value.strings)),) if value.name.endswith("s") else ()


def _note(node: NodeProto, origin: Mapping[str, str], shapes: Mapping[str, Any], found: dict[str, int]) -> None:
    axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
    for index, table in _INDEXED.get(node.op_type, ()):
        if max(index, table) < len(node.input) and node.input[index] in origin:
            name, shape = origin[node.input[index]], shapes.get(node.input[table], ())
            if -len(shape) <= axis < len(shape):
                found[name] = min(shape[axis], found.get(name, shape[axis]))
