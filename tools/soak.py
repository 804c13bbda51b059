"""Checks for leaks by the resident set size before and after up to a million calls of every function.

Run ``python tools/soak.py`` for all functions (an hour). ``--only add,sort`` selects functions, ``--count`` and
``--seconds`` bound the calls of each function, and ``--save FILE`` writes a Markdown table. The calls are in
tests/calls.py.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import suanzi
from suanzi import memory
from suanzi.operators.registry import lookup
from suanzi.operators.scratch import EACH_THREAD, WORDS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from calls import CALLS, Call

SIZE = 64  # elements of an operand
BATCH = 1000  # calls between two readings of the clock

HEADER = ["call", "scratch", "calls", "growth (KiB)", "still in use (bytes)"]
TITLE = "# Memory"
RULES = f"""`python tools/soak.py --save docs/results/memory.md` writes this page.

An operator needs memory for its result, at most {EACH_THREAD // 1024} KiB of scratch for each thread, and the bytes in
its row of the table. The table states the bytes as formulas of the parameters. `tests/test_scratch.py` measures these
bytes at two sizes, for operands in C order, for strided operands and for operands of other types. An assignment
`x[index] = y` needs as much memory as `scatter`. The allocator returns blocks that are up to an eighth larger than
requested.

{{words}}

The column "growth" has the growth of the process's resident memory during the calls, on operands of {SIZE} elements.
The script makes a tenth as many calls before these calls, to warm up. Python's own memory varies by a few KiB."""


def resident() -> int:
    """Return the memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def repeat(run: Callable[[], object], count: int, seconds: float) -> int:
    """Repeat a call `count` times, or until `seconds` have passed. Return the number of calls."""
    end, made = time.perf_counter() + seconds, 0
    while made < count and time.perf_counter() < end:
        for _ in range(min(BATCH, count - made)):
            run()
        made += BATCH
    return min(made, count)


def soak(call: Call, count: int, seconds: float) -> tuple[int, int, int]:
    """Repeat a call after a warm-up. Return the number of calls, and the growth of process and allocator in bytes."""
    run = call.bound(call.operands(SIZE), SIZE)
    repeat(run, count // 10, seconds / 2)
    gc.collect()
    before, in_use = resident(), memory.statistics()["in_use"]
    made = repeat(run, count, seconds)
    gc.collect()
    return made, resident() - before, memory.statistics()["in_use"] - in_use


def scratch_of(call: Call) -> str:
    declared = None if call.function.startswith("Tensor.") else lookup(call.function).scratch
    return f"`{declared}`" if declared else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="functions, separated by commas")
    parser.add_argument("--count", type=int, default=10**6, help="calls of each")
    parser.add_argument("--seconds", type=float, default=60, help="the most seconds for each function")
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    options = parser.parse_args()
    suanzi.set_num_threads(1)
    only = set(filter(None, options.only.split(",")))
    rows = []
    for call in CALLS:
        if only and call.function not in only:
            continue
        made, growth, held = soak(call, options.count, options.seconds)
        rows.append([call.name, scratch_of(call), f"{made:,}", f"{growth / 1024:.0f}", str(held)])
        print(*rows[-1], sep="\t", flush=True)
    words = "\n".join(f"- {text}" for text in WORDS.values())
    if options.save:
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in [HEADER, ["---"] * len(HEADER), *rows])
        options.save.write_text("\n\n".join([TITLE, RULES.format(words=words), table]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
