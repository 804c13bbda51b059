"""Functions of suanzi.extras are right for extreme numbers, for operands of two types, and for unusual bin edges."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
    extras,
)

INTEGERS = ("uint8", "int16", "int32", "int64", "uint64")
FLOATING = ("float16", "bfloat16", "float32", "float64")


def of(values: Any, dtype: str) -> Tensor:
    return suanzi.tensor(values, dtype=dtype)


# --- edges and elements of two types ---


def counted(x: Tensor, edges: Tensor) -> list[int]:
    """Count elements between edges with Python's exact comparisons."""
    bounds = edges.tolist()
    counts = [0] * (len(bounds) - 1)
    for element in suanzi.flatten(x).tolist():
        for i, (low, high) in enumerate(pairwise(bounds)):
            if low <= element < high or (i + 2 == len(bounds) and element == high):
                counts[i] += 1
    return counts


ODD: dict[str, list[Any]] = {
    "uint8": [0, 1, 2, 3, 254, 255],
    "int16": [-(2**15), -3, -1, 0, 1, 3, 2**15 - 1],
    "int32": [-(2**31), -(2**24) - 1, -1, 0, 1, 2**24 + 1, 2**31 - 1],
    "int64": [-(2**63), -(2**53) - 1, -1, 0, 1, 2**24 + 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 513, 2**63 - 1],
    "uint64": [0, 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63, 2**63 + 1025, 2**64 - 1025, 2**64 - 1],
    "float16": [-math.inf, -65504.0, -0.1, 0.0, 0.1, 0.5, 1.0, 2048.0, 65504.0, math.inf],
    "bfloat16": [-math.inf, -1e38, -0.1, 0.0, 0.1, 1.0, 256.0, 2.0**53, 2.0**63, 1e38, math.inf],
    "float32": [-math.inf, -3e38, -0.1, 1e-45, 0.1, 1.0, 2.0**24, 2.0**53, 2.0**63, 2.0**64, 3e38, math.inf],
    "float64": [-math.inf, -1e300, -1.5, -5e-324, 0.1, 1.0, 2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64, 1e300, math.inf],
}


@pytest.mark.parametrize("edge_type", [*INTEGERS, *FLOATING])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATING])
def test_elements_and_edges_are_compared_exactly(dtype: str, edge_type: str) -> None:
    x, all_edges = of([*ODD[dtype], *ODD[dtype][1:4]], dtype), of(ODD[edge_type], edge_type)
    for step in (1, 2, 3):
        for begin in range(3):
            edges = all_edges[begin::step]
            found = extras.histogram(x, edges)
            assert found.counts.tolist() == counted(x, edges)
            assert found.edges.dtype == edges.dtype
            assert found.edges.tolist() == edges.tolist()


def test_edges_of_one_type_do_not_round_elements_of_another() -> None:
    x = of([2**53, 2**53 + 1, 2**53 + 2], "int64")
    assert extras.histogram(x, of([2.0**53 + 2, 2.0**53 + 4], "float64")).counts.tolist() == [1]
    assert extras.histogram(of([2.0**53], "float64"), of([0, 2**53 + 1], "int64")).counts.tolist() == [1]
    assert extras.histogram(of([0, 5, 2**64 - 1], "uint64"), of([-1, 3, 9], "int64")).counts.tolist() == [1, 1]
    narrow = of([0.1, 0.2], "float32")
    assert extras.histogram(narrow, of([0.1, 0.2], "float64")).counts.tolist() == [1]  # float32's 0.2 is above the edge
    assert extras.histogram(of([True, False], "bool"), 2).counts.tolist() == [1, 1]


@pytest.mark.parametrize("edges", [
    [1.0, 1.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, math.nan, 1.0], [1.0],
])  # fmt: skip
def test_given_bins_without_width(edges: list[float]) -> None:
    for dtype in FLOATING:
        with fails(InvalidArgumentError, "histogram"):
            extras.histogram(of([1.0, 2.0], "float64"), of(edges, dtype))


def test_bins_whose_edges_coincide() -> None:
    for dtype in ("int64", "float64"):
        with fails(InvalidArgumentError, "histogram"):
            extras.histogram(of([2**60, 2**60], dtype))
        with fails(InvalidArgumentError, "histogram"):
            extras.histogram(of([2**53, 2**53 + 2], dtype), 10)
    with fails(InvalidArgumentError, "histogram"):
        extras.histogram(of([1.0, 1.0 + 2**-23], "float32"), 4)
    with fails(InvalidArgumentError, "histogram"):
        extras.histogram(of([1.0], "float64"), 4, (0, 10**400))
    with fails(TypeMismatchError, "histogram"):
        extras.histogram(of([1.0], "float64"), 4, ("0", "1"))  # type: ignore[arg-type]


