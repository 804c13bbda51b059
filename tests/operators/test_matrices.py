"""diag, diagonal, eye, tril and triu return NumPy's results for every type, layout, diagonal and shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS
from samples import NAMES, assert_same, destroyed, fails, sample, shares_memory
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)

OFFSETS = (0, 1, -1, 2, -3, 100, -100, 2**63 - 1, -(2**63))
TRIANGLES: dict[str, Callable[..., Any]] = {"tril": np.tril, "triu": np.triu}


def clipped(k: int) -> int:
    """Return the diagonal's number, clipped to ±10,000 because NumPy overflows for very large numbers."""
    return max(-10_000, min(10_000, k))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_of_every_type_and_layout(name: str, layout: str) -> None:
    a = sample((5, 7), name)
    if layout == "broadcast":
        a = np.repeat(a[:1], 5, axis=0)
    x = LAYOUTS[layout](a)
    for k in (0, 2, -3):
        assert_same(suanzi.diag(x, k), np.diag(a, k).copy())
        assert_same(suanzi.diagonal(x, k), np.diagonal(a, k).copy())
        assert_same(suanzi.tril(x, k), np.tril(a, k))
        assert_same(suanzi.triu(x, k), np.triu(a, k))
        assert_same(suanzi.diag(x[1], k), np.diag(a[1], k))
        assert_same(suanzi.diag(x[:, 2], k), np.diag(a[:, 2], k))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", [None, (0, 1), (1, 0)])
def test_eye(name: str, layout: Any) -> None:
    for n, m in ((3, None), (0, None), (1, 1), (2, 5), (5, 2), (0, 4), (4, 0)):
        for k in OFFSETS:
            x = suanzi.eye(n, m, k, dtype=name, layout=layout)
            assert_same(x, np.eye(n, m, clipped(k), dtype=suanzi.as_dtype(name).numpy))
    assert suanzi.eye(3, 4, layout=(0, 1)).stride() == (1, 3)
    assert suanzi.eye(2).dtype is suanzi.float32


@pytest.mark.parametrize("shape", [(0,), (1,), (4,), (0, 0), (3, 0), (0, 3), (1, 1), (1, 6), (6, 1), (3, 4)])
def test_diag_of_every_shape(shape: tuple[int, ...]) -> None:
    a = sample(shape)
    x = suanzi.tensor(a)
    for k in OFFSETS if len(shape) == 2 else (0, 1, -2):
        expected = np.diag(a, clipped(k)) if 0 not in shape or len(shape) == 1 else np.zeros(0, np.float32)
        assert_same(suanzi.diag(x, k), expected.copy())


def test_diag_copies_and_diagonal_does_not() -> None:
    x = suanzi.tensor(sample((3, 4)))
    assert not shares_memory(suanzi.diag(x), x)
    view = suanzi.diagonal(x, 1)
    assert shares_memory(view, x)
    view[...] = -1
    assert [x[i, i + 1].item() for i in range(3)] == [-1, -1, -1]
    assert_same(x.diagonal(1), view.numpy())
    assert_same(x.tril(-1), np.tril(x.numpy(), -1))
    assert_same(x.triu(), np.triu(x.numpy()))


@settings(max_examples=150, deadline=None)
@given(
    shape=st.lists(st.integers(0, 6), min_size=2, max_size=5),
    k=st.integers(-8, 8) | st.sampled_from(OFFSETS),
    data=st.data(),
)
def test_stacks_of_matrices(shape: list[int], k: int, data: Any) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    a = sample(tuple(shape)).transpose(order)
    x = suanzi.permute_dims(suanzi.tensor(sample(tuple(shape))), tuple(order))
    for name, expected in TRIANGLES.items():
        assert_same(getattr(suanzi, name)(x, k), expected(a, clipped(k)))
    axis1, axis2 = data.draw(st.permutations(range(len(shape))))[:2]
    sign = data.draw(st.sampled_from([0, len(shape)]))
    assert_same(suanzi.diagonal(x, k, axis1 - sign, axis2), np.diagonal(a, clipped(k), axis1, axis2).copy())


