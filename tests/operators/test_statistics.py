"""Tests of var, std, norm1, norm2 and logsumexp in hard cases: cancellation, the limits of the range, corrections.

test_reductions.py checks axes, layouts and element types for all reductions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

import suanzi
from layouts import LAYOUTS, bits, check
from oracle.reductions import reference
from oracle.statistics import STATISTICS
from oracle.values import generator
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType

FLOATING = [f for f in ELEMENT_TYPES.values() if f.kind == "F"]
REAL = [f for f in ELEMENT_TYPES.values() if f.kind == "F" and f.bits >= 32]


def by_name(f: Any) -> str:
    return str(getattr(f, "name", f))


# --- variances ---


@pytest.mark.parametrize("shape", [(1000,), (100_003,), (3, 40_001), (4001, 3), (300, 170)], ids=str)
@pytest.mark.parametrize("offset", [0, 1e4, 1e8, -1e12])
def test_variance_does_not_cancel(offset: float, shape: tuple[int, ...]) -> None:
    """The variance around a large mean loses no more digits than the rounding of the elements does."""
    a = offset + generator("cancel", str(offset)).standard_normal(shape)
    for axis in range(-1, len(shape)):
        axes = None if axis < 0 else axis
        for op in ("var", "std"):
            for layout in ("contiguous", "transposed"):
                result = getattr(suanzi, op)(LAYOUTS[layout](a), axis=axes)
                check(result, reference(op, a, axes), [], f"{op} of {offset} and {shape}, axis={axes}")
    assert float(suanzi.var(suanzi.full(shape, 0.1 + offset, dtype="float64"))) == 0


@pytest.mark.parametrize("mean", [0.0, 1e3, 1e8, 1.7e12, 2.0**53])
@pytest.mark.parametrize("rows", [2, 4, 7, 100, 5000])
def test_variance_of_columns_around_a_large_mean(mean: float, rows: int) -> None:
    """The error does not grow with the mean, however the numbers lie in memory."""
    a = mean + np.round(generator("columns", str(mean), str(rows)).standard_normal((rows, 3)) * 99)
    exact = []
    for column in a.T:
        numbers = [Fraction(float(v)) for v in column]
        middle = sum(numbers) / rows
        exact.append(float(sum((v - middle) ** 2 for v in numbers) / rows))
    for axis, numbers in ((0, a), (1, np.ascontiguousarray(a.T))):
        x = suanzi.tensor(numbers)
        np.testing.assert_allclose(suanzi.var(x, axis=axis).numpy(), exact, rtol=4e-15)
        np.testing.assert_allclose(suanzi.std(x, axis=axis, keepdims=True).numpy().ravel() ** 2, exact, rtol=4e-15)
        np.testing.assert_allclose(suanzi.var(x * 1j, axis=axis).numpy(), exact, rtol=4e-15)
        whole = suanzi.var(x.astype("int64"), axis=axis, dtype="float64")
        np.testing.assert_allclose(whole.numpy(), exact, rtol=4e-15)


def test_variance_of_a_line_and_an_outlier() -> None:
    for place in (0, 2047, 2048, 99_999):
        a = np.ones(100_000)
        a[place] = 1e9
        check(suanzi.var(suanzi.tensor(a)), reference("var", a), [], f"outlier at {place}")


@pytest.mark.parametrize("op", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1, 1.5, -3, 12, 13, 14.0, float("nan")])
def test_correction(op: str, correction: float) -> None:
    a = generator("correction").standard_normal((7, 13)).astype(np.float32)
    for axis in (1, None):
        result = getattr(suanzi, op)(suanzi.tensor(a), axis=axis, correction=correction)
        count = 13 if axis else 91
        if count - correction > 0:
            check(result, reference(op, a, axis, correction=correction), [], f"{op}, correction={correction}")
        else:
            assert np.isnan(result.numpy()).all()
    assert bits(suanzi.tensor(a).var(correction=1)) == bits(suanzi.var(suanzi.tensor(a), correction=1))


# --- norms at the ends of the range ---


@pytest.mark.parametrize("exponent", [-1074, -1030, -540, -480, -451, -449, -300, 300, 500, 511, 520, 1000, 1015])
@pytest.mark.parametrize("shape", [(1,), (7,), (5000,), (4, 9), (9, 4)], ids=str)
def test_norm2_keeps_its_range(exponent: int, shape: tuple[int, ...]) -> None:
    a = np.ldexp(np.ceil(generator("norm").uniform(0, 8, shape)), exponent)
    for axis in (None, 0, -1):
        for x, lying in ((a, suanzi.tensor(a)), (a[::-1], suanzi.tensor(a)[::-1])):
            check(suanzi.norm2(lying, axis=axis), reference("norm2", x, axis), [], f"2**{exponent} {shape} axis={axis}")


@pytest.mark.parametrize("exponent", [-149, -126, -75, -64, -46, -45, -44, 0, 62, 63, 64, 100, 116])
@pytest.mark.parametrize("size", [1023, 1024, 1025, 1100, 2047, 2048, 2049, 3162, 4096, 10_000])
def test_norm2_of_float32_as_of_float64(exponent: int, size: int) -> None:
    """`norm2` of float32 is as accurate as in float64, even if squares leave float32's range or an element is large."""
    a = np.ldexp(generator("norm32").uniform(0, 8, size), exponent).astype(np.float32)
    for scale in (1, 2.0**-20, 0):
        a[: size - 1] *= np.float32(scale)
        expected = np.sqrt(np.sum(a.astype(np.longdouble) ** 2))
        result = suanzi.norm2(suanzi.tensor(a)).numpy()
        assert abs(result - expected) <= 0.55 * np.spacing(result), (exponent, size, scale)


