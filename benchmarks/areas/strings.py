"""String tensors against NumPy's two types of strings: of any length (StringDType), and padded to the longest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from comparison import Comparison

SIZES = (1_000, 100_000, 1_000_000)
Calls = dict[str, Callable[[], object]]


def texts(size: int, start: int = 0) -> list[str]:
    return [f"item number {(start + 7919 * i) % size}" for i in range(size)]


def rivals(operation: Callable[..., object], numpy_operation: Callable[..., object], size: int) -> Calls:
    """The operation on two lists of strings, by each library's own tensors of them."""
    lists = texts(size), texts(size, 1)
    x, y = map(suanzi.tensor, lists)
    any_length = [np.array(data, dtype="T") for data in lists]
    padded = [np.array(data) for data in lists]
    return {
        "suanzi": lambda: operation(x, y),
        "numpy": lambda: numpy_operation(*any_length),
        "numpy (padded)": lambda: numpy_operation(*padded),
    }


def creation(size: int) -> Calls:
    data = texts(size)
    return {
        "suanzi": lambda: suanzi.tensor(data),
        "numpy": lambda: np.array(data, dtype="T"),
        "numpy (padded)": lambda: np.array(data),
    }


def selection(size: int) -> Calls:
    even = np.arange(size) % 2 == 0
    condition = suanzi.tensor(even)
    return rivals(lambda x, y: suanzi.where(condition, x, y), lambda a, b: np.where(even, a, b), size)


def equals_five(x: Any, _: Any) -> object:
    return x == "item number 5"


def assignment(x: Any, y: Any) -> None:
    x[::2] = y[1::2]


def _case(name: str, make: Callable[[int], Calls]) -> Comparison:
    return Comparison(name, make, "string", SIZES, dict.fromkeys(SIZES, 1.0))


CASES: list[Comparison] = [
    _case("tensor of a list", creation),
    _case("equal", lambda size: rivals(suanzi.equal, np.equal, size)),
    _case("equal to a string", lambda size: rivals(equals_five, equals_five, size)),
    _case("less", lambda size: rivals(suanzi.less, np.less, size)),
    _case("where", selection),
    _case("clone", lambda size: rivals(lambda x, _: x.clone(), lambda a, _: a.copy(), size)),
    _case("clone reversed", lambda size: rivals(lambda x, _: x[::-1].clone(), lambda a, _: a[::-1].copy(), size)),
    _case("assign every second", lambda size: rivals(assignment, assignment, size)),
    _case("tolist", lambda size: rivals(lambda x, _: x.tolist(), lambda a, _: a.tolist(), size)),
]
