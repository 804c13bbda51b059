"""Runs benchmarks/devices.py at small size on PyTorch's CPU, so that an error of the script costs no time of a GPU."""

from __future__ import annotations

import importlib.util
import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from placing import GPU

PATH = Path(__file__).parents[2] / "benchmarks" / "devices.py"


def script() -> Any:
    spec = importlib.util.spec_from_file_location("devices_script", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("part", ["machine", "errors", "small calls", "products", "philox", "accuracy"])
def test_parts(part: str, tmp_path: Path) -> None:
    module = script()
    module.run_part(part, Namespace(device=GPU, scale=2**20, seconds=60.0, out=tmp_path))
    found = json.loads(next(tmp_path.glob("*.json")).read_text())
    assert found["part"] == part
    assert found["rows"]
    assert all(row.get("right", True) is True for row in found["rows"]), found["rows"]
    assert module.table(found["rows"]).count("\n") == len(found["rows"]) + 1


def test_limits() -> None:
    """Each part of the script has a time limit. The sum of the limits is at most 560 seconds."""
    module = script()
    assert list(module.LIMITS) == list(module.PARTS)
    assert sum(module.LIMITS.values()) <= 560
