"""NumPy's functions that combine several of Suanzi's functions have exact values, and right types and errors."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

pytestmark = pytest.mark.one_level


def test_cube_roots() -> None:
    """`cbrt` is within about an ulp in float64, also for denormals, and correctly rounded in float32."""
    values = [5e-324, 1e-310, 2.0**-1000, 1e-5, 0.1, 2.0, 27.0, 1e300, 1.7e308]
    with mpmath.workdps(40):
        expected = np.array([float(mpmath.cbrt(mpmath.mpf(v))) for v in values])
    found = np.cbrt(suanzi.tensor(values, dtype="float64")).numpy()
    np.testing.assert_allclose(found, expected, rtol=4.5e-16)
    short = np.arange(-50, 50, dtype=np.float32) / 3
    np.testing.assert_array_equal(
        np.cbrt(suanzi.tensor(short)).numpy(), np.cbrt(short.astype(np.float64)).astype(np.float32)
    )
    signed = np.cbrt(suanzi.tensor([-0.0, -math.inf, -8.0])).tolist()
    assert signed == [0, -math.inf, -2]
    assert math.copysign(1, signed[0]) == -1


def test_halves_are_not_computed_in_halves() -> None:
    x = suanzi.full(4096, 10.0, dtype="float16")
    assert np.trapezoid(x).item() == 40960
    assert np.inner(x, suanzi.full(4096, 0.25, dtype="float16")).item() == 10240
    assert np.convolve(x, suanzi.ones(2049, dtype="float16"), "valid")[0].item() == 20496  # float16 sums are 20490
    slopes = np.gradient(suanzi.tensor([60000.0, 0.0, -60000.0], dtype="float16"), 2.0)
    assert slopes.tolist() == [-30000] * 3
    assert np.deg2rad(suanzi.tensor([180.0], dtype="bfloat16")).dtype is suanzi.bfloat16


def test_trapezoids_of_extreme_heights() -> None:
    """Sums of neighbours neither lose the digits of the smallest numbers nor overflow."""
    least, greatest = 5e-324, np.finfo("float64").max
    assert np.trapezoid(suanzi.tensor([least, least], dtype="float64")).item() == least
    assert np.trapezoid(suanzi.tensor([greatest, greatest], dtype="float64")).item() == greatest
    mixed = suanzi.tensor([[least, least], [greatest, greatest], [math.inf, 1.0]], dtype="float64")
    assert np.trapezoid(mixed).tolist() == [least, greatest, math.inf]
    assert np.trapezoid(suanzi.tensor([greatest + 2j, greatest + 4j], dtype="complex128")).item() == greatest + 3j


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_products_beyond_the_ends_add_nothing(mode: str) -> None:
    """NaN and infinity of either vector are only in the sums that contain them."""
    long = np.array([1.0, 2.0, -3.0, 4.0, math.inf, 6.0])
    for short in ([1.0, math.nan], [math.inf, 2.0, -1.0], [0.0, 1.0, -math.inf, 3.0]):
        for a, b in ((long, np.array(short)), (np.array(short), long), (long + 0j, np.array(short, complex))):
            for function in (np.convolve, np.correlate):
                found = function(suanzi.tensor(a), suanzi.tensor(b), mode)
                with np.errstate(invalid="ignore"):
                    expected = function(a, b, mode)
                np.testing.assert_array_equal(np.isfinite(found.numpy()), np.isfinite(expected))
                np.testing.assert_array_equal(found.numpy()[np.isfinite(expected)], expected[np.isfinite(expected)])
    products = np.polymul(suanzi.tensor([1.0, math.nan], dtype="float64"), [1, 2, 3])
    np.testing.assert_array_equal(products.numpy(), [1, math.nan, math.nan, math.nan])


def test_parts_of_numbers() -> None:
    values = [0.0, -0.0, 5e-324, -1e-310, 1.0, -3.75, 1e308, math.inf, -math.inf, math.nan]
    x = suanzi.tensor(values, dtype="float64")
    digits, exponents = np.frexp(x)
    expected = np.frexp(np.array(values))
    np.testing.assert_array_equal(digits.numpy(), expected[0])
    finite = np.isfinite(values)
    np.testing.assert_array_equal(exponents.numpy()[finite], expected[1][finite])
    assert exponents.dtype is suanzi.int32
    np.testing.assert_array_equal(np.ldexp(digits, exponents).numpy(), values)
    shifts = suanzi.tensor([-1074, -1075, 1023, 2**40, -(2**40)], dtype="int64")
    found = np.ldexp(suanzi.tensor([1.0, 1.5, 1.0, 1.0, 1.0], dtype="float64"), shifts)
    assert found.tolist() == [5e-324, 5e-324, 2.0**1023, math.inf, 0]
    fraction, whole = np.modf(x)
    np.testing.assert_array_equal(np.signbit(fraction.numpy()), np.signbit(np.modf(np.array(values))[0]))
    np.testing.assert_array_equal(whole.numpy(), np.modf(np.array(values))[1])


def test_divisors_of_all_integers() -> None:
    draw = np.random.default_rng(3)
    for name in ("int8", "uint8", "int64", "uint64"):
        limits = np.iinfo(name)
        a, b = (draw.integers(limits.min, limits.max, 200, name, endpoint=True) for _ in range(2))
        a[:3], b[:3] = (limits.min, limits.max, 0), (limits.min, 0, 0)
        np.testing.assert_array_equal(np.gcd(suanzi.tensor(a), suanzi.tensor(b)).numpy(), np.gcd(a, b))
        np.testing.assert_array_equal(np.lcm(suanzi.tensor(a), suanzi.tensor(b)).numpy(), np.lcm(a, b))
    assert np.gcd(suanzi.tensor([12, 18], dtype="int32"), 8).dtype is suanzi.int32
    assert np.gcd.reduce(suanzi.tensor([12, 18, 27], dtype="int64")).item() == 3


def test_counted_bits() -> None:
    values = [0, 1, -1, 127, -128]
    assert np.bitwise_count(suanzi.tensor(values, dtype="int8")).tolist() == [0, 1, 1, 7, 1]
    assert np.bitwise_count(suanzi.tensor([2**64 - 1], dtype="uint64")).tolist() == [64]


def test_fitted_polynomials_are_exact() -> None:
    """`polyfit` of float32 points on a polynomial returns the polynomial's coefficients to ten digits."""
    x = [Fraction(i, 2) for i in range(8)]
    y = [3 * v**3 - v / 4 + 7 for v in x]
    points = [suanzi.tensor([float(v) for v in part], dtype="float32") for part in (x, y)]
    np.testing.assert_allclose(np.polyfit(*points, 3).numpy(), [3, 0, -0.25, 7], atol=1e-10)
    found, residuals, rank, singular, rcond = np.polyfit(*points, 3, full=True)
    assert found.shape == (4,)
    assert (residuals.shape, rank, singular.shape) == ((1,), 4, (4,))
    assert rcond == pytest.approx(8 * np.finfo(np.float32).eps)
    with pytest.warns(Warning, match=r"numpy\.polyfit: the points do not determine all coefficients"):
        np.polyfit(points[0][:2], points[1][:2], 3)
    values = np.polyval(suanzi.tensor([1, 0, -1], dtype="int64"), suanzi.tensor([2**31], dtype="int64"))
    assert values.tolist() == [2**62 - 1]


