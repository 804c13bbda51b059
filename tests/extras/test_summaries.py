"""Quantiles, histograms, covariances, joins, and reductions that skip NaN return nearly the same values as NumPy.

NumPy computes the expected values in float64.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import fails
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
    extras,
)
from suanzi.extras.quantiles import METHODS

pytestmark = pytest.mark.one_level

NAN = math.nan
MATRIX = np.array([[1, NAN, 3, 4], [NAN, NAN, NAN, NAN], [-np.inf, 2, np.inf, NAN]])
ARRAYS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=5),
    elements=st.floats(-100, 100, width=16) | st.just(NAN),
)


def axes_of(rank: int) -> Any:
    some = st.lists(st.integers(0, rank - 1), unique=True, min_size=1).map(tuple) if rank else st.just(None)
    return st.none() | some


def by_numpy(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function of NumPy with warnings switched off, and return the result."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*args, **options)


def assert_close(found: Any, expected: Any, rtol: float = 1e-13) -> None:
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.numpy(), expected, rtol=rtol, atol=1e-13, equal_nan=True)


NAN_REDUCTIONS = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"]


@pytest.mark.parametrize("name", [*NAN_REDUCTIONS, "median"])
@given(a=ARRAYS, data=st.data())
def test_reductions(name: str, a: Any, data: Any) -> None:
    axis, keepdims = data.draw(axes_of(a.ndim)), data.draw(st.booleans())
    found = getattr(extras, name)(suanzi.tensor(a), axis, keepdims)
    assert_close(found, by_numpy(getattr(np, name), a, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", NAN_REDUCTIONS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex64"])
def test_types(name: str, dtype: str) -> None:
    a = np.array([[1, 0, 1], [1, 1, 0]]).astype(suanzi.as_dtype(dtype).numpy)
    if dtype == "complex64" and name in ("nanmax", "nanmin", "nanmedian"):
        with fails(TypeMismatchError, name):
            getattr(extras, name)(suanzi.tensor(a))
        return
    plain = {"nanmedian": "mean"}.get(name, name.removeprefix("nan"))
    found = getattr(extras, name)(suanzi.tensor(a), 1)
    expected = getattr(suanzi, plain)(suanzi.tensor(a), 1)
    if name == "nanmedian":
        expected = suanzi.astype(suanzi.tensor([1.0, 1.0]), expected.dtype)
    assert found.dtype is expected.dtype
    assert suanzi.allclose(found, expected) if "float" in dtype or "complex" in dtype else True
    with fails(TypeMismatchError, name):
        getattr(extras, name)(suanzi.tensor(["a"]))


def test_complex_means() -> None:
    a = np.array([1 + 2j, complex(NAN, 1), 3 - 1j])
    for name in ("nansum", "nanmean", "nanvar", "nanstd", "nanprod"):
        assert_close(getattr(extras, name)(suanzi.tensor(a)), getattr(np, name)(a))


def test_corrections() -> None:
    x = suanzi.tensor(MATRIX[0])
    for name in ("nanvar", "nanstd"):
        assert_close(getattr(extras, name)(x, correction=1), getattr(np, name)(MATRIX[0], ddof=1))
        assert math.isnan(getattr(extras, name)(x, correction=3).item())


def test_float32_is_computed_in_float64() -> None:
    a = (np.random.default_rng(1).normal(1e4, 1, 10_000)).astype(np.float32)
    a[::7] = NAN
    for name in ("nanmean", "nanvar", "nanstd"):
        assert getattr(extras, name)(suanzi.tensor(a)).item() == np.float32(getattr(np, name)(a.astype(np.float64)))


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
@given(a=ARRAYS.filter(lambda a: a.ndim > 0), data=st.data())
def test_places(name: str, a: Any, data: Any) -> None:
    axis = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1))
    x = suanzi.tensor(a)
    if np.isnan(a).all(axis=axis).any():
        with fails(InvalidArgumentError, name):
            getattr(extras, name)(x, axis)
        return
    found = getattr(extras, name)(x, axis)
    assert found.dtype is suanzi.int64
    assert found.tolist() == getattr(np, name)(a, axis=axis).tolist()


def test_places_of_infinities() -> None:
    assert extras.nanargmax(suanzi.tensor([NAN, -np.inf])).item() == 1
    assert extras.nanargmin(suanzi.tensor([NAN, np.inf, 3.0, NAN])).item() == 2
    assert extras.nanargmax(suanzi.tensor([3, 5, 5], dtype="uint8")).item() == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@given(a=ARRAYS, q=st.floats(0, 1) | st.lists(st.floats(0, 1), max_size=3), data=st.data())
def test_quantiles(name: str, method: str, a: Any, q: Any, data: Any) -> None:
    axis, keepdims = data.draw(axes_of(a.ndim)), data.draw(st.booleans())
    if method == "nearest":  # NumPy rounds positions midway between elements differently
        q = 0.3
    found = getattr(extras, name)(suanzi.tensor(a), q, axis, keepdims, method=method)
    expected = by_numpy(getattr(np, name), a, q, axis=axis, keepdims=keepdims, method=method)
    assert_close(found, expected, rtol=1e-11)


def test_quantiles_at_the_edges() -> None:
    x = suanzi.tensor([np.inf, -np.inf, 1.0, 2.0])
    assert extras.quantile(x, [0.0, 0.5, 1.0]).tolist() == [-np.inf, 1.5, np.inf]
    assert extras.median(suanzi.tensor([3e38, 3.2e38])).item() == np.float32(3.1e38)
    assert extras.median(suanzi.tensor([-1.7e308, 1.7e308], dtype="float64")).item() == 0
    assert math.isnan(extras.median(suanzi.zeros(0)).item())  # type: ignore[arg-type]
    assert extras.quantile(suanzi.zeros((3, 0)), [0.5, 1.0], 1).shape == (2, 3)
    assert extras.quantile(suanzi.zeros((0, 3)), 0.5, 1).shape == (0,)
    assert extras.median(suanzi.tensor([1, 2], dtype="int32")).dtype is suanzi.float32
    assert extras.quantile(suanzi.arange(5), suanzi.tensor([[0.5]])).tolist() == [[2.0]]
    # The exact position is an element, so that an infinite neighbour has no part in the quantile.
    assert extras.quantile(suanzi.tensor([-np.inf, -np.inf, 0, 1, 2]), 0.5, method="median_unbiased").item() == 0
    assert extras.quantile(suanzi.tensor([*range(7), np.inf]), 0.8, method="median_unbiased").item() == 6
    for q in (-0.1, 1.1, NAN, [0.5, 2]):
        with fails(OutOfRangeError, "quantile"):
            extras.quantile(x, q)
    with fails(TypeMismatchError, "quantile"):
        extras.quantile(x, "half")  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [RuntimeError, BufferError])
def test_shares_that_give_no_memory(error: type[Exception]) -> None:
    class Withheld:
        """An object like PyTorch's tensors with a gradient, which raise an error in ``__array__``."""

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise error("call detach() first")

        def __repr__(self) -> str:
            return "withheld"

    x, gone, q = suanzi.arange(4), suanzi.ones(()), Withheld()
    for shares in (q, [q]):
        with pytest.raises(InvalidArgumentError, match=r"^quantile: .* q \[?withheld\]? cannot be read: call detach"):
            extras.quantile(x, shares)  # type: ignore[arg-type]
    with fails(AllocFailedError, "quantile"):
        extras.quantile(x, range(2**62))
    suanzi.destroy(gone)
    with pytest.raises(UninitializedObjectError):
        extras.quantile(x, gone)
    with fails(InvalidArgumentError, "nanquantile"):
        extras.nanquantile(x, 0.5, method="nonsense")
    with fails(OutOfRangeError, "median"):
        extras.median(x, 1)


