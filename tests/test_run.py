"""`run.py` gives each test to one of its processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import run

TESTS = Path(__file__).parent


def collected(*options: str) -> list[str]:
    """The tests of some modules that pytest would run."""
    modules = (TESTS / "test_import.py", TESTS / "test_unknown.py")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options, *modules]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_parts_are_all_tests_once() -> None:
    parts = [collected(f"--part={k}/2") for k in (1, 2)]
    assert all(parts)
    assert sorted(name for part in parts for name in part) == sorted(collected())


@pytest.mark.parametrize(
    ("statuses", "together"),
    [({0}, 0), ({0, 5}, 0), ({5}, 5), ({0, 1}, 1), ({1, 5}, 1), ({2, 1}, 2), ({0, -9}, 9), ({5, -11}, 11)],
)
def test_a_failure_in_either_process_is_one(statuses: set[int], together: int) -> None:
    assert run.worst(statuses) == together
