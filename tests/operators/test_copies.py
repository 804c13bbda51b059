"""clone, contiguous and assignment copy the bits of strided tensors, for every element size and pair of layouts."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import assert_same
from suanzi import Tensor
from suanzi.conformance.oracle.element_types import Array

SIZES = ("int8", "float16", "int32", "float64", "complex128")  # one type for each size of element
# Lengths around the sizes of blocks that are transposed at once (16 to 64 bytes) and of blocks that threads share.
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130)


def counted(shape: tuple[int, ...], name: str) -> Array:
    """Make elements of random bytes, so that most elements differ from each other in every byte."""
    bits = np.random.default_rng(sum(shape)).integers(0, 256, (*shape, np.dtype(name).itemsize), np.uint8)
    return bits.view(name)[..., 0]


def same_bytes(x: Tensor, a: Array) -> None:
    assert x.shape == a.shape
    assert x.numpy().tobytes() == a.tobytes()


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("rows", LENGTHS)
def test_matrices(rows: int, name: str) -> None:
    """Check copies of matrices that are transposed, reversed or both, and of every second row or column."""
    for columns in LENGTHS:
        a = counted((rows, columns), name)
        x = suanzi.tensor(a)
        for turn in ((1, 1), (-1, 1), (1, -1), (-1, -1), (2, 1), (1, -2)):
            cut = tuple(slice(None, None, step) for step in turn)
            same_bytes(suanzi.contiguous(x[cut]), a[cut])
            same_bytes(suanzi.contiguous(x[cut].T), a[cut].T)
            target = suanzi.zeros((columns, rows), dtype=name).T[cut]
            target[...] = x[cut]
            same_bytes(target, a[cut])


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_orders_of_dimensions(order: tuple[int, ...], name: str) -> None:
    for shape in ((3, 5, 2, 17), (1, 33, 4, 6), (2, 2, 2, 2), (9, 3, 16, 5)):
        a = counted(shape, name)
        x = suanzi.tensor(a)
        for steps in product((1, -1), repeat=4):
            cut = tuple(slice(None, None, step) for step in steps)
            same_bytes(suanzi.contiguous(suanzi.permute_dims(x[cut], order)), a[cut].transpose(order))
        target = suanzi.permute_dims(
            suanzi.zeros(tuple(shape[i] for i in order), dtype=name), np.argsort(order).tolist()
        )
        target[...] = x
        same_bytes(target, a)


@pytest.mark.parametrize("name", SIZES)
def test_long_rows(name: str) -> None:
    """Check copies of rows whose lengths and positions are near the limits of vectors, cache lines and blocks."""
    a = counted((3, 700), name)
    x = suanzi.tensor(a)
    for length in (1, 2, 3, 5, 8, 13, 31, 32, 33, 64, 127, 128, 129, 257, 511, 690):
        for start in (0, 1, 3):
            piece = a[:, start : start + length]
            same_bytes(suanzi.contiguous(x[:, start : start + length]), piece)
            same_bytes(suanzi.contiguous(x[:, start : start + length][:, ::-1]), piece[:, ::-1])
            target = suanzi.zeros((3, 700), dtype=name)
            target[:, 7 - start : 7 - start + length] = x[:, start : start + length]
            expected = np.zeros_like(a)
            expected[:, 7 - start : 7 - start + length] = piece
            same_bytes(target, expected)


@pytest.mark.parametrize("name", SIZES)
def test_broadcast_sources(name: str) -> None:
    for shape, full in (
        ((5, 1), (5, 37)),
        ((1, 37), (5, 37)),
        ((4, 1, 3), (4, 70, 3)),
        ((1, 1), (9, 65)),
        ((2, 1, 1), (2, 3, 5)),
    ):
        a = counted(shape, name)
        same_bytes(suanzi.contiguous(suanzi.expand(suanzi.tensor(a), full)), np.broadcast_to(a, full))


@pytest.mark.parametrize("name", SIZES)
def test_large_ones_on_any_number_of_threads(name: str, keep_threads: None) -> None:
    a = counted((523, 1031), name)
    x = suanzi.tensor(a)
    box = counted((31, 40, 21, 33), name)
    y = suanzi.tensor(box)
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        same_bytes(suanzi.contiguous(x.T), a.T)
        same_bytes(suanzi.contiguous(x[::-1, ::-1]), a[::-1, ::-1])
        same_bytes(suanzi.contiguous(x.T[::-1, 1:]), a.T[::-1, 1:])
        same_bytes(suanzi.contiguous(x[:, ::2]), a[:, ::2])
        same_bytes(suanzi.contiguous(x[:, ::2].T), a[:, ::2].T)
        same_bytes(suanzi.contiguous(suanzi.permute_dims(y, (0, 2, 3, 1))), box.transpose(0, 2, 3, 1))
        same_bytes(suanzi.contiguous(suanzi.permute_dims(y, (2, 0, 3, 1))), box.transpose(2, 0, 3, 1))


@given(st.data())
def test_any_views(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=6)))
    name = data.draw(st.sampled_from(SIZES))
    a = counted(shape, name)
    order = data.draw(st.permutations(range(len(shape))))
    cut = tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2, -3]))) for _ in shape)
    x = suanzi.permute_dims(suanzi.tensor(a), order)[cut]
    expected = a.transpose(order)[cut]
    same_bytes(suanzi.contiguous(x), expected)
    target = suanzi.permute_dims(
        suanzi.empty(tuple(expected.shape[i] for i in order), dtype=name), np.argsort(order).tolist()
    )
    target[...] = x
    same_bytes(target, expected)


def test_assignment_between_overlapping_views() -> None:
    a = np.arange(60, dtype=np.int32).reshape(6, 10)
    for cut, other in (
        ((slice(1, 6),), (slice(0, 5),)),
        ((slice(0, 5),), (slice(1, 6),)),
        ((slice(None, None, -1),), ()),
    ):
        x, expected = suanzi.tensor(a), a.copy()
        x[cut] = x[other]
        expected[cut] = expected[other].copy()
        assert_same(x, expected)
    square = suanzi.tensor(a[:, :6])
    square[...] = square.T
    assert_same(square, np.ascontiguousarray(a[:, :6].T))
