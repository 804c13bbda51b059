"""Probes of operands with different types (chapter 6.2 of the standard). An operator computes in the common type of the
operands.

The module `elementwise` has the probes of elementwise operators. This module has the probes of operators that join
tensors, select elements, multiply matrices and solve systems. Elements are small integers, which every type can
represent and whose sums and products are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..oracle.compare import Expected, exactly
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType, exact, floating, promote
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..standard import standard
from ..status import Status

_USUAL = (
    ("float32", "float64"),
    ("int8", "int32"),
    ("complex64", "complex128"),
    ("float16", "float32"),
    ("uint8", "int8"),
    ("uint16", "uint64"),
    ("uint32", "int32"),
    ("int16", "int64"),
    ("float16", "bfloat16"),
    ("bfloat16", "float64"),
    ("float32", "complex64"),
    ("float64", "complex64"),
    ("int64", "float32"),
    ("uint8", "float16"),
    ("int32", "complex64"),
    ("bool", "int8"),
    ("bool", "float32"),
)
# The usual pairs, and the further pairs, each once.
_PAIRS = (*_USUAL, *(pair for pair in combinations(ELEMENT_TYPES, 2) if not {pair, pair[::-1]} & {*_USUAL}))


class _Case(NamedTuple):
    """A call of an operator on arrays of several types: the shapes of the arrays, and a function that computes the
    result.
    """

    shapes: tuple[tuple[int, ...], ...]
    result: Callable[..., Array]
    listed: bool = False  # True if the tensors are one argument, a list
    condition: bool = False  # True if the first operand is a bool, which is not promoted
    floating: bool = False  # True if integers have a floating result
    bound: float = 0.0


def _solved(a: Array, b: Array) -> Array:
    return np.asarray(b / np.diagonal(a))


_CASES: dict[str, _Case] = {
    "concat": _Case(((2, 3), (1, 3), (2, 3)), lambda *x: np.concatenate(x), listed=True),
    "stack": _Case(((2, 3), (2, 3), (2, 3)), lambda *x: np.stack(x), listed=True),
    "where": _Case(((2, 3), (2, 3), (2, 3)), np.where, condition=True),
    "matmul": _Case(((2, 3), (3, 4)), np.matmul),
    "dot": _Case(((5,), (5,)), np.dot),
    "linear": _Case(((2, 3), (4, 3), (4,)), lambda x, w, b: x @ w.T + b),
    "bilinear": _Case(((2, 3), (2, 4), (5, 3, 4), (5,)), lambda x, y, w, b: np.einsum("ni,nj,kij->nk", x, y, w) + b),
    "solve": _Case(((3, 3), (3,)), _solved, floating=True, bound=4.0),
    "lstsq": _Case(((3, 3), (3,)), _solved, floating=True, bound=64.0),
}


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of a function on operands of two types, with the second type at each place in turn."""
    operator = standard().operators.get(function)
    if operator is None or function not in _CASES:
        return
    case = _CASES[function]
    taken = {name for kind in operator.types for name in standard().kinds[kind]} - {*operator.open_types}
    for pair in _PAIRS:
        if not available.issuperset(pair):
            continue
        common = promote(*pair)
        if common is None and not case.floating:
            yield _refused(function, case, pair)
        if common is None or common not in available or (case.floating and common not in taken):
            continue
        if not any(name in taken for name in pair):
            continue
        count = len(case.shapes) - case.condition
        for place in range(count):
            # The quick profile tests every pair of types at the last place, and some pairs also at other places.
            yield replace(
                _asked(function, case, pair, place, ELEMENT_TYPES[common]), telling=place == count - 1 or None
            )


def _elements(t: ElementType, shape: tuple[int, ...], place: int, case: _Case) -> Array:
    if case.condition and place == 0:
        return np.asarray(np.arange(6).reshape(shape) % 2 == 0)
    if case.floating and place == 0:
        return np.asarray(np.diag([1, 1, 1] if t.kind == "B" else [1, 2, 4]).astype(t.numpy))
    numbers = np.asarray((np.arange(int(np.prod(shape))) * 3 + place) % 4)
    return (numbers % 2 if t.kind == "B" else numbers).reshape(shape).astype(t.numpy)


def _refused(function: str, case: _Case, pair: tuple[str, str]) -> Probe:
    """Return the probe of a refused call. The last operand has a type that has no common type with the other types."""
    names = [pair[0]] * (len(case.shapes) - 1) + [pair[1]]
    arrays = tuple(
        _elements(ELEMENT_TYPES[name], shape, place, case)
        for place, (name, shape) in enumerate(zip(names, case.shapes, strict=True))
    )
    given = (list(arrays),) if case.listed else arrays
    return Refusal(function, " with ".join(pair), given, Status.TYPE_MISMATCH, {}, "promotion", telling=True)


def _asked(function: str, case: _Case, pair: tuple[str, str], odd: int, common: ElementType) -> Value | Scenario:
    """Return the probe in which the operand number `odd` has the second type and the other operands have the first
    type.
    """
    types = [pair[1] if place == odd + case.condition else pair[0] for place in range(len(case.shapes))]
    if odd == 0 and len(case.shapes) - case.condition == 2:
        types = [*types[: case.condition], pair[1], pair[0]]
    arrays = [
        _elements(ELEMENT_TYPES[name], shape, i, case)
        for i, (name, shape) in enumerate(zip(types, case.shapes, strict=True))
    ]
    wide = [x if case.condition and i == 0 else _wide(x) for i, x in enumerate(arrays)]
    t = floating(common) if case.floating else common
    found = case.result(*wide)
    values = found.real if t.kind != "C" else found
    label = f"{', '.join(types[case.condition :])} give {t.name}"
    if function == "lstsq":
        return Scenario(
            function,
            label,
            _first_of(
                function, arrays, Expected(t, values.astype(np.longdouble) if t.kind != "C" else values, case.bound)
            ),
            "promotion",
            pair[0],
        )
    if case.bound:
        expected = Expected(t, values.astype(np.clongdouble if t.kind == "C" else np.longdouble), case.bound)
    else:
        expected = exactly(values.astype(t.numpy))
    return Value(function, label, (arrays,) if case.listed else tuple(arrays), expected, aspect="promotion")


def _wide(x: Array) -> Array:
    return np.asarray(exact(x), np.complex128)


def _first_of(function: str, arrays: list[Array], expected: Expected) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        results = needed(provider, function)(*map(provider.from_numpy, arrays))
        return expected.fault(np.asarray(provider.to_numpy(results[0])), ())

    return play
