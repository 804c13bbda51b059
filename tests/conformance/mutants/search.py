"""Return whether the kit finds a fault, by the operator's probes in an order that shows faults of this kind early."""

from __future__ import annotations

import warnings
from functools import lru_cache

from suanzi.conformance import Profile, Suanzi, asked
from suanzi.conformance.probe import Probe

from . import Fault, mutant, operator_of

# The aspects under which a kind is likely to be found, which are asked first.
_LIKELY = {
    "statuses": ("statuses", "element types", "unchanged"),
    "unchanged": ("unchanged", "values"),
    "output": ("output",),
    "aliasing": ("ownership", "values"),
    "random": ("seeds", "values", "boundary values"),
    "scalars": ("scalars", "values"),
    "defaults": ("defaults", "values"),
    "options": ("values", "defaults", "parameters"),
    "axes": ("indices", "values"),
    "rank": ("ranks", "indices", "values"),
    "operands": ("layouts", "broadcasting", "empty", "ranks"),
    "sparse": ("sparse",),
    "large sizes": ("boundary values", "values"),
    "specials": ("boundary values", "values"),
}


@lru_cache(4)
def _asked(operator: str, profile: Profile) -> tuple[Probe, ...]:
    """The probes of an operator, which are those of this library: a mutant has its types and claims."""
    return tuple(probe for _, probe in asked(operator, Suanzi(), profile))


def found(fault: Fault, profile: Profile) -> str | None:
    """The first thing that the kit says of a mutant; None if it passes."""
    provider = mutant(fault)
    likely = _LIKELY.get(fault.kind, ())
    probes = _asked(operator_of(fault), profile)
    first = sorted(probes, key=lambda probe: likely.index(probe.aspect) if probe.aspect in likely else len(likely))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return next((judged.fault for probe in first if (judged := probe.judge(provider)).fault), None)
