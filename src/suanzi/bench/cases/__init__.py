"""The timed calls: cases of each family of operators, and the choice of cases for a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from suanzi.bench.cases import (
    algebra,
    creation,
    elementwise,
    fourier,
    indexing,
    interpolation,
    models,
    networks,
    quantized,
    rearranging,
    reductions,
    searching,
    sparse,
    strings,
)
from suanzi.bench.cases.case import SIZES, AsIs, Call, Case, Operands, named
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES
from suanzi.operators.registry import lookup

_FAMILIES = (
    creation,
    rearranging,
    indexing,
    elementwise,
    reductions,
    searching,
    fourier,
    algebra,
    interpolation,
    sparse,
    quantized,
    strings,
    models,
    networks,
)

CASES: tuple[Case, ...] = tuple(
    sorted((case for family in _FAMILIES for case in family.CASES), key=lambda case: lookup(case.operator).entry.number)
)

# The operators of the catalogue without a case, and the reasons.
UNTIMED: dict[str, str] = {
    "destroy": "a tensor is destroyed once; the time of every call that drops its result includes this cost",
}


class Asked(NamedTuple):
    """A cell of the table of results: one case with one size and one element type."""

    operator: str
    variant: str
    size: int
    element_type: str
    goal: float | None = None


def case_of(operator: str, variant: str, element_type: str) -> Case:
    """Return the case of the operator and the variant that has the element type. If no such case exists, return the
    first case of the operator and the variant.
    """
    alike = [case for case in CASES if (case.operator, case.variant) == (operator, variant)]
    return next((case for case in alike if element_type in case.types), alike[0])


def operators() -> list[str]:
    """Return the operators that have a case, in the order of the catalogue."""
    return list(dict.fromkeys(case.operator for case in CASES))


def select(
    names: Iterable[str] = (),
    *,
    sizes: Iterable[int] = (),
    types: Iterable[str] = (),
    goals: bool = False,
) -> list[Asked]:
    """Return the cells of the operators in `names`. By default, the cells have the sizes and element types that each
    case defines.

    Parameters
    ----------
    names : iterable of str, optional
        Names of operators, by default all operators.
    sizes : iterable of int, optional
        Numbers of elements.
    types : iterable of str, optional
        Element types. The cells have the types among `types` that the operator accepts, or that the case defines if
        the case has calls of its own.
    goals : bool, optional
        True to return only cells that have a goal.
    """
    chosen, sizes, types = set(names), tuple(sizes), tuple(types)
    found = (
        Asked(case.operator, case.variant, size, t, case.goals.get(size) if t in case.types else None)
        for case in CASES
        if not chosen or case.operator in chosen
        for t in _types(case, types)
        for size in sizes or case.sizes
    )
    cells: dict[tuple[str, str, int, str], Asked] = {}
    for cell in found:  # if several cases have the same cell, one case may state the goal
        if cells.setdefault(cell[:4], cell).goal is None:
            cells[cell[:4]] = cell
    return [cell for cell in cells.values() if cell.goal is not None or not goals]


def _types(case: Case, wanted: tuple[str, ...]) -> Iterator[str]:
    if not wanted or case.own is not None:
        yield from (t for t in case.types if not wanted or t in wanted)
        return
    accepted = lookup(case.operator).accepts or "BIFC"
    yield from (t for t in wanted if t in ELEMENT_TYPES and ELEMENT_TYPES[t].letter in accepted)


__all__ = [
    "CASES",
    "SIZES",
    "UNTIMED",
    "AsIs",
    "Asked",
    "Call",
    "Case",
    "Operands",
    "case_of",
    "named",
    "operators",
    "select",
]
