"""Tests of functions that only the array API defines (sets, shapes, differences), and of disputed special values."""

from __future__ import annotations

import pickle
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi import array_api as xp

INTEGERS, FLOATS = xp.asarray([1, 2, 3], dtype=xp.int8), xp.asarray([0.5, 1.5, 2.5], dtype=xp.float32)
NAN, INF = float("nan"), float("inf")


def same(found: Any, wanted: Any) -> None:
    """Check that a result has the expected type, shape and elements, including the signs of zeros."""
    wanted = np.asarray(wanted)
    assert found.numpy().dtype == wanted.dtype
    np.testing.assert_array_equal(found.numpy(), wanted)
    if wanted.dtype.kind in "fc":
        np.testing.assert_array_equal(np.signbit(found.numpy().real), np.signbit(wanted.real))
        np.testing.assert_array_equal(np.signbit(found.numpy().imag), np.signbit(wanted.imag))


@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 0), (3, 4)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex128"])
def test_unique_of_numbers(shape: tuple[int, ...], dtype: str) -> None:
    array = np.random.default_rng(3).integers(0, 3, shape).astype(dtype)
    values, indices, inverse, counts = np.unique(array, True, True, True)
    found = xp.unique_all(xp.asarray(array))
    same(found.values, values)
    same(found.indices, indices)
    same(found.inverse_indices, inverse.reshape(shape))
    same(found.counts, counts)
    same(xp.unique_values(xp.asarray(array)), values)
    same(xp.unique_counts(xp.asarray(array)).counts, counts)
    same(xp.unique_inverse(xp.asarray(array)).inverse_indices, inverse.reshape(shape))


@pytest.mark.parametrize(
    "array", [np.array([[NAN, 1.0], [NAN, 1.0]]), np.array([NAN]), np.array([complex(1, NAN), 2j])]
)
def test_each_nan_is_a_value_of_its_own(array: np.ndarray[Any, Any]) -> None:
    x = xp.asarray(array)
    found = xp.unique_all(x)
    nans = int(np.isnan(array).sum())
    assert int(np.isnan(found.values.numpy()).sum()) == nans
    assert found.values.shape == (nans + len(np.unique(array[~np.isnan(array)])),)
    assert found.counts[-nans:].tolist() == [1] * nans
    np.testing.assert_array_equal(array.ravel()[found.indices.numpy()], found.values.numpy())
    np.testing.assert_array_equal(found.values.numpy()[found.inverse_indices.numpy()], array)
    for values in (xp.unique_values(x), xp.unique_counts(x).values, xp.unique_inverse(x).values):
        np.testing.assert_array_equal(values.numpy(), found.values.numpy())
    np.testing.assert_array_equal(xp.unique_inverse(x).inverse_indices.numpy(), found.inverse_indices.numpy())


@given(st.lists(st.integers(-3, 3), max_size=6), st.lists(st.integers(-3, 3), max_size=6), st.booleans())
def test_isin(a: list[int], b: list[int], invert: bool) -> None:
    x, y = np.array(a, np.int32), np.array(b, np.int32)
    same(xp.isin(xp.asarray(x), xp.asarray(y), invert=invert), np.isin(x, y, invert=invert))


def test_isin_of_scalars_and_special_numbers() -> None:
    x = xp.asarray([NAN, -0.0, 2.0])
    same(xp.isin(x, xp.asarray([0.0, NAN])), [False, True, False])
    same(xp.isin(x, 2), [False, False, True])
    same(xp.isin(2, xp.asarray([[1, 2]])), True)
    same(xp.isin(2, xp.asarray([], dtype=xp.int8), invert=True), True)
    same(xp.isin(300, xp.ones(2, dtype=xp.int8)), False)
    same(xp.isin(xp.ones((2, 0)), xp.ones((3,))), np.ones((2, 0), bool))


@given(st.lists(st.lists(st.integers(0, 3), max_size=4).map(tuple), max_size=4))
def test_broadcast_shapes(shapes: list[tuple[int, ...]]) -> None:
    try:
        wanted = np.broadcast_shapes(*shapes)
    except ValueError:
        with fails(DimensionsMismatchError, "broadcast_shapes"):
            xp.broadcast_shapes(*shapes)
    else:
        assert xp.broadcast_shapes(*shapes) == wanted


