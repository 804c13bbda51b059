"""Fused functions store expensive values for later passes, and compute cheap values again."""

from __future__ import annotations

from typing import Any

import pytest
from explained import OWN, steps

import suanzi


@pytest.fixture
def x() -> suanzi.Tensor:
    return suanzi.random.Generator(1).normal((40, 30))


def test_a_mathematical_function_is_kept(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        e = suanzi.exp(x)
        return suanzi.sort(e * 2, axis=-1) + e

    assert steps(function, x) == ["exp, multiply", OWN, "add"]


def test_few_steps_are_computed_again(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        y = x * 2 + 1
        return suanzi.sort(-y, axis=-1) + y

    assert steps(function, x) == ["multiply, add, negative", OWN, "multiply, 2 add"]


def test_many_steps_are_kept(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        y = abs(x * 2 + 1) - x * x
        return suanzi.sort(-y, axis=-1) + y

    assert steps(function, x) == ["2 multiply, add, abs, subtract, negative", OWN, "add"]


def test_reductions_are_kept(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        mean = suanzi.mean(x, axis=-1, keepdims=True)
        return suanzi.sort(x - mean, axis=-1) * mean

    assert steps(function, x)[2:] == ["subtract", OWN, "multiply"]


def test_what_is_spread_over_more_elements_is_not_kept(x: suanzi.Tensor) -> None:
    """A value that is broadcast over more elements is computed again in a later pass instead of being stored."""

    def function(x: Any) -> Any:
        spread = suanzi.exp(suanzi.sin(x[:, 0])[:, None] - x[0])
        return suanzi.sort(suanzi.sum(spread, axis=-1)) + suanzi.mean(spread, axis=-1)

    assert sum("exp" in line for line in steps(function, x)) == 2


def test_several_uses_and_numbers(x: suanzi.Tensor) -> None:
    def function(x: Any, a: Any) -> Any:
        e, t = suanzi.exp(x * a), suanzi.tanh(x + a)
        first = suanzi.sort(e * t, axis=-1)
        second = suanzi.cumulative_sum(e + first, axis=-1)
        return first * t + second * e, t

    fused = suanzi.fuse(function)
    for a in (0.5, 2.0, -1.0):
        for one, other in zip(function(x, a), fused(x, a), strict=True):
            assert one.numpy().tobytes() == other.numpy().tobytes()
    plan = fused.explain(x, 0.5)
    assert plan.count("exp") == plan.count("tanh") == 1


def test_results_of_one_another_are_one_pass(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        e = suanzi.exp(x)
        return e, e * 2, e * 2 + x, x + 1

    assert steps(function, x) == ["exp, 2 multiply, 2 add"]


def test_more_results_than_a_program_has(x: suanzi.Tensor) -> None:
    def function(x: Any) -> Any:
        results = [suanzi.exp(x)]
        for i in range(40):
            results.append(results[-1] * (1 + i / 64) + x)
        return tuple(results)

    assert sum(line.count("exp") for line in steps(function, x)) == 1
