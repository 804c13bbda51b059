"""Runs mutants: those of an operator or a kind, or a set that is drawn by a seed; a table of the kinds.

python tests/conformance/mutants --operator roll --kind axes            # each, with what was found
python tests/conformance/mutants --seed 7 --count 600 --profile full    # the table, and what survives
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:] = [str(HERE.parent), *(p for p in sys.path if Path(p or ".").resolve() != HERE)]

from mutants import Fault, drawn, of_operator, operator_of, witness  # noqa: E402
from mutants.search import found  # noqa: E402
from suanzi.conformance import Profile  # noqa: E402


def chosen(options: argparse.Namespace) -> Iterable[Fault]:
    """The faults that the command line names."""
    if options.operator is None:
        several = drawn(options.seed, options.count)
        return (fault for fault in several if options.kind in (None, fault.kind))
    named = (fault for name in options.operator for fault in of_operator(name))
    of_kind = (f for f in named if options.kind in (None, f.kind) and options.name in f.name)
    return itertools.islice((fault for fault in of_kind if witness(fault) is not None), options.count)


def judged(faults: Iterable[Fault], profile: str) -> Iterator[tuple[Fault, bool, bool]]:
    """Each fault, and whether quick and full find it; full is asked where quick finds nothing."""
    for fault in sorted(faults, key=operator_of):
        quick = found(fault, Profile.QUICK)
        full = quick or (found(fault, Profile.FULL) if profile == "full" else None)
        told = quick or full
        line = f"{'found' if told else 'SURVIVES'}  {fault}  | {str(witness(fault))[:100]}"
        print(f"{line}  | {told[:100]}" if told else line, flush=True)
        yield fault, quick is not None, full is not None


def main() -> int:
    """Runs what the command line says; 1 where a mutant survives."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--operator", action="append", help="an operator, with the functions that belong to it")
    parser.add_argument("--kind", help="a kind of faults")
    parser.add_argument("--name", default="", help="part of a fault's name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--profile", choices=("quick", "full"), default="quick")
    options = parser.parse_args()
    started = time.monotonic()
    tried, by_quick, by_full = Counter[str](), Counter[str](), Counter[str]()
    for fault, quick, full in judged(chosen(options), options.profile):
        tried[fault.kind] += 1
        by_quick[fault.kind] += quick
        by_full[fault.kind] += full
    print(f"\n| kind | tried | found by quick | found by {options.profile} |\n| --- | --- | --- | --- |")
    for kind in sorted(tried):
        print(f"| {kind} | {tried[kind]} | {by_quick[kind]} | {by_full[kind]} |")
    print(f"| all | {tried.total()} | {by_quick.total()} | {by_full.total()} |")
    print(f"\nseed {options.seed}, {time.monotonic() - started:.0f} s")
    return int(by_full.total() < tried.total())


if __name__ == "__main__":
    sys.exit(main())
