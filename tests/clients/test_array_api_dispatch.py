"""The tests of SciPy and scikit-learn on tensors run and pass in another process.

The two libraries dispatch on arrays only if SCIPY_ARRAY_API=1 is set before SciPy is imported, and other tests need
SciPy without dispatch. The programs with_scipy.py and with_sklearn.py therefore run in another process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi

pytestmark = pytest.mark.one_level

HERE = Path(__file__).parent


@pytest.mark.parametrize("module", ["with_scipy.py", "with_sklearn.py"])
def test_dispatch(module: str) -> None:
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": source}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", HERE / module]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "skipped" not in done.stdout


def test_the_example_of_the_document() -> None:
    page = (HERE.parents[1] / "docs" / "clients.md").read_text(encoding="utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", example], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("<class 'suanzi.Tensor'>\n", 0), done.stderr