def test_reshape_copies_as_it_is_told() -> None:
    x = xp.reshape(xp.arange(6), (2, 3))
    for copy, shared in ((None, True), (False, True), (True, False)):
        y = xp.reshape(x, (3, 2), copy=copy)
        y[0, 0] = 9
        assert (int(x[0, 0]) == 9) == shared
        x[0, 0] = 0
    assert xp.reshape(x.T, (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    with fails(InvalidArgumentError, "reshape"):
        xp.reshape(x.T, (6,), copy=False)
    assert xp.reshape(xp.ones((0, 2)).T, (0,), copy=False).shape == (0,)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("axis", [0, -1])
def test_diff(n: int, axis: int) -> None:
    array = np.random.default_rng(1).integers(-9, 9, (3, 4)).astype(np.float32)
    x, ones = xp.asarray(array), xp.ones((3, 4), dtype=xp.float32)
    same(xp.diff(x, n=n, axis=axis), np.diff(array, n, axis))
    if n == 0:  # NumPy ignores `prepend` if n is 0
        assert xp.diff(x, n=n, axis=axis, prepend=ones).size == 24
        return
    wanted = np.diff(array, n, axis, np.ones((3, 4), np.float32), np.ones((3, 4), np.float32))
    same(xp.diff(x, n=n, axis=axis, prepend=ones, append=ones), wanted)


def test_what_diff_refuses() -> None:
    with fails(InvalidArgumentError, "diff"):
        xp.diff(xp.ones(3), n=-1)
    with fails(OutOfRangeError, "diff"):
        xp.diff(xp.ones(3), axis=1)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floor_divide_rounds_quotients_down_at_infinities_too(dtype: str) -> None:
    a = np.array([INF, INF, -INF, -INF, INF, 5, -5, 5, -5, 0, -0.0, INF, -INF, NAN, 1, 0], dtype)
    b = np.array([2, -2, 2, -2, INF, INF, INF, -INF, -INF, -INF, -INF, 0, 0, 1, NAN, 0], dtype)
    wanted = [INF, -INF, -INF, INF, NAN, 0, -0.0, -0.0, 0, -0.0, 0, INF, -INF, NAN, NAN, NAN]
    for found in (xp.floor_divide(xp.asarray(a), xp.asarray(b)), xp.asarray(a) // xp.asarray(b)):
        finite = ~np.isnan(wanted)
        np.testing.assert_array_equal(found.numpy(), np.array(wanted, dtype))
        np.testing.assert_array_equal(np.signbit(found.numpy())[finite], np.signbit(wanted)[finite])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_the_sign_of_any_zero_is_zero(dtype: str) -> None:
    zeros = np.array([0, -0.0], dtype) if "float" in dtype else np.array([0, complex(-0.0, -0.0)], dtype)
    same(xp.sign(xp.asarray(zeros)), np.zeros(2, dtype))


COMPLEX = [
    ("expm1", complex(-0.0, 0.0), complex(0.0, 0.0)),
    ("expm1", complex(-0.0, -0.0), complex(0.0, -0.0)),
    ("tanh", complex(INF, 2), complex(1, 0)),
    ("tanh", complex(-INF, 2), complex(-1, 0)),
    ("tanh", complex(INF, -2), complex(1, -0.0)),
    ("tan", complex(2, INF), complex(0, 1)),
    ("tan", complex(2, -INF), complex(0, -1)),
]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("name", "z", "wanted"), COMPLEX)
def test_complex_special_values(name: str, z: complex, wanted: complex, dtype: str) -> None:
    same(getattr(xp, name)(xp.asarray(np.array([z], dtype))), np.array([wanted], dtype))


def test_trace_adds_up_as_sum_does() -> None:
    x = xp.ones((2, 3, 3), dtype=xp.int8)
    same(xp.linalg.trace(x), np.full(2, 3, np.int64))
    same(xp.linalg.trace(x, offset=1, dtype=xp.float64), np.full(2, 2.0))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64"])
@pytest.mark.parametrize("name", ["mean", "std", "var"])
def test_means_and_variances_of_integers_are_of_the_default_type(name: str, dtype: str) -> None:
    array = np.random.default_rng(5).integers(0, 99, (3, 7)).astype(dtype)
    x = xp.asarray(array)
    found, wanted = getattr(xp, name)(x, axis=1, keepdims=True), getattr(np, name)(array, axis=1, keepdims=True)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-15, strict=True)
    assert getattr(xp, name)(x, dtype=xp.float32).dtype is xp.float32
    out = xp.zeros((), dtype=xp.float32)
    assert getattr(xp, name)(x, out=out) is out


def test_variances_take_a_correction() -> None:
    array = np.array([1, 2, 4, 9])
    for name in ("std", "var"):
        found = getattr(xp, name)(xp.asarray(array), correction=1)
        np.testing.assert_allclose(found.numpy(), getattr(np, name)(array, ddof=1), rtol=1e-15)


OF_ONE = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "acosh", "asinh", "atan", "cosh", "sinh", "tanh"),
    *("asin", "acos", "cos", "sin", "tan", "sqrt", "reciprocal", "fft.fft", "fft.rfft", "fft.ihfft", "fft.ifft"),
)
OF_MATRICES = ["det", "inv", "pinv", "eigvalsh", "svdvals", "cholesky", "matrix_norm"]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_functions_of_integers_are_of_the_default_type(name: str, dtype: str) -> None:
    array = np.array([1, 1, 1, 1] if name in ("asin", "acos", "acosh") else [1, 2, 5, 9]).astype(dtype)
    wide = array.astype(np.float64)  # NumPy's functions of int8 return float16
    found, wanted = attrgetter(name)(xp)(xp.asarray(array)), attrgetter(name)(np)(wide)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-14, strict=True)