@given(st.lists(st.integers(0, 20), max_size=20), st.integers(0, 30), st.booleans())
def test_bincount(values: list[int], minlength: int, weighted: bool) -> None:
    a = np.array(values, np.int64)
    weights = np.linspace(0, 1, a.size) if weighted else None
    given_weights = None if weights is None else suanzi.tensor(weights)
    found = extras.bincount(suanzi.tensor(a), given_weights, minlength)
    assert_close(found, np.bincount(a, weights, minlength))
    assert found.dtype is (suanzi.float64 if weighted else suanzi.int64)


def test_bincount_refuses() -> None:
    for x, options, error in (
        (suanzi.ones(3), {}, TypeMismatchError),
        (suanzi.ones((2, 2), dtype="int8"), {}, DimensionsMismatchError),
        (suanzi.tensor([-1], dtype="int8"), {}, OutOfRangeError),
        (suanzi.tensor([1], dtype="int8"), {"minlength": -1}, OutOfRangeError),
        (suanzi.tensor([1], dtype="int8"), {"weights": suanzi.ones(2)}, DimensionsMismatchError),
        (suanzi.tensor([1], dtype="int8"), {"weights": suanzi.tensor([1j])}, TypeMismatchError),
    ):
        with fails(error, "bincount"):
            extras.bincount(x, **options)  # type: ignore[arg-type]


