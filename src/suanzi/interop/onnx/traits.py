"""What can be said of operators before they run: how much they make, whether they draw, whether they only view.

A row of the table (`table.py`) whose function is one of ours says what its record says; compositions state it. All rows
of an operator agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from suanzi.interop.onnx import growth
from suanzi.interop.onnx.table import TABLE, family_of

IDENTITY = "Identity"
READING = "reading"  # the name of calls, none of ONNX's, that read tensors as Python's numbers

FAMILIES: Mapping[str, str] = {name: family_of(rows[-1]) for name, rows in TABLE.items()}
"""The families of the operators, by ONNX's names."""


def _of(*families: str) -> frozenset[str]:
    return frozenset(name for name, family in FAMILIES.items() if family in families)


DRAWING = _of("random")
"""They give something else each time."""

VIEWING = _of("view") | {name for name, rows in TABLE.items() if any(row.may_view for row in rows)}
"""Their result may be the first operand, or lie in its memory."""

ASKING = _of("query")
"""They ask for the shape of their operand alone."""

SHAPED = FAMILIES.keys() - _of("values", "random")
"""The shapes of their results follow from those of their operands, and from the operands that are read as numbers."""

CHAINED = _of("elementwise", "reduction", "conversion", "blockwise")
"""They are elementwise, or reductions with what stands around them: those that follow each other may be fused."""

_BY_FAMILY: dict[str, Callable[..., float]] = {
    "elementwise": growth.broadcast,
    **dict.fromkeys(("reduction", "scan", "view", "conversion"), growth.of_first),
}
MOST_ELEMENTS: Mapping[str, Callable[..., float]] = {
    **{name: _BY_FAMILY[family] for name, family in FAMILIES.items() if family in _BY_FAMILY},
    **{name: row.growth for name, rows in TABLE.items() for row in rows if row.growth is not None},
    READING: growth.of_first,
}
"""For operands, at least how many elements the results have, and how many a call works on, up to a small factor.

Only operators stand here whose work is in proportion to that: no products of matrices, no sorting.
"""
