"""The time that each node of a model takes in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import fields, is_dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

from suanzi.interop.onnx.bodies import Body
from suanzi.interop.onnx.model import Feed, Model
from suanzi.interop.onnx.schedule import Step


class Timing(NamedTuple):
    """One call of a run: the label, the operator's name, and the seconds that the call took.

    The seconds of a node with graphs do not include the calls in the graphs, which have timings of their own.
    """

    label: str
    operator: str
    seconds: float


def profiled(model: Model, feed: Feed, runs: int = 5) -> tuple[list[Timing], float]:
    """Return the timed calls of the fastest of several runs, in order, and the seconds of the fastest run.

    A run before the timed runs computes the values that depend only on shapes.
    """
    timed, plan = copy(model), model._plan
    calls: list[tuple[str, float]] = []
    timed._optimized = {}
    timed._plan = plan._replace(steps=_with_clocks(plan.steps, calls), brief=_with_clocks(plan.brief, calls))
    timed.run(feed)
    best: list[tuple[str, float]] = []
    whole = float("inf")
    for _ in range(runs):
        calls.clear()
        start = perf_counter()
        timed.run(feed)
        if (seconds := perf_counter() - start) < whole:
            best, whole = calls.copy(), seconds
    return [Timing(label, operator_of(label), seconds) for label, seconds in best], whole


def operator_of(label: str) -> str:
    """Return the name of the operator in a call's label."""
    name = label.partition(" ")[0]
    return name.rpartition("-")[0] or name


def _with_clocks(steps: Iterable[Step], calls: list[tuple[str, float]], outer: str = "") -> tuple[Step, ...]:
    """Return steps that also record the time of each call. `outer` is the label of the node that contains the steps."""
    timed = []
    for step in steps:
        label = f"{step.label} in {outer}" if outer else step.label
        function = _clocked(_with_timed_bodies(step.function, calls, label), label, calls)
        overwriting = None if step.overwriting is None else _clocked(step.overwriting, label, calls)
        timed.append(step._replace(function=function, overwriting=overwriting))
    return tuple(timed)


def _with_timed_bodies(function: Any, calls: list[tuple[str, float]], label: str) -> Any:
    """Return the function of a node with clocks in the node's graphs. Return `function` itself for a node without
    graphs.
    """
    if isinstance(function, Body):
        return function._replace(steps=_with_clocks(function.steps, calls, label))
    if not is_dataclass(function) or isinstance(function, type):
        return function
    parts = {field.name: getattr(function, field.name) for field in fields(function)}
    timed = {name: _with_timed_bodies(part, calls, label) for name, part in parts.items()}
    changed = {name: part for name, part in timed.items() if part is not parts[name]}
    return replace(function, **changed) if changed else function


def _clocked(function: Callable[..., Any], label: str, calls: list[tuple[str, float]]) -> Callable[..., Any]:
    def call(*operands: Any) -> Any:
        first, start = len(calls), perf_counter()
        found = function(*operands)
        seconds = perf_counter() - start
        calls.append((label, seconds - sum(inner for _, inner in calls[first:])))
        return found

    return call
