"""A model from a path, bytes or a ModelProto, and its graph in an order in which it can run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TypeAlias

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, defs, inliner

from suanzi import InvalidArgumentError, TypeMismatchError
from suanzi.interop.onnx.signatures import DOMAINS
from suanzi.interop.onnx.table import TABLE
from suanzi.interop.onnx.types import UnsupportedError

Source: TypeAlias = str | os.PathLike[str] | bytes | ModelProto

# Not rows of the table: the plan makes them constants.
CONSTANTS = frozenset({"Constant"})


def read(source: Source) -> tuple[ModelProto, Path | None]:
    """The model, and the folder in which its external data may lie."""
    if isinstance(source, ModelProto):
        return source, None
    folder = None
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidArgumentError(f"onnx: {path} cannot be read: {error.strerror}") from error
        folder = path.parent
    elif isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
    else:
        raise TypeMismatchError(f"onnx: a {type(source).__name__} is not a path, bytes or a ModelProto")
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise InvalidArgumentError(f"onnx: {len(data)} bytes are not a model, or not all of it: {error}") from error
    return model, folder


def opset_of(model: ModelProto) -> int:
    """The opset of the default domain, checked to be one that exists."""
    imported: dict[str, int] = {entry.domain: entry.version for entry in model.opset_import}
    versions = [imported[domain] for domain in DOMAINS if domain in imported]
    if not versions and imported:
        raise UnsupportedError(f"onnx: domain {next(iter(imported))!r} is not supported")
    if len(versions) != 1 or len(imported) < len(model.opset_import):
        raise InvalidArgumentError(f"onnx: the model imports {len(versions)} opsets of the default domain, not one")
    if not 1 <= versions[0] <= defs.onnx_opset_version():
        raise UnsupportedError(f"onnx: opset {versions[0]} is outside [1, {defs.onnx_opset_version()}]")
    return versions[0]


def with_rows_only(model: ModelProto, opset: int) -> ModelProto:
    """The model with what the table does not have replaced by its definition, where ONNX or the model defines it."""
    if all(map(_is_known, model.graph.node)):
        return model
    complete = ModelProto()
    complete.CopyFrom(model)
    for node in complete.graph.node:
        if not _is_known(node):
            _add_defaults(node, opset)
    rows = [("", name) for name in (*TABLE, *CONSTANTS)]
    try:
        inlined = inliner.inline_selected_functions(complete, rows, exclude=True, inline_schema_functions=True)
    except Exception as error:  # the inliner's errors have no class of their own
        names = ", ".join(sorted({node.op_type for node in complete.graph.node if not _is_known(node)}))
        raise UnsupportedError(f"onnx: operator {names} is not supported, and its definition does not fit") from error
    for node in inlined.graph.node:
        if not _is_known(node):
            name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
            raise UnsupportedError(f"onnx: operator {name} is not supported")
    return inlined


def _add_defaults(node: NodeProto, opset: int) -> None:
    """Write the defaults of absent attributes into a node: the inliner leaves them out."""
    if node.domain in DOMAINS and defs.has(node.op_type, opset):
        given = {attribute.name for attribute in node.attribute}
        schema = defs.get_schema(node.op_type, opset)
        defaults = (attribute.default_value for attribute in schema.attributes.values())
        node.attribute.extend(default for default in defaults if default.name and default.name not in given)


def _is_known(node: NodeProto) -> bool:
    return node.domain in DOMAINS and (node.op_type in TABLE or node.op_type in CONSTANTS)


def ordered_nodes(graph: GraphProto) -> Sequence[NodeProto]:
    """The nodes, each after those whose results it takes; INVALID_ARGUMENT where names do not allow that."""
    given = [value.name for value in graph.input]
    stored = [tensor.name for tensor in graph.initializer]
    producers: dict[str, int] = {}
    for i, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in producers:
                raise InvalidArgumentError(f"onnx: value {name!r} has two sources")
            producers[name] = i
    for names in (given, stored):
        if len(set(names)) < len(names) or not producers.keys().isdisjoint(names):
            twice = next(name for name in names if names.count(name) > 1 or name in producers)
            raise InvalidArgumentError(f"onnx: value {twice!r} has two sources")
    known = {*given, *stored, *producers}
    for node in graph.node:
        for name in filter(None, node.input):
            if name not in known:
                raise InvalidArgumentError(
                    f"onnx: node {node.name!r} ({node.op_type}) takes {name!r}, which is nowhere"
                )
    for value in graph.output:
        if value.name not in known:
            raise InvalidArgumentError(f"onnx: output {value.name!r} is nowhere")
    before = [{producers[name] for name in node.input if name in producers} for node in graph.node]
    if all(max(sources, default=-1) < i for i, sources in enumerate(before)):
        return tuple(graph.node)  # as ONNX asks
    try:
        return [graph.node[i] for i in TopologicalSorter(dict(enumerate(before))).static_order()]
    except CycleError as error:
        ring = ", ".join(repr(graph.node[i].name or graph.node[i].op_type) for i in error.args[1])
        raise InvalidArgumentError(f"onnx: the nodes {ring} take each other's results") from error
