"""Tests of multinomial and randperm: distributions by statistical tests at fixed seeds, every type, other layouts.

test_random.py has the tests that concern all random tensors, also with bad input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import suanzi
from samples import NAMES, fails, wide
from suanzi import OutOfRangeError

SEED = 0x243F6A8885A308D3
LEVEL = 1e-4  # the significance level (seeds are fixed, so the tests always have the same outcome)
FLOATING = ["float16", "bfloat16", "float32", "float64"]


WEIGHTS = np.array([0.1, 0, 3, 0.5, 2.4, 0, 1])


@pytest.mark.parametrize("name", FLOATING)
@pytest.mark.parametrize("output", ["counts", "indices"])
@pytest.mark.parametrize("draws", [5, 500])  # fewer and more draws than classes
def test_multinomial_with_replacement(name: str, output: Any, draws: int) -> None:
    rows = 4000
    p = suanzi.tensor(np.tile(WEIGHTS, (rows, 1)), dtype=name)
    x = suanzi.multinomial(p, draws, seed=17, output=output)
    if output == "counts":
        assert (x.shape, x.dtype) == (p.shape, p.dtype)
        counts = wide(x)
        assert np.all(counts.sum(1) == draws)
    else:
        assert (x.shape, x.dtype) == ((rows, draws), suanzi.int64)
        counts = np.array([np.bincount(row, minlength=7) for row in x.numpy()])
    chances = wide(p)[0] / wide(p)[0].sum()
    support = WEIGHTS > 0
    assert not counts[:, ~support].any()
    assert stats.chisquare(counts.sum(0)[support], chances[support] * rows * draws).pvalue > LEVEL
    # The count of each class in a row follows a binomial distribution. The chi-square test checks only sums of rows.
    for k in np.flatnonzero(support):
        variance = draws * chances[k] * (1 - chances[k])
        assert abs(counts[:, k].var() / variance - 1) < 0.12


def test_few_draws_are_counted_as_they_are_drawn() -> None:
    p = suanzi.tensor(np.arange(20.0))
    drawn = suanzi.multinomial(p, 20, seed=3, output="indices").numpy()
    assert np.array_equal(suanzi.multinomial(p, 20, seed=3).numpy(), np.bincount(drawn, minlength=20))


@pytest.mark.parametrize("n", [30, 1000, 10**6, 10**12])
@pytest.mark.parametrize("chance", [1e-9, 1e-5, 0.003, 0.2, 0.5, 0.9])
def test_counts_of_many_draws_are_binomial(n: int, chance: float) -> None:
    p = suanzi.tensor(np.tile([chance, 1 - chance], (20_000, 1)), dtype="float64")
    counts = suanzi.multinomial(p, n, seed=23).numpy()
    assert np.all(counts.sum(1) == n)
    law = stats.binom(n, chance)
    cuts = np.unique(law.ppf(np.linspace(0.05, 0.95, 19)))
    found = np.bincount(np.searchsorted(cuts, counts[:, 0]), minlength=len(cuts) + 1)
    expected = np.diff(np.concatenate([[0], law.cdf(cuts), [1]])) * len(counts)
    likely = expected > 5
    rest = [found[~likely].sum(), expected[~likely].sum()]
    pairs = list(zip(found[likely], expected[likely], strict=True)) + ([tuple(rest)] if rest[1] > 0 else [])
    if len(pairs) > 1:
        observed, wanted = map(np.array, zip(*pairs, strict=True))
        assert stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue > LEVEL


def test_counts_of_enormous_numbers_of_draws() -> None:
    p = suanzi.tensor([1.0, 1.0, 2.0], dtype="float64")
    counts = suanzi.multinomial(p, 2**53, seed=5).numpy()
    assert counts.sum() == 2**53
    assert np.allclose(counts / 2.0**53, [0.25, 0.25, 0.5], atol=1e-7)
    with fails(OutOfRangeError, "multinomial"):
        suanzi.multinomial(p, 2**53 + 1, seed=5)
    for seed in range(20):  # no call succeeds by chance
        with fails(OutOfRangeError, "multinomial"):
            suanzi.multinomial(p, 2**53 + 2, seed=seed)
    assert suanzi.multinomial(suanzi.tensor([0.0, 5.0]), 2**62, seed=5).tolist() == [0, 2.0**62]


# The first integer that each type cannot represent.
LOST = {"bfloat16": 2**8 + 1, "float16": 2**11 + 1, "float32": 2**24 + 1, "float64": 2**53 + 1}


@pytest.mark.parametrize("name", FLOATING)
def test_counts_are_held_or_refused(name: str) -> None:
    """`multinomial` returns a count that the type can represent, and refuses other counts. One class has all draws."""
    p, lost = suanzi.tensor([0.0, 1.0], dtype=name), LOST[name]
    for held in (1, lost - 2, lost - 1, lost + 1, 4 * (lost - 1)):
        assert wide(suanzi.multinomial(p, held, seed=1)).tolist() == [0, held]
    for refused in (lost, lost + 2, 4 * (lost - 1) + 1):
        with fails(OutOfRangeError, "multinomial"):
            suanzi.multinomial(p, refused, seed=1)


def test_counts_beyond_the_greatest_float16() -> None:
    p = suanzi.tensor([1.0], dtype="float16")
    assert suanzi.multinomial(p, 65504, seed=1).tolist() == [65504]
    with fails(OutOfRangeError, "multinomial"):
        suanzi.multinomial(p, 65536, seed=1)


@pytest.mark.parametrize("name", FLOATING)
def test_counts_of_every_type_are_exact(name: str) -> None:
    """The counts of 1001 draws add up to 1001 in every type, unless `multinomial` refuses counts of bfloat16."""
    for classes in (1, 2, 3, 10, 100):
        p = suanzi.ones((classes,), dtype=name)
        try:
            counts = wide(suanzi.multinomial(p, 1001, seed=classes))
        except OutOfRangeError:
            assert name == "bfloat16"
            assert classes < 4
        else:
            assert counts.sum() == 1001


@pytest.mark.parametrize("name", FLOATING)
def test_draws_that_no_class_has_many_of_are_not_bounded(name: str) -> None:
    p = suanzi.ones((100_000,), dtype=name)
    assert wide(suanzi.multinomial(p, 99_999, False, seed=1)).sum() == 99_999
    assert suanzi.multinomial(p[:1], 99_999, seed=1, output="indices").shape == (99_999,)


def test_weights_of_any_size() -> None:
    for scale in (5e-324, 1e-300, 1e300, 5e307):
        p = suanzi.tensor(np.array([1.0, 0.0, 3.0]) * scale, dtype="float64")
        drawn = suanzi.multinomial(p, 100_000, seed=5, output="indices").numpy()
        assert stats.binomtest(int((drawn == 2).sum()), 100_000, 0.75).pvalue > LEVEL
        assert not (drawn == 1).any()


def test_distinct_draws_of_weights_of_very_different_size() -> None:
    for weights in ([1.0, 5e-324, 0.0, 1e-300], [1.7e308, 5e-324, 0.0, 1.0]):
        drawn = suanzi.multinomial(suanzi.tensor(weights, dtype="float64"), 3, False, 7, output="indices")
        assert drawn.tolist() == [0, 3, 1]


@pytest.mark.parametrize("name", FLOATING)
def test_multinomial_without_replacement(name: str) -> None:
    rows = 20_000
    weights = np.array([1.0, 2, 0, 3, 4])
    p = suanzi.tensor(np.tile(weights, (rows, 1)), dtype=name)
    drawn = suanzi.multinomial(p, 3, False, seed=19, output="indices").numpy()
    assert all(len(set(row)) == 3 for row in drawn[:1000])
    assert not (drawn == 2).any()
    first = np.bincount(drawn[:, 0], minlength=5)
    assert stats.chisquare(first[weights > 0], rows * weights[weights > 0] / 10).pvalue > LEVEL
    # If the first draw is class 4, the second draw is one of the remaining classes.
    second = np.bincount(drawn[drawn[:, 0] == 4, 1], minlength=5)
    assert stats.chisquare(second[[0, 1, 3]], second.sum() * np.array([1, 2, 3]) / 6).pvalue > LEVEL
    counts = wide(suanzi.multinomial(p, 3, False, seed=19))
    assert np.array_equal(counts, [np.bincount(row, minlength=5) for row in drawn])
    assert suanzi.multinomial(p[0], 4, False, seed=19).tolist() == [1, 1, 0, 1, 1]


def test_multinomial_of_other_layouts_and_shapes() -> None:
    p = suanzi.uniform((3, 4, 5), 0, 1, 3)
    for draws, output in ((4, "counts"), (50, "counts"), (6, "indices")):
        expected = suanzi.multinomial(p, draws, seed=8, output=output).numpy()  # type: ignore[arg-type]
        reversed_ = suanzi.tensor(np.ascontiguousarray(p.numpy()[::-1, :, ::-1]))[::-1, :, ::-1]
        assert np.array_equal(suanzi.multinomial(reversed_, draws, seed=8, output=output).numpy(), expected)  # type: ignore[arg-type]
    assert suanzi.multinomial(suanzi.ones((2, 0, 3)), 5, output="indices").shape == (2, 0, 5)
    assert suanzi.multinomial(suanzi.ones((0, 3))).shape == (0, 3)
    assert suanzi.multinomial(suanzi.zeros((2, 3)), 0).tolist() == [[0] * 3] * 2
    assert suanzi.multinomial(suanzi.ones((2, 3)), 0, output="indices").shape == (2, 0)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bool"])
def test_randperm_of_every_type(name: str) -> None:
    for n in (1, 2, 3, 17, 128):
        x = suanzi.randperm(n, name, seed=SEED)
        assert (x.shape, x.dtype.name) == ((n,), name)
        assert np.array_equal(np.sort(x.numpy()), np.arange(n).astype(x.numpy().dtype))
    assert np.array_equal(wide(suanzi.randperm(100, name, seed=3)), wide(suanzi.randperm(100, seed=3)))


@pytest.mark.parametrize("n", [2**16, 2**16 + 1, 300_001, 1_500_000])
def test_long_permutations(n: int) -> None:
    x = suanzi.randperm(n, "int64", seed=SEED).numpy()
    assert np.array_equal(np.sort(x), np.arange(n))
    positions = np.arange(n)
    assert abs(np.corrcoef(x, positions)[0, 1]) < 5 / n**0.5
    assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 5 / n**0.5
    assert (x == positions).sum() < 12  # on average one element stays in its place
    cells = (x * 16 // n) * 16 + positions * 16 // n
    assert stats.chisquare(np.bincount(cells, minlength=256)).pvalue > LEVEL


def test_all_permutations_are_equally_probable() -> None:
    found = [tuple(suanzi.randperm(4, "int8", seed=seed).numpy()) for seed in range(1, 12_001)]
    _, counts = np.unique(found, axis=0, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > LEVEL


GREATEST = {"uint8": 256, "int8": 128, "uint16": 65536, "int16": 32768, "float16": 2049, "bfloat16": 257}


@pytest.mark.parametrize("name", GREATEST)
def test_the_longest_permutation_of_a_type(name: str) -> None:
    n = GREATEST[name]
    assert np.array_equal(np.sort(wide(suanzi.randperm(n, name))), np.arange(n))
    with fails(OutOfRangeError, "randperm"):
        suanzi.randperm(n + 1, name)
