"""Reading of a model from a path, bytes or a ModelProto into one canonical form, and ordering of the model's nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from graphlib import CycleError, TopologicalSorter
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, defs

from suanzi import InvalidArgumentError, TypeMismatchError, tuning
from suanzi.interop.files import opened, reason
from suanzi.interop.onnx import microsoft
from suanzi.interop.onnx.domains import DOMAINS, LONG, imports_of, is_constant
from suanzi.interop.onnx.types import is_plain
from suanzi.interop.onnx.wire import Apart, apart, tensor_at
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import shown

Source: TypeAlias = str | os.PathLike[str] | bytes | ModelProto

_WITHOUT_IMPORTS = (1, 2)  # IR versions whose models have no imports
_MOST_BYTES = 2**31  # messages of protobuf are shorter


class StoredModel(NamedTuple):
    """The protobuf message of a model, and the data of the model that the message does not hold."""

    model: ModelProto
    folder: Path | None  # the folder that may hold external data
    apart: Mapping[str, Array]  # the bytes of large initializers and constants of the graph, by names


def read(source: Source, *, in_parts: bool = False) -> StoredModel:
    """Read the model from a source. If `in_parts` is True, the message may lack the bytes of large tensors."""
    if isinstance(source, ModelProto):
        return StoredModel(source, None, {})
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        with opened(path, f"onnx: {path}") as file:
            size = os.fstat(file.fileno()).st_size
            if size >= _MOST_BYTES:
                raise InvalidArgumentError(f"onnx: {path} has 2 GiB or more, but a model must be smaller")
            return _parsed(file, size, f" of {path}", path.parent, in_parts)
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        return _parsed(BytesIO(data), len(data), "", None, in_parts)
    raise TypeMismatchError(f"onnx: a {type(source).__name__} is not a path, bytes or a ModelProto")


def _parsed(file: BinaryIO, size: int, origin: str, folder: Path | None, in_parts: bool) -> StoredModel:
    found = apart(file, size, f"onnx: the model{origin}") if in_parts and size >= tuning.LARGE_FILE else None
    if found is None:
        file.seek(0)
        found = Apart(file.read(), {})
    model = ModelProto()
    try:
        model.ParseFromString(found.message)
    except DecodeError as error:
        what = f"onnx: {size} bytes{origin} are not a complete model"
        raise InvalidArgumentError(f"{what}: {reason(error)}") from error
    named = {}
    for place, elements in found.tensors.items():
        tensor, (field, i) = tensor_at(model, place), place[1]
        name = tensor.name if field == "initializer" else _name_of_constant(model.graph.node[i])
        if name and is_plain(tensor) and elements.are_of(tensor):
            named[name] = elements.data
        else:
            elements.put_into(tensor)
    return StoredModel(model, folder, named)


def _name_of_constant(node: NodeProto) -> str:
    return node.output[0] if is_plain_constant(node) else ""


def is_plain_constant(node: NodeProto) -> bool:
    """Return whether a node stores one tensor and has no fault that the checker of nodes would find.

    Some exporters store each weight in a node. Without the checker and the schema, loading of the node takes half the
    time.
    """
    if not is_constant(node) or node.input or len(node.output) != 1 or len(node.attribute) != 1:
        return False
    (attribute,) = node.attribute
    is_tensor = attribute.type == AttributeProto.TENSOR and attribute.name == "value" and attribute.HasField("t")
    return is_tensor and bool(node.output[0]) and not attribute.ref_attr_name


Operators: TypeAlias = Set[tuple[str, str]]
"""The operators of a model's nodes, each with the domain and the name."""


