"""Probes of matrix products and of operators that consist of matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..inputs import accepted
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, convert, exact
from ..probe import Probe, Refusal, Value
from ..status import Status


class _Case(NamedTuple):
    """One product: the shapes of the operands, the definition, leading arguments, and options."""

    shapes: tuple[tuple[int, ...], ...]
    terms: str  # the definition in einsum's notation; a further operand, the bias, is added to the sum
    before: tuple[Any, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})


_CASES: dict[str, tuple[_Case, ...]] = {
    "matmul": (
        _Case(((3, 4), (4, 5)), "ij,jk->ik"),
        _Case(((40, 41), (41, 42)), "ij,jk->ik"),
        _Case(((4,), (4,)), "j,j->"),
        _Case(((2, 3, 4), (4,)), "bij,j->bi"),
        _Case(((2, 1, 3, 4), (5, 4, 2)), "...ij,...jk->...ik"),
        _Case(((3, 0), (0, 2)), "ij,jk->ik"),
    ),
    "dot": (
        _Case(((7,), (7,)), "i,i->"),
        _Case(((2, 7), (7, 3)), "ij,jk->ik"),
        _Case(((2, 7), (3, 7, 2)), "ij,ajk->iak"),
    ),
    "vecdot": (_Case(((2, 7), (7,)), "...i,...i->..."),),
    "tensordot": (
        _Case(((2, 3, 4), (3, 4, 2)), "abc,bcd->ad"),
        _Case(((2, 3), (4, 2)), "ab,ca->bc", options={"axes": ([0], [1])}),
    ),
    "outer": (_Case(((3,), (4,)), "i,j->ij"),),
    "einsum": tuple(
        _Case(shapes, terms, (terms,))
        for terms, shapes in (
            ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))),
            ("iij->j", ((3, 3, 4),)),
            ("...i,...i->...", ((2, 4), (1, 4))),
        )
    ),
    "linear": (
        _Case(((2, 3, 4), (5, 4)), "abi,oi->abo"),
        _Case(((3, 4), (5, 4), (5,)), "ai,oi->ao"),
    ),
    "bilinear": (
        _Case(((3, 4), (3, 5), (2, 4, 5)), "ai,aj,oij->ao"),
        _Case(((3, 4), (3, 5), (2, 4, 5), (2,)), "ai,aj,oij->ao"),
    ),
}
_MATRIX = np.ones((2, 3), np.float32)
_MISFITS: dict[str, tuple[Any, ...]] = {
    "matmul": (_MATRIX, _MATRIX),
    "dot": (_MATRIX, _MATRIX),
    "vecdot": (_MATRIX, _MATRIX[:, :2]),
    "tensordot": (_MATRIX, _MATRIX.T),
    "outer": (_MATRIX, _MATRIX),
    "einsum": ("ij,jk", _MATRIX, _MATRIX),
    "linear": (_MATRIX, _MATRIX.T),
    "bilinear": (_MATRIX, _MATRIX, _MATRIX),
}


def _elements(t: ElementType, shape: tuple[int, ...], seed: int) -> Array:
    rng = np.random.default_rng([seed, *shape])
    if t.kind == "B":
        return rng.random(shape) < 0.4
    if t.kind in "US":
        return rng.integers(0, 100, shape).astype(t.numpy)
    imaginary = 1j * rng.uniform(-1, 1, shape) if t.kind == "C" else 0
    return np.asarray(rng.uniform(-1, 1, shape) + imaginary).astype(t.numpy)


def _sum(case: _Case, operands: list[Array]) -> Array:
    terms = case.terms.partition("->")[0].count(",") + 1
    total = np.asarray(np.einsum(case.terms, *operands[:terms]))
    return total + operands[terms] if len(operands) > terms else total


def _expected(case: _Case, t: ElementType, operands: list[Array], conjugate: bool) -> Expected:
    if t.kind in "BUS":
        return Expected(t, convert(_sum(case, [x.astype(np.int64) for x in operands]), t))
    wide = [exact(x) for x in operands]
    magnitude = _sum(case, [abs(x) for x in wide])
    if conjugate:
        wide[0] = wide[0].conj()
    reference = _sum(case, wide)
    # The error of a sum of products is some units in the last place of the sum of magnitudes. 16-bit types are rounded
    # once from float32.
    bound = 1.0 if t.bits == 16 else 200.0
    return Expected(t, reference, bound, magnitude, signed_zero=False)


def _probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("BIFC", available):
        for case in _CASES[operator]:
            operands = [_elements(t, shape, seed) for seed, shape in enumerate(case.shapes)]
            expected = _expected(case, t, operands, conjugate=operator == "vecdot")
            label = f"{t.name} {case.terms} of {case.shapes}"
            yield Value(operator, label, (*case.before, *operands), expected, dict(case.options))
            turned = [np.asfortranarray(x)[...] for x in operands]
            yield Value(operator, f"{label}, by columns", (*case.before, *turned), expected, dict(case.options))
    yield Refusal(operator, "shapes that do not fit", _MISFITS[operator], Status.DIMENSIONS_MISMATCH)
    if operator != "einsum":
        yield Refusal(operator, "a number", (_MATRIX, 1.0, *_MISFITS[operator][2:]), Status.TYPE_MISMATCH)


def _matrix_power(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("IF", available):
        x = np.array([[1, 1], [1, 0]]).astype(t.numpy)
        for n, power in ((0, [[1, 0], [0, 1]]), (1, [[1, 1], [1, 0]]), (9, [[55, 34], [34, 21]])):
            yield Value(operator, f"{t.name} to the power {n}", (x, n), exactly(np.array(power).astype(t.numpy)))
    for t in accepted("F", available):
        x = np.array([[1, 1], [1, 0]]).astype(t.numpy)
        inverse = np.array([[5, -8], [-8, 13]]).astype(t.numpy)
        yield Value(operator, f"{t.name} to the power -6", (x, -6), exactly(inverse))
    yield Refusal(operator, "a matrix that is not square", (_MATRIX, 2), Status.DIMENSIONS_MISMATCH)
    yield Refusal(operator, "no inverse", (np.ones((2, 2)), -1), Status.INVALID_ARGUMENT)


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    **dict.fromkeys(_CASES, _probes),
    "matrix_power": _matrix_power,
}
