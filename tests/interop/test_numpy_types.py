"""Tests of the parameters `dtype=`, `casting=` and `out=` of NumPy's ufuncs, whose meanings differ by ufunc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

F = np.array([1.7, -2.5])
I = np.array([1, 300], np.int64)  # noqa: E741
Z = np.array([3 + 4j, -5j])
TAKEN: dict[str, Callable[[Any, Any, Any], Any]] = {
    "size of complex numbers": lambda f, i, z: np.abs(z, dtype="float64"),
    "size of real ones": lambda f, i, z: np.abs(f, dtype="float32"),
    "comparison": lambda f, i, z: np.less(f, 0.5, dtype=bool),
    "comparison of integers": lambda f, i, z: np.equal(i, i + 256, dtype="bool"),
    "test": lambda f, i, z: np.isnan(f * np.nan, dtype=bool),
    "sign bit": lambda f, i, z: np.signbit(f, dtype=bool),
    "truth": lambda f, i, z: np.logical_and(f, f - 1.7, dtype=bool),
    "integers that wrap": lambda f, i, z: np.add(i, 1, dtype="int8"),
    "wider integers": lambda f, i, z: np.multiply(i.astype("int8"), 100, dtype="int32"),
    "quotient of integers": lambda f, i, z: np.divide(i, 3, dtype="float64"),
    "root of integers": lambda f, i, z: np.sqrt(i, dtype="float32"),
    "narrower": lambda f, i, z: np.subtract(f, 0.25, dtype="float32"),
    "complex of real": lambda f, i, z: np.conjugate(f, dtype="complex64"),
    "outer": lambda f, i, z: np.multiply.outer(i, f, dtype="float64"),
    "truth by force": lambda f, i, z: np.bitwise_and(i, 1, dtype=bool, casting="unsafe"),
    "integers by force": lambda f, i, z: np.add(f, f, dtype="int64", casting="unsafe"),
    "two results": lambda f, i, z: np.divmod(f, 0.5, dtype="float32"),
    "safely": lambda f, i, z: np.add(i, i, casting="safe"),
    "not at all": lambda f, i, z: np.add(f, f, casting="no"),
    "power in double precision": lambda f, i, z: np.float_power(i, 2, dtype="float64"),
    "reduction, cut": lambda f, i, z: np.add.reduce(f, dtype="int64"),
    "extreme, cut": lambda f, i, z: np.maximum.reduce(f, dtype="int64"),
    "scan": lambda f, i, z: np.add.accumulate(i, dtype="float64"),
}
REFUSED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "floating to integer": lambda f, i, z: np.add(f, f, dtype="int64"),
    "number to integer": lambda f, i, z: np.add(i, 2.5, dtype="int64"),
    "complex to narrow": lambda f, i, z: np.abs(z, dtype="float32"),
    "size that is complex": lambda f, i, z: np.abs(z, dtype="complex128"),
    "comparison that is no truth": lambda f, i, z: np.less(f, f, dtype="float64"),
    "test that is no truth": lambda f, i, z: np.isnan(f, dtype="float32"),
    "truth that is none": lambda f, i, z: np.logical_or(f, f, dtype="float64"),
    "quotient that is an integer": lambda f, i, z: np.divide(i, i, dtype="int64"),
    "root that is an integer": lambda f, i, z: np.sqrt(i, dtype="int64"),
    "bits of floating numbers": lambda f, i, z: np.bitwise_and(i, i, dtype="float64"),
    "integer to truth": lambda f, i, z: np.add(i, i, dtype=bool),
    "narrow power": lambda f, i, z: np.float_power(i, i, dtype="float32"),
    "signed to unsigned": lambda f, i, z: np.add(i, i, dtype="uint64"),
    "not safe": lambda f, i, z: np.add(f, f, dtype="float32", casting="safe"),
    "any conversion": lambda f, i, z: np.add(i.astype("int32"), i, casting="no"),
    "fold that is no truth": lambda f, i, z: np.logical_or.reduce(f, dtype="float64"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_types_that_are_taken(name: str) -> None:
    found, expected = TAKEN[name](*map(suanzi.tensor, (F, I, Z))), TAKEN[name](F, I, Z)
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for part, wanted in pairs:
        assert part.dtype == wanted.dtype
        np.testing.assert_allclose(part.numpy(), wanted, rtol=4 * (1e-7 if wanted.dtype.kind in "fc" else 0))


@pytest.mark.parametrize("name", REFUSED)
def test_types_that_are_refused(name: str) -> None:
    with pytest.raises(TypeError):
        REFUSED[name](F, I, Z)
    with pytest.raises(TypeMismatchError, match=r"^numpy\.\w+"):
        REFUSED[name](*map(suanzi.tensor, (F, I, Z)))


@pytest.mark.parametrize("word", [float, complex, "float", "complex", "int"])
def test_words_that_numpy_reads_otherwise(word: Any) -> None:
    """`float` is float64 for NumPy's functions, and float32 for Suanzi's functions."""
    x = suanzi.tensor([1, 2], dtype="int16")
    expected = np.dtype(word)
    for found in (
        np.add(x, 1, dtype=word),
        np.add.reduce(x, dtype=word),
        np.add.accumulate(x, dtype=word),
        np.sum(x, dtype=word),
        np.cumsum(x, dtype=word),
        np.concatenate([x, x], dtype=word),
        np.zeros_like(x, dtype=word),
        np.linspace(x, 3, 2, dtype=word),
        np.asarray(x, dtype=word, like=x),
        np.trace(x[:, None], dtype=word),
    ):
        assert found.dtype == expected
    assert suanzi.sum(x, dtype=float).dtype is suanzi.float32


def test_numbers_that_do_not_fit() -> None:
    with fails(OutOfRangeError, "numpy.add"):
        np.add(suanzi.tensor(I), -1, dtype="uint8", casting="unsafe")
    with pytest.raises(InvalidArgumentError, match="casting = 'any'"):
        np.add(suanzi.tensor(I), 1, dtype="int8", casting="any")
    assert np.add(suanzi.tensor([1.0], dtype="bfloat16"), 1, dtype="float32").dtype is suanzi.float32
    assert np.add(suanzi.tensor([1.5]), 1, dtype=suanzi.bfloat16).tolist() == [2.5]


def test_targets_of_other_types() -> None:
    """NumPy's ufuncs of tensors write results into an `out` of another type. A failing call changes no `out`."""
    f, i = suanzi.tensor(F), suanzi.tensor(I)
    for call in (
        lambda x, out: np.add(x, x, out=out),
        lambda x, out: np.less(x, 0, out=out),
        lambda x, out: np.add(x, x, out=out, where=[True, False]),
    ):
        for dtype in ("float32", "float64", "complex64"):
            array, target, plain = (np.full((3, 2), 7, dtype) for _ in range(3))
            tensor = suanzi.from_reference(target)
            call(F, plain)
            assert call(f, tensor) is tensor
            assert call(f, array) is array
            np.testing.assert_allclose(target, plain, rtol=1e-6)
            np.testing.assert_allclose(array, plain, rtol=1e-6)
    for out, error in (
        (suanzi.zeros(2, dtype="int64"), TypeMismatchError),
        (np.zeros(2, np.int64), TypeMismatchError),
        (suanzi.zeros(3, dtype="float64"), DimensionsMismatchError),
        (np.zeros((2, 1)), DimensionsMismatchError),
    ):
        for options in ({}, {"where": np.array([True, False])}):
            with pytest.raises(error, match=r"out"):
                np.add(f, f, out=out, **options)
            assert not np.any(np.asarray(out))
    unsigned = suanzi.zeros(2, dtype="uint16")
    with fails(TypeMismatchError, "numpy.add"):
        np.add(i, i, out=unsigned)
    with fails(TypeMismatchError, "numpy.add"):
        np.add(f, f, out=suanzi.zeros(2, dtype="float64"), where=i)
    quotient, rest = suanzi.zeros(2, dtype="float64"), np.zeros(2)
    both = np.divmod(f, 0.5, out=(quotient, rest))
    assert both[0] is quotient
    assert both[1] is rest
    assert (quotient.tolist(), rest.tolist()) == tuple(part.tolist() for part in np.divmod(F, 0.5))
    with fails(TypeMismatchError, "numpy.divmod"):
        np.divmod(f, 0.75, out=(quotient, np.zeros(2, np.int8)))
    assert quotient.tolist() == both[0].tolist() == np.divmod(F, 0.5)[0].tolist()
    found, kept = np.divmod(f, 0.5, out=(None, rest))
    assert found.tolist() == quotient.tolist()
    assert kept is rest