def canonical(model: ModelProto) -> tuple[ModelProto, Operators]:
    """Return the model in the canonical form, which all other modules expect, and the operators of the model's nodes.
    The given model is never changed.

    The default domain is written "", even if the model uses the name "ai.onnx". Models of IR version 1 or 2 have no
    imports and use opset 1. Functions of another opset are assigned to the model's opset if the functions' operators
    have the same versions in both opsets. Operators of the default domain that onnxruntime defines, but the model's
    opset of ONNX does not, are moved to com.microsoft.
    """
    operators = _operators_of(model)
    is_old = model.ir_version in _WITHOUT_IMPORTS and not model.opset_import
    is_renamed = any(entry.domain == LONG for part in (model, *model.functions) for entry in part.opset_import) or any(
        domain == LONG for domain, _ in operators
    )
    versions = {("" if domain == LONG else domain): version for domain, version in imports_of(model).items()}
    opset = versions.get("", 0)
    others = [i for i, function in enumerate(model.functions) if _is_of_another(function, opset)]
    own = {function.name for function in model.functions if function.domain in DOMAINS}
    contributed = {name for name in microsoft.ALSO_DEFAULT if name not in own and _version(name, opset) is None}
    has_contributed = any((domain, name) in operators for domain in DOMAINS for name in contributed)
    if not (is_old or is_renamed or others or has_contributed):
        return model, operators
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
        for node in all_nodes(body):
            node.domain = microsoft.DOMAIN if _is_of(node, contributed) else "" if node.domain == LONG else node.domain
    for part in (changed, *changed.functions) if has_contributed else ():
        if microsoft.DOMAIN not in {entry.domain for entry in part.opset_import}:
            part.opset_import.add(domain=microsoft.DOMAIN, version=1)
    return changed, _operators_of(changed)


def _operators_of(model: ModelProto) -> Operators:
    found: set[tuple[str, str]] = set()
    for body in (model.graph, *model.functions):
        for depth, part in levels(body):
            if depth > tuning.MOST_NESTED:
                raise InvalidArgumentError(f"onnx: graphs are nested more than {tuning.MOST_NESTED} levels deep")
            found.update([(node.domain, node.op_type) for node in part.node])
    return found


def _is_of(node: NodeProto, names: Collection[str]) -> bool:
    """Return whether a node is one of the given operators of the default domain."""
    return node.op_type in names and node.domain in DOMAINS


def _is_of_another(function: FunctionProto, opset: int) -> bool:
    """Return whether a function imports another opset, in which its operators have the same versions as in `opset`."""
    names = {node.op_type for node in all_nodes(function) if node.domain in DOMAINS}
    return any(
        entry.domain in DOMAINS
        and entry.version != opset
        and all(_version(name, entry.version) == _version(name, opset) is not None for name in names)
        for entry in function.opset_import
    )


def _version(name: str, opset: int) -> int | None:
    """Return the first opset that has the same version of an operator as `opset`, or None if `opset` lacks the
    operator.
    """
    opset = min(opset, defs.onnx_opset_version())  # `opsets_of` refuses newer opsets later
    return defs.get_schema(name, opset).since_version if opset > 0 and defs.has(name, opset) else None


