"""Searches a mutant for its fault with the kit's probes. Probes that are likely to find the kind of fault run first."""

from __future__ import annotations

import warnings
from functools import lru_cache

from suanzi.conformance import Profile, Suanzi, asked
from suanzi.conformance.probe import Probe

from . import Fault, mutant, operator_of

# For each kind of fault, the aspects whose probes are likely to find the fault. The search tries these probes first.
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
    """Return the probes of an operator for Suanzi's types and claims. Mutants have the same types and claims."""
    return tuple(probe for _, probe in asked(operator, Suanzi(), profile))


def found(fault: Fault, profile: Profile) -> str | None:
    """Return the kit's first finding about a mutant, or None if the mutant passes."""
    provider = mutant(fault)
    likely = _LIKELY.get(fault.kind, ())
    probes = _asked(operator_of(fault), profile)
    first = sorted(probes, key=lambda probe: likely.index(probe.aspect) if probe.aspect in likely else len(likely))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return next((judged.fault for probe in first if (judged := probe.judge(provider)).fault), None)
