"""Prints the digest of random tensors of every function and type with a fixed seed. test_random.py runs the script."""

from __future__ import annotations

import zlib

import suanzi
from suanzi import Tensor
from suanzi.tensor.dtypes import NUMBERS

SEED = 0x13198A2E03707344
SIZE = 200_003
FLOATING = ("float16", "bfloat16", "float32", "float64")


def everything() -> list[Tensor]:
    """Return random tensors of every function and type, of odd sizes that are large enough for several threads."""
    names = [dtype.name for dtype in NUMBERS]
    made = [suanzi.uniform(SIZE, seed=SEED, dtype=name) for name in names]
    made += [suanzi.uniform(SIZE, 3, 100, seed=SEED, dtype=name) for name in names if name != "bool"]
    made += [suanzi.uniform(SIZE, 0, 2**63, seed=SEED, dtype="uint64"), suanzi.uniform((99, 501), 0, 1, SEED)]
    made += [suanzi.normal(SIZE, 1, 2, seed=SEED, dtype=name) for name in (*FLOATING, "complex64", "complex128")]
    made += [suanzi.bernoulli(suanzi.uniform(SIZE, 0, 1, 1, dtype=name), SEED) for name in FLOATING]
    rows = suanzi.uniform((40, 1000), 0, 1, 1)
    made += [suanzi.multinomial(rows, draws, seed=SEED) for draws in (1, 500, 10**6)]
    made += [suanzi.multinomial(rows, 300, again, SEED, output="indices") for again in (True, False)]
    made += [suanzi.multinomial(rows[0], 50_000, seed=SEED, output="indices")]
    return made + [suanzi.randperm(n, seed=SEED) for n in (1000, 70_000, 700_000)]


def digest() -> int:
    """Return one CRC-32 of the elements of all random tensors."""
    total = 0
    for x in everything():
        total = zlib.crc32(x.numpy().tobytes(), total)
    return total


if __name__ == "__main__":
    print(digest())
