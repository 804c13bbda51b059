"""Rows of a table that is computed from stored ones: looked up in the stored ones, and only then computed.

Small models store the vectors of their vocabulary as bytes, with a factor for each row. Computed at load, the table
would take four times the memory, and most of the time of loading, for a few rows that a run looks up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

import suanzi
from suanzi import DType, tuning
from suanzi.interop.onnx.folding import Call

_ELEMENTWISE = frozenset({"Add", "Cast", "DequantizeLinear", "Mul", "Sub"})  # none of which fails for some values only

Shape = tuple[int, ...]


class Lookups:
    """Gathers along the first axis, moved before the elementwise calls that make what they read.

    Each element is computed as before, so that results are the same bits.
    """

    def __init__(self, slots: list[object], dtypes: dict[int, DType | None], shapes: dict[int, Shape]) -> None:
        self.slots, self.dtypes = slots, dtypes
        self.shapes = shapes  # of the constants, and of what is computed from them element by element
        self.makers: dict[int, Call] = {}
        self.readers: Counter[int] = Counter()
        self.calls: list[Call] = []

    def first(self, calls: Sequence[Call], results: Iterable[int]) -> list[Call]:
        """The calls with lookups in stored tables; those that made the tables are left, perhaps for nobody."""
        self.readers.update(results)
        for call in calls:
            self.readers.update(call.inputs)
        for call in calls:
            if call.name in _ELEMENTWISE and (shape := self._shape(call)) is not None:
                self.shapes[call.outputs[0]] = shape
                self.makers[call.outputs[0]] = call
            if call.name == "Gather" and call.attributes == {"axis": 0} and self._is_large(call.inputs[0]):
                self._move(call, call.inputs[0], call.outputs[0], tuning.DEEPEST_LOOKUP)
            else:
                self.calls.append(call)
        return self.calls

    def _shape(self, call: Call) -> Shape | None:
        """Of the result, where all operands are computed from constants."""
        shapes = [self.shapes.get(slot) for slot in call.inputs]
        if None in shapes or (call.name == "DequantizeLinear" and any(shape not in ((), (1,)) for shape in shapes[1:])):
            return None
        try:
            return np.broadcast_shapes(*(shape for shape in shapes if shape is not None))
        except ValueError:  # the run is what raises it
            return None

    def _is_large(self, slot: int) -> bool:
        dtype, shape = self.dtypes.get(slot), self.shapes.get(slot, ())
        if slot not in self.makers or dtype is None or dtype.kind_name != "real floating":
            return False
        return len(shape) > 1 and math.prod(shape) * dtype.itemsize > tuning.LARGE_TABLE

    def _move(self, lookup: Call, slot: int, output: int, levels: int) -> None:
        """Fill a slot with rows of another."""
        maker = self.makers.get(slot)
        if maker is None or self.readers[slot] > 1 or not levels:
            self.calls.append(lookup._replace(inputs=(slot, lookup.inputs[1]), outputs=(output,)))
            return
        rank, count = len(self.shapes[slot]), self.shapes[slot][0]
        operands = []
        for operand in maker.inputs:
            shape = self.shapes[operand]
            new = operand
            if len(shape) == rank:
                new = self._slot(operand)
                if shape[0] == count:
                    self._move(lookup, operand, new, levels - 1)
                else:  # one row for all
                    squeeze = partial(suanzi.squeeze, axis=0)
                    self.calls.append(Call(squeeze, (operand,), (new,), False, lookup.label, "Squeeze", "rows", {}))
            operands.append(new)
        self.calls.append(maker._replace(inputs=tuple(operands), outputs=(output,)))

    def _slot(self, like: int) -> int:
        self.slots.append(None)
        self.dtypes[len(self.slots) - 1] = self.dtypes.get(like)
        return len(self.slots) - 1
