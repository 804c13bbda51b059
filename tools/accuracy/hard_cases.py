"""Writes native/math/coefficients/hard_cases.h: float32 inputs for which the rounded float64 result is wrong.

    python tools/accuracy/hard_cases.py [--only exp,sin]          (half an hour for all)

Run the script again after a change of a float64 function or its coefficients. The float64 results may differ between
levels, so a separate process computes the results at each level of the machine. The file lists inputs with a wrong
result at any level. Build the levels `tables` and `baseline`, too, because other machines use code of these levels.
Only a result whose distance to the midpoint of two floats is below the error of the float64 function (assumed 4 ulp)
can be wrong. MPFR decides whether these results are wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gmpy2
import numpy as np
from functions import function_of
from references import REFERENCES, prepare
from tqdm import tqdm

import suanzi
from suanzi import _core

HEADER = Path(__file__).resolve().parents[2] / "native/math/coefficients/hard_cases.h"
FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "expm1",
    "log", "log1p", "log10", "log2", "rsqrt", "erf", "erfc",
)  # fmt: skip
MARGIN = 2.0**-50
BLOCK = 2**22
SINGLE = gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True)
HEAD = """// float32 inputs of which the float64 functions are rounded to the wrong side, and their results; written by
// tools/accuracy/hard_cases.py.
#pragma once

namespace suanzi::coefficients {

struct HardCase {
  float x, result;
};
struct HardCases {
  const HardCase* list;
  int count;
};

"""


def correct(name: str, x: float) -> float:
    """Return the correctly rounded float32 value of a function. MPFR rounds once to 24 bits, or fewer for denormals."""
    with SINGLE:
        return float(REFERENCES[name].mpfr(gmpy2.mpfr(x)))


def hard_cases(name: str) -> Iterator[tuple[float, float]]:
    """Yield the float32 inputs for which a function's rounded float64 result is wrong, and the right results."""
    function = function_of(name)
    for first in tqdm(range(0, 2**32, BLOCK), name, leave=False):
        x = np.arange(first, first + BLOCK, dtype=np.uint64).astype(np.uint32).view(np.float32)
        y = function(suanzi.tensor(x, dtype="float64")).numpy()
        with np.errstate(all="ignore"):
            open_ = (y * (1 - MARGIN)).astype(np.float32) != (y * (1 + MARGIN)).astype(np.float32)
        for i in np.flatnonzero(open_ & ~np.isnan(y)):
            with np.errstate(over="ignore"):
                ours = float(y[i].astype(np.float32))
            if (exact := correct(name, float(x[i]))) != ours:
                yield float(x[i]), exact


def of_levels(names: list[str]) -> dict[str, set[tuple[float, float]]]:
    """Return the hard cases of functions at any level of the machine. A separate process finds each level's cases."""
    found: dict[str, set[tuple[float, float]]] = {name: set() for name in names}
    for level in _core.simd_levels():
        command = [sys.executable, __file__, "--only", ",".join(names), "--one-level"]
        answer = subprocess.run(
            command, env={**os.environ, "SUANZI_SIMD": level}, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        for name, cases in json.loads(answer).items():
            print(f"{level}: {name}: {len(cases)}", flush=True)
            found[name] |= {(x, y) for x, y in cases}
    return found


def literal(x: float) -> str:
    return re.sub(r"\.?0*p", "p", x.hex()) + "f"


def definition(name: str, cases: set[tuple[float, float]]) -> str:
    if not cases:
        return f"inline constexpr HardCases hard_{name}{{nullptr, 0}};\n"
    rows = "".join(f"    {{{literal(x)}, {literal(y)}}},\n" for x, y in sorted(cases))
    table = f"inline constexpr HardCase hard_{name}_list[] = {{\n{rows}}};\n"
    return table + f"inline constexpr HardCases hard_{name}{{hard_{name}_list, {len(cases)}}};\n"


def known() -> dict[str, set[tuple[float, float]]]:
    """Return the hard cases of each function that hard_cases.h already lists."""
    number = r"(-?0x[0-9a-f.]+p[-+]\d+)f"
    lists = re.findall(r"hard_(\w+)_list\[\] = \{\n(.*?)\};", HEADER.read_text(), re.DOTALL)
    pairs = {name: re.findall(rf"\{{{number}, {number}\}}", rows) for name, rows in lists}
    return {n: {(float.fromhex(x), float.fromhex(y)) for x, y in pairs.get(n, [])} for n in FUNCTIONS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="functions, separated by commas")
    parser.add_argument("--one-level", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.only.split(",")
    prepare()
    if options.one_level:
        print(json.dumps({name: list(hard_cases(name)) for name in names}))
        return
    cases = {**known(), **of_levels(names)}
    HEADER.write_text(
        HEAD + "".join(definition(n, cases[n]) for n in FUNCTIONS) + "\n}  // namespace suanzi::coefficients\n"
    )


if __name__ == "__main__":
    main()
