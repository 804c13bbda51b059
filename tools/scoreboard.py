"""The conformance kit run on several libraries: clauses passed by category, for docs/results/scoreboard.md.

python tools/scoreboard.py [--save docs/results/scoreboard.md] [--data FOLDER] [--draw N]

Each library that is installed is asked everything. With `--data` the reports are kept as JSON; `--draw` prints failures
drawn at random, with the call that shows each, to be looked at by hand.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from suanzi.conformance import Clause, Profile, Session, State, Verdict
from suanzi.conformance.report import Report
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

LIBRARIES = ("suanzi", "numpy", "torch", "jax", "onnxruntime")
SEED = 137
QUICK = {"full": "", "quick": ", quick profile"}
METHOD = """Written by `python tools/scoreboard.py --save docs/results/scoreboard.md`, that is `suanzi conformance`
on each library, profile full. A cell is how many of the clauses (aspects of operators: values, element types,
broadcasting, layouts, statuses…) that could be judged pass; then how many operators the library has. They are
asked as they are, by their own function of that name: they do not set out to follow this standard. Most of what they
fail are statuses (they have no codes; exceptions are read generously), element types that the standard lists and they
refuse, parameters that are optional in the standard, and logical orders. Of suanzi more is asked than the text says:
what it claims (docs/conformance.md). What each failed, with the call that shows it, is in the report: `suanzi
conformance --provider NAME --html FILE`."""


def judged(verdicts: list[Verdict]) -> list[Clause]:
    """The clauses that pass or fail."""
    clauses = (clause for verdict in verdicts if verdict.provided for clause in verdict.clauses.values())
    return [clause for clause in clauses if clause.state in (State.PASS, State.FAIL)]


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
        )


def rows(reports: list[Report]) -> Iterator[list[str]]:
    """The tables' rows: by category, then by aspect, then in all."""
    for category in CATEGORIES:
        cells = []
        for report in reports:
            own = [v for v in report.verdicts if CATALOGUE[v.operator].category is category]
            cells.append(f"{share(judged(own))} ({sum(v.provided for v in own)} of {len(own)})")
        yield [f"{category.chinese} {category.key.replace('_', ' ')}", *cells]
    aspects = dict.fromkeys(c.aspect for report in reports for v in report.verdicts for c in v.clauses.values())
    for aspect in aspects:
        cells = [share([c for c in judged(list(report.verdicts)) if c.aspect == aspect]) for report in reports]
        yield [f"*{aspect}*", *cells]
    provided = [sum(v.provided for v in report.verdicts) for report in reports]
    totals = [f"{share(judged(list(r.verdicts)))} ({n} of 134)" for r, n in zip(reports, provided, strict=True)]
    yield ["**all**", *(f"**{total}**" for total in totals)]


def table(reports: list[Report]) -> str:
    head = ["", *(f"{report.provider} {report.version}{QUICK[report.profile]}" for report in reports)]
    lines = [head, ["---"] * len(head), *rows(reports)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
        fault = generator.choice(clause.faults)
        yield f"{provider} {operator}, {clause.aspect}: {fault}\n    {clause.snippet or ''}"


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
        print(f"{library}: {reports[-1].outcome}, {reports[-1].seconds:g} s", flush=True)
        if options.data:
            text = json.dumps(reports[-1].as_data(), ensure_ascii=False, indent=1)
            options.data.mkdir(parents=True, exist_ok=True)
            (options.data / f"{library}.json").write_text(text, encoding="utf-8")
    text = table(reports)
    print(text, *drawn(reports, options.draw), sep="\n")
    if options.save:
        machine = reports[0].as_data()["environment"]
        missing = ", ".join(set(LIBRARIES) - set(options.libraries.split(","))) or "none"
        where = f"{machine['processor']}; Python {machine['python']}. Libraries from pip; not asked: {missing}."
        options.save.write_text("\n\n".join(["# Scoreboard", METHOD, where, text]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
