"""`run.py` assigns each test to one of its processes, and a share of the tests to each level."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import run
import suanzi
from suanzi.operators.registry import records

pytestmark = pytest.mark.one_level

TESTS = Path(__file__).parent


MODULES = ("test_import.py", "test_unknown.py")


@cache
def collected(*options: str, level: str = "baseline", names: tuple[str, ...] = MODULES) -> list[str]:
    """Return the names of the tests in some modules that pytest would run with the given options, at a SIMD level."""
    modules = [TESTS / name for name in names]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options, *modules]
    environment = {**os.environ, "SUANZI_SIMD": level}
    done = subprocess.run(command, env=environment, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_parts_are_all_tests_once() -> None:
    parts = [collected(f"--part={k}/2") for k in (1, 2)]
    assert all(parts)
    assert sorted(name for part in parts for name in part) == sorted(collected())


def test_the_quick_tier_calls_each_operator() -> None:
    names = ("test_bad_input.py", "test_unknown.py")
    whole, *parts = (collected("--quick", *part, names=names) for part in ((), ("--part=1/2",), ("--part=2/2",)))
    assert sorted(whole) == sorted(name for part in parts for name in part)
    calls = (name.partition("::test_the_arguments_used_here_are_good[")[2] for name in whole)
    called = {name.rstrip("]") for name in calls if name}
    assert called == {record.name for record in records()} - {"einsum"}
    assert len(whole) < 1.5 * len(called)


def test_levels_share_tests() -> None:
    levels = suanzi._core.simd_levels()
    shares = [collected(f"--one-in={len(levels)}", level=level) for level in levels]
    assert all(shares)
    assert sorted(name for share in shares for name in share) == sorted(collected())


@pytest.mark.parametrize(
    ("statuses", "together"),
    [({0}, 0), ({0, 5}, 0), ({5}, 5), ({0, 1}, 1), ({1, 5}, 1), ({2, 1}, 2), ({0, -9}, 9), ({5, -11}, 11)],
)
def test_a_failure_in_either_process_is_one(statuses: set[int], together: int) -> None:
    assert run.worst(statuses) == together


@pytest.mark.parametrize(
    ("statuses", "together", "last"),
    [
        ({"avx2": 0, "baseline": 0}, 0, "== passed at avx2, baseline"),
        ({"avx512": 1, "avx2": 0, "baseline": 3}, 3, "== failed at avx512, baseline; passed at avx2"),
        ({"avx2": 5}, 5, "== failed at avx2"),
    ],
)
def test_the_conclusion(statuses: dict[str, int], together: int, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.conclusion(statuses) == together
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_a_level_that_fails_does_not_keep_the_others_from_running(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = suanzi._core.simd_levels()[::-1]
    monkeypatch.setattr(sys, "argv", ["run.py", "-q"])
    monkeypatch.setattr(run, "run", lambda level, given: int(level == levels[0]))
    assert run.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[3] for line in lines[:-1]] == list(levels)
    assert lines[-1] == f"== failed at {levels[0]}; passed at {', '.join(levels[1:])}"
