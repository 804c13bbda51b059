"""gather, take, take_along_axis, gather_nd and index_select return the same elements as NumPy.

tests/tensor/test_advanced_indexing.py has the tests of `x[key]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import NAMES, assert_same, destroyed, fails, sample
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)

Array = Any
INTEGERS = tuple(name for name in NAMES if "int" in name)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5)
INDEX_SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
ALONG_AN_AXIS = ("gather", "take", "index_select")


def indices(seed: int, size: int, shape: tuple[int, ...], name: str = "int64") -> Array:
    """Make indices for an axis of the given size. If the type is signed, some indices are negative."""
    least = 0 if name.startswith("u") else -size
    return np.random.default_rng(seed).integers(least, size, shape).astype(name)


def laid_out(array: Array, layout: str) -> tuple[Array, Tensor]:
    """Return an array and an equal tensor of the given layout. In the layout "broadcast" all rows are the first row."""
    array = np.broadcast_to(array[:1], array.shape) if layout == "broadcast" else array
    return array, LAYOUTS[layout](array)


def gather_nd(x: Array, at: Array, batch: int = 0) -> Array:
    """Compute ONNX's GatherND in a loop over the indices. The first `batch` axes are batch axes."""
    depth = at.shape[-1]
    result = np.empty(at.shape[:-1] + x.shape[batch + depth :], x.dtype)
    for position in np.ndindex(at.shape[:-1]):
        result[position] = x[position[:batch] + tuple(at[position])]
    return result


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NAMES)
def test_along_each_axis(name: str, layout: str) -> None:
    a, x = laid_out(sample((4, 3, 5), name), layout)
    for axis in range(-3, 3):
        for shape in ((), (1,), (6,), (2, 3), (0, 2)):
            at = indices(axis + 9, a.shape[axis], shape)
            expected = np.take(a, at, axis)
            assert_same(suanzi.gather(x, suanzi.tensor(at), axis), expected)
            assert_same(suanzi.take(x, suanzi.tensor(at), axis=axis), expected)
            if at.ndim in (1, 2):
                assert_same(suanzi.index_select(x, suanzi.tensor(at), axis), expected)
        at = indices(axis + 9, a.shape[axis], a.shape)
        assert_same(suanzi.take_along_axis(x, suanzi.tensor(at), axis), np.take_along_axis(a, at, axis))
    at = indices(5, 3, (7, 1))
    assert_same(suanzi.gather_nd(x, suanzi.tensor(at)), gather_nd(a, at))
    at = np.stack([indices(k, n, (2, 3)) for k, n in enumerate(a.shape)], -1)
    assert_same(suanzi.gather_nd(x, suanzi.tensor(at)), gather_nd(a, at))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", INTEGERS)
def test_indices_of_every_type_and_layout(name: str, layout: str) -> None:
    a = sample((7, 6))
    x = suanzi.tensor(a)
    at, index = laid_out(indices(1, 6, (7, 6), name), layout)
    wide = at.astype(np.int64)
    for axis in (0, 1):
        assert_same(suanzi.gather(x, index, axis), np.take(a, wide, axis))
        assert_same(suanzi.take_along_axis(x, index, axis), np.take_along_axis(a, wide, axis))
    assert_same(suanzi.take(x, index), np.take(a, wide))
    pairs, tuples = laid_out(indices(2, 6, (9, 2), name), layout)
    assert_same(suanzi.gather_nd(x, tuples), gather_nd(a, pairs.astype(np.int64)))


@given(SHAPES, INDEX_SHAPES, st.data())
def test_shapes(shape: tuple[int, ...], index_shape: tuple[int, ...], data: st.DataObject) -> None:
    a = sample(shape, data.draw(st.sampled_from(("float32", "int8", "complex128", "bool"))))
    x = suanzi.tensor(a)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    at = indices(data.draw(st.integers(0, 9)), shape[axis], index_shape)
    assert_same(suanzi.gather(x, suanzi.tensor(at), axis), np.take(a, at, axis))
    assert_same(suanzi.take(x, suanzi.tensor(at % shape[axis])), np.take(a, at % shape[axis]))


@given(SHAPES, st.data())
def test_take_along_axis_broadcasts(shape: tuple[int, ...], data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    ones = [data.draw(st.sampled_from(((n, n), (1, n), (n, 1)))) for n in shape]
    source, target = (list(sizes) for sizes in zip(*ones, strict=True))
    source[axis], target[axis] = shape[axis], data.draw(st.integers(0, 4))
    a = sample(tuple(source))
    at = indices(3, shape[axis], tuple(target))
    assert_same(suanzi.take_along_axis(suanzi.tensor(a), suanzi.tensor(at), axis), np.take_along_axis(a, at, axis))


@given(SHAPES, st.data())
def test_gather_nd_shares_batches(shape: tuple[int, ...], data: st.DataObject) -> None:
    batch = data.draw(st.integers(0, len(shape) - 1))
    depth = data.draw(st.integers(1, len(shape) - batch))
    tuples = shape[:batch] + data.draw(INDEX_SHAPES)
    at = np.stack([indices(k, shape[batch + k], tuples) for k in range(depth)], -1)
    a = sample(shape)
    assert_same(suanzi.gather_nd(suanzi.tensor(a), suanzi.tensor(at), batch_dims=batch), gather_nd(a, at, batch))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 16, 100, 20_000])
