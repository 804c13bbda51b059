"""Timing of a call in batches. A turn runs a batch as a warm-up, times the next batch, and waits until the process is
idle.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]

_BATCH = 2e-3  # the least time of a batch in seconds, much more than the clock's resolution
_LONG = 0.25  # a call that takes so many seconds needs no warm-up, because threads wake during the call
_PAUSE = 5e-3  # seconds between two checks whether the process is idle
_IDLE_SHARE = 0.05  # a process is idle at a smaller share of processor time


class Timer:
    """A timer of one call. Each batch has enough calls for the clock's resolution."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._seconds(1)  # the first call may load a library, which takes time
        self._number, spent = 1, self._seconds(1)
        while spent < _BATCH:
            grow = _BATCH / spent if spent > 0 else 10.0
            self._number = max(self._number + 1, int(self._number * min(grow * 1.2, 10.0)))
            spent = self._seconds(self._number)
        self._long = spent >= _LONG
        self._known = [spent] if self._long else []

    def turn(self) -> float:
        """Return the seconds of a call in one batch. The function returns after the process has become idle."""
        if not self._long:
            self._seconds(self._number)  # a warm-up
        found = self._known.pop() if self._known else self._seconds(self._number)
        settle()
        return found / self._number

    def _seconds(self, number: int) -> float:
        call = self._call
        start = time.perf_counter()
        for _ in range(number):
            call()
        return time.perf_counter() - start


def settle() -> None:
    """Wait until no thread of the process spins any more, for at most about half a second. Spinning threads would
    occupy cores that the next library needs.

    The threads of ONNX Runtime spin for 40 milliseconds after a run.
    """
    for _ in range(100):
        before = time.process_time()
        time.sleep(_PAUSE)
        if time.process_time() - before < _IDLE_SHARE * _PAUSE:
            return


def human(seconds: float) -> str:
    """Return a duration as text with a unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"
