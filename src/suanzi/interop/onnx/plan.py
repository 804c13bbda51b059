"""The plan of a model, which `load` makes once: a graph of nodes that passes simplify, and the calls of a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from onnx import GraphProto, NodeProto, ValueInfoProto

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, TypeMismatchError, tuning
from suanzi.graph.node import AnyNode, Graph, Node
from suanzi.graph.passes import used
from suanzi.interop.onnx.after_conv import with_endings, with_filters
from suanzi.interop.onnx.bodies import Asked, Body, Made, same_type
from suanzi.interop.onnx.codes import codes_kept
from suanzi.interop.onnx.declared import Sizes, check_types, is_binding, other_shapes, says_type, sizes_of
from suanzi.interop.onnx.domains import ML, is_constant, opsets_of
from suanzi.interop.onnx.expansion import with_rows_only
from suanzi.interop.onnx.folding import computed, equal, read_only
from suanzi.interop.onnx.fused import Parts, chained
from suanzi.interop.onnx.lookups import rows_first
from suanzi.interop.onnx.nodes import UNKNOWN, Constant, Item, Operation
from suanzi.interop.onnx.per_shape import brief
from suanzi.interop.onnx.precision import widened
from suanzi.interop.onnx.rows import Row
from suanzi.interop.onnx.schedule import Slots, Step, getter, with_last_uses
from suanzi.interop.onnx.signatures import Signature, check_node, checked_opsets, signature
from suanzi.interop.onnx.source import Reads, StoredModel, canonical, is_plain_constant, ordered_nodes
from suanzi.interop.onnx.table import BINARY, PREPARED, row_for
from suanzi.interop.onnx.transposes import transposed_later
from suanzi.interop.onnx.types import (
    AnyType,
    Kind,
    Stored,
    UnsupportedError,
    listed,
    stored_in,
    stored_tensor,
    type_of,
    type_of_value,
)
from suanzi.interop.onnx.weights import packed, prepared, with_vectors
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import shown


class Input(NamedTuple):
    """An input of a model."""

    name: str
    slot: int
    dtype: AnyType
    shape: tuple[int | None, ...] | None  # None for an open size, an open rank, or no tensor
    fixed: tuple[tuple[int, int], ...]  # pairs of an axis and its size, for the sizes that are declared
    is_optional: bool  # True if an initializer can replace the input


class Plan(NamedTuple):
    """The data that every run of a model needs."""

    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    declared: tuple[tuple[int, Sizes], ...]  # the indices of outputs with a declared shape, and the shapes
    faults: tuple[str, ...]  # the wrong declarations of values between nodes
    results: Callable[[list[Any]], Iterable[Any]]
    steps: tuple[Step, ...]
    brief: tuple[Step, ...]  # steps that remain if `numbers` are known from a run on inputs of the same shapes
    parts: Parts  # the calls of `brief`, where consecutive calls that may be fused form chains
    kept: frozenset[int]  # slots that no step frees
    numbers: tuple[int, ...]  # slots of values that depend only on the shapes of the inputs
    slots: list[Any]  # the constants at their places, None elsewhere
    has_graphs: bool  # True if a node has graphs
    gives_tensors: bool  # True if all results are known to be tensors


def make_plan(stored: StoredModel) -> Plan:
    """Check a model and return the model's plan."""
    if not stored.model.HasField("graph"):
        raise InvalidArgumentError("onnx: the model has no graph")
    model, operators = canonical(stored.model)
    opsets = opsets_of(model)
    reads = Reads()
    nodes = ordered_nodes(model.graph, reads)  # inlining requires valid nodes
    inlined = with_rows_only(model, opsets, operators)
    if inlined is not model:
        nodes = ordered_nodes(inlined.graph, reads)
    builder = _Builder(opsets_of(inlined), model.ir_version, stored.folder, reads, stored.apart)
    return builder.build(inlined.graph, nodes)


class _Alike(NamedTuple):
    """The data that nodes of one operator share if the nodes have equal attributes and operands of equal types."""

    function: Callable[..., Any]
    results: list[AnyType | None]  # the types of the results
    attributes: dict[str, Any]


# The passes over the graph of every model, in this order.
_PASSES = (
    rows_first, equal, codes_kept, computed, with_vectors, transposed_later, with_endings, with_filters, packed,
    prepared,
)  # fmt: skip

