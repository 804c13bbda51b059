"""Checks mutants of an operator or a kind, or mutants drawn by a seed, and prints a table of the kinds.

python tests/conformance/mutants --operator roll --kind axes            # each fault, with the kit's finding
python tests/conformance/mutants --seed 7 --count 600 --profile full    # the table, and the faults that survive
python tests/conformance/mutants --seed 137 --count 375 --list > tests/conformance/mutants/drawn.txt  # for the tests
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:] = [str(HERE.parent), *(p for p in sys.path if Path(p or ".").resolve() != HERE)]

from mutants import Fault, drawn, faults, of_operator, operator_of, witness  # noqa: E402
from mutants.search import found  # noqa: E402
from suanzi.conformance import Profile  # noqa: E402


class Judged(NamedTuple):
    """A fault, whether the quick profile finds the fault, and whether the chosen profile finds the fault."""

    fault: Fault
    quick: bool
    full: bool


def chosen(options: argparse.Namespace) -> Iterable[Fault]:
    """Return the faults that the command line selects."""
    if options.drawn:
        lines = (HERE / "drawn.txt").read_text(encoding="utf-8").splitlines()
        return [next(fault for fault in faults(line.split(": ")[1]) if str(fault) == line) for line in lines]
    if options.operator is None:
        several = drawn(options.seed, options.count)
        return (fault for fault in several if options.kind in (None, fault.kind))
    named = (fault for name in options.operator for fault in of_operator(name))
    of_kind = (f for f in named if options.kind in (None, f.kind) and options.name in f.name)
    return itertools.islice((fault for fault in of_kind if witness(fault) is not None), options.count)


def judged(several: Iterable[Fault], profile: str) -> Iterator[Judged]:
    """Yield each fault, whether the quick profile finds the fault, and whether the chosen profile finds the fault."""
    for fault in sorted(several, key=operator_of):
        quick = found(fault, Profile.QUICK)
        told = quick or (found(fault, Profile.FULL) if profile == "full" else None)
        line = f"{'found' if told else 'SURVIVES'}  {fault}  | {str(witness(fault))[:100]}"
        print(f"{line}  | {told[:100]}" if told else line, flush=True)
        yield Judged(fault, quick is not None, told is not None)


def table(results: list[Judged], profile: str) -> str:
    """Return a Markdown table of the numbers of tried and found faults of each kind."""
    tried = Counter(fault.kind for fault, _, _ in results)
    by_quick = Counter(fault.kind for fault, quick, _ in results if quick)
    by_full = Counter(fault.kind for fault, _, full in results if full)
    columns = ["kind", "tried", "found by quick", *(["found by full"] if profile == "full" else [])]
    rows = [columns, ["---"] * len(columns)]
    for kind in (*sorted(tried), "all"):
        counts = [c.total() if kind == "all" else c[kind] for c in (tried, by_quick, by_full)]
        rows.append([kind, *map(str, counts[: len(columns) - 1])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def page(results: list[Judged], options: argparse.Namespace) -> str:
    """Return the Markdown page that `--save` writes to `docs/results`."""
    both = "first the quick profile and, if this profile finds no fault, the full profile"
    profiles = both if options.profile == "full" else "the quick profile"
    survivors = [f"- {fault}" for fault, _, full in results if not full]
    left = "\n".join(
        ["The kit does not find these mutants:", "", *survivors] if survivors else ["The kit finds all mutants."]
    )
    which = "--drawn" if options.drawn else f"--seed {options.seed} --count {options.count}"
    return f"""# Faulty libraries that the conformance kit finds

`python tests/conformance/mutants {which} --profile {options.profile} --save docs/results/kit.md` writes this page. A
mutant is Suanzi with one fault in one function. The program generates faults of every function. Each kind of faults
changes arguments, results or the state of a function in a systematic way (`tests/conformance/mutants`). Every mutant
has a witness, which is a call whose result differs from Suanzi's result. A seed determines the mutants that the program
draws. The program draws all mutants of a kind, or a limited number if the kind has more mutants. The kit runs the
probes of the faulty operator on each mutant, {profiles}.

{table(results, options.profile)}

{left}
"""


def main() -> int:
    """Run the command line. Return 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--operator", action="append", help="an operator, with the functions that belong to it")
    parser.add_argument("--kind", help="a kind of faults")
    parser.add_argument("--name", default="", help="part of a fault's name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--profile", choices=("quick", "full"), default="quick")
    parser.add_argument("--drawn", action="store_true", help="those of the tests, and those that survive there")
    parser.add_argument("--list", action="store_true", help="only names them")
    parser.add_argument("--save", type=Path, help="writes the table to a file")
    options = parser.parse_args()
    if options.list:
        print(*map(str, sorted(chosen(options), key=operator_of)), sep="\n")
        return 0
    started = time.monotonic()
    results = list(judged(chosen(options), options.profile))
    print(f"\n{table(results, options.profile)}\n\nseed {options.seed}, {time.monotonic() - started:.0f} s")
    if options.save:
        options.save.write_text(page(results, options), encoding="utf-8")
    return int(not all(full for _, _, full in results))


if __name__ == "__main__":
    sys.exit(main())
