"""Numbers among the arguments of a fused function may change from call to call without a new trace."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import SuanziError, Tensor
from suanzi.operators.registry import records

OPERATORS = {r.name: r for r in records() if r.family == "elementwise" and len(r.operands) > 1}
TYPES = ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64")
NUMBERS = (0.5, -0.0, 2.0, -1.0, 3.0, math.nan, -math.inf, 1e300, 1.0, 0.1, 2.0**63)
# `pow` chooses a method by the value of the exponent, so each exponent needs a trace.
READS = {"pow"}


def operand(name: str, dtype: str) -> Tensor:
    values = np.random.default_rng(7).normal(0, 3, 40)
    values[:2] = 0, -0.0
    wide = suanzi.tensor(abs(values) if dtype.startswith("u") else values, dtype="float64")
    return suanzi.astype(wide, dtype)


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        x = function(*arguments)
    except SuanziError as error:
        return type(error), str(error)
    array = x.numpy()
    parts = array.real.astype("f8"), array.imag.astype("f8")
    return x.dtype, x.shape, [np.where(np.isnan(part), np.nan, part).tobytes() for part in parts]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", OPERATORS)
def test_numbers_may_change(name: str, dtype: str) -> None:
    """A fused call of an operator with a number is traced once for all numbers, and returns the operator's results.

    `pow` is traced for each exponent.
    """
    record, x = OPERATORS[name], operand(name, dtype)
    for place in range(len(record.operands)):

        def call(number: float, place: int = place) -> Any:
            operands: list[Any] = [x] * len(record.operands)
            operands[place] = number
            return record.builtin(*operands, *(_default(option) for option in record.options), None)

        fused = suanzi.fuse(call)
        for number in NUMBERS:
            assert outcome(fused, number) == outcome(call, number), (place, number)
        traced = [found for found in fused._programs.values() if hasattr(found, "program")]
        assert len(traced) <= 1 or name in READS


def _default(option: str) -> Any:
    return {"rounding": None, "rtol": 1e-5, "atol": 1e-8, "equal_nan": False, "decimals": 0, "mode": "half_even"}[
        option
    ]


def test_only_what_says_so_reads_a_number() -> None:
    x = suanzi.tensor([1.0, 2.0])
    fused = suanzi.fuse(lambda x, p: suanzi.pow(x, p))
    for number in (2.0, 3.0, 0.5):
        assert outcome(fused, x, number) == outcome(suanzi.pow, x, number)
    assert len(fused._programs) == 3
    of_integers = suanzi.fuse(lambda x, p: suanzi.pow(x, p))  # one trace for all exponents
    for number in (2.0, 3.0, 0.5):
        y = suanzi.tensor([1, 2], dtype="int32")
        assert outcome(of_integers, y, number) == outcome(suanzi.pow, y, number)
    assert len(of_integers._programs) == 1


def test_parameters_that_are_no_operands_are_read() -> None:
    x = suanzi.tensor([1.0, 1.1])
    fused = suanzi.fuse(lambda x, rtol: suanzi.isclose(x, 1.0, rtol=rtol))
    assert fused(x, 1e-3).tolist() == [True, False]
    assert fused(x, 0.5).tolist() == [True, True]
