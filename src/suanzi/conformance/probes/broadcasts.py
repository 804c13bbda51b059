"""Probes of broadcasting (chapter 5.4 of the standard). The result must have the same bits as the result for operands
that were expanded before the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

import numpy as np

from ..arguments import Arguments, Dense, arguments, filling
from ..oracle.compare import exactly
from ..oracle.element_types import ELEMENT_TYPES
from ..probe import Probe, Value
from ..standard import Operator, standard
from .stated_calls import AreSame

# Shapes of three operands. An operator with fewer operands uses the first shapes.
_SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((2, 3), (3,), (2, 1)),
    ((3, 1), (1, 4), (4,)),
    ((), (2, 3), (3,)),
    ((2, 3, 4, 5), (4, 1), (3, 1, 1)),
    ((5,), (2, 1, 3, 1), (1,)),
    ((2, 1, 2, 1, 3), (4, 1, 2, 1), ()),
    ((1, 1), (0,), ()),
    ((2, 0, 3), (1, 3), (2, 1, 1)),
    ((1,), (2, 2), (2, 1, 1)),
    ((37, 1), (1, 41), (41,)),
)
_EXPANDED: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 1), (2, 3)),
    ((3,), (4, 3)),
    ((), (2, 2)),
    ((1,), (0,)),
    ((2, 1, 3), (5, 2, 4, 3)),
    ((1, 1, 1), (2, 1, 3)),
    ((2, 3), (2, 3)),
    ((0, 1), (2, 0, 3)),
    ((1, 2, 1, 2), (3, 1, 2, 5, 2)),
)
_PRODUCTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 1, 2, 3), (4, 3, 2)),
    ((3, 2), (2, 2, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 1, 3, 2), (1, 4, 2, 3)),
    ((3,), (2, 4, 3, 2)),
    ((2, 4, 2, 3), (3,)),
    ((0, 2, 3), (1, 3, 2)),
    ((2, 1, 1, 2, 2), (3, 1, 2, 2)),
)


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of a function on operands of different shapes that broadcast."""
    operator = standard().operators.get(function)
    if operator is None or "broadcasting" not in operator.aspects:
        return
    names = [t.name for t in ELEMENT_TYPES.values() if t.name in available and t.letter in operator.types]
    if operator.shape == "broadcast":
        yield from (probe for probe in _extended(operator) if probe.given.types <= available)
    for name in names:
        for shape, other in _EXPANDED if function == "expand" else ():
            x = np.array(filling(name, shape))
            label = f"{name} {shape} to {other}"
            yield Value(function, label, (x, other), exactly(np.broadcast_to(x, other)), aspect="broadcasting")
        for shapes in _PRODUCTS if function == "matmul" else ():
            a, b = (np.array(filling("int8", shape, place) % 4) for place, shape in enumerate(shapes))
            expected = exactly(np.asarray(np.matmul(a, b)).astype(ELEMENT_TYPES[name].numpy))
            operands = tuple(x.astype(ELEMENT_TYPES[name].numpy) for x in (a, b))
            yield Value(function, f"{name} of shapes {shapes}", operands, expected, aspect="broadcasting")


def _extended(operator: Operator) -> Iterator[AreSame]:
    """Yield probes that compare a call with the call in which every operand is expanded to the result's shape. The
    probes use the element types in turn.
    """
    names = cycle(
        name for kind in ("F", "I", "C", "B") if kind in operator.types for name in standard().kinds[kind][:2]
    )
    for shapes in _SHAPES:
        given = arguments(operator, operator.example, name := next(names))
        for order in (shapes, shapes[::-1]):
            few = order[: len(given.args)]
            dense = tuple(
                replace(a, array=filling(a.type, shape, place))
                for place, (a, shape) in enumerate(zip(given.args, few, strict=False))
                if isinstance(a, Dense)
            )
            whole = np.broadcast_shapes(*few)
            wide = tuple(replace(a, array=np.broadcast_to(a.array, whole).copy()) for a in dense)
            label = f"{name}: shapes {', '.join(map(str, few))} as {whole}"
            own, other = (Arguments(args, given.options) for args in (dense, wide))
            yield AreSame(operator.name, label, "broadcasting", own, other, operator.results[0])
