"""The report on a library: what was found as data, and its forms: text, JSON, JUnit's XML, a page of HTML."""

from __future__ import annotations

from .data import Report, environment
from .junit import as_junit
from .page import as_html

__all__ = ["Report", "as_html", "as_junit", "environment"]
