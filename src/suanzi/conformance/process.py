"""A Python process that answers frames of plain data, which the module `wire` defines. The kit and the benchmarks run
libraries in these processes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from .wire import GarbledError, read, write

_LOOKS = 0.2  # seconds between checks of the clock while waiting
_ENDING = 5.0  # the most seconds to wait for the end of a process whose pipe is closed


class EndedError(Exception):
    """Raised if the process has ended, does not answer, or sends unreadable data."""


class Process:
    """A Python module that runs in a separate process and answers frames."""

    def __init__(self, command: list[str], environment: Mapping[str, str] | None = None) -> None:
        # The new process must find the modules that this process finds, also modules in the current folder.
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
        self._until = float("inf")
        self._late = False
        self._stopped = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def say(
        self, head: Any, blocks: Sequence[Any] = (), seconds: float = float("inf"), limit: float | None = None
    ) -> None:
        """Send a frame. Raise EndedError if the process cannot receive the frame."""
        self._until = time.monotonic() + seconds
        try:
            write(self._input, head, blocks)  # type: ignore[arg-type]
        except (OSError, ValueError):  # ValueError: the pipe is closed
            raise self._ended(limit or seconds) from None

    def heard(self, seconds: float, limit: float | None = None) -> tuple[Any, memoryview]:
        """Return the next frame of the process. If no frame comes in time, end the process and raise EndedError.

        If the time runs out, the message names `limit`: the whole time that was allowed, of which `seconds` are left.
        """
        self._until = time.monotonic() + seconds
        try:
            frame = read(self._output)  # type: ignore[arg-type]
        except GarbledError as error:
            self.stop()
            raise self._ended(limit or seconds, f"the process sent {error}") from None
        except (OSError, ValueError):
            frame = None
        self._until = float("inf")
        if frame is None or self._late:
            raise self._ended(limit or seconds)
        return frame

    def stop(self) -> None:
        """End the process that answers the frames."""
        self._stopped.set()
        self._process.kill()
        with suppress(OSError, ValueError):
            self._process.communicate()

    def _watch(self) -> None:
        """Kill the process when the allowed time has passed.

        On every system, the end of the process ends a wait for an answer.
        """
        while not self._stopped.wait(_LOOKS):
            if time.monotonic() > self._until:
                self._late = True
                self._process.kill()
                return

    def _ended(self, seconds: float, why: str = "") -> EndedError:
        """Stop the process, and return an error with the reason for the end of the process."""
        try:
            code = self._process.wait(0 if why else _ENDING)
        except subprocess.TimeoutExpired:
            code = None
            why = why or "the process closed its pipe"
        self.stop()
        if self._late:
            return EndedError(f"no answer within {seconds:g} s")
        return EndedError(why or _how_it_ended(code or 0))


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"the process ended by {signal.Signals(-code).name}"
    return f"the process ended with status {code}"


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the input and output with which the process started.

    The function redirects all later output to stderr, so that the kit does not read a library's output as an answer.
    All later input is empty, so that the library cannot read the requests.
    """
    sys.stdout.flush()
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return asked, answers
