"""Statistical tests of random numbers. A test computes how probable the drawn numbers are for a right generator.

The probability of a test is the probability of a deviation to either side that is at least as great as the observed
deviation. Numbers that are spread too evenly are as wrong as uneven numbers, so both sides count. A test fails below
the probability `ALARM`, so a right generator fails a test with the probability `ALARM`. The kit makes at most `MOST`
tests of a provider, for all operators and element types together. Fewer than one right provider in a million therefore
fails any test. (Seeds are fixed, so the outcome for a provider is always the same.)

The distributions are exact with two exceptions. The tests treat large sums as normally distributed. The distribution of
chi-square is accurate only if each bin has at least some dozens of elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import erf, erfc, exp, lgamma, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from .element_types import Array

ALARM = 1e-10
MOST = 9_000


class Trial(NamedTuple):
    """A statistical test, and the probability that a right generator deviates at least as much as the given numbers."""

    name: str
    probability: float


def improbable(tests: Iterator[Trial]) -> str | None:
    """Return a description of the first test that fails, or None."""
    for test in tests:
        if not test.probability >= ALARM:
            return f"{test.name}: fewer than one right generator in {1 / ALARM:.0e} fails this test"
    return None


def certain(name: str, holds: Any) -> Trial:
    """Return the trial of a property that every right generator has. The name describes the fault."""
    return Trial(name, float(bool(holds)))


# Distributions.


def _gamma(shape: float, x: float) -> float:
    """Return the regularised lower incomplete gamma function by its series."""
    if x <= 0:
        return 0.0
    if x > shape + 60 * sqrt(shape) + 500:
        return 1.0
    term = total = exp(shape * log(x) - x - lgamma(shape + 1))
    if term == 0.0:
        return 0.0 if x < shape else 1.0
    n = shape
    while term > total * 1e-17:
        n += 1
        term *= x / n
        total += term
    return min(total, 1.0)


def _two_sided(below: float, above: float) -> float:
    return min(1.0, 2 * min(below, above))


def of_normal(deviations: float) -> float:
    """Return the probability that a standard normal number is at least as far from 0 as `deviations`."""
    return erfc(abs(deviations) / sqrt(2)) if deviations == deviations else 0.0


def of_chi_square(value: float, freedom: int) -> float:
    """Return the two-sided probability of chi-square values as extreme as `value`."""
    below = _gamma(freedom / 2, value / 2)
    return _two_sided(below, 1 - below)


def of_count(count: int, expected: float) -> float:
    """Return the two-sided probability of a number of rare events as extreme as `count`."""
    below = 1 - _gamma(count + 1, expected)
    above = _gamma(count, expected) if count else 1.0
    return _two_sided(below, above)


def normal_below(x: Array) -> Array:
    """Return, for each element, the probability that a standard normal number is below the element."""
    flat = [0.5 * erfc(-value / sqrt(2)) for value in np.ravel(x).tolist()]
    return np.array(flat).reshape(np.shape(x))


def tail(deviations: float) -> float:
    """Return the probability that a standard normal number is above `deviations`."""
    return 0.5 * (1 - erf(deviations / sqrt(2)))


# Tests.


def frequencies(name: str, counts: Array, expected: Array) -> Iterator[Trial]:
    """Test the counts of independent elements in bins against the expected counts."""
    value = float(np.sum((counts - expected) ** 2 / expected))
    yield Trial(
        f"{name}: chi-square {value:.4g} of {len(counts) - 1} degrees of freedom", of_chi_square(value, len(counts) - 1)
    )


def even(u: Array, bins: int) -> Iterator[Trial]:
    """Test by counts in bins that numbers are uniform between 0 and 1."""
    counts = np.bincount(np.clip((u * bins).astype(int), 0, bins - 1).ravel(), minlength=bins)
    yield from frequencies(f"the frequency of numbers in {bins} bins", counts, np.full(bins, u.size / bins))
    yield certain("a number outside its range", u.min() >= 0 and u.max() <= 1)


def moments(u: Array) -> Iterator[Trial]:
    """Test the mean and the variance of numbers that should be uniform between 0 and 1."""
    centred = u.ravel() - 0.5
    for name, sums, variance in (("mean", centred, 1 / 12), ("variance", centred**2 - 1 / 12, 1 / 180)):
        z = float(sums.sum() / sqrt(variance * sums.size))
        yield Trial(f"a {name} {z:.3g} deviations off", of_normal(z))


def _standard(u: Array) -> Array:
    return (np.ravel(u) - 0.5) * sqrt(12)


def correlations(u: Array, other: Array | None = None, name: str = "elements") -> Iterator[Trial]:
    """Test the correlation of elements at every distance, in one sequence or between two sequences. The test finds
    periods, echoes and shifts.
    """
    x = _standard(u)
    y = x if other is None else _standard(other)
    n = x.size
    size = 1 << (2 * n - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(x, size).conj() * np.fft.rfft(y, size), size)
    lags = np.arange(1 if other is None else 0, n - max(n // 64, 16))
    for sign in (1,) if other is None else (1, -1):
        sums = product[sign * lags] / np.sqrt(n - lags)
        at = int(np.argmax(np.abs(sums)))
        probability = min(1.0, of_normal(float(sums[at])) * len(lags))
        yield Trial(f"the correlation of {name} {sign * lags[at]} apart, {sums[at]:.3g} deviations", probability)


def pairs(u: Array, lag: int, cells: int = 11) -> Iterator[Trial]:
    """Test pairs of elements that are `lag` places apart, by counts in a square of cells. No element belongs to two
    pairs.
    """
    flat = np.ravel(u)
    block = flat[: flat.size - flat.size % (2 * lag)].reshape(-1, 2, lag)
    yield from together(f"pairs {lag} apart", block[:, 0].ravel(), block[:, 1].ravel(), cells)


def together(name: str, u: Array, v: Array, cells: int = 11) -> Iterator[Trial]:
    """Test pairs of independent numbers by counts in a square of cells."""
    x, y = (np.clip((part * cells).astype(int), 0, cells - 1) for part in (u, v))
    counts = np.bincount(x * cells + y, minlength=cells**2)
    yield from frequencies(f"{name} in {cells**2} cells", counts, np.full(cells**2, u.size / cells**2))


def lines(u: Array) -> Iterator[Trial]:
    """Test the means of a matrix's rows and columns, and the correlations between rows and between columns."""
    x = (u - 0.5) * sqrt(12)
    for name, rows in (("rows", x), ("columns", x.T)):
        length = rows.shape[1]
        if length < 30 or len(rows) > 1000:
            continue  # sums of few numbers are not normal, and correlations of many rows take long
        value = float((rows.sum(1) ** 2).sum() / length)
        yield Trial(f"the means of the {name}: chi-square {value:.4g} of {len(rows)}", of_chi_square(value, len(rows)))
        alike = np.abs(rows @ rows.T) / sqrt(length)
        np.fill_diagonal(alike, 0)
        most, count = float(alike.max()), len(rows) * (len(rows) - 1) // 2
        yield Trial(f"the likeness of two {name}, {most:.3g} deviations", min(1.0, of_normal(most) * count))