@pytest.mark.parametrize("name", ["int8", "float32", "complex128"])
def test_rows_of_every_width(name: str, width: int) -> None:
    """`gather` moves rows as single elements, as blocks, or in pieces, depending on the width of the rows."""
    a = sample((5, width), name)
    x = suanzi.tensor(a)
    at = indices(width, 5, (12,))
    assert_same(suanzi.gather(x, suanzi.tensor(at)), a[at])
    assert_same(suanzi.gather(x.T, suanzi.tensor(at), axis=1), a.T[:, at])
    assert_same(suanzi.gather(x[:, ::-1], suanzi.tensor(at)), a[at, ::-1])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_large(threads: int) -> None:
    a = np.arange(600_000, dtype=np.float32)
    at = indices(1, a.size, (500_000,), "int32")
    box, columns = a.reshape(1000, 600), indices(2, 600, (70_000,))
    along = indices(3, 600, (1000, 700))
    before = suanzi.get_num_threads()
    suanzi.set_num_threads(threads)
    try:
        assert_same(suanzi.take(suanzi.tensor(a), suanzi.tensor(at)), a[at])
        assert_same(suanzi.gather(suanzi.tensor(box[:9]), suanzi.tensor(columns), 1), box[:9, columns])
        assert_same(suanzi.gather(suanzi.tensor(box), suanzi.tensor(at[:3] % 1000)), box[at[:3] % 1000])
        expected = np.take_along_axis(box, along, 1)
        assert_same(suanzi.take_along_axis(suanzi.tensor(box), suanzi.tensor(along), 1), expected)
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2**62, 0), (0,)], ids=str)
def test_nothing_to_take(shape: tuple[int, ...]) -> None:
    x, none = suanzi.zeros(shape), suanzi.zeros(0, dtype="int64")
    for axis in range(len(shape)):
        taken = (*shape[:axis], 0, *shape[axis + 1 :])
        assert suanzi.gather(x, none, axis).shape == taken
        assert suanzi.take_along_axis(x, suanzi.zeros(taken, dtype="int64"), axis).shape == taken
        if max(shape) > 9:  # the result of a valid index would have too many elements
            continue
        # An index must be valid even if the result has no elements.
        beyond = suanzi.tensor([-shape[axis] - 1], dtype="int64")
        for call in (suanzi.gather, suanzi.index_select, suanzi.take):
            with fails(OutOfRangeError, call.__name__):
                call(x, beyond, axis)
        if shape[axis]:
            assert suanzi.gather(x, beyond + 1, axis).size == 0


BEYOND = [
    ("int64", 4),
    ("int64", -5),
    ("int64", 2**63 - 1),
    ("int64", -(2**63)),
    ("int8", -128),
    ("int8", 127),
    ("uint8", 255),
    ("int32", -(2**31)),
    ("uint32", 2**32 - 1),
    ("uint64", 2**64 - 1),
    ("uint64", 2**63),
    ("uint64", 4),
]


@pytest.mark.parametrize(("name", "bad"), BEYOND, ids=str)
@pytest.mark.parametrize("position", [0, 1500, 2999])
def test_an_index_out_of_range(name: str, bad: int, position: int) -> None:
    x = suanzi.tensor(sample((4, 4)))
    at = np.zeros((3000, 1), name)
    at[position] = bad
    index = suanzi.tensor(at)
    text = rf"{bad} is outside \[-4, 4\) along axis"
    for call in (
        lambda: suanzi.gather(x, index),
        lambda: suanzi.gather(x, index, 1),
        lambda: suanzi.take(x[0], index),
        lambda: suanzi.index_select(x, index),
        lambda: suanzi.take_along_axis(x, index, 0),
        lambda: suanzi.gather_nd(x, index),
    ):
        with pytest.raises(OutOfRangeError, match=text):
            call()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_index_of_a_strided_tensor(shape: tuple[int, ...]) -> None:
    a = sample((3, 4, 5)).transpose(2, 0, 1)
    x = suanzi.from_reference(a)
    for axis, size in enumerate(a.shape):
        for index in range(-size, size):
            at = np.full(shape, index)
            assert_same(suanzi.take(x, suanzi.tensor(at), axis=axis), np.take(a, at, axis))
        for index in (size, -size - 1):
            with pytest.raises(OutOfRangeError, match=rf"^take: index {index} is outside \[-{size}, {size}\) along"):
                suanzi.take(x, suanzi.tensor(np.full(shape, index)), axis=axis)


def test_the_first_index_out_of_range_is_named() -> None:
    at = np.zeros(300_000, np.int64)
    at[[70_000, 200_000]] = 7, 8
    for _ in range(5):
        with pytest.raises(OutOfRangeError, match=r"^take: index 7 is outside \[-3, 3\) along axis 0$"):
            suanzi.take(suanzi.zeros(3), suanzi.tensor(at))