@given(
    hnp.arrays(np.float64, hnp.array_shapes(max_dims=2, min_side=0, max_side=20), elements=st.integers(-50, 50)),
    st.integers(1, 12),
    st.none() | st.tuples(st.integers(-60, 0), st.integers(0, 60)),
    st.booleans(),
    st.booleans(),
)
def test_histogram(a: Any, bins: int, within: Any, weighted: bool, density: bool) -> None:
    weights = np.arange(a.size, dtype=np.float64).reshape(a.shape) if weighted else None
    counts, edges = by_numpy(np.histogram, a, bins, within, density=density, weights=weights)
    given_weights = None if weights is None else suanzi.tensor(weights)
    found = extras.histogram(suanzi.tensor(a), bins, within, weights=given_weights, density=density)
    assert_close(found.edges, edges)
    assert_close(found.counts, counts)
    again = extras.histogram(suanzi.tensor(a), found.edges, weights=given_weights, density=density)
    assert again.counts.tolist() == pytest.approx(found.counts.tolist(), nan_ok=True)


def test_histogram_at_the_edges() -> None:
    x = suanzi.tensor([0.0, 1.0, NAN, 2.0, np.inf])
    assert extras.histogram(x, 2, (0, 2)).counts.tolist() == [1, 2]
    assert extras.histogram(suanzi.zeros(3), 2).edges.tolist() == [-0.5, 0.0, 0.5]
    assert extras.histogram(suanzi.tensor([1, 2, 3], dtype="int8"), 3).counts.tolist() == [1, 1, 1]
    assert extras.histogram(suanzi.ones(2, dtype="float16"), 1).edges.dtype is suanzi.float32
    for options, error in (
        ({}, InvalidArgumentError),
        ({"bins": 0, "range": (0, 1)}, InvalidArgumentError),
        ({"range": (1, 0)}, InvalidArgumentError),
        ({"range": 3}, TypeMismatchError),
        ({"range": (0, 1), "weights": suanzi.ones(2)}, DimensionsMismatchError),
        ({"bins": suanzi.tensor([0.0, 2.0, 1.0])}, InvalidArgumentError),
        ({"bins": suanzi.tensor([[0.0, 1.0]])}, DimensionsMismatchError),
        ({"bins": "auto"}, TypeMismatchError),
    ):
        with fails(error, "histogram"):
            extras.histogram(x, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("is_complex", [False, True])
@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(2, 8)), elements=st.floats(-10, 10, width=16)),
    st.integers(0, 1),
)
def test_covariances(is_complex: bool, a: Any, correction: int) -> None:
    if is_complex:
        a = a + 1j * a[:, ::-1]
    x, rng = suanzi.tensor(a), np.random.default_rng(2)
    times, weights = rng.integers(1, 4, a.shape[1]), rng.uniform(0.5, 2, a.shape[1])
    assert_close(extras.cov(x, correction=correction), np.atleast_2d(np.cov(a, ddof=correction)))
    found = extras.cov(x, fweights=suanzi.tensor(times), aweights=suanzi.tensor(weights))
    assert_close(found, np.atleast_2d(np.cov(a, fweights=times, aweights=weights)))
    found = extras.corrcoef(x).numpy()
    expected = np.atleast_2d(by_numpy(np.corrcoef, a))
    assert (np.isnan(found) | (np.abs(found) <= 1 + 1e-12)).all()
    varied = np.var(a, axis=1) > 1e-9
    np.testing.assert_allclose(found[varied][:, varied], expected[varied][:, varied], atol=1e-9)