def test_the_range_of_large_integers_holds_them_all() -> None:
    for x in (of([2**53 + 1, 2**53 + 3, 2**55 + 1], "int64"), of([2**64 - 1, 2**63 + 1], "uint64")):
        assert suanzi.sum(extras.histogram(x, 2).counts).item() == x.size


def test_a_density_divides_what_was_not_rounded() -> None:
    x, weights = of([1.0, 1.0, 3.0], "float16"), of([60000.0] * 3, "float16")
    found = extras.histogram(x, of([0.0, 2.0, 4.0], "float32"), weights=weights, density=True)
    assert found.counts.tolist() == pytest.approx([1 / 3, 1 / 6])
    wide = extras.histogram(of([-1.0, 1.0], "float64"), of([-1.7e308, 0.5e308, 1.7e308], "float64"), density=True)
    assert wide.counts.tolist() == pytest.approx([1 / 2.2e308, 0])
    narrow = extras.histogram(of([2**53], "int64"), of([2**53, 2**53 + 1], "int64"), density=True)
    assert narrow.counts.tolist() == [1]
    for size in (1.7e308, 5e-324):
        x, weights = of([0.0, 1.0], "float64"), of([size, size], "float64")
        assert extras.histogram(x, 2, weights=weights, density=True).counts.tolist() == [1, 1]


# --- activations of integers ---


@pytest.mark.parametrize(("values", "dtype"), [
    ([2**24, 2**24 + 1], "int32"), ([2**24, 2**24 + 1], "int64"), ([2**60, 2**60 + 1], "int64"),
    ([2**64 - 2, 2**64 - 1], "uint64"), ([-(2**63), 1 - 2**63], "int64"),
])  # fmt: skip
def test_softmax_of_large_integers(values: list[int], dtype: str) -> None:
    x = of(values, dtype)
    assert extras.softmax(x).tolist() == [np.float32(1 / (1 + math.e)), np.float32(1 / (1 + 1 / math.e))]
    lower = -math.log1p(math.e)
    assert extras.log_softmax(x).tolist() == [np.float32(lower), np.float32(lower + 1)]
    assert suanzi.fuse(extras.softmax)(x).tolist() == extras.softmax(x).tolist()
    assert extras.softmax(of([-(2**63), 2**63 - 1], "int64")).tolist() == [0, 1]
    assert extras.log_softmax(of([0, 2**64 - 1], "uint64")).tolist() == [-(2.0**64), 0]


