"""NumPy's functions that summarise tensors have NumPy's defaults, and compute partial sums in wide enough types."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    Tensor,
    TypeMismatchError,
)

CUBE = np.arange(24.0).reshape(2, 3, 4)


def tensor(data: Any, dtype: str) -> Tensor:
    return suanzi.tensor(np.array(data, dtype))


def exact_mean(x: list[Any], weights: list[Any]) -> Fraction:
    parts = [Fraction(v) * Fraction(w) for v, w in zip(x, weights, strict=True)]
    return sum(parts, Fraction(0)) / sum(map(Fraction, weights), Fraction(0))


@pytest.mark.parametrize(
    ("x", "weights", "types"),
    [
        ([100, 120, 50], [3, 2, 4], ("int8", "int8")),
        ([200, 250], [255, 255], ("uint8", "uint8")),
        ([True, False, True], [100, 100, 100], ("bool", "int8")),
        ([60000, 50000, 65504], [60000, 3, 2], ("float16", "float16")),
        ([3e38, 2e38], [3e38, 1e38], ("float32", "float32")),
        ([2**62, 2**62 - 5], [2**40, 2**41], ("int64", "int64")),
        ([1.7e308, 1.6e308], [1.0, 1.0], ("float64", "float64")),
        ([1.7e308, -1.6e308], [1e308, 1.7e308], ("float64", "float64")),
        ([1e-200, 3e-200], [1e-200, 2e-200], ("float64", "float64")),
        ([5e-324, 5e-324], [0.5, 0.25], ("float64", "float64")),
        ([0.1, 0.1, 0.1], [0.1, 0.7, 0.3], ("float64", "float64")),
    ],
)
def test_means_with_weights(x: list[Any], weights: list[Any], types: tuple[str, str]) -> None:
    """Weighted means are close to the exact means, and lie between the least and the greatest element."""
    elements, shares = tensor(x, types[0]), tensor(weights, types[1])
    values, factors = elements.numpy().tolist(), shares.numpy().tolist()
    expected = float(exact_mean(values, factors))
    for found in (
        np.average(elements, weights=shares),
        np.average(suanzi.stack([elements, elements]), 1, weights=shares)[1],
        np.average(suanzi.stack([elements, elements], 1), 0, weights=suanzi.stack([shares, shares], 1))[0],
    ):
        kind = np.dtype(found.dtype.numpy)
        assert kind == (types[0] if types[0].startswith("float") else "float64")
        assert abs(float(found) - expected) <= 4 * float(np.finfo(kind).eps) * abs(expected) + 5e-324
        if kind == np.float64:
            assert min(values) <= float(found) <= max(values)


def test_means_of_types_that_differ_and_of_infinities() -> None:
    assert float(np.average(tensor([1000, 3000], "int16"), weights=tensor([60000, 60000], "float16"))) == 2000
    assert float(np.average(tensor([1, 2], "float16"), weights=tensor([1e300, 1e300], "float64"))) == 1.5
    found = np.average(tensor([[1.0, math.inf], [1.0, 3.0]], "float64"), 1, weights=tensor([1.0, 1.0], "float64"))
    assert found.tolist() == [math.inf, 2]
    z = np.average(tensor([1e308 + 1e308j, 1.7e308], "complex128"), weights=[1.0, 1.0])
    assert z.item() == pytest.approx(1.35e308 + 0.5e308j)
    assert float(np.average(tensor([1.7e308, 1.7e308], "float64"))) == 1.7e308
    mean, total = np.average(tensor([[1, 2], [3, 4]], "int8"), 0, weights=[1.0, 3.0], returned=True)
    assert (mean.tolist(), total.tolist()) == ([2.5, 3.5], [4, 4])
    with fails(InvalidArgumentError, "numpy.average"):
        np.average(tensor([1.0], "float64"), weights=tensor([0], "int8"))


def test_covariances_of_two_types() -> None:
    x, y = [70000, 70001, 70002], [1.0, 2.0, 4.0]
    found = np.cov(tensor(x, "int32"), tensor(y, "float16"))
    assert found.dtype is suanzi.float64
    np.testing.assert_allclose(found.numpy(), np.cov(x, y), rtol=1e-3)
    a = np.random.default_rng(0).normal(size=(4, 3))
    for options in ({}, {"rowvar": False}, {"bias": True}, {"bias": True, "ddof": 1}):
        np.testing.assert_allclose(np.cov(tensor(a, "float64"), **options).numpy(), np.cov(a, **options))
    np.testing.assert_allclose(np.corrcoef(tensor(a, "float64"), rowvar=False).numpy(), np.corrcoef(a, rowvar=False))
    assert np.cov(tensor(a[:1], "float64")).shape == np.corrcoef(tensor(a[:1], "float64")).shape == ()


def test_traces_are_of_the_first_two_axes() -> None:
    x = tensor(CUBE, "float64")
    assert np.trace(x).tolist() == np.trace(CUBE).tolist() == [16, 18, 20, 22]
    for options in ({"offset": 1}, {"axis1": 1, "axis2": 2}, {"axis1": -1, "axis2": 0}, {"offset": -1, "axis2": 2}):
        assert np.trace(x, **options).tolist() == np.trace(CUBE, **options).tolist()
    for source in ("int8", "bool", "uint16", "float16", "float64"):
        assert np.trace(tensor(CUBE, source)).dtype == np.trace(CUBE.astype(source)).dtype
        for dtype in ("float64", "float32", "int64"):
            found = np.trace(tensor(CUBE, source), dtype=dtype)
            assert found.dtype == dtype
            assert found.tolist() == np.trace(CUBE.astype(source), dtype=dtype).tolist()
    out = suanzi.zeros(4, dtype="float64")
    assert np.trace(x, out=out) is out
    assert out.tolist() == [16, 18, 20, 22]
    with fails(DimensionsMismatchError, "diagonal"):
        np.trace(suanzi.ones(3))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), (1, 0), (2, 0), (-1, -2), (0,)])
@pytest.mark.parametrize("order", [None, 1, 2, -2, np.inf, -np.inf, "fro", "nuc", 0, 3])
def test_norms(axis: Any, order: Any) -> None:
    """`norm` returns the same results as in NumPy for each order and axis, and raises an error where NumPy does."""
    for array in (CUBE + 1, CUBE[0] + 1, CUBE[0, 0] + 1):
        x = tensor(array, "float64")
        for keepdims in (False, True):
            try:
                expected = np.linalg.norm(array, order, axis, keepdims)
            except (ValueError, IndexError):
                with pytest.raises((InvalidArgumentError, DimensionsMismatchError, OutOfRangeError, TypeMismatchError)):
                    np.linalg.norm(x, order, axis, keepdims)
                continue
            found = np.linalg.norm(x, order, axis, keepdims)
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-12)
            assert found.shape == np.shape(expected)


def test_other_defaults_of_numpy() -> None:
    vector = tensor([1, 2, 3], "int32")
    for function in (np.tril, np.triu):
        assert function(vector).tolist() == function([1, 2, 3]).tolist()
    with fails(InvalidArgumentError, "numpy.cumulative_sum"):
        np.cumulative_sum(tensor(CUBE, "float64"))
    assert np.linalg.cond(tensor([[4.0, 0.0], [0.0, 2.0]], "float64"), None).item() == 2
    assert np.size(tensor(CUBE, "float64"), 1) == 3
    assert [part.shape for part in np.split(suanzi.ones((0, 2)), 3)] == [(0, 2)] * 3
    number = suanzi.tensor(2.0)
    assert np.sum(number, axis=0).item() == np.max(number, axis=-1).item() == np.nansum(number, axis=0).item() == 2
    assert np.cumsum(number, axis=0).tolist() == np.repeat(number, 1, axis=0).tolist() == [2]
    with pytest.raises(InvalidArgumentError, match="by two names"):
        np.std(tensor(CUBE, "float64"), ddof=1, correction=1)


def test_parts_of_an_empty_axis() -> None:
    """The parts are views. More parts than the memory can hold are refused."""
    x = suanzi.zeros((0, 3))
    first, second = np.split(x, 2)
    assert first is not x
    assert second is not x
    assert first is not second
    assert [part.shape for part in np.array_split(x, np.int8(3))] == [(0, 3)] * 3
    assert [part.shape for part in np.split(x, np.array(1))] == [(0, 3)]
    for function in (np.split, np.array_split):
        with pytest.raises(AllocFailedError, match="1125899906842624 parts"):
            function(x, 2**50)
        with pytest.raises(OutOfRangeError, match="does not fit 64 bits"):
            function(x, 2**70)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int16"])
def test_sinc(dtype: str) -> None:
    x = suanzi.tensor([0.0, 1.0, -3.0, 100.0] if dtype == "int16" else [0.0, 0.5, 2.9, 99.96875, -7.25], dtype=dtype)
    wide = x.numpy().astype(np.longdouble)
    angle = np.where(wide == 0, 1, wide * np.longdouble("3.14159265358979323846264338327950288"))
    expected = np.where(wide == 0, 1, np.sin(angle) / angle)
    rounding = {"float16": 2**-11, "bfloat16": 2**-8, "float64": 2**-51}.get(dtype, 2**-23)
    np.testing.assert_allclose(np.sinc(x).numpy().astype(np.float64), expected.astype(np.float64), rounding, 1e-18)


def test_percents_are_shares_in_double_precision() -> None:
    x = tensor(np.arange(1001.0), "float64")
    assert np.percentile(x, tensor([10, 99.5], "float32")).tolist() == [100, 995]


EMPTY = suanzi.zeros(0, dtype="float64")
ROWS = tensor([[3, 1, 2], [5, 9, 4]], "int8")
REFUSED_BEFORE: dict[str, tuple[Callable[[], Any], Any]] = {
    "maximum of nothing": (lambda: np.maximum.reduce(EMPTY, initial=3.0), 3),
    "minimum of no rows": (lambda: np.minimum.reduce(suanzi.zeros((0, 2), dtype="int8"), initial=3), [3, 3]),
    "greatest, at least": (lambda: np.max(ROWS, axis=1, initial=4), [4, 9]),
    "least of chosen": (lambda: np.min(ROWS, axis=0, initial=99, where=ROWS > 2), [3, 9, 4]),
    "sum of chosen": (lambda: np.sum(ROWS, where=ROWS > 2, initial=100), 121),
    "initial is cut": (lambda: np.add.reduce(ROWS, axis=None, initial=0.5), 24),
    "product, keepdims": (lambda: np.prod(ROWS, axis=(0, 1), keepdims=True, initial=2), [[2160]]),
    "truth, initial": (lambda: np.any(ROWS > 99, axis=1, where=ROWS < 5), [False, False]),
    "maximum of a type": (lambda: np.maximum.reduce(ROWS, axis=None, dtype="float32"), 9),
    "kind of sort": (lambda: np.sort(ROWS, kind="stable"), [[1, 2, 3], [4, 5, 9]]),
    "kind of argsort": (lambda: np.argsort(ROWS, 1, kind="mergesort"), [[1, 2, 0], [2, 0, 1]]),
    "among nothing": (lambda: np.isin(ROWS[0], []), [False] * 3),
    "not among nothing": (lambda: np.isin(ROWS[0], [], invert=True, assume_unique=True), [True] * 3),
    "kind of isin": (lambda: np.isin(ROWS[0], [3, 2], kind="sort"), [True, False, True]),
    "edges of a list": (lambda: np.histogram(ROWS, [0.0, 4.0, 5.0])[0], [3, 2]),
    "weights of a list": (lambda: np.histogram(ROWS[0], [0, 4], weights=[1, 2, 3])[0], [6]),
    "bounds of lists": (lambda: np.clip(ROWS, [2, 2, 2], [3, 3, 3]), [[3, 2, 2], [3, 3, 3]]),
    "joined in a type": (lambda: np.concatenate([ROWS[0], ROWS[1]], dtype="float32"), [3, 1, 2, 5, 9, 4]),
    "joined by force": (
        lambda: np.concatenate([tensor([1.5], "float64"), ROWS[0]], dtype="int8", casting="unsafe"),
        [1, 3, 1, 2],
    ),
    "stacked in a type": (lambda: np.stack([ROWS[0], ROWS[1]], 1, dtype="int64"), [[3, 5], [1, 9], [2, 4]]),
    "side by side in a type": (lambda: np.hstack([ROWS[0], ROWS[1]], dtype="float64"), [3, 1, 2, 5, 9, 4]),
    "nothing to take": (lambda: np.where([], suanzi.zeros(0), 1), []),
    "taken by no index": (lambda: np.take(ROWS, []), []),
    "taken by no rows": (lambda: np.take(ROWS, ([], []), axis=1), [[[], []], [[], []]]),
    "taken by tensors": (lambda: np.take(ROWS, [tensor(5, "int8"), tensor(0, "int8")]), [4, 3]),
}


@pytest.mark.parametrize("name", REFUSED_BEFORE)
def test_what_was_refused_without_need(name: str) -> None:
    call, expected = REFUSED_BEFORE[name]
    assert call().tolist() == expected


def test_reductions_in_a_type_that_holds_initial() -> None:
    assert np.prod(tensor([1e200], "float64"), initial=1e-200).item() == pytest.approx(1)
    assert np.sum(tensor([65504, -65504], "float16"), initial=1).item() == 1
    assert np.sum(ROWS, initial=1000).dtype is suanzi.int64
    assert np.max(ROWS, initial=3.7).dtype is suanzi.int8
    for initial, error in ((300, OutOfRangeError), (1j, TypeMismatchError), (math.inf, OutOfRangeError)):
        with fails(error, "numpy.max"):
            np.max(ROWS, initial=initial)
    with fails(DimensionsMismatchError, "numpy.sum"):
        np.sum(ROWS, where=suanzi.ones((2, 2, 3), dtype="bool"))
    with fails(TypeMismatchError, "numpy.sum"):
        np.sum(ROWS, where=ROWS)
    with fails(TypeMismatchError, "numpy.concatenate"):
        np.concatenate([tensor([1.5], "float64")], dtype="int8")
    with fails(InvalidArgumentError, "numpy.sort"):
        np.sort(ROWS, kind="bogo")


def _attempt(call: Callable[[], Any]) -> tuple[list[Any], type[Exception] | None]:
    """Return the results of a call and None, or no results and ZeroDivisionError if the call raised this error."""
    try:
        found = call()
    except ZeroDivisionError:
        return [], ZeroDivisionError
    return list(found) if isinstance(found, tuple) else [found], None


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("returned", [False, True])
@pytest.mark.parametrize("weights", [None, "float64", "bool"])
def test_means_of_nothing(dtype: str, returned: bool, weights: str | None) -> None:
    """Means of no elements are NaN without weights. Weights of sum 0 raise ZeroDivisionError, as in NumPy."""
    for shape, axis in (((0,), None), ((0, 2), 0), ((0, 2), 1), ((2, 0), None), ((2, 0), 1), ((2, 0), 0)):
        x = suanzi.zeros(shape, dtype=dtype)
        options = {"returned": returned, "weights": weights and np.zeros(shape, weights)}
        expected, error = _attempt(lambda x=x, axis=axis, o=options: np.average(x.numpy(), axis, **o))
        found, raised = _attempt(lambda x=x, axis=axis, o=options: np.average(x, axis, **o))
        assert raised is error
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)
    with pytest.raises(InvalidArgumentError, match=r"^numpy\.average: the weights sum to 0"):
        np.average(suanzi.zeros((0, 0), dtype=dtype), -2, suanzi.zeros(0), returned)  # weights of one dimension
    with pytest.raises(InvalidArgumentError, match=r"^numpy\.average: the weights sum to 0") as caught:
        np.average(suanzi.ones(2, dtype=dtype), weights=suanzi.tensor([1, -1]), returned=returned)
    assert isinstance(caught.value, ZeroDivisionError)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64", "bool"])
@pytest.mark.parametrize("bins", [2, [0, 1, 2]])
def test_integer_weights_do_not_round(dtype: str, bins: Any) -> None:
    """Sums of int64 are exact, even beyond 2**53, and the sums of other integers have NumPy's types."""
    places, heavy = np.array([0, 1, 1, 0, 2, 7]), [16777217, 2**53 + 1, 2**40, 2, 3, 1]
    weights = np.array(heavy if dtype.endswith("64") else [1, 0, 1, 1, 0, 1], dtype)
    within = {"range": (0, 2)} if bins == 2 else {}
    found, _ = np.histogram(suanzi.tensor(places), bins, weights=suanzi.tensor(weights), **within)
    sums = [sum(int(w) for p, w in zip(places, weights, strict=True) if p in of) for of in ({0}, {1, 2})]
    assert found.dtype.numpy == np.histogram(places, 2, weights=weights, range=(0, 2))[0].dtype
    assert found.tolist() == ([True, True] if dtype == "bool" else sums)
    counted, expected = np.bincount(suanzi.tensor(places), suanzi.tensor(weights)), np.bincount(places, weights)
    assert counted.dtype is suanzi.float64
    assert counted.tolist() == expected.tolist()
    assert np.bincount(places, weights=suanzi.tensor(weights), minlength=9).tolist() == [*expected, 0]


def test_counts_of_bools() -> None:
    mask = np.array([True, False, True])
    assert np.bincount(suanzi.tensor(mask)).tolist() == np.bincount(mask).tolist() == [1, 2]
    assert np.bincount(suanzi.tensor([2, 0], dtype="int8"), [1, 2]).tolist() == [2, 0, 1]
