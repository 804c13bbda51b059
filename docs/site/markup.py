"""Text of docstrings as Markdown: text between backticks is code, all else is literal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

# Returns a replacement for a piece of code; None to show it as it is.
Link = Callable[[str], str | None]

_CODE = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
_SPECIAL = re.compile(r"([\\*_\[\]<>#|~$&])")


def no_links(code: str) -> None:
    """For text whose code leads nowhere."""


def inline(text: str, link: Link = no_links) -> str:
    """One paragraph on one line."""
    parts, at = [], 0
    for found in _CODE.finditer(text):
        code = " ".join((found[1] or found[2]).split())
        parts += [_SPECIAL.sub(r"\\\1", text[at : found.start()]), link(code) or f"`{code}`"]
        at = found.end()
    parts.append(_SPECIAL.sub(r"\\\1", text[at:]))
    return " ".join("".join(parts).split())


def paragraphs(text: str, link: Link = no_links) -> str:
    """Paragraphs that blank lines separate."""
    return "\n\n".join(inline(part, link) for part in re.split(r"\n\s*\n", text.strip()))


def definitions(entries: Iterable[tuple[str, str]]) -> str:
    """A definition list of terms and texts, both in Markdown."""
    items = []
    for term, text in entries:
        first, *rest = (text or "—").splitlines()
        items.append("\n".join([term, f": {first}", *(f"  {line}" if line else "" for line in rest)]))
    return "\n\n".join(items)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells in Markdown."""
    header = list(header)
    lines = [header, ["---"] * len(header), *map(list, rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def fence(code: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{code}\n```"
