"""The report as JUnit's XML, for continuous integration. The XML has a suite for each operator and a case for each
clause.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from ..standard import Basis, standard
from ..verdicts import SAID, Clause, State, Verdict, clause_counts
from ..version import __version__
from .data import STATEMENT, Report
from .notes import grouped

_SHOWN = 20  # the most notes that are shown for a clause


def as_junit(report: Report) -> str:
    """Return a report as JUnit's XML."""
    name = f"T/AI 137.1-2025: {report.provider} {report.version}".strip()
    root = ET.Element("testsuites", name=name, time=f"{report.seconds:.3f}")
    suite = ET.SubElement(root, "testsuite", name="summary", tests="0", failures="0", skipped="0")
    _add_properties(suite, report)
    for verdict in report.verdicts:
        _add_suite(root, report, verdict)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_properties(suite: ET.Element, report: Report) -> None:
    """Add the properties of the run as a whole."""
    found = {basis: clause_counts(report.verdicts, basis) for basis in Basis}
    texts = {
        **{f"outcome on the {basis}": SAID[basis][report.outcome(basis)] for basis in Basis},
        **{f"clauses that pass, {b}": f"{n[State.PASS]} of {sum(n.values())}" for b, n in found.items()},
        "asked": f"{len(report.asked)} of {len(standard().operators)}",
        "element types": ", ".join(sorted(report.element_types)),
        "element types not provided": ", ".join(report.missing_types) or "none",
        "element types not judged": ", ".join(report.unjudged_types) or "none",
        "claims": ", ".join(sorted(report.claims)) or "none",
        "kit": f"{__version__}, clauses {standard().digest}",
        "statement": STATEMENT,
    }
    properties = ET.SubElement(suite, "properties")
    for name, value in texts.items():
        ET.SubElement(properties, "property", name=name, value=_legal(value))


def _add_suite(root: ET.Element, report: Report, verdict: Verdict) -> None:
    clauses = list(verdict.clauses.values())
    if not verdict.provided:
        suite = ET.SubElement(root, "testsuite", name=verdict.operator, tests="1", failures="0", skipped="1")
        case = ET.SubElement(suite, "testcase", classname=verdict.operator, name="is provided")
        ET.SubElement(case, "skipped", message="not provided")
        return
    tally = {state: sum(clause.state is state for clause in clauses) for state in State}
    not_asked = report.not_asked(verdict)
    suite = ET.SubElement(
        root,
        "testsuite",
        name=verdict.operator,
        tests=str(len(clauses) + len(not_asked)),
        failures=str(tally[State.FAIL]),
        skipped=str(tally[State.BLOCKED] + tally[State.NOT_PROVIDED] + len(not_asked)),
    )
    for clause in clauses:
        _add_case(suite, verdict, clause)
    for aspect, reason in not_asked.items():
        case = ET.SubElement(suite, "testcase", classname=verdict.operator, name=_name(verdict, aspect))
        ET.SubElement(case, "skipped", message=_legal(f"not asked: {reason.english}"))


def _name(verdict: Verdict, aspect: str) -> str:
    """Return the name of a case: an aspect, with the clause and the basis of the aspect."""
    return f"{aspect} ({standard().aspects[aspect].clause}, {standard().basis(verdict.operator, aspect)})"


def _add_case(suite: ET.Element, verdict: Verdict, clause: Clause) -> None:
    case = ET.SubElement(suite, "testcase", classname=verdict.operator, name=_name(verdict, clause.aspect))
    groups = grouped(clause)
    if clause.state is State.FAIL:
        failure = ET.SubElement(case, "failure", message=_legal(groups[0].english))
        lines = [line for g in groups[:_SHOWN] for line in (g.english, *([g.snippet] if g.snippet else []), "")]
        failure.text = _legal("\n".join(lines))
    elif clause.state is not State.PASS:
        ET.SubElement(case, "skipped", message=_legal(groups[0].english))


def _legal(text: str) -> str:
    """Return a text with U+FFFD in place of characters that XML forbids. Messages of libraries may contain
    these characters.
    """
    return re.sub("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
