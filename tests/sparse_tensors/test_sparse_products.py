"""Products of sparse matrices return the same numbers as SciPy and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sparse_cases import MATRICES, NAMES, Parts, random_parts, random_values
from test_structure import assert_canonical

import suanzi
from samples import fails
from suanzi import AllocFailedError, DimensionsMismatchError, SparseTensor, TypeMismatchError


def dense_of(shape: tuple[int, ...], name: str = "float64", seed: int = 5) -> Any:
    return random_values(np.random.default_rng(seed), int(np.prod(shape)), name).reshape(shape)


def product(a: Any, b: Any) -> Any:
    """Compute a matrix product. Integers wrap, halves are summed in float32, and the sum of bools is `or`."""
    if a.dtype == bool:
        return (a.astype(int) @ b.astype(int)) > 0
    return a @ b if a.dtype.kind in "fciu" else (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)


def forms(parts: Parts) -> list[SparseTensor]:
    return [parts.coo(), parts.csr(), parts.coo().to_csr()]


@pytest.mark.parametrize("case", MATRICES)
@pytest.mark.parametrize("width", [None, 0, 1, 2, 3, 16, 33, 64, 100])
def test_times_dense(case: str, width: int | None) -> None:
    parts = MATRICES[case]
    m, k = parts.shape
    right = dense_of((k,) if width is None else (k, width))
    left = dense_of((m,) if width is None else (width, m))
    for x in forms(parts):
        for y in (suanzi.tensor(right), suanzi.tensor(right[::-1])[::-1], suanzi.tensor(right.T).T):
            np.testing.assert_array_equal((x @ y).numpy(), parts.dense() @ right)
        for y in (suanzi.tensor(left), suanzi.tensor(left.T).T):
            np.testing.assert_array_equal((y @ x).numpy(), left @ parts.dense())
        np.testing.assert_array_equal(suanzi.dot(x, suanzi.tensor(right)).numpy(), parts.dense() @ right)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_element_types(name: str, index: str) -> None:
    """Products are right for each element type, for rows of any number of elements, and for indices beyond 32 bits."""
    n = 150 if name not in ("int8", "uint8", "float16", "bfloat16") else 4  # sums of four elements are exact
    parts = random_parts((5, 60), 5 * n, name)
    b = dense_of((60, 37), name, seed=7)
    if name in ("float16", "bfloat16"):
        b = np.sign(b)
    x = parts.csr()
    expected = product(parts.dense(), b)
    if index == "int64":
        wide = suanzi.sparse_tensor((2**33, 5), np.roll(parts.indices, 1, axis=1), parts.values)
        assert wide.T.shape == (5, 2**33)
        x = suanzi.index_select(wide, suanzi.arange(60, dtype="int64"), 0).T.to_csr()
    result = x @ suanzi.tensor(b)
    assert result.dtype.name == name
    np.testing.assert_array_equal(result.numpy(), expected)
    np.testing.assert_array_equal((x @ suanzi.tensor(b[:, 0])).numpy(), expected[:, 0])
    sparse = x @ suanzi.to_sparse(suanzi.tensor(b), "csr")
    assert sparse.dtype.name == name
    np.testing.assert_array_equal(sparse.to_dense().numpy(), expected)


def test_columns_that_int64_numbers() -> None:
    size = 2**40
    a = random_parts((3, 4), 8)
    b = suanzi.sparse_tensor((4, size), [[0, size - 1], [2, 5], [3, size - 1], [2, 5]], [2.0, 3.0, 4.0, 5.0])
    columns = [5, size - 1]
    expected = a.dense() @ np.array([[0.0, 2.0], [0.0, 0.0], [8.0, 0.0], [0.0, 4.0]])
    result = suanzi.index_select(a.csr() @ b, suanzi.tensor(columns, dtype="int64"), 1)
    np.testing.assert_array_equal(result.to_dense().numpy(), expected)
    with pytest.raises(AllocFailedError):
        b.T @ a.csr().T


@pytest.mark.parametrize("a", ["random", "empty", "one row", "one column", "tall", "wide", "duplicates", "all zero"])
@pytest.mark.parametrize("inner", [0, 1, 40])
def test_times_sparse(a: str, inner: int) -> None:
    parts = MATRICES[a]
    other = random_parts((parts.shape[1], 70), inner, seed=9)
    expected = parts.dense() @ other.dense()
    for x in forms(parts):
        for y in forms(other):
            result = x @ y
            assert (result.format, result.shape) == (x.format, expected.shape)
            assert_canonical(result)
            np.testing.assert_array_equal(result.to_dense().numpy(), expected)
    meet = parts.stored().astype(int) @ other.stored().astype(int) > 0
    assert (parts.csr() @ other.csr()).nnz == meet.sum()  # a place is stored even if its sum is zero


def test_rows_of_few_and_of_many_products() -> None:
    """A product may have rows with few terms and rows with many terms, which the kernel sums by different methods."""
    wide = 40_000
    a = random_parts((30, 50), 60)
    b = random_parts((50, wide), 60)
    full = Parts((50, wide), np.stack([np.zeros(wide, int), np.arange(wide)], axis=1), np.ones(wide))
    b = Parts(b.shape, np.concatenate([b.indices, full.indices]), np.concatenate([b.values, full.values]))
    result = a.csr() @ b.coo()
    assert_canonical(result)
    expected = a.coo().to_scipy().tocsr() @ b.coo().to_scipy().tocsr()
    np.testing.assert_array_equal(result.to_scipy().toarray(), expected.toarray())


def test_vectors() -> None:
    v, w = random_parts((30,), 20), random_parts((30,), 20, seed=1)
    matrix = random_parts((30, 6), 50)
    expected = v.dense() @ w.dense()
    assert suanzi.dot(v.coo(), suanzi.tensor(w.dense())).item() == expected
    assert suanzi.dot(suanzi.tensor(v.dense()), w.coo()).item() == expected
    both = suanzi.dot(v.coo(), w.coo())
    assert both.shape == ()
    assert both.to_dense().item() == expected
    np.testing.assert_array_equal((v.coo() @ suanzi.tensor(matrix.dense())).numpy(), v.dense() @ matrix.dense())
    np.testing.assert_array_equal((v.coo() @ matrix.csr()).to_dense().numpy(), v.dense() @ matrix.dense())
    np.testing.assert_array_equal((matrix.csr().T @ v.coo()).to_dense().numpy(), matrix.dense().T @ v.dense())


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "bfloat16"])
def test_the_bits_do_not_depend_on_the_threads(name: str, keep_threads: None) -> None:
    rng = np.random.default_rng(0)
    a = suanzi.to_sparse(scipy.sparse.random_array((700, 900), density=0.2, rng=rng, format="csr"))
    a = suanzi.astype(a, name)
    x, y = (suanzi.astype(suanzi.tensor(rng.standard_normal(shape)), name) for shape in ((900,), (900, 21)))
    found = []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        square = a @ a.T
        results = (a @ x, a @ y, square.values, square.indices, suanzi.sum(a, axis=0))
        found.append([r.numpy().tobytes() for r in results])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_accuracy(name: str) -> None:
    """The error is at most 100 epsilon of the sum of absolute products. Only rows that read a NaN of x are NaN."""
    rng = np.random.default_rng(1)
    a = scipy.sparse.random_array((200, 300), density=0.3, rng=rng, format="csr", dtype=name)
    x = rng.standard_normal(300).astype(name)
    exact = a.astype(np.longdouble).toarray() @ x.astype(np.longdouble)
    bound = np.abs(a).toarray() @ np.abs(x) * np.finfo(name).eps * 100
    assert (np.abs((suanzi.to_sparse(a) @ suanzi.tensor(x)).numpy() - exact) <= bound).all()
    x[7] = np.nan
    touched = a[:, [7]].toarray().ravel() != 0
    np.testing.assert_array_equal(np.isnan((suanzi.to_sparse(a) @ suanzi.tensor(x)).numpy()), touched)


A = random_parts((2, 3), 4).csr()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: A @ A, DimensionsMismatchError),
        (lambda: A @ suanzi.ones(2), DimensionsMismatchError),
        (lambda: suanzi.ones(3) @ A, DimensionsMismatchError),
        (lambda: A @ suanzi.ones((3, 2, 2)), DimensionsMismatchError),
        (lambda: A @ suanzi.ones(()), DimensionsMismatchError),
        (lambda: A @ 2, TypeMismatchError),
        (lambda: suanzi.matmul(A, A.T, out=suanzi.ones((2, 2))), TypeMismatchError),
        (lambda: suanzi.matmul(A, np.ones(3)), TypeMismatchError),  # type: ignore[arg-type]
        (lambda: A @ suanzi.tensor(["a", "b", "c"]), TypeMismatchError),
        (lambda: suanzi.astype(A, "uint64") @ suanzi.ones(3, dtype="int8"), TypeMismatchError),
        (lambda: suanzi.vecdot(A, A), TypeMismatchError),
    ],
)
def test_what_is_refused(call: Any, error: Any) -> None:
    with fails(error, "matmul", "vecdot"):
        call()


@given(st.data())
def test_any_product(data: st.DataObject) -> None:
    m, k, n = (data.draw(st.integers(0, 12)) for _ in range(3))
    a, b = (
        random_parts(shape, data.draw(st.integers(0, 30)) if 0 not in shape else 0, seed=data.draw(st.integers(0, 99)))
        for shape in ((m, k), (k, n))
    )
    for x in forms(a):
        np.testing.assert_array_equal((x @ suanzi.tensor(b.dense())).numpy(), a.dense() @ b.dense())
        np.testing.assert_array_equal((x @ b.csr()).to_dense().numpy(), a.dense() @ b.dense())


class _Unprintable:
    def __repr__(self) -> Any:
        return 3


@pytest.mark.parametrize("name", ["nested", "huge", "unprintable"])
def test_refused_types_are_shown_short(name: str) -> None:
    nested: list[Any] = []
    for _ in range(2000):
        nested = [nested]
    value: Any = {"nested": nested, "huge": 10**5000, "unprintable": _Unprintable()}[name]
    text = {"nested": r"\[\[", "huge": "an integer of 16610 bits", "unprintable": "<_Unprintable>"}[name]
    x = suanzi.to_sparse(suanzi.eye(2))
    with pytest.raises(TypeMismatchError, match=f"^matmul: dtype {text}"):
        suanzi.matmul(x, suanzi.eye(2), dtype=value)
