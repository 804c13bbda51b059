"""concat and stack return the same elements for sparse tensors as NumPy for the equal dense arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sparse_cases import MATRICES, NAMES, Parts, random_parts
from test_structure import assert_canonical, assert_is

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SparseTensor,
    TypeMismatchError,
)


def forms(parts: Parts) -> list[SparseTensor]:
    return [parts.coo(), parts.coo().coalesce()] + (
        [parts.csr(), parts.coo().to_csr()] if len(parts.shape) == 2 else []
    )


def beside(shape: tuple[int, ...], axis: int, seed: int) -> Parts:
    """Return parts with duplicates, whose shape is `shape` with three more places along `axis`."""
    sizes = [*shape]
    sizes[axis] += 3
    return random_parts(tuple(sizes), 0 if 0 in sizes else 25, seed=seed)


@pytest.mark.parametrize("case", MATRICES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_of_matrices(case: str, axis: int) -> None:
    parts = MATRICES[case]
    others = [beside(parts.shape, axis, seed) for seed in (1, 2)]
    expected = np.concatenate([p.dense() for p in (parts, *others)], axis)
    for x, y, z in zip(*(forms(p) for p in (parts, *others)), strict=True):
        result = suanzi.concat([x, y, z], axis)
        assert (result.format, result.nnz) == (x.format, x.nnz + y.nnz + z.nnz)
        assert_is(result, expected)
        if result.is_coalesced:
            assert_canonical(result)
        if x.format == "csr" and x.is_coalesced and y.is_coalesced and z.is_coalesced:
            assert result.is_coalesced


def test_the_result_has_the_format_of_the_first() -> None:
    a, b = random_parts((4, 5), 9), random_parts((2, 5), 7, seed=1)
    expected = np.concatenate([a.dense(), b.dense()])
    for x in forms(a):
        for y in forms(b):
            result = suanzi.concat((x, y))
            assert result.format == x.format
            assert_is(result, expected)
    assert suanzi.concat([a.coo().coalesce(), b.coo().coalesce()]).is_coalesced


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", ["int16", "complex64"])
def test_types_promote_as_dense_ones(first: str, second: str) -> None:
    a, b = random_parts((3, 4), 8, first), random_parts((3, 4), 8, second, seed=1)
    try:
        expected = suanzi.concat([suanzi.tensor(a.dense()), suanzi.tensor(b.dense())], 1)
    except TypeMismatchError:
        with fails(TypeMismatchError, "concat"):
            suanzi.concat([a.coo(), b.coo()], 1)
        return
    for x, y in zip(forms(a), forms(b), strict=True):
        assert_is(suanzi.concat([x, y], 1), expected.numpy())


def test_flattened_first() -> None:
    a, b = random_parts((3, 4), 8), random_parts((2, 2, 2), 5)
    expected = np.concatenate([a.dense(), b.dense()], None)
    assert_is(suanzi.concat([a.csr(), b.coo()], None), expected)


def test_blocks() -> None:
    values = np.arange(12.0).reshape(3, 2, 2)
    x = suanzi.sparse_tensor((2, 3), [[1, 2], [0, 1], [1, 2]], values)
    for axis in (0, 1):
        for y in (x, x.to_csr()):
            expected = np.concatenate([x.to_dense().numpy()] * 2, axis)
            assert_is(suanzi.concat([y, y], axis), expected)
    with fails(TypeMismatchError, "concat"):
        suanzi.concat([x, x], 2)
    with fails(DimensionsMismatchError, "concat"):
        suanzi.concat([x, random_parts((2, 3), 1).coo()], 0)
    with fails(DimensionsMismatchError, "concat"):
        suanzi.concat([x, suanzi.sparse_tensor((2, 3, 2, 2), [[0, 0, 0, 0]], [1.0])], 0)


@pytest.mark.parametrize("index", ["int16", "int32", "int64"])
def test_index_types(index: str) -> None:
    x = random_parts((4, 5), 9, index=index)
    for y in forms(x):
        assert suanzi.concat([y, y], 1).indices.dtype.name == index
    wide = suanzi.concat([suanzi.sparse_tensor((2, 2**31 - 1), [[0, 5]], [1.0]), x.coo()[:2]], 1)
    assert wide.indices.numpy()[0].tolist() == [0, 5]
    rows = suanzi.concat([suanzi.sparse_tensor((2, 2**31 - 1), [[0, 5]], [1.0]).to_csr(), x.csr()[:2]], 1)
    np.testing.assert_array_equal(rows[:, 2**31 - 1 :].to_dense().numpy(), x.dense()[:2])
    with pytest.raises(suanzi.AllocFailedError):
        suanzi.concat([suanzi.sparse_tensor((2**62, 1), [[0, 0]], [1.0])] * 2)


@given(st.data())
def test_any_concat_and_stack(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    shapes = [(*shape[: axis % len(shape)], n, *shape[axis % len(shape) + 1 :]) for n in sizes]
    counts = [0 if 0 in s else data.draw(st.integers(0, 12)) for s in shapes]
    parts = [random_parts(s, n, seed=k) for k, (s, n) in enumerate(zip(shapes, counts, strict=True))]
    expected = np.concatenate([p.dense() for p in parts], axis)
    for operands in zip(*(forms(p) for p in parts), strict=True):
        assert_is(suanzi.concat(operands, axis), expected)
    twins = [random_parts(shape, 0 if 0 in shape else 6, seed=k) for k in range(len(sizes))]
    place = data.draw(st.integers(-len(shape) - 1, len(shape)))
    for operands in zip(*(forms(p) for p in twins), strict=True):
        result = suanzi.stack(operands, place)
        assert result.format == "coo"
        assert_is(result, np.stack([p.dense() for p in twins], place))


X, Y = random_parts((2, 3), 4).coo(), random_parts((3, 3), 4).csr()
BAD: list[tuple[Any, Any, str]] = [
    (lambda: suanzi.concat([X, Y], 1), DimensionsMismatchError, "concat"),
    (lambda: suanzi.concat([X, random_parts((3,), 2).coo()]), DimensionsMismatchError, "concat"),
    (lambda: suanzi.concat([X, X], 2), OutOfRangeError, "concat"),
    (lambda: suanzi.concat([X, X], "a"), TypeMismatchError, "concat"),  # type: ignore[arg-type]
    (lambda: suanzi.concat([X, suanzi.ones((2, 3))]), TypeMismatchError, "concat"),
    (lambda: suanzi.concat([suanzi.ones((2, 3)), X]), TypeMismatchError, "concat"),
    (lambda: suanzi.concat([X, 1]), TypeMismatchError, "concat"),  # type: ignore[list-item]
    (lambda: suanzi.concat(X), TypeMismatchError, "concat"),  # type: ignore[arg-type]
    (lambda: suanzi.concat([X, X], out=suanzi.ones((4, 3))), TypeMismatchError, "concat"),
    (lambda: suanzi.stack([X, Y]), DimensionsMismatchError, "stack"),
    (lambda: suanzi.stack([X, X], 3), OutOfRangeError, "stack"),
    (lambda: suanzi.stack([X, suanzi.ones((2, 3))]), TypeMismatchError, "stack"),
    (lambda: suanzi.stack([X, X], out=suanzi.ones((2, 2, 3))), TypeMismatchError, "stack"),
    (lambda: suanzi.stack([X.to_csr(), X.to_csr()], None), TypeMismatchError, "stack"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("case", BAD, ids=range(len(BAD)))
def test_what_is_refused(case: Any) -> None:
    call, error, name = case
    with fails(error, name) as caught:
        call()
    assert type(caught.value) is error  # type: ignore[attr-defined]


def test_of_nothing() -> None:
    with pytest.raises((InvalidArgumentError, DimensionsMismatchError)):
        suanzi.concat([])
