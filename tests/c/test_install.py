"""The output of `suanzi info --c` works for compilers, pkg-config and CMake, also if the package was moved."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from interface import ROOT
from test_example import EXAMPLE, environment, promised
from test_header import WARNINGS

import suanzi
from suanzi.cli import c_interface
from suanzi.cli.c_interface import PACKAGE
from suanzi.cli.main import main
from suanzi.conformance.providers.c_header import INCLUDE
from suanzi.conformance.providers.libsuanzi import LIBRARY

pytestmark = pytest.mark.one_level

SOURCES = ROOT / "native" / "c"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a moved package: a copy of the installed package, or of the files to be installed."""
    folder = tmp_path / "a folder" / "suanzi"
    if (PACKAGE / "include").exists():
        for part in ("include", "lib"):
            shutil.copytree(PACKAGE / part, folder / part)
    else:
        shutil.copytree(INCLUDE, folder / "include")
        for part in ("pkgconfig", "cmake/suanzi"):
            (folder / "lib" / part).mkdir(parents=True)
        shutil.copy(LIBRARY, folder / "lib")
        shutil.copy(SOURCES / "suanziConfig.cmake", folder / "lib" / "cmake" / "suanzi")
        template = (SOURCES / "suanzi.pc.in").read_text()
        (folder / "lib" / "pkgconfig" / "suanzi.pc").write_text(
            template.replace("@SUANZI_VERSION@", suanzi.__version__)
        )
    places = {name: folder / path.relative_to(PACKAGE) for name, path in c_interface.FOLDERS.items()}
    monkeypatch.setattr(c_interface, "FOLDERS", places)
    return folder


def told(capsys: pytest.CaptureFixture[str], what: str = "") -> str:
    """Return the output of `suanzi info --c`, or of `suanzi info --c=WHAT` if `what` is given."""
    assert main(["info", f"--c={what}" if what else "--c"]) == 0
    return capsys.readouterr().out.strip()


def output(program: Path) -> str:
    done = subprocess.run([program], env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_flags(package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """gcc compiles a program with the printed flags. The space in the folder's path must not separate flags."""
    flags = shlex.split(told(capsys))
    program = tmp_path / "program"
    subprocess.run(["gcc", "-std=c11", *WARNINGS, EXAMPLE / "least_squares.c", *flags, "-o", program], check=True)
    assert output(program) == promised()


def test_cmake(package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = tmp_path / "build"
    prefix = f"-DCMAKE_PREFIX_PATH={told(capsys, 'cmake')}"
    # The test builds with ninja, which the extra `test` installs. CMake's default generator may be missing.
    subprocess.run(["cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", build, prefix], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    assert output(build / "least_squares") == promised()


def test_pkg_config(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The paths in suanzi.pc lead to the header and the library of the same package."""
    text = (Path(told(capsys, "pkgconfig")) / "suanzi.pc").read_text()
    variables = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))

    def folder(name: str) -> Path:
        value = variables[name].replace("${pcfiledir}", str(package / "lib" / "pkgconfig"))
        return Path(re.sub(r"\$\{(\w+)\}", lambda found: str(folder(found[1])), value))

    assert (folder("includedir") / "suanzi.h").exists()
    assert (folder("libdir") / "libsuanzi.so").exists()
    assert f"Version: {suanzi.__version__}" in text
    assert told(capsys, "include") == str(package / "include")


def test_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(c_interface, "FOLDERS", dict.fromkeys(c_interface.FOLDERS, tmp_path))
    assert main(["info", "--c"]) == 1
    assert "no suanzi.h" in capsys.readouterr().err
