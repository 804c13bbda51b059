"""Fused functions that write into tensors, or whose arguments or results are not tensors, behave as without fusion."""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import Tensor, TypeMismatchError

BUFFER = suanzi.zeros(3)


def operand() -> Tensor:
    return suanzi.tensor([1.0, 2.0, -3.0])


def element_assigned(x: Tensor) -> Any:
    t = suanzi.zeros(3)
    y = x + t
    t[0] = 5.0
    return y


def view_used_before(x: Tensor) -> Any:
    t = suanzi.zeros(3)
    y = x[:2] + t[:2]
    t[0] = 5.0
    return y


def assigned_in_a_loop(x: Tensor) -> Any:
    t, results = suanzi.zeros(3), []
    for i in range(3):
        t[i] = i
        results.append(x * t)
    return results


def counted_up_after_a_sort(x: Tensor) -> Any:
    t = suanzi.zeros(3)
    s = suanzi.sort(x + t)
    t += 1
    return s + t


def operand_added(x: Tensor) -> Any:
    t = suanzi.zeros(3)
    same = t
    t += x
    return same


def operand_added_to_a_row(x: Tensor) -> Any:
    t = suanzi.zeros((2, 3))
    row = t[0]
    row += x
    return t


def written_by_out(x: Tensor) -> Any:
    suanzi.add(suanzi.ones(3), 1, out=BUFFER)
    return x * BUFFER


def folded_into_out(x: Tensor) -> Any:
    total = suanzi.zeros(())
    y = x + total
    suanzi.sum(suanzi.ones(4), out=total)
    return y, x + total


FUNCTIONS = [
    *(element_assigned, view_used_before, assigned_in_a_loop, counted_up_after_a_sort, operand_added),
    *(operand_added_to_a_row, written_by_out, folded_into_out),
]


def listed(result: Any) -> Any:
    return [listed(x) for x in result] if isinstance(result, (list, tuple)) else result.tolist()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_tensors_that_are_written(function: Callable[..., Any]) -> None:
    """A function that writes into tensors runs unfused, because later calls must write as well."""
    fused, x = suanzi.fuse(function), operand()
    for _ in range(3):
        assert listed(fused(x)) == listed(function(x))
    assert "must not write into a tensor" in fused.explain(x)


class Sums:
    def __init__(self) -> None:
        self.total = suanzi.zeros(3)

    def __call__(self, x: Tensor) -> Tensor:
        self.total += x
        return self.total * 1


def test_a_state_is_written_once_a_call() -> None:
    sums = Sums()
    fused = suanzi.fuse(sums)
    assert [fused(operand()).tolist()[1] for _ in range(4)] == [2, 4, 6, 8]
    assert type(sums.total) is Tensor


def test_what_operators_write_on_their_way_is_theirs() -> None:
    """A function is traced although operators such as `pinv` write into tensors that the operators create."""
    x = suanzi.reshape(suanzi.arange(9.0), (3, 3)) + suanzi.eye(3) * 5
    fused = suanzi.fuse(lambda x: suanzi.pinv(x + suanzi.full((3, 3), 0.0)) * suanzi.mean(suanzi.arange(4.0)))
    for _ in range(2):
        assert (fused(x) == suanzi.pinv(x) * 1.5).tolist() == [[True] * 3] * 3
    assert not fused.explain(x).startswith("not traced")


CONTAINERS: list[Callable[[Any], Any]] = [
    lambda y: collections.OrderedDict(y=y),
    lambda y: collections.deque([y]),
    lambda y: SimpleNamespace(y=y),
    lambda y: {y.shape: [SimpleNamespace(y=y)]},
    lambda y: lambda: y,
    lambda y: (y, np.zeros(2)),
]


@pytest.mark.parametrize("container", CONTAINERS)
def test_results_that_cannot_be_looked_into(container: Callable[[Any], Any]) -> None:
    fused = suanzi.fuse(lambda x: container(x * 2))
    first, second = fused(operand()), fused(operand())
    assert first is not second
    assert "traced tensor" not in repr(first)
    assert fused.explain(operand()).startswith("not traced")


