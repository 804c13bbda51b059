"""Tests of operands larger than the caches, at any address in memory. The results bypass the caches."""

from __future__ import annotations

import numpy as np
import pytest

import suanzi

COUNT = 6_000_000  # an operand and a result of float64 have 96 MB, more than most last-level caches


def same_bytes(a: np.ndarray, b: np.ndarray) -> bool:
    """Return True if the types are the same and all bytes are equal. The comparison copies no bytes."""
    return a.dtype == b.dtype and np.array_equal(a.view(np.uint64), b.view(np.uint64))


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    return np.random.default_rng(7).standard_normal(COUNT + 64)


@pytest.mark.parametrize("start", [0, 1, 3, 7, 8])
@pytest.mark.parametrize("end", [0, 1, 5, 8])
def test_ends(numbers: np.ndarray, start: int, end: int) -> None:
    """A call with `out` writes every element of `out`, and no other element of the memory."""
    x = suanzi.from_reference(numbers)
    target = np.zeros(COUNT + 64)
    part = slice(start, COUNT + end)
    suanzi.square(x[part], out=suanzi.from_reference(target)[part])
    expected = np.zeros(COUNT + 64)
    expected[part] = numbers[part] * numbers[part]
    assert same_bytes(target, expected)


def test_scalar_operand(numbers: np.ndarray) -> None:
    assert same_bytes(suanzi.multiply(suanzi.from_reference(numbers), 3.0).numpy(), numbers * 3.0)


def test_in_place(numbers: np.ndarray) -> None:
    x = suanzi.tensor(numbers)
    x += x
    assert same_bytes(x.numpy(), numbers + numbers)


def test_narrow_type(numbers: np.ndarray) -> None:
    """Operands and results of one-byte elements may begin at any address."""
    small = np.resize(numbers.view(np.int8), 40_000_000)
    target = np.zeros_like(small)
    x = suanzi.from_reference(small)
    suanzi.add(x[5:], 1, out=suanzi.from_reference(target)[3:-2])
    expected = np.zeros_like(small)
    expected[3:-2] = small[5:] + np.int8(1)
    assert same_bytes(target, expected)


@pytest.mark.parametrize("name", ["int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("ends", [(0, 0), (1, 3), (5, 2)])
def test_moves(numbers: np.ndarray, name: str, ends: tuple[int, int]) -> None:
    """Copies, reversed copies and fills are right for long rows and for many short rows that begin at any address."""
    elements = np.resize(numbers.view(name), 48_000_000 // np.dtype(name).itemsize)
    first, last = ends[0], len(elements) - ends[1]
    source, target = suanzi.from_reference(elements), np.zeros_like(elements)
    result, expected = suanzi.from_reference(target), np.zeros_like(elements)

    def same() -> None:
        assert same_bytes(target, expected)

    result[first:last] = source[ends[1] : len(elements) - first]
    expected[first:last] = elements[ends[1] : len(elements) - first]
    same()
    result[first:last] = source[first:last][::-1]
    expected[first:last] = elements[first:last][::-1]
    same()
    value = elements[7].item()
    result[first:last] = value
    expected[first:last] = value
    same()
    for columns in (40, 3001):  # 40 columns are too short for streaming stores, but 3001 columns are long enough
        shape = (len(elements) // columns, columns)
        part = (slice(1, -1), slice(first, columns - ends[1]))
        rows, kept = (a[: shape[0] * columns].reshape(shape) for a in (elements, expected))
        x, y = (suanzi.from_reference(a[: shape[0] * columns].reshape(shape)) for a in (elements, target))
        y[part] = x[part][:, ::-1]
        kept[part] = rows[part][:, ::-1]
        same()
        y[part] = x[part]
        kept[part] = rows[part]
        same()
        y[part] = suanzi.broadcast_to(x[1:-1, :1], (shape[0] - 2, columns - first - ends[1]))
        kept[part] = rows[1:-1, :1]
        same()


def test_halves_of_elements() -> None:
    """The elements of a complex tensor may begin at an address that is not a multiple of the element's size."""
    target = np.zeros(6_000_001)
    a = np.arange(6_000_000.0).view(complex)
    suanzi.from_reference(target[1:].view(complex))[...] = suanzi.from_reference(a)[::-1]
    assert target[1:].tobytes() == a[::-1].tobytes()
    assert target[0] == 0
