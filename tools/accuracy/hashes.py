"""Computes hashes of the results of every correctly rounded function for all 2^32 float32 inputs.

    python tools/accuracy/hashes.py --check          recompute the blocks' hashes at this machine's level (ten minutes)
    python tools/accuracy/hashes.py --save           write the kit's table and docs/results/hashes.md

The environment variable SUANZI_SIMD chooses the level. The hashes are the same at each level. `--only exp,sin` selects
functions, and `--check --stride 16` checks every sixteenth block. `python tools/accuracy/accuracy.py float32` checks
that the saved results are right. The references of that script share no code with suanzi.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tqdm import tqdm

import suanzi
from suanzi.conformance import Suanzi
from suanzi.conformance.probes import rounding

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/suanzi/conformance/float32_hashes.npz"
PAGE = ROOT / "docs/results/hashes.md"
FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "expm1",
    "log", "log1p", "log10", "log2", "sqrt", "rsqrt", "reciprocal",
)  # fmt: skip
HEAD = """# Hashes of the float32 functions

`python tools/accuracy/hashes.py --save` writes this page. Functions of one float32 operand are correctly rounded, so
their results are the same on every machine. A hash is the SHA-256 of a function's results for all 2³² inputs, in the
order of the inputs' bit patterns. The hashed results are little-endian float32 numbers, and each NaN is 0x7fc00000. The
conformance kit contains a hash of each block of 2²⁰ inputs (`suanzi.conformance.probes.rounding`), and checks a sample
of these hashes.

| function | SHA-256 |
| --- | --- |
"""


def results(name: str, stride: int = 1) -> Iterator[tuple[rounding.Array, bytes]]:
    """Yield the function's results for each block of inputs, or each `stride`-th block, and the hash of the results."""
    provider, threads = Suanzi(), os.cpu_count() or 1

    def block(number: int) -> tuple[rounding.Array, bytes]:
        data = rounding.results(provider, name, number)
        return data, rounding.hash_of(data)

    with ThreadPoolExecutor(threads) as pool:
        numbers = range(0, rounding.BLOCKS, stride)
        for first in tqdm(range(0, len(numbers), 4 * threads), name, leave=False):
            yield from pool.map(block, numbers[first : first + 4 * threads])


def hashes(name: str) -> rounding.Hashes:
    """Compute Suanzi's function for all inputs, and return the hashes of the results."""
    whole, blocks = hashlib.sha256(), []
    for data, own in results(name):
        whole.update(data)
        blocks.append(np.frombuffer(own, np.uint8))
    return rounding.Hashes(whole.digest(), np.array(blocks))


def differing(name: str, stride: int) -> list[int]:
    """Return the numbers of the blocks, among each `stride`-th block, whose hashes differ from the kit's table."""
    known = rounding.table()[name].blocks
    found = zip(range(0, rounding.BLOCKS, stride), results(name, stride), strict=True)
    return [i for i, (_, own) in found if own != known[i].tobytes()]


def save(found: dict[str, rounding.Hashes]) -> None:
    """Write hashes into the kit's table and docs/results/hashes.md. The hashes of functions not in `found` stay."""
    known = {**(rounding.table() if TABLE.exists() else {}), **found}
    arrays = {n: np.concatenate([np.frombuffer(h.whole, np.uint8), h.blocks.ravel()]) for n, h in known.items()}
    np.savez(TABLE, **arrays)
    rows = (f"| `{name}` | `{known[name].whole.hex()}` |\n" for name in FUNCTIONS if name in known)
    PAGE.write_text(HEAD + "".join(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="functions, separated by commas")
    parser.add_argument("--check", action="store_true", help="compare with the kit's table")
    parser.add_argument("--stride", type=int, default=1, help="check only every STRIDE-th block")
    parser.add_argument("--save", action="store_true", help="write the table and the page")
    options = parser.parse_args()
    print(f"level {suanzi._core.simd_level()}")
    names, failed = options.only.split(","), False
    if options.check:
        for name in names:
            blocks = differing(name, options.stride)
            failed |= bool(blocks)
            asked = len(range(0, rounding.BLOCKS, options.stride))
            print(f"{name:<10} {len(blocks)} blocks of {asked} differ, the first are {blocks[:4]}", flush=True)
    if options.save:
        save({name: hashes(name) for name in names})
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
