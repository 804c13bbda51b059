"""A process of Python that answers lines of JSON with lines of JSON: what checks and times other libraries."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any


class EndedError(Exception):
    """The process has ended, or does not answer."""


class Process:
    """A module that runs in a process of its own."""

    def __init__(self, command: list[str], environment: Mapping[str, str] | None = None) -> None:
        # Python finds there what it finds here: a module may lie in the current folder.
        path = os.pathsep.join(p or os.getcwd() for p in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {}), "PYTHONPATH": path},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._output.fileno(), False)
        self._pending = b""

    def say(self, **what: Any) -> None:
        """Send a line; EndedError where nobody is there."""
        try:
            self._input.write(f"{json.dumps(what)}\n".encode())
            self._input.flush()
        except OSError:
            raise EndedError(_how_it_ended(self._process.wait())) from None

    def heard(self, seconds: float) -> dict[str, Any]:
        """The next line; EndedError where none comes in time, and then the process is gone."""
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, until - time.monotonic())):
                    self.stop()
                    raise EndedError(f"no answer within {seconds:g} s")
                read = self._output.read()
                if not read:
                    raise EndedError(_how_it_ended(self._process.wait()))
                self._pending += read
        line, _, self._pending = self._pending.partition(b"\n")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"the process ended by {signal.Signals(-code).name}"
    return f"the process ended with status {code}"
