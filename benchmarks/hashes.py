"""Hashes of the results of every correctly rounded function for all 2^32 float32 inputs.

    python benchmarks/hashes.py --check          recompute them at this machine's level (a quarter of an hour)
    python benchmarks/hashes.py --save           write the kit's table and docs/results/hashes.md

The environment variable SUANZI_SIMD chooses the level; the hashes are the same at each. `--only exp,sin` takes some
functions. That the results which are saved are right, `python benchmarks/accuracy.py float32` says, whose references
share no code with suanzi.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tqdm import tqdm

import suanzi
from suanzi.conformance import Suanzi, rounding

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/suanzi/conformance/float32_hashes.npz"
PAGE = ROOT / "docs/results/hashes.md"
FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "expm1",
    "log", "log1p", "log10", "log2", "sqrt", "rsqrt", "reciprocal",
)  # fmt: skip
HEAD = """# Hashes of the float32 functions

Written by `python benchmarks/hashes.py --save`. Functions of one float32 operand are correctly rounded, so their
results are the same on every machine: SHA-256 over the results for all 2³² inputs, taken as bit patterns in order,
written as little-endian float32, each NaN as 0x7fc00000. The kit has hashes of each block of 2²⁰ inputs
(`suanzi.conformance.rounding`), and checks a sample of them.

| function | SHA-256 |
| --- | --- |
"""


def hashes(name: str) -> rounding.Hashes:
    """Of a function as it is here."""
    whole, blocks = hashlib.sha256(), np.empty((rounding.BLOCKS, rounding.HASH_BYTES), np.uint8)
    with ThreadPoolExecutor(1) as pool:
        for block, data in enumerate(tqdm(results(name), name, rounding.BLOCKS, leave=False)):
            part = pool.submit(rounding.hash_of, data)  # beside the hash of all
            whole.update(data)
            blocks[block] = np.frombuffer(part.result(), np.uint8)
    return rounding.Hashes(whole.digest(), blocks)


def results(name: str) -> Iterator[bytes]:
    """Block after block, the next one being computed meanwhile."""
    provider = Suanzi()
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(rounding.results, provider, name, 0)
        for block in range(1, rounding.BLOCKS + 1):
            data = pending.result()
            if block < rounding.BLOCKS:
                pending = pool.submit(rounding.results, provider, name, block)
            yield data


def save(found: dict[str, rounding.Hashes]) -> None:
    """Into the kit's table and the page, with what is known of the other functions."""
    known = {**(rounding.table() if TABLE.exists() else {}), **found}
    arrays = {n: np.concatenate([np.frombuffer(h.whole, np.uint8), h.blocks.ravel()]) for n, h in known.items()}
    np.savez(TABLE, **arrays)
    rows = (f"| `{name}` | `{known[name].whole.hex()}` |\n" for name in FUNCTIONS if name in known)
    PAGE.write_text(HEAD + "".join(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="functions, separated by commas")
    parser.add_argument("--check", action="store_true", help="compare with the kit's table")
    parser.add_argument("--save", action="store_true", help="write the table and the page")
    options = parser.parse_args()
    print(f"level {suanzi._core.simd_level()}")
    found, differing = {}, []
    for name in options.only.split(","):
        found[name] = hashes(name)
        print(f"{name:<10} {found[name].whole.hex()}", flush=True)
        if options.check and found[name].whole != rounding.table()[name].whole:
            differing.append(name)
            print(f"{name:<10} is not what the table has")
    if options.save:
        save(found)
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
