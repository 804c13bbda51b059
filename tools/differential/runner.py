"""The common part of the differential runs: options, reproducible drawing, counting, and the report.

A run is a function that draws one case from a random generator and compares the library with an oracle. Case number I
of seed S is always the same case, and `--seed S --case I` repeats this case alone. The exit status is 1 if any case
differs.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import NamedTuple

SHOWN = 20  # differences that are printed in full

AGREES = "agrees"
REFUSED = "refused by both"
SKIPPED = "nothing to compare"
DIFFERS = "differs"


class Outcome(NamedTuple):
    """The outcome of one case: its family, its verdict (such as `AGREES`), and the difference."""

    family: str
    verdict: str
    detail: str = ""


Draw = Callable[[random.Random], Outcome]


def generator(seed: int, case: int) -> random.Random:
    """Return the random generator of one case, which is independent of the generators of all other cases."""
    return random.Random(f"{seed}:{case}")


def outcome(draw: Draw, seed: int, case: int) -> Outcome:
    """Return the outcome of one case. An unforeseen exception is a difference, too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return draw(generator(seed, case))
    except Exception:
        return Outcome("unforeseen exception", DIFFERS, traceback.format_exc(limit=-3))


def main(draw: Draw, description: str | None, cases: int) -> int:
    """Run `cases` cases, or the number of cases on the command line, and print the counts of each family."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=cases, help="how many cases are drawn (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of all cases (%(default)s)")
    parser.add_argument("--case", type=int, help="the number of the only case to run")
    options = parser.parse_args()
    numbers = range(options.cases) if options.case is None else [options.case]
    verdicts: collections.Counter[str] = collections.Counter()
    families: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    begun = time.perf_counter()
    for number in numbers:
        found = outcome(draw, options.seed, number)
        verdicts[found.verdict] += 1
        families[found.family][found.verdict] += 1
        if found.verdict == DIFFERS and verdicts[DIFFERS] <= SHOWN:
            print(f"--- case {number} of seed {options.seed}: {found.family}\n{found.detail}", flush=True)
    for family in sorted(families):
        print(f"{family}: {_counts(families[family])}")
    print(f"{len(numbers)} cases in {time.perf_counter() - begun:.0f} s: {_counts(verdicts)}")
    return 1 if verdicts[DIFFERS] else 0


def _counts(verdicts: collections.Counter[str]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))


if __name__ == "__main__":
    sys.exit(f"{__file__} is a module of the runs beside it")
