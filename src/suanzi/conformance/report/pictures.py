"""The pictures of the page, as SVG."""

from __future__ import annotations

from html import escape
from math import inf, log10

from ..verdicts import Verdict
from .data import Report
from .words import Words

_LABELS, _WIDTH, _ROW = 260, 560, 20  # widths of the names and of the bars; height of a row
_LEAST, _MOST = -2.0, 6.0  # decimal logarithms of the errors at both ends of the axis


def _text(x: float, row: int, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{row * _ROW + 14}"{more}>{escape(text)}</text>'


def _bar(x: float, row: int, width: float, kind: str, title: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{row * _ROW + 3}" width="{width:.1f}" height="{_ROW - 6}">'
        f"<title>{escape(title)}</title></rect>"
    )


def _picture(rows: int, parts: list[str]) -> str:
    size = f'width="{_LABELS + _WIDTH + 60}" height="{rows * _ROW}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n' + "\n".join(parts) + "\n</svg>"


def categories_picture(report: Report, words: Words) -> str:
    """Return a picture with a bar for each category of Table 2. The colours show the number of operators of each
    state.
    """
    rows = report.by_category()
    longest = max((sum(found.values()) for found in rows.values()), default=1)
    parts = []
    for row, (category, found) in enumerate(rows.items()):
        parts.append(_text(0, row, words.category(category.key)))
        x = float(_LABELS)
        for state, number in found.items():
            width = number * _WIDTH / longest
            if number:
                parts.append(_bar(x, row, width, state.name.lower(), f"{words.state(state)}: {number}"))
            x += width
        total = sum(found.values())
        parts.append(_text(x + 6, row, f"{found[next(iter(found))]}/{total}"))
    return _picture(len(rows), parts)


def _worst(verdict: Verdict) -> float | None:
    return max((c.error for c in verdict.clauses.values() if c.error is not None), default=None)


def errors_picture(report: Report) -> str:
    """Return a picture with a bar for each operator whose results have errors. The bar shows the largest error."""
    rows = [(v.operator, error) for v in report.verdicts if (error := _worst(v)) is not None and error > 0]
    parts = []
    for row, (operator, error) in enumerate(rows):
        place = min(max(log10(error), _LEAST), _MOST)
        width = max(1.0, (place - _LEAST) / (_MOST - _LEAST) * _WIDTH)
        kind = "pass" if error <= 1 else "blocked" if error < inf else "fail"
        parts += [_text(0, row, operator), _bar(_LABELS, row, width, kind, f"{error:.4g} ulp")]
        parts.append(_text(_LABELS + width + 6, row, f"{error:.3g}"))
    return _picture(len(rows), parts)
