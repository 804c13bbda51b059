"""Fused functions and methods are pickled by name for other processes, and copied like Python functions."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi


@suanzi.fuse
def cube_and_one(x: Any) -> Any:
    return x * x * x + 1


@dataclass
class Line:
    slope: float

    @suanzi.fuse
    def at(self, x: Any) -> Any:
        return self.slope * x + 1

    @staticmethod
    @suanzi.fuse
    def doubled(x: Any) -> Any:
        return x + x


X = np.arange(5.0)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_by_name(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(cube_and_one, protocol)) is cube_and_one
    if protocol >= 4:  # older protocols cannot store dotted names
        assert pickle.loads(pickle.dumps(Line.doubled, protocol)) is Line.doubled
        assert pickle.loads(pickle.dumps(Line.at, protocol)) is Line.at
        method = pickle.loads(pickle.dumps(Line(3.0).at, protocol))
        np.testing.assert_array_equal(method(suanzi.tensor(X)), 3 * X + 1)


def test_anew_of_what_has_another_name() -> None:
    """Pickling a fused function that has no name in a module pickles the original function.

    Loading fuses the original function again.
    """
    fused = suanzi.fuse(operator.neg)
    fused(suanzi.tensor(X))
    other = pickle.loads(pickle.dumps(fused))
    assert other is not fused
    np.testing.assert_array_equal(other(suanzi.tensor(X)), -X)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(suanzi.fuse(lambda x: x))


def test_a_callable_object_without_a_name() -> None:
    fused = suanzi.fuse(operator.itemgetter(0))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fused))((suanzi.tensor(X),)), X)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes(method: str) -> None:
    x = suanzi.tensor(X)
    with ProcessPoolExecutor(1, get_context(method)) as pool:
        np.testing.assert_array_equal(pool.submit(cube_and_one, x).result(), X**3 + 1)
        np.testing.assert_array_equal(pool.submit(Line(0.5).at, x).result(), X / 2 + 1)


SCRIPT = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import suanzi

@suanzi.fuse
def square(x):
    return x * x

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        print(pool.submit(square, suanzi.tensor([3.0])).result().item())
"""


def test_a_function_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout) == (0, "9.0\n"), run.stderr


def test_a_function_that_was_typed_in_goes_by_value() -> None:
    """cloudpickle pickles the code of a function that a user typed into Python.

    Other processes cannot import such a function.
    """
    typed = """
import cloudpickle, suanzi
@suanzi.fuse
def square(x):
    return x * x
square(suanzi.ones(3))
print(cloudpickle.dumps(square).hex())
"""
    run = subprocess.run([sys.executable, "-c", typed], capture_output=True, text=True, timeout=120, check=True)
    square = pickle.loads(bytes.fromhex(run.stdout))
    np.testing.assert_array_equal(square(suanzi.tensor(X)), X * X)


def test_copies_are_the_function() -> None:
    assert copy.copy(cube_and_one) is cube_and_one
    assert copy.deepcopy({"f": cube_and_one})["f"] is cube_and_one
    line = Line(2.0)
    assert copy.deepcopy(line.at).__self__ == line
