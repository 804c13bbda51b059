"""A fused function may handle the errors of its operators. Later calls take the branch of their own values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import suanzi
from suanzi import OutOfRangeError, SuanziError, Tensor

X = suanzi.tensor([1.0, 2.0, 3.0])


def integers(*values: int) -> Tensor:
    return suanzi.tensor(list(values), dtype="int64")


def repeated(x: Any, counts: Any) -> Any:
    try:
        y = suanzi.repeat(x, counts)
    except SuanziError:
        return x * 0 - 1
    return y * 2


def taken(x: Any, index: Any) -> Any:
    try:
        y = x[index]
    except IndexError:
        y = x[:2] * 0
    return y + 1


def inverted(x: Any) -> Any:
    try:
        y = suanzi.inv(x)
    except SuanziError:
        y = suanzi.pinv(x)
    return y * 1


def diagonals(x: Any) -> Any:
    try:
        y = suanzi.diagonal(x)
    except SuanziError:
        y = x
    return y + 1


CALLS: list[tuple[Callable[..., Any], list[tuple[Tensor, ...]]]] = [
    (repeated, [(X, integers(-1, 0, 0)), (X, integers(0, 0, 0)), (X, integers(1, 0, 2))]),
    (repeated, [(X, integers(1, 0, 2)), (X, integers(-1, 0, 0)), (X, integers(2, 1, 0))]),
    (taken, [(X, integers(0, 9)), (X, integers(0, 1)), (X, integers(9, 9))]),
    (taken, [(X, integers(0, 1)), (X, integers(0, 9)), (X, integers(2, 1))]),
    (inverted, [(suanzi.eye(2),), (suanzi.ones((2, 2)),), (suanzi.eye(2) * 2,)]),
    (inverted, [(suanzi.ones((2, 2)),), (suanzi.eye(2),)]),
    (diagonals, [(X,), (X,), (suanzi.ones((2, 2)),), (suanzi.ones((2, 2)),)]),
]


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("writes", [False, True])
def test_each_call_takes_its_own_branch(
    function: Callable[..., Any], calls: list[tuple[Tensor, ...]], writes: bool
) -> None:
    fused = suanzi.fuse(function)
    for operands in calls:
        expected = function(*operands)
        if writes:
            out = suanzi.zeros(expected.shape)
            assert fused(*operands, out=out) is out
            assert out.tolist() == expected.tolist()
        else:
            assert fused(*operands).tolist() == expected.tolist()


def test_an_error_that_the_function_does_not_handle() -> None:
    fused = suanzi.fuse(lambda x, index: x[index] + 1)
    assert fused(X, integers(0, 1)).tolist() == [2, 3]
    for out in (None, suanzi.zeros(2)):
        with pytest.raises(OutOfRangeError, match="9"):
            fused(X, integers(0, 9)) if out is None else fused(X, integers(0, 9), out=out)
        assert out is None or out.tolist() == [0, 0]
    assert fused(X, integers(2, 2)).tolist() == [4, 4]
