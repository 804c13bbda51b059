"""mypy --strict and pyright accept a correct program of a user, and find each mistake in a wrong program.

CI runs the checkers, which `pip install '.[lint]'` installs (see .ci/run). The tests also run the correct program.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[2]
RIGHT = Path(__file__).parent / "programs" / "measurements.py"
WRONG = Path(__file__).parent / "programs" / "mistakes.py"
MARK = re.compile(r"# wrong$")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def mypy(program: Path, folder: Path) -> dict[int, str]:
    """Return mypy's message for each wrong line of a program. mypy runs with a user's settings.

    mypy reports no errors in an installed package. The options make mypy silent about the source tree as well, because
    some modules of the source tree need PyTorch.
    """
    strict = ("--strict", "--config-file=", "--follow-imports=silent")
    done = run(sys.executable, "-m", "mypy", *strict, "--cache-dir", folder, program)
    assert done.returncode < 2, done.stdout + done.stderr
    found = re.findall(r"^(.+?):(\d+): error: (.*)", done.stdout, re.MULTILINE)
    assert [line for line in found if not program.samefile(ROOT / line[0])] == []
    return {int(number): said for _, number, said in found}


def pyright(program: Path, folder: Path) -> dict[int, str]:
    # The checker reads the settings of its project folder, and checks only the files in that folder.
    project = folder / program.stem
    project.mkdir()
    shutil.copy(program, project)
    (project / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT / "src")]}))
    done = run(sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", project)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    errors = (found for found in report["generalDiagnostics"] if found["severity"] == "error")
    return {found["range"]["start"]["line"] + 1: found["message"] for found in errors}


CHECKERS = {"mypy": mypy, "pyright": pyright}


@pytest.mark.parametrize("checker", CHECKERS)
def test_programs(checker: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    assert CHECKERS[checker](RIGHT, tmp_path) == {}
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    marked = {number: line.strip() for number, line in enumerate(lines, start=1) if MARK.search(line)}
    found = CHECKERS[checker](WRONG, tmp_path)
    assert {number: line for number, line in marked.items() if number not in found} == {}
    assert {number: said for number, said in found.items() if number not in marked} == {}


def test_the_right_one_runs() -> None:
    facts = runpy.run_path(str(RIGHT))["main"]()
    assert all(isinstance(fact, int | float) for fact in facts.values())
    assert facts["kept"] == 6
    assert facts["words"] == 21
