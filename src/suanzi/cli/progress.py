"""Progress lines on a terminal, which disappear when a command is done. Pipes and files receive no progress line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from suanzi.conformance.text import printable

_ERASE = "\r\x1b[K"


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Show a progress line while a block of code runs."""
    stream = sys.stderr
    is_shown = stream is not None and stream.isatty()
    if is_shown:
        print(f"{printable(what)[:70]} …", end="", file=stream, flush=True)
    try:
        yield
    finally:
        if is_shown:
            print(_ERASE, end="", file=stream, flush=True)
