"""What a fused program does, in words."""

from __future__ import annotations

from collections import Counter
from math import prod

from suanzi.fusion.plan import Group
from suanzi.fusion.program import Invocation, Pass, Program


def explain(program: Program) -> str:
    """A line for every pass and every operator between them, with the bytes that go to and from memory."""
    lines, total, passes = [], 0, 0
    for step in program.steps:
        if isinstance(step, Invocation):
            lines.append(f"{step.name}: an operator of its own, which divides the program")
            continue
        written, moved = _pass(step)
        lines += written
        total += moved
        passes += 1
    return "\n".join([f"{passes} fused part{'s' if passes != 1 else ''}, {_bytes(total)} to and from memory", *lines])


def _pass(step: Pass) -> tuple[list[str], int]:
    plan = step.plan
    moved = sum(plan.bytes[node] for node in (*plan.inputs, *plan.outputs))
    blocked = [group for i, group in enumerate(plan.groups) if i in plan.blocked]
    lines = []
    for i, group in enumerate(plan.groups):
        if blocked and group is blocked[0]:
            rows = plan.schedule.block_rows
            lines.append(f"by blocks of about {rows} row{'s' if rows != 1 else ''}, which stay in the cache:")
        indent = "  " if i in plan.blocked else ""
        lines.append(f"{indent}{_group(plan.names, group)}")
    kept = [n for group in plan.groups for n in group.nodes if n not in plan.outputs and group not in blocked]
    if kept:
        moved += 2 * sum(plan.bytes[node] for node in kept)
        lines.append(f"kept in memory between passes: {_bytes(sum(plan.bytes[node] for node in kept))}")
    return lines, moved


def _group(names: dict[int, str], group: Group) -> str:
    counts = Counter(names[node] for node in group.inside)
    operators = ", ".join(name if n == 1 else f"{n} {name}" for name, n in counts.items())
    what = "fold" if group.folds else "pass"
    return f"{what} over {group.shape} ({prod(group.shape):,} elements): {operators}"


def _bytes(n: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if n < 10_000:
            return f"{n:,.0f} {unit}" if unit == "bytes" else f"{n:,.1f} {unit}"
        n /= 1024  # type: ignore[assignment]
    return f"{n:,.1f} GiB"
