"""The calls in `numpy_calls.txt` return tensors for tensors, with the types and numbers of the results for arrays."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from like_numpy import assert_like_numpy, plain, tensors_in

import suanzi

pytestmark = pytest.mark.one_level

LINES = (Path(__file__).parent / "numpy_calls.txt").read_text(encoding="utf-8").splitlines()
CALLS = [line for line in LINES if line and not line.startswith("#")]
ARRAYS: dict[str, Any] = {
    "x": np.array([[0.25, 0.5, 0.75], [0.125, 0.625, 0.875]]),
    "y": np.array([[0.5, 0.25, 2.0], [1.5, 0.75, 0.5]]),
    "s": np.array([[4.0, 1.0], [1.0, 3.0]]),
    "v": np.array([0.5, 0.25, 0.875, 0.375]),
    "w": np.array([0.125, 1.75, -1.0, 0.5]),
    "i": np.array([6, 4, 0, 9, 3, 1]),
    "j": np.array([4, 6, 3, 2, 1, 8]),
    "b": np.array([[True, False, True], [False, False, True]]),
    "z": np.array([1 + 2j, -0.5j, 3.0, -1 + 0.25j]),
    "n": np.array([[0.25, np.nan, 0.75], [0.125, 0.625, 0.875]]),
    "p": np.array([2.0, -3.0, 1.0]),
    "t": np.array([0.0, 0.25, 0.75, 1.0]),
}


def names_of(calls: list[str]) -> set[str]:
    return {found[1] for call in calls for found in re.finditer(r"np\.([\w.]+)\(", call)}


def is_in_numpy(name: str) -> bool:
    try:
        attrgetter(name)(np)
    except AttributeError:
        return False
    return True


def test_there_are_enough() -> None:
    assert len(names_of(CALLS)) > 230


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: str) -> None:
    if not all(map(is_in_numpy, names_of([call]))):
        pytest.skip("this NumPy lacks the function")
    tensors = {key: suanzi.tensor(array) for key, array in ARRAYS.items()}
    found = eval(call, {"np": np}, tensors)
    expected = eval(call, {"np": np}, dict(ARRAYS))
    assert_like_numpy(found, expected)
    for part, array in zip(tensors_in(found), tensors_in(expected), strict=True):
        if isinstance(part, suanzi.Tensor) and not re.search("arg|count|index|sorted|mean", call):
            assert plain(part).dtype == array.dtype
