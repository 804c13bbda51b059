"""The C example compiles as C and C++ without warnings, prints the output that its README shows, and leaks nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from interface import ROOT
from test_header import COMPILERS, LANGUAGES, WARNINGS

from suanzi import _core
from suanzi.conformance.providers.c_header import INCLUDE
from suanzi.conformance.providers.libsuanzi import LIBRARY

pytestmark = pytest.mark.one_level

EXAMPLE = ROOT / "examples" / "c"


def build(compiler: str, language: str, folder: Path, source: Path = EXAMPLE / "least_squares.c") -> Path:
    program = folder / "program"
    places = (f"-I{INCLUDE}", f"-L{LIBRARY.parent}", f"-Wl,-rpath,{LIBRARY.parent}", "-lsuanzi")
    command = [compiler, *LANGUAGES[language], *WARNINGS, "-g", source, *places, "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return program


def promised() -> str:
    """Return the example's output as its README shows the output."""
    text = (EXAMPLE / "README.md").read_text()
    found = re.search(r"^The program prints:\n\n```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of this process with the path of the BLAS library and further variables."""
    return {**os.environ, "SUANZI_BLAS_PATH": _core.blas()["path"], **more}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_example(compiler: str, language: str, tmp_path: Path) -> None:
    program = build(compiler, language, tmp_path)
    done = subprocess.run([program], env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, promised(), "")


def test_a_wrong_variable_of_the_environment_is_named(tmp_path: Path) -> None:
    """The first call that needs memory names the variable, and not only the call's own operator."""
    source = tmp_path / "full.c"
    source.write_text(
        """#include <stdio.h>
#include <suanzi.h>
int main(void) {
  const int64_t shape = 2;
  const SuanziScalar one = suanzi_scalar_float(1);
  SuanziTensor x = NULL;
  const SuanziStatus status = suanzi_full(&shape, 1, &one, SUANZI_FLOAT64, NULL, NULL, &x);
  printf("%s %s", suanzi_status_name(status), suanzi_last_message());
  return 0;
}
"""
    )
    program = build("gcc", "c", tmp_path, source)
    done = subprocess.run(
        [program], env=environment(SUANZI_CACHE_LIMIT="-1"), capture_output=True, text=True, check=False
    )
    message = "full: SUANZI_CACHE_LIMIT='-1' is not a number of bytes, which is a whole number of at least 0"
    assert done.stdout == f"STATUS_INVALID_ARGUMENT {message}"


def test_valgrind(tmp_path: Path) -> None:
    """Valgrind finds no error and no leak in Suanzi. Without Valgrind, CI lists the test as skipped."""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    program = build("gcc", "c", tmp_path)
    command = ["valgrind", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", program]
    # Valgrind lacks AVX-512. The test ignores errors that Valgrind reports within OpenBLAS.
    done = subprocess.run(
        command,
        env=environment(SUANZI_SIMD="baseline", SUANZI_NUM_THREADS="1", OPENBLAS_CORETYPE="Nehalem"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, promised()), done.stderr
    assert "definitely lost: 0 bytes" in done.stderr or "no leaks are possible" in done.stderr
