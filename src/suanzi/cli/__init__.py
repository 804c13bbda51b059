"""The command line: `suanzi ops`, `suanzi info`, `suanzi conformance`, `suanzi run`. It computes nothing."""

from suanzi.cli.main import main

__all__ = ["main"]
