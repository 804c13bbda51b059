"""A few hundred cases of NumPy's protocols agree with NumPy. The differential test draws every name in its tables."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from suanzi.interop.numpy import functions

SCRIPT = Path(__file__).parents[2] / "tools" / "differential" / "numpy_protocol.py"


def test_a_short_run() -> None:
    command = [sys.executable, str(SCRIPT), "--cases", "300", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SUANZI_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 cases in" in done.stdout


def test_every_name_is_drawn() -> None:
    found = importlib.util.spec_from_file_location("numpy_protocol", SCRIPT)
    assert found is not None
    assert found.loader is not None
    run = importlib.util.module_from_spec(found)
    found.loader.exec_module(run)
    for name in functions._ROWS.keys() - set(run.FUNCTIONS):
        with pytest.raises(AttributeError):  # an older NumPy lacks some names
            attrgetter(name)(np)
    assert {"add", "divmod", "float_power", "isnan", "matmul"} <= set(run.UFUNCS)
