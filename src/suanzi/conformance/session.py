"""Checks of a library in a separate process, with limits of time and memory. Answers are judged in this process.

Crashes and hangs are findings: the current probe fails, and a new process continues with the next probe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .oracle.element_types import ELEMENT_TYPES
from .probe import Finding, Probe
from .provider import is_device
from .providers import is_built_in
from .recorder import judged
from .remote import ArgumentError, GoneError, ProviderError, Remote
from .runner import Profile, asked
from .verdicts import Verdict

__all__ = ["Limits", "ProviderError", "Session"]

_MOST_ENDS = 5  # the number of ends of the process after which the kit skips an operator's other probes
_LONGEST = 2000  # the most characters of a fault


@dataclass(frozen=True, slots=True)
class Limits:
    """The time and memory that one library may use."""

    seconds: float = 60.0  # the seconds that a probe may take
    memory: int = 0  # bytes of address space; 0 means no limit


class Session:
    """A context manager for checks of a library in another process. The end of the context stops the process."""

    def __init__(
        self, provider: str, profile: Profile = Profile.FULL, limits: Limits | None = None, *, device: str = ""
    ) -> None:
        self.profile, self.limits, self.device = profile, limits or Limits(), device
        try:
            self.remote = Remote(provider, device, self.limits.memory, trusted=is_built_in(provider))
        except ProviderError as error:
            raise ProviderError(f"{provider}: {error}") from None
        self.name, self.version = self.remote.name, self.remote.version()

    @property
    def element_types(self) -> frozenset[str]:
        """Return the element types that the library has."""
        return self.remote.element_types

    @cached_property
    def elsewhere(self) -> dict[str, str]:
        """Return, for each element type whose tensors are not on the requested device, the device of the tensors."""
        found: dict[str, str] = {}
        for name in sorted(self.element_types) if self.device else ():
            self.remote.begin(self.limits.seconds)
            array = np.array(["a"]) if name == "string" else np.ones(1, ELEMENT_TYPES[name].numpy)
            with suppress(Exception, GoneError, ArgumentError):  # the probes report any error
                told = self.remote.device_of(self.remote.from_numpy(array))
                if not is_device(told, self.device):
                    found[name] = told
        return found

    @property
    def claims(self) -> frozenset[str]:
        """Return the provider's claims beyond the standard, which the kit also judges."""
        return self.remote.claims

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.remote.stop()

    def check(self, operator: str) -> Verdict:
        """Return the verdict on one operator."""
        verdict = Verdict(operator)
        self.remote.begin(self.limits.seconds)
        try:
            verdict.provided = self.remote.find(operator) is not None
            self.remote.functions(operator)
        except GoneError as gone:
            return self._given_up(verdict, "before the first probe", gone, 1)
        except Exception as error:  # the provider's own error
            verdict.add("values", operator, Finding(f"find: raised {type(error).__name__}: {error}"))
            return verdict
        ends = 0
        for function, probe in asked(operator, self.remote, self.profile) if verdict.provided else ():
            self.remote.begin(self.limits.seconds)
            try:
                verdict.add(probe.aspect, function, self._found(probe))
            except GoneError as gone:
                ends += 1
                if ends == _MOST_ENDS:
                    return self._given_up(verdict, probe.label, gone, ends, probe.aspect, function)
                verdict.add(probe.aspect, function, Finding(f"{probe.label}: {gone}"))
                if not self._restarted():
                    break
        return verdict

    def _restarted(self) -> bool:
        """Start another process, and return whether the new process runs. If the process does not run, the next
        operator reports the failure.
        """
        with suppress(ProviderError):
            self.remote.start()
            return True
        return False

    def _found(self, probe: Probe) -> Finding:
        """Return the finding of a probe, with a short text."""
        try:
            found = judged(probe, self.remote, lambda: self.remote.begin(self.limits.seconds))
        except ArgumentError as error:
            why = f"{probe.label}: the operands cannot be made: {error}"[:_LONGEST]
            return Finding(None, blocked=why) if self.remote.is_trusted else Finding(why)
        except Exception as error:  # an error of the kit, perhaps after an unexpected answer
            return Finding(f"{probe.label}: the kit failed: {type(error).__name__}: {error}"[:_LONGEST])
        fault, blocked = (text and text[:_LONGEST] for text in (found.fault, found.blocked))
        return found._replace(fault=fault, blocked=blocked)

    def _given_up(
        self, verdict: Verdict, label: str, gone: GoneError, ends: int, aspect: str = "values", function: str = ""
    ) -> Verdict:
        """Return the verdict on an operator whose checks stop because the process ended. The last end of the process is
        a finding, and the kit skips the remaining checks.
        """
        verdict.add(aspect, function or verdict.operator, Finding(f"{label}: {gone}"))
        rest = Finding(None, blocked=f"the process ended {ends} times: the remaining checks were skipped")
        verdict.add("values", verdict.operator, rest)
        self._restarted()
        return verdict

    def run(self, operators: Iterable[str]) -> Iterator[Verdict]:
        """Yield the verdict on each operator."""
        for operator in operators:
            yield self.check(operator)