_OF_GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def graphs_of(node: NodeProto) -> Iterator[GraphProto]:
    """Yield the graphs in a node's attributes."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == AttributeProto.GRAPHS:
            yield from attribute.graphs


def levels(body: GraphProto | FunctionProto) -> Iterator[tuple[int, GraphProto | FunctionProto]]:
    """Yield a graph or a function and all graphs within nodes, each with the depth of nesting."""
    left: list[tuple[int, GraphProto | FunctionProto]] = [(0, body)]
    while left:
        depth, part = left.pop()
        yield depth, part
        if depth <= tuning.MOST_NESTED:
            for node in part.node:
                for attribute in node.attribute:
                    if attribute.type in _OF_GRAPHS:
                        left.extend((depth + 1, graph) for graph in graphs_of(node))
                        break


def all_nodes(body: GraphProto | FunctionProto) -> Iterator[NodeProto]:
    """Yield the nodes of a graph or a function, and the nodes of all graphs within these nodes."""
    return (node for _, part in levels(body) for node in part.node)


class Reads:
    """The names of the values that nodes read.

    The object searches each graph within a node only once for the outer values that the graph reads, and keeps the
    names.
    """

    def __init__(self) -> None:
        # The outer values that a graph reads, by the identity of the graph. The graph is kept, so that no other graph
        # gets this identity.
        self._outer: dict[int, tuple[GraphProto, set[str]]] = {}

    def of(self, node: NodeProto) -> set[str]:
        """Return the names of the values that a node reads: the operands, and the outer values that the node's graphs
        read.
        """
        names = set(node.input)
        for attribute in node.attribute:
            if attribute.type in _OF_GRAPHS:
                return names.union(*map(self._outer_names, graphs_of(node)))
        return names

    def _outer_names(self, graph: GraphProto) -> set[str]:
        if id(graph) not in self._outer:
            found = {value.name for value in graph.output}
            for node in graph.node:
                found |= self.of(node)
            found.difference_update(*(node.output for node in graph.node), ("",))
            given = [x.name for x in (*graph.input, *graph.initializer)]
            self._outer[id(graph)] = graph, found.difference(given, _sparse_names(graph))
        return self._outer[id(graph)][1]


def _sparse_names(graph: GraphProto) -> list[str]:
    return [sparse.values.name for sparse in graph.sparse_initializer]


def ordered_nodes(
    graph: GraphProto, reads: Reads, is_outside: Callable[[str], bool] | None = None
) -> Sequence[NodeProto]:
    """Return the nodes of a graph in an order in which each node follows the nodes that compute the node's operands.

    The function raises INVALID_ARGUMENT if the names of the nodes' inputs and outputs do not allow this order.
    """
    given = [value.name for value in graph.input]
    stored = [*(tensor.name for tensor in graph.initializer), *_sparse_names(graph)]
    if _is_in_order(graph, given, stored, reads, is_outside):
        return tuple(graph.node)
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
    taken = [reads.of(node) for node in graph.node]
    for node, wanted in zip(graph.node, taken, strict=True):
        for name in filter(None, wanted):
            if name not in known and not (is_outside and is_outside(name)):
                raise InvalidArgumentError(
                    f"onnx: node {shown(node.name)} ({node.op_type[:50]}) reads {shown(name)}, which has no source"
                )
    for value in graph.output:
        if value.name not in known and not (is_outside and is_outside(value.name)):
            raise InvalidArgumentError(f"onnx: output {shown(value.name)} has no source")
    before = [{producers[name] for name in names if name in producers} for names in taken]
    try:
        return [graph.node[i] for i in TopologicalSorter(dict(enumerate(before))).static_order()]
    except CycleError as error:
        ring = ", ".join(shown(graph.node[i].name or graph.node[i].op_type) for i in error.args[1][:5])
        raise InvalidArgumentError(f"onnx: the nodes {ring} form a cycle") from error


def _is_in_order(
    graph: GraphProto,
    given: Sequence[str],
    stored: Sequence[str],
    reads: Reads,
    is_outside: Callable[[str], bool] | None,
) -> bool:
    """Return whether each value has exactly one source, and the source precedes all nodes that read the value.

    ONNX demands this order, so nearly all graphs have the order. The function takes half the time of the search for an
    order.
    """
    if len(set(given)) < len(given) or len(set(stored)) < len(stored):
        return False
    known = {"", *given, *stored}  # an absent operand has the name ""
    outside: set[str] = set()
    for node in graph.node:
        if not known.issuperset(wanted := reads.of(node)):
            outside |= wanted - known
        results = [name for name in node.output if name]
        if not known.isdisjoint(results) or len(set(results)) < len(results):
            return False
        known.update(results)
    known.remove("")
    outside.update([value.name for value in graph.output if value.name not in known])
    return known.isdisjoint(outside) and all(is_outside is not None and is_outside(name) for name in outside)
