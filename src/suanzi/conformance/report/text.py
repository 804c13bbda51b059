"""The report as lines of text for a terminal: some lines for each judged operator, and a summary."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..not_asked import not_asked
from ..standard import Basis, standard
from ..text import pad, printable, width
from ..verdicts import State, Verdict
from ..version import __version__
from .data import Report, environment
from .notes import Group, grouped
from .words import Words

NOTES_SHOWN = 5  # the most notes that the text shows for each operator, unless more aspects fail
_DIGITS = 12  # shown digits of a hash


def verdict_lines(
    verdict: Verdict, words: Words, element_types: Collection[str], claims: Collection[str], profile: str
) -> Iterator[str]:
    """Yield the verdict on an operator, the findings, and the aspects that were not tested."""
    operators = standard().operators
    columns = max(map(len, operators)) + 2, max(width(o.chinese) for o in operators.values()) + 2
    cells = [pad(verdict.operator, columns[0]), pad(operators[verdict.operator].chinese, columns[1])]
    yield "".join([*cells, pad(words.state(verdict.state), 14), words("checks", verdict.checks)])
    notes, least = _by_weight(verdict)
    shown = max(NOTES_SHOWN, least)
    for aspect, group in notes[:shown]:
        yield f"    {aspect_text(verdict, aspect, words)}{words('colon')}{printable(words.note(group))}"
    if len(notes) > shown:
        yield f"    {words('more', len(notes) - shown)}"
    free = standard().free_aspects - set(claims)
    aspects = [words.aspect(a) for a, _ in not_asked(verdict, element_types, claims, profile) if a not in free]
    if aspects:
        yield f"    {words('not asked')}{words('colon')}{words.listed(aspects)}"


def _by_weight(verdict: Verdict) -> tuple[list[tuple[str, Group]], int]:
    """Return the notes with their aspects, and the number of failed aspects.

    The first fault of each failed aspect comes first, then other faults, then notes that are not faults. The faults of
    the values come before the faults of other aspects.
    """
    first: list[tuple[str, Group]] = []
    faults: list[tuple[str, Group]] = []
    others: list[tuple[str, Group]] = []
    for clause in sorted(verdict.clauses.values(), key=lambda clause: clause.aspect != "values"):
        for place, group in enumerate(grouped(clause)):
            (others if not group.is_fault else faults if place else first).append((clause.aspect, group))
    return [*first, *faults, *others], len(first)


def aspect_text(verdict: Verdict, aspect: str, words: Words) -> str:
    """Return an aspect with the number of the clause and the basis of the verdict."""
    basis = words.basis(standard().basis(verdict.operator, aspect))
    return f"{words.aspect(aspect)} ({standard().aspects[aspect].clause}, {basis})"


def summary_lines(report: Report, words: Words) -> Iterator[str]:
    """Yield the lines of the summary: first the subject of the report, and last the outcomes by the text and by
    readings.
    """
    machine = environment()
    where = f"{machine['processor']}, {machine['system']}, Python {machine['python']}, NumPy {machine['numpy']}"
    types = f"{words('missing')}{words('colon')}{words.listed(report.missing_types)}" if report.missing_types else ""
    free = standard().free_aspects - report.claims
    lines = {
        "machine": where,
        "kit": f"{__version__}, {words('clauses')} {standard().digest[:_DIGITS]}",
        "types": types or words("all types"),
        "not judged": words.listed(report.unjudged_types),
        "elsewhere": words.listed(words("where", name, device) for name, device in report.elsewhere.items()),
        "claims": words.listed(sorted(report.claims)) or words("none"),
        "not claimed": words.listed(words.aspect(a) for a in sorted(free)),
        "not asked of": words.listed(
            words("of operators", words.aspect(aspect), number) for aspect, number in report.aspects_not_asked().items()
        ),
    }
    yield from (f"{words(name)}{words('colon')}{text}" for name, text in lines.items() if text)
    yield words("statement")
    bases = words("comma").join(_on(basis, report, words) for basis in Basis)
    numbers = words("comma").join(f"{number} {words.state(state)}" for state, number in report.counts.items())
    asked = words("asked", len(report.asked), len(standard().operators))
    took = words("seconds", f"{report.seconds:g}")
    name = f"{report.provider} {report.version}".strip()
    yield f"{name}{words('colon')}{bases}{words('semicolon')}{asked} ({numbers}{words('semicolon')}{took})"


def _on(basis: Basis, report: Report, words: Words) -> str:
    """Return the outcome for the clauses that rest on a basis, and the number of passing clauses among the judged
    clauses.
    """
    found = report.clause_counts(basis)
    judged = sum(found.values())
    return f"{words.outcome(basis, report.outcome(basis))} ({words('of', found[State.PASS], judged)})"
