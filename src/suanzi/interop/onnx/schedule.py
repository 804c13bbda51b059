"""The nodes of a graph as a sequence of calls. Each value has a slot, which a run frees after the last use of the
value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from operator import itemgetter
from typing import Any, NamedTuple

from suanzi.graph.node import Node
from suanzi.graph.steps import last_uses
from suanzi.interop.onnx.nodes import Constant, Item, Operation


class Call(NamedTuple):
    """A call of a run: the slots that the call reads and fills, and the label of the call."""

    function: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    gives_several: bool
    label: str
    kind: Hashable  # the kind of the operation

    def step(self, dead: tuple[int, ...]) -> Step:
        several = self.outputs if self.gives_several else None
        over = getattr(self.function, "overwriting", None)
        is_last = bool(self.inputs) and self.inputs[-1] in dead and self.inputs.count(self.inputs[-1]) == 1
        return Step(self.function, self.inputs, self.outputs[0], several, dead, self.label, over if is_last else None)


class Step(NamedTuple):
    """A call in the form for a run: the slots that the call reads, fills (one slot, or a sequence for several values)
    and frees. If no other code holds the tensor of the last operand, `overwriting` replaces `function`.

    The core reads this form (native/python/steps.cpp).
    """

    function: Callable[..., Any]
    inputs: tuple[int, ...]
    output: int
    several: tuple[int, ...] | None
    dead: tuple[int, ...]
    label: str
    overwriting: Callable[..., Any] | None = None  # a function whose result may take the memory of the last operand


class Slots:
    """The slots of values in the list that a run fills."""

    def __init__(self) -> None:
        self.values: list[Any] = []  # the constants at their places, None elsewhere
        self.constants: dict[int, Any] = {}
        self._places: dict[Node | tuple[Node, int], int] = {}

    def of(self, node: Node) -> int:
        """Return the slot of a node's value. The first request for a value makes the slot."""
        slot = self._place((node.operands[0], node.index) if isinstance(node, Item) else node)
        if isinstance(node, Constant) and slot not in self.constants:
            self.values[slot] = self.constants[slot] = node.value
        return slot

    def call(self, node: Operation) -> Call:
        outputs = [(node, i) for i in range(len(node.dtypes))] if node.gives_several else [node]
        inputs, filled = tuple(map(self.of, node.operands)), tuple(map(self._place, outputs))
        return Call(node.function, inputs, filled, node.gives_several, node.label, node.kind)

    def _place(self, key: Node | tuple[Node, int]) -> int:
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(None)
        return self._places[key]


def with_last_uses(calls: Iterable[Call], kept: Iterable[int]) -> tuple[Step, ...]:
    """Return the steps for calls. A step frees the slots that the step uses and no later step uses, except the slots in
    `kept`.
    """
    calls = tuple(calls)
    dead = last_uses([(*call.inputs, *call.outputs) for call in calls], kept)
    return tuple([call.step(tuple(slots)) for call, slots in zip(calls, dead, strict=True)])


def getter(slots: tuple[int, ...]) -> Callable[[list[Any]], Iterable[Any]]:
    """Return a function that returns the values of `slots` from the list of all values, as a sequence. For a single
    slot, itemgetter would return the value without a sequence.
    """
    if len(slots) > 1:
        return itemgetter(*slots)
    return itemgetter(slice(slots[0], slots[0] + 1) if slots else slice(0))
