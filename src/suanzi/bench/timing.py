"""Timing of a call: in batches, of which the first does not count, by a process at rest before and after."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]

_BATCH = 2e-3  # seconds that a batch of calls takes at least: much more than reading the clock
_LONG = 0.25  # seconds of a call that needs no other before it: threads wake and clocks rise within it
_PAUSE = 5e-3  # seconds
_IDLE_SHARE = 0.05  # the most that a process uses of a processor while all its threads sleep


class Timer:
    """Batches of one call, as many calls in each as are needed."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._seconds(1)  # the first may load a library, and would pass for a batch
        self._number, spent = 1, self._seconds(1)
        while spent < _BATCH:
            grow = _BATCH / spent if spent > 0 else 10.0
            self._number = max(self._number + 1, int(self._number * min(grow * 1.2, 10.0)))
            spent = self._seconds(self._number)
        self._long = spent >= _LONG
        self._known = [spent] if self._long else []

    def turn(self) -> float:
        """The seconds of a call in one batch; the process is at rest when it is known."""
        if not self._long:
            self._seconds(self._number)  # does not count
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
    """Wait until no thread spins any more: they would do so on cores that the next library wants to use.

    The threads of onnxruntime spin for 40 milliseconds after a run.
    """
    for _ in range(100):
        before = time.process_time()
        time.sleep(_PAUSE)
        if time.process_time() - before < _IDLE_SHARE * _PAUSE:
            return


def human(seconds: float) -> str:
    """A duration as a person reads it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"
