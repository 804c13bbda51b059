"""A program for aitisa_api compiles against suanzi/aitisa.h without a warning, and runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from test_example import build, environment
from test_header import COMPILERS, LANGUAGES

pytestmark = pytest.mark.one_level

PROGRAM = Path(__file__).with_name("aitisa.c")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_program(compiler: str, language: str, tmp_path: Path) -> None:
    program = build(compiler, language, tmp_path, PROGRAM)
    done = subprocess.run([program], env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
