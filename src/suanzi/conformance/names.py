"""The operators that the names on a command line or in a program mean."""

from __future__ import annotations

from collections.abc import Iterable

from .text import english, meant

# The default provider is Suanzi, if the kit is a part of Suanzi's package.
DEFAULT = "suanzi" if __package__.startswith("suanzi.") else ""


def chosen(names: Iterable[str], categories: Iterable[str] = ()) -> list[str]:
    """Return the named operators, and then the other operators of the named categories.

    All names may be the standard's Chinese names. Raise ValueError for unknown names.
    """
    from .standard import standard

    operators, of_category = standard().operators, standard().categories
    by_chinese = {o.chinese: o.name for o in operators.values()}
    keys_by_chinese = {category.chinese: key for key, category in of_category.items()}
    found = dict.fromkeys(english(names, by_chinese))
    keys = english(categories, keys_by_chinese)
    unknown = [name for name in found if name not in operators]
    unknown += [key for key in keys if key not in of_category]
    if unknown:
        hint = _whose(unknown) or meant(unknown[0], [*operators, *of_category, *by_chinese, *keys_by_chinese])
        raise ValueError(f"{', '.join(unknown)[:100]}: not an operator or a category of the standard{hint}")
    return list(dict.fromkeys([*found, *(o.name for o in operators.values() if o.category.key in keys)]))


def _whose(names: list[str]) -> str:
    """Return the last part of an error message, which names the operators to which functions of Suanzi belong. The part
    is empty if `names` has no names of Suanzi's functions.
    """
    owners = _owners()
    known = {name: owners[name] for name in names if name in owners}
    if not known:
        return ""
    belong = ", ".join(f"{name} belongs to {owner}" for name, owner in known.items())
    return f"; {belong}: suanzi conformance {' '.join(dict.fromkeys(known.values()))}"


def _owners() -> dict[str, str]:
    """Return a dictionary from the names of Suanzi's functions to the operators of the standard to which the functions
    belong. The dictionary is empty if the kit is installed without Suanzi.
    """
    if not DEFAULT:
        return {}
    from .providers import load
    from .standard import standard

    suanzi = load(DEFAULT)
    return {name: operator for operator in standard().operators for name in suanzi.functions(operator)}
