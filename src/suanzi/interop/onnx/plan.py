"""A model as a graph of nodes, which passes make smaller, and as the calls of a run: made once, when it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, tuning
from suanzi.graph.node import AnyNode, Graph, Node
from suanzi.graph.passes import needed
from suanzi.interop.onnx.after_conv import with_endings
from suanzi.interop.onnx.declared import Sizes, check_shapes, check_types, is_binding, sizes_of
from suanzi.interop.onnx.expansion import CONSTANTS, with_rows_only
from suanzi.interop.onnx.folding import computed, equal, read_only
from suanzi.interop.onnx.fused import Parts, chained
from suanzi.interop.onnx.lookups import rows_first
from suanzi.interop.onnx.nodes import UNKNOWN, Constant, Item, Operation
from suanzi.interop.onnx.per_shape import brief
from suanzi.interop.onnx.precision import Widths, widened
from suanzi.interop.onnx.schedule import Slots, Step, getter, with_last_uses
from suanzi.interop.onnx.signatures import Signature, check_node, signature
from suanzi.interop.onnx.source import canonical, imports_of, opset_of, ordered_nodes
from suanzi.interop.onnx.table import Row, row_for
from suanzi.interop.onnx.types import UnsupportedError, dtype_of, stored_tensor
from suanzi.interop.onnx.weights import packed, with_vectors
from suanzi.tensor.messages import shown


class Input(NamedTuple):
    """An input of the model."""

    name: str
    slot: int
    dtype: DType
    shape: tuple[int | None, ...] | None  # None: an open size, or an open rank
    fixed: tuple[tuple[int, int], ...]  # the axes whose size is not open, and it
    is_optional: bool  # True if an initializer can replace it


class Plan(NamedTuple):
    """All that a run needs."""

    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    declared: tuple[tuple[int, Sizes], ...]  # the shapes of those that have one, by their numbers
    results: Callable[[list[Any]], Iterable[Any]]
    steps: tuple[Step, ...]
    brief: tuple[Step, ...]  # steps that remain if `numbers` are known from a run on inputs of the same shapes
    parts: Parts  # the calls of `brief`, with those together that may be fused
    kept: frozenset[int]  # slots that no step frees
    numbers: tuple[int, ...]  # slots that the steps leave filled
    slots: list[Any]  # the constants at their places, None elsewhere


def make_plan(model: ModelProto, folder: Path | None) -> Plan:
    """The plan of a model, which is checked on the way."""
    if not model.HasField("graph"):
        raise InvalidArgumentError("onnx: the model has no graph")
    model = canonical(model)
    opset_of(model)
    nodes = ordered_nodes(model.graph)  # the inlined parts must be sound
    inlined = with_rows_only(model, imports_of(model))
    if inlined is not model:
        nodes = ordered_nodes(inlined.graph)
    return _Builder(opset_of(inlined), model.ir_version, folder).build(inlined.graph, nodes)


# The passes over the graph of every model, in this order.
_PASSES = (rows_first, equal, computed, with_vectors, with_endings, packed)


class _Builder:
    """Makes the nodes of a model."""

    def __init__(self, opset: int, ir_version: int, folder: Path | None) -> None:
        self.opset, self.ir_version, self.folder = opset, ir_version, folder
        self.graph = Graph()
        self.absent = self.graph.add(Constant(None))  # an optional operand that is not there
        self.names: dict[str, Node] = {"": self.absent}
        self.slots = Slots()

    def build(self, graph: GraphProto, nodes: Sequence[NodeProto]) -> Plan:
        if graph.sparse_initializer:
            raise UnsupportedError("onnx: sparse initializers are not supported")
        inputs = self._take(graph)
        for node in nodes:
            self._add_node(node)
        names = tuple(value.name for value in graph.output)
        check_types(graph, {name: node.dtype for name, node in self.names.items()})
        check_shapes(graph, nodes, self.opset, self.ir_version)
        sizes = [sizes_of(value.type) for value in graph.output]
        declared = tuple((i, each) for i, each in enumerate(sizes) if each is not None and is_binding(each))
        made, self.graph = self.graph, Graph()
        made.results = tuple(self.names[name] for name in names)
        self.names.clear()  # values that no pass keeps are freed
        for each in _PASSES:
            made = each(made)
        few = brief(made)
        operations = {x: self.slots.call(x) for x in needed(made.results, ()) if isinstance(x, Operation)}
        numbers, results = (tuple(map(self.slots.of, part)) for part in (few.numbers, made.results))
        left = {x: operations[x] for x in few.nodes if isinstance(x, Operation)}
        kept = frozenset({*self.slots.constants, *results})
        return Plan(
            inputs, names, declared, getter(results),
            with_last_uses(operations.values(), kept.union(numbers)), with_last_uses(left.values(), kept),
            chained(left, few.tensors, self.slots.constants, results), kept, numbers, self.slots.values,
        )  # fmt: skip

    def _take(self, graph: GraphProto) -> tuple[Input, ...]:
        """Slots for the inputs and the initializers, of which some are defaults of inputs."""
        stored = {proto.name: stored_tensor(proto, self.folder) for proto in graph.initializer}
        inputs = []
        for value in graph.input:
            dtype, shape = _declared(value)
            if value.name in stored and stored[value.name].dtype is not dtype:
                raise InvalidArgumentError(f"onnx: input {shown(value.name)} and its initializer differ in type")
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
        """Add a node, and let it be known by a name, if it has one in the model."""
        if name:
            self.names[name] = node
        return self.graph.add(node)

    def _constant(self, name: str, value: Tensor) -> None:
        node = self._name(name, Constant(read_only(value)))
        if value.dtype is suanzi.string:
            self._copy_at_run(node, name)

    def _copy_at_run(self, node: Node, name: str) -> None:
        """Texts cannot be read-only, and a run may hand them out: each has a copy of its own, under the same name."""
        self._name(name, Operation("", _COPY, (node,), (node.dtype,), label="Constant"))

    def _add_node(self, node: NodeProto) -> None:
        known = signature(node.op_type, self.opset)
        check_node(node, self.opset, self.ir_version)
        attributes = known.attributes(node, self.folder)
        if node.op_type in CONSTANTS:
            self._constant(node.output[0], _value_of(attributes))
            return
        row = row_for(known.name, known.version)
        if row is None:
            raise UnsupportedError(f"onnx: operator {known.label} is not supported")
        label = f"{known.label} {shown(node.name)}" if node.name else known.label
        operands = [self.names[name] for name in node.input]
        while operands and operands[-1] is self.absent:
            operands.pop()
        dtypes = [x.dtype for x in operands]
        typed = _Typed(_bound(row, attributes, len(node.output)), row.widths, known, len(node.output), attributes)
        are_known = all(x is self.absent or x.dtype is not None for x in operands)
        results = known.results(len(node.output), known.bind(dtypes), attributes)
        function: Callable[..., Any] = typed.function_for(dtypes) if are_known else typed
        given = [self._numbers(x, label) if i in row.numbers else x for i, x in enumerate(operands)]
        kind = (known.label, *sorted(attribute.SerializeToString() for attribute in node.attribute))
        operation = Operation(
            known.name, row, given, results, label=label, function=function, kind=kind, attributes=attributes,
            gives_several=known.gives_several,
        )  # fmt: skip
        self.graph.add(operation)
        for i, name in enumerate(node.output):
            if known.gives_several:
                self._name(name, Item(operation, i))
            elif name:
                self.names[name] = operation

    def _numbers(self, x: Node, label: str) -> Node:
        """The node of a tensor's elements as Python's numbers; those of constants are read now."""
        if x is self.absent:
            return x
        constant = Constant(_numbers_of(x.value)) if isinstance(x, Constant) else None
        return self.graph.add(constant or Operation("", _READ, (x,), label=label))


def _declared(value: ValueInfoProto) -> tuple[DType, tuple[int | None, ...] | None]:
    """The element type and the shape of an input."""
    if value.type.WhichOneof("value") != "tensor_type":
        raise UnsupportedError(f"onnx: input {shown(value.name)} is not a dense tensor")
    tensor = value.type.tensor_type
    dtype = dtype_of(tensor.elem_type, f"onnx: input {shown(value.name)}")
    return dtype, sizes_of(value.type)


def _value_of(attributes: dict[str, Any]) -> Tensor:
    """The value of a node `Constant`, in whichever attribute it stands."""
    if len(attributes) != 1:
        raise InvalidArgumentError(f"onnx: a Constant has {len(attributes)} values, not one")
    ((name, value),) = attributes.items()
    if isinstance(value, Tensor):
        return value
    kind = suanzi.string if "string" in name else suanzi.int64 if "int" in name else suanzi.float32
    return suanzi.tensor(value, dtype=kind)


def _numbers_of(x: Tensor) -> Any:
    if x.size > tuning.MOST_NUMBERS:  # a view may have any size
        raise DimensionsMismatchError(
            f"onnx: a parameter of shape {x.shape} holds more than {tuning.MOST_NUMBERS} numbers"
        )
    values = x.tolist()
    return tuple(values) if isinstance(values, list) else values


_READ = Row(_numbers_of, family="reading")
_COPY = Row(suanzi.clone)


def _bound(row: Row, attributes: dict[str, Any], outputs: int) -> Callable[..., Any]:
    """The operator with its attributes as keywords."""
    keywords = {row.keywords.get(name, name): value for name, value in attributes.items()}
    if row.outputs:
        keywords["outputs"] = outputs
    if row.is_maker:
        made: Callable[..., Any] = row.function(**keywords)
        return made
    return partial(row.function, **keywords) if keywords else row.function


@dataclass(frozen=True, slots=True)
class _Typed:
    """A call whose operands' types are not known beforehand: they are checked, and may be widened, when it runs."""

    function: Callable[..., Any]
    widths: Widths
    known: Signature
    outputs: int
    attributes: dict[str, Any]

    def __call__(self, *operands: Any) -> Any:
        dtypes = [x.dtype if isinstance(x, Tensor) else None for x in operands]
        return self.function_for(dtypes)(*operands)

    def function_for(self, dtypes: Sequence[DType | None]) -> Callable[..., Any]:
        """Return the function for operands of these types; TYPE_MISMATCH if the operator does not accept them."""
        results = self.known.results(self.outputs, self.known.bind(dtypes), self.attributes)
        return widened(self.function, self.widths, dtypes, results, self.known.gives_several)
