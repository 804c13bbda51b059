"""CMake refuses a compiler that is missing or too old, and a module refuses a libsuanzi from another build.

The compilers in these tests are g++ under another name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[1]
SUPPORTED = "g++ 12 or newer, and clang++ 16 or newer"


def configure(build: Path, compiler: Path) -> tuple[int, str]:
    """Configure the project for a compiler. Return CMake's status, and CMake's message in one line."""
    command = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build]
    environment = {**os.environ, "CXX": str(compiler)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


def pretend(folder: Path, *macros: str) -> Path:
    """Write a compiler (g++ with macros that imitate another name and version), and return the path."""
    path = folder / "compiler"
    path.write_text(f'#!/bin/sh\nexec g++ {" ".join(macros)} "$@"\n')
    path.chmod(0o755)
    return path


def test_no_compiler(tmp_path: Path) -> None:
    status, said = configure(tmp_path / "build", tmp_path / "none")
    assert status != 0
    assert "suanzi: no C++ compiler was found" in said
    assert SUPPORTED in said


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
    assert SUPPORTED in said


def package_without_kernels(folder: Path) -> Path:
    """Copy the package without libsuanzi to a folder, and return the copy."""
    package = Path(suanzi.__file__).parent
    copy = folder / "suanzi"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "lib", "include"))
    (copy / "lib").mkdir()
    return copy


def import_error(package: Path) -> str:
    """Import a package and call an operator in a new process. Return the last line of the error."""
    command = [sys.executable, "-c", "import suanzi; suanzi.exp(suanzi.ones(3))"]
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    done = subprocess.run(command, env=environment, cwd=package.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


def test_the_module_has_its_kernels_from_libsuanzi(tmp_path: Path) -> None:
    assert "libsuanzi.so" in import_error(package_without_kernels(tmp_path))


OF_ANOTHER_BUILD = """
#include "kernels/built.h"
namespace suanzi {
const BuiltKernels& built_kernels() {
  static const BuiltKernels built{"others", nullptr, 0, nullptr};
  return built;
}
}
"""


def test_kernels_of_another_build_are_refused(tmp_path: Path) -> None:
    """A module refuses a table of kernels of another build, because the module would read the table wrongly."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is needed")
    package = package_without_kernels(tmp_path)
    source = tmp_path / "built.cpp"
    source.write_text(OF_ANOTHER_BUILD)
    command = ["g++", "-std=c++20", "-shared", "-fPIC", f"-I{ROOT / 'native'}", "-Wl,-soname,libsuanzi.so", source]
    subprocess.run([*command, "-o", package / "lib" / "libsuanzi.so"], check=True)
    assert "libsuanzi is from another build than the module" in import_error(package)
