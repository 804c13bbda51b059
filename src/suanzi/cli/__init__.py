"""The command line: `suanzi ops`, `suanzi info`, `suanzi conformance`. It computes nothing."""

from suanzi.cli.main import main

__all__ = ["main"]