def test_norm2_of_what_is_not_finite() -> None:
    a = np.ones(10_000, np.float32)
    for value in (np.inf, -np.inf, np.nan):
        for place in (0, 40, 2048, 9_999):
            x = a.copy()
            x[place] = value
            assert bits(suanzi.norm2(suanzi.tensor(x))) == bits(suanzi.tensor(np.float32(abs(value))))


def test_norm2_of_rows_of_all_sizes() -> None:
    """`norm2` of each row is accurate even if other rows have much larger or smaller elements."""
    scale = np.ldexp(1.0, [-1060, -1000, -600, 0, 1, 600, 1000, -2000])
    a = generator("rows").uniform(1, 2, (8, 50)) * scale[:, None]
    check(suanzi.norm2(suanzi.tensor(a), axis=1), reference("norm2", a, 1), [], "rows")
    check(suanzi.norm2(suanzi.tensor(a.T), axis=0), reference("norm2", a.T, 0), [], "columns")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_norms_of_complex_numbers_that_are_not_finite(dtype: str) -> None:
    """The norm equals the norm of the moduli, among which a modulus of an infinite and a NaN part is infinite."""
    inf, nan = np.inf, np.nan
    for numbers in ([inf, complex(0, nan)], [complex(inf, nan)], [complex(inf, nan), 1], [nan, 1j], [1 + 2j, inf]):
        x = suanzi.tensor(np.array([numbers], dtype))
        expected = float(suanzi.norm2(suanzi.abs(x)))
        for found in (suanzi.norm2(x), suanzi.vector_norm(x), suanzi.matrix_norm(x)):
            np.testing.assert_equal(float(found.item()), expected)


def test_norms_of_large_and_small_complex_numbers() -> None:
    for scale in (1e-320, 1e-200, 1.0, 1e200, 1e307):
        a = np.array([3 + 4j, -3j, 0, 1]) * scale
        for op in ("norm1", "norm2"):
            check(getattr(suanzi, op)(suanzi.tensor(a)), reference(op, a), [], f"{op} of {scale}")


@pytest.mark.parametrize("f", FLOATING, ids=by_name)
@pytest.mark.parametrize("op", ["norm1", "norm2", "var", "std"])
def test_overflow_of_the_type(op: str, f: ElementType) -> None:
    """Results are right even if a sum exceeds the range of the operand's type, but not the accumulators' range."""
    a = np.full(3, np.finfo(np.float32).max if f.name == "bfloat16" else np.finfo(f.numpy).max).astype(f.numpy)
    a[1] = 0
    if f.bits < 64 or op.startswith("norm"):
        check(getattr(suanzi, op)(suanzi.tensor(a)), reference(op, a), [], f"{op} of {f.name}")


# --- logsumexp ---

INFINITY = float("inf")
EDGES = [
    [],
    [-INFINITY],
    [-INFINITY, -INFINITY],
    [INFINITY],
    [INFINITY, INFINITY],
    [INFINITY, -INFINITY],
    [INFINITY, 1.0],
    [-INFINITY, 1.0],
    [float("nan"), INFINITY],
    [float("nan"), -INFINITY, 0.0],
    [1000.0, 1000.0],
    [-1000.0, -1001.0],
    [0.0, -1e30],
    [3e38, 3e38],
    [-3e38, 3e38],
    [-50.0, -50.5, -49.0],
]


@pytest.mark.parametrize("f", REAL, ids=by_name)
@pytest.mark.parametrize("values", EDGES, ids=str)
@pytest.mark.parametrize("repeats", [1, 9, 3000])
def test_logsumexp_at_the_edges(values: list[float], f: ElementType, repeats: int) -> None:
    """`logsumexp` of special values equals SciPy's result along rows and along columns."""
    a = np.tile(np.array(values, f.numpy), repeats)
    with np.errstate(all="ignore"):
        expected = scipy.special.logsumexp(a.astype(np.float64)) if a.size else -np.inf
    square = np.repeat(a[:, None], 3, axis=1)
    found = [suanzi.logsumexp(suanzi.tensor(a)), *suanzi.logsumexp(suanzi.tensor(square), axis=0)]
    for result in found:
        np.testing.assert_allclose(float(result), f.numpy.type(expected), rtol=4 * np.finfo(f.numpy).eps)


