"""Writes src/suanzi/devices/close_calls.npz, a table of float32 operands whose results are hard to round.

    python tools/accuracy/close_calls.py [--only exp,sin]          (ten minutes of one core for all)

The result of an operand in the table is next to the middle of two float32 numbers. A device computes the functions of
the table in float64 and rounds the results to float32. If the device's float64 function is off by at most 3 ulp, only
the results of the operands in the table can be rounded to the wrong side. The table is the same for every device. The
table has all operands for which Suanzi's float64 result is within 4 ulp of the middle of two float32 numbers. Suanzi's
float64 results are off by less than 1 ulp. The results in the table are results of Suanzi's float32 functions.
`tools/accuracy/hashes.py --check` compares the hashes of these functions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from functions import function_of
from tqdm import tqdm

import suanzi

TABLE = Path(__file__).resolve().parents[2] / "src/suanzi/devices/close_calls.npz"
MARGIN = 4  # units in the last place of float64
LEAST = 2.0**-151  # all smaller numbers are rounded to 0
BLOCK = 2**15  # elements that fit in the L2 cache
SIGN = 2**31
ODD = ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf")
EVEN = ("cos", "cosh")
OF_POSITIVE = ("acosh", "log", "log2", "log10", "rsqrt")
FUNCTIONS = (*ODD, *EVEN, *OF_POSITIVE, "acos", "erfc", "exp", "expm1", "log1p")
Array = np.ndarray


def near_middles(y: Array) -> Array:
    """Return the indices of the float64 numbers that are within MARGIN ulp of the middle of two float32 numbers."""
    bits = y.view(np.int64)
    below, above = ((bits + step).view(np.float64).astype(np.float32) for step in (-MARGIN, MARGIN))
    found = np.flatnonzero(below != above)
    return found[np.isfinite(y[found]) & (np.abs(y[found]) >= LEAST)] if found.size else found


def close_calls(name: str) -> Iterator[Array]:
    """Yield the hard operands in the order of their bits.

    Negative operands are included only for functions that are neither odd nor even and that accept negative numbers.
    """
    function, ends = function_of(name), 2**32 if name in FUNCTIONS[len(ODD + EVEN + OF_POSITIVE) :] else SIGN
    for first in tqdm(range(0, ends, BLOCK), name, leave=False):
        x = np.arange(first, first + BLOCK, dtype=np.uint32).view(np.float32)
        yield x[near_middles(function(suanzi.tensor(x.astype(np.float64))).numpy())]


def table_of(name: str) -> Array:
    """Return the bits of a function's hard operands, sorted as numbers, and the bits of their results."""
    x = np.concatenate([*close_calls(name)])
    if name in ODD + EVEN:
        x = np.concatenate([x, -x])
    x = np.sort(x)
    return np.stack([x, function_of(name)(suanzi.tensor(x)).numpy()]).view(np.uint32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="functions, separated by commas")
    tables: dict[str, Array] = dict(np.load(TABLE)) if TABLE.exists() else {}
    for name in parser.parse_args().only.split(","):
        with np.errstate(all="ignore"):
            tables[name] = table_of(name)
        print(f"{name}: {tables[name].shape[1]}", flush=True)
        np.savez_compressed(TABLE, **dict(sorted(tables.items())))


if __name__ == "__main__":
    main()