# The operators that a pass needs. The pass is skipped if a graph has none of the operators.
_NEEDED: Mapping[Any, frozenset[str]] = {
    rows_first: frozenset({"Gather"}),
    codes_kept: frozenset({"Cast", "DequantizeLinear"}),
    transposed_later: frozenset({"Transpose"}),
    with_vectors: frozenset({"MatMul"}),
    with_endings: frozenset({"Conv"}),
    with_filters: frozenset({"Conv"}),
    packed: frozenset({"Gemm", "MatMul"}),
    prepared: PREPARED,
}


class _Builder:
    """A builder of the nodes of a model, or of a graph within a node."""

    def __init__(
        self, opsets: dict[str, int], ir_version: int, folder: Path | None, reads: Reads,
        apart: Mapping[str, Array] = MappingProxyType({}), outer: _Builder | None = None,
    ) -> None:  # fmt: skip
        self.opsets, self.ir_version, self.folder, self.apart, self.outer = opsets, ir_version, folder, apart, outer
        self.reads = reads
        self.checked = checked_opsets(opsets)
        self.taken: list[tuple[Node, Node]] = []  # pairs of an outer value's node and the node in this graph
        self.graph = Graph()
        self.absent = self.graph.add(Constant(None))  # the node for absent optional operands
        self.names: dict[str, Node] = {"": self.absent}
        self.slots = Slots()
        # Models repeat nodes. Nodes with equal attributes and equal types of operands share their data.
        self.alike: dict[Hashable, _Alike] = {} if outer is None else outer.alike

    def build(self, graph: GraphProto, nodes: Sequence[NodeProto]) -> Plan:
        inputs = self._take(graph)
        names = tuple(value.name for value in graph.output)
        is_guessed = any(node.domain == ML for node in nodes)  # converters to ai.onnx.ml do not know the shapes
        sizes = [None if is_guessed else sizes_of(value.type) for value in graph.output]
        made = self._made(graph, nodes)
        faults = [] if is_guessed else other_shapes(graph, nodes, self.opsets, self.ir_version)
        declared = tuple((i, each) for i, each in enumerate(sizes) if each is not None and is_binding(each))
        few = brief(made)
        operations = {x: self.slots.call(x) for x in used(made) if isinstance(x, Operation)}
        numbers, results = (tuple(map(self.slots.of, part)) for part in (few.numbers, made.results))
        left = {x: operations[x] for x in few.nodes if isinstance(x, Operation)}
        kept = frozenset({*self.slots.constants, *results})
        return Plan(
            inputs, names, declared, tuple(faults), getter(results),
            with_last_uses(operations.values(), kept.union(numbers)), with_last_uses(left.values(), kept),
            chained(left, few.tensors, self.slots.constants, results), kept, numbers, self.slots.values,
            any(x.row.has_graphs for x in operations), all(isinstance(x.dtype, DType) for x in made.results),
        )  # fmt: skip

    def body(self, graph: GraphProto, types: Sequence[AnyType | None], label: str, outer: list[Node]) -> Body:
        """Return the `Body` of a graph within a node. The method appends values of the outer graph that the inner graph
        reads to `outer`.
        """
        inner = _Builder(self.opsets, self.ir_version, self.folder, self.reads, outer=self)
        nodes = ordered_nodes(graph, self.reads, self._knows)
        inputs = inner._take_given(graph, types, label)
        made = inner._made(graph, nodes)
        known = tuple(x.dtype for x in made.results)
        operations = [x for x in used(made) if isinstance(x, Operation)]
        calls, results = [*map(inner.slots.call, operations)], tuple(map(inner.slots.of, made.results))
        reads = frozenset(results).union(*(call.inputs for call in calls))
        taken = []
        for there, here in inner.taken:
            slot = inner.slots.of(here)
            if slot in reads:
                if there not in outer:
                    outer.append(there)
                taken.append((slot, outer.index(there)))
        steps = with_last_uses(calls, frozenset({*inner.slots.constants, *results}))
        shapes = tuple(sizes_of(value.type) for value in graph.output)
        draws = any(x.family == "random" for x in operations)
        return Body(
            inner.slots.values, inputs, tuple(taken), steps, getter(results), results, reads, known, shapes, draws
        )

    def _made(self, graph: GraphProto, nodes: Sequence[NodeProto]) -> Graph:
        """Add the nodes to the graph, run all passes over the graph, and return the resulting graph."""
        for node in nodes:
            self._add_node(node)
        results = tuple(self._find(value.name) for value in graph.output)
        check_types(graph, {name: node.dtype for name, node in self.names.items()})
        made, self.graph = self.graph, Graph()
        made.results = results
        self.names.clear()  # values that no pass keeps are freed
        operators = {node.name for node in made.nodes}
        for each in _PASSES:
            if each not in _NEEDED or not _NEEDED[each].isdisjoint(operators):
                made = each(made)
        return made

    def _knows(self, name: str) -> bool:
        return bool(name) and (name in self.names or (self.outer is not None and self.outer._knows(name)))

    def _find(self, name: str) -> Node:
        """Return the node of a value. For a value of an outer graph, the node is a copy of a constant, or an input of
        the inner graph.
        """
        if name in self.names:
            return self.names[name]
        if self.outer is None:
            raise InvalidArgumentError(f"onnx: value {shown(name)} has no source")
        there = self.outer._find(name)
        if isinstance(there, Constant):
            return self._name(name, Constant(there.value, there.dtype))
        here = self._name(name, Node("", there.dtype, UNKNOWN, None))
        self.taken.append((there, here))
        return here

    def _take_given(self, graph: GraphProto, types: Sequence[AnyType | None], label: str) -> tuple[int, ...]:
        """Make and return slots for the inputs of a graph within a node. The node passes values of given types."""
        if len(graph.input) != len(types):
            raise InvalidArgumentError(f"{label}: a graph has {len(graph.input)} inputs, not {len(types)}")
        slots = []
        for value, dtype in zip(graph.input, types, strict=True):
            what = f"input {shown(value.name)} of a graph"
            declared = type_of(value.type, f"{label}: {what}") if says_type(value.type) else None
            node = Node("", same_type(label, what, dtype, declared), UNKNOWN, None)
            slots.append(self.slots.of(self._name(value.name, node)))
        for name, tensor in stored_in(graph, self.folder).items():
            if name not in self.names:  # the node passes a value for each input
                self._constant(name, tensor)
        return tuple(slots)

    def _take(self, graph: GraphProto) -> tuple[Input, ...]:
        """Make slots for the inputs and the initializers, and return the inputs.

        An initializer with the name of an input is the default of the input. Before IR version 4 every initializer had
        to have the name of an input, so such an initializer is a constant, as in ONNX Runtime.
        """
        stored = stored_in(graph, self.folder, self.apart)
        inputs = []
        for value in graph.input:
            dtype, shape = _declared(value)
            if value.name in stored and stored[value.name].dtype is not dtype:
                raise InvalidArgumentError(f"onnx: input {shown(value.name)} and its initializer differ in type")
            if value.name in stored and self.ir_version < 4:
                continue
            node = self._name(value.name, Node("", dtype, UNKNOWN, None))
            slot = self.slots.of(node)
            self.slots.values[slot] = stored.get(value.name)
            if dtype is suanzi.string and value.name in stored:
                self._copy_at_run(node, value.name)
            fixed = tuple((axis, size) for axis, size in enumerate(shape or ()) if size is not None)
            inputs.append(Input(value.name, slot, dtype, shape, fixed, value.name in stored))
        for name, tensor in stored.items():
            if name not in self.names:
                self._constant(name, tensor)
        return tuple(inputs)

    def _name(self, name: str, node: AnyNode) -> AnyNode:
        """Add a node to the graph, and record the node by `name` if the model names the node's value."""
        if name:
            self.names[name] = node
        return self.graph.add(node)

    def _constant(self, name: str, value: Tensor | Stored) -> None:
        """Add a node for a read-only value."""
        node = self._name(name, Constant(value, value.dtype))
        if value.dtype is suanzi.string:
            self._copy_at_run(node, name)

    def _copy_at_run(self, node: Node, name: str) -> None:
        """Copy a tensor of strings in each run, because such a tensor cannot be read-only, and a run may return the
        tensor to the user.
        """
        self._name(name, Operation("", _COPY, (node,), (node.dtype,), label="Constant"))

    def _add_node(self, node: NodeProto) -> None:
        if is_plain_constant(node) and "" in self.opsets:
            (name,) = node.output
            self._constant(name, stored_tensor(node.attribute[0].t, self.folder, self.apart.get(name)))
            return
        known = signature(node.domain, node.op_type, self.opsets.get(node.domain))
        if is_constant(node):
            self._check(node, known)
            self._constant(node.output[0], read_only(_value_of(known.attributes(node, self.folder))))
            return
        operands = [self._find(name) for name in node.input]
        count = len(operands)
        while operands and operands[-1] is self.absent:
            operands.pop()
        label = f"{known.label} {shown(node.name)}" if node.name else known.label
        row = row_for(known.domain, known.name, known.version)
        if row is None:
            self._check(node, known)
            raise UnsupportedError(f"onnx: operator {known.label} is not supported")
        if row.has_graphs:
            self._check(node, known, row)
            self._add_node_with_graphs(node, known, row, label, operands, known.attributes(node, self.folder))
            return
        kind: Hashable = object()  # a key of no other node, because long arrays are slow to compare
        if not row.as_arrays:
            kind = (known.label, *sorted([attribute.SerializeToString() for attribute in node.attribute]))
        # If `_check` accepts a node, `_check` accepts all nodes with an equal key.
        key = (
            kind, count, *[not name for name in node.output], None,
            *[x is self.absent or x.dtype for x in operands],
        )  # fmt: skip
        same = self.alike.get(key)
        if same is None:
            self._check(node, known, row)
        if same is None or row.family == "random":
            same = self.alike[key] = self._alike(node, known, row, operands)
        given = [self._numbers(x, label) if i in row.numbers else x for i, x in enumerate(operands)]
        # The passes find operations by their names, and expect the broadcasting of opset 7. With an axis, an operator
        # of an opset before 7 broadcasts in another way.
        name = "" if known.name in BINARY and "axis" in same.attributes else known.name
        operation = Operation(
            name, row, given, same.results, label=label, function=same.function, kind=kind,
            attributes=same.attributes, gives_several=known.gives_several,
        )  # fmt: skip
        self._add_results(operation, node)

    def _check(self, node: NodeProto, known: Signature, row: Row | None = None) -> None:
        # A row that begins with a deprecated version is the row of an operator that exporters wrote. Other rows begin
        # before the version that only deprecates the operator.
        runs_deprecated = row is not None and row.since == known.version
        check_node(node, known, self.checked, self.ir_version, runs_deprecated=runs_deprecated)

    def _alike(self, node: NodeProto, known: Signature, row: Row, operands: Sequence[Node]) -> _Alike:
        """Return the data that a node shares with nodes that have equal attributes and operands of equal types."""
        attributes = known.attributes(node, self.folder, as_arrays=row.as_arrays)
        dtypes = [x.dtype for x in operands]
        typed = _Typed(_bound(row, attributes, len(node.output)), row, known, len(node.output), attributes)
        are_known = all(x is self.absent or x.dtype is not None for x in operands)
        results = known.results(len(node.output), known.bind(dtypes), attributes)
        require_tensors(row, dtypes, known.label)
        if row.types is not None:
            results = [row.types(dtypes, attributes)]
        function: Callable[..., Any] = typed.function_for(dtypes) if are_known else typed
        return _Alike(function, results, attributes)

    def _add_node_with_graphs(
        self, node: NodeProto, known: Signature, row: Row, label: str, operands: list[Node], attributes: dict[str, Any]
    ) -> None:
        """Add a node with graphs. The outer values that the graphs read follow the node's operands."""
        dtypes = [x.dtype for x in operands]
        known.bind(dtypes)
        graphs = {a.name: a.g for a in node.attribute if a.name in known.graphs}
        outer: list[Node] = []
        asked = Asked(
            label, tuple(dtypes), len(node.output), attributes,
            lambda name, types: self.body(graphs[name], types, label, outer),
        )  # fmt: skip
        made: Made = row.function(asked)
        if any(body.draws for body in made.bodies):
            row = row._replace(family="random")
        operands += [self.absent] * (made.least - len(operands))
        operation = Operation(
            known.name, row, (*operands, *outer), [*made.types][: len(node.output)], label=label,
            function=made.function, gives_several=True,
        )  # fmt: skip
        self._add_results(operation, node)

    def _add_results(self, operation: Operation, node: NodeProto) -> None:
        self.graph.add(operation)
        for i, name in enumerate(node.output):
            if operation.gives_several:
                self._name(name, Item(operation, i))
            elif name:
                self.names[name] = operation

    def _numbers(self, x: Node, label: str) -> Node:
        """Return the node for a tensor's elements as Python numbers. The elements of a constant are read at load."""
        if x is self.absent:
            return x
        constant = Constant(_numbers_of(x.value)) if isinstance(x, Constant) else None
        return self.graph.add(constant or Operation("", _READ, (x,), label=label))