GOOD = suanzi.tensor(sample((2, 3)))
ONE = suanzi.zeros((2, 1), dtype="int64")
BAD: list[tuple[str, Callable[[Any], Any], Any]] = [
    *(
        (name, call, error)
        for name in ALONG_AN_AXIS
        for call, error in (
            (lambda f: f(GOOD, ONE, 2), OutOfRangeError),
            (lambda f: f(GOOD, ONE, -3), OutOfRangeError),
            (lambda f: f(GOOD, ONE, 2**70), OutOfRangeError),
            (lambda f: f(GOOD, ONE, 1.0), TypeMismatchError),
            (lambda f: f(GOOD, ONE, "a"), TypeMismatchError),
            (lambda f: f(GOOD, suanzi.zeros((2, 1)), 0), TypeMismatchError),
            (lambda f: f(GOOD, suanzi.zeros((2, 1), dtype="bool"), 0), TypeMismatchError),
            (lambda f: f(GOOD, [0, 1], 0), TypeMismatchError),
            (lambda f: f(GOOD, 0.0, 0), TypeMismatchError),
            (lambda f: f(GOOD, True, 0), TypeMismatchError),
            (lambda f: f(GOOD, destroyed(), 0), UninitializedObjectError),
            (lambda f: f(destroyed(), ONE, 0), UninitializedObjectError),
            (lambda f: f(suanzi.zeros(()), ONE, 0), OutOfRangeError),
        )
    ),
    ("gather", lambda f: f(GOOD, None), TypeMismatchError),
    ("gather", lambda f: f(GOOD, ONE, None), TypeMismatchError),
    ("gather", lambda f: f(GOOD, suanzi.zeros((1,) * 64, dtype="int8")), InvalidArgumentError),
    ("index_select", lambda f: f(GOOD, suanzi.zeros((), dtype="int8")), DimensionsMismatchError),
    ("index_select", lambda f: f(GOOD, suanzi.zeros((1, 1, 1), dtype="int8")), DimensionsMismatchError),
    ("take_along_axis", lambda f: f(GOOD, ONE[0]), DimensionsMismatchError),
    ("take_along_axis", lambda f: f(GOOD, suanzi.zeros((5, 1), dtype="int8"), 1), DimensionsMismatchError),
    ("take_along_axis", lambda f: f(GOOD, ONE, 2), OutOfRangeError),
    ("take_along_axis", lambda f: f(GOOD, GOOD), TypeMismatchError),
    ("take_along_axis", lambda f: f(GOOD, destroyed()), UninitializedObjectError),
    ("gather_nd", lambda f: f(GOOD, suanzi.zeros((), dtype="int8")), DimensionsMismatchError),
    ("gather_nd", lambda f: f(GOOD, suanzi.zeros((2, 0), dtype="int8")), DimensionsMismatchError),
    ("gather_nd", lambda f: f(GOOD, suanzi.zeros((2, 3), dtype="int8")), DimensionsMismatchError),
    ("gather_nd", lambda f: f(GOOD, ONE, 2), OutOfRangeError),
    ("gather_nd", lambda f: f(GOOD, ONE, -1), OutOfRangeError),
    ("gather_nd", lambda f: f(GOOD, suanzi.zeros((3, 1), dtype="int8"), 1), DimensionsMismatchError),
    ("gather_nd", lambda f: f(GOOD, GOOD[:, :1]), TypeMismatchError),
]


@pytest.mark.parametrize(("name", "call", "error"), BAD, ids=[f"{c[0]}-{i}" for i, c in enumerate(BAD)])
def test_refused(name: str, call: Any, error: Any) -> None:
    with fails(error, name):
        call(getattr(suanzi, name))


@pytest.mark.parametrize("name", NAMES)
def test_an_index_that_is_a_number(name: str) -> None:
    a = sample((3, 4), name)
    x = suanzi.tensor(a)
    for index in (0, 2, -1, np.int8(1)):
        assert_same(suanzi.gather(x, index), np.take(a, index, 0))
        assert_same(suanzi.gather(x, index, axis=1), np.take(a, index, 1))
        assert_same(suanzi.take(x, index), np.take(a, index))
        assert_same(x.take(index, axis=-1), np.take(a, index, -1))
        assert_same(suanzi.gather_tiled(x, index, tile=(2,)), a[index])
    for index in (3, -4, 2**70):
        with fails(OutOfRangeError, "gather"):
            suanzi.gather(x, index)
    with fails(DimensionsMismatchError, "index_select"):
        suanzi.index_select(x, 0)  # type: ignore[arg-type]


def test_results_own_their_memory() -> None:
    x = suanzi.tensor(sample((4, 3)))
    y = suanzi.gather(x, suanzi.tensor([0, 1], dtype="int64"))
    y[...] = -1
    assert_same(x, sample((4, 3)))
    assert y.is_contiguous()
    assert_same(x.take(suanzi.tensor([5], dtype="int8")), np.float32([5]))
