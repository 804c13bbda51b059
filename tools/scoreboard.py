"""The conformance kit run on several libraries: clauses passed, text and reading apart, for docs/results/scoreboard.md.

python tools/scoreboard.py [--save docs/results/scoreboard.md] [--data FOLDER] [--draw N] [--libraries NAME,NAME]

Each library that is installed is asked everything. With `--data` the reports are kept as JSON; `--draw` prints failures
drawn at random, with the program that shows each, to be looked at by hand. The first table is README.md's.
"""

from __future__ import annotations

import argparse
import json
import random
import textwrap
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from suanzi.conformance import Clause, Profile, Session, State, Verdict
from suanzi.conformance.report import Report
from suanzi.conformance.standard import Basis, standard
from suanzi.conformance.verdicts import SAID
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

LIBRARIES = ("suanzi", "numpy", "torch", "jax", "onnxruntime")
SEED = 137
QUICK = {"full": "", "quick": ", quick profile"}
METHOD = """Written by `python tools/scoreboard.py --save docs/results/scoreboard.md`, that is `suanzi conformance`
on each library, profile full. A cell is how many of the clauses (aspects of operators: values, element types,
broadcasting, layouts, statuses…) that could be judged pass. Clauses that rest on the standard's text, as far as it is
at hand, and those that rest on our reading of the rest are counted apart (docs/standard.md). No library is certified.
The others are asked as they are, by their own function of that name: they do not set out to follow this standard. Most
of what they fail are statuses (they have no codes; exceptions are read generously), element types that the standard
lists and they refuse or lack, parameters that are optional in the standard, and logical orders. Of suanzi more is asked
than the text says: what it claims (docs/conformance.md). What each failed, with the program that shows it, is in the
report: `suanzi conformance --provider NAME --html FILE`."""


def judged(verdicts: list[Verdict], basis: Basis) -> list[Clause]:
    """The clauses on a basis that pass or do not; those that could not be judged are left out."""
    clauses = ((v, clause) for v in verdicts if v.provided for clause in v.clauses.values())
    return [c for v, c in clauses if c.state is not State.BLOCKED and v.basis(c) is basis]


def share(clauses: list[Clause]) -> str:
    return f"{sum(clause.state is State.PASS for clause in clauses)}/{len(clauses)}" if clauses else "-"


def asked(library: str) -> Report:
    """What the kit finds of a library; of JAX, which compiles each shape anew, by the quick profile."""
    profile = Profile.QUICK if library == "jax" else Profile.FULL
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with Session(library, profile) as session:
        verdicts = tuple(session.run(list(CATALOGUE)))
        return Report(
            provider=session.name,
            version=session.version,
            device="",
            profile=profile,
            started=started,
            seconds=round(time.monotonic() - clock, 1),
            asked=tuple(CATALOGUE),
            verdicts=verdicts,
            element_types=session.element_types,
            claims=session.claims,
        )


def summary(reports: list[Report]) -> Iterator[list[str]]:
    """A row for each library: the clauses on the text, those on our reading, the operators that it has."""
    yield ["", "text at hand", "our reading", "operators"]
    for report in reports:
        verdicts = list(report.verdicts)
        cells = [share(judged(verdicts, basis)) for basis in Basis]
        yield [named(report), *cells, f"{sum(v.provided for v in verdicts)} of {len(standard().operators)}"]


def on(basis: Basis, reports: list[Report]) -> Iterator[list[str]]:
    """The clauses on one basis, by category, then by aspect."""
    yield ["", *map(named, reports)]
    for category in CATEGORIES:
        of = [[v for v in report.verdicts if CATALOGUE[v.operator].category is category] for report in reports]
        yield [f"{category.chinese} {category.key.replace('_', ' ')}", *(share(judged(own, basis)) for own in of)]
    for aspect in standard().aspects:
        cells = [share([c for c in judged(list(r.verdicts), basis) if c.aspect == aspect]) for r in reports]
        if any(cell != "-" for cell in cells):
            yield [f"*{aspect}*", *cells]


def operators(reports: list[Report]) -> Iterator[list[str]]:
    """How many operators of each category a library has."""
    yield ["", *map(named, reports)]
    for category in CATEGORIES:
        of = [[v for v in report.verdicts if CATALOGUE[v.operator].category is category] for report in reports]
        yield [f"{category.chinese} {category.key}", *(f"{sum(v.provided for v in own)} of {len(own)}" for own in of)]


def named(report: Report) -> str:
    return f"{report.provider} {report.version}{QUICK[report.profile]}"


def table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(reports: list[Report]) -> str:
    parts = {
        "": summary(reports),
        "## On the text at hand": on(Basis.TEXT, reports),
        "## On our reading": on(Basis.READING, reports),
        "## Operators": operators(reports),
    }
    return "\n\n".join(f"{title}\n\n{table(rows)}".lstrip() for title, rows in parts.items())


def drawn(reports: list[Report], count: int) -> Iterator[str]:
    """Failures of the other libraries, the same draw each time."""
    failures = [
        (report.provider, verdict.operator, clause)
        for report in reports
        if report.provider != "suanzi"
        for verdict in report.verdicts
        for clause in verdict.clauses.values()
        if clause.state is State.FAIL
    ]
    generator = random.Random(SEED)
    for provider, operator, clause in generator.sample(failures, min(count, len(failures))):
        note = generator.choice(clause.found)
        yield f"{provider} {operator}, {clause.aspect}: {note}\n{textwrap.indent(note.snippet or '', '    ')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", default=",".join(filter(find_spec, LIBRARIES)))
    parser.add_argument("--save", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    reports = []
    for library in options.libraries.split(","):
        reports.append(asked(library))
        outcomes = ", ".join(SAID[basis][reports[-1].outcome(basis)] for basis in Basis)
        print(f"{library}: {outcomes}, {reports[-1].seconds:g} s", flush=True)
        if options.data:
            text = json.dumps(reports[-1].as_data(), ensure_ascii=False, indent=1)
            options.data.mkdir(parents=True, exist_ok=True)
            (options.data / f"{library}.json").write_text(text, encoding="utf-8")
    text = tables(reports)
    print(text, *drawn(reports, options.draw), sep="\n")
    if options.save:
        machine = reports[0].as_data()["environment"]
        missing = ", ".join(set(LIBRARIES) - set(options.libraries.split(","))) or "none"
        where = f"{machine['processor']}; Python {machine['python']}. Libraries from pip; not asked: {missing}."
        options.save.write_text("\n\n".join(["# Scoreboard", METHOD, where, text]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
