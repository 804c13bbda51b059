"""The calls of nodes that contain graphs: If, Loop, Scan and SequenceMap.

A loop makes one trip after the other. The number of calls in all trips of a run is bounded (running.py). A loop whose
number of trips is known beforehand checks the bound before the first trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import suanzi
from suanzi import (
    DimensionsMismatchError,
    DType,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    tuning,
)
from suanzi.interop.onnx.bodies import Asked, Body, Made, same_type
from suanzi.interop.onnx.compositions.reading import positive_axis
from suanzi.interop.onnx.declared import Sizes
from suanzi.interop.onnx.running import charge
from suanzi.interop.onnx.types import AnyType, element_of, fits, listed, sequence_of, type_of_value

Values = tuple[Any, ...]


def branches(node: Asked) -> Made:
    """Return the call of an If node, which runs one of two graphs."""
    then, other = (node.body(name, (), node.outputs) for name in ("then_branch", "else_branch"))
    pairs = zip(then.types, other.types, strict=True)
    types = [same_type(node.label, f"result {i} of the branches", a, b) for i, (a, b) in enumerate(pairs)]
    return Made(_If(then, other, node.label), types, (then, other))


@dataclass(frozen=True, slots=True, eq=False)
class _If:
    then: Body
    other: Body
    label: str

    def __call__(self, condition: Any, *outer: Any) -> Sequence[Any]:
        body = self.then if _truth(condition, self.label) else self.other
        return tuple(body.run((), outer))


def loop(node: Asked) -> Made:
    """Return the call of a Loop node, which repeats a graph."""
    states = node.types[2:]
    body = node.body("body", (suanzi.int64, suanzi.bool, *states))
    count = len(states)
    if len(body.types) < 1 + count:
        raise InvalidArgumentError(f"{node.label}: body has {len(body.types)} results, which do not fit {count} states")
    _require_results(node, len(body.types) - 1)
    same_type(node.label, "the condition", body.types[0], suanzi.bool)
    types = [
        same_type(node.label, f"state {i}", found, given)
        for i, (found, given) in enumerate(zip(body.types[1:], states, strict=False))
    ]
    types += body.types[1 + count :]
    scanned = tuple(zip(body.types[1 + count :], body.shapes[1 + count :], strict=True))
    own = max(2, len(node.types))
    goes_on = body.result_slots[0]
    is_steady = goes_on == body.inputs[1] or body.slots[goes_on] is not None
    counts = body.inputs[0] in body.reads
    return Made(_Loop(body, own, count, tuple(types), scanned, is_steady, counts, node.label), types, (body,), own)


@dataclass(frozen=True, slots=True, eq=False)
class _Loop:
    body: Body
    own: int  # the number of operands that are not outer values
    states: int
    types: tuple[AnyType | None, ...]  # the types of all results
    scanned: tuple[tuple[AnyType | None, Sizes | None], ...]
    is_steady: bool  # True if the body returns the given condition, or a constant
    counts: bool  # True if the body reads the index of the trip
    label: str

    def __call__(self, most: Any = None, condition: Any = None, *operands: Any) -> Sequence[Any]:
        states, outer = operands[: self.own - 2], operands[self.own - 2 :]
        limit = None if most is None else _whole(most, self.label)
        goes_on = True if condition is None else _truth(condition, self.label)
        scanned: list[list[Any]] = [[] for _ in self.scanned]
        trip, cost = 0, self.body.cost
        if self.is_steady and goes_on and self._may_go_on():  # the loop runs until the trip limit, if a limit exists
            charge(cost * (tuning.MOST_REPEATED + 1 if limit is None else max(limit, 0)), self.label)
            cost = 0
        condition = suanzi.full((), goes_on, dtype=suanzi.bool)
        number = None
        while goes_on and (limit is None or trip < limit):
            if cost:
                charge(cost, self.label)
            if self.counts:
                number = suanzi.full((), trip, dtype=suanzi.int64)
            condition, *found = self.body.run((number, condition, *states), outer)
            goes_on = _truth(condition, self.label)
            states = tuple(found[: self.states])
            for each, x in zip(scanned, found[self.states :], strict=True):
                each.append(x)
            trip += 1
        for i, x in enumerate(states):
            _check_type(x, self.types[i], self.label, f"state {i}")
        stacks = [_stacked(each, *known, 0, self.label) for each, known in zip(scanned, self.scanned, strict=True)]
        return (*states, *stacks)

    def _may_go_on(self) -> bool:
        constant = self.body.slots[self.body.result_slots[0]]
        return constant is None or _truth(constant, self.label)


def scan(node: Asked) -> Made:
    """Return the call of a Scan node of version 9 or later, which runs a graph for each slice of scanned operands."""
    given = node.attributes
    count, inputs = len(node.types), given["num_scan_inputs"]
    if not 1 <= inputs <= count:
        raise InvalidArgumentError(f"{node.label}: num_scan_inputs {inputs} is outside [1, {count}]")
    body = node.body("body", node.types)
    states = count - inputs
    outputs = len(body.types) - states
    if outputs < 0:
        raise InvalidArgumentError(
            f"{node.label}: body has {len(body.types)} results, which do not fit {states} states"
        )
    _require_results(node, len(body.types))
    pairs = zip(body.types, node.types[:states], strict=False)
    types = [same_type(node.label, f"state {i}", a, b) for i, (a, b) in enumerate(pairs)]
    types += body.types[states:]
    call = _Scan(
        body,
        count,
        states,
        _listed(node, "scan_input_axes", inputs),
        _listed(node, "scan_input_directions", inputs),
        _listed(node, "scan_output_axes", outputs),
        _listed(node, "scan_output_directions", outputs),
        tuple(zip(body.types[states:], body.shapes[states:], strict=True)),
        node.label,
    )
    return Made(call, types, (body,))


@dataclass(frozen=True, slots=True, eq=False)
class _Scan:
    body: Body
    own: int
    states: int
    input_axes: tuple[int, ...]
    input_directions: tuple[int, ...]
    output_axes: tuple[int, ...]
    output_directions: tuple[int, ...]
    scanned: tuple[tuple[AnyType | None, Sizes | None], ...]
    label: str

    def __call__(self, *operands: Any) -> Sequence[Any]:
        states, inputs, outer = operands[: self.states], operands[self.states : self.own], operands[self.own :]
        return self.over(states, inputs, outer, None)

    def over(self, states: Values, inputs: Values, outer: Values, trips: int | None) -> Values:
        """Return the last states and the outputs of the first `trips` steps, or of all steps if `trips` is None."""
        axes = [
            positive_axis(axis, _tensor(x, self.label).ndim, self.label)
            for x, axis in zip(inputs, self.input_axes, strict=True)
        ]
        lengths = {x.shape[axis] for x, axis in zip(inputs, axes, strict=True)}
        if len(lengths) > 1:
            raise DimensionsMismatchError(f"{self.label}: the scanned inputs have lengths {sorted(lengths)}")
        (length,) = lengths
        if trips is None:
            trips = length
        elif not 0 <= trips <= length:
            raise OutOfRangeError(f"{self.label}: sequence length {trips} is outside [0, {length}]")
        charge(self.body.cost * trips, self.label)
        lines = [
            _in_direction([x[(slice(None),) * axis + (i,)] for i in range(trips)], direction)
            for x, axis, direction in zip(inputs, axes, self.input_directions, strict=True)
        ]
        scanned: list[list[Any]] = [[] for _ in self.scanned]
        for parts in zip(*lines, strict=True):
            found = tuple(self.body.run((*states, *parts), outer))
            states = found[: self.states]
            for each, x in zip(scanned, found[self.states :], strict=True):
                each.append(x)
        stacks = [
            _stacked(_in_direction(each, direction), *known, axis, self.label)
            for each, known, axis, direction in zip(
                scanned, self.scanned, self.output_axes, self.output_directions, strict=True
            )
        ]
        return (*states, *stacks)


def scan_8(node: Asked) -> Made:
    """Return the call of a Scan node of version 8, which scans each member of a batch."""
    own = node.types[1:]  # the first operand is sequence_lens
    inputs = node.attributes["num_scan_inputs"]
    directions = _listed(node, "directions", inputs) if inputs >= 1 else ()
    made = scan(
        node._replace(
            types=own,
            attributes={"num_scan_inputs": inputs, "scan_input_directions": directions},
        )
    )
    return Made(_BatchScan(made.function, node.label), made.types, made.bodies)


@dataclass(frozen=True, slots=True, eq=False)
class _BatchScan:
    scan: Any
    label: str

    def __call__(self, lengths: Any, *operands: Any) -> Sequence[Any]:
        own = self.scan.own
        outer, inner = operands[own:], [_tensor(x, self.label) for x in operands[:own]]
        sizes = {x.shape[:1] for x in inner}
        if len(sizes) != 1 or sizes == {()}:
            raise DimensionsMismatchError(f"{self.label}: operands have batches of sizes {sorted(sizes)}")
        ((batch,),) = sizes
        length = inner[-1].shape[1] if inner[-1].ndim > 1 else 0
        trips = [length] * batch if lengths is None else _tensor(lengths, self.label).tolist()
        if not isinstance(trips, list) or len(trips) != batch:
            raise DimensionsMismatchError(f"{self.label}: sequence_lens do not fit a batch of {batch} members")
        states = self.scan.states
        found = []
        for i, each in enumerate(trips):
            members = [x[i] for x in inner]
            results = self.scan.over(tuple(members[:states]), tuple(members[states:]), outer, int(each))
            found.append((*results[:states], *(_filled(x, length) for x in results[states:])))
        if not found:
            raise DimensionsMismatchError(f"{self.label}: the batch is empty")
        return [suanzi.stack(list(parts)) for parts in zip(*found, strict=True)]


def _filled(x: Tensor, length: int) -> Tensor:
    """Return the results for one sequence, padded with zeros to a given length."""
    missing = length - x.shape[0]
    return suanzi.pad(x, [(0, missing)] + [(0, 0)] * (x.ndim - 1)) if missing else x


def sequence_map(node: Asked) -> Made:
    """Return the call of a SequenceMap node, which runs a graph for each element of a sequence."""
    body = node.body("body", [element_of(each) or each for each in node.types])
    _require_results(node, len(body.types))
    types = [sequence_of(each) for each in body.types]
    return Made(_SequenceMap(body, len(node.types), node.label), types, (body,))


@dataclass(frozen=True, slots=True, eq=False)
class _SequenceMap:
    body: Body
    own: int
    label: str

    def __call__(self, *operands: Any) -> Sequence[Any]:
        own, outer = operands[: self.own], operands[self.own :]
        if not isinstance(own[0], tuple):
            raise TypeMismatchError(f"{self.label}: the first operand is not a sequence")
        lengths = {len(x) for x in own if isinstance(x, tuple)}
        if len(lengths) > 1:
            raise DimensionsMismatchError(f"{self.label}: the sequences have lengths {sorted(lengths)}")
        (length,) = lengths
        charge(self.body.cost * length, self.label)
        rows = [tuple(self.body.run([x[i] if isinstance(x, tuple) else x for x in own], outer)) for i in range(length)]
        return list(zip(*rows, strict=True)) if rows else [()] * len(self.body.types)


def _require_results(node: Asked, count: int) -> None:
    if node.outputs > count:
        raise InvalidArgumentError(f"{node.label}: the node has {node.outputs} outputs, but only {count} results exist")


def _listed(node: Asked, name: str, count: int) -> tuple[int, ...]:
    values: tuple[int, ...] = node.attributes.get(name) or (0,) * count
    if len(values) != count:
        raise InvalidArgumentError(f"{node.label}: {name} has {len(values)} numbers, not {count}")
    if "direction" in name and not {0, 1}.issuperset(values):
        raise InvalidArgumentError(f"{node.label}: {name} has numbers that are not 0 or 1")
    return values


def _in_direction(parts: list[Any], direction: int) -> list[Any]:
    return parts[::-1] if direction else parts


def _tensor(x: Any, label: str) -> Tensor:
    if isinstance(x, Tensor):
        return x
    raise TypeMismatchError(f"{label}: an operand is not a tensor")


def _truth(x: Any, label: str) -> bool:
    """Return the value of a condition as a bool."""
    if not isinstance(x, Tensor) or x.dtype is not suanzi.bool:
        raise TypeMismatchError(f"{label}: the condition is not a truth value")
    if x.size != 1:
        raise DimensionsMismatchError(f"{label}: the condition has shape {x.shape}, not one element")
    return bool(x.item())


def _whole(x: Any, label: str) -> int:
    """Return the number of trips in a loop's operand M."""
    if not isinstance(x, Tensor) or x.dtype is not suanzi.int64:
        raise TypeMismatchError(f"{label}: M is not a tensor of int64")
    if x.size != 1:
        raise DimensionsMismatchError(f"{label}: M has shape {x.shape}, not one element")
    return int(x.item())


def _check_type(x: Any, wanted: AnyType | None, label: str, name: str) -> None:
    found = type_of_value(x)
    if found is not None and wanted is not None and not fits(found, wanted):
        raise TypeMismatchError(f"{label}: {name} is {listed([found])}, not {listed([wanted])}")


def _stacked(parts: list[Any], dtype: AnyType | None, sizes: Sizes | None, axis: int, label: str) -> Tensor:
    """Return the parts stacked along a new axis. Without parts, return a tensor of the declared sizes with size 0 along
    the new axis. A size that the model does not declare is then 0.
    """
    if parts:
        tensors = [_tensor(x, label) for x in parts]
        return suanzi.stack(tensors, positive_axis(axis, tensors[0].ndim + 1, label))
    shape = [size or 0 for size in sizes or ()]
    shape.insert(positive_axis(axis, len(shape) + 1, label), 0)
    if not isinstance(dtype, DType):
        raise TypeMismatchError(f"{label}: without a trip, the element type of a result is not known")
    return suanzi.zeros(shape, dtype=dtype)
