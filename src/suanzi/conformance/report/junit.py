"""The report as JUnit's XML, which continuous integration shows: a suite per operator, a case per clause."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from ..verdicts import Clause, State, Verdict
from .data import Report

_SHOWN = 20  # faults of a clause


def as_junit(report: Report) -> str:
    """The text of the file."""
    name = f"T/AI 137.1-2025: {report.provider} {report.version}".strip()
    root = ET.Element("testsuites", name=name, time=f"{report.seconds:.3f}")
    for verdict in report.verdicts:
        _add_suite(root, verdict)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(root: ET.Element, verdict: Verdict) -> None:
    clauses = list(verdict.clauses.values())
    if verdict.state is State.NOT_PROVIDED:
        suite = ET.SubElement(root, "testsuite", name=verdict.operator, tests="1", failures="0", skipped="1")
        case = ET.SubElement(suite, "testcase", classname=verdict.operator, name="is provided")
        ET.SubElement(case, "skipped", message="not provided")
        return
    tally = {state: str(sum(clause.state is state for clause in clauses)) for state in State}
    suite = ET.SubElement(
        root,
        "testsuite",
        name=verdict.operator,
        tests=str(len(clauses)),
        failures=tally[State.FAIL],
        skipped=tally[State.BLOCKED],
    )
    for clause in clauses:
        _add_case(suite, verdict.operator, clause)


def _add_case(suite: ET.Element, operator: str, clause: Clause) -> None:
    case = ET.SubElement(suite, "testcase", classname=operator, name=clause.aspect)
    if clause.state is State.FAIL:
        failure = ET.SubElement(case, "failure", message=_legal(clause.faults[0]))
        failure.text = _legal("\n".join([*clause.faults[:_SHOWN], *([clause.snippet] if clause.snippet else [])]))
    elif clause.state is State.BLOCKED:
        ET.SubElement(case, "skipped", message=_legal(clause.blocked[0]))


def _legal(text: str) -> str:
    """What XML may hold: libraries say what they like."""
    return re.sub("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
