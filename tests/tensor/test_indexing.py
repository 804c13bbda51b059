"""Basic indexing and assignment with integers, slices, ellipsis and None return the same results as in NumPy.

Keys with tensors and masks are in test_advanced_indexing.py.
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
from samples import NAMES, THING, assert_same, fails, sample, shares_memory
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    attempt,
)

SHAPES = hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=5)


@st.composite
def indexed(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """Draw a shape and a valid key."""
    shape = draw(SHAPES)
    return shape, draw(hnp.basic_indices(shape, allow_newaxis=True))


@given(indexed(), st.sampled_from(NAMES))
def test_views(case: Any, name: str) -> None:
    shape, key = case
    a = sample(shape, name)
    x = suanzi.tensor(a)
    y = x[key]
    expected = np.asarray(a[key])
    assert_same(y, expected)
    assert expected.size == 0 or shares_memory(x, y)


@given(indexed(), indexed())
def test_views_of_views(first: Any, second: Any) -> None:
    a = sample((5, 4, 5, 3))
    x = suanzi.tensor(a)
    for _, key in (first, second):
        try:
            expected = np.asarray(a[key])
        except IndexError:
            with pytest.raises(IndexError):
                x[key]
            return
        a, x = expected, x[key]
        assert_same(x, a)


@given(indexed(), st.sampled_from(NAMES), st.data())
def test_assignment(case: Any, name: str, data: st.DataObject) -> None:
    shape, key = case
    a = sample(shape, name)
    x = suanzi.tensor(a)
    selected = np.asarray(a[key]).shape
    kept = data.draw(st.integers(0, len(selected)))
    value_shape = tuple(data.draw(st.sampled_from((1, n))) for n in selected[kept:])
    value = np.array(np.flip(sample(value_shape, name)))
    a[key] = value
    for given_value in (suanzi.tensor(value), value, value.tolist()):
        x[key] = given_value
        assert_same(x, a)


@pytest.mark.parametrize("name", NAMES)
def test_assignment_of_numbers(name: str) -> None:
    a = sample((3, 4), name)
    x = suanzi.tensor(a)
    x[1, ::2] = a[1, ::2] = 1
    x[:, -1] = a[:, -1] = False
    assert_same(x, a)


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_assignment_converts(dtype: str, source: str) -> None:
    x, value = suanzi.zeros(3, dtype=dtype), suanzi.tensor(sample((3,), source))
    if source.startswith("complex") and not (dtype.startswith("complex") or dtype == "bool"):
        with fails(TypeMismatchError, "index"):
            x[...] = value
        assert_same(x, np.zeros(3, x.dtype.numpy))
    else:
        x[...] = value
        assert_same(x, sample((3,), source).astype(x.dtype.numpy))


def shifted(x: Any) -> None:
    x[1:] = x[:-1]


def unshifted(x: Any) -> None:
    x[:-1] = x[1:]


def reversed_(x: Any) -> None:
    x[...] = x[::-1]


def transposed(x: Any) -> None:
    x[...] = x.T


def half_over_all(x: Any) -> None:
    x[::2] = x[1::2]


def row_over_all(x: Any) -> None:
    x[...] = x[1]


def strided(x: Any) -> None:
    half = len(x) // 2
    x[:half, ::2] = x[half:, ::-2]


def doubled(x: Any) -> None:
    x[1:] += x[:-1]


@pytest.mark.parametrize(
    "change", [shifted, unshifted, reversed_, transposed, half_over_all, row_over_all, strided, doubled]
)
@pytest.mark.parametrize("n", [2, 4, 100, 300])
def test_source_and_target_overlap(change: Any, n: int) -> None:
    a = np.arange(n * n, dtype=np.float32).reshape(n, n)
    x = suanzi.tensor(a)
    change(x)
    change(a)
    assert_same(x, a)


def test_overlap_of_different_types_in_the_same_memory() -> None:
    z = suanzi.tensor(sample((10,), "complex64"))
    a = z.numpy().copy()
    z.real[...] = z.imag
    a.real[...] = a.imag
    assert_same(z, a)
    z.imag[1:] = z.real[:-1]
    a.imag[1:] = a.real[:-1]
    assert_same(z, a)


def test_integers_of_every_sort() -> None:
    x = suanzi.arange(6).reshape(2, 3)
    for i in (1, -1, np.int8(1), np.uint64(1), np.array(1), suanzi.tensor(1, dtype="int64")):
        assert_same(x[i], np.float32([3, 4, 5]))
    assert x[1, 2].shape == ()
    assert x[()].shape == (2, 3)
    assert x[slice(np.int64(0), suanzi.tensor(1, dtype="uint8"))].shape == (1, 3)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (2, OutOfRangeError),
        (-3, OutOfRangeError),
        ((0, 3), OutOfRangeError),
        ((0, 0, 0), OutOfRangeError),
        ((slice(None),) * 3, OutOfRangeError),
        (2**70, OutOfRangeError),
        (-(2**63), OutOfRangeError),
        (1.0, TypeMismatchError),
        ("a", TypeMismatchError),
        (b"a", TypeMismatchError),
        (suanzi.zeros(2), TypeMismatchError),
        ((..., ...), InvalidArgumentError),
        ((None,) * 63, InvalidArgumentError),
        pytest.param(slice(0, 2, 0), InvalidArgumentError),
        pytest.param(slice("a", None), TypeMismatchError),
        pytest.param(slice(0.5, None), TypeMismatchError),
    ],
    ids=str,
)
def test_bad_keys(key: Any, error: Any) -> None:
    x = suanzi.arange(6).reshape(2, 3)
    with fails(error, "index"):
        x[key]
    with fails(error, "index"):
        x[key] = 1
    assert_same(x, np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (suanzi.zeros(4), "float32", DimensionsMismatchError),
        (suanzi.zeros((2, 2, 3)), "float32", DimensionsMismatchError),
        ([[1, 2], [3]], "float32", DimensionsMismatchError),
        ([1, 2], "float32", DimensionsMismatchError),
        (300, "uint8", OutOfRangeError),
        ([300, 1, 1], "int8", OutOfRangeError),
        ([[1, 2, 3], [4, 5, -1]], "uint16", OutOfRangeError),
        (-1, "uint64", OutOfRangeError),
        (1.5, "int32", TypeMismatchError),
        (1j, "float64", TypeMismatchError),
        ("a", "float32", TypeMismatchError),
        (None, "float32", TypeMismatchError),
        (THING, "float32", TypeMismatchError),
        ([None], "float32", TypeMismatchError),
    ],
    ids=str,
)
def test_bad_values(value: Any, dtype: str, error: Any) -> None:
    x = suanzi.tensor(sample((2, 3), dtype))
    with fails(error, "index"):
        x[...] = value
    assert_same(x, sample((2, 3), dtype))


def test_an_expanded_target_is_refused() -> None:
    x = suanzi.zeros((1, 3))
    with fails(InvalidArgumentError, "index"):
        suanzi.expand(x, (2, 3))[...] = suanzi.tensor([1, 2, 3])
    assert_same(x, np.zeros((1, 3), np.float32))


def test_elements_are_not_deleted() -> None:
    x = suanzi.zeros(3)
    with fails(TypeMismatchError, "index"):
        del x[0]


def test_keys_with_extreme_slices() -> None:
    a = sample((5,))
    x = suanzi.tensor(a)
    for start in (None, -(2**70), -(2**63), -6, 2, 2**63 - 1, 2**70):
        for step in (None, -(2**63), -(2**70), -2, 3, 2**63 - 1, 2**70):
            assert_same(x[start::step], a[start::step])
            assert_same(x[:start:step], a[:start:step])


class Destroyer:
    """An index whose conversion to an integer destroys the indexed tensor during the indexing."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def __index__(self) -> int:
        if self.x.ndim:
            self.x.destroy()
        return 1


