"""The probes: a module for each family of operators, whose `PROBES` says how the probes of a function are made.

These modules are found, not listed. The others make probes of any function: of its clauses (`stated`), of strings, of
elementwise values where there is a rule, of long sums and of rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..inputs import Maker
from ..oracle.rules import rules
from ..probe import Probe
from . import aspects, elementwise, long_sums, rounding, situations, stated, strings


@cache
def makers() -> dict[str, Maker]:
    """The makers of the functions that a module names in its `PROBES`; no function has two."""
    found: dict[str, Maker] = {}
    for info in iter_modules(__path__):
        own = getattr(import_module(f"{__name__}.{info.name}"), "PROBES", {})
        twice = found.keys() & own.keys()
        if twice:
            raise ValueError(f"{info.name}: {', '.join(sorted(twice))} has probes in another module, too")
        found |= own
    return found


def probes(function: str, available: frozenset[str], *, telling: bool = False) -> Iterator[Probe]:
    """Every probe of one function on the element types that a provider has; none where the kit has none.

    Where only telling ones are asked for, those may be left out that say of themselves that they are not.
    """
    yield from stated.probes(function, available)
    yield from aspects.probes(function, available)
    yield from strings.probes(function, available)
    if function in makers():
        yield from makers()[function](function, available)
    elif rules(function):
        yield from elementwise.probes(function, available)
    yield from situations.probes(function, available, telling=telling)
    yield from long_sums.probes(function, available)
    yield from rounding.probes(function, available)
