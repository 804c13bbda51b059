"""The report on a library: findings as data, and their forms as text, JSON, JUnit's XML and HTML.

The text and the HTML page are in English or in Chinese. `compare` lists the differences between two reports.
"""

from __future__ import annotations

from .compare import compared
from .data import Report, environment
from .junit import as_junit
from .page import as_html
from .text import summary_lines, verdict_lines

__all__ = ["Report", "as_html", "as_junit", "compared", "environment", "summary_lines", "verdict_lines"]