def test_a_triangle_keeps_the_layout_of_its_matrix() -> None:
    x = suanzi.tensor(sample((40, 30))).T
    assert suanzi.tril(x).strides == x.strides
    assert suanzi.tril(x[:, ::2]).stride() == (1, 30)


def test_large_matrices() -> None:
    """The matrices are so large that several tasks process each matrix."""
    a = sample((3, 401, 503))
    assert_same(suanzi.tril(suanzi.tensor(a), 7), np.tril(a, 7))
    assert_same(suanzi.triu(suanzi.tensor(a)[:, ::-1], -7), np.triu(a[:, ::-1], -7))
    assert_same(suanzi.eye(1001, 700, -20, dtype="int16"), np.eye(1001, 700, -20, dtype=np.int16))
    assert_same(suanzi.diag(suanzi.tensor(a[0, 0]), 300), np.diag(a[0, 0], 300))


BAD: list[tuple[str, Callable[[], Any], Any]] = [
    ("diag", lambda: suanzi.diag(suanzi.tensor(1.0)), DimensionsMismatchError),
    ("diag", lambda: suanzi.diag(suanzi.zeros((2, 2, 2))), DimensionsMismatchError),
    ("diag", lambda: suanzi.diag(suanzi.zeros(3), 2**62), AllocFailedError),
    ("diag", lambda: suanzi.diag(suanzi.zeros(3), 2**63 - 1), AllocFailedError),
    ("diag", lambda: suanzi.diag(suanzi.zeros(3), -(2**63)), AllocFailedError),
    ("diag", lambda: suanzi.diag(suanzi.zeros(3), 2**63), OutOfRangeError),
    ("diag", lambda: suanzi.diag(suanzi.zeros(3), 1.0), TypeMismatchError),  # type: ignore[arg-type]
    ("diag", lambda: suanzi.diag(destroyed()), UninitializedObjectError),
    ("diag", lambda: suanzi.diag([1.0]), TypeMismatchError),  # type: ignore[arg-type]
    ("diagonal", lambda: suanzi.diagonal(suanzi.zeros(3)), DimensionsMismatchError),
    ("diagonal", lambda: suanzi.diagonal(suanzi.zeros((3, 3)), 0, 2), OutOfRangeError),
    ("diagonal", lambda: suanzi.diagonal(suanzi.zeros((3, 3)), 0, 1, -1), InvalidArgumentError),
    ("diagonal", lambda: suanzi.diagonal(suanzi.zeros((3, 3)), "a"), TypeMismatchError),  # type: ignore[arg-type]
    ("eye", lambda: suanzi.eye(-1), InvalidArgumentError),
    ("eye", lambda: suanzi.eye(2, -1), InvalidArgumentError),
    ("eye", lambda: suanzi.eye(2**40, 2**40), AllocFailedError),
    ("eye", lambda: suanzi.eye(2**63), OutOfRangeError),
    ("eye", lambda: suanzi.eye(2.0), TypeMismatchError),  # type: ignore[arg-type]
    ("eye", lambda: suanzi.eye(2, k=None), TypeMismatchError),  # type: ignore[arg-type]
    ("eye", lambda: suanzi.eye(2, layout=(0, 0)), InvalidArgumentError),
    ("eye", lambda: suanzi.eye(2, device="gpu"), InvalidArgumentError),
    ("tril", lambda: suanzi.tril(suanzi.zeros(3)), DimensionsMismatchError),
    ("triu", lambda: suanzi.triu(suanzi.tensor(1.0)), DimensionsMismatchError),
    ("triu", lambda: suanzi.triu(suanzi.zeros((2, 2)), 2**64), OutOfRangeError),
    ("tril", lambda: suanzi.tril(suanzi.zeros((2, 2)), None), TypeMismatchError),  # type: ignore[arg-type]
    ("tril", lambda: suanzi.tril(suanzi.expand(suanzi.ones((1, 1)), (2**30, 2**30))), AllocFailedError),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_bad_input(case: Any) -> None:
    name, call, error = case
    with fails(error, name):
        call()
