"""The number of threads that compute. Results do not depend on the number of threads, except results of single large
matrices that OpenBLAS or MKL computes.
"""

from __future__ import annotations

from suanzi import _core


def set_num_threads(n: int) -> None:
    """Compute with `n` threads from now on, including the calling thread.

    Raises
    ------
    InvalidArgumentError
        `n` is less than 1.

    Examples
    --------
    >>> import suanzi
    >>> before = suanzi.get_num_threads()
    >>> suanzi.set_num_threads(1)
    >>> suanzi.get_num_threads()
    1
    >>> suanzi.set_num_threads(before)
    """
    _core.set_num_threads(n)


def get_num_threads() -> int:
    """Return the number of threads that compute, including the calling thread."""
    return _core.get_num_threads()
