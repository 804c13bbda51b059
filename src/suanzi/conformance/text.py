"""Functions that format columns, JSON and errors for a terminal or a pipe. A Chinese character takes two columns."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_LONGEST = 1000  # the most characters of an error
_CANDIDATES = 6  # the most suggestions for an unknown name


def width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int) -> str:
    """Pad the text with spaces to a number of columns."""
    return text + " " * (columns - width(text))


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return lines in which every column is as wide as its widest cell."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(pad, row, widths)).rstrip() for row in rows]


def english(names: Iterable[str], by_chinese: Mapping[str, str]) -> list[str]:
    """Return the English names for the standard's Chinese names, in full or short: 张量加法操作, 加法, 加.

    An unknown or ambiguous name stays unchanged.
    """
    short = {_short(chinese): name for chinese, name in by_chinese.items()}
    found = []
    for name in names:
        begun = {full for cut, full in short.items() if name and cut.startswith(name)}
        found.append(by_chinese.get(name) or short.get(name) or (begun.pop() if len(begun) == 1 else name))
    return found


def _short(chinese: str) -> str:
    """Return a name of the standard without words that most names contain."""
    return chinese.removeprefix("张量").removesuffix("操作").removesuffix("函数")


def meant(name: str, known: Iterable[str]) -> str:
    """Return the last part of an error message about an unknown name, which suggests known names. The part is empty if
    no known name is similar.
    """
    from difflib import get_close_matches

    known = list(dict.fromkeys(known))
    within = [other for other in known if name in other and not name.isascii()][:_CANDIDATES]
    found = within or get_close_matches(name.lower(), known, 1, 0.7)
    return f"; is {' or '.join(found)} meant?" if found else ""


def as_json(value: Any, indent: int | None = None) -> str:
    """Return JSON, in ASCII if the output cannot encode other characters.

    JSON has no NaN and no infinities, so the function writes the texts "NaN", "Infinity" and "-Infinity".
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    in_ascii = not encoding.lower().startswith("utf")
    return json.dumps(_finite(value), ensure_ascii=in_ascii, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def printable(text: str) -> str:
    """Return the text without terminal control sequences, which names in a file may contain."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(error: BaseException) -> str:
    """Return the text of an error, with its notes, in one line."""
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    text = printable(" ".join(f"{str(error) or 'there is not memory enough'}{notes}".split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
