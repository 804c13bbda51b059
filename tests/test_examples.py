"""The programs in examples/ run as a user runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import suanzi

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, directory: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    command = [sys.executable, str(EXAMPLES / name)]
    done = subprocess.run(command, env=environment, cwd=directory, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_iris(tmp_path: Path) -> None:
    """150 flowers, 50 of each species; most of them are where they belong."""
    text = run("iris.py", tmp_path)
    table = [[int(n) for n in line.split()[1:]] for line in text.splitlines() if re.search(r"^\w+( +\d+){3}$", line)]
    assert [sum(row) for row in table] == [50, 50, 50]
    correct = sum(table[i][i] for i in range(3))
    assert correct >= 120
    assert f"{correct / 150:.1%}" in text


def test_digits(tmp_path: Path) -> None:
    """The network reads as many of the held-out digits right as scikit-learn did with it."""
    ours, theirs = re.findall(r"(\d+\.\d+)%", run("digits.py", tmp_path))
    assert ours == theirs
    assert float(ours) > 95


def test_examples_use_the_public_interface_alone() -> None:
    for program in EXAMPLES.glob("*.py"):
        text = program.read_text(encoding="utf-8").replace("from suanzi.interop import onnx", "")
        assert not re.search(r"suanzi\._core|from suanzi\.|import suanzi\.", text)
