"""Chains of arithmetic operators run as one loop, and return the same bits as separate operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from elements import elements

UNARY = (suanzi.negative, suanzi.abs, suanzi.reciprocal, suanzi.square, suanzi.sqrt)
BINARY = (suanzi.add, suanzi.subtract, suanzi.multiply, suanzi.divide, suanzi.maximum, suanzi.minimum)
DTYPES = ("float16", "bfloat16", "float32", "float64")
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 5e-324, 3e38, -1.0, 2.0, 1.0)


def numbers(count: int, dtype: str, seed: int = 1) -> suanzi.Tensor:
    """Return a tensor of normally distributed numbers, a fifth of which are replaced by special numbers."""
    drawn = np.random.default_rng(seed)
    x = drawn.normal(0, 3, count)
    at = drawn.random(count) < 0.2
    x[at] = drawn.choice(SPECIAL, np.count_nonzero(at))
    return suanzi.astype(suanzi.tensor(x), dtype)


def same(f: Callable[..., Any], *args: Any) -> None:
    fused, single = suanzi.fuse(f)(*args), f(*args)
    for got, expected in zip(fused, single, strict=True) if isinstance(single, tuple) else [(fused, single)]:
        assert got.dtype == expected.dtype
        assert elements(got) == elements(expected)


def loops(f: Callable[..., Any], *args: Any) -> str:
    """Return the number of loops in the last pass as text ("1 loop"), or "" if each operator has its own loop."""
    _, found, count = suanzi.fuse(f).explain(*args).splitlines()[-1].partition("):")[0].rpartition(", ")
    return count if found else ""


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("second", BINARY)
@pytest.mark.parametrize("first", BINARY)
def test_two_operators(first: Callable[..., Any], second: Callable[..., Any], dtype: str) -> None:
    a, b, c = (numbers(501, dtype, seed) for seed in (1, 2, 3))
    number, element = 1.7, numbers(1, dtype, 4)
    for other in (b, number, element):
        for last in (c, number, element):
            same(lambda a, y, z: second(first(a, y), z), a, other, last)
            same(lambda a, y, z: second(z, first(a, y)), a, other, last)
            same(lambda a, y, z: second(z, first(y, a)), a, other, last)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("f", UNARY)
def test_operators_of_one_operand(f: Callable[..., Any], dtype: str) -> None:
    a, b = numbers(501, dtype, 1), numbers(501, dtype, 2)
    same(lambda a, b: f(a * b), a, b)
    same(lambda a, b: f(a) - b, a, b)
    same(lambda a, b: b - f(f(a)), a, b)
    same(lambda a: f(f(f(a))), a)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_length(dtype: str) -> None:
    a, b = numbers(300, dtype, 1), numbers(300, dtype, 2)
    for count in range(300):
        same(lambda a, b: (a * 2 + b) / b - a, a[:count], b[300 - count :])
        same(lambda a, b: (a * 2 + b) / (b * a - 1), a[:count], b[300 - count :])


def polynomial(x: Any, degree: int) -> Any:
    y = x * 0.3 + 1
    for k in range(1, degree):
        y = y * x + 1 / k
    return y


def test_one_loop_takes_as_many_operands_as_a_kernel_can() -> None:
    x = numbers(1000, "float32")
    for degree, count in ((1, "1 loop"), (7, "1 loop"), (8, "2 loops"), (13, "2 loops"), (50, "9 loops")):
        same(lambda x, degree=degree: polynomial(x, degree), x)
        assert loops(lambda x, degree=degree: polynomial(x, degree), x) == count


def test_one_loop_takes_as_many_operators_as_it_has_room_for() -> None:
    def f(x: Any, y: Any, times: int) -> Any:
        for _ in range(times):
            x = -(x * y)
        return x

    x, y = numbers(1000, "float64"), suanzi.full((1000,), 1.01, dtype="float64")
    for times, count in ((16, "1 loop"), (17, "2 loops"), (33, "3 loops")):
        same(lambda x, y, times=times: f(x, y, times), x, y)
        assert loops(lambda x, y, times=times: f(x, y, times), x, y) == count


@pytest.mark.parametrize(
    ("dtype", "count"), [("float32", "1 loop"), ("float64", "1 loop"), ("float16", ""), ("int32", "")]
)
def test_what_is_rounded_or_wraps_has_loops_of_its_own(dtype: str, count: str) -> None:
    x = suanzi.ones((100,), dtype=dtype)
    same(lambda x: x * 2 + x, x)
    assert loops(lambda x: x * 2 + x, x) == count


def test_what_is_read_twice_or_wanted_ends_a_chain() -> None:
    a, b = numbers(1000, "float32", 1), numbers(1000, "float32", 2)
    same(lambda a, b: (a + b) * (a + b), a, b)
    assert loops(lambda a, b: (lambda s: s * s - s)(a + b), a, b) == "2 loops"
    same(lambda a, b: (lambda s: s * s - s)(a + b), a, b)
    same(lambda a, b: (lambda s: (s, s * 2 - b, (s * 2 - b) / a))(a + b), a, b)


@pytest.mark.parametrize(("dtype", "count"), [("float32", "1 loop"), ("float64", "1 loop"), ("int32", "")])
def test_a_number_times_itself_is_read_once(dtype: str, count: str) -> None:
    a, b = (suanzi.tensor(np.arange(501) % 97, dtype=dtype) if dtype == "int32" else numbers(501, dtype, 1)), 3
    for f in (lambda a, b: (lambda s: s * s)(a + b), lambda a, b: b - (lambda s: s * s)(a - b) * a):
        same(f, a, b)
        assert loops(f, a, b) == count


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("last", BINARY)
def test_two_chains_are_one(last: Callable[..., Any], dtype: str) -> None:
    a, b, c = (numbers(501, dtype, seed) for seed in (1, 2, 3))
    number, element = 1.7, numbers(1, dtype, 4)
    for other in (c, number, element):
        for f in (
            lambda a, b, c: last(a * c, b - c),
            lambda a, b, c: last(c - a, suanzi.negative(b)),
            lambda a, b, c: last(suanzi.abs(a), c / b / a),
            lambda a, b, c: last((a * b + c) * b, (c * b - a) * a),
            lambda a, b, c: last(last(a + c, b * c), last(c - b, c / a)),
        ):
            same(f, a, b, other)
            assert loops(f, a, b, other) == ("" if dtype == "float16" else "1 loop")


def balanced(x: Any, y: Any, depth: int, last: Callable[..., Any]) -> Any:
    """Compute a balanced binary tree of operators. The leaves are products.

    For each level of the tree, the loop must store one more intermediate result.
    """
    if depth == 1:
        return x * y
    return last(balanced(x, y, depth - 1, last), balanced(y, x, depth - 1, last))


@pytest.mark.parametrize(("depth", "count"), [(2, "1 loop"), (4, "1 loop"), (5, "2 loops"), (7, "8 loops")])
def test_a_loop_has_room_for_as_many_results_as_its_links_can_need(depth: int, count: str) -> None:
    x, y = numbers(1000, "float32", 1), numbers(1000, "float32", 2)
    same(lambda x, y: balanced(x, y, depth, suanzi.subtract), x, y)
    assert loops(lambda x, y: balanced(x, y, depth, suanzi.subtract), x, y) == count


@pytest.mark.parametrize("leans_left", [True, False])
def test_of_two_chains_the_one_that_needs_more_room_goes_first(leans_left: bool) -> None:
    """Nested differences of products run as one loop, whether the products are the left or the right operands."""

    def f(x: Any, y: Any) -> Any:
        total = x * y
        for _ in range(7):
            total = total - y * x if leans_left else y * x - total
        return total

    x, y = numbers(1000, "float64", 1), numbers(1000, "float64", 2)
    same(f, x, y)
    assert loops(f, x, y) == "1 loop"


def test_numbers_may_change_from_call_to_call() -> None:
    f = suanzi.fuse(lambda x, a, b: (x * a + b) / a - b)
    x = numbers(1000, "float32")
    for a, b in ((2.0, 3.0), (0.1, 1e30), (np.inf, np.nan), (-0.0, 0.0)):
        one_by_one = suanzi.subtract(suanzi.divide(suanzi.add(suanzi.multiply(x, a), b), a), b)
        np.testing.assert_array_equal(f(x, a, b), one_by_one)


def test_views_and_broadcast_operands() -> None:
    x = numbers(6000, "float32").reshape((50, 120))
    column, row = numbers(50, "float32", 2).reshape((50, 1)), numbers(120, "float32", 3)
    same(lambda x, column, row: (x - column) * row + column, x, column, row)
    same(lambda x, column, row: column / (column * row - 1) * x, x, column, row)
    same(lambda x, column, row: (x - column) * row + column, x.T, row.reshape((120, 1)), column.reshape((50,)))
    same(lambda x: x * 2 - x + 1, x[::3, ::-1])


def test_a_result_may_take_the_place_of_an_operand() -> None:
    x, y = numbers(5000, "float32", 1), numbers(5000, "float32", 2)
    for f in (lambda x, y: (y - x) * x + y, lambda x, y: (y - x) / (x * y)):
        target = suanzi.clone(x)
        suanzi.fuse(f)(target, y, out=target)
        np.testing.assert_array_equal(target, f(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_that_go_past_the_caches(dtype: str) -> None:
    whole = numbers(6_000_003, dtype)
    for skipped in (0, 1, 3):
        same(lambda x: (x * 2 + 1) * x - 3, whole[skipped:])
        same(lambda x: (x * 2 + 1) * (x - 3), whole[skipped:])


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 11)), min_size=2, max_size=40), st.data())
def test_any_chain(links: list[tuple[int, bool, int]], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 700))
    dtype = data.draw(st.sampled_from(DTYPES))
    operands = [*(numbers(count, dtype, seed) for seed in range(9)), 0.5, -3.0, suanzi.full((1,), 1.25, dtype=dtype)]

    def f(x: Any, *others: Any) -> Any:
        for operation, reversed_order, other in links:
            if operation < len(UNARY):
                x = UNARY[operation](x)
            else:
                pair = (x, others[other])
                x = BINARY[operation - len(UNARY)](*(pair[::-1] if reversed_order else pair))
        return x

    same(f, operands[0], *operands)


TREES = st.recursive(
    st.integers(0, 11),
    lambda tree: st.tuples(st.integers(0, 4), tree) | st.tuples(st.integers(0, 5), tree, tree),
    max_leaves=24,
)


@given(TREES, st.integers(0, 700), st.sampled_from(DTYPES))
def test_any_tree(tree: Any, count: int, dtype: str) -> None:
    operands = [*(numbers(count, dtype, seed) for seed in range(9)), 0.5, -3.0, suanzi.full((1,), 1.25, dtype=dtype)]

    def value(tree: Any, operands: tuple[Any, ...]) -> Any:
        if isinstance(tree, int):
            return operands[tree]
        operation, *parts = tree
        values = [value(part, operands) for part in parts]
        if all(isinstance(x, float) for x in values):
            return values[0]
        return (UNARY if len(values) == 1 else BINARY)[operation](*values)

    same(lambda *operands: operands[0] * value(tree, operands), *operands)
