"""What follows from the shapes of the inputs alone: numbers, read again only where those are others than before.

Most nodes that exporters write into a model compute the shapes that others reshape to. They are as many as those that
compute, and give the same in each run on inputs of the same shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from suanzi.interop.onnx.folding import Call
from suanzi.interop.onnx.traits import ASKING, DRAWING, READING, SHAPED


class Brief(NamedTuple):
    """What is left to call where the numbers of some slots are known."""

    calls: list[Call]
    numbers: tuple[int, ...]
    shaped: set[int]  # slots whose shapes follow from those of the inputs


def brief(calls: Sequence[Call], inputs: Iterable[int], constants: set[int], results: Iterable[int]) -> Brief:
    """The calls of a run where another was on inputs of the same shapes, and the slots whose numbers that one knew."""
    known = {*constants}  # the value follows from the shapes of the inputs
    shaped = {*constants, *inputs}  # the shape does
    for call in calls:
        asked = shaped if call.name in ASKING else known
        if asked.issuperset(call.inputs) and call.name not in DRAWING:
            known.update(call.outputs)
            shaped.update(call.outputs)
        elif call.name in SHAPED and shaped.issuperset(call.inputs):
            shaped.update(call.outputs)
    read = {slot for call in calls if not known.issuperset(call.outputs) for slot in call.inputs}
    numbers = {
        slot for call in calls if call.name == READING for slot in call.outputs if slot in known and slot in read
    }
    wanted, left = {*results}, []
    for call in reversed(calls):
        # What depends on values stays, though only its shape may be asked for: it may fail for some values.
        if not known.issuperset(call.outputs) or not wanted.isdisjoint(call.outputs):
            wanted.update({*call.inputs} - numbers)
            left.append(call)
    return Brief(left[::-1], tuple(sorted(numbers)), shaped)
