"""Tests of views of computed values in fused functions: views within a pass, and views of stored values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from explained import OWN, steps

import suanzi

X = suanzi.random.Generator(1).normal((12, 10))
Y = suanzi.random.Generator(2).normal((10, 12))


@pytest.mark.parametrize("function", [
    lambda x, y: (x * 2).T + y,
    lambda x, y: (x * 2).mT + y,
    lambda x, y: suanzi.transpose(x * 2, (1, 0)) + y,
    lambda x, y: (x * y.T)[1:, ::2] + x[:-1, 1::2],
    lambda x, y: (x * y[:, 0])[2] + x,
    lambda x, y: (x * 2)[:, None] + y[0, 0],
    lambda x, y: suanzi.expand_dims(x * 2, 1) - x,
    lambda x, y: suanzi.broadcast_to(x * 2, (3, 12, 10)) - x,
    lambda x, y: suanzi.squeeze(suanzi.expand_dims(x * 2, 0), 0) - x,
    lambda x, y: suanzi.reshape(x * 2, (3, 40)) - 1,
    lambda x, y: suanzi.flatten(x * 2) - 1,
    lambda x, y: ((x * 2).T[::-1] + y)[:, 1:].T * 3,
    lambda x, y: suanzi.sum((x * 2).T * y, axis=-1),
    lambda x, y: suanzi.astype(x * 2, "int32").T + 1,
])  # fmt: skip
def test_views_of_elementwise_values_do_not_divide(function: Callable[..., Any]) -> None:
    for y in (Y, Y[::-1], suanzi.contiguous(Y.T).T):
        assert OWN not in steps(function, X, y)


def test_the_dimensions_that_a_reduction_folded() -> None:
    assert OWN not in steps(lambda x: x - suanzi.mean(x, axis=-1)[:, None], X)
    assert OWN not in steps(lambda x: x - suanzi.expand_dims(suanzi.max(x, axis=0), 0), X)
    assert OWN in steps(lambda x: x - suanzi.mean(x, axis=-1)[1:, None][0], X)


def test_results_and_operands_of_others_are_views() -> None:
    assert steps(lambda x: (x * 2).T, X) == ["multiply", OWN]
    assert suanzi.fuse(lambda x: (x * 2)[:, ::2])(X).stride() == (10, 2)
    assert steps(lambda x: suanzi.sort((x * 2).T, axis=-1), X) == ["multiply", OWN, OWN]
    first, second = suanzi.fuse(lambda x: (y := x * 2, y.T))(X)
    first[0, 1] = 7.0
    assert second[1, 0].item() == 7.0


def test_what_would_be_computed_twice_is_in_memory() -> None:
    def heavy(x: Any) -> Any:
        e = suanzi.exp(x)
        return e[1:] - e[:-1]

    def light(x: Any) -> Any:
        e = x * 2
        return e[1:] - e[:-1]

    def both(x: Any) -> Any:
        e = suanzi.exp(x)
        return e[:, ::-1] * 2 + e

    def alone(x: Any) -> Any:
        return suanzi.exp(x)[1:] + 1

    def often(x: Any) -> Any:
        e, total = x * 2, 0
        for row in e:
            total = total + row
        return total

    assert steps(heavy, X)[0] == "exp"
    assert steps(light, X) == ["2 multiply, subtract"]
    assert steps(both, X)[0] == "exp"
    assert steps(alone, X) == ["exp, add"]
    assert steps(often, X)[0] == "multiply"


def test_views_with_gaps_are_folded_in_memory() -> None:
    x = suanzi.random.Generator(3).normal((300, 500))
    for axis in (None, 0, 1):
        assert OWN in steps(lambda x, axis=axis: suanzi.sum((x * 2)[:, ::3], axis=axis), x)
        steps(lambda x, axis=axis: suanzi.sum((x * 2)[:, ::3] * 3, axis=axis), x)
        steps(lambda x, axis=axis: suanzi.var((x * 2).T, axis=axis), x)


def test_operands_that_are_spread() -> None:
    assert len(steps(lambda x, y: (x - y)[:, ::2] * 2, X, Y[:, 0])) == 1
    assert len(steps(lambda x, y: (x - y).T * 2, X, Y[0][:, None])) == 1
    steps(lambda x, y: (x - suanzi.exp(y)).T * 2, X, Y[:, 0])


def test_keys_that_depend_on_values() -> None:
    rows = suanzi.tensor([2, 0, 1], dtype="int64")
    assert steps(lambda x: (x * 2)[rows] + 1, X) == ["multiply", OWN, "add"]
    assert steps(lambda x: (x * 2)[x[:, 0] > 0].shape[0] * x, X)[-1] == "multiply"


def test_errors_are_those_of_the_operator() -> None:
    for function in (
        lambda x: (x * 2)[100] + 1,
        lambda x: suanzi.transpose(x * 2, (0, 0)) + 1,
        lambda x: suanzi.reshape(x * 2, (7, 7)) + 1,
    ):
        with pytest.raises(suanzi.SuanziError) as expected:
            function(X)
        with pytest.raises(type(expected.value), match=str(expected.value)[:12]):
            suanzi.fuse(function)(X)


def test_what_stands_for_a_value_goes_with_the_trace() -> None:
    """The tensor that represents a value of three million elements is freed after the trace."""
    x, y = suanzi.zeros((1, 3000)), suanzi.zeros((1000, 1))
    before = suanzi._core.memory_statistics()["in_use"]
    fused = suanzi.fuse(lambda x, y: suanzi.sum((x - y)[:, ::2] * 2 + x[:, ::2]))
    fused(x, y)
    assert suanzi._core.memory_statistics()["in_use"] - before < 100_000


def test_an_operand_that_left_its_call() -> None:
    left: list[Any] = []
    suanzi.fuse(lambda x: left.append(x * 2) or x)(X)
    for function in (lambda x: x.T, lambda x: x[1:], lambda x: x.__iadd__(1)):
        with pytest.raises(suanzi.TraceError, match="an operand is from another call"):
            function(left[0])