@pytest.mark.parametrize("name", OF_MATRICES)
def test_linear_algebra_of_integers_is_of_the_default_type(name: str) -> None:
    array = np.array([[4, 1], [1, 3]])
    found, wanted = getattr(xp.linalg, name)(xp.asarray(array)), getattr(np.linalg, name)(array)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-13, strict=True)


@pytest.mark.parametrize("name", ["atan2", "hypot", "logaddexp", "copysign"])
def test_two_operands_of_integers(name: str) -> None:
    i, f = np.array([1, 2, 3], np.int32), np.array([0.5, 1, 2], np.float32)
    ours, theirs = getattr(xp, name), getattr(np, {"atan2": "arctan2"}.get(name, name))
    for a, b in ((i, i), (i, 0.5), (0.5, i)):
        x, y = (v if isinstance(v, float) else xp.asarray(v) for v in (a, b))
        np.testing.assert_allclose(ours(x, y).numpy(), theirs(a, b), rtol=1e-14, strict=True)
    for x, y in ((xp.asarray(i), xp.asarray(f)), (xp.asarray(f), xp.asarray(i)), (xp.asarray(f), 0.5)):
        assert ours(x, y).dtype is xp.float32


@pytest.mark.parametrize(
    ("x1", "x2", "name"),
    [
        *((1, 0, "int64"), (1.0, 0, "float64"), (1j, True, "complex128"), (True, False, "bool")),
        *((INTEGERS, 0.5, "float64"), (1j, INTEGERS, "complex128"), (INTEGERS, 2, "int8")),
        *((FLOATS, 0.5, "float32"), (0.5, FLOATS, "float32")),
        *((FLOATS, 2**40, "float32"), (INTEGERS, FLOATS, "float32")),
    ],
    ids=str,
)
def test_numbers_have_default_types_beside_integers(x1: Any, x2: Any, name: str) -> None:
    condition = np.array([True, False, True])
    found = xp.where(xp.asarray(condition), x1, x2)
    wanted = np.where(condition, np.asarray(x1), np.asarray(x2)).astype(name)
    np.testing.assert_array_equal(found.numpy(), wanted, strict=True)
    if name.startswith("float"):
        both = xp.maximum(x1, x2), xp.minimum(x1, x2)
        assert {x.dtype.name for x in both} == {name}