def _declared(value: ValueInfoProto) -> tuple[AnyType, tuple[int | None, ...] | None]:
    """Return the declared type and shape of an input."""
    dtype = type_of(value.type, f"onnx: input {shown(value.name)}")
    if dtype is None:
        raise InvalidArgumentError(f"onnx: input {shown(value.name)} has no type")
    return dtype, sizes_of(value.type)


def _value_of(attributes: dict[str, Any]) -> Tensor | Stored:
    """Return the value of a node `Constant`, whichever attribute holds the value."""
    if len(attributes) != 1:
        raise InvalidArgumentError(f"onnx: a Constant has {len(attributes)} values, not one")
    ((name, value),) = attributes.items()
    if isinstance(value, Tensor | Stored):
        return value
    kind = suanzi.string if "string" in name else suanzi.int64 if "int" in name else suanzi.float32
    return suanzi.tensor(value, dtype=kind)


def _numbers_of(x: Any) -> Any:
    if not isinstance(x, Tensor):
        raise TypeMismatchError("onnx: a parameter that must be a tensor is not a tensor")
    if x.size > tuning.MOST_NUMBERS:  # a broadcast view may have any size
        raise DimensionsMismatchError(
            f"onnx: a parameter of shape {x.shape} holds more than {tuning.MOST_NUMBERS} numbers"
        )
    values = x.tolist()
    return tuple(values) if isinstance(values, list) else values


