"""The differences between two JSON reports: verdicts, errors, and the inputs of the checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..standard import Basis
from .data import FORMAT
from .words import Words

_LARGER = 1.25  # the ratio above which two errors are reported as different
_ORDER = ("pass", "blocked", "not provided", "fail", "")  # states, the best first


class NoReportError(ValueError):
    """Raised for a file that is not a comparable report."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The lines about differences, and the numbers of better and worse verdicts in the second report."""

    lines: tuple[str, ...]
    better: int
    worse: int


def read(file: str) -> dict[str, Any]:
    """Read the report in a file. Raise NoReportError if the file is not a report of the format `FORMAT`."""
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NoReportError(f"{file}: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NoReportError(f"{file}: not a report of form {FORMAT}, as --json writes it")
    return data


def compared(first: Mapping[str, Any], second: Mapping[str, Any], language: str = "en") -> Comparison:
    """Return the differences between two reports."""
    words = Words(language)
    operators = list(_states(first, second, words))
    clauses = list(_clauses(first, second, words))
    verdicts = [*operators, *clauses]
    sections: dict[str, list[str]] = {
        words.compare("operators"): [line for line, _ in operators],
        words.compare("clauses"): [line for line, _ in clauses],
        words.compare("errors"): list(_errors(first, second, words)),
        words.compare("not asked"): list(_not_asked(first, second, words)),
    }
    lines = [*_head(first, second, words)]
    for title, found in sections.items():
        if found:
            lines += ["", title, *(f"  {line}" for line in found)]
    better, worse = (sum(sign == s for _, sign in verdicts) for s in (1, -1))
    total = words.compare("totals", better, worse) if verdicts else words.compare("nothing")
    return Comparison((*lines, "", total), better, worse)


def _head(first: Mapping[str, Any], second: Mapping[str, Any], words: Words) -> Iterator[str]:
    """Yield lines about the differences between the providers, machines and outcomes of two reports."""
    yield _differing(words.compare("other provider"), _name(first), _name(second))
    same = first["kit"]["sha256"] == second["kit"]["sha256"]
    yield words.compare("same kit" if same else "other kit")
    pairs = (
        ("other profile", first["profile"], second["profile"]),
        ("other machine", first["environment"]["processor"], second["environment"]["processor"]),
    )
    for word, a, b in pairs:
        if a != b:
            yield _differing(words.compare(word), a, b)
    for word, key in (("types", "element_types"), ("claims", "claims")):
        a, b = set(first["provider"][key]), set(second["provider"][key])
        if a != b:
            changes = [f"+ {words.listed(sorted(b - a))}"] * bool(b - a) + [f"- {words.listed(sorted(a - b))}"] * bool(
                a - b
            )
            yield f"{words.compare(word)}{words('colon')}{words('comma').join(changes)}"
    for basis in first["outcome"]:
        outcomes = [words.said(report["outcome"][basis]) for report in (first, second)]
        numbers = [_passed(report["clauses"][basis], words) for report in (first, second)]
        told = [f"{o} ({n})" for o, n in zip(outcomes, numbers, strict=True)]
        yield _differing(f"{words.compare('outcome')} ({words.basis(Basis(basis))})", *told)


def _differing(what: str, a: str, b: str) -> str:
    return f"{what}: {a}" if a == b else f"{what}: {a} → {b}"


def _name(report: Mapping[str, Any]) -> str:
    return f"{report['provider']['name']} {report['provider']['version']}".strip()


def _passed(states: Mapping[str, int], words: Words) -> str:
    return words("of", states["pass"], sum(states.values()))


def _operators(report: Mapping[str, Any]) -> dict[str, Any]:
    return {row["operator"]: row for row in report["operators"]}


def _sign(a: str, b: str) -> int:
    """Return 1 if the second state is better, -1 if the second state is worse, and 0 if the states are equal."""
    return (_ORDER.index(a) > _ORDER.index(b)) - (_ORDER.index(a) < _ORDER.index(b))


def _states(first: Mapping[str, Any], second: Mapping[str, Any], words: Words) -> Iterator[tuple[str, int]]:
    """Yield a line and a sign (`_sign`) for each operator whose verdicts differ or that only one report has."""
    before, after = _operators(first), _operators(second)
    for name in {**before, **after}:
        if name not in after or name not in before:
            yield f"{name}: {words.compare('removed' if name in before else 'added')}", 0
        elif (a := before[name]["state"]) != (b := after[name]["state"]):
            yield f"{name}: {words.state(a)} → {words.state(b)}", _sign(a, b)


def _both(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return the operators that both reports have, with their clauses by aspect."""
    before, after = _operators(first), _operators(second)
    for name in [name for name in before if name in after]:
        clauses = [{clause["aspect"]: clause for clause in row["clauses"]} for row in (before[name], after[name])]
        yield name, clauses[0], clauses[1]


def _clauses(first: Mapping[str, Any], second: Mapping[str, Any], words: Words) -> Iterator[tuple[str, int]]:
    """Yield lines about clauses whose verdicts differ, with a clause's first note, and about failing clauses whose
    notes differ.
    """
    for name, before, after in _both(first, second):
        for aspect in {**before, **after}:
            a, b = before.get(aspect), after.get(aspect)
            if a is None or b is None:
                continue
            what = f"{name}, {words.aspect(aspect)} ({b['clause']}, {words.basis(Basis(b['rests_on']))})"
            if a["state"] != b["state"]:
                note = "" if words.chinese else next(iter(b["notes"] or a["notes"]), "")
                told = f"{what}: {words.state(a['state'])} → {words.state(b['state'])}"
                yield f"{told}{f'; {note}' if note else ''}", _sign(a["state"], b["state"])
            elif a["state"] == "fail" and a["notes"] != b["notes"]:
                yield f"{what}: {words.compare('other faults')}, {len(a['faults'])} → {len(b['faults'])}", 0


def _errors(first: Mapping[str, Any], second: Mapping[str, Any], words: Words) -> Iterator[str]:
    """Yield lines about errors that are much larger or smaller in the second report."""
    for name, before, after in _both(first, second):
        for aspect in [aspect for aspect in before if aspect in after]:
            a, b = before[aspect]["error"], after[aspect]["error"]
            if a is None or b is None or a == b:
                continue
            if max(a, b) > _LARGER * min(a, b):
                yield f"{name}, {words.aspect(aspect)}: {a:.3g} → {b:.3g}"


def _not_asked(first: Mapping[str, Any], second: Mapping[str, Any], words: Words) -> Iterator[str]:
    """Yield lines about aspects that only one of the reports tested."""
    before, after = _operators(first), _operators(second)
    for name in [name for name in before if name in after]:
        a, b = set(before[name]["not_asked"]), set(after[name]["not_asked"])
        changes = [f"+ {words.listed(map(words.aspect, sorted(b - a)))}"] * bool(b - a)
        changes += [f"- {words.listed(map(words.aspect, sorted(a - b)))}"] * bool(a - b)
        if changes:
            yield f"{name}: {words('comma').join(changes)}"