@pytest.mark.parametrize("name", ["sigmoid", "silu", "softplus", "erf", "erfc", "gelu"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool"])
def test_activations_of_integers_are_rounded_once(name: str, dtype: str) -> None:
    x = suanzi.astype(suanzi.arange(-60, 60, dtype="int64"), dtype)
    if dtype == "uint8":
        x = suanzi.arange(120, dtype="uint8")
    function = getattr(extras, name)
    wide = function(suanzi.astype(x, "float64")).numpy().astype(np.float32)
    np.testing.assert_array_equal(function(x).numpy(), wide)


def test_silu_where_the_logistic_function_underflows() -> None:
    for dtype, values in (("float32", [-88.5, -95.0, -100.0, -103.0]), ("float64", [-709.0, -735.0, -745.0, -748.0])):
        least = {"float32": 2.0**-149, "float64": 5e-324}[dtype]
        for x, y in zip(values, extras.silu(of(values, dtype)).tolist(), strict=True):
            exact = Fraction(x) * Fraction(math.exp(x / 2)) ** 2  # 1 + exp(x) is 1 to all digits
            assert abs(Fraction(y) - exact) <= max(Fraction(least), abs(exact) / 2**21)
    assert math.copysign(1, extras.silu(of(-math.inf, "float32")).item()) == -1


# --- means, deviations, covariances ---

LARGE: list[tuple[list[Any], str, Any, Any]] = [
    ([1.7e308, 1.7e308], "float64", 1.7e308, 0.0),
    ([1.6e308, -1.6e308, -1.6e308], "float64", -1.6e308 / 3, 1.6e308 * math.sqrt(8 / 9)),
    ([-1e200, 1e200], "float64", 0.0, 1e200),
    ([-1e-200, 1e-200, math.nan], "float64", 0.0, 1e-200),
    ([3e-320, 1e-320], "float64", 2e-320, 1e-320),
    ([1e308 + 1e308j, -1e308 + 1e308j], "complex128", 1e308j, 1e308),
    ([3e38, 3e38, 3e38], "float32", 3e38, 0.0),
    ([60000.0, 60000.0, -60000.0], "float16", 20000.0, 56568.5),
    ([2**60, 2**60 + 2], "int64", 2.0**60, 1.0),
    ([2**60 + 1, -(2**60)], "int64", 0.5, 2.0**60),
    ([2**64 - 1, 2**64 - 3], "uint64", 2.0**64, 1.0),
    ([2**53 + 1, 2**53 + 3] * 3, "int64", 2.0**53, 1.0),
]


@pytest.mark.parametrize(("values", "dtype", "mean", "deviation"), LARGE)
def test_means_and_deviations(values: list[Any], dtype: str, mean: Any, deviation: Any) -> None:
    x = suanzi.stack([of(values, dtype), of(values[::-1], dtype)])
    for function, wanted in ((extras.nanmean, mean), (extras.nanstd, deviation)):
        assert function(x[0]).item() == pytest.approx(wanted, rel=2**-10 if dtype == "float16" else 1e-6, abs=5e-324)
        found = function(x, axis=1)
        np.testing.assert_array_equal(suanzi.fuse(lambda x: function(x, axis=1))(x).numpy(), found.numpy())  # noqa: B023
        kept = function(x, axis=1, keepdims=True)
        assert kept.shape == (2, 1)
        assert kept[:, 0].tolist() == found.tolist()


def test_variances_that_the_type_holds() -> None:
    assert extras.nanvar(of([1.2e154, -1.2e154] * 50, "float64")).item() == pytest.approx(1.44e308)
    assert extras.nanvar(of([2**60, 2**60 + 1], "int64")).item() == 0.25
    assert extras.nanmean(of([math.inf, 1.0], "float64")).item() == math.inf
    assert math.isnan(extras.nanvar(of([math.inf, 1.0], "float64")).item())
    assert extras.nanmean(suanzi.zeros((0, 2), dtype="int64"), axis=0).numpy().tolist() == pytest.approx(
        [math.nan] * 2, nan_ok=True
    )


def test_correlations_of_any_size() -> None:
    rows = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 1.5]])
    for sizes in ([1e200, 1e-200], [1e-300, 1e-300], [1e307, 1e307], [1e-155, 1e300]):
        x = of(rows * np.array(sizes)[:, None], "float64")
        np.testing.assert_allclose(extras.corrcoef(x).numpy(), np.corrcoef(rows), rtol=1e-13)
        np.testing.assert_array_equal(suanzi.fuse(extras.corrcoef)(x).numpy(), extras.corrcoef(x).numpy())
        with np.errstate(all="ignore"):
            wanted = np.cov(rows) * sizes * np.array(sizes)[:, None]
        np.testing.assert_allclose(extras.cov(x).numpy(), wanted, rtol=1e-13)
    assert extras.cov(of([1.2e154, -1.2e154] * 50, "float64")).item() == pytest.approx(1.44e308 * (100 / 99))
    assert extras.cov(of([2**60, 2**60 + 1, 2**60 + 2], "int64")).item() == 1
    assert extras.cov(of([1.0, 2.0, 4.0], "float64"), aweights=of([1e300, 1e300, 2e300], "float64")).item() == (
        pytest.approx(2.7)
    )


def test_variances_of_complex_numbers_are_real() -> None:
    x = of([1e200 + 3e200j, 2e200 - 1e200j, 0.7e200j], "complex128")
    weights = of([1, 3, 2], "uint8")
    assert extras.cov(x, fweights=weights).item() == complex(math.inf, 0)
    assert extras.cov(suanzi.multiply(x, 1e-200), fweights=weights).item().imag == 0


def test_what_is_constant_has_no_correlation() -> None:
    found = extras.corrcoef(of([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]], "float64")).numpy()
    assert np.isnan(found).tolist() == [[True, True], [True, False]]
    assert math.isnan(extras.corrcoef(of([0.1] * 7, "float64")).item())