@pytest.mark.parametrize(
    ("x1", "x2"),
    [
        *((np.int64(16777217), 0), (np.float32(0.1), 1.5), (2, np.float16(0.5)), (np.int8(1), np.float64(0.5))),
        *((np.bool_(True), False), (np.complex64(1j), 1), (INTEGERS, np.float32(0.1)), (np.complex64(1j), INTEGERS)),
        *((INTEGERS, np.int64(2)), (INTEGERS, np.bool_(True)), (FLOATS, np.float64(0.5)), (np.int32(3), FLOATS)),
    ],
    ids=str,
)
def test_numbers_of_numpy_count_as_numbers_of_python(x1: Any, x2: Any) -> None:
    condition = xp.asarray([True, False, True])
    plain = [x.item() if isinstance(x, np.generic) else x for x in (x1, x2)]
    for function in (lambda *x: xp.where(condition, *x), xp.maximum, xp.minimum):
        if function in (xp.maximum, xp.minimum) and any(isinstance(x, complex) for x in plain):
            continue
        found, wanted = function(x1, x2), function(*plain)
        np.testing.assert_array_equal(found.numpy(), wanted.numpy(), strict=True)
    for time in (np.timedelta64(1), np.datetime64(1, "s")):
        with fails(TypeMismatchError, "where"):
            xp.where(condition, time, x2)


def test_what_python_has_operators_for_is_what_they_give() -> None:
    x = xp.asarray([1, 2])
    assert xp.divide(x, x).dtype is (x / x).dtype
    assert xp.multiply(x, 0.5).dtype is (x * 0.5).dtype
    assert xp.pow(x, 0.5).dtype is (x**0.5).dtype


def test_the_types_of_python_are_the_default_ones() -> None:
    x = xp.ones(2, dtype=xp.int8)
    for y in (
        *(xp.zeros(2, dtype=float), xp.asarray([1], dtype=float), xp.full(2, 1, dtype=float), xp.eye(2, dtype=float)),
        *(xp.zeros_like(x, dtype=float), xp.full_like(x, 1, dtype=float), xp.astype(x, float), xp.sum(x, dtype=float)),
        *(xp.mean(x, dtype=float), xp.arange(3, dtype=float), xp.linspace(0, 1, 3, dtype=float)),
        *(xp.cumulative_sum(x, dtype=float), xp.linalg.trace(xp.eye(2), dtype=float), xp.fft.fftfreq(3, dtype=float)),
    ):
        assert y.dtype is xp.float64
    assert xp.ones(2, dtype=complex).dtype is xp.prod(x, dtype=complex).dtype is xp.complex128
    assert xp.finfo(float).dtype is xp.float64
    assert xp.isdtype(float, xp.float64)
    assert xp.can_cast(xp.float32, float)


@pytest.mark.parametrize("name", ["exp", "sum", "zeros_like", "linalg.inv", "fft.fft", "mean"])
def test_functions_are_pickled(name: str) -> None:
    """Functions of the array API are pickled by name. Dask and Cubed send pickled functions to other processes."""
    function = attrgetter(name)(xp)
    assert pickle.loads(pickle.dumps(function)) is function
    assert (function.__doc__ or "").startswith("Return the same as `suanzi.")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_isin_of_integers(dtype: str) -> None:
    """`isin` returns the same values as NumPy's function.

    For integers that are close together, `isin` uses a table. For other integers, `isin` uses a search.
    """
    info = np.iinfo(dtype)
    rng = np.random.default_rng(8)
    ends = np.array([info.min, info.min + 1, info.max - 1, info.max], dtype)
    near = rng.integers(max(info.min, -50), 51, 1001).astype(dtype)
    wide = rng.integers(info.min, info.max, 1001, dtype, endpoint=True)
    for a in (near, wide, near[:0], near[:1], np.concatenate([near, ends]), near.reshape(7, 11, 13)[::2, :, ::3]):
        for b in (near[:9], wide[:9], ends, ends[:2], ends[2:], near[:1], near[:0], near[:30].reshape(5, 6).T):
            x = xp.asarray(a)
            assert np.array_equal(xp.isin(x, xp.asarray(b)).numpy(), np.isin(a, b))
            assert np.array_equal(xp.isin(x, xp.asarray(b), invert=True).numpy(), np.isin(a, b, invert=True))
            for other in ("uint8", "uint16", "uint64") if dtype == "uint64" else ("int8", "uint16", "int64"):
                if (b == b.astype(other)).all() and ((b < 0) == (b.astype(other) < 0)).all():
                    assert np.array_equal(xp.isin(x, xp.asarray(b.astype(other))).numpy(), np.isin(a, b)), other
