"""The report as one page of HTML, in Chinese and English, that needs nothing besides itself."""

from __future__ import annotations

from html import escape
from importlib import resources
from string import Template
from typing import Any

from ..standard import standard
from ..verdicts import Clause, Outcome, State, Verdict
from .data import Report, environment, kit_hash
from .pictures import categories_picture, errors_picture

_SHOWN = 10  # faults of a clause
STATES = {
    State.PASS: "通过 pass",
    State.FAIL: "不通过 fail",
    State.NOT_PROVIDED: "未提供 not provided",
    State.BLOCKED: "无法判定 blocked",
}
_OUTCOMES = {
    Outcome.CONFORMS: "符合 conforms",
    Outcome.FAILS: "不符合 does not conform",
    Outcome.INCOMPLETE: "未完成 incomplete",
}


def as_html(report: Report) -> str:
    """The text of the file."""
    template = Template((resources.files(__package__) / "page.html").read_text(encoding="utf-8"))
    totals = [(STATES[state], number) for state, number in report.counts.items()]
    return template.substitute(
        provider=escape(f"{report.provider} {report.version}".strip()),
        outcome=_OUTCOMES[report.outcome],
        outcome_class=report.outcome.name.lower(),
        totals=_rows(totals),
        categories=categories_picture(report),
        errors=errors_picture(report),
        operators="\n".join(map(_operator, report.verdicts)),
        environment=_rows(_circumstances(report)),
        kit=kit_hash(),
        results=report.results_hash,
    )


def _circumstances(report: Report) -> list[tuple[str, Any]]:
    return [
        ("设备 device", report.device or "cpu"),
        ("范围 profile", report.profile),
        ("开始 started", report.started),
        ("用时 seconds", f"{report.seconds:.1f}"),
        *environment().items(),
    ]


def _rows(pairs: list[tuple[str, Any]]) -> str:
    return "\n".join(f"<tr><th>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>" for k, v in pairs)


def _operator(verdict: Verdict) -> str:
    entry = standard().operators[verdict.operator]
    reference = f"{standard().name}, {entry.clause}: {entry.chinese}."
    head = f"{entry.number} {entry.name} {entry.chinese}"
    state = f'<span class="{verdict.state.name.lower()}">{STATES[verdict.state]}</span>'
    opened = " open" if verdict.state is State.FAIL else ""
    clauses = "\n".join(map(_clause, verdict.clauses.values()))
    return (
        f'<details id="{escape(verdict.operator)}"{opened}><summary>{escape(head)} {state} '
        f"{verdict.checks}</summary><p>{escape(reference)}</p><table>{clauses}</table></details>"
    )


def _clause(clause: Clause) -> str:
    notes = [escape(text) for text in (*clause.faults[:_SHOWN], *clause.blocked[:_SHOWN])]
    more = len(clause.faults) + len(clause.blocked) - len(notes)
    if more > 0:
        notes.append(f"… {more}")
    found = "<br>".join(notes)
    snippet = f"<pre>{escape(clause.snippet)}</pre>" if clause.snippet else ""
    error = "" if clause.error is None else f"{clause.error:.3g} ulp"
    return (
        f'<tr><th>{escape(clause.aspect)}</th><td class="{clause.state.name.lower()}">{STATES[clause.state]}</td>'
        f"<td>{clause.checks}</td><td>{error}</td><td>{found}{snippet}</td></tr>"
    )
