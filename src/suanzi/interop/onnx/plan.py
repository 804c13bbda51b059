"""A graph as a list of calls, made once: operators bound to their attributes, values numbered, last uses known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor, tuning
from suanzi.interop.onnx.chains import with_linear
from suanzi.interop.onnx.declared import Sizes, check_shapes, check_types, is_binding, sizes_of
from suanzi.interop.onnx.expansion import CONSTANTS, with_rows_only
from suanzi.interop.onnx.folding import ABSENT, Call, Simplifier, read_only
from suanzi.interop.onnx.fused import Parts, chained
from suanzi.interop.onnx.lookups import Lookups
from suanzi.interop.onnx.per_shape import brief
from suanzi.interop.onnx.precision import Widths, widened
from suanzi.interop.onnx.signatures import Signature, check_node, signature
from suanzi.interop.onnx.source import canonical, imports_of, opset_of, ordered_nodes
from suanzi.interop.onnx.table import Row, row_for
from suanzi.interop.onnx.traits import READING
from suanzi.interop.onnx.types import UnsupportedError, dtype_of, stored_tensor
from suanzi.interop.onnx.weights import with_weights
from suanzi.tensor.messages import shown


class Step(NamedTuple):
    """One call: its operands among the slots, the slot it fills (where it gives several, those), the slots it frees."""

    function: Callable[..., Any]
    operands: Callable[[list[Any]], Iterable[Any]]
    output: int
    several: tuple[int, ...] | None
    dead: tuple[int, ...]
    label: str


class Input(NamedTuple):
    """What the model takes from outside."""

    name: str
    slot: int
    dtype: DType
    shape: tuple[int | None, ...] | None  # None: an open size, or an open rank
    fixed: tuple[tuple[int, int], ...]  # the axes whose size is not open, and it
    is_optional: bool  # whether an initializer stands in for it


class Plan(NamedTuple):
    """All that a run needs."""

    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    declared: tuple[tuple[int, Sizes], ...]  # the shapes of those that have one, by their numbers
    results: Callable[[list[Any]], Iterable[Any]]
    steps: tuple[Step, ...]
    brief: tuple[Step, ...]  # those that are left where `numbers` are known from a run on inputs of the same shapes
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
    nodes = ordered_nodes(model.graph)  # what is inlined must be sound
    inlined = with_rows_only(model, imports_of(model))
    if inlined is not model:
        nodes = ordered_nodes(inlined.graph)
    return _Builder(opset_of(inlined), model.ir_version, folder).build(inlined.graph, nodes)


class _Builder:
    """Numbers the values of a graph and collects the calls."""

    def __init__(self, opset: int, ir_version: int, folder: Path | None) -> None:
        self.opset, self.ir_version, self.folder = opset, ir_version, folder
        self.slots: list[Any] = [None]
        self.names = {"": ABSENT}
        self.dtypes: dict[int, DType | None] = {ABSENT: None}
        self.constants = {ABSENT}
        self.as_numbers: dict[int, int] = {}  # tensors of which there are Python's numbers in another slot
        self.calls: list[Call] = []

    def build(self, graph: GraphProto, nodes: Sequence[NodeProto]) -> Plan:
        if graph.sparse_initializer:
            raise UnsupportedError("onnx: sparse initializers are not supported")
        inputs = self._take(graph)
        for node in nodes:
            self._add_node(node)
        outputs = tuple(value.name for value in graph.output)
        check_types(graph, {name: self.dtypes[slot] for name, slot in self.names.items()})
        check_shapes(graph, nodes, self.opset, self.ir_version)
        sizes = [sizes_of(value.type) for value in graph.output]
        declared = tuple((i, each) for i, each in enumerate(sizes) if each is not None and is_binding(each))
        results = tuple(self.names[name] for name in outputs)
        shapes = {slot: x.shape for slot in self.constants if isinstance(x := self.slots[slot], Tensor)}
        calls = Lookups(self.slots, self.dtypes, shapes).first(self.calls, results)
        calls, results = Simplifier(self.slots, self.dtypes, self.constants).simplified(calls, results)
        constants = {slot: self.slots[slot] for slot in self.constants}
        calls = with_weights(with_linear(calls, constants, results), self.slots, self.constants, results)
        few, numbers, shaped = brief(calls, [each.slot for each in inputs], self.constants, results)
        kept = frozenset({*self.constants, *results})
        parts = chained(few, shaped.difference(self.as_numbers.values()), constants, results)
        all_steps, few_steps = with_last_uses(calls, kept.union(numbers)), with_last_uses(few, kept)
        return Plan(inputs, outputs, declared, _getter(results), all_steps, few_steps, parts, kept, numbers, self.slots)

    def _take(self, graph: GraphProto) -> tuple[Input, ...]:
        """Slots for the inputs and the initializers, of which some are defaults of inputs."""
        stored = {proto.name: stored_tensor(proto, self.folder) for proto in graph.initializer}
        inputs = []
        for value in graph.input:
            dtype, shape = _declared(value)
            if value.name in stored and stored[value.name].dtype is not dtype:
                raise InvalidArgumentError(f"onnx: input {shown(value.name)} and its initializer differ in type")
            slot = self._slot(value.name, dtype, stored.get(value.name))
            if dtype is suanzi.string and value.name in stored:
                self._copy_at_run(slot, value.name)
            fixed = tuple((axis, size) for axis, size in enumerate(shape or ()) if size is not None)
            inputs.append(Input(value.name, slot, dtype, shape, fixed, value.name in stored))
        for name, tensor in stored.items():
            if name not in self.names:
                self._constant(name, tensor)
        return tuple(inputs)

    def _constant(self, name: str, value: Tensor) -> None:
        slot = self._slot(name, value.dtype, read_only(value))
        self.constants.add(slot)
        if value.dtype is suanzi.string:
            self._copy_at_run(slot, name)

    def _copy_at_run(self, slot: int, name: str) -> None:
        """Texts cannot be read-only, and a run may hand them out: each has a copy of its own, under the same name."""
        copy = self._slot(name, suanzi.string)
        self.calls.append(Call(suanzi.clone, (slot,), (copy,), False, "Constant", "Constant", "Constant", {}))

    def _slot(self, name: str, dtype: DType | None, value: Any = None) -> int:
        slot = len(self.slots)
        self.slots.append(value)
        self.dtypes[slot] = dtype
        if name:
            self.names[name] = slot
        return slot

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
        while operands and operands[-1] == ABSENT:
            operands.pop()
        dtypes = [self.dtypes[slot] for slot in operands]
        typed = _Typed(_bound(row, attributes, len(node.output)), row.widths, known, len(node.output), attributes)
        are_known = all(slot == ABSENT or dtype is not None for slot, dtype in zip(operands, dtypes, strict=True))
        results = known.results(len(node.output), known.bind(dtypes), attributes)
        function: Callable[..., Any] = typed.function_for(dtypes) if are_known else typed
        inputs = tuple(self._numbers(slot, label) if i in row.numbers else slot for i, slot in enumerate(operands))
        slots = tuple(self._slot(name, dtype) for name, dtype in zip(node.output, results, strict=True))
        kind = (known.label, *sorted(attribute.SerializeToString() for attribute in node.attribute))
        self.calls.append(Call(function, inputs, slots, known.gives_several, label, known.name, kind, attributes))

    def _numbers(self, slot: int, label: str) -> int:
        """The slot of a tensor's elements as Python's numbers; those of constants are read now."""
        if slot == ABSENT or slot in self.as_numbers:
            return self.as_numbers.get(slot, ABSENT)
        if slot in self.constants:
            new = self._slot("", None, _numbers_of(self.slots[slot]))
            self.constants.add(new)
        else:
            new = self._slot("", None)
            self.calls.append(Call(_numbers_of, (slot,), (new,), False, label, READING, READING, {}))
        self.as_numbers[slot] = new
        return new


def with_last_uses(calls: Iterable[Call], kept: Collection[int]) -> tuple[Step, ...]:
    """The calls, each with the slots that no later one reads."""
    steps: list[Step] = []
    seen = set(kept)
    for call in reversed([*calls]):
        dead = tuple({*call.inputs, *call.outputs} - seen)
        seen.update(dead)
        several = call.outputs if call.gives_several else None
        steps.append(Step(call.function, _getter(call.inputs), call.outputs[0], several, dead, call.label))
    return tuple(reversed(steps))


def _getter(slots: tuple[int, ...]) -> Callable[[list[Any]], Iterable[Any]]:
    """What picks slots from the list of all; of a single one, itemgetter would give the value without a sequence."""
    if len(slots) > 1:
        return itemgetter(*slots)
    return itemgetter(slice(slots[0], slots[0] + 1) if slots else slice(0))


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
        """What computes with operands of these types; TYPE_MISMATCH where the operator does not take them."""
        results = self.known.results(self.outputs, self.known.bind(dtypes), self.attributes)
        return widened(self.function, self.widths, dtypes, results, self.known.gives_several)
