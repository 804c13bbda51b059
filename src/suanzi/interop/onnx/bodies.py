"""The graphs within nodes, ready to run: each is a plan of its own, which runs with the outer values that it takes."""

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
    """A graph within a node.

    The node has the outer values that its graphs take as operands behind its own, so that every pass sees them.
    """

    slots: list[Any]  # the constants at their places, None elsewhere
    inputs: tuple[int, ...]  # the slots of the graph's inputs
    taken: tuple[tuple[int, int], ...]  # slots, and which of the outer values they get
    steps: tuple[Step, ...]
    results: Callable[[list[Any]], Iterable[Any]]
    result_slots: tuple[int, ...]
    reads: frozenset[int]  # slots that a step reads, or that are results
    types: tuple[AnyType | None, ...]  # types of the results, as far as they are known
    shapes: tuple[Sizes | None, ...]  # declared shapes of the results
    draws: bool  # True if it has random operators

    @property
    def cost(self) -> int:
        """The number of calls of one run of it; calls of loops within it count when they run."""
        return 1 + len(self.steps)

    def run(self, values: Iterable[Any], outer: Sequence[Any]) -> Iterable[Any]:
        """Return the results for the inputs and the outer values."""
        slots = self.slots.copy()
        for slot, x in zip(self.inputs, values, strict=True):
            slots[slot] = x
        for slot, i in self.taken:
            slots[slot] = outer[i]
        call_all(self.steps, slots)
        return self.results(slots)


class Asked(NamedTuple):
    """A node with graphs, as the functions that make its call see it."""

    label: str
    types: tuple[AnyType | None, ...]  # types of its own operands
    outputs: int
    attributes: dict[str, Any]
    graph: Callable[[str, Sequence[AnyType | None]], Body]  # a body by the attribute's name and the types of its inputs

    def body(self, name: str, types: Sequence[AnyType | None], results: int | None = None) -> Body:
        """Return the graph of that name, for inputs of these types; INVALID_ARGUMENT where it has other results."""
        body = self.graph(name, types)
        if results is not None and len(body.types) != results:
            raise InvalidArgumentError(f"{self.label}: {name} has {len(body.types)} results, not {results}")
        return body


class Made(NamedTuple):
    """The call of a node with graphs."""

    function: Callable[..., Any]  # a function of its own operands and the outer values
    types: Sequence[AnyType | None]  # types of its results
    bodies: tuple[Body, ...]
    least: int = 0  # operands of its own that the call has at least, None for those that are absent


def same_type(label: str, name: str, found: AnyType | None, wanted: AnyType | None) -> AnyType | None:
    """Return the type that two places agree on, None where neither knows it; TYPE_MISMATCH where they differ.

    A value is an optional one, too.
    """
    if found is None or wanted is None:
        return found or wanted
    if fits(found, wanted):
        return wanted
    if not fits(wanted, found):
        raise TypeMismatchError(f"{label}: {name} is {listed([found])} in one place and {listed([wanted])} in another")
    return found
