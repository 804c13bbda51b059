"""Runs the tests once per SIMD level that the machine has, the best first, and stops at the first that fails.

What conftest.py says does not depend on the level runs at the best one only.

python tests/run.py [arguments of pytest]
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def arguments(given: list[str]) -> list[str]:
    """pytest's command line: two processes where xdist is there and nothing else is asked for."""
    chosen = any(a.startswith(("-n", "--numprocesses")) for a in given)
    parallel = importlib.util.find_spec("xdist") is not None and not chosen
    return [*(["-n", "2"] if parallel else []), *given]


def main() -> int:
    from suanzi import _core

    levels = _core.simd_levels()[::-1]
    for number, level in enumerate(levels, start=1):
        print(f"== SIMD level {level} ({number} of {len(levels)})", flush=True)
        once = ["--only-by-level"] if number > 1 else []
        command = [sys.executable, "-m", "pytest", *arguments(sys.argv[1:]), *once]
        environment = {**os.environ, "SUANZI_SIMD": level}
        status = subprocess.run(command, env=environment, cwd=TESTS.parent, check=False).returncode
        if status and not (number > 1 and status == pytest.ExitCode.NO_TESTS_COLLECTED):
            print(f"== failed at SIMD level {level}", flush=True)
            return status
    print(f"== passed at {', '.join(levels)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