def test_running_extremes() -> None:
    prices = suanzi.tensor([3.0, 5.0, 4.0, math.nan, 6.0])
    np.testing.assert_array_equal(np.maximum.accumulate(prices).numpy(), [3, 5, 5, math.nan, math.nan])
    np.testing.assert_array_equal(np.fmax.accumulate(prices).numpy(), [3, 5, 5, 5, 6])
    out = suanzi.zeros(5)
    assert np.minimum.accumulate(prices, out=out) is out
    assert out[2].item() == 3
    assert np.bitwise_and.reduce(suanzi.zeros(0, dtype="uint8")).item() == 255


def test_positions_are_checked() -> None:
    x = suanzi.arange(5)
    for call, status, name in (
        (lambda: np.delete(x, 9), OutOfRangeError, "numpy.delete"),
        (lambda: np.insert(x, 9, 1.0), OutOfRangeError, "numpy.insert"),
        (lambda: np.insert(suanzi.arange(3, dtype="int64"), 0, 1.5), TypeMismatchError, "numpy.insert"),
        (lambda: np.compress([False] * 6 + [True], x), OutOfRangeError, "numpy.compress"),
        (lambda: np.choose(suanzi.tensor([2], dtype="int64"), [x[:1], x[:1]]), InvalidArgumentError, "numpy.choose"),
        (lambda: np.select([x], [x]), TypeMismatchError, "numpy.select"),
        (lambda: np.convolve(x, x[:0]), InvalidArgumentError, "numpy.convolve"),
        (lambda: np.convolve(suanzi.ones((2, 2)), x), DimensionsMismatchError, "numpy.convolve"),
        (lambda: np.gradient(x[:1]), InvalidArgumentError, "numpy.gradient"),
        (lambda: np.gradient(x, x[:2]), DimensionsMismatchError, "numpy.gradient"),
        (lambda: np.inner(x, x[:2]), DimensionsMismatchError, "numpy.inner"),
        (lambda: np.polyfit(x, x[:2], 1), DimensionsMismatchError, "numpy.polyfit"),
        (lambda: np.geomspace(x, 5.0), InvalidArgumentError, "numpy.geomspace"),
        (lambda: np.gcd(x, 2), TypeMismatchError, "numpy.gcd"),
        (lambda: np.ldexp(suanzi.ones((2, 3)), suanzi.ones(5, dtype="int32")), DimensionsMismatchError, "numpy.ldexp"),
        (lambda: np.cbrt(suanzi.tensor([1j])), TypeMismatchError, "numpy.cbrt"),
        (lambda: np.unwrap(suanzi.tensor(["a"])), TypeMismatchError, "numpy.unwrap"),
        (lambda: np.unpackbits(x), TypeMismatchError, "numpy.unpackbits"),
    ):
        with fails(status, name):
            call()


