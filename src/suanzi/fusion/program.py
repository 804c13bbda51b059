"""The program of a traced function: passes over memory, and operators between passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from suanzi._core import Tensor, check_fused_tile, check_out, clone, get_tile_shape
from suanzi.fusion.on_devices import DevicePass
from suanzi.fusion.plan import Plan, Planner, Value
from suanzi.graph.errors import RefutedError
from suanzi.graph.node import Node
from suanzi.graph.steps import Invocation, Ref, last_uses
from suanzi.operators.composition import named
from suanzi.tensor.dtypes import as_dtype
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


@dataclass(slots=True)
class Pass:
    """A part of a fused function that runs as a schedule of the core."""

    plan: Plan
    inputs: list[Ref]
    results: list[Ref]
    numbers: list[Callable[[tuple[Any, ...]], float]]  # functions that read the numbers among a call's arguments
    given: list[int] | None  # the indices of the numbers in `arguments`, or None if a number is computed from arguments

    @classmethod
    def of(cls, wanted: list[Node], results: list[Ref], leaves: dict[Node, bool], refs: dict[Node, Ref]) -> Pass:
        """Make the pass that computes the nodes `wanted` from the nodes in `leaves`. The values of `leaves` are True
        for contiguous nodes.
        """
        planner = Planner(leaves)
        plan, numbers = planner.plan(wanted), planner.asked.numbers
        there = {node.number: refs[node] for node in leaves}
        given = [x.argument for x in numbers] if all(x.given for x in numbers) else None
        return cls(plan, [there[number] for number in plan.inputs], results, [x.compute for x in numbers], given)

    def run(self, values: list[Any], arguments: tuple[Any, ...], out: dict[Ref, Tensor]) -> None:
        inputs, given = [values[ref] for ref in self.inputs], [number(arguments) for number in self.numbers]
        places = {i: out[ref] for i, ref in zip(self.plan.wanted, self.results, strict=True) if ref in out}
        results = self.plan.schedule.run(inputs, given, places)
        for ref, i in zip(self.results, self.plan.wanted, strict=True):
            values[ref] = results[i]

    def reads(self) -> list[Ref]:
        return self.inputs


@dataclass(slots=True)
class Program:
    """The passes and operators of a function in order.

    The program's first values are the tensors among the arguments.
    """

    arguments: int
    captured: dict[Ref, Tensor]
    steps: list[Pass | DevicePass | Invocation]
    outputs: list[Ref]
    assumed_false: list[Ref]  # conditions; the program's results are wrong if a condition is true
    values: list[Value | None]  # descriptions, or None for tensors that are not dense
    dead: list[list[Ref]] = field(init=False)  # for each step, values that no later step reads

    def __post_init__(self) -> None:
        self.dead = last_uses([(*step.reads(), *step.results) for step in self.steps], self.kept)

    @property
    def kept(self) -> list[Ref]:
        """Return the values that are needed after the last step."""
        return [*self.outputs, *self.assumed_false]

    def is_refuted(self, values: list[Any]) -> bool:
        """Return whether a condition that the program assumes to be False is true."""
        return any(values[ref] for ref in self.assumed_false)

    def check_tile(self) -> None:
        """Raise an error if this thread's tile shape has more or fewer dimensions than every pass, or is too large."""
        tile = get_tile_shape()
        plans = [step.plan for step in self.steps if isinstance(step, Pass)]
        if tile is None or not plans:
            return
        ranks = [len(part.shape) for plan in plans for part in plan.parts]
        widest = max(as_dtype(value.dtype, "fuse").itemsize for plan in plans for value in plan.values.values())
        check_fused_tile(len(tile) if len(tile) in ranks else ranks[-1], widest)

    def run(self, tensors: Sequence[Any], arguments: tuple[Any, ...], out: Sequence[Tensor] = ()) -> list[Any]:
        """Run the program and return the results. `out` has a tensor for each result, or is empty. Raise RefutedError,
        without a change of `out`, if a condition is true.
        """
        self.check_tile()
        whole = len(self.steps) > 0 and set(self.outputs) <= set(self.steps[-1].results)
        direct = whole and isinstance(self.steps[-1], Pass) and len(set(self.outputs)) == len(self.outputs)
        # A pass before other passes must not write into tensors that the later passes may read. A pass writes a result
        # once, so a result that the function returns twice is copied into both tensors of `out`.
        places = dict(zip(self.outputs, out, strict=False)) if direct and not self.assumed_false else {}
        values: list[Any] = [None] * len(self.values)
        values[: self.arguments] = tensors
        for ref, value in self.captured.items():
            values[ref] = value
        for step, dead in zip(self.steps, self.dead, strict=True):
            step.run(values, arguments, places)
            for ref in dead:
                values[ref] = None
        if self.is_refuted(values):
            raise RefutedError
        results = [values[ref] for ref in self.outputs]
        if out and not places:
            store([clone(x) for x in results] if len(out) > 1 else results, out)
        return results


def check(results: Sequence[Value | None], out: Sequence[Any]) -> None:
    """Raise an error if a tensor of `out` cannot hold the result at the same position in `results`."""
    for result, place in zip(results, out, strict=True):
        if result is None:
            raise TypeMismatchError("fuse: a sparse or quantized result is not written into out")
        dtype = as_dtype(result.dtype, "fuse")
        with named("fuse"):  # without the name, an error on a device would name the builtin
            check_out("fuse", place, result.shape, dtype)


def check_devices(tensors: Sequence[Any], out: Sequence[Any]) -> None:
    """Raise INVALID_ARGUMENT if a tensor of `out` is not on the device of the operands `tensors`."""
    for place in out if tensors else ():
        if place.device != tensors[0].device:
            raise InvalidArgumentError(f"fuse: out is on {place.device}, and operands are on {tensors[0].device}")


def store(results: Sequence[Tensor], out: Sequence[Tensor]) -> None:
    for result, place in zip(results, out, strict=True):
        if result is not place:
            place[...] = result
