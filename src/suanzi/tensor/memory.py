"""Control of the caching allocator: statistics, limits, and the release of memory."""

from __future__ import annotations

from suanzi import _core
from suanzi.tensor.absent import attributes_of
from suanzi.tensor.composed import composed


def statistics() -> dict[str, int]:
    """Return the bytes in use, at peak and kept for reuse, the limits of memory, and the numbers of allocations.

    Returns
    -------
    dict of str to int
        ``in_use``, ``peak``, ``cached``, ``limit`` (0 means no limit) and ``cache_limit``, in bytes; ``allocations``,
        the number of allocations; and ``reused``, the number of allocations that reused memory.

    Examples
    --------
    >>> import suanzi
    >>> before = suanzi.memory.statistics()["in_use"]
    >>> x = suanzi.zeros(1024)
    >>> suanzi.memory.statistics()["in_use"] - before >= x.nbytes
    True
    """
    return _core.memory_statistics()


@composed
def set_limit(bytes: int) -> None:
    """Set a bound of the memory in use. An allocation beyond the bound fails (ALLOC_FAILED). 0 removes the bound."""
    _core.set_memory_limit(bytes)


@composed
def set_cache_limit(bytes: int) -> None:
    """Set a bound of the freed memory that is kept for reuse. For 0, each thread still keeps at most about 3 MiB.

    By default the bound is the value of the environment variable ``SUANZI_CACHE_LIMIT``. Without the variable, the
    bound is the lesser of 2 GiB and an eighth of the memory of the machine.
    """
    _core.set_cache_limit(bytes)


def release() -> None:
    """Return to the system all freed memory that the allocator keeps for reuse."""
    _core.release_cached()


def reset_peak() -> None:
    """Set the peak of `statistics` to the memory that is in use now."""
    _core.reset_peak()


__getattr__ = attributes_of("suanzi.memory")
