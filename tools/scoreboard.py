"""Runs the conformance kit on several libraries, for docs/results/scoreboard.md.

python tools/scoreboard.py [--save docs/results/scoreboard.md] [--data FOLDER] [--draw N] [--libraries NAME,NAME]

The kit runs in full on each installed library except JAX, on which the kit's quick profile runs. With `--data` a folder
keeps the reports as JSON, and stored reports are reused. `--draw` prints random failures, each with a program that
reproduces the failure, for a check by hand. README.md shows the first table.
"""

from __future__ import annotations

import argparse
import json
import random
import textwrap
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from suanzi.conformance import Profile, Session
from suanzi.conformance.report import Report
from suanzi.conformance.standard import Basis, standard
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

LIBRARIES = ("suanzi", "numpy", "torch", "jax", "onnxruntime")
SEED = 137
QUICK = {"full": "", "quick": ", quick profile"}
METHOD = """`python tools/scoreboard.py --save docs/results/scoreboard.md` writes this page. The script runs
`suanzi conformance` with the full profile on each library. A cell shows the number of clauses that pass, and the number
of clauses that the kit could judge. A clause is an aspect of an operator, such as values, element types, broadcasting,
layouts or statuses. The tables count clauses that follow from the available text of the standard separately from
clauses that follow from our reading of the missing text (docs/standard.md). No library is certified.

The other libraries do not intend to follow this standard. The kit calls the functions of the same names in the other
libraries. Most failures of other libraries concern statuses, element types that the standard lists and a library
refuses or lacks, parameters that are optional in the standard, and logical orders. The other libraries have no status
codes, but the kit accepts many exceptions instead. The kit also checks claims of Suanzi that go beyond the text
(docs/conformance.md). The report of `suanzi conformance --provider NAME --html FILE` lists the failures, each with a
program that shows the failure."""

# The conclusions from a check of the failures that `--draw 20` printed.
LOOKED_AT = """We drew twenty failures of NumPy, PyTorch and ONNX Runtime at random and checked each failure. In
nineteen cases the library deviates from the standard. In some of these cases the library has no kernel for the type
(uint16, uint32, uint64, int8), does not accept a number as an operand or several axes, or does not refuse text. In
other cases the library lacks the operation or the option, or returns a float16 quotient that is one unit off. In one
case the kit was wrong, because the kit called PyTorch's product once for each of several axes, and did not notice an
axis that does not exist. The kit no longer has this error, but the numbers below still count this failure against
PyTorch."""

Data = dict[str, Any]
"""A report, as `suanzi conformance --json` writes it."""


def asked(library: str) -> Data:
    """Return the kit's findings about a library. For JAX, which compiles each shape anew, the profile is quick."""
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
        ).as_data()


def report_on(library: str, folder: Path | None) -> Data:
    """Return the stored report, or make and store a new report."""
    file = folder / f"{library}.json" if folder else None
    if file and file.exists():
        found: Data = json.loads(file.read_text(encoding="utf-8"))
        return found
    found = asked(library)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    return found


def judged(operators: Iterable[Data], basis: Basis) -> list[Data]:
    """Return the clauses that rest on a basis (the text or our reading) and passed or failed in the run."""
    clauses = (clause for operator in operators if provided(operator) for clause in operator["clauses"])
    return [c for c in clauses if c["state"] != "blocked" and c["rests_on"] == basis.value]


def provided(operator: Data) -> bool:
    return bool(operator["state"] != "not provided")


def of_category(report: Data, category: str) -> list[Data]:
    return [operator for operator in report["operators"] if operator["category"] == category]


def share(clauses: list[Data]) -> str:
    return f"{sum(clause['state'] == 'pass' for clause in clauses)}/{len(clauses)}" if clauses else "-"


def count(operators: list[Data]) -> str:
    """Return the text of how many of the operators a library has, such as "250 of 286"."""
    return f"{sum(map(provided, operators))} of {len(operators)}"


def summary(reports: list[Data]) -> Iterator[list[str]]:
    """Yield the header, then a row for each library: clauses of the text, clauses of our reading, and operators."""
    yield ["", "text at hand", "our reading", "operators"]
    for report in reports:
        operators = report["operators"]
        yield [named(report), *(share(judged(operators, basis)) for basis in Basis), count(operators)]


def on(basis: Basis, reports: list[Data]) -> Iterator[list[str]]:
    """Yield the header, then a row for each category and each aspect: the passed clauses on a basis, by library."""
    yield ["", *map(named, reports)]
    for category in CATEGORIES:
        cells = [share(judged(of_category(report, category.key), basis)) for report in reports]
        yield [f"{category.chinese} {category.key.replace('_', ' ')}", *cells]
    for aspect in standard().aspects:
        cells = [share([c for c in judged(r["operators"], basis) if c["aspect"] == aspect]) for r in reports]
        if any(cell != "-" for cell in cells):
            yield [f"*{aspect}*", *cells]


def operators(reports: list[Data]) -> Iterator[list[str]]:
    """Yield the header, then a row for each category: the number of operators that each library has."""
    yield ["", *map(named, reports)]
    for category in CATEGORIES:
        cells = [count(of_category(report, category.key)) for report in reports]
        yield [f"{category.chinese} {category.key.replace('_', ' ')}", *cells]


def named(report: Data) -> str:
    return f"{report['provider']['name']} {report['provider']['version']}{QUICK[report['profile']]}"


def table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(reports: list[Data]) -> str:
    parts = {
        "": summary(reports),
        "## Clauses from the available text": on(Basis.TEXT, reports),
        "## Clauses from our reading": on(Basis.READING, reports),
        "## Operators": operators(reports),
    }
    return "\n\n".join(f"{title}\n\n{table(rows)}".lstrip() for title, rows in parts.items())


def drawn(reports: list[Data], number: int) -> Iterator[str]:
    """Yield texts about randomly drawn failures of libraries other than suanzi. The drawn failures are reproducible."""
    failures = [
        (report["provider"]["name"], operator["operator"], clause["aspect"], fault)
        for report in reports
        if report["provider"]["name"] != "suanzi"
        for operator in report["operators"]
        for clause in operator["clauses"]
        for fault in clause["faults"]
    ]
    for provider, operator, aspect, fault in random.Random(SEED).sample(failures, min(number, len(failures))):
        yield f"{provider} {operator}, {aspect}: {fault['text']}\n{textwrap.indent(fault['snippet'] or '', '    ')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", default=",".join(filter(find_spec, LIBRARIES)))
    parser.add_argument("--save", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    reports = []
    for library in options.libraries.split(","):
        reports.append(report_on(library, options.data))
        print(f"{library}: {', '.join(reports[-1]['outcome'].values())}, {reports[-1]['seconds']:g} s", flush=True)
    text = tables(reports)
    print(text, *drawn(reports, options.draw), sep="\n")
    if options.save:
        machine = reports[0]["environment"]
        missing = ", ".join(set(LIBRARIES) - set(options.libraries.split(","))) or "no library"
        where = (
            f"The processor is {machine['processor']}, and the version of Python is {machine['python']}. pip installed "
            f"the libraries. The script omitted {missing}."
        )
        options.save.write_text("\n\n".join(["# Scoreboard", METHOD, where, LOOKED_AT, text]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