def test_results_beside_tensors() -> None:
    fused = suanzi.fuse(lambda x: (x * 2, None, "a", 3, suanzi.float32, {"n": np.float32(1)}))
    for _ in range(2):
        assert fused(operand())[1:] == (None, "a", 3, suanzi.float32, {"n": 1})
    assert not fused.explain(operand()).startswith("not traced")


@dataclass
class WithTable:
    n: int

    def __post_init__(self) -> None:
        self.table = suanzi.full((3,), float(self.n))


def test_all_that_a_dataclass_has_is_an_argument() -> None:
    fused, x = suanzi.fuse(lambda p, x: x * p.table), suanzi.ones(3)
    first, other = WithTable(1), WithTable(1)
    other.table = suanzi.full((3,), 7.0)
    for _ in range(3):
        assert fused(first, x).tolist() == [1] * 3
        assert fused(other, x).tolist() == [7] * 3
    other.more = 1  # type: ignore[attr-defined]
    assert fused(other, x).tolist() == [7] * 3
    del first.table
    with pytest.raises(AttributeError):
        fused(first, x)


@dataclass
class WithCache:
    weight: Tensor

    @cached_property
    def table(self) -> Any:
        return np.arange(3.0)

    @cached_property
    def tables(self) -> Any:
        return [np.arange(3.0)]


@pytest.mark.parametrize("name", ["table", "tables"])
def test_what_a_dataclass_caches_need_not_be_hashable(name: str) -> None:
    fused, x = suanzi.fuse(lambda p, x: x * p.weight * float(np.sum(getattr(p, name)))), suanzi.ones(3)
    cached = WithCache(suanzi.ones(3))
    for factor in (3, 3, 6, 6):
        if factor == 6:
            setattr(cached, name, np.arange(4.0) if name == "table" else [np.arange(4.0)])
        assert fused(cached, x).tolist() == [factor] * 3
        _ = getattr(cached, name)


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64, lambda s: frozenset([s])])
def test_signed_zeros_are_other_arguments(kind: Callable[[float], Any]) -> None:
    def copied(x: Tensor, sign: Any) -> Tensor:
        return suanzi.copysign(x, float(*sign) if isinstance(sign, frozenset) else sign)

    fused = suanzi.fuse(copied)
    for sign in (0.0, -0.0, 0.0):
        assert fused(operand(), kind(sign)).tolist() == suanzi.copysign(operand(), sign).tolist()


def test_keys_of_a_dict_have_a_type() -> None:
    fused = suanzi.fuse(lambda x, d: x * 2 if next(iter(d)) is True else x * 3)
    assert fused(suanzi.ones(1), {1: 0}).tolist() == [3]
    assert fused(suanzi.ones(1), {True: 0}).tolist() == [2]


def test_out_of_another_structure() -> None:
    fused = suanzi.fuse(lambda x: (x * 2, [x + 1]))
    with fails(TypeMismatchError, "fuse") as caught:
        fused(operand(), out=suanzi.zeros(3))
    assert "out is a tensor, but the function returns (a tensor, [a tensor])" in str(caught.value)


@pytest.mark.parametrize(
    "names", [("float32", "float64"), ("float16", "float32"), ("uint8", "int64"), ("int32", "int64")]
)
def test_in_place_operators_keep_the_type(names: tuple[str, str]) -> None:
    def reduced(x: Any, y: Any) -> Any:
        z = x * 2
        z -= y
        return z

    x, y = (suanzi.astype(suanzi.tensor([1.0, 3.0, 7.0]), name) for name in names)
    fused = suanzi.fuse(reduced)
    for _ in range(2):
        found = fused(x, y)
        assert found.dtype == names[0]
        assert found.tolist() == reduced(x, y).tolist() == [1, 3, 7]


def test_in_place_operators_of_another_kind() -> None:
    def reduced(x: Any, y: Any) -> Any:
        z = x * 2
        z -= y
        return z

    for function in (reduced, suanzi.fuse(reduced)):
        with fails(TypeMismatchError, "subtract") as caught:
            function(suanzi.ones(3), suanzi.ones(3, dtype="complex64"))
        assert "cannot hold complex64" in str(caught.value)
