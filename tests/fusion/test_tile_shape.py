"""`tile_shape` changes the order in which elements are computed, but no result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from formulas import softmax

import suanzi
from suanzi.tensor.status import InvalidArgumentError


def x_of(*shape: int) -> suanzi.Tensor:
    return suanzi.normal(shape=shape, seed=4)


INDEX = suanzi.tensor([1, 0, -1], dtype="int64")
OPERATIONS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x * 2 + 1,
    lambda x: suanzi.where(x > 0, x, x[..., ::-1]),
    lambda x: suanzi.add(x, x[..., :1], out=suanzi.empty(x.shape[::-1]).T if x.ndim == 2 else None),
    lambda x: suanzi.index_select(x, INDEX, -1),
    lambda x: suanzi.take(x, INDEX, 0),
    lambda x: suanzi.exp(x.T).T,
    suanzi.fuse(lambda x: suanzi.sin(x) * x + x[..., :1]),
    suanzi.fuse(softmax),
    suanzi.fuse(lambda x: (x + 1, suanzi.sum(x * x, axis=0))),
)


@pytest.mark.parametrize("operation", range(len(OPERATIONS)))
@pytest.mark.parametrize("tile", [(1, 1), (64, 250), (7, 301), (1000, 1), (1, 10_000)])
def test_no_result_depends_on_it(tile: tuple[int, int], operation: int) -> None:
    x, function = x_of(130, 301), OPERATIONS[operation]
    wanted = function(x)
    with suanzi.tile_shape(*tile):
        found = function(x)
    for a, b in zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]:
        assert suanzi.array_equal(a, b)
        assert a.strides == b.strides


@hypothesis.given(st.data())
def test_any_shape_and_tile(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple))
    tile = data.draw(st.lists(st.integers(1, 11), min_size=len(shape), max_size=len(shape)))
    repeats = data.draw(st.booleans())
    x = suanzi.tensor(np.arange(int(np.prod(shape)), dtype="float64").reshape(shape))
    y = suanzi.expand(x[:1], shape) if repeats and shape[0] else x
    # The operand is not contiguous, so the engine cannot treat the operand as one run of memory.
    wide = suanzi.reverse(x, axis=-1)
    with suanzi.tile_shape(*tile):
        found, fused = wide * 2 - y, suanzi.fuse(lambda a, b: a * 2 - b)(wide, y)
    wanted = wide.numpy() * 2 - y.numpy()
    np.testing.assert_array_equal(found.numpy(), wanted)
    np.testing.assert_array_equal(fused.numpy(), wanted)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + 1,
        lambda x: suanzi.add(x, 1, out=x),
        suanzi.fuse(lambda x: x * 2 + 1),
        lambda x: suanzi.index_select(x, INDEX, 0),
        lambda x: suanzi.gather(x, suanzi.reshape(INDEX, (1, 3)), 0),
    ],
)
def test_refusals(call: Callable[[Any], Any]) -> None:
    x = suanzi.zeros((4, 5))
    with suanzi.tile_shape(2, 2, 2, 2), pytest.raises(InvalidArgumentError, match=r"tile shape .* does not have the"):
        call(x)
    too_large = (2**40, 2**40, 1) if call(x).ndim == 3 else (2**40, 2**40)
    with suanzi.tile_shape(*too_large), pytest.raises(InvalidArgumentError, match="has more than 1048576 bytes"):
        call(x)


def test_a_function_is_traced_within_it() -> None:
    """Within a tile shape a function is traced, also if the passes have different numbers of dimensions."""

    def function(x: Any) -> Any:
        y = suanzi.sort(suanzi.sum(x * x + 1, axis=1), axis=0)
        return y * 2 + 1

    x, fused = x_of(30, 40), suanzi.fuse(function)
    wanted = function(x)
    for _ in range(2):
        with suanzi.tile_shape(8, 16):
            found, plan = fused(x), fused.explain(x)
        assert suanzi.array_equal(found, wanted)
        assert "not traced" not in plan
    other = suanzi.fuse(function)
    for _ in range(2):
        with suanzi.tile_shape(1, 1, 1), pytest.raises(InvalidArgumentError, match="fuse: the tile shape"):
            other(x)


def test_it_ends() -> None:
    """A tile shape ends with its `with` block, also after an error and in nested blocks.

    Other threads have no tile shape.
    """
    outer, inner = suanzi.tile_shape(1, 2), suanzi.tile_shape(3)
    with outer:
        with inner:
            assert suanzi._core.get_tile_shape() == (3,)
        with pytest.raises(ZeroDivisionError), inner:
            raise ZeroDivisionError
        with outer:
            assert suanzi._core.get_tile_shape() == (1, 2)
        assert suanzi._core.get_tile_shape() == (1, 2)
        seen: list[Any] = []
        thread = threading.Thread(target=lambda: seen.append((suanzi._core.get_tile_shape(), suanzi.ones(2) + 1)))
        thread.start()
        thread.join()
        assert seen[0][0] is None
    assert suanzi._core.get_tile_shape() is None


def test_explain_says_what_is_chosen() -> None:
    fused = suanzi.fuse(lambda x: suanzi.sin(x) * x)
    x = x_of(100, 100)
    assert "2,048 at a time" in fused.explain(x)
    with suanzi.tile_shape(10, 100):
        assert "in tiles of (10, 100)" in fused.explain(x)
