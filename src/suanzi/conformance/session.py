"""Checks a library in a process of its own, with limits of time and memory.

A crash and a hang are findings: the probe at which it happened has failed, and another process goes on after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .probe import Finding
from .process import EndedError, Process
from .runner import Profile
from .verdicts import Verdict

_STARTING = 120.0  # seconds that the process and the library may take to start
_MOST_ENDS = 5  # of the process at one operator: what is left of that is not asked


class ProviderError(RuntimeError):
    """The provider cannot be loaded."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one library may take."""

    seconds: float = 60.0  # for a probe
    memory: int = 0  # bytes of address space; 0: no limit


class Session:
    """A library being checked; a context manager, at whose end its process is gone."""

    def __init__(
        self, provider: str, profile: Profile = Profile.FULL, limits: Limits | None = None, *, device: str = ""
    ) -> None:
        self.provider, self.profile, self.limits, self.device = provider, profile, limits or Limits(), device
        self.name = self.version = ""
        self.element_types = self.claims = frozenset[str]()
        self._start()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stop()

    def _start(self) -> None:
        given = [self.provider, self.device, str(self.limits.memory)]
        self._process = Process([f"{__package__}.worker", *given])
        try:
            told = self._process.heard(max(_STARTING, self.limits.seconds))
        except EndedError as ended:
            raise ProviderError(f"{self.provider}: {ended}") from None
        if "error" in told:
            self._process.stop()
            raise ProviderError(f"{self.provider}: {told['error']}")
        self.name, self.version = told["name"], told["version"]
        self.element_types, self.claims = frozenset(told["element_types"]), frozenset(told["claims"])

    def check(self, operator: str) -> Verdict:
        """The verdict on one operator."""
        verdict = Verdict(operator)
        skip = ends = 0
        while True:
            asked: dict[str, Any] = {}
            try:
                self._process.say(operator=operator, profile=self.profile, skip=skip)
                while "done" not in (heard := self._process.heard(self.limits.seconds)):
                    if "error" in heard:
                        raise RuntimeError(heard["error"])
                    if "number" in heard:
                        asked = heard
                    else:
                        verdict.add(asked["aspect"], asked["function"], Finding(*heard["found"]))
                        skip = asked["number"] + 1
                verdict.provided = heard["provided"]
                return verdict
            except EndedError as ended:
                fault = f"{asked.get('label', 'before the first probe')}: {ended}"
                verdict.add(asked.get("aspect", "values"), asked.get("function", operator), Finding(fault))
                skip, ends = asked.get("number", -1) + 1, ends + 1
                self._start()
            if ends == _MOST_ENDS or not asked:
                rest = Finding(None, blocked=f"the process ended {ends} times: the rest is not asked")
                verdict.add("values", operator, rest)
                return verdict

    def run(self, operators: list[str]) -> Iterator[Verdict]:
        """The verdicts as they come."""
        for operator in operators:
            yield self.check(operator)
