"""The command line: `suanzi ops`, `suanzi info`, `suanzi conformance`, `suanzi run`. The command line computes nothing
itself.
"""

from suanzi.cli.main import main

__all__ = ["main"]
