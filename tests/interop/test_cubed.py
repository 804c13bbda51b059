"""Cubed computes with `suanzi.array_api`. Cubed reads the name of its backend from the environment at import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import suanzi

pytestmark = pytest.mark.one_level

A = np.arange(60.0).reshape(6, 10)
EXPECTED = {
    "blocks": A * 2,
    "elementwise": np.sin(A) + A / 3,
    "mean": A.mean(axis=0),
    "std": A.std(),
    "argmax": A.argmax(axis=1),
    "matmul": A @ A.T,
    "reshape": A.ravel(),
    "rechunk": A,
    "concat": np.concatenate([A, A], axis=1),
    "index": A[1:5, ::3],
    "nanmean": A.mean(axis=1),
    "overlap": np.pad(A, ((0, 0), (1, 0)))[:, :-1],
}


def test_results_are_those_of_numpy(tmp_path: Path) -> None:
    results = tmp_path / "found.npz"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(suanzi.__file__).parents[1]),
        "CUBED_BACKEND_ARRAY_API_MODULE": "suanzi.array_api",
    }
    program = Path(__file__).with_name("cubed_program.py")
    command = [sys.executable, str(program), str(tmp_path / "work"), str(results)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["suanzi.array_api", "suanzi.Tensor"]
    with np.load(results) as found:
        assert set(found) == set(EXPECTED)
        for name, array in EXPECTED.items():
            assert found[name].dtype == array.dtype, name
            np.testing.assert_allclose(found[name], array, rtol=1e-12, err_msg=name)
