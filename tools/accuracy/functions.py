"""The mathematical functions by name: operators, and functions of suanzi.extras with the same measurement."""

from __future__ import annotations

from collections.abc import Callable

import suanzi
import suanzi.extras


def function_of(name: str) -> Callable[..., suanzi.Tensor]:
    """Return the function of a given name."""
    function: Callable[..., suanzi.Tensor] = getattr(suanzi, name, None) or getattr(suanzi.extras, name)
    return function
