"""The command line with the commands `suanzi ops`, `info`, `bench`, `conformance` and `run`. The package `cli` computes
nothing.
"""

from suanzi.cli.main import main

__all__ = ["main"]