def blocks(u: Array, length: int = 1024) -> Iterator[Trial]:
    """Test the means of consecutive blocks."""
    x = _standard(u)
    sums = x[: x.size - x.size % length].reshape(-1, length).sum(1)
    value = float((sums**2).sum() / length)
    yield Trial(f"the means of blocks: chi-square {value:.4g} of {len(sums)}", of_chi_square(value, len(sums)))


def tails(z: Array) -> Iterator[Trial]:
    """Test the tails of standard normal numbers on both sides."""
    for least in (3.0, 3.5, 4.0):
        expected = tail(least) * z.size
        for name, count in (("above", int((z > least).sum())), ("below -", int((z < -least).sum()))):
            yield Trial(f"{count} numbers {name}{least} where {expected:.4g} are expected", of_count(count, expected))
    for least in (4.0, 4.5):
        both, expected = int((np.abs(z) > least).sum()), 2 * tail(least) * z.size
        yield Trial(f"{both} numbers beyond {least} where {expected:.3g} are expected", of_count(both, expected))


def distinct(x: Array, share: float) -> Iterator[Trial]:
    """Test that at least a given share of the drawn numbers are different."""
    found = len(np.unique(x))
    yield certain(f"{found} different numbers among {x.size}", found >= share * x.size)


def battery(u: Array, bins: int = 16) -> Iterator[Trial]:
    """Run the tests of independent and uniform numbers between 0 and 1, in one sequence."""
    yield from even(u, bins)
    yield from moments(u)
    if u.size >= 10_000:
        yield from even(u, 257)
        for lag in (1, 2, 3, 16, 64):
            yield from pairs(u, lag)
        yield from blocks(u)
    yield from correlations(u)


def bits(x: Array, count: int) -> Iterator[Trial]:
    """Test that each of the lowest `count` bits of random integers is 1 in about half of the integers."""
    for bit in range(count):
        ones = int(((x >> x.dtype.type(bit)) & x.dtype.type(1)).sum())
        z = (ones - x.size / 2) / sqrt(x.size / 4)
        yield Trial(f"bit {bit} of the integers, {ones} ones among {x.size}", of_normal(z))


def permutations(p: Array) -> Iterator[Trial]:
    """Test the rows of a matrix, each of which must be a random permutation of the numbers from 0 to n - 1."""
    count, n = p.shape
    cells = np.bincount((p * n + np.arange(n)).ravel(), minlength=n * n)
    value = float(((cells - count / n) ** 2).sum() / (count / n) * (n - 1) / n)
    yield Trial(f"numbers by places: chi-square {value:.4g} of {(n - 1) ** 2}", of_chi_square(value, (n - 1) ** 2))
    steps = np.diff(p, axis=1) % n
    counts = np.bincount(steps.ravel(), minlength=n)[1:]
    for step in (1, 2, n - 1, n - 2):
        expected = count * 1.0  # n - 1 neighbours, each with the probability 1 / (n - 1)
        yield Trial(
            f"{counts[step - 1]} neighbours {step} apart, of {expected:g}", of_count(int(counts[step - 1]), expected)
        )
    expected = float(count)
    fixed = int((p == np.arange(n)).sum())
    yield Trial(f"{fixed} numbers in their own places where {expected:g} are expected", of_count(fixed, expected))
    centred = p - (n - 1) / 2
    z = float((centred * np.arange(n)).sum() / sqrt(count * (n * (n * n - 1) / 12) ** 2 / (n - 1)))
    yield Trial(f"the correlation of numbers and places, {z:.3g} deviations", of_normal(z))
    alike = np.abs(centred @ centred.T) / ((n * (n * n - 1) / 12) / sqrt(n - 1))
    np.fill_diagonal(alike, 0)
    same = len(np.unique(p, axis=0))
    yield certain(f"{same} different permutations among {count}", same == count)
    yield Trial(
        f"the likeness of two permutations, {alike.max():.3g} deviations",
        min(1.0, of_normal(float(alike.max())) * count * (count - 1) / 2),
    )
