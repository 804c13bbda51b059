"""Functions of a library that accept the arguments of Suanzi's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def alike(namespace: Any, names: str, prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Return functions of a namespace by Suanzi's names. Each of Suanzi's names is `prefix`, followed by the function's
    name in the namespace.
    """
    return {prefix + name: getattr(namespace, name) for name in names.split()}
