"""A model from a path, bytes or a ModelProto, and its graph in an order in which it can run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TypeAlias

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, defs

from suanzi import InvalidArgumentError, TypeMismatchError
from suanzi.interop.files import opened, reason
from suanzi.interop.onnx.signatures import DOMAINS
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.messages import shown

Source: TypeAlias = str | os.PathLike[str] | bytes | ModelProto

_MOST_BYTES = 2**31  # a message of protobuf is shorter


def read(source: Source) -> tuple[ModelProto, Path | None]:
    """The model, and the folder in which its external data may lie."""
    if isinstance(source, ModelProto):
        return source, None
    folder, origin = None, ""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        with opened(path, f"onnx: {path}") as file:
            if os.fstat(file.fileno()).st_size >= _MOST_BYTES:
                raise InvalidArgumentError(f"onnx: {path} has 2 GiB or more, which no model has")
            data = file.read()
        folder, origin = path.parent, f" of {path}"
    elif isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
    else:
        raise TypeMismatchError(f"onnx: a {type(source).__name__} is not a path, bytes or a ModelProto")
    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        what = f"onnx: {len(data)} bytes{origin} are not a model, or not all of it"
        raise InvalidArgumentError(f"{what}: {reason(error)}") from error
    return model, folder


def opset_of(model: ModelProto) -> int:
    """The opset of the default domain, checked to be one that exists."""
    imported: dict[str, int] = {entry.domain: entry.version for entry in model.opset_import}
    versions = [imported[domain] for domain in DOMAINS if domain in imported]
    if not versions and imported:
        raise UnsupportedError(f"onnx: domain {shown(next(iter(imported)))} is not supported")
    if len(versions) != 1 or len(imported) < len(model.opset_import):
        raise InvalidArgumentError(f"onnx: the model imports {len(versions)} opsets of the default domain, not one")
    if not 1 <= versions[0] <= defs.onnx_opset_version():
        raise UnsupportedError(f"onnx: opset {versions[0]} is outside [1, {defs.onnx_opset_version()}]")
    return versions[0]


def ordered_nodes(graph: GraphProto) -> Sequence[NodeProto]:
    """The nodes, each after those whose results it takes; INVALID_ARGUMENT where names do not allow that."""
    given = [value.name for value in graph.input]
    stored = [tensor.name for tensor in graph.initializer]
    producers: dict[str, int] = {}
    for i, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in producers:
                raise InvalidArgumentError(f"onnx: value {shown(name)} has two sources")
            producers[name] = i
    for names in (given, stored):
        if len(set(names)) < len(names) or not producers.keys().isdisjoint(names):
            twice = next(name for name in names if names.count(name) > 1 or name in producers)
            raise InvalidArgumentError(f"onnx: value {shown(twice)} has two sources")
    known = {*given, *stored, *producers}
    for node in graph.node:
        for name in filter(None, node.input):
            if name not in known:
                raise InvalidArgumentError(
                    f"onnx: node {shown(node.name)} ({node.op_type[:50]}) takes {shown(name)}, which is nowhere"
                )
    for value in graph.output:
        if value.name not in known:
            raise InvalidArgumentError(f"onnx: output {shown(value.name)} is nowhere")
    before = [{producers[name] for name in node.input if name in producers} for node in graph.node]
    if all(max(sources, default=-1) < i for i, sources in enumerate(before)):
        return tuple(graph.node)  # as ONNX asks
    try:
        return [graph.node[i] for i in TopologicalSorter(dict(enumerate(before))).static_order()]
    except CycleError as error:
        ring = ", ".join(shown(graph.node[i].name or graph.node[i].op_type) for i in error.args[1][:5])
        raise InvalidArgumentError(f"onnx: the nodes {ring} take each other's results") from error
