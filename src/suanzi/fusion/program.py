"""What a traced function became: passes over memory, and between them the operators that are no part of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from suanzi._core import Pattern, Tensor, check_fused_out, check_fused_tile, clone, get_tile_shape
from suanzi.fusion.errors import ChangedError
from suanzi.fusion.plan import Plan, Value
from suanzi.tensor.dtypes import as_dtype
from suanzi.tensor.status import TypeMismatchError

Ref: TypeAlias = int  # the place of a value among those that a run of the program keeps


class Operand(NamedTuple):
    """Stands, in a noted call, for a value that the program keeps."""

    ref: Ref


def mapped(arguments: Any, function: Callable[[Any], Any]) -> Any:
    """The arguments with the function's answer for each that is no list or tuple."""
    if isinstance(arguments, (list, tuple)) and not isinstance(arguments, Operand):
        return type(arguments)(mapped(x, function) for x in arguments)
    return function(arguments)


def facts_of(x: Any) -> Any:
    """What of a result must be the same at every call."""
    return (x.format, x.shape, x.count, x.canonical) if isinstance(x, Pattern) else x.shape


@dataclass(slots=True)
class Pass:
    """A part of the function that runs as a schedule of the core."""

    plan: Plan
    inputs: list[Ref]
    results: list[Ref]
    numbers: list[Callable[[tuple[Any, ...]], float]]  # of the numbers among the arguments of a call
    given: list[int] | None  # which of them they are, where nothing is computed

    def compute(
        self, inputs: Sequence[Tensor], arguments: tuple[Any, ...], out: dict[Ref, Tensor]
    ) -> tuple[Tensor, ...]:
        places = {i: out[ref] for i, ref in zip(self.plan.wanted, self.results, strict=True) if ref in out}
        results = self.plan.schedule.run(inputs, [number(arguments) for number in self.numbers], places)
        return tuple([results[i] for i in self.plan.wanted])

    def run(self, values: list[Any], arguments: tuple[Any, ...], out: dict[Ref, Tensor]) -> None:
        inputs = [values[ref] for ref in self.inputs]
        for ref, result in zip(self.results, self.compute(inputs, arguments, out), strict=True):
            values[ref] = result

    def reads(self) -> list[Ref]:
        return self.inputs


@dataclass(slots=True)
class Invocation:
    """A call of one of the core's functions, with what it gave the first time as the example of its results."""

    name: str
    function: Callable[..., Any]
    arguments: Any
    results: list[Ref]
    facts: list[Any]  # of the results: what steps after it take for granted
    view_of: Ref | None = None  # the value of which the result is a view: it is there without anything being done
    free: bool = False  # parts of a tensor, or a tensor of parts that are there: nothing is done

    def run(self, values: list[Any], _: tuple[Any, ...], __: dict[Ref, Tensor]) -> None:
        given = []
        for x in self.arguments:
            if type(x) is Operand:
                given.append(values[x.ref])
            elif isinstance(x, (list, tuple)):
                given.append(mapped(x, lambda part: values[part.ref] if isinstance(part, Operand) else part))
            else:
                given.append(x)
        result = self.function(*given)
        if len(self.results) == 1 and not isinstance(result, (tuple, list)):
            result = (result,)
        for ref, part, facts in zip(self.results, result, self.facts, strict=True):
            if facts_of(part) != facts:
                raise ChangedError
            values[ref] = part

    def reads(self) -> list[Ref]:
        found: list[Ref] = []
        mapped(self.arguments, lambda x: found.append(x.ref) if isinstance(x, Operand) else None)
        return found


@dataclass(slots=True)
class Program:
    """All of them in order. The first values that it keeps are the tensors among the arguments."""

    arguments: int = 0
    captured: dict[Ref, Tensor] = field(default_factory=dict)
    steps: list[Pass | Invocation] = field(default_factory=list)
    size: int = 0
    outputs: list[Ref] = field(default_factory=list)
    values: list[Value | None] = field(default_factory=list)  # what they were; None: not dense
    dead: list[list[Ref]] = field(default_factory=list)  # after each step

    def finish(self, size: int, outputs: list[Ref]) -> None:
        """No step is to come: say what the function gives, and note when each value is needed last."""
        self.size, self.outputs = size, outputs
        last = {ref: k for k, step in enumerate(self.steps) for ref in (*step.reads(), *step.results)}
        self.dead = [[] for _ in self.steps]
        for ref, k in last.items():
            if ref not in outputs:
                self.dead[k].append(ref)

    def check_tile(self) -> None:
        """Whether the tile shape of this thread, if it has one, is of as many dimensions as one of the passes."""
        tile = get_tile_shape()
        plans = [step.plan for step in self.steps if isinstance(step, Pass)]
        if tile is None or not plans:
            return
        ranks = [len(group.shape) for plan in plans for group in plan.groups]
        widest = max(as_dtype(value.dtype, "fuse").itemsize for plan in plans for value in plan.values.values())
        check_fused_tile(len(tile) if len(tile) in ranks else ranks[-1], widest)

    def run(self, tensors: Sequence[Any], arguments: tuple[Any, ...], out: Sequence[Tensor] = ()) -> list[Any]:
        """The results; in `out`, one for each of them, where that is given."""
        self.check_tile()
        whole = len(self.steps) > 0 and set(self.outputs) <= set(self.steps[-1].results)
        # A pass that is followed by others must not write into what these may read.
        places = dict(zip(self.outputs, out, strict=False)) if whole and isinstance(self.steps[-1], Pass) else {}
        values: list[Any] = [None] * self.size
        values[: self.arguments] = tensors
        for ref, value in self.captured.items():
            values[ref] = value
        for step, dead in zip(self.steps, self.dead, strict=True):
            step.run(values, arguments, places)
            for ref in dead:
                values[ref] = None
        results = [values[ref] for ref in self.outputs]
        if out and not places:
            store([clone(x) for x in results] if len(out) > 1 else results, out)
        return results


def check(results: Sequence[Value | None], out: Sequence[Any]) -> None:
    """Whether tensors can take results of these shapes and types."""
    for result, place in zip(results, out, strict=True):
        if result is None:
            raise TypeMismatchError("fuse: a sparse or quantized result is not written into out")
        check_fused_out(place, result.shape, as_dtype(result.dtype, "fuse"))


def store(results: Sequence[Tensor], out: Sequence[Tensor]) -> None:
    for result, place in zip(results, out, strict=True):
        if result is not place:
            place[...] = result
