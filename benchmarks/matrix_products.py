"""Times products of square matrices in the types that models use, beside PyTorch.

Each library runs in a process of its own, and the processes take turns. Run ``pip install '.[bench]'``, then ``python
benchmarks/matrix_products.py`` (a few minutes). The environment variable SUANZI_SIMD can name other product
instructions (``suanzi info`` lists them).
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

TYPES = ("bfloat16", "int8", "qint8", "float16", "float32")
SIZES = (256, 1024, 2048, 4096)
LIBRARIES = ("suanzi", "torch")
TURN = 0.25  # seconds of a turn
Call = Callable[[], Any]


def suanzi_call(element_type: Any, n: int) -> Call:
    """Return the call of a product in Suanzi. The sums of int8 are int32."""
    import suanzi

    if element_type == "qint8":
        x, y = (suanzi.quantized_tensor(None, codes, scale=0.05, dtype="qint8") for codes in integers(n))
        return lambda: suanzi.matmul(x, y)
    if element_type == "int8":
        a, b = map(suanzi.tensor, integers(n))
        return lambda: suanzi.matmul(a, b, dtype="int32")
    a, b = (suanzi.astype(suanzi.tensor(numbers), element_type) for numbers in floats(n))
    return lambda: a @ b


def torch_call(element_type: str, n: int) -> Call:
    """Return the call of a product in PyTorch. The call for qint8 multiplies int8 matrices, because PyTorch has no fast
    product of quantized matrices.
    """
    import torch

    if element_type in ("int8", "qint8"):
        x, y = map(torch.from_numpy, integers(n))
        return lambda: torch._int_mm(x, y)
    a, b = (torch.from_numpy(numbers).to(getattr(torch, element_type)) for numbers in floats(n))
    return lambda: a @ b


def integers(n: int) -> list[Any]:
    rng = np.random.default_rng(1)
    return [rng.integers(-127, 128, (n, n), dtype=np.int8) for _ in range(2)]


def floats(n: int) -> list[Any]:
    rng = np.random.default_rng(1)
    return [rng.standard_normal((n, n), dtype=np.float32) for _ in range(2)]


def worker(library: str, threads: int) -> None:
    """Answer each line of the input, which has a type and a size, with the least seconds of a call in a turn."""
    module = __import__(library)
    module.set_num_threads(threads)
    known: tuple[str, str] | None = None
    call: Call = int
    for line in sys.stdin:
        element_type, size = line.split()
        if (element_type, size) != known:
            known = (element_type, size)
            call = {"suanzi": suanzi_call, "torch": torch_call}[library](element_type, int(size))
            call()
        best, end = math.inf, time.perf_counter() + TURN
        while (start := time.perf_counter()) < end:
            call()
            best = min(best, time.perf_counter() - start)
        print(best, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8, help="turns of each library")
    parser.add_argument("--types", nargs="+", default=TYPES, choices=TYPES)
    parser.add_argument("--sizes", nargs="+", default=SIZES, type=int)
    parser.add_argument("--worker", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options.worker, options.threads)
    workers = {}
    for library in LIBRARIES:
        command = [sys.executable, __file__, "--worker", library, "--threads", str(options.threads)]
        workers[library] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(library: str, element_type: str, size: int) -> float:
        process = workers[library]
        assert process.stdin is not None
        assert process.stdout is not None
        print(element_type, size, file=process.stdin, flush=True)
        return float(process.stdout.readline())

    print("| n × n × n | suanzi, ms | torch, ms | ratio | 10⁹ operations per second |\n|" + " --- |" * 5)
    for element_type in options.types:
        for n in options.sizes:
            found = [[turn(library, element_type, n) for library in LIBRARIES] for _ in range(options.rounds)]
            ours, theirs = (min(column) for column in zip(*found, strict=True))
            cells = f"{1e3 * ours:.3g} | {1e3 * theirs:.3g} | {ours / theirs:.2f} | {2e-9 * n**3 / ours:.0f}"
            print(f"| {element_type}, {n} | {cells} |", flush=True)
    return None


if __name__ == "__main__":
    main()
