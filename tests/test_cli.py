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

IMPLEMENTED = [name for name in CATALOGUE if implementation(name)]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "suanzi.cli", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


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
    assert [line.split()[0] for line in lines[:3]] == ["add", "quantized_tensor", "exp"]
    assert ["pass" in line for line in lines[:3]] == [True, True, True]
    assert lines[-1] == "3 pass, 0 fail, 0 not yet"
    report = run_json("conformance", "--operator", "clip")
    assert report["summary"]["pass"] == 1
    assert report["operators"][0]["entry"]["name"] == "clip"


def test_unknown_operators() -> None:
    done = run("conformance", "--operator", "nonsense")
    assert done.returncode == 2
    assert done.stderr == "conformance: nonsense: not an operator of the standard\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["ops", "--nonsense"]])
def test_wrong_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: suanzi" in capsys.readouterr().err


def test_a_reader_who_has_seen_enough() -> None:
    source = str(Path(suanzi.__file__).parents[1])
    command = f"{sys.executable} -m suanzi.cli ops | head -n 1; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
