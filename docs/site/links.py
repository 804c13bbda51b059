"""The link check: every link of the finished site must lead to a file of it, and to a place in that file.

Sphinx checks the links that it resolves itself; this reads what it wrote, templates and hand-written HTML included.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r'<(?:a|link|script|img|meta)\b[^>]*?\s(?:href|src)="([^"]*)"')
_ANCHOR = re.compile(r'\s(?:id|name)="([^"]*)"')


def broken(site: Path) -> Iterator[str]:
    """The links that lead nowhere, as `page: link`."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    anchors = {path: set(map(html.unescape, _ANCHOR.findall(text))) for path, text in pages.items()}
    for page, text in pages.items():
        for link in sorted(set(map(html.unescape, _LINK.findall(text)))):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # another site's
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            found = target.is_file() and (
                not parts.fragment or target not in anchors or unquote(parts.fragment) in anchors[target]
            )
            if not found:
                yield f"{page.relative_to(site)}: {link}"
