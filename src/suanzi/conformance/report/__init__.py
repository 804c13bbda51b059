"""The report on a library: the findings as data, and its forms: text, JSON, JUnit's XML, a page of HTML.

Text and page are in English or in Chinese. `compare` tells what differs between two reports.
"""

from __future__ import annotations

from .compare import compared
from .data import Report, environment
from .junit import as_junit
from .page import as_html
from .text import summary_lines, verdict_lines

__all__ = ["Report", "as_html", "as_junit", "compared", "environment", "summary_lines", "verdict_lines"]
