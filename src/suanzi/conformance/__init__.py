"""The standard's operators as checks against an oracle in higher precision, for any provider.

    from suanzi.conformance import run
    for verdict in run(provider):
        print(verdict.entry.name, verdict.state, *verdict.faults)

`Provider` is what another library implements to be checked; without one, this library is.
"""

from __future__ import annotations

from suanzi.conformance.provider import Provider, Suanzi
from suanzi.conformance.runner import State, Verdict, check, probes, run

__all__ = ["Provider", "State", "Suanzi", "Verdict", "check", "probes", "run"]
