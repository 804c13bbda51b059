"""Tests of the BLAS library: its choice, when it is loaded, its threads, and the error if no library can be loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import suanzi
from suanzi import _core
from suanzi.operators.linalg import library

pytestmark = pytest.mark.one_level


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a new process with the given environment variables, and return the ended process."""
    variables = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1]), **environment}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


def test_what_is_loaded() -> None:
    facts = _core.blas()
    kind, path = library.locate()
    assert facts["name"].lower() == kind
    assert facts["path"] == path
    assert Path(path).is_file()
    assert any(digit.isdigit() for digit in facts["version"])


@pytest.fixture
def mkl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write an MKL wheel's files, with an empty library, to a folder on Python's path. Return the library's path."""
    path = tmp_path / "lib" / "libmkl_rt.so.2"
    packages = path.parent / "site-packages"
    record = packages / "mkl-2024.0.dist-info"
    record.mkdir(parents=True)
    path.touch()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: mkl\nVersion: 2024.0\n", encoding="utf-8")
    (record / "RECORD").write_text("../libmkl_core.so.2,,\n../libmkl_rt.so.2,,\n", encoding="utf-8")
    monkeypatch.syspath_prepend(packages)
    monkeypatch.delenv("SUANZI_BLAS", raising=False)
    return str(path)


def test_mkl_is_preferred(mkl: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.locate() == ("mkl", mkl)
    monkeypatch.setenv("SUANZI_BLAS", "openblas")
    kind, path = library.locate()
    assert kind == "openblas"
    assert Path(path).is_file()
    monkeypatch.setenv("SUANZI_BLAS", "mkl")
    assert library.locate() == ("mkl", mkl)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("", "neither MKL nor OpenBLAS is installed; pip install scipy-openblas64"),
        ("mkl", r"mkl is not installed; pip install 'suanzi\[mkl\]', or unset SUANZI_BLAS"),
        ("openblas", "openblas is not installed; pip install scipy-openblas64"),
    ],
)
def test_nothing_is_installed(wanted: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SUANZI_BLAS", wanted)
    standard = [folder for folder in sys.path if "site-packages" not in folder]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *standard])
    with pytest.raises(suanzi.InternalError, match=f"^BLAS: {said}$"):
        library.locate()


def test_the_environment_chooses() -> None:
    done = run("import json; from suanzi import _core; print(json.dumps(_core.blas()))", SUANZI_BLAS="openblas")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "OpenBLAS"


def test_an_unknown_choice_is_refused() -> None:
    done = run("from suanzi import _core; _core.blas()", SUANZI_BLAS="atlas")
    assert (
        "InvalidArgumentError: SUANZI_BLAS: the variable SUANZI_BLAS is 'atlas', which is not one of mkl, openblas"
        in done.stderr
    )


LOADS = """
import suanzi
from suanzi import _core
_core.register_blas(lambda: {answer})
try:
    _core.blas()
except suanzi.SuanziError as error:
    print(type(error).__name__, error)
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("('openblas', '/nowhere/lib.so')", "InternalError BLAS: /nowhere/lib.so does not load"),
        ("('openblas', 'libm.so.6')", "InternalError BLAS: libm.so.6 has no symbol scipy_cblas_sgemm64_"),
        ("('mkl', 'libm.so.6')", "InternalError BLAS: libm.so.6 has no symbol cblas_sgemm_64"),
        ("('atlas', 'libm.so.6')", "InternalError BLAS: no library of kind 'atlas' is known"),
        ("1 / 0", "ZeroDivisionError"),
        ("None", "SystemError"),
    ],
)
def test_what_is_said_where_it_does_not_load(answer: str, said: str) -> None:
    done = run(LOADS.format(answer=answer))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(said)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_importing_loads_nothing() -> None:
    maps = "open('/proc/self/maps').read()"
    mine = Path(library.locate()[1]).name
    done = run(f"import suanzi; before = {mine!r} in {maps}; suanzi._core.blas(); print(before, {mine!r} in {maps})")
    assert done.stdout.split() == ["False", "True"]