@pytest.mark.parametrize("rank", [1, 3, 10])
def test_a_key_that_destroys_the_tensor(rank: int) -> None:
    for wrap in (lambda d: d, lambda d: (d, 0), lambda d: (0, d), lambda d: slice(d, None), lambda d: (0, slice(d))):
        for assign in (False, True):
            x = suanzi.ones((2,) * rank)
            key = wrap(Destroyer(x))
            status, result = attempt(x.__setitem__, key, 1) if assign else attempt(x.__getitem__, key)
            # The tensor existed when the indexing began, and the resulting view keeps the tensor's memory alive.
            assert status or result is None or bool(suanzi.all(result == 1))


VIEWS: dict[str, Callable[[Tensor, Any], Any]] = {
    "slice": lambda x, d: suanzi.slice(x, [0, d], [2, 2]),
    "slice of an axis": lambda x, d: suanzi.slice(x, 0, 1, axis=d),
    "crop": lambda x, d: suanzi.crop(x, (0, d, 0), (1, 1, 1)),
    "crop to a shape": lambda x, d: suanzi.crop(x, (0, 0, 0), (1, d, 1)),
    "reshape": lambda x, d: suanzi.reshape(x, (d, 8)),
    "x.reshape": lambda x, d: x.reshape(d, 8),
    "x.expand": lambda x, d: x.expand(d, 2, 2, 2),
    "x.transpose": lambda x, d: x.transpose(0, d, 2),
    "expand": lambda x, d: suanzi.expand(x, (d, 2, 2, 2)),
    "permute_dims": lambda x, d: suanzi.permute_dims(x, (0, d, 2)),
    "expand_dims": lambda x, d: suanzi.expand_dims(x, d),
    "squeeze": lambda x, d: suanzi.squeeze(x, (d,)),
    "flip": lambda x, d: suanzi.flip(x, d),
    "rot90": lambda x, d: suanzi.rot90(x, d),
    "moveaxis": lambda x, d: suanzi.moveaxis(x, d, 0),
    "swapaxes": lambda x, d: suanzi.swapaxes(x, 0, d),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_an_argument_that_destroys_the_tensor(view: Callable[[Tensor, Any], Any]) -> None:
    x = suanzi.ones((2, 2, 2))
    status, _ = attempt(view, x, Destroyer(x))
    assert status == suanzi.Status.UNINITIALIZED_OBJECT
