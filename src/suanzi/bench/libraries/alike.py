"""Functions that a library calls with Suanzi's signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def alike(namespace: Any, names: str, prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Return a namespace's functions by Suanzi's names, which are the namespace's own names after a prefix."""
    return {prefix + name: getattr(namespace, name) for name in names.split()}
