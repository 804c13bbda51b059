"""Every permutation of the dimensions is a memory order (6.4), and operators keep the order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import NAMES, assert_same, fails, sample, shares_memory
from suanzi import InvalidArgumentError, Layout, Tensor, UninitializedObjectError

SHAPE = (2, 3, 4)
ORDERS = tuple(permutations(range(3)))


def in_memory(x: Tensor) -> list[Any]:
    """Return the elements of a dense tensor in memory order."""
    everything = np.lib.stride_tricks.as_strided(x.numpy(), (x.size,), (x.itemsize,))
    return list(everything.tolist())


def test_the_example_of_the_standard() -> None:
    """The memory of a tensor of shape [2, 3] and order [0, 1] begins with the elements [0, 0], [1, 0] and [0, 1]."""
    x = suanzi.tensor([[0, 1, 2], [10, 11, 12]], layout=(0, 1))
    assert in_memory(x) == [0, 10, 1, 11, 2, 12]
    assert x.stride() == (1, 2)


def test_the_default_order() -> None:
    for n in range(6):
        assert suanzi.zeros((2,) * n).layout == Layout("dense", tuple(range(n))[::-1])
    assert in_memory(suanzi.tensor([[0, 1, 2], [10, 11, 12]])) == [0, 1, 2, 10, 11, 12]


@given(st.lists(st.integers(1, 3), max_size=5).flatmap(lambda s: st.tuples(st.just(s), st.permutations(range(len(s))))))
def test_the_first_dimension_in_the_order_varies_fastest(case: Any) -> None:
    shape, order = case
    x = suanzi.empty(shape, layout=order)
    step = 1
    for axis in order:
        assert x.stride(axis) == step
        step *= shape[axis]
    if 1 not in shape:
        assert x.layout == Layout("dense", tuple(order))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", NAMES)
def test_values_do_not_depend_on_the_layout(name: str, order: tuple[int, ...]) -> None:
    a = sample(SHAPE, name)
    x = suanzi.tensor(a, layout=order)
    assert_same(x, a)
    assert in_memory(x) == a.transpose(order[::-1]).ravel().tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "operator",
    [
        suanzi.clone,
        lambda x: suanzi.astype(x, "float64"),
        lambda x: suanzi.astype(x, "complex64"),
        suanzi.exp,
        suanzi.isfinite,
        lambda x: -x,
        lambda x: x + x,
        lambda x: x + 1,
        lambda x: x < 2,
        lambda x: suanzi.where(x > 3, x, 0),
        lambda x: suanzi.multiply_add(x, x, x),
        suanzi.zeros_like,
        lambda x: suanzi.round(x, 1),
    ],
)
def test_the_layout_is_kept(operator: Any, order: tuple[int, ...]) -> None:
    x = suanzi.tensor(sample(SHAPE), layout=order)
    y, plain = operator(x), operator(suanzi.tensor(sample(SHAPE)))
    assert (y.layout, y.stride()) == (Layout("dense", order), x.stride())
    assert_same(y, plain.numpy())
    assert operator(x.T).layout == x.T.layout


@pytest.mark.parametrize("order", ORDERS)
def test_large_tensors_keep_it_too(order: tuple[int, ...]) -> None:
    a = sample((60, 70, 80))
    x = suanzi.tensor(a, layout=order)
    y = x * x
    assert y.layout == x.layout
    assert_same(y, a * a)
    assert_same(suanzi.contiguous(x), a)
    assert_same(suanzi.tensor(x, layout=(1, 2, 0)), a)


def test_operands_of_different_layouts() -> None:
    a = sample(SHAPE)
    for first in ORDERS:
        for second in ORDERS:
            y = suanzi.tensor(a, layout=first) - suanzi.tensor(a[::-1].copy(), layout=second)
            assert_same(y, a - a[::-1])


def test_views_have_their_order() -> None:
    x = suanzi.zeros(SHAPE)
    assert x.T.layout.order == (0, 1, 2)
    assert suanzi.permute_dims(x, (1, 0, 2)).layout.order == (2, 0, 1)
    assert x[:, 1].layout.order == (1, 0)
    assert suanzi.clone(x[:, ::2].T).layout.order in ((0, 1, 2), (2, 1, 0))


@pytest.mark.parametrize("order", ORDERS)
def test_is_contiguous(order: tuple[int, ...]) -> None:
    x = suanzi.empty(SHAPE, layout=order)
    assert suanzi.is_contiguous(x) == x.is_contiguous() == (order == (2, 1, 0))
    y = x.contiguous()
    assert (y is x) == (order == (2, 1, 0))
    assert y.layout.order == (2, 1, 0)
    assert suanzi.is_contiguous(suanzi.empty((2, 0, 3), layout=order))
    assert suanzi.is_contiguous(suanzi.empty((1, 5, 1), layout=order))


@given(st.sampled_from(ORDERS), st.sampled_from(ORDERS), st.sampled_from(NAMES))
def test_flat_initialisers_and_references_read_memory_in_the_order(first: Any, second: Any, name: str) -> None:
    a = sample((24,), name)
    x = suanzi.tensor(a, shape=SHAPE, layout=first)
    assert in_memory(x) == a.tolist()
    if name != "bfloat16":
        y = suanzi.from_reference(a, shape=SHAPE, layout=second)
        assert in_memory(y) == a.tolist()
        assert np.shares_memory(y.numpy(), a)
        assert not shares_memory(x, y)


def test_a_layout_is_a_value() -> None:
    layout = Layout(order=[1, 0])
    assert (layout.storage, layout.order) == ("dense", (1, 0))
    assert layout == Layout("dense", (1, 0)) != Layout("sparse", (1, 0))
    assert layout != (1, 0)
    assert len({layout, Layout("dense", (1, 0)), Layout()}) == 2
    assert repr(layout) == "Layout('dense', order=(1, 0))"
    with pytest.raises(AttributeError):
        layout.order = (0, 1)


@pytest.mark.parametrize(
    "arguments", [("ragged",), ([],), ("dense", (0, 0)), ("dense", (1,)), ("dense", 3), ("dense", "01")]
)
def test_layouts_that_there_are_not(arguments: Any) -> None:
    with fails(InvalidArgumentError, "Layout"):
        Layout(*arguments)


def test_orders_are_sequences() -> None:
    for order in (np.array([0, 1]), suanzi.tensor([0, 1], dtype="int64"), range(2), [np.int8(0), 1]):
        assert suanzi.zeros((2, 3), layout=order).stride() == (1, 2)
    wrong: Any
    for wrong in ({1, 0}, {1: 0, 0: 0}, iter((1, 0)), [True, False], [2**70, 0], range(100), suanzi.tensor(0)):
        with fails(InvalidArgumentError, "zeros"):
            suanzi.zeros((2, 3), layout=wrong)
    with fails(InvalidArgumentError, "zeros"):
        suanzi.zeros(3, layout=0)
    destroyed = suanzi.zeros(2, dtype="int64")
    suanzi.destroy(destroyed)
    with fails(UninitializedObjectError, "zeros"):
        suanzi.zeros((2, 3), layout=destroyed)
