"""Runs the tests at each SIMD level that the machine has, the best first.

If a level fails, the other levels still run. The last line names all failed levels, and the exit status is the worst
status. All tests run at the best level. Each other level runs a different third of the tests that depend on the level,
or all of these tests with `--whole`. Tests marked `one_level` run at the best level only. `--quick` starts the quick
run, which is short enough to repeat after each change. The quick run calls each operator once at the best level, and
runs one in 40 of all tests. The hashes of the tests' names select the tests.

    python tests/run.py [--quick] [--level LEVEL] [--whole] [arguments of pytest]

Two processes run side by side, and each process runs half of the tests. The script prints the output of the second
process when both processes have ended. With `-n` in the arguments pytest-xdist runs the tests instead. pytest-xdist
reports a test that ends its process, but needs 1.5 times as long for the many small tests.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROCESSES = 2
SHARE = 3


def worst(statuses: set[int]) -> int:
    """Return the worst status of several processes. The status "no tests" counts only if no process had tests."""
    told = statuses - {pytest.ExitCode.NO_TESTS_COLLECTED}
    return max(map(abs, told)) if told else pytest.ExitCode.NO_TESTS_COLLECTED


def run(level: str, given: list[str]) -> int:
    """Run the tests at a SIMD level in parallel processes, and return the worst exit status."""
    split = not any(a.startswith(("-n", "--numprocesses")) for a in given)
    parts = [f"--part={k}/{PROCESSES}" for k in range(1, PROCESSES + 1)] if split else []
    command = [sys.executable, "-m", "pytest", *given]
    environment = {**os.environ, "SUANZI_SIMD": level}
    if not parts:
        return subprocess.run(command, env=environment, cwd=TESTS.parent, check=False).returncode
    # Two processes would write the same list of failures.
    command += ["-p", "no:cacheprovider"]
    with tempfile.TemporaryFile() as later:
        processes = [
            subprocess.Popen([*command, part], env=environment, cwd=TESTS.parent, stdout=later if number else None)
            for number, part in enumerate(parts)
        ]
        statuses = {process.wait() for process in processes}
        later.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(later.read())
        sys.stdout.flush()
    return worst(statuses)


def conclusion(statuses: dict[str, int]) -> int:
    """Print the levels at which tests failed, if any, and return the worst status."""
    failed = [level for level, status in statuses.items() if status]
    passed = [level for level in statuses if level not in failed]
    if failed:
        print(f"== failed at {', '.join(failed)}" + (f"; passed at {', '.join(passed)}" if passed else ""), flush=True)
    else:
        print(f"== passed at {', '.join(passed)}")
    return max(statuses.values(), default=0)


def main() -> int:
    from suanzi import _core

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", help="the only SIMD level to run; `best` for the machine's best")
    parser.add_argument("--whole", action="store_true", help="no fewer tests at the other levels than at the best")
    parser.add_argument("--quick", action="store_true", help="a call of each operator and a small part of the tests")
    options, given = parser.parse_known_args()
    if options.quick:
        options.level, given = options.level or "best", ["--quick", *given]
    others = ["--only-by-level", *([] if options.whole else [f"--one-in={SHARE}"])]
    levels = _core.simd_levels()[::-1]
    if options.level:
        levels = levels[:1] if options.level == "best" else (options.level,)
    statuses: dict[str, int] = {}
    for number, level in enumerate(levels, start=1):
        print(f"== SIMD level {level} ({number} of {len(levels)})", flush=True)
        status = run(level, [*given, *(others if number > 1 else [])])
        has_no_share = number > 1 and status == pytest.ExitCode.NO_TESTS_COLLECTED
        statuses[level] = 0 if has_no_share else status
    return conclusion(statuses)


if __name__ == "__main__":
    sys.exit(main())
