"""Names on the command line: operators and categories in English or in the standard's Chinese."""

from __future__ import annotations

from collections.abc import Iterable

from suanzi.conformance.text import english
from suanzi.operators.catalogue import Category, Entry


def found(names: Iterable[str], known: Iterable[Entry | Category]) -> list[str]:
    """Return the English names of known operators or categories. Unknown names stay unchanged."""
    return english(names, {each.chinese: each.name if isinstance(each, Entry) else each.key for each in known})
