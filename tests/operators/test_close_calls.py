"""Tests of the table of hard cases: float32 operands whose exact results are near the middle of two float32 numbers.

mpmath computes the exact results.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import suanzi
from suanzi.conformance.probes import rounding

# The table is a file that Suanzi's module for PyTorch reads. This test reads the file itself and needs no PyTorch.
TABLE = Path(suanzi.__file__).parent / "devices/close_calls.npz"
NAMES = sorted(np.load(TABLE).files)
CONTEXT = mpmath.MPContext()
CONTEXT.prec = 200

Number = Any


def function_of(name: str) -> Callable[[Number], Number]:
    others = {
        "log2": lambda x: CONTEXT.log(x) / CONTEXT.log(2),
        "log10": lambda x: CONTEXT.log(x) / CONTEXT.log(10),
        "rsqrt": lambda x: 1 / CONTEXT.sqrt(x),
    }
    found: Callable[[Number], Number] = others.get(name) or getattr(CONTEXT, name)
    return found


def unit_of(y: Number) -> Number:
    """Return the distance between neighbouring float32 numbers at `y`."""
    return CONTEXT.mpf(2) ** max(CONTEXT.frexp(abs(y))[1] - 24, -149)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_correctly_rounded_and_close_to_a_middle(name: str) -> None:
    operands, results = np.load(TABLE)[name].view(np.float32)
    assert np.array_equal(np.sort(operands), operands)
    for operand, result in zip(operands.tolist(), results.tolist(), strict=True):
        y = function_of(name)(CONTEXT.mpf(operand))
        unit = unit_of(y)
        steps = CONTEXT.nint(y / unit)
        assert CONTEXT.mpf(result) == steps * unit or (steps == 2**24 and np.isinf(result)), operand
        distance = abs(abs(y / unit - CONTEXT.floor(y / unit)) - CONTEXT.mpf(1) / 2)
        assert distance < CONTEXT.mpf(2) ** -26, operand


def test_functions_of_one_operand_have_a_table() -> None:
    """Every function of one operand has a table, except `sqrt` and `reciprocal`, which need none. The extras `erf` and
    `erfc` have a table, too.
    """
    assert set(NAMES) == set(rounding.table()) - {"sqrt", "reciprocal"} | {"erf", "erfc"}
