"""The oracle finds faults planted into right results. The kit reports the faults. The comparison with which Suanzi's
tests judge results finds the faults, too.

test_mutants.py has other faults, some of which Suanzi once had.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from oracle import values
from oracle.precise import RULES
from suanzi.conformance import State, Suanzi, check, oracle
from suanzi.conformance.oracle.compare import exactly
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.conformance.oracle.rules import reference
from suanzi.operators.registry import lookup

pytestmark = pytest.mark.one_level

Fault = Callable[..., Array]  # a function of the right result and the operands


def other_zeros(result: Array, *_: Array) -> Array:
    return np.where(result == 0, -result, result)


def other_imaginary_zeros(result: Array, *_: Array) -> Array:
    return np.where(result.imag == 0, result.conj(), result)


def an_ulp_too_small(result: Array, *_: Array) -> Array:
    """Replace 1 and -1 by their neighbours towards 0."""
    return np.where(np.abs(result) == 1, np.nextafter(result, 0), result)


def an_ulp_too_large(result: Array, *_: Array) -> Array:
    return np.where(np.abs(result) == 2, np.nextafter(result, 2 * result), result)


def one_an_ulp_off(result: Array, *_: Array) -> Array:
    wrong = result.copy()
    usual = np.flatnonzero(np.isfinite(result) & (result != 0))[-1:]
    wrong.flat[usual] = np.nextafter(wrong.flat[usual], result.dtype.type(0))
    return wrong


def without_nan(result: Array, x: Array, y: Array) -> Array:
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, result))


def nan_for_infinity(result: Array, *_: Array) -> Array:
    return np.where(np.isinf(result), result - result, result)


def largest_for_infinity(result: Array, *_: Array) -> Array:
    return np.where(np.isinf(result), np.copysign(np.finfo(result.dtype).max, result), result)


def saturated_sum(_: Array, x: Array, y: Array) -> Array:
    info = np.iinfo(x.dtype)
    return np.clip(x.astype(object) + y.astype(object), info.min, info.max).astype(x.dtype)


def saturated_opposite(result: Array, x: Array) -> Array:
    return np.where(x == np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, result)


def floored(_: Array, x: Array, y: Array) -> Array:
    """Return the quotients of integers rounded to minus infinity instead of to zero."""
    return np.floor_divide(x, np.where(y == 0, 1, y)) * (y != 0)


PLANTED: list[tuple[str, str, Fault]] = [
    *(("multiply", t, other_zeros) for t in ("float16", "float32", "float64")),
    *((operator, "float32", other_zeros) for operator in ("maximum", "floor", "multiply_add", "fmod")),
    *((operator, "complex64", other_imaginary_zeros) for operator in ("conj", "positive", "where")),
    *((operator, "float64", an_ulp_too_small) for operator in ("round", "divide", "sqrt", "maximum")),
    *((operator, "float16", an_ulp_too_small) for operator in ("round", "exp", "pow")),
    *((operator, "float32", an_ulp_too_large) for operator in ("round", "add", "reciprocal")),
    *(
        (operator, t, one_an_ulp_off)
        for operator in ("round", "multiply_add")
        for t in ("float16", "float32", "float64")
    ),
    *((operator, "float32", without_nan) for operator in ("maximum", "minimum", "add")),
    *((operator, "float64", nan_for_infinity) for operator in ("exp", "multiply_add", "divide")),
    *((operator, "float64", largest_for_infinity) for operator in ("exp", "multiply_add", "add")),
    *(("add", t, saturated_sum) for t in ("int8", "uint16", "int64", "uint64")),
    *(("negative", t, saturated_opposite) for t in ("int8", "int64")),
    ("divide_trunc", "int32", floored),
]


class Planted(Suanzi):
    """Suanzi with a fault in one operator's results of one element type."""

    def __init__(self, operator: str, t: ElementType, fault: Fault) -> None:
        self.operator, self.t, self.fault = operator, t, fault

    def find(self, operator: str) -> Callable[..., Any] | None:
        found = super().find(operator)
        if found is None or operator != self.operator:
            return found

        def call(*operands: Any, **options: Any) -> Any:
            result = found(*operands, **options)
            if "out" in options:  # the fault concerns elements, not the place of the result
                return result
            if result.dtype.name != self.t.name or not all(isinstance(x, suanzi.Tensor) for x in operands):
                return result
            if operands[-1].dtype is not operands[0].dtype and operator != "where":
                return result
            arrays = np.broadcast_arrays(*(x.numpy() for x in operands))
            return suanzi.tensor(self.fault(result.numpy(), *arrays), dtype=result.dtype)

        return call


