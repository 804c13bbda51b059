"""Times calls that reports named as slow, in suanzi, in other libraries, and in an older tree of suanzi.

Run ``taskset -c 1 python benchmarks/slow_list.py`` (five minutes). Further arguments select cases by their names,
``--before SRC`` names the sources of an older tree, built in place, and ``--save FILE`` writes a Markdown table. Every
library has a process of its own with one thread, and the processes work in turns. Times are processor times, because
other processes may run at the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from slow_cases import CASES, Call, Case, call_of

LIBRARIES = ("before", "numpy", "scipy", "torch")
ROUNDS = 7
ROUND_SECONDS = 0.04
WINDOW_SECONDS = 1e-4
GOAL = 1.2
TITLE = "# Calls that reports named as slow"
METHOD = """`python benchmarks/slow_list.py --save docs/results/slow-list.md` writes this page. Every library has a
process of its own with one thread, and the processes take turns. A time is the least processor time of a call among
many windows. A window is one call, or as many short calls as take at least 0.05 ms. If a ratio is above 1.2, the script
measures about twice as many windows. The column of a library contains Suanzi's time divided by the library's time.
`before` is an older version of Suanzi, which `--before` may name. For calls with a ratio above 1.2, the last column
names the limit of the call."""


def least(call: Call) -> float:
    """Return the least seconds of a call. Each measured interval is much longer than the clock's resolution."""
    number, best, windows = 1, float("inf"), 0
    call()
    end = time.perf_counter() + ROUND_SECONDS
    while windows < 3 or time.perf_counter() < end:
        start = time.thread_time()
        for _ in range(number):
            call()
        spent = time.thread_time() - start
        if spent < WINDOW_SECONDS / 2:
            number *= 2
        else:
            best, windows = min(best, spent / number), windows + 1
    return best


def serve(library: str) -> None:
    """For each line of standard input, which is a case's number, print the least seconds of a round, or an error."""
    known, call = -1, None
    for line in sys.stdin:
        number = json.loads(line)
        try:
            if call is None or number != known:
                known, call = number, call_of(CASES[number], library, np.random.default_rng(number))
            answer: Any = least(call)
        except Exception as error:
            answer, call = repr(error), None
        print(json.dumps(answer), flush=True)


class Rival:
    """A process that times the calls of one library on request."""

    def __init__(self, library: str, sources: str | None) -> None:
        paths = [path for path in (sources, os.environ.get("PYTHONPATH")) if path]
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "SUANZI")}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, "--serve", library],
            env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, number: int) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(number) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        self._process.kill()


def measured(case: Case, rivals: dict[str, Rival]) -> dict[str, float]:
    """Return the least seconds of a case's call in each library that has the call."""
    number = CASES.index(case)
    asked = [name for name in rivals if name in case.calls or name == "before"]
    rounds = [{name: rivals[name].ask(number) for name in asked} for _ in range(ROUNDS)]
    times = {}
    for name in asked:
        answers = [found[name] for found in rounds]
        if isinstance(answers[0], str):
            print(f"{case.name}: {name}: {answers[0]}", file=sys.stderr)
        else:
            times[name] = min(answers)
    return times


def ratios_of(times: dict[str, float]) -> dict[str, float]:
    return {name: times["suanzi"] / seconds for name, seconds in times.items() if name != "suanzi"}


def row_of(case: Case, times: dict[str, float], columns: list[str]) -> list[str]:
    from suanzi.bench.timing import human

    ratios = ratios_of(times)
    cells = [f"{ratios[name]:.2f}" if name in ratios else "" for name in columns]
    return [case.name, human(times["suanzi"]), *cells, case.bound if max(ratios.values()) > GOAL else ""]


def machine() -> str:
    from importlib import metadata

    from suanzi import _core
    from suanzi.conformance.report import environment

    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "torch"))
    return (
        f"The processor is {environment()['processor']} at SIMD level {_core.simd_level()}, and each library used one "
        f"thread. The versions are {versions}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="words that select cases by their names; all by default")
    parser.add_argument("--before", help="the sources of an older tree, built in place")
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    columns = [name for name in LIBRARIES if name != "before" or options.before]
    rivals = {name: Rival(name, options.before if name == "before" else None) for name in ("suanzi", *columns)}
    chosen = [case for case in CASES if not options.words or any(word in case.name for word in options.words)]
    found = [measured(case, rivals) for case in tqdm(chosen)]
    for case, times in tqdm([*zip(chosen, found, strict=True)]):
        if max(ratios_of(times).values()) > GOAL:
            times.update({name: min(times[name], again) for name, again in measured(case, rivals).items()})
    rows = [row_of(case, times, columns) for case, times in zip(chosen, found, strict=True)]
    for rival in rivals.values():
        rival.end()
    print("\n".join(" | ".join(row) for row in rows))
    if options.save:
        header = ["call", "time", *columns, "what bounds it"]
        table = "\n".join("| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows))
        options.save.write_text("\n\n".join([TITLE, machine(), METHOD, table]) + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
