"""The Chinese texts about a probe, from `chinese.toml`, and the causes of refusals, from the clauses."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from ..standard import standard
from ..verdicts import Note
from .notes import parts_of

_PIECE = re.compile(
    r"(?:of (?P<of>.*?) )?returned (?P<gave>.*?), not (?P<wanted>.*?) at (?P<at>\([\d, ]*\))"
    r"(?:, (?P<error>\S+) ulp where (?P<allowed>\S+) are allowed)?"
)
_COUNT = re.compile(r" \((\d+) of (\d+) wrong\)$")
_STATE = "; the same call right after gives the right result: the provider keeps a state"
_WORD = re.compile(r"(?<!\w)[A-Za-z]{3,}(?!\w)")
_QUOTED = re.compile(r"'[^']*'|\{[^}]*\}|\w+=\S+|[\w.]+->\w*")


class _Fault(NamedTuple):
    """A regular expression for a message, and the Chinese translation of the message."""

    pattern: re.Pattern[str]
    chinese: str
    inner: bool  # True if the last group of the expression is also a message


def _words() -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "chinese.toml").read_text(encoding="utf-8"))


def template(text: str) -> str:
    """Return the text of the template with Chinese comments."""
    for english, chinese in _words()["template"].items():
        text = text.replace(english, chinese)
    return text


@cache
def _table() -> tuple[str, tuple[_Fault, ...], dict[str, str]]:
    """Return the text for an unknown message, the expressions for messages, and the phrases of labels, the longest
    phrase first.
    """
    table = _words()
    faults = tuple(_Fault(re.compile(f["is"], re.DOTALL), f["zh"], f.get("inner", False)) for f in table["faults"])
    causes = {case.why: case.why_zh for o in standard().operators.values() for case in o.refused}
    phrases = {**table["phrases"], **causes}
    return table["unknown"], faults, dict(sorted(phrases.items(), key=lambda pair: -len(pair[0])))


@cache
def _names() -> frozenset[str]:
    """Return words that are the same in any language: types, operators, parameters and their choices."""
    all_of = standard()
    names = {*all_of.statuses, *all_of.operators, *(n for kind in all_of.kinds.values() for n in kind)}
    for operator in all_of.operators.values():
        for parameter in operator.parameters:
            names |= {parameter.name, *parameter.choices}
    return frozenset({*names, "True", "False", "None", "nan", "inf", "NaN", "ulp", "axis"} | _MORE_NAMES)


_MORE_NAMES = {"sum", "prod", "mean", "max", "min", "all", "any", "add", "mul", "update", "edge", "reflect", "wrap"}


def in_chinese(said: Note | str) -> str:
    """Translate a note, or only a label. A label that cannot be translated becomes empty."""
    if isinstance(said, str):
        return _label(said)
    label, what = parts_of(said.text)
    fault = _fault(what)
    if fault is None and (fault := _fault(said.text)) is not None:  # the message has no label
        label = ""
    parts = [said.function, _label(label), fault or _table()[0]]
    return "：".join(part for part in parts if part)


def _label(label: str) -> str:
    text = label
    for phrase, chinese in _table()[2].items():
        if phrase in text:
            text = re.sub(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", chinese, text)
    left = _WORD.findall(_QUOTED.sub(" ", text))
    return "" if any(word not in _names() for word in left) else text.replace(", ", "，")


def _fault(what: str) -> str | None:
    """Translate a message, or return None if none of the expressions fits."""
    if what.endswith(_STATE):
        inner = _fault(what.removesuffix(_STATE))
        return inner and f"{inner}；随后的相同调用结果正确：实现保留了状态"
    counted = _COUNT.search(what)
    if counted:
        pieces = [_piece(match) for match in _PIECE.finditer(what)]
        return f"{'；'.join(pieces)}（{counted[2]} 个中有 {counted[1]} 个错误）"
    for fault in _table()[1]:
        match = fault.pattern.fullmatch(what)
        if match is None:
            continue
        if not fault.inner:
            return match.expand(fault.chinese).replace(" or ", " 或 ")
        inner = _fault(match[match.lastindex or 0])
        return inner and match.expand(fault.chinese.replace(rf"\{match.lastindex}", "{}")).format(inner)
    return None


def _piece(match: re.Match[str]) -> str:
    operands = f"操作数 {match['of']} 时" if match["of"] else ""
    error = f"，误差 {match['error']} ulp，允许 {match['allowed']} ulp" if match["error"] else ""
    return f"{operands}给出 {match['gave']}，应为 {match['wanted']}，位于 {match['at']}{error}"
