"""Functions that a library calls as we do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def alike(namespace: Any, names: str, prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Return functions of a namespace by our names, which are its own names after a prefix."""
    return {prefix + name: getattr(namespace, name) for name in names.split()}
