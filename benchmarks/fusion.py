"""Fused functions beside the same function unfused, and beside the libraries that fuse or do not.

Run ``python benchmarks/fusion.py`` for the table, ``--sizes 1000000`` for some sizes, ``--save FILE`` for Markdown.
A library runs in a process of its own on as many threads as suanzi; what it compiles is compiled before it is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

LIBRARIES = ("fused", "suanzi", "numpy", "numexpr", "blosc2", "torch", "jax")
SIZES = (1_000, 100_000, 1_000_000, 10_000_000)
ROW = 1000  # elements of a row, where rows are folded
THREADS = len(os.sched_getaffinity(0))

# Elementwise chains are text, which numexpr and blosc2 take and the others evaluate with their functions as names.
CHAINS = {
    "a*x + b": "2.0 * x + y",
    "a + b + c": "x + y + z",
    "polynomial of 20": "+".join(["0.5"] + [f"{1 / (k + 1):.6f}" + "*x" * k for k in range(1, 6)]),
    "abs of x + iy": "sqrt(x * x + y * y)",
    "Black-Scholes d1": "(log(x / y) + (0.03 + 0.02) * z) / (0.2 * sqrt(z))",
    "logistic": "1.0 / (1.0 + exp(-x))",
}
FOLDS = ("softmax", "layer norm", "sum of exp", "kernel sums")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    sizes = [int(n) for n in given.sizes.split(",")]
    if given.worker:
        print(json.dumps(run(given.worker, sizes, given.dtype)))
        return
    text = table({name: worker(name, given.sizes, given.dtype) for name in given.libraries.split(",")}, sizes)
    print(text)
    if given.save:
        given.save.write_text(text + "\n", encoding="utf-8")


def worker(library: str, sizes: str, dtype: str) -> dict[str, float]:
    """The times of one library in microseconds, by case and size; empty where it is not installed."""
    count = str(THREADS)
    environment = {**os.environ, "OMP_NUM_THREADS": count, "NUMEXPR_NUM_THREADS": count, "BLOSC_NTHREADS": count}
    command = [sys.executable, __file__, "--worker", library, "--sizes", sizes, "--dtype", dtype]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode:
        print(f"{library}: {ended.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def run(library: str, sizes: list[int], dtype: str) -> dict[str, float]:
    cases = _cases(library)
    times = {}
    for size in sizes:
        for name, function in cases.items():
            call = function(_data(library, name, size, dtype))
            times[f"{name}|{size}"] = 1e6 * timed(call, size)
    return times


def timed(call: Callable[[], object], size: int) -> float:
    """The median of some calls, each of at least a millisecond of them."""
    call()
    start = time.perf_counter()
    call()
    each = max(1, int(1e-3 / max(time.perf_counter() - start, 1e-7)))
    samples = []
    for _ in range(7 if size > 1_000_000 else 15):
        start = time.perf_counter()
        for _ in range(each):
            call()
        samples.append((time.perf_counter() - start) / each)
    return median(samples)


def _data(library: str, case: str, size: int, dtype: str) -> list[Any]:
    import numpy as np

    numbers = np.random.default_rng(0)
    count = int(size**0.5) if case == "kernel sums" else size
    arrays = [numbers.uniform(0.5, 2, count).astype(dtype) for _ in range(3)]
    if case in ("softmax", "layer norm"):
        arrays = [a.reshape(-1, ROW) for a in arrays]
    if library in ("fused", "suanzi"):
        import suanzi

        return [suanzi.tensor(a) for a in arrays]
    if library == "torch":
        import torch

        torch.set_num_threads(THREADS)
        return [torch.from_numpy(a) for a in arrays]
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return [jax.numpy.asarray(a) for a in arrays]
    return arrays


Case = Callable[[list[Any]], Callable[[], object]]


def _cases(library: str) -> dict[str, Case]:
    if library in ("numexpr", "blosc2"):
        return {name: _of_text(library, text) for name, text in CHAINS.items()}
    module = _namespace(library)
    names = {name: getattr(module, name) for name in ("exp", "log", "sqrt")}
    functions = {name: eval(f"lambda x, y, z: {text}", names) for name, text in CHAINS.items()}
    functions |= {name: _fold(module, name) for name in FOLDS}
    return {name: _called(library, function) for name, function in functions.items()}


def _namespace(library: str) -> Any:
    if library == "jax":
        import jax.numpy

        return jax.numpy
    return __import__({"fused": "suanzi"}.get(library, library))


def _of_text(library: str, text: str) -> Case:
    module = __import__(library)

    def prepared(arrays: list[Any]) -> Callable[[], object]:
        names = dict(zip("xyz", arrays, strict=True))
        if library == "numexpr":
            return lambda: module.evaluate(text, local_dict=names)
        return lambda: module.lazyexpr(text, names)[()]

    return prepared


def _called(library: str, function: Callable[..., Any]) -> Case:
    if library == "fused":
        import suanzi

        function = suanzi.fuse(function)
    if library == "jax":
        import jax

        compiled = jax.jit(function)
        return lambda arrays: lambda: compiled(*arrays).block_until_ready()
    return lambda arrays: lambda: function(*arrays)


def _fold(module: Any, name: str) -> Callable[..., Any]:
    keep = {"dim": -1, "keepdim": True} if module.__name__ == "torch" else {"axis": -1, "keepdims": True}
    last = {"dim": -1} if module.__name__ == "torch" else {"axis": -1}
    greatest = module.amax if module.__name__ == "torch" else module.max

    def softmax(x: Any, *_: Any) -> Any:
        e = module.exp(x - greatest(x, **keep))
        return e / module.sum(e, **keep)

    def layer_norm(x: Any, *_: Any) -> Any:
        d = x - module.mean(x, **keep)
        return d / module.sqrt(module.mean(d * d, **keep) + 1e-5)

    def sum_of_exp(x: Any, *_: Any) -> Any:
        return module.sum(module.exp(x))

    def kernel_sums(x: Any, y: Any, *_: Any) -> Any:
        d = x[:, None] - y[None, :]
        return module.sum(module.exp(-d * d), **last)

    return {"softmax": softmax, "layer norm": layer_norm, "sum of exp": sum_of_exp, "kernel sums": kernel_sums}[name]


def table(times: dict[str, dict[str, float]], sizes: list[int]) -> str:
    """Microseconds, a row for each case and size; the last column compares with the fastest other library."""
    libraries = [name for name, found in times.items() if found]
    lines = [
        f"| case | size | {' | '.join(libraries)} | fused over the fastest |",
        "| --- " * (len(libraries) + 3) + "|",
    ]
    for name in (*CHAINS, *FOLDS):
        for size in sizes:
            cells = {library: times[library].get(f"{name}|{size}") for library in libraries}
            others = [t for library, t in cells.items() if t is not None and library not in ("fused", "suanzi")]
            ratio = cells["fused"] / min(others) if others and cells.get("fused") else None
            shown = [f"{t:,.1f}" if t is not None else "" for t in cells.values()]
            lines.append(f"| {name} | {size:,} | {' | '.join(shown)} | {f'{ratio:.2f}' if ratio else ''} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
