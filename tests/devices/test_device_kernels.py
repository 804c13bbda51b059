"""Triton's interpreter runs the kernels of fused functions, and Triton compiles the kernels for GPUs of two makers."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")


def run(script: str, *arguments: str, **environment: str) -> str:
    folders = (HERE, HERE.parent, HERE.parent / "fusion", os.environ.get("PYTHONPATH", ""))
    given = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, map(str, folders)))} | environment
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@needs_triton
def test_kernels(tmp_path: Path) -> None:
    """Every kernel that the interpreter has run is compiled for the GPUs of two makers."""
    assert "flat" in run("interpreted.py", SUANZI_CACHE=str(tmp_path))
    sources = list((tmp_path / "kernels").glob("*.py"))
    assert len(sources) > 40
    made = run("compiled.py", str(tmp_path / "kernels"), TRITON_CACHE_DIR=str(tmp_path / "compiled"))
    assert int(made.split()[0]) >= 2 * len(sources)


def test_without_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    """`missing` returns the reason why kernels cannot run: the device, a missing C compiler, or missing Triton."""
    from suanzi.devices.triton import launch

    launch.missing.cache_clear()
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setattr(launch, "find_spec", lambda name: object())
    assert "no devices of cpu" in (launch.missing("cpu") or "")
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    assert "C compiler" in (launch.missing("cuda") or "")
    launch.missing.cache_clear()
    monkeypatch.setattr(launch, "find_spec", lambda name: None)
    assert launch.missing("cuda") == "Triton is not installed"
    launch.missing.cache_clear()


def test_sources_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suanzi.devices.triton import launch

    monkeypatch.setenv("SUANZI_CACHE", str(tmp_path))
    path = launch.stored("# nothing\n")
    assert path.parent == tmp_path / "kernels"
    path.write_text("something else")
    assert launch.stored("# nothing\n") == path
    assert path.read_text().endswith("# nothing\n")
    monkeypatch.setenv("SUANZI_CACHE", "/proc/none")
    assert launch.stored("# nothing\n").read_text().endswith("# nothing\n")
