"""Options that accept only a few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from suanzi import _core

Choice = TypeVar("Choice", str, str | None)


def choice_of(value: Choice, choices: Iterable[str | None], what: str, operator: str) -> Choice:
    """Return the value of an option, or raise an error if the value is not one of `choices`. None may be a choice."""
    _core.read_choice(operator, what, value, tuple(choices))
    return value
