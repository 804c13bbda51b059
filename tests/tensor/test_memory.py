"""Tests of the caching allocator from Python: statistics, limits, release, reuse, and constant memory in loops."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import suanzi
from samples import fails
from suanzi import AllocFailedError, InvalidArgumentError, OutOfRangeError, TypeMismatchError, memory

pytestmark = pytest.mark.one_level

MIB = 2**20


@pytest.fixture(autouse=True)
def _bounds() -> Iterator[None]:
    """Start every test with an empty cache, and restore the memory limits after the test."""
    gc.collect()
    memory.release()
    before = memory.statistics()
    yield
    memory.set_limit(before["limit"])
    memory.set_cache_limit(before["cache_limit"])


def resident() -> int:
    """Return the resident bytes of the process, or its allocated bytes if AddressSanitizer keeps freed memory."""
    if allocated := getattr(ctypes.CDLL(None), "__sanitizer_get_current_allocated_bytes", None):
        allocated.restype = ctypes.c_size_t
        return int(allocated())
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024


def test_statistics() -> None:
    names = {"in_use", "peak", "cached", "limit", "cache_limit", "allocations", "reused"}
    before = memory.statistics()
    assert set(before) == names
    x = suanzi.empty(MIB)
    during = memory.statistics()
    assert x.nbytes <= during["in_use"] - before["in_use"] <= x.nbytes * 9 // 8 + 4096
    assert during["peak"] >= during["in_use"]
    assert during["allocations"] == before["allocations"] + 1
    del x
    after = memory.statistics()
    assert after["in_use"] == before["in_use"]
    assert after["cached"] - during["cached"] == during["in_use"] - before["in_use"]
    memory.release()
    # The cache keeps all freed memory except the blocks that other threads keep for themselves.
    assert memory.statistics()["cached"] <= after["cached"] - (during["in_use"] - before["in_use"])


def test_views_do_not_count_and_destroy_gives_back() -> None:
    before = memory.statistics()["in_use"]
    x = suanzi.zeros((1024, 1024))
    held = memory.statistics()["in_use"]
    views = [x.T, x[::2], x.reshape(-1), suanzi.expand(x, (3, 1024, 1024))]
    assert memory.statistics()["in_use"] == held
    x.destroy()
    assert memory.statistics()["in_use"] == held
    views.clear()
    assert memory.statistics()["in_use"] == before


def test_references_take_no_memory_to_speak_of() -> None:
    before = memory.statistics()["in_use"]
    x = suanzi.from_reference(bytearray(MIB))
    assert memory.statistics()["in_use"] - before < 1024
    del x


def test_peak() -> None:
    memory.reset_peak()
    start = memory.statistics()["peak"]
    x = suanzi.empty(4 * MIB)
    del x
    assert memory.statistics()["peak"] >= start + 16 * MIB
    memory.reset_peak()
    assert memory.statistics()["peak"] == memory.statistics()["in_use"]


def test_large_blocks_are_used_again() -> None:
    x = suanzi.zeros(4 * MIB)
    place = suanzi._core.address(x)
    before = memory.statistics()
    for _ in range(20):
        x.destroy()
        x = suanzi.empty(4 * MIB)
        assert suanzi._core.address(x) == place
    after = memory.statistics()
    assert after["reused"] - before["reused"] == after["allocations"] - before["allocations"] == 20


def test_a_chain_of_operators_reuses_its_intermediate_results() -> None:
    x = suanzi.ones(2 * MIB)
    memory.reset_peak()
    start = memory.statistics()["in_use"]
    for _ in range(50):
        y = (x + x) * x - x
    assert memory.statistics()["peak"] - start <= 4 * (x.nbytes * 9 // 8)
    del y


def test_the_cache_is_bounded() -> None:
    memory.release()
    allowed = memory.statistics()["cached"] + 64 * 1024  # room for the lists of other threads, and a margin
    memory.set_cache_limit(8 * MIB)
    assert memory.statistics()["cache_limit"] == 8 * MIB
    blocks = [suanzi.empty(MIB) for _ in range(16)]
    blocks.clear()
    assert 0 < memory.statistics()["cached"] <= 8 * MIB + allowed
    memory.set_cache_limit(0)
    assert memory.statistics()["cached"] <= allowed
    x = suanzi.empty(MIB)
    del x
    assert memory.statistics()["cached"] <= allowed


def test_the_limit() -> None:
    memory.set_limit(memory.statistics()["in_use"] + 8 * MIB)
    x = suanzi.zeros(MIB)
    before = memory.statistics()["in_use"]
    with fails(AllocFailedError, "zeros"):
        suanzi.zeros(2 * MIB)
    with fails(AllocFailedError, "add"):
        suanzi.add(suanzi.expand(x, (2, MIB)), 1)
    assert memory.statistics()["in_use"] == before
    assert x.tolist()[:2] == [0, 0]
    memory.set_limit(0)
    assert suanzi.zeros(2 * MIB).size == 2 * MIB


@pytest.mark.parametrize("size", [1, 64, 4096, 30_000])
def test_the_limit_counts_small_blocks(size: int) -> None:
    """Small blocks that a thread takes from its own list count against the memory limit, too."""
    kept = [suanzi.empty(size, dtype="uint8") for _ in range(64)]
    kept.clear()
    before = memory.statistics()["in_use"]
    kept.append(suanzi.empty(size, dtype="uint8"))
    limit = before + 4 * (memory.statistics()["in_use"] - before)
    memory.set_limit(limit)
    with fails(AllocFailedError, "empty"):
        while True:
            kept.append(suanzi.empty(size, dtype="uint8"))
    assert len(kept) == 4
    assert memory.statistics()["in_use"] == limit
    kept.pop()
    kept.append(suanzi.empty(size, dtype="uint8"))  # uses the memory that was freed
    memory.set_limit(0)
    kept.append(suanzi.empty(size, dtype="uint8"))


def test_the_limit_counts_what_other_threads_hold() -> None:
    held: list[suanzi.Tensor] = []

    def take() -> None:
        spare = [suanzi.empty(1000, dtype="uint8") for _ in range(40)]
        held.extend(spare)
        spare.clear()
        held.clear()
        _ = suanzi.empty(MIB)  # makes the thread report the blocks that it has freed
        held.extend(suanzi.empty(1000, dtype="uint8") for _ in range(20))  # the thread's own list provides these blocks
        taken.set()
        done.wait()

    taken, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=take)
    thread.start()
    taken.wait()
    try:
        memory.set_limit(memory.statistics()["in_use"] + 4096)
        with fails(AllocFailedError, "empty"):
            suanzi.empty(8192, dtype="uint8")
    finally:
        done.set()
        thread.join()


def test_what_is_cached_makes_room() -> None:
    """The allocator empties the cache if an allocation would exceed the memory limit, so the allocation succeeds."""
    x = suanzi.empty(8 * MIB)
    del x
    assert memory.statistics()["cached"] >= 32 * MIB
    memory.set_limit(memory.statistics()["in_use"] + 40 * MIB)
    y = suanzi.empty(9 * MIB)
    assert memory.statistics()["cached"] < 8 * MIB
    del y


def test_bad_bounds() -> None:
    before = memory.statistics()
    for function, name in ((memory.set_limit, "set_limit"), (memory.set_cache_limit, "set_cache_limit")):
        for value, error in ((-1, InvalidArgumentError), ("1", TypeMismatchError), (1.5, TypeMismatchError)):
            with fails(error, name):
                function(value)
        with fails(OutOfRangeError, name):
            function(2**70)
        with fails(TypeMismatchError, name):
            function(None)
    after = memory.statistics()
    assert (after["limit"], after["cache_limit"]) == (before["limit"], before["cache_limit"])


def adds_nothing(work: Callable[[int], None], first: int, more: int) -> None:
    """Check that the process needs no more memory after `work(first)` and `work(more)` than after `work(first)`."""
    work(first)
    before, in_use = resident(), memory.statistics()["in_use"]
    work(more)
    assert memory.statistics()["in_use"] == in_use
    assert resident() - before < 2 * MIB


def operations(times: int) -> None:
    x, y = suanzi.ones((3, 4)), suanzi.full((3, 1), 2)
    for _ in range(times):
        (x + y)[1:].T.sum()


def failures(times: int) -> None:
    x, y = suanzi.ones((3, 4)), suanzi.ones(5)
    for _ in range(times):
        suanzi.attempt(suanzi.add, x, y)
        suanzi.attempt(suanzi.tensor, [1, "a"])
        suanzi.attempt(x.__getitem__, (0, 9))


@pytest.mark.parametrize("counts", ["operations, 2000, 33_334", "failures, 500, 5000"])
def test_many_calls_leave_a_process_no_larger(counts: str) -> None:
    """Repeated calls need no further memory. A separate process makes the calls, so that no other memory changes."""
    code = f"import sys; sys.path[:0] = {sys.path!r}\nfrom test_memory import *; adds_nothing({counts})"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def started(limit: str) -> subprocess.CompletedProcess[str]:
    """Run a process with a given value of SUANZI_CACHE_LIMIT. The process prints its cache limit."""
    source = Path(suanzi.__file__).parents[1]
    code = f"import sys; sys.path[:0] = [{str(source)!r}]\n"
    code += "from suanzi import memory; print(memory.statistics()['cache_limit'])"
    variables = {**os.environ, "SUANZI_CACHE_LIMIT": limit}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("limit", [0, 12345, 2**40])
def test_the_environment_sets_the_bound_of_the_cache(limit: int) -> None:
    done = started(str(limit))
    assert (done.returncode, done.stdout) == (0, f"{limit}\n"), done.stderr


def test_without_the_variable_the_bound_is_two_gibibytes_or_an_eighth_of_the_memory() -> None:
    bound = int(started("").stdout)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < bound <= min(2 * 1024 * MIB, pages // 8 + 4096)


@pytest.mark.parametrize("value", ["abc", "-1", "1e9", "256MiB", "9" * 30, " 5", "5 ", "+5", "0x10", "1.0"])
def test_a_bound_in_the_environment_that_is_none(value: str) -> None:
    done = started(value)
    assert done.returncode == 1
    problem = f"'{value}' is not a number of bytes, which is a whole number of at least 0"
    assert done.stderr.splitlines()[-1] == f"ImportError: suanzi: SUANZI_CACHE_LIMIT={problem}"
