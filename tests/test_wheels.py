"""The checks of tools/wheels.py, on libraries and compilers made for it here; no wheel is made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import wheels

pytestmark = pytest.mark.one_level


def library(folder: Path, source: str, *options: str) -> Path:
    """A shared library of one C++ source."""
    if shutil.which("g++") is None or shutil.which("readelf") is None:
        pytest.skip("g++ and readelf are needed")
    (folder / "it.cpp").write_text(source)
    made = folder / "it.so"
    subprocess.run(["g++", "-shared", "-fPIC", *options, folder / "it.cpp", "-o", made], check=True)
    return made


GOOD = """
#include <complex.h>
_Complex double all(_Complex double z) { return casin(z) + cacos(z) + casinh(z); }
void may_throw();
extern "C" void PyErr_Clear();
struct Guard { ~Guard() { PyErr_Clear(); } };
void unwound(void (*f)()) { Guard guard; f(); }
"""


def test_good_library(tmp_path: Path) -> None:
    assert wheels.symbols(library(tmp_path, GOOD, "-lm")) == []


def test_symbol_of_no_version(tmp_path: Path) -> None:
    source = GOOD + 'extern "C" int gettid_of_younger_systems(); int id() { return gettid_of_younger_systems(); }'
    assert wheels.symbols(library(tmp_path, source, "-lm")) == ["a version of gettid_of_younger_systems"]


def test_own_unwinding(tmp_path: Path) -> None:
    found = wheels.symbols(library(tmp_path, GOOD, "-lm", "-static-libgcc"))
    assert found == ["unwinding by libgcc_s"]


def test_own_complex_functions(tmp_path: Path) -> None:
    source = GOOD.replace("casin(z) + ", "").replace(" + casinh(z)", "")
    found = wheels.symbols(library(tmp_path, source, "-lm"))
    assert found == ["casin of the C library", "casinh of the C library"]


def test_compiler_is_told_the_level_and_the_optimisation(tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/bash\n" + wheels.COMPILER.format(caches="", zig="echo", triple="x86_64-linux-gnu.2.28"))
    compiler.chmod(0o755)

    def told(*given: str) -> list[str]:
        return subprocess.run([compiler, *given], capture_output=True, text=True, check=True).stdout.split()

    begin = ["c++", "-target", "x86_64-linux-gnu.2.28", "-g0", "-fomit-frame-pointer"]
    assert told("-O3", "-march=x86-64-v3") == [*begin, "-O3", "-march=x86_64_v3"]
    assert told("-O3", "-O3", "-O1", "-c") == [*begin, "-O3", "-O3", "-O1", "-c", "-Xclang", "-O1"]
    assert told("-O1", "-O3") == [*begin, "-O1", "-O3"]


def test_wheel_for_too_young_systems(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"is not for glibc 2\.28"):
        wheels.inspect(tmp_path / "suanzi-0.1.0-cp312-cp312-manylinux_2_35_x86_64.whl", tmp_path / "files")
