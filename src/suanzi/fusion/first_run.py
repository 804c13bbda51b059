"""The first run of a traced function. A step of the recorded call runs when a value is needed."""

from __future__ import annotations

from typing import Any

from suanzi import _core
from suanzi.fusion.on_devices import DevicePass, ordered
from suanzi.fusion.plan import value_of
from suanzi.fusion.program import Pass, Program
from suanzi.graph.memory import Memory, lies_in_order
from suanzi.graph.recording import switched
from suanzi.graph.steps import Computation, Invocation, Ref
from suanzi.tensor.device import Device, is_elsewhere
from suanzi.tensor.status import InternalError


class FirstRun:
    """The first run of the steps of `memory`. `numbers` are the floats among the arguments of the traced call."""

    def __init__(self, memory: Memory, numbers: tuple[float, ...]) -> None:
        self.memory, self.numbers = memory, numbers
        self.values: list[Any] = []
        self._done = 0  # steps that have run
        self._device: Device | None = None  # the device of all tensors, or None for the CPU
        self._passes: dict[Computation, Pass | DevicePass] = {}
        self._given: dict[Computation, int] = {}  # the number of nodes that each step has computed

    def give(self, ref: Ref, value: Any) -> None:
        self._make_room()
        self.values[ref] = value
        if is_elsewhere(value):
            self._device = value.device

    def value(self, ref: Ref) -> Any:
        self._catch_up()
        return self.values[ref]

    def result(self, step: Invocation) -> Any:
        self._catch_up(step)
        self._done += 1
        with switched(_core.set_carrying_out):
            return step.call(self.values)

    def program(
        self, arguments: int, captured: dict[Ref, Any], outputs: list[Ref], assumed_false: list[Ref]
    ) -> Program:
        """Return the program of all steps, for later calls."""
        self._catch_up()
        steps: list[Pass | DevicePass | Invocation] = []
        for step in self.memory.steps:
            if isinstance(step, Invocation):
                steps.append(step)
            else:
                made = self._passes[step]
                steps.append(made if len(made.results) == len(step.wanted) else self._pass(step, 0))
        return Program(arguments, captured, steps, outputs, assumed_false, [value_of(x) for x in self.values])

    def _make_room(self) -> None:
        self.values += [None] * (self.memory.size - len(self.values))

    def _catch_up(self, before: Invocation | None = None) -> None:
        """Run the recorded steps that have not run, or only the steps that precede `before` if `before` is given."""
        self._make_room()
        for step, count in list(self._given.items()):  # values that a step computed without storing are now wanted
            if count < len(step.wanted):
                self._compute(step, count)
        steps = self.memory.steps
        while self._done < len(steps) and (now := steps[self._done]) is not before:
            self._done += 1
            if isinstance(now, Computation):
                self._passes[now] = self._compute(now, 0)
            else:
                with switched(_core.set_carrying_out):
                    now.run(self.values)
                if now.foreseen is not None:
                    self._check(now)

    def _check(self, step: Invocation) -> None:
        """Check that a step's result has the predicted type and order. `Invocation.run` has checked the shape."""
        x = self.values[step.results[0]]
        if self._device is not None and x.dtype == step.foreseen:
            x = self.values[step.results[0]] = ordered(x, None)
        if x.dtype != step.foreseen or not lies_in_order(x):
            raise InternalError(f"fuse: {step.name} returned {x.dtype}, not a contiguous {step.foreseen}")

    def _compute(self, step: Computation, first: int) -> Pass | DevicePass:
        """Compute the values of a step's nodes, except the first `first` nodes."""
        made = self._pass(step, first)
        made.run(self.values, self.numbers, {})
        self._given[step] = len(step.wanted)
        return made

    def _pass(self, step: Computation, first: int) -> Pass | DevicePass:
        parts = step.wanted[first:], step.results[first:], step.there, self.memory.refs
        return Pass.of(*parts) if self._device is None else DevicePass.of(*parts, self._device)
