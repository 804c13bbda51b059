"""Text in columns, where a Chinese character is two columns wide; JSON, and errors, for a terminal or a pipe."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

_LONGEST = 1000  # characters of an error


def width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, columns: int) -> str:
    """The text followed by spaces up to a number of columns."""
    return text + " " * (columns - width(text))


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines in which every column is as wide as its widest cell."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(pad, row, widths)).rstrip() for row in rows]


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
