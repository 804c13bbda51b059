"""The lock of the values that Python code of several threads changes: generators' numbers and default settings."""

from __future__ import annotations

import os
from threading import Lock

lock = Lock()  # held for the length of a few assignments; code reads the attribute of the module for each use


def _renew() -> None:
    """Replace the lock in a forked child. A thread that held the lock during the fork does not exist in the child."""
    global lock
    lock = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew)