def require_tensors(row: Row, dtypes: Sequence[AnyType | None], label: str) -> None:
    """Raise UnsupportedError if a row's function accepts only tensors and an operand is not a tensor."""
    if Kind in map(type, dtypes) and not row.kinds:
        others = [dtype for dtype in dtypes if isinstance(dtype, Kind)]
        raise UnsupportedError(f"{label}: operands of {listed(others)} are not supported")


_READ = Row(_numbers_of, family="reading")
_COPY = Row(suanzi.clone)


def _bound(row: Row, attributes: dict[str, Any], outputs: int) -> Callable[..., Any]:
    """Return the function of an operator with the node's attributes bound as keywords."""
    keywords = {row.keywords.get(name, name): value for name, value in attributes.items()}
    if row.outputs:
        keywords["outputs"] = outputs
    if row.is_maker:
        made: Callable[..., Any] = row.function(**keywords)
        return made
    return partial(row.function, **keywords) if keywords else row.function


@dataclass(frozen=True, slots=True)
class _Typed:
    """A function of operands whose types are not known at load. Each call checks the types, and may widen the
    operands.
    """

    function: Callable[..., Any]
    row: Row
    known: Signature
    outputs: int
    attributes: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the names of the row and the schema, because a schema of the package onnx cannot be pickled."""
        known = self.known
        return _typed_again, (self.function, known.domain, known.name, known.version, self.outputs, self.attributes)

    def __call__(self, *operands: Any) -> Any:
        dtypes = [type_of_value(x) for x in operands]
        return self.function_for(dtypes)(*operands)

    def function_for(self, dtypes: Sequence[AnyType | None]) -> Callable[..., Any]:
        """Return the function for operands of given types. Raise TYPE_MISMATCH if the operator does not accept the
        types.
        """
        results = self.known.results(self.outputs, self.known.bind(dtypes), self.attributes)
        require_tensors(self.row, dtypes, self.known.label)
        return widened(self.function, self.row.widths, dtypes, results, self.known.gives_several)


def _typed_again(
    function: Callable[..., Any], domain: str, name: str, version: int, outputs: int, attributes: dict[str, Any]
) -> _Typed:
    known, row = signature(domain, name, version), row_for(domain, name, version)
    assert row is not None
    return _Typed(function, row, known, outputs, attributes)
