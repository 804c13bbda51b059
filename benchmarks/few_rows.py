"""Times products of a few rows with a 4096 x 4096 matrix, and a read of as many bytes as the matrix has.

A time is the least processor time of several calls on one thread, because other work on the machine disturbs the
processor time least.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import nn

SIZE, BLOCK, CALLS = 4096, 32, 15
ROWS = (1, 2, 4, 8, 16, 32, 64)


def least(call: Callable[[], Any]) -> float:
    call()
    times = []
    for _ in range(CALLS):
        begin = time.thread_time()
        call()
        times.append(time.thread_time() - begin)
    return 1e3 * min(times)


def drawn(name: str, *shape: int) -> suanzi.Tensor:
    rng = np.random.default_rng(0)
    if name == "int8":
        return suanzi.tensor(rng.integers(-128, 128, shape, dtype=np.int8))
    return suanzi.astype(suanzi.tensor(rng.standard_normal(shape).astype(np.float32)), name)


def report(*cells: object) -> None:
    print("|", " | ".join(f"{c:.1f}" if isinstance(c, float) else str(c) for c in cells), "|", flush=True)


def main() -> None:
    suanzi.set_num_threads(1)
    report("type", "read", "way", *ROWS)
    report(*["---"] * (len(ROWS) + 3))
    for name in ("float32", "bfloat16", "float16", "int8"):
        matrix = drawn(name, SIZE, SIZE)
        numbers = drawn("float32", matrix.nbytes // 4)
        read = least(lambda numbers=numbers: suanzi.sum(numbers))
        sums = "int32" if name == "int8" else None
        for way, weight in (("lines", matrix), ("columns", matrix.T)):
            operands = [drawn(name, rows, SIZE) for rows in ROWS]
            times = [least(lambda x=x, w=weight, dtype=sums: suanzi.matmul(x, w, dtype=dtype)) for x in operands]
            report(name, read, way, *times)
    scales = drawn("float32", SIZE, SIZE // BLOCK)
    for bits in (4, 8):
        codes = suanzi.zeros((SIZE, SIZE // BLOCK, BLOCK * bits // 8), dtype="uint8")
        read = least(lambda codes=codes: suanzi.max(codes))
        operands = [drawn("float32", rows, SIZE) for rows in ROWS]
        times = [least(lambda x=x, c=codes, b=bits: nn.linear_packed(x, c, scales, bits=b)) for x in operands]
        report(f"{bits} bits", read, "packed", *times)


if __name__ == "__main__":
    main()