@pytest.mark.parametrize(("name", "element_type", "fault"), PLANTED, ids=lambda x: getattr(x, "__name__", x))
def test_planted(name: str, element_type: str, fault: Fault) -> None:
    rule, t = RULES[name], ELEMENT_TYPES[element_type]
    operands = values.operands(rule, t)
    if t.kind == "C":  # complex operands have no zeros
        operands = [x if x.dtype == bool else np.where(np.arange(x.size) % 2 == 0, x.real, x) for x in operands]
        operands = [x.astype(bool if x.dtype == bool else t.numpy) for x in operands]
    expected = reference(rule, operands)
    result = getattr(suanzi, rule.operator)(*map(suanzi.tensor, operands), **rule.constant).numpy()
    assert expected.fault(result, operands) is None
    with np.errstate(all="ignore"):
        assert expected.fault(np.asarray(fault(result, *operands), t.numpy), operands) is not None
        verdict = check(lookup(rule.operator).of, Planted(rule.operator, t, fault))
    assert verdict.state is State.FAIL
    assert all(t.name in found for found in verdict.faults), verdict.faults


class WithoutLarge(Suanzi):
    """Suanzi with NaN in place of finite complex64 numbers of the largest binade, in one operator's results."""

    def __init__(self, operator: str) -> None:
        self.operator = operator

    def find(self, operator: str) -> Callable[..., Any] | None:
        found = super().find(operator)
        if found is None or operator != self.operator:
            return found

        def call(*operands: Any, **options: Any) -> Any:
            result = found(*operands, **options)
            if not isinstance(result, suanzi.Tensor) or result.dtype.name != "complex64" or "out" in options:
                return result
            x = result.numpy().copy()
            x[np.isfinite(x) & (np.maximum(abs(x.real), abs(x.imag)) >= 2.0**127)] = complex("nan")
            return suanzi.tensor(x)

        return call


@pytest.mark.parametrize("operator", ["concat", "stack", "reshape", "clone", "conj", "where", "add"])
def test_a_large_complex_number_becomes_nan(operator: str) -> None:
    verdict = check(operator, WithoutLarge(operator))
    assert verdict.state is State.FAIL
    assert all("complex64" in found for found in verdict.faults), verdict.faults


def test_complex_numbers_beyond_the_range() -> None:
    large, nan = np.array([2e38 + 1j], "complex64"), np.array([complex("nan")], "complex64")
    assert exactly(large).fault(nan) is not None
    one, largest = np.ones(1, "complex64"), np.full(1, np.finfo("float32").max, "complex64")
    for name, operands, allowed in (
        ("add", [large, one], False),
        ("conj", [largest], False),
        ("add", [largest, one], False),
        ("add", [large, large], True),
        ("add", [largest, np.full(1, 2.0**103, "complex64")], True),  # half of the last place: the sum overflows
        ("multiply", [large, one], True),
        ("multiply", [large / 2, one], False),
    ):
        with np.errstate(all="ignore"):
            assert (reference(RULES[name], operands).fault(nan) is None) == allowed, (name, operands)


FOLDER = Path(oracle.__file__).parent


def imported(file: Path) -> set[str]:
    """Return the modules that a file imports anywhere."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.stem)
def test_the_oracle_shares_nothing_with_the_library(file: Path) -> None:
    ours = {module for module in imported(file) if module.split(".")[0] == "suanzi"}
    assert all(module.startswith("suanzi.conformance.oracle") for module in ours), ours


def test_the_kit_needs_no_more_than_the_library() -> None:
    needed = {module.split(".")[0] for file in FOLDER.parent.rglob("*.py") for module in imported(file)}
    assert not needed & {"mpmath", "scipy"}
