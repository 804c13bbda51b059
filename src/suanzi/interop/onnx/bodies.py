"""Graphs within nodes (bodies) that are ready to run. A body has its own plan, and also receives values of outer
graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from suanzi import InvalidArgumentError, TypeMismatchError
from suanzi.interop.onnx.declared import Sizes
from suanzi.interop.onnx.running import call_all
from suanzi.interop.onnx.types import AnyType, fits, listed

if TYPE_CHECKING:
    from suanzi.interop.onnx.schedule import Step


class Body(NamedTuple):
    """A graph within a node, ready to run.

    The outer values that the graphs of a node read are further operands of the node, so every pass sees the outer
    values.
    """

    slots: list[Any]  # the constants at their places, None elsewhere
    inputs: tuple[int, ...]  # the slots of the graph's inputs
    taken: tuple[tuple[int, int], ...]  # pairs of a slot and the index of the slot's outer value
    steps: tuple[Step, ...]
    results: Callable[[list[Any]], Iterable[Any]]
    result_slots: tuple[int, ...]
    reads: frozenset[int]  # slots that a step reads, or that are results
    types: tuple[AnyType | None, ...]  # the known types of the results, or None for an unknown type
    shapes: tuple[Sizes | None, ...]  # declared shapes of the results
    draws: bool  # True if the graph has random operators

    @property
    def cost(self) -> int:
        """Return 1 plus the number of calls of one run. The calls of inner loops are counted when the loops run."""
        return 1 + len(self.steps)

    def run(self, values: Iterable[Any], outer: Sequence[Any]) -> Iterable[Any]:
        """Return the body's results for the inputs and the values of outer graphs."""
        slots = self.slots.copy()
        for slot, x in zip(self.inputs, values, strict=True):
            slots[slot] = x
        for slot, i in self.taken:
            slots[slot] = outer[i]
        call_all(self.steps, slots)
        return self.results(slots)


class Asked(NamedTuple):
    """A node with graphs, in the form that the functions in `control` read to make the node's call."""

    label: str
    types: tuple[AnyType | None, ...]  # the types of the node's own operands
    outputs: int
    attributes: dict[str, Any]
    graph: Callable[[str, Sequence[AnyType | None]], Body]  # returns the body for an attribute and input types

    def body(self, name: str, types: Sequence[AnyType | None], results: int | None = None) -> Body:
        """Return the graph in the attribute `name` for inputs of given types. The method raises INVALID_ARGUMENT if
        `results` is given and is not the number of the graph's results.
        """
        body = self.graph(name, types)
        if results is not None and len(body.types) != results:
            raise InvalidArgumentError(f"{self.label}: {name} has {len(body.types)} results, not {results}")
        return body


class Made(NamedTuple):
    """The parts of a node that contains graphs: the function that runs the node, the types of its results, and the
    bodies of its graphs.
    """

    function: Callable[..., Any]  # a function of the node's own operands, followed by the outer values
    types: Sequence[AnyType | None]  # the types of the results
    bodies: tuple[Body, ...]
    least: int = 0  # the least number of own operands (a missing operand is None)


def same_type(label: str, name: str, found: AnyType | None, wanted: AnyType | None) -> AnyType | None:
    """Return the common type of a value in two places, or None if both types are unknown. Raise TYPE_MISMATCH if the
    types differ.

    The type of a value also fits the type of an optional value.
    """
    if found is None or wanted is None:
        return found or wanted
    if fits(found, wanted):
        return wanted
    if not fits(wanted, found):
        raise TypeMismatchError(f"{label}: {name} is {listed([found])} in one place and {listed([wanted])} in another")
    return found
