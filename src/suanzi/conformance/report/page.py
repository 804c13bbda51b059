"""The report as a single HTML page in Chinese or English. The page loads no other file."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources
from string import Template
from typing import Any

from ..standard import Basis, standard
from ..verdicts import Clause, State, Verdict
from ..version import __version__
from .data import Report, environment, kit_hash
from .notes import Group, grouped
from .pictures import categories_picture, errors_picture
from .words import Words

_SHOWN = 10  # the most notes that are shown for a clause


def as_html(report: Report, language: str = "en") -> str:
    """Return a report as an HTML page in a language: en or zh."""
    words = Words(language)
    template = Template((resources.files(__package__) / "page.html").read_text(encoding="utf-8"))
    titles = ("categories", "errors", "operators", "aspects", "environment")
    return template.substitute(
        {f"{name}_title": words(name) for name in titles},
        language=language,
        provider=escape(f"{report.provider} {report.version}".strip()),
        title=words("title"),
        outcomes=words("comma").join(_outcome(basis, report, words) for basis in Basis),
        asked=words("asked", len(report.asked), len(standard().operators)),
        statement=words("statement"),
        totals=_rows((words.state(state), number) for state, number in report.counts.items()),
        categories=categories_picture(report, words),
        about_errors=words("about errors"),
        errors=errors_picture(report),
        about_operators=words("about operators"),
        operators="\n".join(_operator(report, verdict, words) for verdict in report.verdicts),
        about_aspects=words("about aspects"),
        aspects=_aspects(words),
        environment=_rows(_circumstances(report, words)),
        statement_title=words("Statement"),
        was_checked=words("was checked"),
        extent_title=words("extent"),
        extent=standard().extent_zh if words.chinese else standard().extent,
        hashes=_rows(
            (words(name), f"<code>{escape(text)}</code>")
            for name, text in (
                ("kit version", __version__),
                ("kit hash", kit_hash()),
                ("clauses hash", standard().digest),
                ("results hash", report.results_hash),
            )
        ),
    )


def _outcome(basis: Basis, report: Report, words: Words) -> str:
    found, outcome = report.clause_counts(basis), report.outcome(basis)
    numbers = words("of", found[State.PASS], sum(found.values()))
    return f'<strong class="{outcome.value}">{words.outcome(basis, outcome)}</strong> ({numbers})'


def _circumstances(report: Report, words: Words) -> list[tuple[str, Any]]:
    machine = environment()
    missing = words.listed(report.missing_types)
    types = words.listed(sorted(report.element_types))
    free = words.listed(words.aspect(aspect) for aspect in sorted(standard().free_aspects - report.claims))
    pairs = [
        (words("device"), report.device or "cpu"),
        (words("types"), f"{types}{words('semicolon')}{words('missing')}{words('colon')}{missing or words('none')}"),
        *([(words("not judged"), words.listed(report.unjudged_types))] if report.unjudged_types else []),
        (words("claims"), words.listed(sorted(report.claims)) or words("none")),
        (words("not claimed"), free or words("none")),
        (words("profile"), report.profile),
        (words("started"), report.started),
        (words("took"), f"{report.seconds:.1f}"),
        *((words(name), text) for name, text in machine.items()),
    ]
    return [(name, escape(str(text))) for name, text in pairs]


def _rows(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return the rows of a table with two columns in HTML. The values in the second column are HTML already."""
    return "\n".join(f"<tr><th>{escape(str(k))}</th><td>{v}</td></tr>" for k, v in pairs)


def _cells(cells: Iterable[str], kind: str = "td") -> str:
    return f"<tr>{''.join(f'<{kind}>{cell}</{kind}>' for cell in cells)}</tr>"


def _aspects(words: Words) -> str:
    """Return the table of aspects in HTML, with the demands, clauses and bases of the aspects."""
    head = _cells((words(name) for name in ("aspect", "clause", "demands", "rests on")), "th")
    rows = []
    for aspect in standard().aspects.values():
        reason = aspect.reading_zh if words.chinese else aspect.reading
        basis = words(f"by {aspect.rests_on}") + (f"{words('colon')}{reason}" if reason else "")
        demands = aspect.demands_zh if words.chinese else aspect.demands
        rows.append(_cells(escape(text) for text in (words.aspect(aspect.name), aspect.clause, demands, basis)))
    return "\n".join([head, *rows])


def _operator(report: Report, verdict: Verdict, words: Words) -> str:
    entry = standard().operators[verdict.operator]
    reference = words("where", standard().name, words.where(entry))
    reading = "" if entry.clause else (entry.reading_zh if words.chinese else entry.reading)
    basis = f"{words.basis(Basis.READING)}{words('colon')}{reading}" if reading else words.basis(Basis.TEXT)
    head = f"{entry.number} {entry.name} {entry.chinese}"
    state = f'<span class="{verdict.state.name.lower()}">{words.state(verdict.state)}</span>'
    opened = " open" if verdict.state is State.FAIL else ""
    names = ("aspect", "clause", "basis", "verdict", "number", "error", "found")
    clauses = "\n".join(_clause(verdict, clause, words) for clause in verdict.clauses.values())
    told = ((words.aspect(aspect), words.reason(reason)) for aspect, reason in report.not_asked(verdict).items())
    not_asked = "".join(
        f"<br>{words('not asked')}{words('colon')}{escape(aspect)} ({escape(why)})" for aspect, why in told
    )
    table = f"<table>{_cells(map(words, names), 'th')}{clauses}</table>" if clauses else ""
    return (
        f'<details id="{escape(verdict.operator)}"{opened}><summary>{escape(head)} {state} {verdict.checks}</summary>'
        f"<p>{escape(reference)}<br>{escape(basis)}{not_asked}</p>{table}</details>"
    )


def _clause(verdict: Verdict, clause: Clause, words: Words) -> str:
    groups = grouped(clause)
    notes = [_note(group, words) for group in groups[:_SHOWN]]
    if len(groups) > _SHOWN:
        notes.append(f"… {len(groups) - _SHOWN}")
    basis = escape(words.basis(verdict.basis(clause)))
    if clause.aspect in standard().operators[verdict.operator].readings:
        basis += f'<br><span class="basis">{escape(words.reading(verdict.operator, clause.aspect))}</span>'
    return (
        f"<tr><th>{escape(words.aspect(clause.aspect))}</th><td>{standard().aspects[clause.aspect].clause}</td>"
        f'<td>{basis}</td><td class="{clause.state.name.lower()}">{words.state(clause.state)}</td>'
        f"<td>{clause.checks}</td><td>{'' if clause.error is None else f'{clause.error:.3g} ulp'}</td>"
        f"<td>{'<br>'.join(notes)}</td></tr>"
    )


def _note(group: Group, words: Words) -> str:
    text = escape(words.note(group))
    if not group.snippet:
        return text
    return f"{text}<details><summary>{words('programs')}</summary><pre>{escape(group.snippet)}</pre></details>"
