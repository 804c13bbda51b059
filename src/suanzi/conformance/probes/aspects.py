"""Probes of aspects that the kit tests in the same way for every operator. Each of these aspects has a module.

The modules `created`, `sequences`, `queries` and `edges` contain probes of single operators, in tables named `MAKERS`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..inputs import Maker
from ..probe import Probe
from ..standard import standard
from . import (
    broadcasts,
    counted,
    created,
    devices,
    edges,
    memory,
    promoted,
    quantized_operands,
    queries,
    scalars,
    sequences,
    sparse_operands,
)

_OF_ANY: tuple[Maker, ...] = (
    *(memory.probes, counted.probes, devices.probes),
    *(promoted.probes, broadcasts.probes, scalars.probes),
    *(sparse_operands.probes, quantized_operands.probes),
)
_OF_ONE: dict[str, Maker] = {**created.MAKERS, **sequences.MAKERS, **queries.MAKERS, **edges.MAKERS}


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes that the modules of aspects have for one function, for a provider's element types."""
    for make in _OF_ANY:
        yield from make(function, available)
    operator = standard().operators.get(function)
    if operator is not None and function in _OF_ONE:
        yield from (probe for probe in _OF_ONE[function](function, available) if probe.aspect in operator.aspects)
