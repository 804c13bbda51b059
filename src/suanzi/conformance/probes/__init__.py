"""The probes of operators. Each family of operators has a module. The table `PROBES` of a module contains, for each
function, a `Maker`: a function that makes the probes.

The package finds these modules without a list. The other modules make probes for any function: probes of the function's
clauses (`stated`), of elementwise values by a rule, of strings, of long sums and of rounding. The module `aspects`
makes probes of aspects that the kit tests in the same way for every operator. The module `situations` makes probes from
the function's models.
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
    """Return the `PROBES` of all modules as one table, which has the maker of each function's probes. No function has
    two makers.
    """
    found: dict[str, Maker] = {}
    for info in iter_modules(__path__):
        own = getattr(import_module(f"{__name__}.{info.name}"), "PROBES", {})
        twice = found.keys() & own.keys()
        if twice:
            raise ValueError(f"{info.name}: {', '.join(sorted(twice))} has probes in another module, too")
        found |= own
    return found


def probes(function: str, available: frozenset[str], *, telling: bool = False) -> Iterator[Probe]:
    """Return every probe of one function for a provider's element types. The kit has no probes for some functions.

    If `telling` is True, a module may omit probes that the module declares insignificant.
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
