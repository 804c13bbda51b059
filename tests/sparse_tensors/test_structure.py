"""Tests of sparse tensors themselves: creation, formats, conversions, copies, text and refused calls."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sparse_cases import ARRAYS, MATRICES, NAMES, Parts, random_parts

import suanzi
from samples import fails
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SparseTensor,
    TypeMismatchError,
    UninitializedObjectError,
)


def assert_canonical(x: SparseTensor) -> None:
    """Check that the elements of a sparse tensor are in row-major order and that no place occurs twice."""
    assert x.is_coalesced
    places = [tuple(place) for place in x.to_coo().indices.numpy().tolist()]
    assert places == sorted(set(places))


def assert_is(x: SparseTensor, expected: Any) -> None:
    found = x.to_dense().numpy()
    assert x.shape == found.shape == expected.shape
    assert x.dtype.numpy == found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", ARRAYS)
def test_coordinates(case: str) -> None:
    parts = ARRAYS[case]
    x = parts.coo()
    assert (x.format, x.nnz, x.ndim, x.size) == ("coo", len(parts.values), len(parts.shape), parts.dense().size)
    np.testing.assert_array_equal(x.indices.numpy(), parts.indices)
    np.testing.assert_array_equal(x.values.numpy(), parts.values)
    assert_is(x, parts.dense())
    merged = x.coalesce()
    assert_canonical(merged)
    assert_is(merged, parts.dense())
    assert merged.coalesce() is merged


@pytest.mark.parametrize("case", MATRICES)
def test_compressed_rows(case: str) -> None:
    parts = MATRICES[case]
    x = parts.csr()
    assert (x.format, x.nnz) == ("csr", len(parts.values))
    assert_is(x, parts.dense())
    assert_canonical(x.coalesce())
    assert_is(x.coalesce(), parts.dense())
    y = parts.coo().to_csr()
    reference = scipy.sparse.coo_array((parts.values, tuple(parts.indices.T)), shape=parts.shape).tocsr()
    np.testing.assert_array_equal(y.indptr.numpy(), reference.indptr)
    np.testing.assert_array_equal(y.indices.numpy(), reference.indices)
    np.testing.assert_array_equal(y.values.numpy(), reference.data)
    assert_is(y.to_coo(), parts.dense())
    assert_canonical(y)


@pytest.mark.parametrize("name", NAMES)
def test_element_types(name: str) -> None:
    parts = random_parts((6, 5), 40, name)
    for x in (parts.coo(), parts.csr(), parts.coo().to_csr(), parts.csr().to_coo(), parts.coo().coalesce()):
        assert_is(x, parts.dense())


@pytest.mark.parametrize("index", ["int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_index_types(index: str) -> None:
    parts = random_parts((6, 5), 12, index=index)
    shown = index if index in ("int16", "int32", "int64") else "int64"
    for x in (parts.coo(), parts.csr(), parts.coo().to_csr(), parts.coo().coalesce()):
        assert x.indices.dtype.name == shown
        assert_is(x, parts.dense())
    indptr = suanzi.tensor([0, 1, 1], dtype="int16")
    assert suanzi.sparse_tensor((2, 3), [2], [1.0], indptr=indptr).indptr.dtype is suanzi.int16


def test_indices_that_outgrow_their_type() -> None:
    x = suanzi.sparse_tensor((40000, 2), suanzi.tensor([[300, 1]], dtype="int16"), [1.0])
    assert x.T.indices.dtype is suanzi.int32
    np.testing.assert_array_equal(x.T.indices.numpy(), [[1, 300]])


@pytest.mark.parametrize("shape", [(2**40, 2**50), (2**62, 2, 2**62), (2**63 - 1,), (2**31, 2**31 + 1)], ids=str)
def test_shapes_beyond_memory(shape: tuple[int, ...]) -> None:
    last = tuple(size - 1 for size in shape)
    middle = tuple(size // 2 for size in shape)
    x = suanzi.sparse_tensor(shape, [last, middle, last, (0,) * len(shape)], [1.0, 2.0, 3.0, 4.0]).coalesce()
    assert x.indices.numpy().tolist() == [list(place) for place in ((0,) * len(shape), middle, last)]
    assert x.values.tolist() == [4.0, 2.0, 4.0]
    assert (x + x).values.tolist() == [8.0, 4.0, 8.0]
    # 64-bit integers cannot number the places of some of the shapes.
    y = suanzi.sparse_tensor(shape, [middle, last], [5.0, 6.0])
    assert (x + y).indices.numpy().tolist() == x.indices.numpy().tolist()
    assert (x + y).values.tolist() == [4.0, 7.0, 10.0]
    assert (y - x).values.tolist() == [-4.0, 3.0, 2.0]
    assert (x * y).indices.numpy().tolist() == [list(middle), list(last)]
    assert (x * y).values.tolist() == [10.0, 24.0]
    assert x.size == np.prod(shape, dtype=object)
    with pytest.raises(AllocFailedError):
        x.to_dense()


def test_many_elements_on_several_threads(keep_threads: None) -> None:
    parts = random_parts((300, 500), 150_000, "int64")
    reference = scipy.sparse.coo_array((parts.values, tuple(parts.indices.T)), shape=parts.shape).toarray()
    other = random_parts((300, 500), 120_000, "int64", seed=1)
    sum_of = reference + scipy.sparse.coo_array((other.values, tuple(other.indices.T)), shape=other.shape).toarray()
    chosen = suanzi.tensor(np.random.default_rng(0).integers(0, 300, 700))
    found = {}
    for threads in (1, 3):
        suanzi.set_num_threads(threads)
        x, noisy = parts.coo().to_csr(), suanzi.sparse_tensor(parts.shape, parts.indices, parts.values + 0.1)
        row_by_row = noisy.to_csr()
        sparse = [row_by_row, noisy.coalesce(), noisy + other.coo(), row_by_row - other.csr(), row_by_row * other.csr()]
        sparse += [row_by_row[::-2, 20:400], noisy[5:, ::3], suanzi.concat([x, other.csr()], 1), row_by_row.T]
        sparse += [suanzi.index_select(row_by_row, chosen, axis) for axis in (0, 1)]
        sparse += [suanzi.reshape(row_by_row, (500, 300))]
        found[threads] = [y.numpy().tobytes() for z in sparse for y in (z.indices, z.values, z.to_dense())]
        found[threads] += [f(row_by_row, axis=i).numpy().tobytes() for f in (suanzi.sum, suanzi.max) for i in (0, 1)]
        for first in (parts.coo(), x):
            assert_is(first + other.coo(), sum_of)
        assert_is(suanzi.index_select(x, chosen, 1), reference[:, chosen.numpy()])
        assert_is(x, reference)
        assert_is(parts.coo().coalesce(), reference)
        assert_is(x.T, reference.T)
    assert found[1] == found[3]


@pytest.mark.parametrize("case", [c for c in ARRAYS if c != "scalar"])
@pytest.mark.parametrize("format", ["coo", "csr"])
def test_from_dense(case: str, format: str) -> None:
    dense = ARRAYS[case].dense()
    if format == "csr" and dense.ndim != 2:
        with fails(DimensionsMismatchError, "to_sparse"):
            suanzi.to_sparse(suanzi.tensor(dense), format)
        return
    for x in (suanzi.tensor(dense), suanzi.tensor(dense[::-1])[::-1]):
        y = suanzi.to_sparse(x, format)
        assert (y.format, y.nnz) == (format, np.count_nonzero(dense))
        assert_canonical(y)
        assert_is(y, dense)


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "lil", "dia"])
@pytest.mark.parametrize("class_of", ["array", "matrix"])
def test_scipy(kind: str, class_of: str) -> None:
    dense = MATRICES["random"].dense()
    theirs = getattr(scipy.sparse, f"{kind}_{class_of}")(dense)
    ours = suanzi.to_sparse(theirs)
    assert ours.format == ("csr" if kind == "csr" else "coo")
    assert_is(ours, dense)
    back = ours.to_scipy()
    assert back.format == ours.format
    np.testing.assert_array_equal(back.toarray(), dense)
    assert_is(suanzi.to_sparse(theirs, "csr"), dense)


def test_blocks() -> None:
    """The elements that a sparse tensor stores may be blocks of numbers."""
    values = np.arange(12.0).reshape(3, 2, 2)
    expected = np.zeros((2, 3, 2, 2))
    for place, value in zip([(1, 2), (0, 1), (1, 2)], values, strict=True):
        expected[place] += value
    x = suanzi.sparse_tensor((2, 3), [[1, 2], [0, 1], [1, 2]], values)
    assert (x.shape, x.ndim, x.nnz) == ((2, 3, 2, 2), 4, 3)
    for y in (x, x.coalesce(), x.to_csr(), x.to_csr().to_coo()):
        assert_is(y, expected)
    assert_is(suanzi.abs(-x), expected)
    assert_is(x + x.to_csr(), expected * 2)
    assert_is(x * suanzi.tensor(values[0]), expected * values[0])
    for block in ((3,), (2,), (5, 1)):  # sizes in bytes that are a power of two, and other sizes
        a, b = (np.arange(1.0, 1 + 2 * np.prod(block)).reshape(2, *block) * k for k in (1, 10))
        y, z = suanzi.sparse_tensor((2, 3), [[0, 1], [1, 2]], a), suanzi.sparse_tensor((2, 3), [[0, 1], [1, 0]], b)
        dense = y.to_dense().numpy(), z.to_dense().numpy()
        for u, v in ((y, z), (y.to_csr(), z)):
            assert_is(u + v, dense[0] + dense[1])
            assert_is(u * v, dense[0] * dense[1])
            assert_is(v - u, dense[1] - dense[0])
    with fails(DimensionsMismatchError, "matmul"):
        suanzi.matmul(suanzi.sparse_tensor((2, 3), [[0, 0]], [[1.0, 2.0]]), suanzi.ones(3))


def test_what_is_given_is_copied() -> None:
    indices, values = np.array([[0, 1]]), np.array([2.0])
    x = suanzi.sparse_tensor((2, 2), indices, values)
    indices[:], values[:] = 100, 100
    x.indices.numpy()[:] = 100  # the array is a copy
    assert x.to_dense().tolist() == [[0.0, 2.0], [0.0, 0.0]]


@pytest.mark.parametrize("case", ["random", "cube"])
def test_copies(case: str) -> None:
    x = ARRAYS[case].coo()
    for y in (copy.copy(x), copy.deepcopy(x), suanzi.clone(x), pickle.loads(pickle.dumps(x))):
        assert_is(y, ARRAYS[case].dense())
        y.values.numpy()[:] = 0
    assert_is(x, ARRAYS[case].dense())
    y = pickle.loads(pickle.dumps(MATRICES["random"].csr()))
    assert y.format == "csr"
    assert_is(y, MATRICES["random"].dense())


def test_the_logical_order_is_kept() -> None:
    order = (1, 2, 0)
    values = np.arange(1.0, 7.0).reshape(3, 2)
    x = suanzi.sparse_tensor((3, 4), [[0, 1], [2, 3], [2, 0]], values, layout=suanzi.Layout("sparse", order))
    dense = np.zeros((3, 4, 2))
    dense[[0, 2, 2], [1, 3, 0]] = values
    copies = copy.copy(x), copy.deepcopy(x), suanzi.clone(x), pickle.loads(pickle.dumps(x)), x.astype("float64")
    for y in (x, x.coalesce(), x.to_csr(), x.to_csr().to_coo(), *copies):
        assert y.layout == suanzi.Layout("sparse", order)
        assert y.to_dense().layout.order == order
        assert y.to_dense().tolist() == dense.tolist()
    rows = suanzi.sparse_tensor((2, 3), [0, 2], [1.0, 2.0], indptr=[0, 1, 2], layout=suanzi.Layout("sparse", (0, 1)))
    assert (rows.layout.order, rows.to_dense().stride(), rows.to_dense().tolist()) == (
        (0, 1),
        (1, 2),
        [[1, 0, 0], [0, 0, 2]],
    )
    assert suanzi.sparse_tensor((2, 3), [[0, 2]], [1.0], layout=suanzi.Layout("sparse")).layout.order == (1, 0)


@pytest.mark.parametrize("order", [(0,), (), (0, 1, 2)])
def test_an_order_of_other_dimensions(order: tuple[int, ...]) -> None:
    for options in ({}, {"indptr": [0, 1, 1]}):
        indices = [0] if options else [[0, 2]]
        with fails(InvalidArgumentError, "sparse_tensor"):
            suanzi.sparse_tensor((2, 3), indices, [1.0], layout=suanzi.Layout("sparse", order), **options)
    with fails(InvalidArgumentError, "sparse_tensor"):
        suanzi.sparse_tensor((2, 3), [[0, 2]], np.ones((1, 4)), layout=suanzi.Layout("sparse", (0, 1)))


def test_text() -> None:
    x = suanzi.sparse_tensor((2, 3), [[0, 2], [1, 0]], [1.5, 2.0])
    assert repr(x) == (
        "SparseTensor(shape=(2, 3), dtype=float32, nnz=2, format='coo',\n"
        "  indices=[[0, 2],\n"
        "           [1, 0]],\n"
        "  values=[1.5, 2. ])"
    )
    assert "indptr=[0, 1, 2]" in repr(x.to_csr())
    assert "..." in repr(random_parts((100, 100), 50).coo())
    assert "bfloat16" in repr(suanzi.astype(x, "bfloat16"))
    assert "[]" in repr(MATRICES["empty"].coo())


def test_attributes() -> None:
    x = suanzi.sparse_tensor((2, 3), [[0, 2]], suanzi.tensor([1], dtype="int16"), 1, layout=suanzi.Layout("sparse"))
    assert (x.itemsize, str(x.device), x.layout.storage, len(x)) == (2, "cpu:0", "sparse", 2)
    assert (suanzi.shape(x), suanzi.size(x), suanzi.rank(x)) == ((2, 3), 6, 2)
    assert suanzi.sparse_tensor(3, [[2]], [1], dtype="int8").dtype is suanzi.int8
    assert suanzi.sparse_tensor((2, 2), [], []).nnz == 0
    assert hash(x) == hash(x)


def test_destroy() -> None:
    x = MATRICES["random"].coo()
    y = x + x
    suanzi.destroy(x)
    for use in (lambda: x.shape, lambda: x + 1, lambda: suanzi.sum(x), lambda: x.to_dense(), lambda: suanzi.destroy(x)):
        with pytest.raises(UninitializedObjectError):
            use()
    assert repr(x) == "SparseTensor(<destroyed>)"
    assert_is(y, MATRICES["random"].dense() * 2)


def make(
    shape: Any = (2, 3), indices: Any = ((0, 1),), values: Any = (1.0,), nnz: Any = None, **options: Any
) -> SparseTensor:
    return suanzi.sparse_tensor(shape, indices, values, nnz, **options)


def rows(indptr: Any, indices: Any, shape: Any = (2, 3), values: Any = None) -> SparseTensor:
    return suanzi.sparse_tensor(shape, indices, [1.0] * len(indices) if values is None else values, indptr=indptr)


BAD: list[tuple[Any, Any]] = [
    (lambda: make(indices=((2, 0),)), OutOfRangeError),
    (lambda: make(indices=((0, 3),)), OutOfRangeError),
    (lambda: make(indices=((-1, 0),)), OutOfRangeError),
    (lambda: make(indices=np.array([[2**64 - 1, 0]], "uint64")), OutOfRangeError),
    (lambda: make(indices=np.array([[2**63 + 1, 0]], "uint64")), OutOfRangeError),
    (lambda: make(indices=np.array([[-(2**63), 0]])), OutOfRangeError),
    (lambda: make(indices=np.array([[2**32, 0]])), OutOfRangeError),
    (lambda: make(shape=(0, 3)), OutOfRangeError),
    (lambda: make(indices=((0,),)), DimensionsMismatchError),
    (lambda: make(indices=((0, 1, 0),)), DimensionsMismatchError),
    (lambda: make(indices=[0, 1]), DimensionsMismatchError),
    (lambda: make(indices=3), DimensionsMismatchError),
    (lambda: make(indices=[[0, 1], [0]]), DimensionsMismatchError),
    (lambda: make(values=[1.0, 2.0]), DimensionsMismatchError),
    (lambda: make(values=1.0), DimensionsMismatchError),
    (lambda: make((2, 3), ((0, 1),), [1.0], 2), DimensionsMismatchError),
    (lambda: make((2, 3), ((0, 1),), [1.0], 1.5), TypeMismatchError),
    (lambda: make(indices=((0.0, 1.0),)), TypeMismatchError),
    (lambda: make(indices=np.zeros((1, 2), bool)), TypeMismatchError),
    (lambda: make(indices=None), TypeMismatchError),
    (lambda: make(indices=make()), TypeMismatchError),
    (lambda: make(values=["a"]), TypeMismatchError),
    (lambda: make(shape="a"), TypeMismatchError),
    (lambda: make(shape=(2, -3)), InvalidArgumentError),
    (lambda: make(shape=(2,) * 65), InvalidArgumentError),
    (lambda: make(device="gpu"), InvalidArgumentError),
    (lambda: make(layout=suanzi.Layout("dense")), InvalidArgumentError),
    (lambda: rows([0, 2, 1], [0]), InvalidArgumentError),
    (lambda: rows([1, 1, 1], [0]), InvalidArgumentError),
    (lambda: rows([-1, 0, 1], [0]), InvalidArgumentError),
    (lambda: rows([0, 1, 2**62], [0]), InvalidArgumentError),
    (lambda: rows([0, 1, 2], [0]), InvalidArgumentError),
    (lambda: rows([0, 0, 0], [0]), InvalidArgumentError),
    (lambda: rows([0], [0], shape=(0, 3)), InvalidArgumentError),
    (lambda: rows([0, 1], [0]), DimensionsMismatchError),
    (lambda: rows([], []), DimensionsMismatchError),
    (lambda: rows([[0, 1, 1]], [0]), DimensionsMismatchError),
    (lambda: rows([0, 1, 1], [[0]]), DimensionsMismatchError),
    (lambda: rows([0, 1, 1], [0], values=[1.0, 2.0]), DimensionsMismatchError),
    (lambda: rows([0, 1, 1], [0], shape=(2, 3, 4)), DimensionsMismatchError),
    (lambda: rows([0, 1, 1], [3]), OutOfRangeError),
    (lambda: rows([0, 1, 1], [-1]), OutOfRangeError),
    (lambda: rows([0.0, 1.0, 1.0], [0]), TypeMismatchError),
    (lambda: suanzi.to_sparse(suanzi.tensor(1.0)), DimensionsMismatchError),
    (lambda: suanzi.to_sparse(suanzi.ones((2, 2)), "csc"), InvalidArgumentError),
    (lambda: suanzi.to_sparse(suanzi.tensor(["a"])), TypeMismatchError),
    (lambda: suanzi.to_sparse(np.ones((2, 2))), TypeMismatchError),
    (lambda: make().indptr, TypeMismatchError),
    (lambda: SparseTensor(), TypeMismatchError),
    (lambda: np.asarray(make()), TypeMismatchError),
    (lambda: list(make()), TypeMismatchError),
    (lambda: bool(make()), InvalidArgumentError),
]


@pytest.mark.parametrize("case", BAD, ids=range(len(BAD)))
def test_what_is_refused(case: Any) -> None:
    call, error = case
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) in (error, getattr(error, "_of_attribute", error))
    assert ": " in str(caught.value)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_structure(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 5), min_size=0, max_size=4).map(tuple))
    most = 0 if 0 in shape else 12
    places = data.draw(st.lists(st.tuples(*(st.integers(0, max(n - 1, 0)) for n in shape)), max_size=most))
    values = data.draw(st.lists(st.integers(-9, 9), min_size=len(places), max_size=len(places)))
    parts = Parts(shape, np.array(places, np.int64).reshape(len(places), len(shape)), np.array(values, np.float64))
    dense, x = parts.dense(), parts.coo()
    axes = data.draw(st.permutations(range(len(shape))))
    for y in (x, *([x.to_csr(), parts.csr()] if len(shape) == 2 else [])):
        assert_is(y, dense)
        assert_canonical(y.coalesce())
        assert_is(suanzi.transpose(y, tuple(axes)), dense.transpose(axes))
        assert_is(y + x, dense + dense)
        np.testing.assert_array_equal(suanzi.sum(y).numpy(), dense.sum())


def test_an_index_beyond_int64_is_named() -> None:
    with pytest.raises(OutOfRangeError, match=str(2**64 - 1)):
        make(indices=np.array([[2**64 - 1, 0]], np.uint64))
    with pytest.raises(OutOfRangeError, match=str(2**63)):
        rows(np.array([0, 2**63, 1], np.uint64), [0])


def test_nothing_is_done_with_a_destroyed_tensor() -> None:
    x = suanzi.to_sparse(suanzi.eye(3))
    suanzi.destroy(x)
    uses: list[Any] = [x.to_scipy, x.to_dense, x.to_coo, x.to_csr, x.coalesce, x.__copy__, x.__reduce__, x.__len__]
    uses += [lambda: x.T, lambda: x.mT, lambda: x.real, lambda: x[0], lambda: x + x, lambda: x @ suanzi.ones(3)]
    uses += [lambda: suanzi.to_sparse(x), lambda: suanzi.to_sparse(x, "csr"), lambda: bool(x), lambda: x.layout]
    uses += [lambda: suanzi.destroy(x), lambda: suanzi.clone(x), lambda: x < 1, lambda: -x]
    for use in uses:
        with pytest.raises(UninitializedObjectError):
            use()
    assert repr(x) == "SparseTensor(<destroyed>)"


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("format", ["coo", "csr"])
def test_types_that_scipy_has_not(name: str, format: Any) -> None:
    x = suanzi.to_sparse(suanzi.eye(3, dtype=name), format)
    with fails(TypeMismatchError, "to_scipy"):
        x.to_scipy()
    assert suanzi.astype(x, "float32").to_scipy().sum() == 3


def test_scipy_has_no_sparse_arrays_without_dimensions() -> None:
    x = suanzi.sparse_tensor((), suanzi.zeros((1, 0), dtype="int64"), [2.0])
    with pytest.raises(InvalidArgumentError, match=r"^to_scipy: shape \(\): SciPy has no sparse arrays without"):
        x.to_scipy()


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (np.zeros(2), TypeMismatchError),
        (np.zeros(2, int), TypeMismatchError),
        (np.zeros(1, int), TypeMismatchError),
        ((0, np.zeros(3)), TypeMismatchError),
        (np.ones((3, 3), bool), TypeMismatchError),
        (suanzi.zeros(2), TypeMismatchError),
        (suanzi.zeros(2, dtype="int64"), TypeMismatchError),
        (suanzi.ones((3, 3), dtype="bool"), TypeMismatchError),
        (slice(np.zeros(2)), TypeMismatchError),
        (slice(suanzi.zeros(2)), TypeMismatchError),
        (True, TypeMismatchError),
        (np.True_, TypeMismatchError),
        ([0], TypeMismatchError),
        (10**100, OutOfRangeError),
        (slice(None, None, 0), InvalidArgumentError),
        ((0, 0, 0), OutOfRangeError),
        ((..., ...), InvalidArgumentError),
    ],
)
def test_keys_that_are_refused(key: Any, error: Any) -> None:
    with fails(error, "index"):
        suanzi.to_sparse(suanzi.eye(3))[key]


def test_integers_of_other_classes_are_keys() -> None:
    x = suanzi.to_sparse(suanzi.eye(3))
    for one in (np.int8(1), np.array(1), suanzi.tensor(1, dtype="int64")):
        assert x[one].to_dense().tolist() == [0, 1, 0]
        assert x[one:, one].to_dense().tolist() == [1, 0]


def test_formats_that_there_are_not() -> None:
    x = suanzi.to_sparse(suanzi.eye(3))
    for format in ("csc", None, ["coo"], np.zeros(2), 1):
        with fails(InvalidArgumentError, "to_format"):
            x.to_format(format)  # type: ignore[arg-type]


def test_shown_indices_hold_their_numbers() -> None:
    """Printed indices stay right if there are more elements or columns than int16 can count."""
    places = np.stack(np.indices((200, 200)), -1).reshape(-1, 2).astype(np.int16)
    x = suanzi.sparse_tensor((200, 200), places, np.ones(40000, np.float32)).to_csr()
    assert (x.indices.dtype, x.indptr.dtype, x.indptr.tolist()[-1]) == (suanzi.int16, suanzi.int32, 40000)
    assert pickle.loads(pickle.dumps(x)).indptr.tolist() == x.indptr.tolist()
    row = suanzi.sparse_tensor((1, 3), np.arange(3, dtype=np.int16), np.ones(3), indptr=np.array([0, 3], np.int16))
    many = suanzi.index_select(row, suanzi.zeros(40000, dtype="int64"), 1)
    assert (many.indices.tolist()[-1], many.indptr.tolist()) == (39999, [0, 40000])


def test_axes_of_size_1_of_very_large_shapes() -> None:
    """The number of places exceeds int64, but a move of axes of size 1 numbers no places."""
    x = suanzi.sparse_tensor((2**40, 2**40), [[1, 2], [5, 2**40 - 1]], [1.0, 2.0])
    for found in (suanzi.expand_dims(x, 0), x[None], suanzi.reshape(x, (1, 2**40, 2**40))):
        assert found.shape == (1, 2**40, 2**40)
        assert found.to_coo().indices.tolist() == [[0, 1, 2], [0, 5, 2**40 - 1]]
        assert suanzi.squeeze(found).to_coo().indices.tolist() == [[1, 2], [5, 2**40 - 1]]
    assert suanzi.stack([x, x]).shape == (2, 2**40, 2**40)
    with fails(AllocFailedError, "reshape"):
        suanzi.reshape(x, (2**20, 2**20, 2**40))


def test_numbers_of_one_element() -> None:
    x = suanzi.to_sparse(suanzi.tensor([[0.0, 1.5], [2.0, 0.0]]))
    assert (float(x[0, 1]), int(x[0, 1]), float(x[0, 0])) == (1.5, 1, 0.0)
    for operator in (float, int):
        with fails(InvalidArgumentError, operator.__name__):
            operator(x)


@pytest.mark.parametrize("format", ["coo", "csr"])
def test_values_that_change_in_place(format: str) -> None:
    """Python assigns the result of an in-place operator to the attribute."""
    x = suanzi.to_sparse(suanzi.tensor([[0.0, 1.0], [2.0, 0.0]]), format)
    x.values *= 3
    x.values[0] += 1
    assert x.to_dense().tolist() == [[0.0, 4.0], [6.0, 0.0]]
    for other in (suanzi.ones(2), x.values[:1], suanzi.ones(2, dtype="int32"), 1.0):
        with pytest.raises(InvalidArgumentError, match=r"use s\.values\[\.\.\.\] = x"):
            x.values = other  # type: ignore[assignment]
    assert x.to_dense().tolist() == [[0.0, 4.0], [6.0, 0.0]]
