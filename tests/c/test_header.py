"""libsuanzi exports the functions that suanzi.h declares, and C and C++ compilers accept the header."""

from __future__ import annotations

import ctypes as ct
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from interface import library

import suanzi
from suanzi.conformance.providers.c_header import INCLUDE, prototypes
from suanzi.conformance.providers.libsuanzi import LIBRARY
from suanzi.operators.catalogue import CATALOGUE

pytestmark = pytest.mark.one_level

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
LANGUAGES = {"c": ("-x", "c", "-std=c99"), "c++": ("-x", "c++", "-std=c++17")}
# Every machine that builds libsuanzi has gcc. Some machines have clang.
CLANGS = (
    "clang",
    *(f"clang-{version}" for version in range(25, 15, -1)),
)  # Debian's compilers have a version in their names
COMPILERS = ["gcc", *[*filter(shutil.which, CLANGS)][:1]]


def exported() -> set[str]:
    """Return the symbols that libsuanzi exports."""
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


# The symbol of native/kernels/built.h, by which Python's module finds the kernels.
FOR_THE_MODULE = "_ZN6suanzi13built_kernelsEv"


def test_what_is_declared_is_exported() -> None:
    assert exported() == {*prototypes(), FOR_THE_MODULE}


def test_all_operators_are_declared() -> None:
    names = {f"suanzi_{name.removeprefix('fft.')}" for name in CATALOGUE}
    assert len(names) == 134
    assert names <= set(prototypes())


def test_every_function_is_documented() -> None:
    """Each group of prototypes in a header has a comment. Empty lines separate the groups."""
    for header in INCLUDE.rglob("*.h"):
        blocks = header.read_text(encoding="utf-8").split("\n\n")
        for block in blocks:
            assert "SUANZI_API Suanzi" not in block or "/*" in block, f"{header.name}: {block}"


def test_no_other_library_is_needed() -> None:
    """libsuanzi depends only on the C library and the compiler's runtime, and not on Python."""
    needed = subprocess.run(["objdump", "-p", LIBRARY], capture_output=True, text=True, check=True).stdout
    names = [line.split()[1] for line in needed.splitlines() if "NEEDED" in line]
    runtime = ("libc.", "libm.", "libstdc++.", "libgcc_s.", "ld-linux", "libdl.", "libpthread.", "libc++")
    assert [name for name in names if not name.startswith((*runtime, "libasan.", "libubsan.", "libtsan."))] == []


def test_version() -> None:
    assert library().suanzi_c_version() == 200
    assert library().suanzi_implementation().decode() == f"suanzi {suanzi.__version__}"


def test_constants() -> None:
    """Statuses have the same names and numbers in C and in Python."""
    text = (INCLUDE / "suanzi" / "types.h").read_text(encoding="utf-8")
    for status in suanzi.Status:
        assert f"SUANZI_STATUS_{status.name.removeprefix('STATUS_')} = {status.value}" in text
        name = "STATUS_SUCCESS" if status.value == 0 else f"STATUS_{status.name}"
        assert library().suanzi_status_name(status.value).decode() == name
    assert library().suanzi_status_name(ct.c_int32(-1)) == b"STATUS_UNKNOWN"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("header", ["suanzi.h", "suanzi/creation.h", "suanzi/linalg.h"])
def test_header_alone(compiler: str, language: str, header: str, tmp_path: Path) -> None:
    """The whole header compiles, and each part of the header compiles alone."""
    source = tmp_path / "program"
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n")
    command = [compiler, *LANGUAGES[language], *WARNINGS, f"-I{INCLUDE}", "-fsyntax-only", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_reductions_have_the_numbers_of_the_table() -> None:
    """The header's number of each reduction is the index of the reduction in the core's table."""
    text = (INCLUDE / "suanzi" / "reduction.h").read_text()
    numbered = {name.lower(): int(number) for name, number in re.findall(r"SUANZI_REDUCE_(\w+) = (\d+)", text)}
    assert numbered == {name: number for number, (name, _) in enumerate(suanzi._core.reductions)}
