"""A caller's values as code in hints."""

from __future__ import annotations

from types import NoneType
from typing import Any

import numpy as np

SHORT = 60  # a hint repeats only values of at most this many characters


def written(value: Any, otherwise: str) -> str:
    """Return a value as code if the code is short, and `otherwise` if not."""
    if not isinstance(value, list | tuple | range | int | float | str) or not _is_short(value):
        return otherwise
    found = repr(value)
    return found if len(found) <= SHORT and "\n" not in found else otherwise


def _is_short(value: Any) -> bool:
    """Return whether a value may be short as code. The function reads only the beginning of a long value."""
    left, read = [value], 0
    while left and read <= SHORT:
        item = left.pop()
        read += 1
        if isinstance(item, list | tuple):
            left.extend(item[:SHORT])
        elif isinstance(item, str):
            read += len(item)
        elif isinstance(item, int):
            read += item.bit_length() // 4
        elif not isinstance(item, range | float | complex | NoneType | np.generic):
            return False
    return not left and read <= SHORT
