"""Comparisons of tensors with integers outside the range of the tensor's type are exact, as in NumPy 2."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import destroyed, fails
from suanzi import DimensionsMismatchError, Tensor, UninitializedObjectError

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
BITS = (8, 16, 32, 64)
LIMITS = {"bool": (0, 1), **{f"uint{n}": (0, 2**n - 1) for n in BITS}}
LIMITS |= {f"int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in BITS}
ENDS = sorted({end + step for limits in LIMITS.values() for end in limits for step in (-1, 0, 1)})
NUMBERS = [*ENDS, -(10**400), -(2**65), -(2**64), 2**65, 10**400]


def elements(name: str) -> list[int]:
    least, greatest = LIMITS[name]
    return [x for x in (least, least + 1, 0, 1, 100, greatest - 1, greatest) if least <= x <= greatest]


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_against_python(comparison: str, name: str) -> None:
    function, symbol = getattr(suanzi, comparison), COMPARISONS[comparison]
    values = elements(name)
    x = suanzi.from_reference(np.array(values, name))
    for number in NUMBERS:
        expected = [symbol(value, number) for value in values]
        assert function(x, number).tolist() == symbol(x, number).tolist() == expected, number
        reflected = [symbol(number, value) for value in values]
        assert function(number, x).tolist() == symbol(number, x).tolist() == reflected, number


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_shapes_layouts_and_outputs(comparison: str) -> None:
    function, symbol = getattr(suanzi, comparison), COMPARISONS[comparison]
    whole = suanzi.zeros((300, 70), dtype="uint8")  # too large for the path that does not use the engine
    for x in (whole, whole.T, whole[::-2, ::3], suanzi.expand(whole[:1], (4, 70)), whole[:0], whole[0, 0]):
        for number in (-1, 256, 10**30):
            out = suanzi.empty(x.shape, dtype="bool")
            for result in (function(x, number), function(x, number, out=out), out):
                assert result.shape == x.shape
                assert result.dtype is suanzi.bool
                assert bool(suanzi.all(result == symbol(0, number)))


def test_errors_name_the_comparison() -> None:
    x = suanzi.zeros(3, dtype="uint8")
    for comparison in COMPARISONS:
        function = getattr(suanzi, comparison)
        with fails(DimensionsMismatchError, comparison):
            function(x, 300, out=suanzi.zeros(4, dtype="bool"))
        with fails(UninitializedObjectError, comparison):
            function(destroyed(), 10**30)


def test_numbers_of_numpy() -> None:
    x = suanzi.zeros(2, dtype="uint8")
    assert (x > np.int64(-1)).tolist() == [True, True]
    assert (x == np.uint16(256)).tolist() == [False, False]


def dense(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else x.to_dense()


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_sparse_tensors(comparison: str) -> None:
    symbol = COMPARISONS[comparison]
    x = suanzi.to_sparse(suanzi.tensor([0, 7, 0, 255], dtype="uint8"))
    for number in (-1, 256, -(2**70), 2**70):
        assert dense(symbol(x, number)).tolist() == [symbol(value, number) for value in (0, 7, 0, 255)]
        assert dense(symbol(number, x)).tolist() == [symbol(number, value) for value in (0, 7, 0, 255)]


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_quantized_tensors(comparison: str) -> None:
    symbol = COMPARISONS[comparison]
    x = suanzi.quantize(suanzi.tensor([0.0, 1.0, -32.0]), scale=0.25, dtype="qint8")
    for number in (-1000, 1000, -(2**70), 2**70):
        assert symbol(x, number).tolist() == [symbol(value, number) for value in (0.0, 1.0, -32.0)]


def test_what_follows_from_comparing() -> None:
    x = suanzi.zeros(2, dtype="int8")
    assert 300 not in x
    assert not suanzi.array_equal(x[0], 300)
    assert suanzi.where(x < 300, 1, 2).tolist() == [1, 1]
