"""The description of a fused program in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from suanzi.fusion.description import Description, Part, Step, size


def explain(description: Description) -> str:
    """Return a text with the bytes moved to and from memory, and a line for every pass and every operator between
    passes.
    """
    lines = [description.summary()]
    for part in description.parts:
        if isinstance(part, Step):
            lines.append(f"{part.words()}: an operator of its own, which divides the program")
        else:
            lines += _lines(part)
    return "\n".join(lines)


def _lines(part: Part) -> Iterator[str]:
    before = False
    for step in part.steps:
        if step.blocked and not before:
            yield _blocks(part)
        before = step.blocked
        yield f"{'  ' if step.blocked else ''}{step.kind} over {_walked(step)}: {step.words()}"
    if part.kept:
        yield f"kept in memory between passes: {size(part.kept)}"


def _blocks(part: Part) -> str:
    return f"by blocks of about {part.block_rows} row{'s' if part.block_rows != 1 else ''}, which stay in the cache:"


def _walked(step: Step) -> str:
    said = [f"{prod(step.shape or ()):,} elements"]
    if isinstance(step.tile, tuple):
        said[0] += f" in tiles of {step.tile}"
    elif step.tile:
        said.append(f"{step.tile:,} at a time")
    if step.loops:
        said.append(f"{step.loops} loop{'s' if step.loops != 1 else ''}")
    return f"{step.shape} ({', '.join(said)})"
