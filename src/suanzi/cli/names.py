"""Names on the command line: of operators and categories, in English or as the standard has them in Chinese."""

from __future__ import annotations

from collections.abc import Iterable

from suanzi.conformance.text import english
from suanzi.operators.catalogue import Category, Entry


def found(names: Iterable[str], known: Iterable[Entry | Category]) -> list[str]:
    """The English names, of what is known by either; a name that is not known stays as it is."""
    return english(names, {each.chinese: each.name if isinstance(each, Entry) else each.key for each in known})
