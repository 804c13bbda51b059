"""Tests of fused functions that pass `out` to operators, or change parts and copies of their results."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import suanzi


def _sorted_into_a_result(x: Any) -> Any:
    y = x + 1
    doubled = y * 2
    suanzi.sort(-x, out=y)
    return doubled, y


def _sum_into_new_memory(x: Any) -> Any:
    total = suanzi.zeros(())
    return suanzi.sum(x, out=total) + 1, total


def _copied_part(x: Any) -> Any:
    part = (x * 1)[:, :2]
    part[0, 0] = 5
    flat = suanzi.reshape(part, (-1,))  # a copy, because the part has gaps
    flat *= 10
    return part, flat


def _copied_half(x: Any) -> Any:
    half = suanzi.split(x * 1, 2, axis=1)[0]
    half += 1
    flat = suanzi.reshape(half, (-1,))
    flat *= 10
    return half, flat


def _real_part(x: Any) -> Any:
    y = x * 1j
    y.imag[...] = 7
    real = suanzi.real(y)
    y += 1
    return y, real


def _copied(x: Any) -> Any:
    y = x + 1
    z = copy.copy(y)
    z += 10
    first = copy.copy(y[0])
    first[0] = 50
    return y, z, first


FUNCTIONS = [_sorted_into_a_result, _sum_into_new_memory, _copied_part, _copied_half, _real_part, _copied]


def lists(results: Any) -> list[Any]:
    return [result.tolist() for result in results]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__.strip("_"))
def test_results_and_arguments(function: Callable[..., Any]) -> None:
    """In each of three calls, the fused function has the results of the function, and keeps the argument."""
    fused, rng = suanzi.fuse(function), suanzi.random.Generator(3)
    for _ in range(3):
        x = rng.normal((4, 4))
        before = x.tolist()
        assert lists(fused(x)) == lists(function(x))
        assert x.tolist() == before


@pytest.mark.parametrize("write", ["add", "cumulative_sum", "sort", "matmul"])
def test_out_must_not_be_an_argument(write: str) -> None:
    def function(x: Any) -> Any:
        doubled = x * 2
        getattr(suanzi, write)(*((x, x) if write in ("add", "matmul") else (x,)), out=x)
        return doubled

    x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(suanzi.TraceError, match="out is given, but a fused function must not write into tensors"):
        suanzi.fuse(function)(x)
    assert x.tolist() == [[1, 2], [3, 4]]


def test_an_outside_tensor_is_written_once_a_call() -> None:
    state = suanzi.zeros(1)

    @suanzi.fuse
    def count(x: Any) -> Any:
        suanzi.add(state, 1, out=state)
        return x + state

    assert [count(suanzi.zeros(1)).item() for _ in range(3)] == [1, 2, 3]
    assert state.item() == 3


def test_an_outside_tensor_is_read_before_it_is_written() -> None:
    state = suanzi.ones((2, 2))

    @suanzi.fuse
    def step(x: Any) -> Any:
        before = x + state
        suanzi.matmul(x, x, out=state)
        return before

    x = suanzi.ones((2, 2))
    assert [step(x).tolist() for _ in range(2)] == [[[2, 2], [2, 2]], [[3, 3], [3, 3]]]


def test_an_expanded_result_is_not_written() -> None:
    def function(x: Any) -> Any:
        rows = suanzi.expand(x + 1, (2, 2))
        rows[0] = 9
        return rows

    for f in (function, suanzi.fuse(function)):
        with pytest.raises(suanzi.InvalidArgumentError, match="expanded view"):
            f(suanzi.ones(2))


def test_destroyed_tensors() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        z = y + 1
        suanzi.destroy(y)
        return z

    assert suanzi.fuse(function)(suanzi.ones(2)).tolist() == [3, 3]