def test_negative_weights() -> None:
    x = of([1.0, 2.0, 4.0], "float64")
    for options in (
        {"fweights": of([1, -1, 1], "int64")},
        {"fweights": of([1, -128, 1], "int8")},
        {"aweights": of([1.0, -0.5, 1.0], "float64")},
        {"aweights": of([1.0, -math.inf, 1.0], "float16")},
    ):
        with fails(InvalidArgumentError, "cov"):
            extras.cov(x, **options)  # type: ignore[arg-type]
        with fails(InvalidArgumentError, "cov"):
            suanzi.fuse(lambda x, w: extras.cov(x, **{next(iter(options)): w}))(x, *options.values())  # noqa: B023
    with fails(DimensionsMismatchError, "cov"):
        extras.cov(x, fweights=of([1, 1], "int64"))


# --- differences and shares ---


def test_differences_of_differences_are_rounded_once() -> None:
    assert extras.diff(of([60000.0, -20000.0, -65000.0], "float16"), 2).item() == 35008
    assert extras.diff(of([3e38, -1e38, -3.3e38], "float32"), 2).item() == np.float32(1.7e38)
    assert extras.diff(of([1.7e308, -1e308, -1.7e308], "float64"), 2).item() == math.inf
    assert extras.diff(of([1.5e308, -0.5e308, -1.7e308], "float64"), 2).item() == pytest.approx(0.8e308)
    assert extras.diff(of([1.0, 2.0**-12, 1.0], "float16"), 2).item() == np.float16(2 - 2**-11)
    assert extras.diff(of([200, 3, 100], "uint8"), 2).item() == (100 - 6 + 200) % 256


def test_shares_are_numbers() -> None:
    x = of([1.0, 2.0], "float64")
    for q in ("0.5", ["0.1"], None, [None], 1j):
        with fails(TypeMismatchError, "quantile"):
            extras.quantile(x, q)  # type: ignore[arg-type]
    for number in (10**400, math.nan, 1.5):
        with fails(OutOfRangeError, "quantile"):
            extras.quantile(x, number)
    assert extras.quantile(x, of([0.25], "bfloat16")).tolist() == [1.25]


# --- cases that the differential run found ---


@pytest.mark.parametrize("dtype", FLOATING)
def test_log_softmax_near_0_and_1(dtype: str) -> None:
    far = {"float16": 12.0, "bfloat16": 40.0, "float32": 60.0, "float64": 600.0}[dtype]
    found = extras.log_softmax(of([0.0, -far, -far], dtype)).tolist()
    assert found[0] == pytest.approx(-2 * math.exp(-far), rel=2**-7 if "16" in dtype else 1e-6)
    assert found[1] == -far
    same = extras.log_softmax(of([3.0, 3.0], dtype)).tolist()
    assert same == pytest.approx([-math.log(2)] * 2, rel=2**-7 if "16" in dtype else 1e-7)
    assert extras.log_softmax(of([0, 63], "int8")).tolist()[1] == pytest.approx(-math.exp(-63))


def test_relu_of_bool() -> None:
    assert extras.relu(of([True, False], "bool")).dtype is suanzi.bool
    assert extras.relu(of([True, False], "bool")).tolist() == [True, False]


@pytest.mark.parametrize("name", [
    "nansum", "nanprod", "nanmax", "nanmin", "nanargmax", "nanargmin", "nanmean", "nanvar", "nanstd",
])  # fmt: skip
def test_errors_name_the_function_that_was_called(name: str) -> None:
    function = getattr(extras, name)
    for dtype in ("float32", "int64"):
        with fails(OutOfRangeError, name):
            function(suanzi.ones((2, 3), dtype=dtype), axis=2)
        with fails(TypeMismatchError, name):
            function(suanzi.ones((2, 3), dtype=dtype), keepdims=1)
        if name in ("nansum", "nanprod"):
            with fails(TypeMismatchError, name):
                function(suanzi.ones(2, dtype=dtype), dtype="string")
        elif name not in ("nanmean", "nanvar", "nanstd"):
            with fails(InvalidArgumentError, name):
                function(suanzi.ones((2, 0), dtype=dtype), axis=1)


def test_variances_of_complex_infinities() -> None:
    x = of([complex(math.inf, 1.0), complex(0.0, math.inf), 1j], "complex64")
    assert math.isnan(extras.nanvar(x).item())
    assert math.isnan(extras.nanstd(suanzi.astype(x, "complex128")).item())
