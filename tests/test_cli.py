"""The command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import suanzi
from suanzi import _core
from suanzi.cli.main import main
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import implementation

pytestmark = pytest.mark.one_level

IMPLEMENTED = [name for name in CATALOGUE if implementation(name)]


SOURCE = str(Path(suanzi.__file__).parents[1])


def run(*arguments: str, module: str = "suanzi.cli", encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, in which SUANZI is the command."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"}
    line = command.replace("SUANZI", f"{sys.executable} -m suanzi")
    return subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def run_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def test_ops() -> None:
    done = run("ops")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1] == f"{len(IMPLEMENTED)} of 134 implemented"
    rows = {line.split()[1]: line for line in lines[1:135]}
    assert list(rows) == list(CATALOGUE)
    for name, entry in CATALOGUE.items():
        assert entry.chinese in rows[name]
        assert entry.category.key in rows[name]
        assert ("not yet" not in rows[name]) == (name in IMPLEMENTED)


def test_ops_as_json() -> None:
    rows = run_json("ops")
    assert [row["name"] for row in rows] == list(CATALOGUE)
    assert [row["name"] for row in rows if row["implemented"]] == IMPLEMENTED
    assert all(row["chinese"] and row["category"]["chinese"] for row in rows)


def test_info() -> None:
    done = run("info")
    assert (done.returncode, done.stderr) == (0, "")
    for fact in (suanzi.__version__, _core.simd_level(), "threads", "BLAS", "cpu:0"):
        assert fact in done.stdout
    facts = run_json("info")
    assert (facts["version"], facts["devices"]) == (suanzi.__version__, ["cpu:0"])
    assert facts["simd"] in facts["simd_available"]
    assert facts["threads"] >= 1


def test_conformance() -> None:
    done = run("conformance", "--operator", "add", "--operator", "quantized_tensor", "--operator", "exp")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    operators = [line for line in lines[: lines.index("")] if not line.startswith(" ")]
    assert [line.split()[0] for line in operators] == ["add", "quantized_tensor", "exp"]
    assert ["pass" in line for line in operators] == [True, True, True]
    assert "(3 pass, 0 fail, 0 not provided, 0 blocked;" in lines[-1]
    report = json.loads(run("conformance", "--operator", "clip", "--json", "-").stdout)
    assert report["summary"]["pass"] == 1
    assert report["operators"][0]["operator"] == "clip"


def test_names_as_arguments() -> None:
    done = run("conformance", "sin", "add", "--operator", "exp", "--operator", "sin")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[: lines.index("")] if line[0] != " "] == ["sin", "add", "exp"]
    assert "(3 pass, 0 fail, 0 not provided, 0 blocked;" in done.stdout.splitlines()[-1]
    report = json.loads(run("conformance", "clip", "--json", "-").stdout)
    assert [row["operator"] for row in report["operators"]] == ["clip"]
    done = run("conformance", "sin", "nonsense", "Sin")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "conformance: nonsense, Sin: not an operator or a category of the standard\n"


def test_version() -> None:
    for done in (run("--version"), run("--version", module="suanzi"), shell("SUANZI --version")):
        assert (done.returncode, done.stdout, done.stderr) == (0, f"suanzi {suanzi.__version__}\n", "")


def test_the_package_as_a_command() -> None:
    assert run("info", module="suanzi").stdout == run("info").stdout
    done = run(module="suanzi")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: suanzi ")


def test_unknown_operators() -> None:
    done = run("conformance", "--operator", "nonsense")
    assert done.returncode == 2
    assert done.stderr == "conformance: nonsense: not an operator or a category of the standard\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["ops", "--nonsense"]])
def test_wrong_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: suanzi" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ops", "ops --help", "conformance add sin exp"])
def test_a_reader_who_has_seen_enough(command: str) -> None:
    done = shell(f"SUANZI {command} | head -n 1; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("command", ["ops", "conformance add"])
def test_output_that_cannot_be_written(command: str) -> None:
    done = shell(f"SUANZI {command} > /dev/full")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "suanzi: the output cannot be written: No space left on device\n"
    done = shell(f"SUANZI {command} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_without_chinese() -> None:
    done = run("ops", encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u52a0" in done.stdout  # 加
    done = run("ops", "--json", encoding="ascii")
    assert [row["chinese"] for row in json.loads(done.stdout)] == [entry.chinese for entry in CATALOGUE.values()]


def test_interrupted() -> None:
    """No traceback, and the status by which shells know it."""
    program = """if True:
        import signal, sys
        from suanzi.cli import commands, main
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have it ignored
        commands.ops = lambda options: signal.raise_signal(signal.SIGINT)
        sys.exit(main(["ops"]))"""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
