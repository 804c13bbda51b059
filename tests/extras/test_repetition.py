"""Functions of extras that are fused once they come again: with the same bits, and only then."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

import suanzi
from elements import elements
from suanzi import Tensor, extras
from suanzi.extras import repetition

FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": extras.sigmoid,
    "silu": extras.silu,
    "gelu by tanh": lambda x: extras.gelu(x, approximate="tanh"),
    "softplus": extras.softplus,
    "nanmax": lambda x: extras.nanmax(x, axis=1),
    "nanmin": extras.nanmin,
    "nanmean": extras.nanmean,
    "nanstd": lambda x: extras.nanstd(x, axis=-1, correction=1),
    "nanvar": lambda x: extras.nanvar(x, 0, True),
}
ROWS = count(2100)  # with 1050 columns there are more elements than any of them asks for


def operand(dtype: str) -> Tensor:
    """Of a shape that nothing was called with before."""
    values = np.random.default_rng(5).standard_normal((next(ROWS), 1050))
    values[::7, ::5] = np.nan
    return suanzi.astype(suanzi.tensor(values * 4), dtype)


def bits(x: Tensor) -> Any:
    return x.dtype, x.shape, elements(x)


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that are fused from now on, each at its second call on operands of one kind."""
    made: list[Any] = []
    fuse = suanzi.fuse

    def noted(function: Any) -> Any:
        made.append(fuse(function))
        return made[-1]

    monkeypatch.setattr("suanzi.fusion.fuse", noted)
    monkeypatch.setattr(repetition, "ENOUGH", 1)
    return made


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits(name: str, dtype: str, traced: list[Any]) -> None:
    function, x = FUNCTIONS[name], operand(dtype)
    repetition.ENOUGH = 2**60
    expected = bits(function(x))
    repetition.ENOUGH = 1
    assert [bits(function(x)) for _ in range(3)] == [expected] * 3
    assert len(traced) == 1


def test_small_operands_and_new_shapes_are_not_traced(traced: list[Any]) -> None:
    x = suanzi.ones(repetition.LARGE + 200)
    for i in range(100):
        extras.sigmoid(x[: repetition.LARGE + i])
        extras.sigmoid(x[: repetition.LARGE - 1])
    assert not traced


def test_other_arguments_are_other_functions(traced: list[Any]) -> None:
    x = operand("float32")
    for _ in range(2):
        found = [extras.nanmax(x, axis=axis).shape for axis in (0, 1)]
    assert len(traced) == 2
    assert found == [x.shape[1:], x.shape[:1]]
    with pytest.raises(suanzi.OutOfRangeError, match="max: axis 2"):
        extras.nanmax(x, axis=2)


def test_with_what_is_no_plain_value_they_are_not_fused(traced: list[Any]) -> None:
    x = operand("float32")
    for _ in range(3):
        extras.nanvar(x, correction=np.float32(1))
    assert not traced


def test_in_a_fused_function_they_are_a_part_of_it(traced: list[Any]) -> None:
    x = operand("float32")
    function = suanzi.fuse(lambda x: extras.silu(x) + 1)
    assert bits(function(x)) == bits(function(x)) == bits(extras.silu(x) + 1)
    assert function.explain(x).startswith("1 fused part")
    assert not traced
