"""The steps of a program in order: computations of nodes, and calls of operators between computations."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from suanzi._core import Pattern
from suanzi.graph.errors import ChangedError
from suanzi.graph.node import Node

Ref: TypeAlias = int  # the index of a value in the list of values that a run keeps


class Operand(NamedTuple):
    """A stand-in, in a recorded call, for a value that the program keeps."""

    ref: Ref


def mapped(arguments: Any, function: Callable[[Any], Any]) -> Any:
    """Return `arguments` with each leaf of lists and tuples replaced by the value of `function` for the leaf."""
    if isinstance(arguments, (list, tuple)) and not isinstance(arguments, Operand):
        parts = [mapped(x, function) for x in arguments]
        if isinstance(arguments, tuple) and all(map(operator.is_, parts, arguments)):
            return arguments
        return type(arguments)(*parts) if hasattr(arguments, "_fields") else type(arguments)(parts)
    return function(arguments)


def leaves(arguments: Any) -> Iterator[Any]:
    """Yield the leaves of arguments, also the leaves within lists, tuples and slices."""
    for x in arguments:
        if isinstance(x, (list, tuple)) and not isinstance(x, Operand):
            yield from leaves(x)
        elif isinstance(x, slice):
            yield from (x.start, x.stop, x.step)
        else:
            yield x


def facts_of(x: Any) -> Any:
    """Return the properties of a tensor or a pattern that must be the same in all calls, such as the shape."""
    return (x.format, x.shape, x.count, x.canonical) if isinstance(x, Pattern) else x.shape


def last_uses(steps: Sequence[Iterable[Ref]], kept: Iterable[Ref]) -> list[list[Ref]]:
    """Return, for each step, the values that the step uses and no later step uses, except the values in `kept`. `steps`
    lists the values that each step reads or writes.
    """
    dead: list[list[Ref]] = [[] for _ in steps]
    kept = frozenset(kept)
    for ref, k in {ref: k for k, refs in enumerate(steps) for ref in refs}.items():
        if ref not in kept:
            dead[k].append(ref)
    return dead


@dataclass(slots=True, eq=False)
class Computation:
    """A step that computes nodes together from values in memory."""

    wanted: list[Node]
    results: list[Ref]  # the indices of the values of the wanted nodes
    there: dict[Node, bool]  # for each value in memory before the step, True if the value is contiguous
    inside: set[Node]  # all nodes that the step computes


@dataclass(slots=True, eq=False)
class Invocation:
    """A step that calls a function outside computations. The results of later calls must have the same `facts` as the
    first result.
    """

    name: str
    function: Callable[..., Any]
    arguments: Any
    results: list[Ref] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)  # properties of the results on which later steps rely
    view_of: Ref | None = None  # the value of which the result is a view, if any
    free: bool = False  # True if the call only splits a tensor into parts, or joins existing parts
    foreseen: Any = None  # the predicted type of the only result

    def call(self, values: list[Any]) -> Any:
        given = []
        for x in self.arguments:
            if type(x) is Operand:
                given.append(values[x.ref])
            elif isinstance(x, (list, tuple)):
                given.append(mapped(x, lambda part: values[part.ref] if isinstance(part, Operand) else part))
            else:
                given.append(x)
        return self.function(*given)

    def run(self, values: list[Any], _: tuple[Any, ...] = (), __: Any = None) -> None:
        result = self.call(values)
        if len(self.results) == 1 and not isinstance(result, (tuple, list)):
            result = (result,)
        for ref, part, facts in zip(self.results, result, self.facts, strict=True):
            if facts_of(part) != facts:
                raise ChangedError
            values[ref] = part

    def reads(self) -> list[Ref]:
        return [x.ref for x in leaves(self.arguments) if isinstance(x, Operand)]
