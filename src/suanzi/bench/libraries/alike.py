"""Functions that a library calls as we do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def alike(namespace: Any, names: str, prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Those of a namespace, by our names: its own, after a prefix."""
    return {prefix + name: getattr(namespace, name) for name in names.split()}
