"""Probes of draws by probabilities: zeros and ones, classes, and permutations (chapters 7.2.1.9 to 7.2.1.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from ..inputs import Maker, types
from ..oracle import randomness as tests
from ..oracle.element_types import Array, ElementType
from ..oracle.randomness import Trial
from ..probe import Probe, Refusal, Scenario
from ..provider import Provider
from ..status import Status
from .random import QUICK, drawn, draws, parts_of, repeats


def _binomial(name: str, ones: float, total: int, chance: float) -> Trial:
    if total * min(chance, 1 - chance) < 1000:
        rare = ones if chance < 0.5 else total - ones
        return Trial(f"{ones:g} {name}", tests.of_count(int(rare), total * min(chance, 1 - chance)))
    return Trial(f"{ones:g} {name}", tests.of_normal((ones - total * chance) / sqrt(total * chance * (1 - chance))))


_LENGTH = 14_000
_CHANCES = (0.0, 0.25, 0.5, 1.0, 0.0009765625, 0.875, 0.0625)


def _bernoulli(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        p = np.repeat(np.array(_CHANCES), _LENGTH).reshape(len(_CHANCES), _LENGTH).astype(t.numpy)
        mixed = np.resize(np.array([0.25, 0.75, 0.5, 0.125]), (200, 200)).astype(t.numpy)
        told = t.name in QUICK
        yield draws(operator, f"{t.name}, by rows", t, (p,), {}, p.shape, _rows_of_chances, told)
        yield draws(operator, f"{t.name}, mixed", t, (mixed,), {}, mixed.shape, partial(_mixed_chances, mixed), told)
        yield repeats(operator, t.name, (mixed[:60],), {})
    for label, chance in (("below 0", -0.5), ("above 1", 1.5), ("NaN", np.nan)):
        yield Refusal(operator, f"a probability {label}", (np.array([chance], np.float32),), Status.INVALID_ARGUMENT)


def _rows_of_chances(x: Array) -> Iterator[Trial]:
    parts = parts_of(x).astype(np.float64).reshape(len(_CHANCES), -1)
    yield tests.certain("elements other than 0 and 1", np.isin(parts, (0, 1)).all())
    for row, chance in zip(parts, _CHANCES, strict=True):
        if chance in (0, 1):
            yield tests.certain(f"elements other than {chance:g}, which is certain,", (row == chance).all())
            continue
        yield _binomial(f"ones among {row.size} draws of probability {chance}", row.sum(), row.size, chance)
        if 0.1 < chance < 0.9:
            yield from tests.correlations(_evened(row, chance))
    seven = (parts[2].reshape(-1, 7) @ 2.0 ** np.arange(7)).astype(int)
    yield from tests.frequencies("seven in a row", np.bincount(seven, minlength=128), np.full(128, seven.size / 128))


def _mixed_chances(mixed: Array, x: Array) -> Iterator[Trial]:
    ones, chances = parts_of(x).astype(np.float64), parts_of(mixed).astype(np.float64)
    for chance in np.unique(chances):
        chosen = ones[chances == chance]
        yield _binomial(f"ones among {chosen.size} draws of probability {chance}", chosen.sum(), chosen.size, chance)
    u = _evened(ones, chances)
    yield from tests.correlations(u)
    yield from tests.lines(u.reshape(mixed.shape))


def _evened(ones: Array, chance: Any) -> Array:
    """Scale zeros and ones to the mean and variance of uniform numbers between 0 and 1."""
    return np.asarray((ones - chance) / np.sqrt(12 * chance * (1 - chance)) + 0.5)


_WEIGHTS = np.array([1, 0, 2, 5])
_ROWS = 2_000


def _multinomial(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "F"):
        p, told = np.tile(_WEIGHTS, (_ROWS, 1)).astype(t.numpy), t.name in QUICK
        for replacement, samples in ((True, 3), (True, 200), (False, 2), (False, 3), (True, 1), (False, 1)):
            judge = partial(_drawn_counts, replacement, samples)
            label = f"{samples} draws of {t.name}, replacement={replacement}"
            yield draws(operator, label, t, (p, samples, replacement), {}, p.shape, judge, told)
        yield repeats(operator, t.name, (p[:60], 3, True), {})
        few = p[:5].copy()
        for number, samples in enumerate((2, 7, 12, 33, 50, 100, 256)):
            judge, label = partial(_number_of_draws, samples), f"{samples} draws of {t.name}, number of draws"
            yield draws(operator, label, t, (few, samples), {}, few.shape, judge, told and number < 6)
        yield from _multinomial_shapes(operator, t)
    one = np.ones(3, np.float32)
    yield Refusal(operator, "negative weights", (-one,), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "no positive weight", (0 * one,), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "more draws than classes", (one, 4, False), Status.INVALID_ARGUMENT)
    for t in types(available, "F"):
        if t.bits == 16:  # the type cannot represent all counts
            count = 2**t.precision + 1
            ones = np.ones(1, t.numpy)
            options = {"num_samples": count}
            yield Refusal(operator, f"{count} draws of one class in {t.name}", (ones,), Status.OUT_OF_RANGE, options)


def _multinomial_shapes(operator: str, t: ElementType) -> Iterator[Probe]:
    p = np.tile(_ROWS_OF_WEIGHTS, (500, 1, 1)).astype(t.numpy)
    yield draws(operator, f"{t.name} of rank 3", t, (p, 7), {}, p.shape, _different_rows, t.name in QUICK)
    alone = np.array([0, 3, 0], t.numpy)
    yield draws(operator, f"{t.name} of rank 1", t, (alone, 9), {}, (3,), _one_class, False)
    many = 1000 if t.bits > 16 else 200
    judge = partial(_many_classes, many)
    yield draws(operator, f"{t.name} of 256 classes", t, (np.ones(256, t.numpy), many), {}, (256,), judge, False)


# Weights that differ by row and need not sum to 1.
_ROWS_OF_WEIGHTS = np.array([[0.25, 0, 0.75], [0, 0.125, 0.125], [2, 8, 6]])


def _different_rows(x: Array) -> Iterator[Trial]:
    counts = parts_of(x).astype(np.float64).reshape(-1, 3, 3)
    yield tests.certain("rows whose counts are not the number of draws", (counts.sum(-1) == 7).all())
    chances = _ROWS_OF_WEIGHTS / _ROWS_OF_WEIGHTS.sum(-1, keepdims=True)
    for (row, place), chance in np.ndenumerate(chances):
        found = counts[:, row, place].sum()
        if chance:
            yield _binomial(f"draws of probability {chance}", found, 7 * len(counts), chance)
        else:
            yield tests.certain("draws of a class without weight", found == 0)


def _one_class(x: Array) -> Iterator[Trial]:
    yield tests.certain("draws of a class without weight", (x == [0, 9, 0]).all())


def _number_of_draws(samples: int, x: Array) -> Iterator[Trial]:
    counts = parts_of(x).astype(np.float64).reshape(x.shape)
    yield tests.certain("rows whose counts are not the number of draws", (counts.sum(-1) == samples).all())


def _many_classes(draws: int, x: Array) -> Iterator[Trial]:
    counts = parts_of(x).astype(np.float64)
    yield tests.certain("counts that are not the number of draws", counts.sum() == draws)
    most = tests.of_count(int(counts.max()), draws / 256)
    yield Trial(f"a class drawn {counts.max():g} times", min(1.0, 256 * most))
    yield from tests.frequencies("counts of classes", counts.reshape(8, 32).sum(1), np.full(8, draws / 8))


def _drawn_counts(replacement: bool, samples: int, x: Array) -> Iterator[Trial]:
    counts = parts_of(x).astype(np.float64).reshape(x.shape)
    rows, chances = len(counts), _WEIGHTS[[0, 2, 3]] / 8
    right = (counts.sum(1) == samples).all() and not counts[:, 1].any() and (replacement or counts.max() <= 1)
    yield tests.certain("counts that do not belong to these draws", right)
    drawn = counts[:, [0, 2, 3]]
    if not replacement and samples == 3:
        return
    if not replacement and samples == 2:
        # The probability that a class is not drawn is the probability that the draws choose the other two classes.
        a, b, c = chances
        chances = np.array([b * c / (1 - b) + c * b / (1 - c), a * c / (1 - a) + c * a / (1 - c), 0.0])
        chances[2] = 1 - chances.sum()
        drawn, samples = 1 - drawn, 1
    yield from tests.frequencies("the classes", drawn.sum(0), chances * rows * samples)
    # The counts of different rows must be independent, and must vary as random counts vary.
    u = _evened(drawn[:, 2] / samples, chances[2]) if samples == 1 else _scaled(drawn[:, 2], samples, chances[2])
    yield from tests.correlations(u, name="rows")
    squares = float(((u - 0.5) ** 2 * 12).sum())
    kurtosis = (1 - 6 * chances[2] * (1 - chances[2])) / (samples * chances[2] * (1 - chances[2]))
    z = (squares - rows) / sqrt(rows * (2 + kurtosis))
    yield Trial(
        f"counts that vary by {squares / rows:.3g} of what they should", 1.0 if samples == 1 else tests.of_normal(z)
    )


def _scaled(counts: Array, samples: int, chance: float) -> Array:
    """Scale counts to the mean and variance of uniform numbers between 0 and 1."""
    return np.asarray((counts - samples * chance) / sqrt(12 * samples * chance * (1 - chance)) + 0.5)


def _randperm(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available, "IFC"):
        yield draws(operator, t.name, t, (120,), {"dtype": t}, (120,), partial(_permuted, 120))
        yield repeats(operator, t.name, (120,), {"dtype": t})
        if t.name in ("float32", "int64", "int32"):
            yield Scenario(
                operator, f"{t.name}, 400 seeds", _of_seeds(operator, t), "seeds", t.name, t.name == "float32"
            )
            told, judge = t.name == "int64", partial(_permuted, _LONG)
            yield draws(operator, f"{t.name}, {_LONG} in all", t, (_LONG,), {"dtype": t}, (_LONG,), judge, told)
        if t.name == "float32":
            for n in (1, 2, 3):
                yield draws(operator, f"of {n}", t, (n,), {}, (n,), partial(_permuted, n))
    yield Refusal(operator, "a length of 0", (0,), Status.INVALID_ARGUMENT)


_LONG = 2**17 + 3


def _permuted(n: int, x: Array) -> Iterator[Trial]:
    numbers = x.real.astype(np.float64)
    yield tests.certain("no permutation", np.array_equal(np.sort(numbers), np.arange(n)) and not (x.imag != 0).any())
    if n == _LONG:
        u = (numbers + 0.5) / n
        yield from tests.correlations(u)
        for lag in (1, 2, 16):
            yield from tests.pairs(u, lag)
        yield from tests.blocks(u)
        steps = np.diff(numbers)
        for step in (1, -1, 2, -2):
            yield Trial(f"neighbours that differ by {step}", tests.of_count(int((steps == step).sum()), 1.0))


def _of_seeds(operator: str, t: ElementType) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        found = [drawn(provider, operator, (40,), {"dtype": t}, seed) for seed in range(1, 401)]
        return tests.improbable(tests.permutations(np.array(found).astype(int)))

    return play


PROBES: dict[str, Maker] = {"bernoulli": _bernoulli, "multinomial": _multinomial, "randperm": _randperm}
