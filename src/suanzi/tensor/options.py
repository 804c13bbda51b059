"""Options that are one of a few words, or on or off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError

Choice = TypeVar("Choice", str, str | None)


def choice_of(value: Choice, choices: Iterable[str | None], what: str, operator: str) -> Choice:
    """An option that must be one of these words, or None where that is among them.

    Nothing but a str is compared: arrays have no one truth, lists no hash.
    """
    words = tuple(choices)
    if (isinstance(value, str) or value is None) and value in words:
        return value
    text = ", ".join(str(word) for word in words)
    raise InvalidArgumentError(f"{operator}: {what} {shown(value)} is not one of {text}")


def flag_of(value: Any, what: str, operator: str) -> bool:
    """An option that is True or False, Python's or NumPy's, as the native core's `require_truth` reads it."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise TypeMismatchError(f"{operator}: {what} must be True or False, not {shown(value)}")
