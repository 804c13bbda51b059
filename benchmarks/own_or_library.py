"""Compares the times of suanzi's products and factorisations with the times of NumPy and SciPy, which call OpenBLAS.

Run ``python benchmarks/own_or_library.py`` (ten minutes). ``--operators`` selects operators, and ``--save FILE`` writes
a Markdown table. A separate process times each library with each number of threads. The processes work in turns, each
after the threads of the other processes have stopped spinning. The numbers are the least times of several rounds.

The script calls OpenBLAS's factorisations through SciPy, because NumPy would compute float32 in float64.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from suanzi import _core
from suanzi.conformance.report import environment

SIZES = {
    "matmul": (64, 128, 256, 512, 1024, 2048),
    "solve": (64, 256, 512, 1024),
    "cholesky": (64, 256, 512, 1024),
    "qr": (64, 256, 512),
    "svd": (64, 256, 512),
    "eigh": (64, 256, 512),
}
RIVALS = ("suanzi", "library")
ROUNDS = 5
ROUND_SECONDS = 0.05
REST_SECONDS = 0.25
"""The seconds for which OpenBLAS's threads spin after a call, on cores that the next process needs."""
GOAL = 1.05
TITLE = "# Products and factorisations: ratios of Suanzi's times to the libraries' times"
METHOD = """`python benchmarks/own_or_library.py --save docs/results/own-or-library.md` writes this page. The library is
OpenBLAS, which NumPy calls for `matmul` and SciPy calls for all other operators. Suanzi and the library run in separate
processes with equal numbers of threads. `native/runtime/costs.h` names the processors on which Suanzi uses its own
kernels. The goal of every cell is a ratio of at most 1.05."""


def functions_of(rival: str, threads: int) -> tuple[dict[str, Callable[..., object]], Callable[[Any], Any]]:
    """Return the functions of the library `rival` by name, and the library's conversion of arrays. The operands of each
    function are two matrices and a positive definite matrix.
    """
    if rival == "suanzi":
        import suanzi as sz

        sz.set_num_threads(threads)
        return {
            "matmul": lambda a, b, _: sz.matmul(a, b),
            "solve": lambda a, b, _: sz.linalg.solve(a, b),
            "cholesky": lambda a, b, s: sz.linalg.cholesky(s),
            "qr": lambda a, b, _: sz.linalg.qr(a),
            "svd": lambda a, b, _: sz.linalg.svd(a),
            "eigh": lambda a, b, s: sz.linalg.eigh(s),
        }, sz.from_reference
    from scipy import linalg

    unchecked = {"check_finite": False}
    return {
        "matmul": lambda a, b, _: a @ b,
        "solve": lambda a, b, _: linalg.lu_solve(linalg.lu_factor(a, **unchecked), b, **unchecked),
        "cholesky": lambda a, b, s: linalg.cholesky(s, lower=True, **unchecked),
        "qr": lambda a, b, _: linalg.qr(a, **unchecked),
        "svd": lambda a, b, _: linalg.svd(a, **unchecked),
        "eigh": lambda a, b, s: linalg.eigh(s, driver="evd", **unchecked),
    }, lambda a: a


def serve(rival: str, threads: int) -> None:
    """For each line of standard input (operator, size, type), print the least seconds of a call in one round."""
    import numpy as np

    functions, taken = functions_of(rival, threads)
    for line in sys.stdin:
        operator, n, dtype = json.loads(line)
        rng = np.random.default_rng(n)
        a, b = (rng.standard_normal((n, n)).astype(dtype) for _ in range(2))
        operands = [taken(x) for x in (a, b, (a @ a.T + n * np.eye(n)).astype(dtype))]
        time.sleep(REST_SECONDS)  # the products above have woken NumPy's threads
        function, best, calls = functions[operator], float("inf"), 0
        function(*operands)
        end = time.perf_counter() + ROUND_SECONDS
        while calls < 2 or time.perf_counter() < end:
            start = time.perf_counter()
            function(*operands)
            best, calls = min(best, time.perf_counter() - start), calls + 1
        print(best, flush=True)


def start(rival: str, threads: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--serve", rival, str(threads)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process: subprocess.Popen[str], *question: object) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    answer = float(process.stdout.readline())
    time.sleep(REST_SECONDS)
    return answer


def ratios(threads: int, operators: list[str]) -> Iterator[tuple[str, str, dict[int, float]]]:
    """Yield an operator, a type, and the ratios of suanzi's time to OpenBLAS's time by size."""
    processes = {rival: start(rival, threads) for rival in RIVALS}
    for operator in operators:
        for dtype in ("float32", "float64"):
            found = {}
            for n in SIZES[operator]:
                rounds = [{r: ask(processes[r], operator, n, dtype) for r in RIVALS} for _ in range(ROUNDS)]
                ours, theirs = (min(times[rival] for times in rounds) for rival in RIVALS)
                found[n] = ours / theirs
            yield operator, dtype, found
    for process in processes.values():
        process.kill()


def machine() -> str:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "scipy-openblas64"))
    return (
        f"The processor is {environment()['processor']} with {os.cpu_count()} cores, at SIMD level "
        f"{_core.simd_level()}. The versions are {versions}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operators", nargs="+", choices=SIZES, default=list(SIZES), help="all unless told")
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve[0], int(options.serve[1]))
    sizes = sorted({n for row in SIZES.values() for n in row})
    rows = [
        [operator, dtype, str(threads), *(f"{found[n]:.2f}" if n in found else "" for n in sizes)]
        for threads in (1, 2)
        for operator, dtype, found in ratios(threads, options.operators)
    ]
    header = ["operator", "type", "threads", *map(str, sizes)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows))
    above = sum(float(cell) > GOAL for row in rows for cell in row[3:] if cell)
    summary = f"{above} cells of the table are above {GOAL}."
    print(table, summary, sep="\n\n")
    if options.save:
        options.save.write_text("\n\n".join([TITLE, machine(), METHOD, summary, table]) + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