def test_differences_of_sets_keep_the_type() -> None:
    """The operands are compared in a common type. The result has the values and the type of the first operand."""
    whole = np.array([2**53 + 1, 5, 5, -2])
    for first, second in (
        (whole, np.array([1.0])),
        (whole.astype("int32"), np.array([5.0, 0.5])),
        (np.array([2**64 - 1, 5], np.uint64), np.array([5])),
        (np.array([0.1, 2.5], np.float32), np.array([2.5])),
        (np.array([True, False]), np.array([1, 7])),
        (np.array([1, 2], np.int8), np.array([2 + 0j])),
    ):
        for options in ({}, {"assume_unique": True}):
            expected = np.setdiff1d(first, second, **options)
            for other in (suanzi.tensor(second), second):
                found = np.setdiff1d(suanzi.tensor(first), other, **options)
                assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())


@pytest.mark.parametrize(
    "types", [("float32",), ("float32", "float64"), ("int8",), ("complex64", "int16"), ("float16",)]
)
def test_the_common_type(types: tuple[str, ...]) -> None:
    tensors = [suanzi.zeros(2, dtype=name) for name in types]
    expected = np.common_type(*(np.zeros(2, name) for name in types))
    assert np.common_type(*tensors) is expected
    assert np.common_type(tensors[0], *(np.zeros(2, name) for name in types[1:])) is expected
