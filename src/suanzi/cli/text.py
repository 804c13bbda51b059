"""Text in columns, where a Chinese character is two columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence


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
