"""Operators return the same results for sparse operands as NumPy for the equal dense arrays, or refuse the call."""

from __future__ import annotations

import operator as python
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sparse_cases import ARRAYS, MATRICES, NAMES, Parts, random_parts, random_values

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SparseTensor,
    Tensor,
    TypeMismatchError,
)
from suanzi.operators.registry import records

PUBLIC = {record.name: record.function for record in records()}


def with_zero(*words: str) -> list[str]:
    """Return the names of the operators whose records have one of the given values of `zero=`."""
    return [record.name for record in records() if record.zero in words]


def sparse_forms(parts: Parts) -> list[SparseTensor]:
    forms = [parts.coo(), parts.coo().coalesce()]
    if len(parts.shape) != 2:
        return forms
    turned = suanzi.sparse_tensor(parts.shape[::-1], parts.indices[:, ::-1], parts.values)
    return [*forms, turned.T, parts.csr(), parts.coo().to_csr()]  # the coordinates of `turned.T` are a view


def check(result: Any, expected: Any, sparse: bool) -> None:
    """Check that a result equals a dense array in type, shape and elements, and is sparse only if `sparse` is True."""
    assert isinstance(result, SparseTensor if sparse else Tensor)
    found = result.to_dense() if sparse else result
    assert found.dtype.name == np.dtype(expected.dtype).name
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("name", with_zero("linear", "kept"))
@pytest.mark.parametrize("case", ["random", "duplicates", "cube", "empty"])
def test_functions_that_keep_zero(name: str, case: str) -> None:
    parts, function = ARRAYS[case], PUBLIC[name]
    for x in sparse_forms(parts):
        check(function(x), function(suanzi.tensor(parts.dense())).numpy(), sparse=True)


NUMPY = {
    "negative": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "floor": np.floor,
    "isnan": np.isnan,
    "conj": np.conj,
}


@pytest.mark.parametrize("name", NUMPY)
def test_functions_against_numpy(name: str) -> None:
    parts = random_parts((5, 6), 40, "float64")
    check(PUBLIC[name](parts.csr()), NUMPY[name](parts.dense()), sparse=True)


BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "less": np.less,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "multiply": np.multiply,
    "logical_and": np.logical_and,
    "equal": np.equal,
    "greater_equal": np.greater_equal,
    "less_equal": np.less_equal,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_and": np.bitwise_and,
}


def test_every_binary_operator_has_an_oracle() -> None:
    assert set(BINARY) == set(with_zero("union", "intersection", "dense"))


def pair(shape: tuple[int, ...], name: str) -> tuple[Parts, Parts]:
    kind = "int32" if name.startswith("bitwise") else "float64"
    return random_parts(shape, 30, kind), random_parts(shape, 25, kind, seed=1)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shape", [(7, 9), (1, 40), (2000, 2), (3, 4, 5), (50,)], ids=str)
def test_two_sparse_operands(name: str, shape: tuple[int, ...]) -> None:
    a, b = pair(shape, name)
    expected = BINARY[name](a.dense(), b.dense())
    for x in sparse_forms(a):
        for y in sparse_forms(b):
            result = PUBLIC[name](x, y)
            check(result, expected, sparse=name not in with_zero("dense"))
            if isinstance(result, SparseTensor):
                assert result.format == x.format
    check(PUBLIC[name](x, x), BINARY[name](a.dense(), a.dense()), sparse=name not in with_zero("dense"))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("other", [(7, 9), (1, 9), (7, 1), (9,), ()], ids=str)
def test_with_a_dense_operand(name: str, other: tuple[int, ...]) -> None:
    a = pair((7, 9), name)[0]
    dense = random_parts(other, 60, a.values.dtype.name, seed=2).dense()
    sparse = name in with_zero("intersection")
    for x in sparse_forms(a):
        check(PUBLIC[name](x, suanzi.tensor(dense)), BINARY[name](a.dense(), dense), sparse)
        check(PUBLIC[name](suanzi.tensor(dense), x), BINARY[name](dense, a.dense()), sparse)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("scalar", [0, 2, -3])
def test_with_a_scalar(name: str, scalar: int) -> None:
    a = pair((7, 9), name)[0]
    keeps = not BINARY[name](np.zeros(1, a.values.dtype), np.array(scalar, a.values.dtype))[0]
    for x in sparse_forms(a):
        check(PUBLIC[name](x, scalar), BINARY[name](a.dense(), np.array(scalar, a.values.dtype)), bool(keeps))


