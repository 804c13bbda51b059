"""Timing rivals fairly on a shared, noisy machine: interleaved in one process, medians, ratios.

What is timed lives in the other modules of this folder.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Call = Callable[[], object]

PAUSE_SECONDS = 0.005
"""Between rivals at least: the idle threads of one go on spinning, on cores that the next wants to use."""

IDLE_SHARE = 0.05
"""Of a processor: what a process uses at most whose threads all sleep."""

BATCH_SECONDS = 0.002
"""A batch of calls lasts at least this long, so that the clock's own cost does not show."""


def processor() -> str:
    """Its name, family and model, as Linux gives them: makers use one name for several generations."""
    pairs = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines())
    known = {name.strip(): value.strip() for name, _, value in pairs}
    if "model name" not in known:
        return "unknown processor"
    return f"{known['model name']} (family {known['cpu family']}, model {known['model']})"


def seconds(call: Call, number: int) -> float:
    """Time of ``number`` calls."""
    start = time.perf_counter()
    for _ in range(number):
        call()
    return time.perf_counter() - start


def batch_size(call: Call) -> int:
    """How many calls make a batch."""
    call()  # the first may load a library, and would pass for a batch
    number = 1
    while (spent := seconds(call, number)) < BATCH_SECONDS:
        grow = BATCH_SECONDS / spent if spent > 0 else 10.0
        number = max(number + 1, int(number * min(grow * 1.2, 10.0)))
    return number


def settle() -> None:
    """Wait until no thread spins any more: those of onnxruntime do for 40 milliseconds after a run."""
    for _ in range(100):
        before = time.process_time()
        time.sleep(PAUSE_SECONDS)
        if time.process_time() - before < IDLE_SHARE * PAUSE_SECONDS:
            return


def interleaved(calls: Mapping[str, Call], repeats: int = 9) -> dict[str, float]:
    """Median seconds per call of each rival.

    Every round runs one batch of each in turn, so that a disturbance of the machine hits all alike, each in a process
    that has come to rest and after an untimed batch: threads have to wake and clocks to rise.
    """
    numbers = {name: batch_size(call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    gc_was_enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, call in calls.items():
                settle()
                seconds(call, numbers[name])
                samples[name].append(seconds(call, numbers[name]) / numbers[name])
    finally:
        if gc_was_enabled:
            gc.enable()
    return {name: statistics.median(times) for name, times in samples.items()}


def human(duration: float) -> str:
    """A duration as a person reads it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if duration >= scale:
            return f"{duration / scale:.3g} {unit}"
    return f"{duration * 1e9:.0f} ns"
