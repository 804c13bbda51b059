"""The messages for a user whose compiler is missing or too old. The compilers here are g++ under a false name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]
WHAT_WORKS = "g++ 12 or newer, or clang++ 16 or newer"


def configure(build: Path, compiler: Path) -> tuple[int, str]:
    """Return CMake's status, and its message in one line."""
    command = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build]
    environment = {**os.environ, "CXX": str(compiler)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


def pretend(folder: Path, *macros: str) -> Path:
    """A compiler that takes itself for another one."""
    path = folder / "compiler"
    path.write_text(f'#!/bin/sh\nexec g++ {" ".join(macros)} "$@"\n')
    path.chmod(0o755)
    return path


def test_no_compiler(tmp_path: Path) -> None:
    status, said = configure(tmp_path / "build", tmp_path / "none")
    assert status != 0
    assert "suanzi: no C++ compiler was found" in said
    assert WHAT_WORKS in said


@pytest.mark.parametrize(
    ("macros", "name"),
    [
        (["-U__GNUC__", "-D__GNUC__=11"], "GNU 11."),
        (["-D__clang__", "-D__clang_major__=15", "-D__clang_minor__=0", "-D__clang_patchlevel__=7"], "Clang 15.0.7"),
    ],
)
def test_old_compiler(tmp_path: Path, macros: list[str], name: str) -> None:
    compiler = pretend(tmp_path, *macros)
    status, said = configure(tmp_path / "build", compiler)
    assert status != 0
    assert f"{compiler} is {name}" in said
    assert "which is too old" in said
    assert WHAT_WORKS in said
