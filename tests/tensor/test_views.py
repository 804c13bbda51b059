"""Reshaped, transposed, expanded and squeezed tensors have NumPy's elements, and share memory as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import NAMES, assert_same, fails, sample, shares_memory
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
)

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def strided(draw: st.DrawFn) -> tuple[Tensor, Any]:
    """Draw a tensor and an equal array with the same strides. Both may be permuted, sliced or expanded."""
    shape = draw(SHAPES)
    a = sample(shape, draw(st.sampled_from(NAMES)))
    x = suanzi.tensor(a)
    if draw(st.booleans()):
        axes = draw(st.permutations(range(a.ndim)))
        a, x = a.transpose(axes), suanzi.permute_dims(x, axes)
    key = (
        *draw(
            st.tuples(
                *[st.sampled_from([slice(None), slice(1, None), slice(None, None, -1), slice(None, None, 2)])] * a.ndim
            )
        ),
        ...,
    )
    a, x = a[key], x[key]
    if a.ndim and draw(st.booleans()):
        wide = (2, *a.shape)
        a, x = np.broadcast_to(a, wide), suanzi.expand(x, wide)
    return x, a


def assert_view(y: Tensor, x: Tensor, b: Any, a: Any) -> None:
    """Check that y equals b, and that y shares memory with x if and only if b shares memory with a."""
    assert_same(y, b)
    if b.size:
        assert shares_memory(x, y) == np.shares_memory(a, b)


@st.composite
def factored(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    """Draw a shape that has `size` elements."""
    if size == 0:
        return (*draw(SHAPES), 0)
    shape, left = [], size
    while left > 1 and len(shape) < 5:
        n = draw(st.sampled_from([d for d in range(1, left + 1) if left % d == 0]))
        shape.append(n)
        left //= n
    return (*shape, left)


@given(strided(), st.data())
def test_reshape(case: Any, data: st.DataObject) -> None:
    x, a = case
    shape = data.draw(factored(a.size))
    assert_view(suanzi.reshape(x, shape), x, a.reshape(shape), a)
    if a.size:
        at = data.draw(st.integers(0, len(shape) - 1))
        unknown = (*shape[:at], -1, *shape[at + 1 :])
        assert_same(suanzi.reshape(x, unknown), a.reshape(shape))
        assert_same(x.reshape(*unknown), a.reshape(shape))


@given(strided(), st.data())
def test_transpose(case: Any, data: st.DataObject) -> None:
    x, a = case
    axes = data.draw(st.permutations(range(a.ndim)))
    signed = tuple(axis - a.ndim if data.draw(st.booleans()) else axis for axis in axes)
    for y in (suanzi.transpose(x, signed), suanzi.permute_dims(x, signed)):
        assert_view(y, x, a.transpose(axes), a)
    for y in (x.T, suanzi.transpose(x), x.transpose()):
        assert_view(y, x, a.T, a)
    if a.ndim >= 2:
        for y in (x.mT, suanzi.matrix_transpose(x)):
            assert_view(y, x, np.swapaxes(a, -1, -2), a)


@given(strided(), SHAPES)
def test_expand(case: Any, shape: tuple[int, ...]) -> None:
    x, a = case
    try:
        expected = np.broadcast_to(a, shape)
    except ValueError:
        with fails(DimensionsMismatchError, "expand"):
            suanzi.expand(x, shape)
    else:
        assert_view(suanzi.expand(x, shape), x, expected, a)


@given(strided(), st.data())
def test_squeeze_and_expand_dims(case: Any, data: st.DataObject) -> None:
    x, a = case
    assert_view(suanzi.squeeze(x), x, np.squeeze(a), a)
    ones = [i - data.draw(st.sampled_from([0, a.ndim])) for i, n in enumerate(a.shape) if n == 1]
    chosen = tuple(data.draw(st.permutations(ones))[: data.draw(st.integers(0, len(ones)))])
    assert_view(suanzi.squeeze(x, chosen), x, np.squeeze(a, chosen), a)
    count = data.draw(st.integers(0, 3))
    new = (
        data.draw(st.lists(st.integers(0, a.ndim + count - 1), min_size=count, max_size=count, unique=True))
        if count
        else []
    )
    new = [i - data.draw(st.sampled_from([0, a.ndim + count])) for i in new]
    assert_view(suanzi.expand_dims(x, tuple(new)), x, np.expand_dims(a, tuple(new)), a)


@given(strided(), st.data())
def test_flatten(case: Any, data: st.DataObject) -> None:
    x, a = case
    assert_view(suanzi.flatten(x), x, a.reshape(-1) if a.size else a.reshape(0), a)
    if a.ndim:
        first = data.draw(st.integers(0, a.ndim - 1))
        last = data.draw(st.integers(first, a.ndim - 1))
        shape = (*a.shape[:first], prod(a.shape[first : last + 1]), *a.shape[last + 1 :])
        assert_view(suanzi.flatten(x, first, last - a.ndim), x, a.reshape(shape), a)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_parts_of_complex_numbers_are_views(name: str) -> None:
    a = sample((3, 4), name)[:, ::2]
    x = suanzi.tensor(sample((3, 4), name))[:, ::2]
    for part in ("real", "imag"):
        y = getattr(x, part)
        assert_same(y, getattr(a, part))
        assert shares_memory(x, y)
        y[0] = 7
        getattr(a, part)[0] = 7
    assert_same(x, a)


def test_writes_through_views_show() -> None:
    x = suanzi.zeros((2, 3))
    views: list[tuple[Callable[[Tensor], Tensor], Any]] = [
        (lambda x: x.T, (2, 1)),
        (lambda x: x.reshape(3, 2), (2, 1)),
        (lambda x: suanzi.expand_dims(x, 0), (0, 1, 2)),
        (lambda x: x.flatten(), (5,)),
        (lambda x: x[1:, 2:].squeeze(), ()),
    ]
    for number, (view, place) in enumerate(views, start=1):
        view(x)[place] = number
        assert x[1, 2].item() == number


BAD: list[tuple[str, Callable[[Any], Any], Any]] = [
    ("reshape", lambda x: suanzi.reshape(x, 4), DimensionsMismatchError),
    ("reshape", lambda x: suanzi.reshape(x, (4, -1)), DimensionsMismatchError),
    ("reshape", lambda x: suanzi.reshape(x, (0, -1)), DimensionsMismatchError),
    ("reshape", lambda x: suanzi.reshape(x, (-1, -1)), InvalidArgumentError),
    ("reshape", lambda x: suanzi.reshape(x, (-2, 3)), InvalidArgumentError),
    ("reshape", lambda x: suanzi.reshape(x, 2**70), InvalidArgumentError),
    ("reshape", lambda x: suanzi.reshape(x, (2**40, 2**40)), DimensionsMismatchError),
    ("reshape", lambda x: suanzi.reshape(x, (1,) * 70), InvalidArgumentError),
    ("reshape", lambda x: suanzi.reshape(x, "6"), TypeMismatchError),
    ("reshape", lambda x: suanzi.reshape(x, 6.0), TypeMismatchError),
    ("transpose", lambda x: suanzi.transpose(x, (0,)), DimensionsMismatchError),
    ("transpose", lambda x: suanzi.transpose(x, (0, 0)), InvalidArgumentError),
    ("transpose", lambda x: suanzi.transpose(x, (0, -2)), InvalidArgumentError),
    ("transpose", lambda x: suanzi.transpose(x, (0, 2)), OutOfRangeError),
    ("transpose", lambda x: suanzi.transpose(x, (0, 2**63)), OutOfRangeError),
    ("transpose", lambda x: suanzi.transpose(x, "ab"), TypeMismatchError),
    ("transpose", lambda x: suanzi.transpose(x, (0, 1.0)), TypeMismatchError),
    ("matrix_transpose", lambda x: suanzi.matrix_transpose(x[0]), DimensionsMismatchError),
    ("mT", lambda x: x[0].mT, DimensionsMismatchError),
    ("expand", lambda x: suanzi.expand(x, (3,)), DimensionsMismatchError),
    ("expand", lambda x: suanzi.expand(x, (3, 3)), DimensionsMismatchError),
    ("expand", lambda x: suanzi.expand(x, (-2, 3)), InvalidArgumentError),
    ("expand", lambda x: suanzi.expand(x, (2**62, 2, 3)), AllocFailedError),
    ("squeeze", lambda x: suanzi.squeeze(x, 0), DimensionsMismatchError),
    ("squeeze", lambda x: suanzi.squeeze(x, 2), OutOfRangeError),
    ("squeeze", lambda x: suanzi.squeeze(x[:1], (0, 0)), InvalidArgumentError),
    ("squeeze", lambda x: suanzi.squeeze(x, "a"), TypeMismatchError),
    ("expand_dims", lambda x: suanzi.expand_dims(x, 3), OutOfRangeError),
    ("expand_dims", lambda x: suanzi.expand_dims(x, -4), OutOfRangeError),
    ("expand_dims", lambda x: suanzi.expand_dims(x, (0, 0)), InvalidArgumentError),
    ("expand_dims", lambda x: suanzi.expand_dims(x, 0.0), TypeMismatchError),
    ("flatten", lambda x: suanzi.flatten(x, 2), OutOfRangeError),
    ("flatten", lambda x: suanzi.flatten(x, 1, 0), DimensionsMismatchError),
    ("flatten", lambda x: suanzi.flatten(x, None), TypeMismatchError),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_bad_arguments(case: Any) -> None:
    name, call, error = case
    x = suanzi.tensor(sample())
    with fails(error, name):
        call(x)
    assert_same(x, sample())


def test_64_dimensions() -> None:
    x = suanzi.ones((1,) * 64)
    assert x.T.reshape(1).shape == (1,)
    assert (x + x).numpy().sum() == 2
    assert x.sum().item() == 1
    with fails(InvalidArgumentError, "index"):
        x[None]
    with fails(InvalidArgumentError, "index", "expand_dims"):
        suanzi.expand_dims(x, 0)


@pytest.mark.parametrize("name", ["float32", "bool", "int8"])
def test_an_expanded_view_cannot_be_written_to(name: str) -> None:
    """An expanded view refuses every write, because a write would change more elements than the caller named."""
    e = suanzi.expand(suanzi.zeros((1, 2), dtype=name), (4, 2))
    ones = suanzi.ones((4, 2), dtype=name)
    keys: list[Any] = [
        0,
        ...,
        (0, 1),
        slice(1, 2),
        suanzi.tensor([0], dtype="int64"),
        [0, 1],
        ones != 0,
        (slice(None), 1),
    ]
    for key in keys:
        for value in (1, ones[key]):
            with fails(InvalidArgumentError, "index"):
                e[key] = value
    with fails(InvalidArgumentError, "add"):
        suanzi.add(ones, ones, out=e)
    assert not np.asarray(e).flags.writeable
    assert not e.numpy().flags.writeable
    assert e.tolist() == suanzi.zeros((4, 2), dtype=name).tolist()
    e[:1].clone()[0] = 1
    assert np.asarray(ones.T).flags.writeable


def test_windows_that_overlap_cannot_be_written_to() -> None:
    owner = np.zeros(6)
    windows = suanzi.from_reference(np.lib.stride_tricks.as_strided(owner, (4, 3), (8, 8)))
    with fails(InvalidArgumentError, "index"):
        windows[0] = 1
    apart = suanzi.from_reference(np.lib.stride_tricks.as_strided(owner, (2, 3), (24, 8)))
    apart[1] = 1
    assert owner.tolist() == [0, 0, 0, 1, 1, 1]


def test_expand_keeps_sizes() -> None:
    a = sample((3, 1, 4))
    x = suanzi.tensor(a)
    for shape, expected in (
        ((-1, 2, -1), (3, 2, 4)),
        ((5, -1, -1, -1), (5, 3, 1, 4)),
        ((-1, -1, -1), (3, 1, 4)),
        ((2, 5, -1, 6, 4), (2, 5, 3, 6, 4)),
    ):
        for result in (suanzi.expand(x, shape), x.expand(shape), x.expand(*shape), x.expand(shape=shape)):
            assert_same(result, np.broadcast_to(a, expected))
            assert shares_memory(result, x)
    assert suanzi.expand(suanzi.zeros((0, 1)), (-1, 3)).shape == (0, 3)
    for shape, error in (
        ((-1, 3, 1, 4), InvalidArgumentError),
        ((-1,), DimensionsMismatchError),
        ((-1, -1, 5), DimensionsMismatchError),
        ((-2, 1, 4), InvalidArgumentError),
    ):
        with fails(error, "expand"):
            suanzi.expand(x, shape)
        with fails(error, "expand"):
            x.expand(shape)
    with fails(InvalidArgumentError, "broadcast_to"):
        suanzi.broadcast_to(x, (-1, 2, -1))


def test_broadcast_to() -> None:
    a = sample((3, 1))
    x = suanzi.tensor(a)
    assert_same(suanzi.broadcast_to(x, (2, 3, 4)), np.broadcast_to(a, (2, 3, 4)))
    assert shares_memory(suanzi.broadcast_to(x, (3, 4)), x)
    with fails(DimensionsMismatchError, "broadcast_to"):
        suanzi.broadcast_to(x, (4, 4))
    with fails(DimensionsMismatchError, "broadcast_tensors"):
        suanzi.broadcast_tensors(x, suanzi.zeros((2, 2)))
    with fails(DimensionsMismatchError, "broadcast_arrays"):
        suanzi.broadcast_arrays(x, suanzi.zeros((2, 2)))


# --- the bytes as another type ---


def reinterpreted(x: Any, name: str) -> Any:
    """Return the view of `x` as the type `name`, or None if `view` raises an error."""
    dtype = suanzi.as_dtype(name)
    try:
        return x.view(dtype if isinstance(x, Tensor) else dtype.numpy)
    except ValueError:
        return None


@given(strided(), st.sampled_from(NAMES))
def test_view_as_another_type(case: Any, name: str) -> None:
    x, a = case
    found, expected = reinterpreted(x, name), reinterpreted(a, name)
    if found is None:  # NumPy accepts unaligned elements
        assert expected is None or not expected.flags["ALIGNED"]
        return
    assert_same(found, expected)
    assert found.size == 0 or shares_memory(found, x)
    assert_same(found.view(x.dtype), a)


def test_view_shows_what_is_written() -> None:
    x = suanzi.tensor([1.0, 2.0])
    x.view("uint32")[1] = 0x40400000
    assert x.tolist() == [1, 3]
    x.view()[0] = 7
    assert x.tolist() == [7, 3]
    assert x.view() is not x
    fixed = suanzi.from_reference(np.frombuffer(bytes(8), np.uint8))
    with fails(InvalidArgumentError, "index"):
        fixed.view(dtype="float32")[0] = 1


def test_view_takes_pythons_types_by_their_bytes() -> None:
    """`view(float)` and `view(complex)` mean float64 and complex128, as in NumPy."""
    x = suanzi.tensor([1 + 2j], dtype="complex128")
    assert x.view(float).tolist() == [1, 2]
    assert x.view(float).view(complex).tolist() == [1 + 2j]
    assert suanzi.tensor([1 + 2j]).view(np.float32).tolist() == [1, 2]
    assert suanzi.ones(2, dtype="bfloat16").view("uint16").tolist() == [0x3F80] * 2


def test_view_keeps_the_memory() -> None:
    x = suanzi.ones(4)
    y = x.view("int32")
    assert y.allocator == "suanzi"
    x.destroy()
    assert y.tolist() == [0x3F800000] * 4


@pytest.mark.parametrize(
    ("view", "error", "words"),
    [
        (lambda x: x.view(2, 3), TypeMismatchError, r"\(2, 3\) is a shape; reshape"),
        (lambda x: x.view((2, 3)), TypeMismatchError, r"\(2, 3\) is a shape; reshape"),
        (lambda x: x.view(-1), TypeMismatchError, "-1 is a shape; reshape"),
        (lambda x: x.view("nonsense"), TypeMismatchError, "'nonsense' is not an element type"),
        (lambda x: x.view("string"), TypeMismatchError, "float32 elements cannot be viewed as string"),
        (lambda x: suanzi.tensor(["a"]).view("uint8"), TypeMismatchError, "string elements"),
        (lambda x: x[:, :3].view("float64"), InvalidArgumentError, "3 elements of 4 bytes.*not a whole number"),
        (lambda x: x[:, ::2].view("float64"), InvalidArgumentError, "last dimension is not contiguous"),
        (lambda x: x[:, 1:].view("float64"), InvalidArgumentError, "a stride of 5 .* is not a multiple of 8"),
        (lambda x: x[0, 1:].view("float64"), InvalidArgumentError, "do not begin at a multiple of 8"),
        (lambda x: x[0, 0].view("float64"), InvalidArgumentError, r"shape \(\)"),
        (lambda x: suanzi.empty((0, 2**61)).view("uint8"), OutOfRangeError, "too many elements"),
    ],
)
def test_view_that_there_is_not(view: Callable[[Tensor], Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=f"^view: .*{words}"):
        view(suanzi.ones((2, 5)))
