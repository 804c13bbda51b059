"""Options that are one of a few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError

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