def test_covariances_at_the_edges() -> None:
    assert extras.cov(suanzi.tensor([1.0, 2.0, 4.0])).item() == np.float32(np.cov([1.0, 2, 4]))
    assert extras.corrcoef(suanzi.tensor([1.0, 2.0])).item() == 1
    assert math.isnan(extras.cov(suanzi.tensor([1.0])).item())  # type: ignore[arg-type]
    x = suanzi.ones((2, 3))
    for options, error in (
        ({"fweights": suanzi.ones(3)}, TypeMismatchError),
        ({"aweights": suanzi.ones(2)}, DimensionsMismatchError),
    ):
        with fails(error, "cov"):
            extras.cov(x, **options)  # type: ignore[arg-type]
    with fails(DimensionsMismatchError, "corrcoef"):
        extras.corrcoef(suanzi.ones((2, 2, 2)))


@given(st.floats(1e-3, 1e3), st.integers(1, 4), st.integers(0, 2))
def test_weights_add_no_observations(weight: float, count: int, unused: int) -> None:
    x = suanzi.arange(count + unused, dtype="float64")
    weights = suanzi.tensor([weight] * count + [0.0] * unused, dtype="float64")
    for options in ({}, {"fweights": suanzi.ones(count + unused, dtype="int64")}):
        assert math.isnan(extras.cov(x, correction=count, aweights=weights, **options).item())
        expected = np.var(np.arange(count)) * count / 0.5
        np.testing.assert_allclose(extras.cov(x, correction=count - 0.5, aweights=weights, **options).item(), expected)


SMALL = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)


