"""float32 functions are correctly rounded. The tests compare hashes of results in sampled blocks at each SIMD level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from suanzi.conformance import Suanzi
from suanzi.conformance.oracle.rules import RULES
from suanzi.conformance.probes import rounding
from suanzi.operators.registry import records

UNARY = sorted(r.name for r in records() if r.accuracy and r.name not in ("pow", "atan2"))


def test_every_function_of_one_operand_has_hashes() -> None:
    assert sorted(rounding.table()) == UNARY


@pytest.mark.parametrize("name", UNARY)
def test_sampled_blocks(name: str) -> None:
    assert not list(rounding.faults(Suanzi(), name, rounding.SAMPLED))


class OneUlpOff(Suanzi):
    """Suanzi with one wrong element in each result. The right float32 number is replaced by its neighbour towards 0."""

    def find(self, operator: str) -> Callable[..., Any] | None:
        found = super().find(operator)

        def call(x: Any) -> Any:
            assert found is not None
            y = found(x).numpy().copy()
            y[y.size // 3] = np.nextafter(y[y.size // 3], np.float32(0))
            return y

        return call

    def to_numpy(self, tensor: Any) -> Any:
        return tensor


def test_one_wrong_result_among_a_million_is_seen() -> None:
    block = 1010  # the block of inputs that begins at 0.625
    assert not list(rounding.faults(Suanzi(), "exp", [block]))
    assert list(rounding.faults(OneUlpOff(), "exp", [block])) == [
        "not all of the inputs 0x3f200000 to 0x3f2fffff are correctly rounded"
    ]


@pytest.mark.parametrize("name", UNARY)
def test_a_block_against_the_oracle(name: str) -> None:
    """The table has the hash of a block of results that were computed in long double and rounded to float32.

    Such results are wrong for at most one input in 2^40.
    """
    block = 1015 if name != "acosh" else 1030  # the blocks begin at 0.9375 and at 3.5
    x = rounding.inputs(block)
    with np.errstate(all="ignore"):
        y = np.asarray(RULES[name].by_kind["F"](x.astype(np.longdouble))).astype("<f4")
    y[np.isnan(y)] = np.nan
    assert rounding.hash_of(y.tobytes()) == rounding.table()[name].blocks[block].tobytes()
