"""Which probes there are of an operator, and how they are run in this process.

What a stranger's library is asked is asked in a process of its own: see `session`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

import numpy as np

from suanzi.conformance import (
    creation,
    elementwise,
    fft,
    gathering,
    interpolation,
    long_sums,
    matrices,
    products,
    quantized,
    random,
    rearranging,
    rounding,
    scanning,
    searching,
    sorting,
    sparse,
    stated,
    strings,
    structure,
)
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, ElementType, type_of
from suanzi.conformance.oracle.rules import rules
from suanzi.conformance.probe import Probe, Refusal, Scenario, Value
from suanzi.conformance.provider import Provider
from suanzi.conformance.providers.suanzi import Suanzi
from suanzi.conformance.standard import standard
from suanzi.conformance.stated_probes import Gives
from suanzi.conformance.verdicts import Verdict
from suanzi.operators.catalogue import CATALOGUE

# Where the probes of functions that are not elementwise are looked up.
_STRUCTURAL = (
    creation,
    structure,
    fft,
    gathering,
    interpolation,
    matrices,
    products,
    quantized,
    random,
    rearranging,
    scanning,
    searching,
    sorting,
    sparse,
)


class Profile(StrEnum):
    """How much is asked."""

    FULL = "full"
    QUICK = "quick"  # of each aspect of a function the first probes, and some of the others


_FIRST = 12  # probes of an aspect that the quick profile asks for; of the others each _FIRST-th
_LONG = {rounding.ASPECT}  # and of these none


def function_probes(function: str, element_types: frozenset[str]) -> Iterator[Probe]:
    """Every probe of one function on these element types; none where the kit has none."""
    yield from stated.probes(function, element_types)
    if "string" in element_types:
        yield from strings.probes(function)
    structural = next((module.PROBES for module in _STRUCTURAL if function in module.PROBES), None)
    if structural is not None:
        yield from structural[function](function, element_types)
    elif rules(function):
        yield from elementwise.probes(function, element_types)
    yield from long_sums.probes(function, element_types)
    yield from rounding.probes(function, element_types)


# The classes of precision in ulp, as the errors of results are measured here.
_ULPS = {"1 ulp": 1.0, "4 ulp": 4.0, "bound by condition": 16.0}


def _element_types(probe: Value | Refusal | Scenario) -> set[ElementType]:
    """Those of the tensors of numbers that it is about."""
    if isinstance(probe, Scenario):
        return {ELEMENT_TYPES[probe.element_type]} if probe.element_type else set()
    return {type_of(x) for x in probe.operands if isinstance(x, np.ndarray) and x.dtype.kind != "U"}


def _becomes_floating(probe: Value, kinds: set[str]) -> bool:
    """Whether the result of integers or bools is floating, of a width that is the library's default."""
    return bool(kinds) and kinds <= set("BI") and probe.expected.element_type.letter in "FC"


def _as_stated(operator: str, probe: Probe, claims: frozenset[str]) -> Probe | None:
    """The probe as the clauses have it, without what goes beyond them and is no claim of the provider's; or None."""
    stated = standard().operators.get(operator)
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
        allowed = _ULPS.get(stated.precision.get(probe.expected.element_type.letter, ""))
        return probe if allowed is None else probe.within(allowed)
    return probe


def probes(operator: str, provider: Provider, profile: Profile = Profile.FULL) -> Iterator[tuple[str, Probe]]:
    """What is asked of an operator and of the functions that belong to it: the function's name and the probe."""
    not_asked = standard().free_aspects - provider.claims
    for function in provider.functions(operator):
        seen: Counter[str] = Counter()
        for probe in function_probes(function, provider.element_types):
            asked = None if probe.aspect in not_asked else _as_stated(operator, probe, provider.claims)
            if asked is None:
                continue
            number = seen[asked.aspect]
            seen[asked.aspect] += 1
            few = (number < _FIRST or number % _FIRST == 0) and asked.aspect not in _LONG
            if few or profile is Profile.FULL:
                yield function, asked


def check(operator: str, provider: Provider | None = None, profile: Profile = Profile.FULL) -> Verdict:
    """The verdict on one operator, by its name in the catalogue; KeyError for an unknown name."""
    provider = provider or Suanzi()
    CATALOGUE[operator]
    verdict = Verdict(operator, provided=provider.find(operator) is not None)
    if verdict.provided:
        for function, probe in probes(operator, provider, profile):
            verdict.add(probe.aspect, function, probe.judge(provider))
    return verdict


def run(
    provider: Provider | None = None, operators: Iterable[str] | None = None, profile: Profile = Profile.FULL
) -> Iterator[Verdict]:
    """The verdicts on the named operators, or on all 134, as they come."""
    for operator in CATALOGUE if operators is None else operators:
        yield check(operator, provider, profile)