@pytest.mark.parametrize("f", FLOATING, ids=by_name)
def test_long_logsumexp(f: ElementType) -> None:
    a = (generator("long").standard_normal((50, 3001)) * 20).astype(f.numpy)
    for axis in (None, 0, 1):
        check(suanzi.logsumexp(suanzi.tensor(a), axis=axis), reference("logsumexp", a, axis), [], f"{f.name} {axis}")


# --- the limits of the range ---


def deviation(a: Array, correction: int = 0) -> tuple[float, float]:
    """Return the variance and the standard deviation by mpmath, each infinite beyond the range of float64."""
    with mpmath.workprec(400):
        numbers = [mpmath.mpmathify(complex(x)) for x in a.ravel()]
        mean = sum(numbers) / len(numbers)
        variance = sum(abs(x - mean) ** 2 for x in numbers) / (len(numbers) - correction)
        return float(variance), float(mpmath.sqrt(variance))


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e-160, 1e-154, 1e150, 1e160, 1e200, 1e308])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_deviations_whose_squares_leave_the_range(dtype: str, scale: float) -> None:
    rng = generator("deviations", str(scale))
    for shape in ((2,), (20,), (9, 3), (3, 5000)):
        a = rng.uniform(-1, 1, shape) * scale
        if dtype == "complex128":
            a = a + 1j * rng.uniform(-1, 1, shape) * scale
        for correction in (0, 1):
            x = suanzi.tensor(a)
            variance, root = deviation(a, correction)
            assert suanzi.std(x, correction=correction).item() == pytest.approx(root, rel=1e-13, abs=2e-323)
            assert suanzi.var(x, correction=correction).item() == pytest.approx(variance, rel=1e-13, abs=2e-323)
            if len(shape) == 2:
                # The last columns are always tested, because kernels compute these columns in other loops.
                some = np.unique(np.r_[: shape[1] : 37, -20:0] % shape[1])
                columns = [deviation(column, correction)[1] for column in a.T[some]]
                found = suanzi.std(x, axis=0, correction=correction).numpy()[some].tolist()
                assert found == pytest.approx(columns, rel=1e-13, abs=2e-323)


def test_deviations_at_the_edges() -> None:
    assert suanzi.std(suanzi.tensor(np.array([-1e200, 1e200]))).item() == 1e200
    assert suanzi.std(suanzi.tensor(np.array([-1.7e308, 1.7e308]))).item() == 1.7e308
    for number in (1e300, 1.7e308, 5e-324, 0.0):
        assert suanzi.std(suanzi.full(9, number, dtype="float64")).item() == 0
    assert np.isnan(suanzi.std(suanzi.tensor([np.inf, 1.0], dtype="float64")).item())
    mixed = np.array([[1e200, -1e200, 0.0], [1, 2, 4], [1e-200, 0, 0], [3, 3, 3]])
    expected = [deviation(row)[1] for row in mixed]
    assert suanzi.std(suanzi.tensor(mixed), axis=1).tolist() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_means_lie_between_the_elements(dtype: str) -> None:
    most = 1.7e308
    for numbers in ([most, most], [most, most, -most], [-most] * 4, [most, 1.0, most]):
        a = np.array([numbers, [1.0] * len(numbers)]).astype(dtype)
        a = a * (1 - 1j) if dtype == "complex128" else a
        with mpmath.workprec(200):
            expected = [complex(sum(mpmath.mpmathify(complex(x)) for x in row) / len(numbers)) for row in a]
        assert suanzi.mean(suanzi.tensor(a), axis=1).tolist() == pytest.approx(expected, rel=1e-15)
        columns = suanzi.tensor(np.ascontiguousarray(a.T))
        assert suanzi.mean(columns, axis=0).tolist() == pytest.approx(expected, rel=1e-15)


# --- threads ---


@pytest.mark.usefixtures("keep_threads")
@pytest.mark.parametrize("shape", [(500_003,), (3, 100_001), (100_001, 3), (400, 401)], ids=str)
@pytest.mark.parametrize("op", STATISTICS)
def test_the_number_of_threads_does_not_show(op: str, shape: tuple[int, ...]) -> None:
    x = suanzi.tensor(generator("threads").standard_normal(shape))
    for axis in (None, 0, -1):
        found = set()
        for threads in (1, 2, 3, 7):
            suanzi.set_num_threads(threads)
            found.add(bits(getattr(suanzi, op)(x, axis=axis)))
        assert len(found) == 1
