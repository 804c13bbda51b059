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


def configure(build: Path, compiler: Path | str, *options: str, **variables: str) -> tuple[int, str]:
    """Configure the project for a compiler. Return CMake's status, and CMake's message in one line."""
    command = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options]
    environment = {**os.environ, "CXX": str(compiler), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, " ".join(done.stderr.split())


def configured(build: Path, compiler: Path | str, *options: str, **variables: str) -> tuple[int, str]:
    """Configure the project with nanobind. Return CMake's status and message."""
    ask = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    found = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        pytest.skip("nanobind is needed")
    python = f"-DPython_EXECUTABLE={sys.executable}"
    return configure(build, compiler, python, f"-Dnanobind_DIR={found}", *options, **variables)


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


def commands(build: Path) -> str:
    """Return the commands of a build folder with their options."""
    return "".join((build / name).read_text() for name in ("build.ninja", "CMakeFiles/rules.ninja"))


def test_a_wrong_option_is_not_a_missing_compiler(tmp_path: Path) -> None:
    status, said = configure(tmp_path / "build", "g++", CXXFLAGS="-fno-such-option")
    assert status != 0
    assert "no C++ compiler" not in said
    assert "-fno-such-option" in said


def test_compilers_with_a_launcher_and_options(tmp_path: Path) -> None:
    status, said = configured(tmp_path / "build", "env g++ -DOF_THE_USER")
    assert status == 0, said
    assert "OF_THE_USER" in commands(tmp_path / "build")


def test_options_of_inexact_arithmetic_are_left_out(tmp_path: Path) -> None:
    """The option -ffast-math in the linker's command makes denormal numbers zero in the whole process."""
    options = {"CXXFLAGS": "-O2 -ffast-math -DOF_THE_USER -Ofast", "LDFLAGS": "-ffast-math -Wl,--as-needed"}
    status, said = configured(tmp_path / "build", "g++", **options)
    assert status == 0, said
    rules = commands(tmp_path / "build")
    for option, is_kept in (("fast-math", False), ("-Ofast", False), ("OF_THE_USER", True), ("as-needed", True)):
        assert (option in rules) is is_kept, option
    assert "the option -ffast-math would make results wrong" in said


@pytest.mark.parametrize("levels", ["avx2,avx512", "AVX2", "avx2;avx52"])
def test_unknown_levels_are_refused(tmp_path: Path, levels: str) -> None:
    status, said = configured(tmp_path / "build", "g++", f"-DSUANZI_LEVELS={levels}")
    assert status != 0
    assert "names the unknown level" in said
    assert "a semicolon stands between two levels" in said


def test_paths_that_cmake_cannot_read(tmp_path: Path) -> None:
    sources = tmp_path / "a [b]"
    shutil.copytree(ROOT / "native", sources / "native")
    shutil.copy(ROOT / "CMakeLists.txt", sources)
    command = ["cmake", "-S", sources, "-B", tmp_path / "build"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Move the sources to another folder" in " ".join(done.stderr.split())


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


def test_a_module_that_is_not_compiled(tmp_path: Path) -> None:
    """The error names the Python for which the folder has a module, and not a circular import."""
    package = package_without_kernels(tmp_path)
    (module,) = package.glob("_core*.so")
    module.rename(package / "_core.cpython-39-x86_64-linux-gnu.so")
    said = import_error(package)
    assert f"compiled core for Python {sys.version_info[0]}.{sys.version_info[1]} is not in" in said
    assert "_core.cpython-39-x86_64-linux-gnu.so; install suanzi for this Python" in said
    (package / "_core.cpython-39-x86_64-linux-gnu.so").unlink()
    assert "install suanzi again" in import_error(package)


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
