"""Words on a terminal that say what a command is doing, and are gone when it is done; nothing for a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from suanzi.conformance.text import printable

_ERASE = "\r\x1b[K"


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Show a line while something is done."""
    stream = sys.stderr
    is_shown = stream is not None and stream.isatty()
    if is_shown:
        print(f"{printable(what)[:70]} …", end="", file=stream, flush=True)
    try:
        yield
    finally:
        if is_shown:
            print(_ERASE, end="", file=stream, flush=True)
