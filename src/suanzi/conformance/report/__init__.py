"""The report on a library: what was found as data, and its forms: text, JSON, JUnit's XML, a page of HTML."""

from __future__ import annotations

from suanzi.conformance.report.data import Report, environment
from suanzi.conformance.report.junit import as_junit
from suanzi.conformance.report.page import as_html

__all__ = ["Report", "as_html", "as_junit", "environment"]
