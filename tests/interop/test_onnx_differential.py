"""Some hundred random models agree with ONNX's evaluator. The differential test draws every row of ONNX's table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import defs

SCRIPT = Path(__file__).parents[2] / "tools" / "differential" / "onnx_operators.py"

LISTED = """
import sys
sys.path.insert(0, sys.argv[1])
import onnx_operators
from suanzi.interop.onnx.table import TABLE
tensors = {name for name, rows in TABLE.items() if rows[-1].family not in onnx_operators.NO_TENSORS}
assert {schema.name for schema in onnx_operators.schemas()} == tensors - {*onnx_operators.APART}
"""


if defs.onnx_opset_version() < 28:
    pytest.skip("the evaluator of onnx before 1.23 is wrong in more places than are known", allow_module_level=True)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SUANZI_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False)


def test_a_short_run() -> None:
    done = run(str(SCRIPT), "--cases", "250", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "250 cases in" in done.stdout


def test_every_row_is_drawn() -> None:
    done = run("-c", LISTED, str(SCRIPT.parent))
    assert done.returncode == 0, done.stderr