@pytest.mark.parametrize(
    ("call", "sparse"),
    [
        (lambda x: x / 2, True),
        (lambda x: x // 2, True),
        (lambda x: x % 3, True),
        (lambda x: x**2, True),
        (lambda x: x**0, False),
        (lambda x: 2**x, False),
        (lambda x: 2 * x, True),
        (lambda x: 2 - x, False),
        (lambda x: x - 0, True),
        (lambda x: -x, True),
        (lambda x: +x, True),
        (abs, True),
        (lambda x: x > 0, True),
        (lambda x: x >= 0, False),
    ],
)
def test_pythons_operators(call: Callable[[Any], Any], sparse: bool) -> None:
    parts = random_parts((5, 6), 15)
    for x in sparse_forms(parts):
        check(call(x), call(parts.dense()), sparse)


def test_division_by_zero_is_dense() -> None:
    with np.errstate(all="ignore"):
        x = random_parts((3, 4), 5)
        result = x.coo() / 0
        assert isinstance(result, Tensor)
        np.testing.assert_array_equal(result.numpy(), x.dense() / 0)


def test_division_by_a_dense_tensor() -> None:
    a, dense = random_parts((5, 6), 15), np.arange(1.0, 7.0)
    check(a.csr() / suanzi.tensor(dense), a.dense() / dense, sparse=True)


@pytest.mark.parametrize("name", ["add", "multiply"])
@pytest.mark.parametrize("first", NAMES)
def test_element_types_promote_as_dense_ones(name: str, first: str) -> None:
    for second in ("bool", "int16", "float16", "complex64"):
        a, b = random_parts((4, 5), 9, first), random_parts((4, 5), 8, second, seed=3)
        dense = [suanzi.tensor(p.dense()) for p in (a, b)]
        try:
            expected = PUBLIC[name](*dense)
        except TypeMismatchError:
            with fails(TypeMismatchError, name):
                PUBLIC[name](a.coo(), b.csr())
            continue
        check(PUBLIC[name](a.coo(), b.csr()), expected.numpy(), sparse=True)


@pytest.mark.parametrize("name", NAMES)
def test_astype(name: str) -> None:
    x = random_parts((4, 5), 30, "int8")
    check(suanzi.astype(x.coo(), name), suanzi.astype(suanzi.tensor(x.dense()), name).numpy(), sparse=True)
    y = x.coo()
    assert suanzi.astype(y, "int8", copy=False) is y


def test_special_values() -> None:
    """Operators treat elements that are not stored as zero, even beside NaN and infinities of the other operand."""
    x = suanzi.sparse_tensor(4, [[0], [1], [2]], [float("nan"), float("inf"), -0.0])
    y = suanzi.sparse_tensor(4, [[1], [3]], [1.0, float("nan")])
    assert str((x + y).to_dense()) == "[nan inf  0. nan]"
    assert str((x * y).to_dense()) == "[ 0. inf  0.  0.]"
    assert str(suanzi.isnan(x).to_dense()) == "[ True False False False]"
    assert str(suanzi.max(x)) == "nan"
    assert np.signbit(suanzi.positive(x).values.numpy()).tolist() == [False, False, True]


def test_complex_parts() -> None:
    parts = random_parts((4, 5), 12, "complex64")
    check(suanzi.real(parts.csr()), parts.dense().real, sparse=True)
    check(suanzi.imag(parts.coo()), parts.dense().imag, sparse=True)
    check(parts.coo().conj(), parts.dense().conj(), sparse=True)


# --- shapes and selection ---


@pytest.mark.parametrize("case", ARRAYS)
def test_shapes(case: str) -> None:
    parts = ARRAYS[case]
    dense = parts.dense()
    for x in sparse_forms(parts):
        check(x.T, dense.T, sparse=True)
        assert x.T.format == x.format
        check(suanzi.reshape(x, -1) if dense.size else x, dense.reshape(-1) if dense.size else dense, sparse=True)
        check(x.flatten(), dense.reshape(-1), sparse=True)
        check(suanzi.expand_dims(x, 0), dense[None], sparse=True)
        check(suanzi.squeeze(x), dense.squeeze(), sparse=True)
        if dense.ndim >= 2:
            check(suanzi.matrix_transpose(x), np.swapaxes(dense, -1, -2), sparse=True)
            axes = (*range(1, dense.ndim), 0)
            check(x.transpose(axes), dense.transpose(axes), sparse=True)
    if dense.size:
        check(x.reshape(dense.size, 1), dense.reshape(-1, 1), sparse=True)


KEYS: list[Any] = [
    slice(None),
    0,
    -1,
    slice(1, 3),
    (slice(None), slice(None, None, 2)),
    (slice(None, None, -1), slice(3, None, -2)),
    (2, 3),
    (2, slice(1, 100)),
    (..., 1),
    (None, slice(5, 2), 0),
    (..., None),
    (slice(-3, -1), ...),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("case", ["random", "cube"])
def test_basic_keys(key: Any, case: str) -> None:
    parts = ARRAYS[case]
    for x in sparse_forms(parts):
        check(x[key], np.asarray(parts.dense()[key]), sparse=True)


def test_slice() -> None:
    parts = ARRAYS["random"]
    for x in sparse_forms(parts):
        check(suanzi.slice(x, 1, 6, 2), parts.dense()[1:6:2], sparse=True)
        check(suanzi.slice(x, [1, 0], [3, None], [1, 2]), parts.dense()[1:3, ::2], sparse=True)
        check(suanzi.slice(x, 1, None, axis=-1), parts.dense()[:, 1:], sparse=True)


@pytest.mark.parametrize("index", [[0], [2, 0, 2, -1], [], [0, 1, 2, 3]], ids=str)
@pytest.mark.parametrize("case", ["random", "duplicates", "cube", "tall", "wide"])
def test_index_select(index: list[int], case: str) -> None:
    parts = ARRAYS[case]
    wanted = np.array(index, np.int64)
    for axis in range(-1, len(parts.shape)):
        size = parts.shape[axis]
        kept = wanted[wanted < size]
        for x in sparse_forms(parts):
            result = suanzi.index_select(x, suanzi.tensor(kept), axis)
            check(result, np.take(parts.dense(), kept, axis), sparse=True)
            assert result.format == x.format


# --- reductions ---

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "all": np.all,
    "any": np.any,
}


def test_every_reduction_has_an_oracle() -> None:
    assert set(REDUCTIONS) == set(with_zero("sum", "mean", "prod", "min", "max"))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(
    "case", ["random", "one row", "one column", "duplicates", "all zero", "tall", "cube", "vector"]
)
def test_reductions(name: str, case: str) -> None:
    parts = ARRAYS[case]
    dense = parts.dense()
    axes = [None, *range(-dense.ndim, dense.ndim), (0, -1) if dense.ndim > 1 else (0,), ()]
    for x in sparse_forms(parts):
        for axis in axes:
            for keepdims in (False, True):
                result = PUBLIC[name](x, axis=axis, keepdims=keepdims)
                expected = REDUCTIONS[name](dense, axis=axis, keepdims=keepdims)
                assert result.shape == np.shape(expected)
                np.testing.assert_allclose(result.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", NAMES)
def test_reductions_have_the_types_of_dense_ones(name: str, dtype: str) -> None:
    parts = random_parts((4, 3), 30, dtype)
    dense = suanzi.tensor(parts.dense())
    try:
        expected = PUBLIC[name](dense, axis=0)
    except TypeMismatchError:
        with fails(TypeMismatchError, name):
            PUBLIC[name](parts.coo(), axis=0)
        return
    result = PUBLIC[name](parts.csr(), axis=0)
    assert result.dtype is expected.dtype
    np.testing.assert_allclose(result.numpy().astype(complex), expected.numpy().astype(complex), rtol=1e-2)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("features", [(2,), (3, 2), (0,), (1, 4)], ids=str)
def test_reductions_of_blocks(name: str, features: tuple[int, ...]) -> None:
    places = random_parts((4, 5), 13)
    values = random_values(np.random.default_rng(2), 13 * int(np.prod(features)), "float64").reshape(13, *features)
    dense = np.zeros((4, 5, *features))
    np.add.at(dense, tuple(places.indices.T), values)
    axes: list[Any] = [None, *range(-dense.ndim, dense.ndim), (0, 1), (0, 2), (1, -1), (0, 1, 2), ()]
    for x in sparse_forms(places):
        blocks = suanzi.sparse_tensor(dense.shape[:2], places.indices, values)
        blocks = blocks.to_format(x.format)
        for axis in axes:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = REDUCTIONS[name](dense, axis=axis, keepdims=True)
                except ValueError:  # the row has no elements
                    with fails(InvalidArgumentError, name):
                        PUBLIC[name](blocks, axis=axis)
                    continue
            result = PUBLIC[name](blocks, axis=axis, keepdims=True)
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-14)


@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_reductions_of_nothing_are_the_dense_ones(name: str, shape: tuple[int, ...]) -> None:
    for dtype in ("float32", "complex64", "int8", "bool"):
        dense = suanzi.zeros(shape, dtype=dtype)
        for axis in (None, *range(-len(shape), len(shape))):
            for keepdims in (False, True):
                sparse = suanzi.to_sparse(dense)
                (status, expected), (given, result) = (
                    suanzi.attempt(PUBLIC[name], x, axis=axis, keepdims=keepdims) for x in (dense, sparse)
                )
                assert given == status
                if isinstance(expected, suanzi.Tensor):
                    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
                    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", ["max", "min", "prod", "sum"])
def test_reductions_of_special_values(name: str) -> None:
    """Reductions are right for rows of NaN, infinities or negative numbers, with and without zeros."""
    dense = np.array([[1.0, -2, 3, 5], [np.nan, 1, 2, 3], [-np.inf, -1, -1, -1], [-np.inf, 0, 0, 0], [0, 0, 0, 0]])
    dense = np.concatenate([dense, np.full((1, 4), -7.0), [[np.inf, 2, 0, 0]]])
    for array in (dense, dense.T.copy()):
        x = suanzi.to_sparse(suanzi.tensor(array))
        for y in (x, x.to_csr()):
            for axis in (0, 1, None):
                with np.errstate(invalid="ignore"):
                    np.testing.assert_array_equal(
                        PUBLIC[name](y, axis=axis).numpy(), REDUCTIONS[name](array, axis=axis)
                    )
    for dtype in ("int8", "uint8", "int64", "uint64"):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        whole = np.array([[low, high, low], [high, high, high], [low, low, low], [1, 0, 2]], dtype)
        z = suanzi.to_sparse(suanzi.tensor(whole), "csr")
        for axis in (0, 1, None):
            np.testing.assert_array_equal(PUBLIC[name](z, axis=axis).numpy(), REDUCTIONS[name](whole, axis=axis))


@given(st.data())
def test_any_rows_and_columns(data: st.DataObject) -> None:
    """Slices, selections and reductions are right for rows of 1 to 80 places and 0 to 120 elements in all."""
    shape = (data.draw(st.integers(1, 5)), data.draw(st.integers(1, 80)))
    parts = random_parts(shape, data.draw(st.integers(0, 120)), seed=data.draw(st.integers(0, 99)))
    dense = parts.dense()
    bounds = st.one_of(st.none(), st.integers(-90, 90))
    steps = st.sampled_from([None, 1, 2, -1, -3])
    key = tuple(slice(data.draw(bounds), data.draw(bounds), data.draw(steps)) for _ in shape)
    chosen = [data.draw(st.lists(st.integers(-n, n - 1), max_size=6)) for n in shape]
    for x in sparse_forms(parts):
        check(x[key], dense[key], sparse=True)
        for axis, index in enumerate(chosen):
            wanted = np.array(index, np.int64)
            check(suanzi.index_select(x, suanzi.tensor(wanted), axis), np.take(dense, wanted, axis), sparse=True)
            for name in ("sum", "max", "min", "prod"):
                np.testing.assert_array_equal(PUBLIC[name](x, axis=axis).numpy(), REDUCTIONS[name](dense, axis=axis))
        check(x.T, dense.T, sparse=True)
        check(suanzi.reshape(x, shape[::-1]), dense.reshape(shape[::-1]), sparse=True)


def test_reductions_of_nothing() -> None:
    x = MATRICES["no rows"].coo()
    assert suanzi.sum(x, axis=0).tolist() == [0.0] * 4
    assert np.isnan(suanzi.mean(x).item())
    mean = suanzi.mean(suanzi.astype(x, "complex64")).item()
    assert np.isnan(mean.real)
    assert np.isnan(mean.imag)
    with fails(InvalidArgumentError, "max"):
        suanzi.max(x, axis=0)
    assert suanzi.sum(random_parts((3, 3), 5, "int32").coo(), dtype="float32").dtype is suanzi.float32


# --- refused calls ---

X, DENSE = random_parts((2, 3), 4).coo(), suanzi.ones((2, 3))
REFUSED: list[tuple[Any, str, Any]] = [
    (lambda: suanzi.exp(X), "exp", TypeMismatchError),
    (lambda: suanzi.cos(X), "cos", TypeMismatchError),
    (lambda: suanzi.where(DENSE, X, X), "where", TypeMismatchError),
    (lambda: suanzi.sort(X), "sort", TypeMismatchError),
    (lambda: suanzi.cumulative_sum(X, axis=0), "cumulative_sum", TypeMismatchError),
    (lambda: suanzi.inv(X), "inv", TypeMismatchError),
    (lambda: suanzi.is_contiguous(X), "is_contiguous", TypeMismatchError),
    (lambda: suanzi.zeros_like(X), "zeros_like", TypeMismatchError),
    (lambda: X / X, "true_divide", TypeMismatchError),
    (lambda: DENSE / X, "true_divide", TypeMismatchError),
    (lambda: X // DENSE, "floor_divide", TypeMismatchError),
    (lambda: suanzi.add(X, DENSE, out=DENSE), "add", TypeMismatchError),
    (lambda: suanzi.add(DENSE, DENSE, out=X), "add", TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.abs(DENSE, out=X), "abs", TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.sum(X, out=suanzi.zeros(())), "sum", TypeMismatchError),
    (lambda: suanzi.add(X, np.ones((2, 3))), "add", TypeMismatchError),
    (lambda: suanzi.add(X, "a"), "add", TypeMismatchError),
    (lambda: suanzi.add(X, None), "add", TypeMismatchError),
    (lambda: suanzi.index_select(DENSE, X), "index_select", TypeMismatchError),
    (lambda: suanzi.index_select(X, X), "index_select", TypeMismatchError),
    (lambda: suanzi.index_select(X, suanzi.ones(2)), "index_select", TypeMismatchError),
    (lambda: suanzi.index_select(X, suanzi.tensor([[0]], dtype="int64")), "index_select", DimensionsMismatchError),
    (lambda: suanzi.index_select(X, suanzi.tensor([2], dtype="int64")), "index_select", OutOfRangeError),
    (lambda: suanzi.index_select(X, suanzi.tensor([0], dtype="int64"), 2), "index_select", OutOfRangeError),
    (lambda: X + random_parts((3, 2), 1).coo(), "add", DimensionsMismatchError),
    (lambda: X + suanzi.ones((4,)), "add", DimensionsMismatchError),
    (lambda: X * suanzi.ones((4, 2, 3)), "multiply", DimensionsMismatchError),
    (lambda: suanzi.sum(X, axis=2), "sum", OutOfRangeError),
    (lambda: suanzi.sum(X, axis=(0, 0)), "sum", InvalidArgumentError),
    (lambda: suanzi.sum(X, axis="a"), "sum", TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.transpose(X, (0,)), "transpose", DimensionsMismatchError),
    (lambda: suanzi.transpose(X, (0, 0)), "transpose", InvalidArgumentError),
    (lambda: suanzi.transpose(X, (0, 2)), "transpose", OutOfRangeError),
    (lambda: suanzi.reshape(X, (4, 2)), "reshape", DimensionsMismatchError),
    (lambda: suanzi.reshape(X, (-1, -1)), "reshape", InvalidArgumentError),
    (lambda: suanzi.reshape(X, (-1, 4)), "reshape", DimensionsMismatchError),
    (lambda: X[2], "index", OutOfRangeError),
    (lambda: X[0, 0, 0], "index", OutOfRangeError),
    (lambda: X["a"], "index", TypeMismatchError),
    (lambda: X[::0], "index", InvalidArgumentError),
    (lambda: X[..., ...], "index", InvalidArgumentError),
    (lambda: X["a":], "index", TypeMismatchError),
    (lambda: suanzi.slice(X, 0, 1, 0), "slice", InvalidArgumentError),
    (lambda: suanzi.slice(X, [0], [1, 2], axis=(0, 1)), "slice", DimensionsMismatchError),
    (lambda: suanzi.slice(X, 0, 1, axis=5), "slice", OutOfRangeError),
    (lambda: suanzi.slice(X, "a", 1), "slice", TypeMismatchError),  # type: ignore[arg-type]
    (lambda: suanzi.astype(X, "string"), "astype", TypeMismatchError),
]


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(case: Any) -> None:
    call, name, error = case
    with fails(error, name) as caught:
        call()
    assert type(caught.value) is error  # type: ignore[attr-defined]


@pytest.mark.parametrize("operation", [python.add, python.mul, python.matmul, python.eq])
@pytest.mark.parametrize("stranger", [np.ones((2, 3)), "a", None, [1.0]], ids=str)
def test_strangers(operation: Any, stranger: Any) -> None:
    if operation is python.eq and (stranger is None or isinstance(stranger, str)):
        assert (stranger == X) is False
        return
    for operands in ((X, stranger), (stranger, X)):
        with pytest.raises(TypeError):
            operation(*operands)


@given(st.data())
def test_any_two_operands(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    counts = [data.draw(st.integers(0, 20)) for _ in range(2)]
    a, b = (random_parts(shape, n, seed=data.draw(st.integers(0, 99))) for n in counts)
    x, y = a.coo(), b.coo()
    np.testing.assert_array_equal((x + y).to_dense().numpy(), a.dense() + b.dense())
    np.testing.assert_array_equal((x * y).to_dense().numpy(), a.dense() * b.dense())
    np.testing.assert_array_equal((x == y).numpy(), a.dense() == b.dense())
    axis = data.draw(st.integers(0, len(shape) - 1))
    np.testing.assert_array_equal(suanzi.max(x, axis=axis).numpy(), a.dense().max(axis))


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "dia_array", "csr_matrix", "bsr_array"])
def test_sparse_arrays_of_scipy_times_dense_tensors(kind: str) -> None:
    dense = np.array([[0.0, 2, 0], [1, 0, 3], [0, 4, 0]])
    a = getattr(scipy.sparse, kind)(dense)
    for dtype in ("float32", "float64", "int32"):
        x = np.arange(1, 7).reshape(3, 2).astype(dtype)
        np.testing.assert_array_equal(a @ suanzi.tensor(x), dense @ x)
        np.testing.assert_array_equal(a @ suanzi.tensor(x[:, 0]), dense @ x[:, 0])
        np.testing.assert_array_equal(suanzi.tensor(x.T) @ a, x.T @ dense)


@pytest.mark.parametrize(("values", "dtype"), [([True, True], "bool"), ([100, 100], "int8"), ([6e4, 6e4], "float16")])
@pytest.mark.parametrize("other", ["float64", "float32", "int32", "int16", "float16"])
def test_products_sum_elements_of_one_place_in_their_own_type(values: list[Any], dtype: str, other: str) -> None:
    twice = suanzi.sparse_tensor((1, 2), [1, 1], suanzi.tensor(values, dtype=dtype), indptr=[0, 2])
    once = twice.coalesce()
    assert not twice.is_coalesced
    for x in (suanzi.ones(2, dtype=other), suanzi.ones((2, 3), dtype=other)):
        expected = suanzi.matmul(once, x)
        for a in (twice, twice.to_coo()):
            np.testing.assert_array_equal(a @ x, expected)
    eye = suanzi.to_sparse(suanzi.eye(2, dtype=other), "csr")
    column = suanzi.to_sparse(suanzi.ones((3, 1), dtype=other), "csr")
    for a in (twice, twice.to_coo()):
        np.testing.assert_array_equal((a @ eye).to_dense(), (once @ eye).to_dense())
        np.testing.assert_array_equal((column @ a).to_dense(), (column @ once).to_dense())


@pytest.mark.parametrize("axis", [0, -1, (0, 1), [0, -1], np.int64(1), np.array([0, 1]), np.array(1)])
def test_expand_dims_takes_the_axes_that_it_takes_of_dense_tensors(axis: Any) -> None:
    dense = suanzi.eye(2)
    assert suanzi.expand_dims(suanzi.to_sparse(dense), axis).shape == suanzi.expand_dims(dense, axis).shape


@pytest.mark.parametrize("op", ["all", "any"])
@pytest.mark.parametrize("dtype", ["int8", "float64"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_all_and_any_of_a_named_type(op: str, dtype: str, axis: int | tuple[int, ...] | None) -> None:
    """A fraction counts as true, although int8 would hold 0 in its place."""
    for rows in ([[0.5, 0.25], [0.0, 3.0]], [[0.5, 1.0], [2.0, 0.25]], [[0.0, 0.0], [0.0, 0.0]]):
        x = suanzi.tensor(rows)
        found = suanzi.reduce(x.to_sparse(), op, axis, dtype=dtype)
        assert found.dtype == dtype
        assert found.tolist() == suanzi.reduce(x, op, axis, dtype=dtype).tolist()
