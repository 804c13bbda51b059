"""What need not be done at every run, found once: calls of constants alone, equal calls, calls that nobody needs.

A model may be hostile, and loading is not running. So a call is computed here only where the size of its result is
known beforehand and the work in proportion to it (traits.py has them), and within bounds on what all of them make.
What is past the bounds, or fails, is left to the run, which computes it or raises the error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import suanzi
from suanzi import DType, Tensor, tuning
from suanzi.interop.onnx.traits import DRAWING, IDENTITY, MOST_ELEMENTS, VIEWING

ABSENT = 0  # the slot of an optional operand that is not there
_WIDEST = 16  # bytes of an element whose type is not known yet


class Call(NamedTuple):
    """A node as a call: what it reads and fills among the slots, and what it is known by."""

    function: Callable[..., Any]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    gives_several: bool
    label: str
    name: str  # of the operator
    kind: Hashable  # calls of one kind give the same for the same operands; its version and attributes, as bytes
    attributes: Mapping[str, Any]


class Simplifier:
    """The calls of a graph, made fewer; constants are added to its slots, and those that nobody reads taken out."""

    def __init__(self, slots: list[Any], dtypes: Mapping[int, DType | None], constants: set[int]) -> None:
        self.slots, self.dtypes, self.constants = slots, dtypes, constants
        self.same: dict[int, int] = {}  # the slot that stands for another
        self.made: dict[Hashable, tuple[int, ...]] = {}
        self.results: frozenset[int] = frozenset()
        self.handed_out: frozenset[int] = frozenset()  # what lies in the memory of a result
        self.readers: Counter[int] = Counter()
        stored = self.live = sum(_bytes(slots[slot]) for slot in constants)
        self.most_live, self.work_left = (
            float(stored * times + more) for times, more in (tuning.MOST_GROWTH, tuning.MOST_WORK)
        )

    def simplified(self, calls: Iterable[Call], results: tuple[int, ...]) -> tuple[list[Call], tuple[int, ...]]:
        """The calls that a run makes, and the slots of its results."""
        calls = needed(calls, results)
        self.results, self.handed_out = frozenset(results), _handed_out(calls, results)
        self.readers.update(slot for call in calls for slot in call.inputs)
        self._merge_constants()
        left = [call for each in calls if (call := self._simplified(each)) is not None]
        return left, tuple(self.same.get(slot, slot) for slot in results)

    def _simplified(self, call: Call) -> Call | None:
        """The call on the slots that stand for its operands; None where there is nothing to do."""
        call = call._replace(inputs=tuple(self.same.get(slot, slot) for slot in call.inputs))
        if call.name in DRAWING:
            return call
        if call.name == IDENTITY:
            self._stand_for(call.outputs, call.inputs)
        elif self.constants.issuperset(call.inputs) and self._compute(call):
            pass
        elif self.handed_out.isdisjoint(call.outputs):  # a user may write into one result and read another
            first = self.made.setdefault((call.kind, call.inputs, len(call.outputs)), call.outputs)
            if first is call.outputs:
                return call
            self._stand_for(call.outputs, first)
        else:
            return call
        for slot in call.inputs:
            self._read(slot)
        return None

    def _stand_for(self, slots: Iterable[int], others: Iterable[int]) -> None:
        """The second slots hold what the first would."""
        for slot, other in zip(slots, others, strict=True):
            self.same[slot] = other
            self.readers[other] += self.readers[slot]
            if slot in self.results:
                self.results |= {other}

    def _read(self, slot: int) -> None:
        """One call less will read a slot; a constant that none does is let go."""
        self.readers[slot] -= 1
        if not self.readers[slot] and slot in self.constants and slot not in self.results:
            self.live -= _bytes(self.slots[slot])
            self.slots[slot] = None

    def _compute(self, call: Call) -> bool:
        """Fill the outputs of a call of constants now, if that is allowed and works."""
        if call.name not in MOST_ELEMENTS:
            return False
        if suanzi.string in map(self.dtypes.get, (*call.inputs, *call.outputs)):  # of no size known beforehand
            return False
        operands = [self.slots[slot] for slot in call.inputs]
        try:
            size = MOST_ELEMENTS[call.name](*operands) * max(map(self._width, call.outputs))
            if not size <= min(self.most_live - self.live, self.work_left):
                return False
            found = call.function(*operands)
            values = tuple(map(read_only, found if call.gives_several else (found,)))
        except Exception:  # the run is what raises it
            return False
        if len(values) < len(call.outputs):
            return False
        for slot, value in zip(call.outputs, values, strict=False):
            if self.readers[slot] or slot in self.results:
                self.slots[slot] = value
                self.live += _bytes(value)
        self.constants.update(call.outputs)
        self.work_left -= size
        return True

    def _width(self, slot: int) -> int:
        dtype = self.dtypes.get(slot)
        return _WIDEST if dtype is None else dtype.itemsize

    def _merge_constants(self) -> None:
        """Let one stand for all that are equal, of small ones: exporters store 0 and 1 for every use."""
        found: dict[Hashable, int] = {}
        for slot in sorted(self.constants - self.results - {ABSENT}):
            value = self.slots[slot]
            if _bytes(value) > tuning.MERGED_CONSTANT or self.dtypes[slot] is suanzi.string:
                continue
            same = (value.dtype, value.shape, value.numpy().tobytes()) if isinstance(value, Tensor) else repr(value)
            first = found.setdefault(same, slot)
            if first != slot:
                self._stand_for([slot], [first])


def read_only(value: Any) -> Any:
    """A constant as what nobody can write into: a run may hand it out, and the next must find it as it was.

    Texts stay as they are: their memory is no array's.
    """
    if isinstance(value, Tensor) and value.dtype is not suanzi.string:
        array = value.numpy()
        if array.flags.writeable:
            array.flags.writeable = False
            return suanzi.from_reference(array)
    return value


def needed(calls: Iterable[Call], results: Iterable[int]) -> list[Call]:
    """The calls without those whose outputs nobody reads."""
    wanted, kept = {*results}, []
    for call in reversed([*calls]):
        if not wanted.isdisjoint(call.outputs):
            wanted.update(call.inputs)
            kept.append(call)
    return kept[::-1]


def _handed_out(calls: Sequence[Call], results: Iterable[int]) -> frozenset[int]:
    """The results, and all that they may be views of."""
    found = {*results}
    for call in reversed(calls):
        if call.name in VIEWING and not found.isdisjoint(call.outputs):
            found.update(call.inputs)
    return frozenset(found)


def _bytes(value: Any) -> int:
    """Of Python's numbers as of a tensor's; None has none."""
    if isinstance(value, Tensor):
        return value.nbytes
    return 8 * len(value) if isinstance(value, tuple) else 8 * (value is not None)
