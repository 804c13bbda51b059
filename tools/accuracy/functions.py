"""The mathematical functions by name: the operators, and those of suanzi.extras that are measured as they are."""

from __future__ import annotations

from collections.abc import Callable

import suanzi
import suanzi.extras


def function_of(name: str) -> Callable[..., suanzi.Tensor]:
    """The function of that name."""
    function: Callable[..., suanzi.Tensor] = getattr(suanzi, name, None) or getattr(suanzi.extras, name)
    return function