def test_functions_that_write() -> None:
    x = suanzi.zeros((3, 3), dtype="bfloat16")
    np.fill_diagonal(x, 2)
    np.put(x, [1], 5)
    np.place(x, suanzi.tensor(x == 0), [7])
    np.putmask(x, x > 6, 8)
    assert x.tolist() == [[2, 5, 8], [8, 2, 8], [8, 8, 2]]
    with fails(OutOfRangeError, "numpy.put"):
        np.put(x, [99], 1)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with fails(InvalidArgumentError, "numpy.put"):
        np.put(suanzi.from_reference(frozen), [0], 1)
    with fails(TypeMismatchError, "numpy.copyto"):  # an array of strings shares no memory with the tensor
        np.copyto(suanzi.tensor(["a"]), suanzi.tensor(["b"]))


class Writing:
    """Values that write into a tensor of positions when NumPy reads the values, as another thread may."""

    def __init__(self, positions: Any, later: Any) -> None:
        self.positions, self.later = positions, later

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.positions[:] = self.later
        return np.array([7.0], dtype)


@pytest.mark.parametrize("by_name", [False, True])
def test_numpy_reads_copies_of_positions(by_name: bool) -> None:
    numbers, masks = ([0], [2]), ([True, False, False], [False, False, True])
    for function, name, (first, later), others in (
        (np.put_along_axis, "indices", numbers, {"axis": 0}),
        (np.put, "ind", numbers, {}),
        (np.putmask, "mask", masks, {}),
    ):
        x, positions = suanzi.zeros(3), suanzi.array_api.asarray(first)
        values: Any = Writing(positions, later)
        if by_name:
            function(x, **{name: positions, "v" if name == "ind" else "values": values}, **others)
        else:
            function(x, positions, values, **others)
        assert positions.tolist() == later
        assert x.tolist() == [7, 0, 0]


