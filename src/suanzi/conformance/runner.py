"""The choice of an operator's probes by provider and profile, and a run of the probes in this process.

The module `session` runs an untrusted library in a separate process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from .adapter import adapted
from .names import chosen
from .oracle.element_types import ELEMENT_TYPES, ElementType, too_wide, type_of
from .probe import Finding, Probe, Refusal, Scenario, Value
from .probes import c_rules, probes, rounding
from .probes.stated_calls import Gives
from .provider import Provider
from .providers import load
from .recorder import judged
from .standard import standard
from .verdicts import Verdict


class Profile(StrEnum):
    """The extent of the checks."""

    FULL = "full"
    QUICK = "quick"  # the first probes of each aspect of a function, and some other probes


_FIRST = 12  # the quick profile includes this many first probes of an aspect, and every _FIRST-th further probe
_LONG = {rounding.ASPECT}  # aspects of which the quick profile includes only probes with `telling`


# Classes of precision in ulp, by this kit's measure of errors.
_ULPS = {"1 ulp": 1.0, "4 ulp": 4.0, "bound by condition": 16.0}


def _element_types(probe: Value | Refusal | Scenario) -> set[ElementType]:
    """Return the element types of the probe's tensors of numbers."""
    if isinstance(probe, Scenario):
        return {ELEMENT_TYPES[probe.element_type]} if probe.element_type else set()
    arrays = probe.arrays if isinstance(probe, Value) else [x for x in probe.operands if isinstance(x, np.ndarray)]
    return {type_of(x) for x in arrays if x.dtype.kind != "U"}


def _becomes_floating(probe: Value, kinds: set[str]) -> bool:
    """Return whether integers or bools have a floating result, whose width is the library's choice."""
    return bool(kinds) and kinds <= set("BI") and any(e.element_type.letter in "FC" for e in probe.wanted)


def _as_stated(operator: str, probe: Probe, claims: frozenset[str]) -> Probe | None:
    """Return the probe, limited to demands that clauses state or the provider claims, or None if nothing is left."""
    stated = standard().operators.get(operator)
    if isinstance(probe, Value):
        listed = None if stated is None else {parameter.name for parameter in stated.parameters}
        claim = "additions" if listed is not None and not listed.issuperset(probe.options) else probe.claim
        if claim and claim not in claims:
            return None
    if isinstance(probe, Gives) and "open types" not in claims:
        return probe.with_open_types()
    if stated is None or not isinstance(probe, Value | Refusal | Scenario):
        return probe
    if "open types" not in claims:
        types = _element_types(probe)
        kinds = {t.letter for t in types}
        if probe.aspect == "promotion" and (len(kinds) > 1 or isinstance(probe, Refusal)):
            return None
        is_open = kinds & set(stated.open) or {t.name for t in types} & set(stated.open_types)
        if not isinstance(probe, Refusal) and is_open:
            return None
        if isinstance(probe, Value) and _becomes_floating(probe, kinds):
            return None
    if isinstance(probe, Value) and "correct rounding" not in claims:
        precisions = [_ULPS.get(stated.precision.get(e.element_type.letter, "")) for e in probe.wanted]
        allowed = [ulps for ulps in precisions if ulps is not None]
        return probe.within(max(allowed)) if allowed else probe
    return probe


@dataclass(frozen=True, slots=True)
class HasTypes:
    """The check that the provider has the element types of chapter 6.2 of the standard that an operator must accept."""

    operator: str
    label: str = "the element types of 6.2"
    aspect: str = "element types"

    def judge(self, provider: Provider) -> Finding:
        """Return a finding that names the missing types."""
        missing = [name for name in standard().required_types(self.operator) if name not in provider.element_types]
        return Finding(None, missing=f"not provided: {', '.join(missing)}" if missing else None)


def asked(operator: str, provider: Provider, profile: Profile = Profile.FULL) -> Iterator[tuple[str, Probe]]:
    """Yield the probes of an operator and of the functions that belong to the operator, each with the name of the
    function.
    """
    not_asked = standard().free_aspects - provider.claims
    if operator in standard().operators and standard().required_types(operator):
        yield operator, HasTypes(operator)
    types = provider.element_types - too_wide()
    for function in provider.functions(operator):
        seen: Counter[str] = Counter()
        for probe in probes(function, types, telling=profile is Profile.QUICK):
            telling = getattr(probe, "telling", None)
            if telling is False and profile is Profile.QUICK:
                continue
            as_asked = None if probe.aspect in not_asked else _as_stated(operator, probe, provider.claims)
            if as_asked is None:
                continue
            if telling:
                yield function, as_asked
                continue
            number = seen[as_asked.aspect]
            seen[as_asked.aspect] += telling is None
            few = (number < _FIRST or number % _FIRST == 0) and as_asked.aspect not in _LONG
            if few or profile is Profile.FULL:
                yield function, as_asked
    yield from ((operator, probe) for probe in c_rules.probes(operator, provider))


def check(operator: str, provider: Any = None, profile: Profile = Profile.FULL) -> Verdict:
    """Return the verdict on the operator of an English or Chinese name. Raise ValueError for an unknown name.

    `provider` is any object with the methods of a provider. The default is Suanzi.
    """
    (operator,) = chosen([operator])
    provider = load("suanzi") if provider is None else adapted(provider)
    verdict = Verdict(operator, provided=provider.find(operator) is not None)
    if verdict.provided:
        for function, probe in asked(operator, provider, profile):
            verdict.add(probe.aspect, function, judged(probe, provider))
    return verdict


def run(
    provider: Any = None, operators: Iterable[str] | None = None, profile: Profile = Profile.FULL
) -> Iterator[Verdict]:
    """Return an iterator over the verdicts on the named operators, or on all 134 operators.

    `provider` is any object with the methods of a provider. The default is Suanzi. Raise ValueError for unknown names.
    """
    names = list(standard().operators) if operators is None else chosen(operators)
    checked = load("suanzi") if provider is None else adapted(provider)
    return (check(operator, checked, profile) for operator in names)
