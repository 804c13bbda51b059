"""A model from a path, bytes or a ModelProto, in one form, and its graph in an order in which it can run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TypeAlias

from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, defs

from suanzi import InvalidArgumentError, TypeMismatchError
from suanzi.interop.files import opened, reason
from suanzi.interop.onnx.domains import DOMAINS, LONG, imports_of
from suanzi.tensor.messages import shown

Source: TypeAlias = str | os.PathLike[str] | bytes | ModelProto

_WITHOUT_IMPORTS = (1, 2)  # IR versions
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


def canonical(model: ModelProto) -> ModelProto:
    """The model in the form that all else reads, itself where it has that form; never changed.

    The default domain is written "", also where the model calls it "ai.onnx". Models of IR version 1 or 2 have no
    imports: they are of opset 1. Functions of another opset, in which their operators have the same versions, are of
    the model's.
    """
    bodies = (model.graph, *model.functions)
    is_old = model.ir_version in _WITHOUT_IMPORTS and not model.opset_import
    is_renamed = any(entry.domain == LONG for part in (model, *model.functions) for entry in part.opset_import) or any(
        node.domain == LONG for body in bodies for node in body.node
    )
    versions = {("" if domain == LONG else domain): version for domain, version in imports_of(model).items()}
    opset = versions.get("", 0)
    others = [i for i, function in enumerate(model.functions) if _is_of_another(function, opset)]
    if not (is_old or is_renamed or others):
        return model
    changed = ModelProto()
    changed.CopyFrom(model)
    if is_old:
        changed.opset_import.add(domain="", version=1)
    for i in others:
        for entry in changed.functions[i].opset_import:
            if entry.domain in DOMAINS:
                entry.version = opset
    for part in (changed, *changed.functions):
        for entry in part.opset_import:
            entry.domain = "" if entry.domain == LONG else entry.domain
    for body in (changed.graph, *changed.functions):
        for node in body.node:
            node.domain = "" if node.domain == LONG else node.domain
    return changed


def _is_of_another(function: FunctionProto, opset: int) -> bool:
    """Return whether a function has another opset than this one, with the same versions of its operators."""
    names = {node.op_type for node in function.node if node.domain in DOMAINS}
    return any(
        entry.domain in DOMAINS
        and entry.version != opset
        and all(_version(name, entry.version) == _version(name, opset) is not None for name in names)
        for entry in function.opset_import
    )


def _version(name: str, opset: int) -> int | None:
    """The opset from which on an operator of the default domain is as it is in this one; None where it is not."""
    return defs.get_schema(name, opset).since_version if defs.has(name, opset) else None


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
                    f"onnx: node {shown(node.name)} ({node.op_type[:50]}) takes {shown(name)}, which has no source"
                )
    for value in graph.output:
        if value.name not in known:
            raise InvalidArgumentError(f"onnx: output {shown(value.name)} has no source")
    before = [{producers[name] for name in node.input if name in producers} for node in graph.node]
    if all(max(sources, default=-1) < i for i, sources in enumerate(before)):
        return tuple(graph.node)  # as ONNX asks
    try:
        return [graph.node[i] for i in TopologicalSorter(dict(enumerate(before))).static_order()]
    except CycleError as error:
        ring = ", ".join(shown(graph.node[i].name or graph.node[i].op_type) for i in error.args[1][:5])
        raise InvalidArgumentError(f"onnx: the nodes {ring} take each other's results") from error
