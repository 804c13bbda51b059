"""Dimension orders of small shapes, also with sizes 0 and 1, agree with a model in plain Python.

The model computes the position of an element in memory (6.4). The first dimension in the order varies fastest.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, Layout, Tensor

Order = tuple[int, ...]
Shape = tuple[int, ...]


def cases(rank: int) -> Iterator[tuple[Shape, Order]]:
    return product(product(range(4), repeat=rank), permutations(range(rank)))


def places(shape: Shape, order: Order) -> list[int]:
    """Return a list of the memory positions of all elements. In the list the last index changes fastest."""
    steps = [0] * len(shape)
    step = 1
    for axis in order:
        steps[axis] = step
        step *= shape[axis]
    found = [0]
    for size, step in zip(shape, steps, strict=True):
        found = [before + i * step for before in found for i in range(size)]
    return found


def dense(values: list[int], shape: Shape, order: Order) -> Tensor:
    return suanzi.tensor(values, shape=shape, dtype="int16", layout=order)


def text(values: list[int], shape: Shape, order: Order) -> Tensor:
    return suanzi.tensor([str(v) for v in values], shape=shape, layout=order)


def quantized(values: list[int], shape: Shape, order: Order) -> Any:
    return suanzi.quantized_tensor(shape, values, scale=1.0, dtype="qint16", layout=order)


def elements(x: Any) -> list[Any]:
    """Return a flat list of all elements. In the list the last index changes fastest."""
    flat = x.tolist()
    for _ in range(x.ndim - 1):
        flat = [element for part in flat for element in part]
    return flat if x.ndim else [flat]


@pytest.mark.one_level
@pytest.mark.parametrize("rank", range(6))
@pytest.mark.parametrize("make", [dense, text, quantized])
def test_memory_is_filled_in_the_order_that_was_asked_for(make: Callable[..., Any], rank: int) -> None:
    for shape, order in cases(rank):
        values = list(range(prod(shape)))
        x = make(values, shape, order)
        told = [int(element) for element in elements(x)]
        assert (x.shape, x.layout.order, told) == (shape, order, places(shape, order)), (shape, order)


@pytest.mark.parametrize("rank", range(5))
def test_operators_keep_it(rank: int) -> None:
    for shape, order in cases(rank):
        x = dense(list(range(prod(shape))), shape, order)
        expected = places(shape, order)
        for y, change in ((x.clone(), 0), (x + 1, 1), (x - x[()], None), (x.astype("float64"), 0), (-x, None)):
            assert y.layout.order == order, (shape, order)
            assert y.stride() == x.stride(), (shape, order)
            if change is not None:
                assert elements(y) == [place + change for place in expected], (shape, order)
        assert suanzi.zeros_like(x).layout.order == order
        words = text(list(range(prod(shape))), shape, order)
        assert words.clone().layout.order == order
        assert elements(words.clone()) == [str(place) for place in expected]


@pytest.mark.one_level
@pytest.mark.parametrize("rank", range(5))
def test_creation_has_it(rank: int) -> None:
    for shape, order in cases(rank):
        for x in (
            suanzi.zeros(shape, layout=order),
            suanzi.empty(shape, layout=Layout(order=order)),
            suanzi.full(shape, 3, dtype="uint8", layout=order),
            suanzi.uniform(shape, 0, 1, seed=1, layout=order),
            suanzi.tensor(suanzi.zeros(shape), layout=order),
            suanzi.tensor(None, shape=shape, layout=order),
        ):
            assert (x.shape, x.layout.order) == (shape, order)


@pytest.mark.one_level
@pytest.mark.parametrize("rank", range(5))
def test_memory_is_referred_to_in_the_order_that_was_asked_for(rank: int) -> None:
    for shape, order in cases(rank):
        owner = np.arange(prod(shape), dtype=np.int32)
        x = suanzi.from_reference(owner, shape=shape, layout=order)
        assert (x.layout.order, elements(x)) == (order, places(shape, order)), (shape, order)
        # `from_reference` accepts an array whose memory order is `layout`. An array of several elements in another
        # order is refused.
        lying = np.zeros([shape[axis] for axis in reversed(order)]).transpose(
            [order[::-1].index(i) for i in range(rank)]
        )
        assert suanzi.from_reference(lying, layout=order).layout.order == order
        lengthy = [axis for axis in order if shape[axis] > 1]
        if len(lengthy) > 1 and prod(shape) > 0:
            at = order.index(lengthy[0]), order.index(lengthy[-1])
            other = [order[at[::-1][at.index(i)]] if i in at else axis for i, axis in enumerate(order)]
            with fails(InvalidArgumentError, "from_reference"):
                suanzi.from_reference(lying, layout=other)


def test_transposing_moves_it() -> None:
    x = suanzi.zeros((1, 1, 3), layout=(1, 2, 0))
    assert x.T.layout.order == (1, 0, 2)
    assert suanzi.permute_dims(x, (-2, -1, -3)).layout.order == (0, 1, 2)


def test_dimensions_that_are_added_leave_the_others_as_they_lie() -> None:
    for order in permutations(range(2)):
        x = suanzi.zeros((2, 3), layout=order)
        for axis in range(3):
            y = suanzi.expand_dims(x, axis)
            kept = [d for d in y.layout.order if d != axis]
            assert kept == [d + (d >= axis) for d in order]
            assert (y + 1).layout == y.layout


def test_a_view_of_everything_has_it() -> None:
    x = suanzi.zeros((1, 0, 1), layout=(1, 0, 2))
    for view in (x[...], x[:, :, :], suanzi.from_reference(x), pickle.loads(pickle.dumps(x)), copy.copy(x)):
        assert view.layout == x.layout
