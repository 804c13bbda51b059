"""Options that accept only a few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from suanzi import _core

Choice = TypeVar("Choice", str, str | None)


def choice_of(value: Choice, choices: Iterable[str | None], what: str, operator: str) -> Choice:
    """Return an option that must be one of the given words, among which None may be."""
    _core.read_choice(operator, what, value, tuple(choices))
    return value
