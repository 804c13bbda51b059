"""Tests of functions of NumPy, called with tensors.

Each function differs from Suanzi's function of the same name, or combines several of Suanzi's functions.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError


def test_functions_of_integers_have_our_type() -> None:
    """NumPy's functions of integer tensors return float32.

    Summaries and functions with dtype=float64 return float64.
    """
    i = suanzi.tensor([1, 2], dtype="int64")
    for ufunc in (np.sqrt, np.sin, np.exp, np.log10, np.arctan, np.divide, np.arctan2, np.hypot, np.logaddexp):
        assert ufunc(*[i] * ufunc.nin).dtype is suanzi.float32
    assert np.sinc(i).dtype is suanzi.float32
    assert np.mean(i).dtype is np.std(i).dtype is suanzi.float64
    assert np.sqrt(i, dtype=np.float64).dtype is suanzi.float64


def test_powers_in_double_precision() -> None:
    i, x = suanzi.tensor([2, 4], dtype="int32"), suanzi.tensor([2.0, 4.0])
    for found in (np.float_power(i, -1), np.float_power(x, -i / 2), np.float_power(i, x), np.float_power(2, -i)):
        assert found.dtype is suanzi.float64
    assert np.float_power(i, -1).tolist() == [0.5, 0.25]
    assert np.float_power(suanzi.tensor([1j]), 2).dtype is suanzi.complex128
    out = suanzi.zeros(2, dtype="float64")
    assert np.float_power(i, i, out=out) is out
    assert out.tolist() == [4, 256]


FIRST_NUMBERS: dict[str, Any] = {
    "take": lambda f: np.take(0.1, [0, 0, 0], out=f([1.0, 2.0, 3.0])),
    "tensorsolve": lambda f: np.linalg.tensorsolve(0.1, f(2.0)),
    "tensorsolve for a number": lambda f: np.linalg.tensorsolve(f(2.0), 0.1),
    "quantile": lambda f: np.quantile(0.1, f([0.5, 1.0])),
    "percentile": lambda f: np.percentile(3, f([50.0, 100.0])),
    **{
        name: lambda f, name=name: getattr(np, name)(0.1, out=f(2.0))
        for name in (
            *("sum", "max", "mean", "std", "var", "median", "ptp", "round", "around"),
            *("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"),
        )
    },
    **{
        name: lambda f, name=name: getattr(np, name)(5, 0, out=f(0))
        for name in ("argmax", "argmin", "nanargmax", "nanargmin", "nansum", "ptp")
    },
    **{
        f"{name} along an axis": lambda f, name=name: getattr(np, name)(0.1, 0, out=f([2.0]))
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")
    },
}


@pytest.mark.parametrize("name", FIRST_NUMBERS)
def test_number_as_first_operand(name: str) -> None:
    """NumPy's functions accept a number beside a tensor in another argument. The number has NumPy's type."""
    call = FIRST_NUMBERS[name]
    found, expected = call(lambda data: suanzi.tensor(np.array(data))), call(np.array)
    assert type(found) is suanzi.Tensor
    assert (found.dtype, found.shape, found.tolist()) == (expected.dtype, expected.shape, expected.tolist())


REFUSED_FIRST_NUMBERS: dict[str, Any] = {
    "lstsq": lambda x: np.linalg.lstsq(5, x, rcond=None),
    "bincount": lambda x: np.bincount(1, x),
    **{name: lambda x, name=name: getattr(np, name)(7, x) for name in ("split", "array_split", "vsplit", "hsplit")},
}


@pytest.mark.parametrize("name", REFUSED_FIRST_NUMBERS)
def test_number_in_place_of_a_first_operand(name: str) -> None:
    with pytest.raises((DimensionsMismatchError, OutOfRangeError), match=r"shape \(\)|axis 0 is outside"):
        REFUSED_FIRST_NUMBERS[name](suanzi.tensor([1, 2, 3]))


def test_equal_arrays_with_nan() -> None:
    nan = math.nan
    plain: list[Any] = [
        np.array([1.0, nan, 3.0]),
        np.array([1.0, nan, 3.0], np.float32),
        np.array([nan, 1.0, 3.0]),
        np.array([1.0, nan, 4.0]),
        np.array([1.0, 2.0, 3.0]),
        np.array([1, 2, 3]),
        np.array([[1, 2, 3]]),
        np.array([True, True, False]),
        np.array([complex(1, nan), complex(nan, 2), 3]),
        np.array([complex(1, 2), complex(nan, nan), 3]),
        np.array([]),
        np.array(nan),
        nan,
        [1, 2, 3],
    ]
    for first, second in product(plain, plain):
        if not isinstance(first, np.ndarray):
            continue
        x, y = (suanzi.tensor(a) if isinstance(a, np.ndarray) else a for a in (first, second))
        for options in ({}, {"equal_nan": True}, {"equal_nan": False}):
            found = np.array_equal(x, y, **options)
            assert type(found) is bool
            assert found == np.array_equal(first, second, **options), (first, second, options)
            assert found == np.array_equal(first, y, **options) or not isinstance(y, suanzi.Tensor)
    texts = suanzi.tensor(["a", "b"])
    assert np.array_equal(texts, ["a", "b"], equal_nan=True)
    assert not np.array_equal(texts, ["a", "c"], equal_nan=True)


def test_differences_beside_numbers() -> None:
    """A number has NumPy's type, so a mask or a narrow integer beside a number has integer differences."""
    arrays = (np.array([False, True, True, False]), np.array([100, -100, 3], np.int8), np.array([[1, 9], [4, 2]]))
    ends: tuple[Any, ...] = (0, 5, 300, 0.5, 1j, True, np.int16(7), np.float64(0.25), np.array(3))
    for array, end, n in product(arrays, ends, (0, 1, 2)):
        x = suanzi.tensor(array)
        for options in ({"prepend": end}, {"append": end}, {"prepend": True, "append": end}):
            found, expected = np.diff(x, n, **options), np.diff(array, n, **options)
            assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist()), (array, options, n)
    assert np.diff(suanzi.tensor([True, False]), prepend=[False, True]).tolist() == [True, False, True]


