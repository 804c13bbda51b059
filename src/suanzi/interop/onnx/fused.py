"""Chains of elementwise nodes and reductions, as calls of fused functions: for inputs of the shapes that are asked for.

A fused function is traced for each shape, which takes about a millisecond. So chains are found in every model, but
fused only for the shapes that `load` is told, and only those of their calls that are large enough to win by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from suanzi import SuanziError, Tensor, fuse, tuning
from suanzi.fusion import FusedFunction
from suanzi.fusion.function import is_known_to_core
from suanzi.interop.onnx.folding import Call
from suanzi.interop.onnx.traits import CHAINED


class Chain:
    """Calls as one function of all that they read from others, which gives what others read of them."""

    def __init__(self, calls: Sequence[Call], constants: Mapping[int, Any], wanted: set[int]) -> None:
        self.calls = tuple(calls)
        made = {slot for call in calls for slot in call.outputs}
        read = dict.fromkeys(slot for call in calls for slot in call.inputs if slot not in made)
        # Axes and limits are not tensors: a part of the function.
        self.bound = {
            slot: constants[slot] for slot in read if slot in constants and not isinstance(constants[slot], Tensor)
        }
        self.inputs = tuple(slot for slot in read if slot not in self.bound)
        self.outputs = tuple(slot for call in calls for slot in call.outputs if slot in wanted)
        self.kind = self._kind()

    def __call__(self, *operands: Tensor) -> Any:
        slots = dict(self.bound)
        slots.update(zip(self.inputs, operands, strict=True))
        for call in self.calls:
            found = call.function(*[slots[slot] for slot in call.inputs])
            slots.update(zip(call.outputs, found if call.gives_several else (found,), strict=False))
        results = tuple([slots[slot] for slot in self.outputs])
        return results if len(results) > 1 else results[0]

    def _kind(self) -> Hashable:
        """Chains of one kind are the same function: those of a model's layers are."""
        numbers: dict[int, Hashable] = {slot: repr(value) for slot, value in self.bound.items()}
        for slot in (*self.inputs, *(slot for call in self.calls for slot in call.outputs)):
            numbers.setdefault(slot, len(numbers))
        calls = [
            (call.kind, tuple(numbers[s] for s in call.inputs), tuple(numbers[s] for s in call.outputs))
            for call in self.calls
        ]
        return tuple(calls), tuple(numbers[slot] for slot in self.outputs)

    def as_call(self, function: Any) -> Call:
        """A call of what does the same."""
        label = ", ".join(call.label for call in self.calls)
        return Call(function, self.inputs, self.outputs, len(self.outputs) > 1, label, "chain", self.kind, {})


Parts: TypeAlias = tuple[Call | Chain, ...]


class Trial:
    """A run that traces chains, and finds out which of them are better fused."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.fused: dict[Hashable, FusedFunction[..., Any]] = {}
        self.chosen: dict[int, FusedFunction[..., Any]] = {}  # by the part's place

    def calls(self) -> Iterator[Call]:
        """Those of the run."""
        for i, part in enumerate(self.parts):
            yield part.as_call(self._tried(i, part)) if isinstance(part, Chain) else part

    def better(self) -> Iterator[Call]:
        """Those of the runs after it."""
        for i, part in enumerate(self.parts):
            if not isinstance(part, Chain):
                yield part
            elif i in self.chosen:
                yield part.as_call(self.chosen[i])
            else:
                yield from part.calls

    def _tried(self, place: int, chain: Chain) -> Any:
        def call(*operands: Tensor) -> Any:
            if max(x.size for x in operands) * (len(chain.calls) - 1) >= tuning.FUSED_CHAIN:
                kind = chain.kind, tuple([(x.dtype, x.shape) for x in operands])
                function = self.fused.setdefault(kind, fuse(chain))
                with suppress(SuanziError):  # it cannot be traced, or it fails, as it will again
                    results = function(*operands)
                    if is_known_to_core(function):
                        self.chosen[place] = function
                    return results
            return chain(*operands)

        return call


def chained(
    calls: Sequence[Call], tensors: Container[int], constants: Mapping[int, Any], results: Iterable[int]
) -> Parts:
    """The calls in an order in which they can run, with those together that may be fused; empty where none may.

    These read and fill slots of `tensors`: whose shapes follow from those of the inputs, so that nothing is traced for
    any others.
    """
    groups = _Groups(calls)
    for i, call in enumerate(calls):
        read = (slot for slot in call.inputs if slot not in constants)
        groups.add(i, call.name in CHAINED and all(slot in tensors for slot in (*read, *call.outputs)))
    readers: dict[int, set[int]] = defaultdict(set)  # of each slot, the groups
    for i, call in enumerate(calls):
        for slot in call.inputs:
            readers[slot].add(groups.of[i])
    for slot in results:
        readers[slot].add(-1)
    parts: list[Call | Chain] = []
    for group in groups.in_order():
        members = [calls[i] for i in groups.members[group]]
        wanted = {slot for call in members for slot in call.outputs if readers[slot] - {group}}
        parts.append(Chain(members, constants, wanted) if len(members) > 1 else members[0])
    return tuple(parts) if len(parts) < len(calls) else ()


class _Groups:
    """Calls in groups, each known by its first call, that can run one after the other."""

    def __init__(self, calls: Sequence[Call]) -> None:
        makers = {slot: i for i, call in enumerate(calls) for slot in call.outputs}
        self.needs = [sorted({makers[slot] for slot in call.inputs if slot in makers}) for call in calls]
        self.of: list[int] = []  # the group of each call
        self.members: dict[int, list[int]] = {}
        self.open: set[int] = set()  # groups that others may join

    def add(self, i: int, fusable: bool) -> None:
        """The next call: in the group of what it reads, if it may join one, or in one of its own."""
        group = i
        if fusable:
            candidates = sorted({self.of[needed] for needed in self.needs[i]} & self.open, reverse=True)
            group = next((g for g in candidates if self._may_join(i, g)), i)
            self.open.add(group)
        self.of.append(group)
        self.members.setdefault(group, []).append(i)
        if len(self.members[group]) == tuning.LONGEST_CHAIN:
            self.open.discard(group)

    def _may_join(self, i: int, group: int) -> bool:
        """Whether nothing outside the group that the call needs is made of what is in it."""
        waiting = [g for needed in self.needs[i] if (g := self.of[needed]) != group]
        seen = set(waiting)
        while waiting:
            other = waiting.pop()
            if len(seen) > tuning.FARTHEST_CALL:
                return False
            if self.members[other][-1] < group:  # it was there before
                continue
            for found in self._before(other) - seen:
                if found == group:
                    return False
                seen.add(found)
                waiting.append(found)
        return True

    def _before(self, group: int) -> set[int]:
        """The groups that make what one reads."""
        return {self.of[needed] for i in self.members[group] for needed in self.needs[i]} - {group}

    def in_order(self) -> Iterator[int]:
        """Each after those that it reads, as near to its last call's place as that allows."""
        left = {group: self._before(group) for group in self.members}
        readers: dict[int, list[int]] = defaultdict(list)
        for group, before in left.items():
            for other in before:
                readers[other].append(group)
        ready = [(self.members[group][-1], group) for group, before in left.items() if not before]
        heapify(ready)
        while ready:
            _, group = heappop(ready)
            yield group
            for reader in readers[group]:
                left[reader].discard(group)
                if not left[reader]:
                    heappush(ready, (self.members[reader][-1], reader))
