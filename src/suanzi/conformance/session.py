"""Checks a library in a process of its own, with limits of time and memory.

A crash and a hang are findings: the probe at which it happened has failed, and another process goes on after it.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suanzi.conformance.probe import Finding
from suanzi.conformance.runner import Profile
from suanzi.conformance.verdicts import Verdict

_STARTING = 120.0  # seconds that the process and the library may take to start
_MOST_ENDS = 5  # of the process at one operator: what is left of that is not asked


class ProviderError(RuntimeError):
    """The provider cannot be loaded."""


class EndedError(Exception):
    """The process has ended, or does not answer."""


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
        self._start()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _start(self) -> None:
        given = [self.provider, self.device, str(self.limits.memory)]
        command = [sys.executable, "-m", "suanzi.conformance.worker", *given]
        # Python finds here what it finds in this process: a provider may lie in the current folder.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._pending = b""
        try:
            told = self._heard(max(_STARTING, self.limits.seconds))
        except EndedError as ended:
            raise ProviderError(f"{self.provider}: {ended}") from None
        if "error" in told:
            self._stop()
            raise ProviderError(f"{self.provider}: {told['error']}")
        self.name, self.version = told["name"], told["version"]

    def _stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _heard(self, seconds: float) -> dict[str, Any]:
        """The next line of the process; `EndedError` where none comes in time."""
        assert self._process.stdout is not None
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, until - time.monotonic())):
                    self._stop()
                    raise EndedError(f"no answer within {seconds:g} s")
                read = self._process.stdout.read()
                if not read:
                    raise EndedError(_how_it_ended(self._process.wait()))
                self._pending += read
        line, _, self._pending = self._pending.partition(b"\n")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def check(self, operator: str) -> Verdict:
        """The verdict on one operator."""
        verdict = Verdict(operator)
        skip = ends = 0
        while True:
            asked: dict[str, Any] = {}
            try:
                self._ask(operator, skip)
                while "done" not in (heard := self._heard(self.limits.seconds)):
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

    def _ask(self, operator: str, skip: int) -> None:
        asked = json.dumps({"operator": operator, "profile": self.profile, "skip": skip})
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{asked}\n".encode())
            self._process.stdin.flush()
        except OSError:
            raise EndedError(_how_it_ended(self._process.wait())) from None

    def run(self, operators: list[str]) -> Iterator[Verdict]:
        """The verdicts as they come."""
        for operator in operators:
            yield self.check(operator)


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"the process ended by {signal.Signals(-code).name}"
    return f"the process ended with status {code}"
