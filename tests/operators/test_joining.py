"""concat, stack, split, unstack, tile, repeat, meshgrid and broadcast_arrays return the same elements as NumPy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from layouts import LAYOUTS
from samples import NAMES, THING, assert_same, destroyed, fails, sample, shares_memory
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.conformance.oracle.element_types import Array

SHAPE = (3, 4, 5)
AXES = (0, 1, 2, -1, -3)


def arranged(layout: str, a: Array) -> tuple[Array, Tensor]:
    if layout == "broadcast":
        a = np.broadcast_to(a[:1], a.shape)
    return a, LAYOUTS[layout](a)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_type_and_layout(layout: str, name: str) -> None:
    a, x = arranged(layout, sample(SHAPE, name))
    b, y = arranged(layout, sample(SHAPE, name)[::-1, :, ::-1])
    for axis in AXES:
        assert_same(suanzi.concat([x, y, x], axis), np.concatenate([a, b, a], axis))
        assert_same(suanzi.stack((x, y), axis), np.stack([a, b], axis))
        assert_same(suanzi.repeat(x, 3, axis), np.repeat(a, 3, axis))
        counts = [i % 3 for i in range(a.shape[axis])]
        assert_same(suanzi.repeat(x, counts, axis), np.repeat(a, counts, axis))
        for parts, expected in (
            (suanzi.split(x, a.shape[axis], axis), np.split(a, a.shape[axis], axis)),
            (suanzi.split(x, [1, 0, a.shape[axis] - 1], axis), np.split(a, [1, 1], axis)),
            (suanzi.unstack(x, axis), list(np.moveaxis(a, axis, 0))),
        ):
            assert isinstance(parts, tuple)
            for part, piece in zip(parts, expected, strict=True):
                assert_same(part, piece)
                assert part.size == 0 or shares_memory(part, x)
    assert_same(suanzi.concat([x, y[0]], axis=None), np.concatenate([a, b[0]], axis=None))
    assert_same(suanzi.repeat(x, 2), np.repeat(a, 2))
    for repetitions in (2, (), (2, 3), (1, 2, 1), (2, 1, 3, 2), (0, 1), (1,) * 5):
        assert_same(suanzi.tile(x, repetitions), np.tile(a, repetitions))
    for copy in (suanzi.concat([x]), suanzi.tile(x, 1), suanzi.repeat(x, 1, 0)):
        assert_same(copy, np.ascontiguousarray(a))
        assert not shares_memory(copy, x)


@pytest.mark.parametrize("layout", [m for m in LAYOUTS if m != "broadcast"])
def test_out(layout: str) -> None:
    a, b = sample((3, 4)), sample((2, 4)) + 50
    _, out = arranged(layout, np.zeros((5, 4), np.float32))
    assert suanzi.concat([suanzi.tensor(a), suanzi.tensor(b)], out=out) is out
    assert_same(out, np.concatenate([a, b]))
    _, out = arranged(layout, np.zeros((3, 2, 4), np.complex128))
    suanzi.stack([suanzi.tensor(a), suanzi.tensor(a)], 1, out=out)
    assert_same(out, np.stack([a, a], 1).astype(np.complex128))
    for out in (suanzi.zeros(20), suanzi.zeros(40)[::-2]):
        suanzi.concat([suanzi.tensor(a), suanzi.tensor(b)], axis=None, out=out)
        assert_same(out, np.concatenate([a, b], axis=None))


def test_out_that_overlaps() -> None:
    a = sample((4, 3))
    for first, second in ((slice(0, 2), slice(2, 4)), (slice(2, 4), slice(0, 2)), (slice(1, 3), slice(0, 2))):
        x = suanzi.tensor(a)
        suanzi.concat([x[first], x[second]], out=x)
        assert_same(x, np.concatenate([a[first], a[second]]))


def test_types_promote() -> None:
    pairs = [("int8", "int32"), ("uint8", "int8"), ("int32", "float16"), ("float16", "bfloat16"), ("bool", "complex64")]
    for names in (*pairs, ("float64", "complex64", "int8")):
        arrays = [sample((2, 3), name) for name in names]
        whole = suanzi.concat([suanzi.tensor(a) for a in arrays])
        common = arrays[0].dtype
        summed = suanzi.tensor(arrays[0])
        for a in arrays[1:]:
            summed = summed + suanzi.tensor(a)
        common = summed.dtype.numpy
        assert_same(whole, np.concatenate([a.astype(common) for a in arrays]))
        stacked = suanzi.stack([suanzi.tensor(a).T for a in arrays], -1)
        assert_same(stacked, np.ascontiguousarray(np.stack([a.T.astype(common) for a in arrays], -1)))


def test_empty_and_single() -> None:
    nothing, row = suanzi.zeros((0, 3)), suanzi.ones((1, 3))
    assert_same(suanzi.concat([nothing, row, nothing]), np.ones((1, 3), np.float32))
    assert_same(suanzi.concat([nothing, nothing], 1), np.ones((0, 6), np.float32))
    assert_same(suanzi.stack([nothing, nothing]), np.ones((2, 0, 3), np.float32))
    scalar = suanzi.tensor(2.0)
    assert_same(suanzi.stack([scalar, scalar]), np.array([2, 2], np.float32))
    assert_same(suanzi.concat([scalar, row], axis=None), np.array([2, 1, 1, 1], np.float32))
    assert_same(suanzi.tile(scalar, (2, 2)), np.full((2, 2), 2, np.float32))
    assert_same(suanzi.repeat(scalar, 3), np.full(3, 2, np.float32))
    assert_same(suanzi.repeat(nothing, 3, 1), np.ones((0, 9), np.float32))
    assert_same(suanzi.repeat(nothing, [], 0), np.ones((0, 3), np.float32))
    assert_same(suanzi.repeat(row, [0], 0), np.ones((0, 3), np.float32))
    assert suanzi.unstack(nothing) == ()
    assert [part.shape for part in suanzi.unstack(nothing, 1)] == [(0,)] * 3
    assert [part.shape for part in suanzi.split(nothing, 3, 1)] == [(0, 1)] * 3
    assert [part.shape for part in suanzi.split(nothing, [0, 0])] == [(0, 3)] * 2
    assert [part.shape for part in suanzi.split(nothing, 2)] == [(0, 3)] * 2
    assert [part.shape for part in suanzi.split(nothing, suanzi.tensor(3, dtype="int64"), 1)] == [(0, 1)] * 3
    with pytest.raises(suanzi.AllocFailedError):
        suanzi.split(nothing, 2**40)
    assert suanzi.meshgrid() == suanzi.broadcast_arrays() == ()


SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=6)


@given(SHAPES, st.data())
def test_concat_and_split_are_inverse(shape: tuple[int, ...], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=12))
    whole = list(shape)
    whole[axis] = sum(sizes)
    a = sample(tuple(whole), "int32")
    parts = suanzi.split(suanzi.tensor(a), sizes, axis)
    assert [part.shape[axis] for part in parts] == sizes
    bounds = np.cumsum([0, *sizes])
    for part, (start, stop) in zip(parts, pairwise(bounds), strict=True):
        assert_same(part, np.take(a, range(start, stop), axis))
    assert_same(suanzi.concat(parts, axis), a)


@given(SHAPES, st.data())
def test_tile_and_repeat(shape: tuple[int, ...], data: st.DataObject) -> None:
    a = sample(shape, data.draw(st.sampled_from(["int8", "int16", "float32", "int64", "complex128"])))
    x = suanzi.tensor(np.ascontiguousarray(a.T)).T
    repetitions = tuple(data.draw(st.lists(st.integers(0, 3), max_size=5)))
    assert_same(suanzi.tile(x, repetitions), np.tile(a, repetitions))
    axis = data.draw(st.integers(0, a.ndim - 1))
    times = data.draw(st.integers(0, 40))
    assert_same(suanzi.repeat(x, times, axis), np.repeat(a, times, axis))
    counts = data.draw(st.lists(st.integers(0, 40), min_size=shape[axis], max_size=shape[axis]))
    assert_same(suanzi.repeat(x, suanzi.tensor(counts, dtype="uint8"), axis), np.repeat(a, counts, axis))


@pytest.mark.parametrize("count", range(1, 18))
def test_repeating_each_element(count: int) -> None:
    """`repeat` and `tile` write runs of 1 to 17 elements, which are shorter and longer than a store of 16 bytes."""
    for name in ("int8", "int16", "float32", "int64", "complex128"):
        a = sample((37,), name)
        assert_same(suanzi.repeat(suanzi.tensor(a), count), np.repeat(a, count))
        assert_same(suanzi.tile(suanzi.tensor(a[:count]), 9), np.tile(a[:count], 9))


@pytest.mark.parametrize("name", ["int8", "int16", "float32", "int64", "complex128"])
def test_repeating_each_by_its_own_count(name: str) -> None:
    """`repeat` accepts a count for each element. Counts include 0, short runs, and long runs between the short runs."""
    rng = np.random.default_rng(11)
    for n in (*range(1, 14), 100, 5000):
        for largest, long in ((2, 2), (5, 5), (17, 17), (3, 90)):
            a, counts = sample((n,), name), rng.integers(0, largest, n)
            counts[rng.random(n) < 0.1] = long
            assert_same(suanzi.repeat(suanzi.tensor(a), suanzi.tensor(counts), 0), np.repeat(a, counts))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing: Any) -> None:
    for sizes in ((3,), (3, 4), (2, 3, 4), (1, 0, 2), (2, 1, 3, 2)):
        arrays = [sample((2 * n,), name)[::2] for n, name in zip(sizes, NAMES[7:], strict=False)]
        tensors = [suanzi.tensor(np.repeat(a, 2))[::2] for a in arrays]
        grids = suanzi.meshgrid(*tensors, indexing=indexing)
        for grid, expected, x in zip(grids, np.meshgrid(*arrays, indexing=indexing), tensors, strict=True):
            assert_same(grid, expected)
            assert grid.size == 0 or shares_memory(grid, x)
    assert [x.shape for x in suanzi.meshgrid(suanzi.ones(3), suanzi.tensor(1.0))] == [(1, 3)] * 2


@given(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4))
def test_broadcast_arrays(shapes: Any) -> None:
    arrays = [sample(shape, "int16") for shape in shapes.input_shapes]
    views = suanzi.broadcast_tensors(*map(suanzi.tensor, arrays))
    for view, expected in zip(views, np.broadcast_arrays(*arrays), strict=True):
        assert_same(view, expected)


def test_any_number_of_threads(keep_threads: None) -> None:
    a, many = sample((1001, 903), "int32"), [sample((n, 57), "int16") for n in (1, 7000, 0, 3, 4500, 11)]
    x = suanzi.tensor(a)
    counts = np.arange(1001) % 4
    for threads in (1, 2, 3, 7):
        suanzi.set_num_threads(threads)
        assert_same(suanzi.concat([x, x.T.contiguous().T], 1), np.concatenate([a, a], 1))
        assert_same(suanzi.concat([suanzi.tensor(b) for b in many]), np.concatenate(many))
        assert_same(suanzi.repeat(x, counts.tolist(), 0), np.repeat(a, counts, 0))
        assert_same(suanzi.repeat(x[:, 0], (counts * 300).tolist()), np.repeat(a[:, 0], counts * 300))
        assert_same(suanzi.tile(x, (1, 2)), np.tile(a, (1, 2)))


def test_many_tensors() -> None:
    arrays = [sample((n % 7, 2)) + n for n in range(3000)]
    assert_same(suanzi.concat([suanzi.tensor(a) for a in arrays]), np.concatenate(arrays))
    large = [np.full((100,), n, np.float64) for n in range(3000)]
    assert_same(suanzi.stack([suanzi.tensor(a) for a in large], 1), np.ascontiguousarray(np.stack(large, 1)))


def test_methods() -> None:
    x = suanzi.tensor(sample((4, 3)))
    assert [part.shape for part in x.split(2)] == [(2, 3)] * 2
    assert_same(x.repeat(2, 1), np.repeat(sample((4, 3)), 2, 1))


X = suanzi.zeros((2, 3))
WIDE = suanzi.zeros((2**62, 0))
UNLIKE = suanzi.zeros((2, 3), dtype="uint64"), suanzi.zeros((2, 3), dtype="int8")
BAD: list[tuple[str, tuple[Any, ...], Any]] = [
    *(("concat", (value,), TypeMismatchError) for value in (X, None, {0: X}, iter([X]), THING)),
    *(("stack", (value,), TypeMismatchError) for value in (X, None, {0: X}, iter([X]), THING)),
    *((name, ([X, 1],), TypeMismatchError) for name in ("concat", "stack")),
    *((name, (UNLIKE,), TypeMismatchError) for name in ("concat", "stack")),
    *((name, ([],), InvalidArgumentError) for name in ("concat", "stack")),
    *((name, ([X, destroyed()],), UninitializedObjectError) for name in ("concat", "stack")),
    ("concat", ([X, X], 2), OutOfRangeError),
    ("concat", ([X, X], -(2**63)), OutOfRangeError),
    ("concat", ([X, X], 0.5), TypeMismatchError),
    ("concat", ([X, X[0]],), DimensionsMismatchError),
    ("concat", ([X, X.T],), DimensionsMismatchError),
    ("concat", ([suanzi.zeros(())],), DimensionsMismatchError),
    ("concat", ([WIDE, WIDE],), AllocFailedError),
    ("stack", ([X, X], 3), OutOfRangeError),
    ("stack", ([X, X], None), TypeMismatchError),
    ("stack", ([X, X[:1]],), DimensionsMismatchError),
    ("stack", ([suanzi.zeros((1,) * 64)],), InvalidArgumentError),
    ("split", (X, 0), InvalidArgumentError),
    ("split", (X, 3), DimensionsMismatchError),
    ("split", (X, 2**63 - 1), DimensionsMismatchError),
    ("split", (X, [1, 2]), DimensionsMismatchError),
    ("split", (X, [3, -1]), InvalidArgumentError),
    ("split", (X, [2**63 - 1, 2]), DimensionsMismatchError),
    ("split", (X, []), DimensionsMismatchError),
    ("split", (X, 1, 2), OutOfRangeError),
    ("split", (X, 1.5), TypeMismatchError),
    ("split", (X, [1, "a"]), TypeMismatchError),
    ("split", (X, suanzi.ones(2)), TypeMismatchError),
    ("split", (suanzi.zeros(()), 1), OutOfRangeError),
    ("split", (WIDE, 2**62), AllocFailedError),
    ("unstack", (X, 2), OutOfRangeError),
    ("unstack", (X, None), TypeMismatchError),
    ("unstack", (suanzi.zeros(()),), OutOfRangeError),
    ("unstack", (WIDE,), AllocFailedError),
    ("tile", (X, -1), InvalidArgumentError),
    ("tile", (X, 1.5), TypeMismatchError),
    ("tile", (X, (2**40, 2**40)), AllocFailedError),
    ("tile", (X, 2**63 - 1), AllocFailedError),
    ("repeat", (X, -1), InvalidArgumentError),
    ("repeat", (X, [1, -1], 0), InvalidArgumentError),
    ("repeat", (X, [1, 2, 3], 0), DimensionsMismatchError),
    ("repeat", (X, suanzi.ones((1, 2), dtype="int8"), 0), DimensionsMismatchError),
    ("repeat", (X, 1.5), TypeMismatchError),
    ("repeat", (X, suanzi.ones(2), 0), TypeMismatchError),
    ("repeat", (X, 2, 2), OutOfRangeError),
    ("repeat", (X, 2**62), AllocFailedError),
    ("repeat", (X, [2**62, 2**62], 0), AllocFailedError),
    ("meshgrid", (X,), DimensionsMismatchError),
    ("meshgrid", (1,), TypeMismatchError),
    ("meshgrid", (destroyed(),), UninitializedObjectError),
    ("meshgrid", (suanzi.ones(1),) * 65, InvalidArgumentError),
    ("meshgrid", (suanzi.ones(1000),) * 10, AllocFailedError),
    ("broadcast_arrays", (X, X.T), DimensionsMismatchError),
    ("broadcast_arrays", (X, 1), TypeMismatchError),
    ("broadcast_arrays", (X, destroyed()), UninitializedObjectError),
]  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=lambda case: f"{case[0]}-{case[2].__name__}")
def test_refused(case: Any) -> None:
    name, arguments, error = case
    with fails(error, name):
        getattr(suanzi, name)(*arguments)


def test_unknown_indexing() -> None:
    with fails(InvalidArgumentError, "meshgrid"):
        suanzi.meshgrid(X[0], indexing="yx")


@pytest.mark.parametrize("size", range(8))
@pytest.mark.parametrize("count", range(1, 10))
def test_uneven_parts(size: int, count: int) -> None:
    for axis, shape in ((0, (size, 2)), (1, (2, size)), (-1, (3, size))):
        a = sample(shape, "int32")
        x = suanzi.tensor(a)
        parts = suanzi.split(x, count, axis, uneven=True)
        for part, piece in zip(parts, np.array_split(a, count, axis), strict=True):
            assert_same(part, piece)
            assert part.size == 0 or shares_memory(part, x)
        if size and size % count == 0:
            for part, piece in zip(parts, suanzi.split(x, count, axis), strict=True):
                assert_same(part, piece.numpy())


def test_uneven_parts_that_are_refused() -> None:
    x = suanzi.zeros((5, 0))
    for call, error in (
        (lambda: suanzi.split(x, 2), DimensionsMismatchError),
        (lambda: suanzi.split(x, 2, uneven=False), DimensionsMismatchError),
        (lambda: suanzi.split(x, 0, uneven=True), InvalidArgumentError),
        (lambda: suanzi.split(x, -1, uneven=True), InvalidArgumentError),
        (lambda: suanzi.split(x, [2, 3], uneven=True), InvalidArgumentError),
        (lambda: suanzi.split(x, suanzi.tensor([2, 3], dtype="int64"), uneven=True), InvalidArgumentError),
        (lambda: suanzi.split(x, 2, 2, uneven=True), OutOfRangeError),
        (lambda: suanzi.split(x, 2**62, uneven=True), AllocFailedError),
    ):
        with fails(error, "split"):
            call()
    quantized = suanzi.quantize(suanzi.arange(5), 1.0, dtype="qint8")
    assert [part.tolist() for part in suanzi.split(quantized, 2, uneven=True)] == [[0, 1, 2], [3, 4]]
