"""Text in columns, where a Chinese character is two columns wide; JSON, and errors, for a terminal or a pipe."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_LONGEST = 1000  # characters of an error
_CANDIDATES = 6  # known names that are suggested for an unknown one


def width(text: str) -> int:
    """The number of columns of a terminal that the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int) -> str:
    """The text followed by spaces up to a number of columns."""
    return text + " " * (columns - width(text))


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines in which every column is as wide as its widest cell."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(pad, row, widths)).rstrip() for row in rows]


def english(names: Iterable[str], by_chinese: Mapping[str, str]) -> list[str]:
    """The English names of what the standard names in Chinese, in full or cut short: 张量加法操作, 加法, 加.

    A name that is not known, or that several begin with, stays as it is.
    """
    short = {_short(chinese): name for chinese, name in by_chinese.items()}
    found = []
    for name in names:
        begun = {full for cut, full in short.items() if name and cut.startswith(name)}
        found.append(by_chinese.get(name) or short.get(name) or (begun.pop() if len(begun) == 1 else name))
    return found


def _short(chinese: str) -> str:
    """A name of the standard without the words that most names have."""
    return chinese.removeprefix("张量").removesuffix("操作").removesuffix("函数")


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: which of the known ones may be meant."""
    from difflib import get_close_matches

    known = list(dict.fromkeys(known))
    within = [other for other in known if name in other and not name.isascii()][:_CANDIDATES]
    found = within or get_close_matches(name.lower(), known, 1, 0.7)
    return f"; is {' or '.join(found)} meant?" if found else ""


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON, in ASCII where the output can write nothing else."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return json.dumps(value, ensure_ascii=not encoding.lower().startswith("utf"), indent=indent)


def printable(text: str) -> str:
    """The text, of which a terminal obeys nothing: names in a file may hold any characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(error: BaseException) -> str:
    """Return the text of an error, with its notes, in one line."""
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    text = printable(" ".join(f"{str(error) or 'there is not memory enough'}{notes}".split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
