"""Helpers of the structural tests: small arrays of every element type, comparisons of bits, expected failures."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from math import prod
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import SuanziError, Tensor
from suanzi.tensor.dtypes import NUMBERS

# The names of all types of numbers. tensor/test_strings.py tests strings.
NAMES = tuple(dtype.name for dtype in NUMBERS)


# The public names of `suanzi`. `__all__` lacks names that Python's own functions have.
PUBLIC = (*suanzi.__all__, *suanzi._NAMES_OF_PYTHON)


def sample(shape: tuple[int, ...] = (2, 3), name: str = "float32") -> Any:
    """Return an array of a shape and a type in which neighbouring elements differ."""
    counted = np.arange(prod(shape)).reshape(shape)
    if name == "bool":
        return np.asarray(counted % 2 == 0)
    values = counted % 100
    complete = values - 1j * values if name.startswith("complex") else values
    return np.asarray(complete, dtype=suanzi.as_dtype(name).numpy)


def wide(x: Tensor) -> Any:
    """Return the elements of a tensor as a NumPy array of float64 or complex128."""
    array = x.numpy()
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def contents(x: Tensor) -> Any:
    """Return the contents of a tensor for comparison: its bits, or its strings."""
    return x.tolist() if x.dtype is suanzi.string else x.numpy().tobytes()


def destroyed() -> Tensor:
    """Return a tensor whose memory has been freed."""
    x = suanzi.ones((2, 3))
    x.destroy()
    return x


def assert_same(x: Tensor, expected: Any) -> None:
    """Check that the tensor has the array's shape, element type and bits."""
    found = x.numpy()
    assert found.shape == x.shape == expected.shape
    assert found.dtype == expected.dtype == x.dtype.numpy
    assert found.tobytes() == expected.tobytes(), f"{found} is not {expected}"


def shares_memory(a: Tensor, b: Tensor) -> bool:
    return bool(np.shares_memory(a.numpy(), b.numpy()))


def fails(error: type[SuanziError], *operators: str) -> AbstractContextManager[Any]:
    """Return a context whose body must raise `error`, with a message that begins with one of the operators' names."""
    return pytest.raises(error, match=rf"^({'|'.join(map(re.escape, operators))}): ")


class Thing:
    """An object that no function accepts, with the same text in every process."""

    def __repr__(self) -> str:
        return "thing"


THING = Thing()
