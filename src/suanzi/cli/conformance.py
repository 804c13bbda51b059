"""The command `conformance`: checks a library, says what it finds as it goes, and writes reports."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from suanzi.cli.text import as_json, pad, printable, width
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

if TYPE_CHECKING:
    from suanzi.conformance import Verdict
    from suanzi.conformance.report import Report

FAULTS_SHOWN = 5  # of each operator
_UNUSABLE = 2  # the command line asks for what there is not


def add_arguments(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.set_defaults(run=conformance)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these operators (all)")
    parser.add_argument("--operator", action="append", metavar="NAME", help="this one too; may be repeated")
    categories = ", ".join(category.key for category in CATEGORIES)
    parser.add_argument("--category", action="append", metavar="NAME", help=f"those of a category: {categories}")
    provider = (
        "what is checked (suanzi): numpy, torch, jax, onnxruntime, c (libsuanzi), a shared library's path, "
        "array-api:MODULE, module:Class, a registered one"
    )
    parser.add_argument("--provider", default="suanzi", metavar="NAME", help=provider)
    parser.add_argument("--device", default="", metavar="NAME", help="where the provider is to compute")
    profile = "how much is asked: all, or what takes less than a minute (full)"
    parser.add_argument("--profile", choices=("full", "quick"), default="full", help=profile)
    seconds, memory = "that a check may take (60)", "GiB of address space that the process may take (no limit)"
    parser.add_argument("--seconds", type=float, default=60.0, metavar="N", help=seconds)
    parser.add_argument("--memory", type=float, default=0.0, metavar="N", help=memory)
    for form, what in (("json", "JSON"), ("junit", "JUnit's XML"), ("html", "a page of HTML")):
        parser.add_argument(f"--{form}", metavar="FILE", help=f"write the report as {what}; - is the output")


def _asked(options: Namespace) -> list[str]:
    """The operators to be checked, in the order of the command line; ValueError for unknown names."""
    keys = {category.key for category in CATEGORIES}
    names = dict.fromkeys([*options.names, *(options.operator or ())])
    unknown = [name for name in names if name not in CATALOGUE]
    unknown += [key for key in options.category or () if key not in keys]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not an operator or a category of the standard")
    chosen = [e.name for e in CATALOGUE.values() if e.category.key in (options.category or ())]
    return list(dict.fromkeys([*names, *chosen])) or list(CATALOGUE)


def conformance(options: Namespace) -> int:
    """A verdict on each operator.

    The exit status is 0 where all that was asked passes, 1 where something does not, 2 where nothing can be asked.
    """
    # The kit is loaded by this command alone.
    from suanzi.conformance import Limits, Profile, ProviderError, Session, State
    from suanzi.conformance.report import Report

    try:
        asked = _asked(options)
        limits = Limits(options.seconds, int(options.memory * 2**30))
        session = Session(options.provider, Profile(options.profile), limits, device=options.device)
    except (ValueError, ProviderError) as error:
        print(f"conformance: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    started, clock, verdicts = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic(), []
    quiet = "-" in (options.json, options.junit, options.html)
    with session:
        for verdict in session.run(asked):
            verdicts.append(verdict)
            if not quiet:
                _print_verdict(verdict)
    seconds = round(time.monotonic() - clock, 1)
    report = Report(
        provider=session.name,
        version=session.version,
        device=options.device,
        profile=options.profile,
        started=started,
        seconds=seconds,
        asked=tuple(asked),
        verdicts=tuple(verdicts),
    )
    if not quiet:
        numbers = ", ".join(f"{number} {state}" for state, number in report.counts.items())
        print(f"\n{session.name} {session.version}: {report.outcome} ({numbers}; {seconds:g} s)")
    _write(options, report)
    return int(report.counts[State.PASS] < len(asked))


def _print_verdict(verdict: Verdict) -> None:
    columns = max(map(len, CATALOGUE)) + 2, max(width(e.chinese) for e in CATALOGUE.values()) + 2
    chinese = CATALOGUE[verdict.operator].chinese
    cells = pad(verdict.operator, columns[0]), pad(chinese, columns[1]), pad(verdict.state, 14)
    print("".join(cells) + f"{verdict.checks} checks", flush=True)
    notes = [
        f"{clause.aspect}: {printable(note)}"
        for clause in verdict.clauses.values()
        for note in (*clause.faults, *clause.blocked)
    ]
    for note in notes[:FAULTS_SHOWN]:
        print(f"    {note}")
    if len(notes) > FAULTS_SHOWN:
        print(f"    and {len(notes) - FAULTS_SHOWN} more (the reports have all)")


def _write(options: Namespace, report: Report) -> None:
    from suanzi.conformance.report import as_html, as_junit

    def as_text(report: Report) -> str:
        return as_json(report.as_data(), 2) + "\n"

    for file, form in ((options.json, as_text), (options.junit, as_junit), (options.html, as_html)):
        if file == "-":
            sys.stdout.write(form(report))
        elif file is not None:
            Path(file).write_text(form(report), encoding="utf-8")