@given(SMALL, SMALL)
def test_kron(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    a, b = (np.arange(math.prod(shape), dtype=np.int16).reshape(shape) + 1 for shape in (first, second))
    found = extras.kron(suanzi.tensor(a), suanzi.tensor(b))
    assert (found.shape, found.tolist()) == (np.kron(a, b).shape, np.kron(a, b).tolist())


@given(hnp.array_shapes(max_dims=3, max_side=5), st.integers(0, 6), st.data())
def test_diff(shape: tuple[int, ...], n: int, data: Any) -> None:
    a = np.random.default_rng(1).integers(-9, 9, shape)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    found = extras.diff(suanzi.tensor(a), n, axis)
    assert (found.shape, found.tolist()) == (np.diff(a, n, axis).shape, np.diff(a, n, axis).tolist())
    found = extras.diff(suanzi.tensor(a), n, axis, prepend=3, append=suanzi.tensor(a))
    parts = [np.full_like(a.take([0], axis), 3), a, a]
    assert found.tolist() == np.diff(np.concatenate(parts, axis), n, axis).tolist()


def test_diff_at_the_edges() -> None:
    assert extras.diff(suanzi.tensor([True, False, False])).tolist() == [True, False]
    mask = suanzi.tensor([True, False])
    assert extras.diff(mask, prepend=False, append=np.True_).tolist() == [True, True, True]
    for number in (0, 1, 5, 0.5, np.int64(1)):
        with fails(TypeMismatchError, "diff"):
            extras.diff(mask, prepend=True, append=number)
    real, whole = suanzi.ones(3), suanzi.ones(3, dtype="int16")
    assert extras.diff(real, prepend=np.float64(0.5), append=np.int64(3)).dtype is suanzi.float32
    assert extras.diff(whole, prepend=np.int64(3)).dtype is suanzi.int16
    with fails(OutOfRangeError, "diff"):
        extras.diff(whole, append=np.int64(2**15))
    for x, end in ((real, np.complex64(1j)), (real, 1j), (whole, np.float32(0.5))):
        with fails(TypeMismatchError, "diff"):
            extras.diff(x, prepend=end)
    with fails(InvalidArgumentError, "diff"):
        extras.diff(suanzi.ones(3), -1)
    with fails(OutOfRangeError, "diff"):
        extras.diff(suanzi.tensor(1.0))
    with fails(TypeMismatchError, "diff"):
        extras.diff(suanzi.tensor(["a", "b"]))


@pytest.mark.parametrize("name", ["hstack", "vstack"])
def test_stacks(name: str) -> None:
    function, expected = getattr(extras, name), getattr(np, name)
    for shapes in ([()], [(), ()], [(2,), (2,)], [(2, 3), (2, 3)], [(2, 3, 1), (2, 3, 1)], [(0,), (0,)]):
        arrays = [np.arange(math.prod(shape)).reshape(shape) for shape in shapes]
        found = function([suanzi.tensor(a) for a in arrays])
        assert (found.shape, found.tolist()) == (expected(arrays).shape, expected(arrays).tolist())
    mixed = function((suanzi.ones(2, dtype="int8"), suanzi.ones(2)))
    assert mixed.dtype is suanzi.float32
    with fails(InvalidArgumentError, name):
        function([])
    with fails(DimensionsMismatchError, name):
        function([suanzi.ones((2, 3)), suanzi.ones((4, 5))])
    for wrong in (suanzi.ones(3), 3, [1.0], [np.ones(2)]):
        with fails(TypeMismatchError, name):
            function(wrong)


def test_extras_come_at_their_first_use() -> None:
    assert suanzi.extras is extras
    assert set(extras.__all__) <= set(dir(extras))
    assert not set(extras.__all__) & set(suanzi.__all__)


WHOLE = [
    np.array([2**40, 2**40 + 1, 2**40 + 2]),
    np.array([-(2**31), 2**31 - 1], "i4"),
    np.array([-1, 2**31 - 1, -(2**31), -5], "i4"),
    np.array([[16777216, 16777218, 16777217], [1, 3, 2]], "i4"),
]


@pytest.mark.parametrize("x", WHOLE)
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "quantile", "median", "nanmedian", "cov", "corrcoef"])
def test_integers_are_not_rounded_first(name: str, x: Any) -> None:
    """Functions of integers compute with exact operands, and round only the result to float32."""
    options = {"q": 0.5} if name == "quantile" else {}
    expected = getattr(np, name)(x.astype("f8"), **options)
    found = getattr(extras, name)(suanzi.tensor(x), **options)
    assert found.dtype is suanzi.float32
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-7)


@pytest.mark.parametrize("row", [[1.0, np.inf, -np.inf, 3.0], [np.inf, np.inf, 1.0], [np.inf], [NAN, -np.inf, 2.0]])
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_infinities_are_not_missing(name: str, row: list[float]) -> None:
    assert math.isnan(by_numpy(getattr(np, name), row))
    assert math.isnan(getattr(extras, name)(suanzi.tensor(row)).item())


@pytest.mark.parametrize("correction", [None, [1], "x", 1j, suanzi.ones(3)])
@pytest.mark.parametrize("name", ["nanvar", "nanstd", "cov"])
def test_a_correction_is_a_real_number(name: str, correction: Any) -> None:
    with fails(TypeMismatchError, name, "correction"):
        getattr(extras, name)(suanzi.ones((2, 3)), correction=correction)
    assert getattr(extras, name)(suanzi.ones((2, 3)), correction=np.float32(1)).dtype == suanzi.float32


@pytest.mark.parametrize("q", [0.5 + 3j, np.array([0.5 + 0j]), suanzi.tensor([0.5 + 3j])])
def test_complex_shares_are_no_quantiles(q: Any) -> None:
    with fails(TypeMismatchError, "quantile", "q"):
        extras.quantile(suanzi.ones(3), q)
