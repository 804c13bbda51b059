"""Tests of sequences of evenly spaced numbers (7.2.1.12 and 7.2.1.13, Tables 14 and 15), clause by clause."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import NAMES, assert_same, fails
from suanzi import AllocFailedError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

EPSILON = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-7, 7).filter(bool), st.sampled_from(NAMES))
def test_arange_of_integers(start: int, stop: int, step: int, name: str) -> None:
    dtype = suanzi.as_dtype(name)
    expected = np.arange(start, stop, step)
    if name == "bool" or (dtype.kind_name == "unsigned integer" and expected.size and expected.min() < 0):
        with fails(TypeMismatchError if name == "bool" else OutOfRangeError, "arange"):
            suanzi.arange(start, stop, step, dtype=name)
    else:
        assert_same(suanzi.arange(start, stop, step, dtype=name), expected.astype(dtype.numpy))


def test_an_element_between_a_stop_and_its_rounded_value() -> None:
    step = 2**62 - 1
    assert suanzi.arange(0, 5 * step, step, dtype="uint64").shape == (5,)
    with fails(OutOfRangeError, "arange"):
        suanzi.arange(0, 5 * step + 1, step, dtype="uint64")


@given(st.integers(2, 9), st.integers(-3, 3), st.integers(-2, 2), st.sampled_from(["uint64", "int64"]), st.booleans())
def test_arange_to_stops_beyond_64_bits(parts: int, near: int, further: int, name: str, down: bool) -> None:
    """A stop beyond 64 bits is exact: the number of elements is right, and an element beyond 64 bits is an error."""
    step = (2**64 + near) // parts
    stop = step * parts + further
    if down:
        stop, step = -stop, -step
    expected = list(range(0, stop, step))
    least, greatest = suanzi.as_dtype(name).limits
    if all(least <= x <= greatest for x in expected):
        assert suanzi.arange(0, stop, step, dtype=name).tolist() == expected
    else:
        with fails(OutOfRangeError, "arange"):
            suanzi.arange(0, stop, step, dtype=name)


def test_arange_of_fractions() -> None:
    assert_same(suanzi.arange(0, 1, 0.25), np.arange(0, 1, 0.25, np.float32))
    assert_same(suanzi.arange(2.5), np.float32([0, 1, 2]))
    assert_same(suanzi.arange(1, 0), np.float32([]))
    assert_same(suanzi.arange(5, 0, -2, dtype="float64"), np.float64([5, 3, 1]))
    assert suanzi.arange(0, 1, 0.1, dtype="float64").shape == (10,)
    assert_same(suanzi.arange(2**63, 2**64, 2**62, dtype="uint64"), np.uint64([2**63, 2**63 + 2**62]))
    assert_same(suanzi.arange(-(2**63), 2**63, 2**63, dtype="int64"), np.int64([-(2**63), 0]))


@pytest.mark.parametrize(
    ("arguments", "dtype", "error"),
    [
        ((0, 1, 0), None, InvalidArgumentError),
        ((0, float("inf")), None, InvalidArgumentError),
        ((float("nan"), 1), None, InvalidArgumentError),
        ((0, 1e30), None, AllocFailedError),
        ((0, 1e300), None, OutOfRangeError),
        ((0, 1e300, 1e299), None, OutOfRangeError),
        ((-1e300, 0, 1e299), None, OutOfRangeError),
        ((0, 1, 1e300), None, OutOfRangeError),
        ((65504, 65519, 10), "float16", None),
        ((65000, 65519, 510), "float16", None),
        ((65000, 65520, 510), "float16", OutOfRangeError),
        ((0, 10**400), None, OutOfRangeError),
        ((0, 10**400), "float64", OutOfRangeError),
        ((0, 1.5), "int32", TypeMismatchError),
        ((0, 1j), "float32", TypeMismatchError),
        ((0, 1, 1j), "int64", TypeMismatchError),
        ((0, 1j), "complex64", InvalidArgumentError),
        ((0, 2 + 2j, 1 + 1.001j), "complex128", InvalidArgumentError),
        ((1, 3j, 1j), "complex64", InvalidArgumentError),
        ((0, 1j, 0j), "complex64", InvalidArgumentError),
        ((0, complex(1, float("inf")), 1j), "complex64", InvalidArgumentError),
        ((0, 1e300j, 1e299j), "complex64", OutOfRangeError),
        ((0, 301, 100), "uint8", OutOfRangeError),
        ((2**70, 2**70 + 1), "int64", OutOfRangeError),
        ((0, 2**70, 2**62), "uint64", OutOfRangeError),
        ((0, 1, 2**70), "int64", OutOfRangeError),
        ((2**64 - 2, 2**64 + 1), "uint64", OutOfRangeError),
        (("a",), None, TypeMismatchError),
        ((None,), None, TypeMismatchError),
        ((suanzi.zeros(2),), None, InvalidArgumentError),
    ],
    ids=str,
)
def test_sequences_that_there_are_not(arguments: Any, dtype: Any, error: Any) -> None:
    if error is None:  # the number is just within the type's range
        assert suanzi.all(suanzi.isfinite(suanzi.arange(*arguments, dtype=dtype)))
        return
    with fails(error, "arange"):
        suanzi.arange(*arguments, dtype=dtype)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((3j, None, 1j), [0, 1j, 2j]),
        ((1j, 3 + 1j), [1j, 1 + 1j, 2 + 1j]),
        ((0, 3 + 3j, 1 + 1j), [0, 1 + 1j, 2 + 2j]),
        ((0, -2.5j, -1j), [0, -1j, -2j]),
        ((0, 3j, -1j), []),
        ((1 + 1j, 1 + 1j), []),
        ((2, 5, 2), [2, 4]),
        ((0, 1e308 + 1e308j, 6e307 + 6e307j), [0, 6e307 + 6e307j]),
    ],
    ids=str,
)
def test_arange_along_a_line_of_complex_numbers(arguments: Any, expected: Any) -> None:
    x = suanzi.arange(*arguments, dtype="complex128")
    assert (x.tolist(), x.dtype, x.ndim) == (expected, suanzi.complex128, 1)


@pytest.mark.parametrize("step", [0.1 + 0.2j, -0.3 + 0.7j, 1e-3j, 1e5 - 3e-5j])
@pytest.mark.parametrize("count", [1, 7, 100])
def test_bounds_on_the_line_but_for_rounding(step: complex, count: int) -> None:
    start = 0.7 - 0.1j
    x = suanzi.arange(start, start + (count - 0.5) * step, step, dtype="complex128").numpy()
    np.testing.assert_allclose(x, [start + i * step for i in range(count)], rtol=1e-14)


def test_arange_from_one_end_to_the_other() -> None:
    assert suanzi.arange(-(2**63), -(2**63) - 1, -1, dtype="int64").tolist() == [-(2**63)]
    assert suanzi.arange(2**64 - 1, 2**64, dtype="uint64").tolist() == [2**64 - 1]
    x = suanzi.arange(-1.7e308, 1.7e308, 1e308, dtype="float64").numpy()
    np.testing.assert_allclose(x, [-1.7e308, -7e307, 3e307, 1.3e308], rtol=1e-14)
    z = suanzi.arange(-1.7e308j, 1.7e308j, 1e308j, dtype="complex128").numpy()
    np.testing.assert_allclose(z.imag, x, rtol=1e-14)
    assert not z.real.any()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("num", [0, 1, 2, 3, 5, 9, 100])
def test_linspace(name: str, num: int) -> None:
    x = suanzi.linspace(-1, 3, num, dtype=name)
    assert x.shape == (num,)
    expected = np.linspace(-1, 3, num)
    np.testing.assert_allclose(x.numpy().astype(np.float64), expected, rtol=0, atol=4 * EPSILON[name])


def test_both_ends_are_exact() -> None:
    for start, stop in [(0.1, 0.7), (1e-30, 1e30), (-1.7e308, 1.7e308), (3, 3)]:
        values = suanzi.linspace(start, stop, 7, dtype="float64").numpy()
        assert (values[0], values[-1]) == (start, stop)
        assert np.all(np.isfinite(values))
        assert np.all(np.diff(values) >= 0)
    z = suanzi.linspace(1j, 2 - 1j, 3, dtype="complex128")
    assert_same(z, np.array([1j, 1, 2 - 1j]))


@pytest.mark.parametrize(
    ("arguments", "dtype", "error"),
    [
        ((0, 1, -1), None, InvalidArgumentError),
        ((0, float("inf"), 3), None, InvalidArgumentError),
        ((0, 1e6, 3), "float16", InvalidArgumentError),
        ((-65520, 0, 3), "float16", InvalidArgumentError),
        ((1e39, 0, 1), None, InvalidArgumentError),
        ((0, float.fromhex("0x1.ffp127"), 3), "bfloat16", InvalidArgumentError),
        ((0, 1e39j, 3), "complex64", InvalidArgumentError),
        ((0, 10**400, 3), "float64", InvalidArgumentError),
        ((float("nan"), 1, 3), None, InvalidArgumentError),
        ((0, 1, 2**62), None, AllocFailedError),
        ((0, 1, 2**70), None, OutOfRangeError),
        ((0, 1, 2.5), None, TypeMismatchError),
        ((0, 1, 3), "int32", TypeMismatchError),
        ((0, 1, 3), "bool", TypeMismatchError),
        ((0, 1j, 3), "float32", TypeMismatchError),
        (("a", 1, 3), None, TypeMismatchError),
        ((0, suanzi.zeros(2), 3), None, InvalidArgumentError),
    ],
    ids=str,
)
def test_spaces_that_there_are_not(arguments: Any, dtype: Any, error: Any) -> None:
    with fails(error, "linspace"):
        suanzi.linspace(*arguments, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_linspace_to_the_bit(dtype: str) -> None:
    """linspace computes in float64, on all code paths, and rounds once. The last element is the given end."""
    for num in (0, 1, 2, 3, 5, 1023, 1024, 1025, 3000):
        for start, stop in ((0, 1), (-3, 100.7), (5, -5), (0.1, 0.1)):
            shares = np.arange(num) / max(num - 1, 1)
            expected = start + shares * (stop - start)
            expected[1:][-1:] = stop
            assert_same(suanzi.linspace(start, stop, num, dtype=dtype), expected.astype(dtype))