NUMBERS: list[tuple[Any, Any]] = [
    *((1, 0), (2**40, 0), (16777217, 0), (True, False), (1, 0.5), (0.1, 0.2), (1, 2j), (math.inf, 0)),
    *((np.int64(1), np.int64(0)), (np.int8(1), 2), (np.float32(0.1), 0.2), (np.float16(1), np.int64(3))),
]


@pytest.mark.parametrize("numbers", NUMBERS, ids=repr)
def test_choice_between_numbers(numbers: tuple[Any, Any]) -> None:
    """A choice between two numbers has NumPy's type and values."""
    mask = np.array([[True, False], [False, False]])
    found, expected = np.where(suanzi.tensor(mask), *numbers), np.where(mask, *numbers)
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())


def test_choice_between_numbers_that_do_not_fit() -> None:
    mask = suanzi.tensor([True, False])
    for numbers in ((np.int8(1), 300), (2**63, 0), (2**64, 0)):  # NumPy wraps around
        with fails(OutOfRangeError, "numpy.where"):
            np.where(mask, *numbers)
    with fails(TypeMismatchError, "numpy.where"):
        np.where(mask, None, None)
    with fails(InvalidArgumentError, "numpy.where"):
        np.where(mask, 1)
    assert np.where(mask, "a", "bc").tolist() == ["a", "bc"]


def test_einsum_with_labels_that_are_wrong() -> None:
    x = suanzi.ones((2, 3))
    for labels in ([0, 52], [-1, 0]):
        with fails(OutOfRangeError, "numpy.einsum"):
            np.einsum(x, labels)
    for wrong in ([0, 0.5], [True, 0], "ij", 0):
        with fails(TypeMismatchError, "numpy.einsum"):
            np.einsum(x, wrong)
    out = suanzi.zeros(3)
    assert np.einsum(x, [0, 1], [1], out=out) is out
    assert out.tolist() == [2, 2, 2]


@pytest.mark.parametrize("values", [[0.5, 0.0], [0.0, 0.0], [], [math.nan], 2.0, 0.0, [[1.0, 2.0], [2.0, 4.0]]])
def test_rank_of_vectors(values: Any) -> None:
    assert np.linalg.matrix_rank(suanzi.tensor(values)).item() == np.linalg.matrix_rank(np.array(values))


def test_bessel_function() -> None:
    """`i0` is right where its two series meet, and where the exponential overflows before the result."""
    values = [*np.linspace(-25, 25, 101).tolist(), 1e-300, 700.0, 713.9]
    with mpmath.workdps(30):
        expected = np.array([float(mpmath.besseli(0, value)) for value in values])
    found = np.i0(suanzi.tensor(values, dtype="float64"))
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-15)
    short = np.i0(suanzi.tensor(values[:101]))
    np.testing.assert_array_equal(short.numpy(), expected[:101].astype(np.float32))
    assert np.i0(suanzi.tensor([math.inf, -math.inf, 714.0])).tolist() == [math.inf] * 3  # NumPy returns NaN
    assert math.isnan(np.i0(suanzi.tensor(math.nan)).item())
    assert np.i0(suanzi.tensor([0, 2], dtype="int8")).dtype is suanzi.float32
    assert np.i0(suanzi.ones((0, 2), dtype="float16")).dtype is suanzi.float16
    with fails(TypeMismatchError, "numpy.i0"):
        np.i0(suanzi.tensor([1j]))
