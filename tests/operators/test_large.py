"""Operands larger than the caches, whose results are written past them, wherever in memory they begin and end."""

from __future__ import annotations

import numpy as np
import pytest

import suanzi

COUNT = 6_000_000  # float64: 96 MB or more for an operand and a result, past most last-level caches


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    return np.random.default_rng(7).standard_normal(COUNT + 64)


@pytest.mark.parametrize("start", [0, 1, 3, 7, 8])
@pytest.mark.parametrize("end", [0, 1, 5, 8])
def test_ends(numbers: np.ndarray, start: int, end: int) -> None:
    """Every element of the result is written, and none beside it."""
    x = suanzi.from_reference(numbers)
    target = np.zeros(COUNT + 64)
    part = slice(start, COUNT + end)
    suanzi.square(x[part], out=suanzi.from_reference(target)[part])
    expected = np.zeros(COUNT + 64)
    expected[part] = numbers[part] * numbers[part]
    assert target.tobytes() == expected.tobytes()


def test_scalar_operand(numbers: np.ndarray) -> None:
    assert suanzi.multiply(suanzi.from_reference(numbers), 3.0).numpy().tobytes() == (numbers * 3.0).tobytes()


def test_in_place(numbers: np.ndarray) -> None:
    x = suanzi.tensor(numbers)
    x += x
    assert x.numpy().tobytes() == (numbers + numbers).tobytes()


def test_narrow_type(numbers: np.ndarray) -> None:
    """Elements that lie at any multiple of one byte."""
    small = np.resize(numbers.view(np.int8), 40_000_000)
    target = np.zeros_like(small)
    x = suanzi.from_reference(small)
    suanzi.add(x[5:], 1, out=suanzi.from_reference(target)[3:-2])
    expected = np.zeros_like(small)
    expected[3:-2] = small[5:] + np.int8(1)
    assert target.tobytes() == expected.tobytes()
