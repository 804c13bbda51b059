"""Fusion of elementwise nodes and reductions into calls of fused functions, for inputs of given shapes.

A fused function is traced for each shape, in about a millisecond. Every model has chains of such nodes. A chain is
fused only for the shapes that `load` receives, and only if the calls are large enough for fusion to save time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from suanzi import SuanziError, Tensor, fuse, tuning
from suanzi.fusion import FusedFunction
from suanzi.fusion.function import is_known_to_core
from suanzi.graph.node import Node
from suanzi.interop.onnx.nodes import Item, Operation
from suanzi.interop.onnx.schedule import Call


class Chain:
    """A function that runs a chain of calls. The function's operands are all values that the chain reads, and the
    results are all values that other calls read.
    """

    def __init__(self, calls: Sequence[Call], constants: Mapping[int, Any], reads: Mapping[int, int]) -> None:
        self.calls = tuple(calls)
        inside = Counter(slot for call in calls for slot in call.inputs)
        made = [slot for call in calls for slot in call.outputs]
        read = [slot for slot in inside if slot not in made]
        # Axes and limits are not tensors but constants of the function.
        self.bound = {
            slot: constants[slot] for slot in read if slot in constants and not isinstance(constants[slot], Tensor)
        }
        self.inputs = tuple(slot for slot in read if slot not in self.bound)
        self.outputs = tuple(slot for slot in made if reads[slot] > inside[slot])
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
        """Return the kind of a chain. Chains of one kind, such as the chains of equal layers, share a fused
        function.
        """
        numbers: dict[int, Hashable] = {slot: repr(value) for slot, value in self.bound.items()}
        for slot in (*self.inputs, *(slot for call in self.calls for slot in call.outputs)):
            numbers.setdefault(slot, len(numbers))
        calls = [
            (call.kind, tuple(numbers[s] for s in call.inputs), tuple(numbers[s] for s in call.outputs))
            for call in self.calls
        ]
        return tuple(calls), tuple(numbers[slot] for slot in self.outputs)

    def as_call(self, function: Any) -> Call:
        """Return a call of a fused function that replaces the chain."""
        label = ", ".join(call.label for call in self.calls)
        return Call(function, self.inputs, self.outputs, len(self.outputs) > 1, label, self.kind)


Parts: TypeAlias = tuple[Call | Chain, ...]

# Families of elementwise operators, and of reductions with the operators around the reductions. Consecutive members may
# be fused.
CHAINED = ("elementwise", "reduction", "conversion", "blockwise")


class Trial:
    """A run that traces chains, and that chooses the chains whose calls are large enough for fusion to save time."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.fused: dict[Hashable, FusedFunction[..., Any]] = {}
        self.chosen: dict[Chain, FusedFunction[..., Any]] = {}

    def calls(self) -> Iterator[Call]:
        """Yield the calls of a run that traces each chain."""
        for part in self.parts:
            yield part.as_call(partial(self._tried, part)) if isinstance(part, Chain) else part

    def better(self) -> Iterator[Call]:
        """Yield the calls of later runs: the fused function of a chain if the trial has chosen the chain, and otherwise
        the chain's calls.
        """
        for part in self.parts:
            if isinstance(part, Chain) and part in self.chosen:
                yield part.as_call(self.chosen[part])
            else:
                yield from part.calls if isinstance(part, Chain) else (part,)

    def _tried(self, chain: Chain, *operands: Tensor) -> Any:
        if max(x.size for x in operands) * (len(chain.calls) - 1) >= tuning.FUSED_CHAIN:
            kind = chain.kind, tuple([(x.dtype, x.shape) for x in operands])
            function = self.fused.setdefault(kind, fuse(chain))
            with suppress(SuanziError):  # after an error, the last line runs the chain without fusion
                results = function(*operands)
                if is_known_to_core(function):
                    self.chosen[chain] = function
                return results
        return chain(*operands)


def chained(
    operations: Mapping[Operation, Call], tensors: set[Node], constants: Mapping[int, Any], results: Iterable[int]
) -> Parts:
    """Return the calls in an order in which the calls can run. Consecutive calls that may be fused form a `Chain`. The
    result is empty if no calls form a chain.

    The operands and results of a chain are constants or belong to `tensors`. The shapes of the model's inputs determine
    the shapes of `tensors`, so a chain is traced once for each set of input shapes.
    """
    groups = _Groups()
    for node in operations:
        groups.add(node, node.family in CHAINED and tensors.issuperset((node, *node.operands)))
    reads = Counter(results)
    for call in operations.values():
        reads.update(call.inputs)
    parts: list[Call | Chain] = []
    for group in groups.in_order():
        calls = [operations[node] for node in group]
        chain = Chain(calls, constants, reads) if len(calls) > 1 else None
        # Other operations may need only the shapes of a chain's values, and the shapes are known.
        parts += [chain] if chain and chain.outputs else calls
    return tuple(parts) if len(parts) < len(operations) else ()


class _Groups:
    """Groups of operations, each named by its first operation, that can run one after the other.

    Every group has a higher level than the groups that compute the group's operands.
    """

    def __init__(self) -> None:
        self.of: dict[Node, Node] = {}  # the group of each operation
        self.members: dict[Node, list[Operation]] = {}
        self.before: dict[Node, set[Node]] = {}  # the groups that compute the operands of each group
        self.levels: dict[Node, int] = {}
        self.open: set[Node] = set()  # groups that further operations may join
        self.read: set[Node] = set()  # nodes that other groups read

    def add(self, node: Operation, fusable: bool) -> None:
        """Add the next operation to the group of its operands if the operation may join that group, or else to a new
        group.
        """
        makers = (x.operands[0] if isinstance(x, Item) else x for x in node.operands)
        needs = {self.of[x] for x in makers if x in self.of}
        group: Node = node
        if fusable:
            candidates = sorted(needs & self.open, reverse=True)
            group = next((g for g in candidates if self._may_join(needs - {g}, g)), node)
            self.open.add(group)
        others = needs - {group}
        self.of[node] = group
        self.members.setdefault(group, []).append(node)
        self.before.setdefault(group, set()).update(others)
        self.levels[group] = max(self.levels.get(group, 0), *(self.levels[x] + 1 for x in others), 0)
        self.read |= others
        if len(self.members[group]) == tuning.LONGEST_CHAIN:
            self.open.discard(group)

    def _may_join(self, others: set[Node], group: Node) -> bool:
        """Return True only if no other operand of the operation to add depends on the group."""
        return group not in self.read or all(self.levels[x] < self.levels[group] for x in others)

    def in_order(self) -> Iterator[list[Operation]]:
        """Yield the groups in an order in which each group follows the groups that it reads. A group is as close to the
        position of the group's last operation as possible.
        """
        left, readers = self.before, defaultdict[Node, list[Node]](list)
        for group, before in left.items():
            for other in before:
                readers[other].append(group)
        ready = [(self.members[group][-1], group) for group, before in left.items() if not before]
        heapify(ready)
        while ready:
            _, group = heappop(ready)
            yield self.members[group]
            for reader in readers[group]:
                left[reader].discard(group)
                if not left[reader]:
                    heappush(ready, (self.members[reader][-1], reader))
