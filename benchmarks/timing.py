"""What the scripts share that time by themselves: the processor's name, rest between rivals, durations to read.

Operators beside other libraries are timed by `suanzi bench`. Nothing here imports suanzi, whose memory would count.
"""

from __future__ import annotations

import time
from pathlib import Path

PAUSE_SECONDS = 0.005
"""Between rivals at least: the idle threads of one go on spinning, on cores that the next wants to use."""

IDLE_SHARE = 0.05
"""Of a processor: what a process uses at most whose threads all sleep."""


def processor() -> str:
    """Its name, family and model, as Linux gives them: makers use one name for several generations."""
    pairs = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines())
    known = {name.strip(): value.strip() for name, _, value in pairs}
    if "model name" not in known:
        return "unknown processor"
    return f"{known['model name']} (family {known['cpu family']}, model {known['model']})"


def settle() -> None:
    """Wait until no thread spins any more: those of onnxruntime do for 40 milliseconds after a run."""
    for _ in range(100):
        before = time.process_time()
        time.sleep(PAUSE_SECONDS)
        if time.process_time() - before < IDLE_SHARE * PAUSE_SECONDS:
            return


def human(duration: float) -> str:
    """A duration as a person reads it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if duration >= scale:
            return f"{duration / scale:.3g} {unit}"
    return f"{duration * 1e9:.0f} ns"
