"""The standard's operators as checks against an oracle in higher precision, for any provider.

    from suanzi.conformance import run
    for verdict in run(provider):
        print(verdict.operator, verdict.state, *verdict.faults)

`Provider` is what another library implements to be checked; without one, this library is. `Session` checks a provider
in a process of its own, as `suanzi conformance` does.
"""

from __future__ import annotations

from .provider import Provider
from .providers.suanzi import Suanzi
from .runner import Profile, asked, check, run
from .session import Limits, ProviderError, Session
from .verdicts import Clause, Outcome, State, Verdict

__all__ = [
    "Clause",
    "Limits",
    "Outcome",
    "Profile",
    "Provider",
    "ProviderError",
    "Session",
    "State",
    "Suanzi",
    "Verdict",
    "asked",
    "check",
    "run",
]
