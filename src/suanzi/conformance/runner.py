"""Runs the probes of one operator or of all, and gives a verdict on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from suanzi.conformance import (
    creation,
    elementwise,
    fft,
    gathering,
    interpolation,
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
    strings,
    structure,
)
from suanzi.conformance.oracle.rules import rules
from suanzi.conformance.probe import Probe
from suanzi.conformance.provider import Provider, Suanzi
from suanzi.operators.catalogue import CATALOGUE, Entry
from suanzi.operators.registry import extras

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


class State(StrEnum):
    """What may be said of an operator."""

    PASS = "pass"
    FAIL = "fail"
    NOT_YET = "not yet"  # not implemented, or nothing here checks it yet


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one operator of the catalogue and the functions that belong to it."""

    entry: Entry
    state: State
    checks: int
    faults: tuple[str, ...]
    implemented: bool


def probes(function: str, element_types: frozenset[str]) -> Iterator[Probe]:
    """Every probe of one function on these element types; none where the kit has none."""
    if "string" in element_types:
        yield from strings.probes(function)
    yield from rounding.probes(function, element_types)
    for module in _STRUCTURAL:
        if function in module.PROBES:
            yield from module.PROBES[function](function, element_types)
            return
    if rules(function):
        yield from elementwise.probes(function, element_types)


def check(operator: str, provider: Provider | None = None) -> Verdict:
    """The verdict on one operator, by its name in the catalogue; KeyError for an unknown name."""
    provider = provider or Suanzi()
    entry = CATALOGUE[operator]
    if provider.find(operator) is None:
        return Verdict(entry, State.NOT_YET, 0, (), implemented=False)
    functions = [operator, *(extra.name for extra in extras(operator) if provider.find(extra.name))]
    count, faults = 0, []
    for function in functions:
        for probe in probes(function, provider.element_types):
            count += 1
            fault = probe.run(provider)
            if fault is not None:
                faults.append(f"{function}: {fault}")
    state = State.NOT_YET if count == 0 else State.FAIL if faults else State.PASS
    return Verdict(entry, state, count, tuple(faults), implemented=True)


def run(provider: Provider | None = None, operators: Iterable[str] | None = None) -> Iterator[Verdict]:
    """The verdicts on the named operators, or on all 134, as they come."""
    provider = provider or Suanzi()
    for operator in CATALOGUE if operators is None else operators:
        yield check(operator, provider)
