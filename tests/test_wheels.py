"""The checks of tools/wheels.py find defects in small libraries that the tests compile.

Other tests cover the script that calls the compiler, Python's headers, and the metadata. No test builds a wheel.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

import wheels
from wheel_metadata import described

pytestmark = pytest.mark.one_level


def library(folder: Path, source: str, *options: str) -> Path:
    """Compile a shared library from a C++ source, and return the path. Skip the test without g++ or readelf."""
    if shutil.which("g++") is None or shutil.which("readelf") is None:
        pytest.skip("g++ and readelf are needed")
    (folder / "it.cpp").write_text(source)
    made = folder / "it.so"
    subprocess.run(["g++", "-shared", "-fPIC", folder / "it.cpp", *options, "-o", made], check=True)
    return made


GOOD = """
#include <complex.h>
_Complex double all(_Complex double z) { return casin(z) + cacos(z) + casinh(z); }
void copy(char* to, const char* from, unsigned long count) { __builtin_memcpy(to, from, count); }
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


def test_own_memcpy(tmp_path: Path) -> None:
    source = GOOD.replace("__builtin_memcpy(to, from, count)", "to[count] = *from")
    assert wheels.symbols(library(tmp_path, source, "-lm")) == ["memcpy of the C library"]


MODULE = """
void unwound(void (*)());
extern "C" void PyErr_Clear();
struct Guard { ~Guard() { PyErr_Clear(); } };
void call(void (*f)()) { Guard guard; unwound(f); }
"""


def test_module_and_the_library_of_its_kernels(tmp_path: Path) -> None:
    kernels = library(tmp_path, GOOD, "-lm", "-Wl,-soname,it.so")
    folder = tmp_path / "module"
    folder.mkdir()
    assert wheels.symbols(library(folder, MODULE, kernels.as_posix()), kernels) == []
    assert wheels.symbols(library(folder, MODULE), kernels) == ["the kernels of it.so"]
    needs_more = MODULE + "void more();\nvoid call_more() { more(); }"
    found = wheels.symbols(library(folder, needs_more, kernels.as_posix()), kernels)
    assert found == ["a version of _Z4morev"]


def test_compiler_is_told_the_level_and_the_optimisation(tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/bash\n" + wheels.COMPILER.format(caches="", zig="echo", triple="x86_64-linux-gnu.2.28"))
    compiler.chmod(0o755)

    def told(*given: str) -> list[str]:
        return subprocess.run([compiler, *given], capture_output=True, text=True, check=True).stdout.split()

    begin = ["c++", "-target", "x86_64-linux-gnu.2.28", "-g0", "-fomit-frame-pointer"]
    assert told("-O3", "-march=x86-64-v3") == [*begin, "-O3", "-march=x86_64_v3"]
    assert told("-march=armv8.2-a+dotprod") == [*begin, "-march=generic+v8_2a+dotprod"]
    assert told("-O3", "-O3", "-O1", "-c") == [*begin, "-O3", "-O3", "-O1", "-c", "-Xclang", "-O1"]
    assert told("-O1", "-O3") == [*begin, "-O1", "-O3"]


def test_headers_of_debians_python(tmp_path: Path) -> None:
    """`wheels.headers` copies the processor's pyconfig.h, which Debian keeps in a folder named after the processor."""
    own = f"{platform.machine()}-linux-gnu/python3.14"
    for folder, text in (("python3.14", f"#include <{own}/pyconfig.h>\n"), (own, "#define SIZEOF_LONG 8\n")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "pyconfig.h").write_text(text)
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {tmp_path}/python3.14\n")
    python.chmod(0o755)
    assert (wheels.headers(python, tmp_path / "copy") / "pyconfig.h").read_text() == "#define SIZEOF_LONG 8\n"


def test_wheel_for_too_young_systems(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"is not for glibc 2\.28"):
        wheels.inspect(tmp_path / "suanzi-0.1.0-cp312-cp312-manylinux_2_35_x86_64.whl", tmp_path / "files")


METADATA = """\
Metadata-Version: 2.4
Name: suanzi
Version: 0.1.0
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11

[guide](docs/guide.md#fusing) and [a file](LICENSE), [a place](#numbers), [elsewhere](https://keepachangelog.com)
"""
LICENCES = {"nanobind": "BSD-3-Clause", "libc++": "Apache-2.0 WITH LLVM-exception", "x": "BSD-3-Clause"}


def test_licences_in_the_metadata() -> None:
    fields, _, page = described(METADATA, LICENCES).partition("\n\n")
    assert "License-Expression: Apache-2.0 AND BSD-3-Clause AND Apache-2.0 WITH LLVM-exception" in fields.splitlines()
    files = [line for line in fields.splitlines() if line.startswith("License-File: ")]
    assert files == [f"License-File: {name}" for name in ("LICENSE", "nanobind.txt", "libc++.txt", "x.txt")]
    assert page == METADATA.partition("\n\n")[2]


def test_links_to_the_published_repository() -> None:
    fields, _, page = described(METADATA, LICENCES, "https://example.org/suanzi").partition("\n\n")
    at = "https://example.org/suanzi/blob/v0.1.0"
    assert "Project-URL: Source, https://example.org/suanzi" in fields.splitlines()
    assert f"Project-URL: Changelog, {at}/CHANGELOG.md" in fields.splitlines()
    assert f"[guide]({at}/docs/guide.md#fusing) and [a file]({at}/LICENSE), [a place](#numbers)," in page
    assert "[elsewhere](https://keepachangelog.com)" in page