@pytest.mark.parametrize(
    ("inner", "given"), [("delete", [0, 2]), ("insert", [0, 2]), ("flatnonzero", [True, False, True, False])]
)
def test_numpy_gets_no_memory_of_positions(inner: str, given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    outer, function, read = np.delete if inner == "delete" else np.insert, getattr(np, inner), []

    def recorded(*args: Any) -> Any:
        read.extend(part for part in args if isinstance(part, np.ndarray))
        return function(*args)

    monkeypatch.setattr(np, inner, recorded)
    x, positions = suanzi.arange(4), suanzi.array_api.asarray(given)
    found = outer(x, positions) if inner == "delete" else outer(x, positions, 9)
    assert found.tolist() == ([1, 3] if inner == "delete" else [9, 0, 1, 9, 2, 3])
    assert read
    assert not any(np.shares_memory(part, positions.numpy()) for part in read)


def test_histograms_of_several_axes() -> None:
    draw = np.random.default_rng(5)
    a = draw.normal(size=(200, 2)).astype(np.float32)
    for options in ({"bins": 4}, {"bins": [3, 5], "range": [(-1, 1), (-2, 2)]}, {"bins": 3, "density": True}):
        found = np.histogramdd(suanzi.tensor(a), **options)
        expected = np.histogramdd(a, **options)
        np.testing.assert_allclose(found[0].numpy(), expected[0], rtol=1e-5)
        for mine, edges in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(mine.numpy(), edges, atol=1e-6)
    weights = draw.random(200)
    columns = [suanzi.tensor(part) for part in a.T]
    np.testing.assert_allclose(
        np.histogram2d(*columns, weights=suanzi.tensor(weights))[0].numpy(),
        np.histogram2d(*a.T, weights=weights)[0],
        rtol=1e-12,
    )
    for rule in ("auto", "fd", "sturges"):
        counts, edges = np.histogram(columns[0], bins=rule)
        expected_counts, expected_edges = np.histogram(a.T[0], bins=rule)
        assert counts.tolist() == expected_counts.tolist()
        np.testing.assert_allclose(edges.numpy(), expected_edges, atol=1e-6)


@pytest.mark.filterwarnings("ignore:The number of bins estimated")
@pytest.mark.parametrize("rule", ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_edges_by_a_rule_have_the_type_of_numpys(rule: str, dtype: str) -> None:
    a = (np.random.default_rng(11).normal(size=300) * 20).astype(dtype)
    for options in ({}, {"range": (-3.1, 17.3)}):
        counts, edges = np.histogram(suanzi.tensor(a), bins=rule, **options)
        expected_counts, expected_edges = np.histogram(a, bins=rule, **options)
        assert counts.tolist() == expected_counts.tolist()
        assert edges.numpy().dtype == expected_edges.dtype
        np.testing.assert_allclose(edges.numpy(), expected_edges, atol=np.finfo(expected_edges.dtype).eps * 100)
        assert np.histogram_bin_edges(suanzi.tensor(a), rule, **options).dtype is edges.dtype


@pytest.mark.filterwarnings("ignore:The number of bins estimated")
@pytest.mark.parametrize("rule", ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"])
def test_bins_of_integers_are_at_least_one_wide(rule: str) -> None:
    draw = np.random.default_rng(7)
    for values in ([5, 7], [-100, 0, 100], draw.integers(0, 4, 60), draw.integers(0, 90, 60)):
        for dtype in ("int8", "int64") if min(values) < 0 else ("int8", "uint8", "int32", "uint64"):
            a = np.array(values, dtype)
            counts, edges = np.histogram(suanzi.tensor(a), bins=rule)
            expected_counts, expected_edges = np.histogram(a, bins=rule)
            assert counts.tolist() == expected_counts.tolist()
            assert edges.tolist() == expected_edges.tolist()
            assert np.histogram_bin_edges(suanzi.tensor(a), rule).tolist() == expected_edges.tolist()


def test_bins_of_wide_integers() -> None:
    """The first edge is not above the least integer, and the last edge is not below the greatest integer."""
    for column in (
        np.array([2**53 + 3, 2**53 + 100]),
        np.array([2**63 + 1025, 2**63 + 5000, 2**63 + 9000], np.uint64),
        np.array([2**64 - 1, 2**64 - 5000], np.uint64),
    ):
        x = suanzi.tensor(column)
        assert np.histogramdd([x], bins=1)[0].tolist() == [len(column)]
        assert np.histogram2d(x, suanzi.zeros(len(column)), bins=2)[0].numpy().sum() == len(column)
        limits = int(column.min()), int(column.max())
        for of in (int, column.dtype.type):
            assert np.histogram(x, 1, tuple(map(of, limits)))[0].tolist() == [len(column)]
    x = suanzi.tensor(np.array([2**53 + 1, 2**53, 5]))
    assert np.histogramdd([x], bins=[np.array([0.0, 2.0**53])])[0].tolist() == [2]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_products_with_a_matrix_of_numpy() -> None:
    """`*` and `**` of numpy.matrix mean matrix products, so a product with a tensor is refused."""
    x = suanzi.tensor(np.array([[1.0, 2.0], [3.0, 4.0]]))
    matrix = np.asmatrix(x.numpy())
    for call in (lambda: x * matrix, lambda: matrix * x, lambda: x**matrix, lambda: x.clone().__imul__(matrix)):
        with pytest.raises(TypeMismatchError, match=r"numpy\.matrix"):
            call()
    np.testing.assert_array_equal((x @ matrix).numpy(), x.numpy() @ x.numpy())
    np.testing.assert_array_equal((x + matrix).numpy(), x.numpy() * 2)
