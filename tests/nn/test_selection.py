"""Selections of rows and elements by integers, and pixel shuffles, return the same elements as NumPy's indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError, nn

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@given(st.data())
def test_embedding(data: st.DataObject) -> None:
    draw = data.draw
    rows, features = draw(st.integers(1, 9)), draw(st.integers(0, 5))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = rng.standard_normal((rows, features)).astype(
        suanzi.as_dtype(draw(st.sampled_from(("float16", "float32")))).numpy
    )
    index = rng.integers(0, rows, size=shape).astype(draw(st.sampled_from(INTEGERS)))
    found = nn.embedding(suanzi.tensor(index), suanzi.tensor(table))
    np.testing.assert_array_equal(found.numpy(), table[index])


def test_embedding_refuses() -> None:
    table, name = suanzi.zeros((3, 2)), "nn.embedding"
    for wrong in (-1, 3):
        with pytest.raises(OutOfRangeError, match=rf"^{name}: index {wrong} is outside \[0, 3\)$"):
            nn.embedding(suanzi.full((2,), wrong, dtype="int64"), table)
    with fails(TypeMismatchError, name):
        nn.embedding(suanzi.zeros((2,)), table)
    with fails(DimensionsMismatchError, name):
        nn.embedding(suanzi.zeros((2,), dtype="int64"), suanzi.zeros((3,)))


@pytest.mark.parametrize("wrong", [-1, 3])
def test_embedding_refuses_in_every_call_of_a_fused_function(wrong: int) -> None:
    table = suanzi.ones((3, 2))
    for values in ([wrong, 0], [2, 0]):  # the index of the first call, which is traced, is wrong or right
        fused = suanzi.fuse(lambda x: nn.embedding(x, table) * 2)
        for index in (values, [wrong, 0], [1, 2], [0, wrong]):
            x = suanzi.tensor(index, dtype="int64")
            if wrong in index:
                with pytest.raises(OutOfRangeError, match=rf"index {wrong} is outside \[0, 3\)$"):
                    fused(x)
            else:
                assert fused(x).tolist() == [[2, 2], [2, 2]]


@given(st.data())
def test_one_hot(data: st.DataObject) -> None:
    draw = data.draw
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    classes = draw(st.integers(1, 300))
    dtype = draw(st.sampled_from(INTEGERS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    index = rng.integers(0, min(classes, 127), size=shape).astype(dtype)
    expected = np.eye(classes, dtype=np.int64)[index.astype(np.int64)]
    np.testing.assert_array_equal(nn.one_hot(suanzi.tensor(index), classes).numpy(), expected)
    least = int(index.max()) + 1
    found = nn.one_hot(suanzi.tensor(index), dtype="float16").numpy()
    np.testing.assert_array_equal(found, expected[..., :least].astype(np.float16))


def test_one_hot_refuses() -> None:
    name = "nn.one_hot"
    for index, classes in ((-1, 3), (3, 3), (0, 0)):
        with fails(OutOfRangeError, name):
            nn.one_hot(suanzi.full((2,), index, dtype="int64"), classes)
    with fails(InvalidArgumentError, name):
        nn.one_hot(suanzi.zeros((2,), dtype="int64"), -2)
    with fails(TypeMismatchError, name):
        nn.one_hot(suanzi.zeros((2,)))
    empty = suanzi.zeros((0, 2), dtype="int64")
    assert nn.one_hot(empty, 3).shape == (0, 2, 3)
    with fails(OutOfRangeError, name):
        nn.one_hot(empty)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128", "string"])
@pytest.mark.parametrize("layout", ["contiguous", "strided", "transposed"])
def test_pixels(dtype: str, layout: str) -> None:
    for leading in ((), (2,), (2, 3)):
        for r in (1, 2, 3):
            shape = (*leading, 2 * r * r, 2, 3)
            a: Any = np.arange(np.prod(shape)).reshape(shape).astype(np.int64)
            a = a.astype(str) if dtype == "string" else a.astype(suanzi.as_dtype(dtype).numpy)
            x = suanzi.tensor(a) if dtype == "string" else LAYOUTS[layout](a)
            shuffled = nn.pixel_shuffle(x, r)
            expected = np.empty((*leading, 2, 2 * r, 3 * r), a.dtype)
            for c, i, j in np.ndindex(expected.shape[-3:]):
                expected[..., c, i, j] = a[..., c * r * r + i % r * r + j % r, i // r, j // r]
            np.testing.assert_array_equal(shuffled.numpy(), expected)
            np.testing.assert_array_equal(nn.pixel_unshuffle(shuffled, r).numpy(), a)


def test_pixels_are_copies() -> None:
    """`pixel_shuffle` and `pixel_unshuffle` return a copy even if a view could have the shape of the result."""
    for function, shape, factor in (
        (nn.pixel_shuffle, (2, 4, 1, 1), 2),
        (nn.pixel_shuffle, (2, 4, 3, 3), 1),
        (nn.pixel_unshuffle, (2, 1, 2, 2), 2),
    ):
        x = suanzi.zeros(shape)
        found = function(x, factor)
        found[...] = 1.0
        assert suanzi.sum(x) == 0
        assert suanzi.is_contiguous(found)


def test_pixels_refused() -> None:
    for function in (nn.pixel_shuffle, nn.pixel_unshuffle):
        name = f"nn.{function.__name__}"
        with fails(DimensionsMismatchError, name):
            function(suanzi.zeros((3, 3, 3)), 2)
        with fails(DimensionsMismatchError, name):
            function(suanzi.zeros((4, 4)), 2)
        with fails(InvalidArgumentError, name):
            function(suanzi.zeros((4, 4, 4)), 0)
        with fails(OutOfRangeError, name):
            function(suanzi.zeros((4, 4, 4)), 2**64)
        with fails(TypeMismatchError, name):
            function(suanzi.zeros((4, 4, 4)), 2.0)  # type: ignore[arg-type]
