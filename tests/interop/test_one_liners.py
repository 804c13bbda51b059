"""The lines of `one_liners.txt` have the same results on tensors as on arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from like_numpy import plain, tensors_in

import suanzi

pytestmark = pytest.mark.one_level

TEXT = (Path(__file__).parent / "one_liners.txt").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
ARRAYS: dict[str, Any] = {
    "x": np.array([[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]]),
    "y": np.array([[1.0, 0.5, -0.5], [0.25, 2.0, 1.0]]),
    "v": np.array([0.75, -1.5, 1.25, 0.25]),
    "w": np.array([0.5, 2.0, -0.25, 1.0]),
    "i": np.array([3, 1, 2, 6]),
    "k": np.array([0, 1, 1, 3]),
    "m": np.array([[True, False, True], [True, True, False]]),
    "q": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
    "s": np.array(["a", "bc"]),
}


@pytest.mark.parametrize("line", LINES)
def test_line(line: str) -> None:
    if "trapezoid" in line and not hasattr(np, "trapezoid"):
        pytest.skip("this NumPy lacks the function")
    tensors = {name: suanzi.tensor(array) for name, array in ARRAYS.items()}
    found = eval(line, {"np": np, **tensors})
    expected = eval(line, {"np": np, **ARRAYS})
    parts, wanted = tensors_in(plain(found)), tensors_in(plain(expected))
    assert len(parts) == len(wanted)
    for part, other in zip(parts, wanted, strict=True):
        if isinstance(other, np.ndarray | np.generic | float) and np.asarray(other).dtype.kind in "fc":
            np.testing.assert_allclose(part, other, rtol=1e-12, atol=1e-14)
        else:
            assert np.all(part == other)
        assert np.shape(part) == np.shape(other)


def test_there_are_enough() -> None:
    assert len(LINES) > 110
