"""A fused program as data, which `explain` converts to text and `plot` draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import Literal, NamedTuple

from suanzi import _core
from suanzi.fusion.on_devices import DevicePass
from suanzi.fusion.plan import Part as Planned
from suanzi.fusion.plan import Value
from suanzi.fusion.program import Pass, Program
from suanzi.graph.node import Reduction, Shape
from suanzi.graph.steps import Invocation


class Step(NamedTuple):
    """A pass, a reduction, or a separate operator. The step lists the indices of the values that the step reads and
    writes.
    """

    kind: Literal["pass", "fold", "operator"]
    operators: tuple[tuple[str, int], ...]  # names in order, with their counts
    shape: Shape | None  # the shape over which the loops run
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    blocked: bool = False
    tile: Shape | int = 0  # the shape of tiles that was set, or the number of elements of a tile, or 0 without tiles
    loops: int = 0  # the number of loops over a tile (a loop computes several operators in registers)

    def words(self) -> str:
        return ", ".join(name if n == 1 else f"{n} {name}" for name, n in self.operators)


class Part(NamedTuple):
    """Steps that run as one schedule. The steps that run block by block are neighbours in `steps`."""

    steps: list[Step]
    block_rows: int  # the rows of a block, or 0 without blocks
    kept: int  # bytes kept in memory between two steps
    moved: int  # bytes to and from memory
    unfused: int  # bytes moved by the operators one at a time


class Description(NamedTuple):
    """The parts of a program, and the operators between parts."""

    parts: list[Part | Step]
    values: list[Value | None]  # None for a sparse or quantized tensor
    results: set[int]

    def fused(self) -> list[Part]:
        return [part for part in self.parts if isinstance(part, Part)]

    def summary(self) -> str:
        """Return the number of fused parts and the bytes that the parts move, as the first line of the text of
        `explain`.
        """
        parts = self.fused()
        moved, unfused = sum(part.moved for part in parts), sum(part.unfused for part in parts)
        count = f"{len(parts)} fused part{'s' if len(parts) != 1 else ''}"
        return f"{count}, {size(moved)} to and from memory ({size(unfused)} one operator at a time)"


def describe(program: Program) -> Description:
    description = Description([], [*program.values], set(program.outputs))
    given = {*range(program.arguments), *program.captured}  # inputs, and views of inputs, which cost no work
    for step in program.steps:
        if isinstance(step, Invocation):
            if step.free or step.view_of in given:
                given.update(step.results)
                continue
            operators = ((step.name, 1),)
            description.parts.append(Step("operator", operators, None, tuple(step.reads()), tuple(step.results)))
        elif isinstance(step, DevicePass):
            description.parts.append(_on_device(step, description.values))
        else:
            description.parts.append(_part(step, description.values))
    return description


def _part(made: Pass, values: list[Value | None]) -> Part:
    plan = made.plan
    number = dict(zip((*plan.inputs, *plan.outputs), (*made.inputs, *made.results), strict=True))
    for node, value in plan.values.items():
        if node not in number:  # the value exists only while the part runs
            number[node] = len(values)
            values.append(value)
    steps = [_step(part, number) for part in plan.parts]
    in_blocks = {x for step in steps if step.blocked for x in step.writes}
    rest = [step for step in steps if not step.blocked]
    # A result of a block is in memory if the result is a result of the part, or is read after the blocks. The blocks
    # read each input once.
    left = {number[x] for x in plan.outputs} | {x for step in rest for x in step.reads}
    moves = [x for step in rest for x in (*step.reads, *step.writes)]
    moves += {x for step in steps if step.blocked for x in step.reads} - in_blocks
    moves += in_blocks & left
    kept = ({x for step in rest for x in step.writes} | in_blocks & left) - {*made.results}

    def total(numbers: Iterable[int]) -> int:
        return sum(value.bytes for x in numbers if (value := values[x]) is not None)

    rows = plan.schedule.block_rows if in_blocks else 0
    return Part(steps, rows, total(kept), total(moves), plan.unfused)


def _on_device(made: DevicePass, values: list[Value | None]) -> Part:
    """Return the part that a device computes. Every kernel and every call of an operator is a step."""
    number = {x.number: ref for x, ref in zip((*made.leaves, *made.wanted), (*made.inputs, *made.results), strict=True)}
    steps, kept, moved = [], 0, 0
    for i, group in enumerate(made.groups):
        reads, writes = made.read(group), made.written(i)
        for x in (*reads, *writes):
            moved += x.bytes
            if x.number not in number:
                number[x.number] = len(values)
                values.append(Value(x.shape, str(x.dtype), x.bytes))
                kept += x.bytes
        operators = tuple(Counter(x.name for x in group.nodes).items())
        kind: Literal["pass", "fold"] = "fold" if isinstance(group.nodes[-1], Reduction) else "pass"
        shape = group.domain if kind == "pass" else group.nodes[-1].operands[0].shape
        read, written = [tuple([number[x.number] for x in nodes]) for nodes in (reads, writes)]
        steps.append(Step(kind, operators, shape, read, written))
    return Part(steps, 0, kept, moved, sum(x.bytes for node in made.nodes for x in (node, *set(node.operands))))


def _step(part: Planned, number: dict[int, int]) -> Step:
    operators = tuple(Counter(part.names).items())
    reads, writes = [tuple([number[x] for x in nodes]) for nodes in (part.inputs, part.nodes)]
    steps = part.program.steps if part.program else 0
    loops = steps if steps < len(part.names) else 0
    kind: Literal["pass", "fold"] = "fold" if part.folds else "pass"
    return Step(kind, operators, part.shape, reads, writes, part.blocked, _tile(part), loops)


def _tile(part: Planned) -> Shape | int:
    if part.program is None or prod(part.shape) <= part.program.tile_elements:
        return 0
    asked = _core.get_tile_shape()
    return asked if asked and len(asked) == len(part.shape) and not part.folds else part.program.tile_elements


def size(count: float) -> str:
    """Return a number of bytes as text, in bytes, KiB, MiB or GiB, so that few digits are before the point."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} GiB"
