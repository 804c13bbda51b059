"""Checks of a provider's operators against the standard T/AI 137.1 and an oracle in higher precision.

    from suanzi.conformance import run
    for verdict in run(provider):
        print(verdict.operator, verdict.state, *verdict.faults)

`Provider` has the methods that a library needs for the checks. Any class with these methods can be a provider.
`Session` checks a library in a separate process, as the command `suanzi conformance` does.

The distribution `suanzi-conformance` contains this package under the name `suanzi_conformance`, and needs only NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .provider import BlockedError, Provider
    from .providers.suanzi import Suanzi
    from .runner import Profile, asked, check, run
    from .session import Limits, ProviderError, Session
    from .verdicts import Clause, Outcome, State, Verdict

# The public names of the package by module. Python loads a module when one of the module's names is first used, so that
# the command line, for example, loads only a few modules.
_MODULES = {
    "provider": ("BlockedError", "Provider"),
    "providers.suanzi": ("Suanzi",),
    "runner": ("Profile", "asked", "check", "run"),
    "session": ("Limits", "ProviderError", "Session"),
    "verdicts": ("Clause", "Outcome", "State", "Verdict"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "BlockedError",
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
    "__version__",
    "asked",
    "check",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
