"""The probes of aspects that ask the same of every operator whose clause states them, a module for each aspect."""

from __future__ import annotations

from collections.abc import Iterator

from ..inputs import Maker
from ..probe import Probe
from . import broadcasts, counted, memory, promoted, scalars

_MAKERS: tuple[Maker, ...] = (memory.probes, counted.probes, promoted.probes, broadcasts.probes, scalars.probes)


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Every such probe of one function on the element types that a provider has."""
    for make in _MAKERS:
        yield from make(function, available)
