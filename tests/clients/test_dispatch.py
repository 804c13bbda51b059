"""SciPy and scikit-learn dispatch on arrays only where SCIPY_ARRAY_API=1 is set before SciPy is imported: a process of
its own for with_scipy.py and with_sklearn.py, as other tests want SciPy without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi

HERE = Path(__file__).parent


@pytest.mark.parametrize("module", ["with_scipy.py", "with_sklearn.py"])
def test_dispatch(module: str) -> None:
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": source}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", HERE / module]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "skipped" not in done.stdout
