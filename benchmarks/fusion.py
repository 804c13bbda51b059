"""Compares the times of fused functions, of the same functions without fusion, and of other libraries.

``python benchmarks/fusion.py`` prints the tables, ``--sizes 1000000`` selects sizes, and ``--save FILE`` writes
Markdown. Each library runs in its own process, with as many threads as suanzi. The libraries compile before the timing,
and a separate table has the durations of the compilations. The functions are in fusion_cases.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from fusion_cases import CASES, arrays_of, function_of

LIBRARIES = ("fused", "suanzi", "numpy", "numexpr", "blosc2", "torch", "torch.compile", "jax")
OURS = ("fused", "suanzi")
PREPARING = ("fused", "torch.compile", "jax")  # libraries whose first call compiles
SIZES = (1_000, 100_000, 1_000_000, 10_000_000)
BEYOND_CACHES = 10_000_000  # memory limits the speed at this size and above
STREAM = 50_000_000  # float64 elements of each array of the triad
THREADS = len(os.sched_getaffinity(0))

# The keys are "case|dtype|size" for microseconds, and "case|dtype|first" for the seconds of the first call.
Times = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--dtypes", default="float32,float64")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--stream", type=int, default=STREAM, help="elements of the triad that measures the bandwidth")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    sizes, dtypes, cases = [int(n) for n in given.sizes.split(",")], given.dtypes.split(","), given.cases.split(",")
    if given.worker:
        found = triad(given.stream) if given.worker == "triad" else run(given.worker, cases, sizes, dtypes)
        print(json.dumps(found))
        return
    options = ["--sizes", given.sizes, "--dtypes", given.dtypes, "--cases", given.cases, "--stream", str(given.stream)]
    bandwidth = max(worker("triad", options).values(), default=0.0)
    times = {name: found for name in given.libraries.split(",") if (found := worker(name, options))}
    rows = [(case, dtype, size) for case in cases for dtype in dtypes for size in sizes]
    text = "\n\n".join([
        f"The bandwidth of a triad, `a + s * b` of {given.stream:,} float64 elements, was {bandwidth / 1e9:.1f} GB/s.",
        table(times, rows, bandwidth),
        "The first call includes tracing or compiling. The next table has the seconds of the first call:",
        first_calls(times, list(dict.fromkeys(row[:2] for row in rows))),
    ])  # fmt: skip
    print(text)
    if given.save:
        given.save.write_text(text + "\n", encoding="utf-8")


def worker(name: str, options: list[str]) -> Times:
    """Return the times that a separate process measures for a library, or no times if the process fails."""
    count = str(THREADS)
    environment = {**os.environ, "OMP_NUM_THREADS": count, "NUMEXPR_NUM_THREADS": count, "BLOSC_NTHREADS": count}
    environment["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"  # with caches, only the first run would compile
    command = [sys.executable, __file__, "--worker", name, *options]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    sys.stderr.write("".join(f"{name}: {line}\n" for line in ended.stderr.splitlines() if line.startswith("skipped")))
    if ended.returncode:
        print(f"{name}: {ended.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def triad(size: int) -> Times:
    """Return the bytes per second of STREAM's triad, computed by a fused function and by numexpr for comparison."""
    import numpy as np

    import suanzi

    a, b = np.ones(size), np.ones(size)
    x, y = suanzi.tensor(a), suanzi.tensor(b)
    fused = suanzi.fuse(lambda a, b: a + 3.0 * b)
    calls: dict[str, Callable[[], object]] = {"fused": lambda: fused(x, y)}
    try:
        import numexpr

        out = np.empty(size)
        calls["numexpr"] = lambda: numexpr.evaluate("a + 3.0 * b", local_dict={"a": a, "b": b}, out=out)
    except ModuleNotFoundError as error:
        print(f"skipped: {error}", file=sys.stderr)
    return {name: 3 * 8 * size / min(once(call) for _ in range(10)) for name, call in calls.items()}


def run(library: str, cases: list[str], sizes: list[int], dtypes: list[str]) -> Times:
    times: Times = {}
    started = library not in PREPARING
    for case in cases:
        for dtype in dtypes:
            for size in sizes:
                try:
                    arrays = arrays_of(library, case, size, dtype, THREADS)
                    if (function := function_of(library, case)) is None:
                        continue
                    if not started:  # this call starts the library before the timing
                        function(*arrays)
                        started, function = True, function_of(library, case) or function
                    call = partial(function, *arrays)
                    times.setdefault(f"{case}|{dtype}|first", once(call))
                    times[f"{case}|{dtype}|{size}"] = 1e6 * timed(call, size)
                except Exception as error:  # the library may lack the type
                    print(f"skipped: {case}, {dtype}: {error!r:.150}".replace("\n", " "), file=sys.stderr)
    return times


def once(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def timed(call: Callable[[], object], size: int) -> float:
    """Return the median seconds of a call. Each of several measurements times calls for at least a millisecond."""
    each = max(1, int(1e-3 / max(once(call), 1e-7)))
    samples = []
    for _ in range(7 if size > 1_000_000 else 15):
        start = time.perf_counter()
        for _ in range(each):
            call()
        samples.append((time.perf_counter() - start) / each)
    return median(samples)


def table(times: dict[str, Times], rows: list[tuple[str, str, int]], bandwidth: float) -> str:
    """Return a table of microseconds by case, type and size, and of the ratio of fused time to the fastest other time.

    The table also has the share of the memory bandwidth for functions that memory limits.
    """
    head = ["case", "type", "size", *times, "fused over the fastest", "share of the bandwidth"]
    lines = [head, ["---"] * len(head)]
    for case, dtype, size in rows:
        cells = {library: found.get(f"{case}|{dtype}|{size}") for library, found in times.items()}
        others = [t for library, t in cells.items() if t is not None and library not in OURS]
        fused = cells.get("fused")
        ratio = f"{fused / min(others):.2f}" if others and fused else ""
        share = ""
        if fused and bandwidth and size >= BEYOND_CACHES and (numbers := CASES[case].moved):
            share = f"{numbers * int(dtype[-2:]) / 8 * size / (fused * 1e-6) / bandwidth:.0%}"
        shown = [f"{t:,.1f}" if t is not None else "" for t in cells.values()]
        lines.append([case, dtype, f"{size:,}", *shown, ratio, share])
    return markdown(lines)


def first_calls(times: dict[str, Times], rows: list[tuple[str, str]]) -> str:
    libraries = [name for name in PREPARING if name in times]
    lines = [["case", "type", *libraries], ["---"] * (len(libraries) + 2)]
    for case, dtype in rows:
        cells: list[Any] = [times[library].get(f"{case}|{dtype}|first") for library in libraries]
        lines.append([case, dtype, *(f"{t:.4f}" if t is not None else "" for t in cells)])
    return markdown(lines)


def markdown(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
