"""Probes of long sums. The errors of many sums are judged together, and repeated calls must return the same bits.

A single long sum reveals little about the method of summation. Each rounding of a partial sum has an error of at most
half a unit in the last place of the sum of magnitudes. In a right sum the rounding errors have no bias. Like random
numbers that are uniform between these limits, the errors have a variance of 1/12. The errors of T sums of k terms, in
units ``u * sum |a b|``, therefore have two properties: the mean is within some deviations of zero, and the mean square
is at most k / 12. Sums that are truncated, or accumulated in a narrower type, violate these bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import SEED, accepted
from ..oracle.element_types import Array, ElementType, as_extended, exact
from ..probe import Probe, Scenario
from ..provider import Provider, needed
from ..snippets import made

_TERMS, _SUMS = 4096, 400
_DEVIATIONS = 5.0  # the largest deviation of the mean, which a right sum exceeds once in a million times
_SHARE = 1 / 4  # the bound of the mean square per term: three times the expected value
_LONG = 1_000_003  # the number of elements of the repeated sums

# Functions that return the arguments for many sums from a matrix and a vector. Each sum is the product of one row and
# the vector.
_CALLS: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "matmul": lambda rows, vector: (rows, vector),
    "dot": lambda rows, vector: (rows, vector),
    "linear": lambda rows, vector: (rows, vector[None, :]),
}


def _statistics(operator: str, t: ElementType) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        rows, vector = (
            made(f'numpy.random.default_rng(({SEED}, {number})).uniform(0, 1, {shape}).astype("{t.name}")')
            for number, shape in enumerate(((_SUMS, _TERMS), (_TERMS,)))
        )
        operands = map(provider.from_numpy, _CALLS[operator](rows, vector))
        found = as_extended(exact(provider.to_numpy(needed(provider, operator)(*operands)))).reshape(_SUMS)
        reference = as_extended(exact(rows)) @ as_extended(exact(vector))
        return _judged((found - reference) / (reference * 2.0 ** (1 - t.precision)))

    return play


def _judged(errors: Array) -> str | None:
    mean, square = float(errors.mean()), float((errors**2).mean())
    if not abs(mean) <= _DEVIATIONS * np.sqrt(_TERMS / 12 / _SUMS):
        return f"{_SUMS} sums of {_TERMS} terms are off by {mean:.3g} units on the average"
    return None if square <= _SHARE * _TERMS else f"the errors of {_SUMS} sums have a mean square of {square:.3g} units"


def _repeated(operator: str, t: ElementType) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        formula = f'numpy.random.default_rng({SEED}).normal(size={_LONG}).astype("{t.name}")'
        x = provider.from_numpy(made(formula))
        function = needed(provider, operator)
        other = "sum" if operator == "reduce" else x
        results = {provider.to_numpy(function(x, other)).tobytes() for _ in range(5)}
        return f"five calls returned {len(results)} results" if len(results) > 1 else None

    return play


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of one function, if the function computes sums."""
    for t in accepted("F", available):
        if function in _CALLS and t.bits >= 32:
            yield Scenario(function, f"{t.name}, the errors of long sums", _statistics(function, t), "precision")
        if function in ("reduce", "dot") and t.bits >= 32:
            yield Scenario(function, f"{t.name}, the same bits each time", _repeated(function, t), "repetition")
