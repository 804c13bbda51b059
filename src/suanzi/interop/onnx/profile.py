"""The time that each node of a model takes in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from time import perf_counter
from typing import Any, NamedTuple

from suanzi.interop.onnx.model import Feed, Model
from suanzi.interop.onnx.schedule import Step


class Timing(NamedTuple):
    """One call of a run: the label, the operator's name, and the seconds that the call took."""

    label: str
    operator: str
    seconds: float


def profiled(model: Model, feed: Feed, runs: int = 5) -> tuple[list[Timing], float]:
    """Return the timed calls of the fastest of several runs, in order, and the seconds of this run.

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


def _with_clocks(steps: Iterable[Step], calls: list[tuple[str, float]]) -> tuple[Step, ...]:
    """Return steps that also record the time of each call."""
    return tuple(
        step._replace(
            function=_clocked(step.function, step.label, calls),
            overwriting=None if step.overwriting is None else _clocked(step.overwriting, step.label, calls),
        )
        for step in steps
    )


def _clocked(function: Callable[..., Any], label: str, calls: list[tuple[str, float]]) -> Callable[..., Any]:
    def call(*operands: Any) -> Any:
        start = perf_counter()
        found = function(*operands)
        calls.append((label, perf_counter() - start))
        return found

    return call
