"""round selects the decimal that the mode requires, and returns the nearest number. Exact fractions are the oracle."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import TypeMismatchError

MODES = ("half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc")
DECIMALS = (1, 2, 5, 10, 11, 15, 22, 23, 40, 320, -1, -3, -10, -11, -22, -23, -300)


def chosen(x: Fraction, decimals: int, mode: str) -> Fraction:
    scaled = x * Fraction(10) ** decimals
    low = floor(scaled)
    rest = scaled - low
    up = {
        "floor": False,
        "ceil": rest > 0,
        "trunc": rest > 0 and scaled < 0,
        "half_even": low % 2 == 1,
        "half_up": True,
        "half_down": False,
        "half_away": scaled > 0,
    }[mode]
    if mode.startswith("half") and rest != Fraction(1, 2):
        up = rest > Fraction(1, 2)
    return Fraction(low + up) / Fraction(10) ** decimals


def nearest(exact: Fraction, like: Any) -> Any:
    """Return the number of `like`'s type that is nearest to `exact`, or `like` itself if that number is infinite."""
    real = type(like)
    if abs(exact) > Fraction(float(np.finfo(real).max)):
        return like
    with np.errstate(over="ignore", under="ignore"):
        guess = real(float(exact))
        around = np.nextafter(guess, real(-np.inf)), guess, np.nextafter(guess, real(np.inf))
    finite = [y for y in around if np.isfinite(y)]
    return min(finite, key=lambda y: (abs(Fraction(float(y)) - exact), int(y.view(f"u{y.itemsize}")) & 1))


def numbers(real: Any, decimals: int, rng: np.random.Generator) -> Any:
    """Make numbers of any size, such as numbers near multiples of 10^-decimals and near midpoints between multiples."""
    with np.errstate(all="ignore"):
        unit = np.float64(10.0) ** -decimals
        bits = np.finfo(real).nmant + 1
        x = np.concatenate(
            [
                rng.normal(size=9) * 100,
                10.0 ** rng.uniform(-30, 30, 9),
                (rng.integers(-(10**5), 10**5, 9) + 0.5) * unit,
                rng.integers(-(10**5), 10**5, 9) * unit,
                2.0 ** rng.uniform(bits - 4, bits + 4, 16) * unit * rng.choice([-1, 1], 16),
                [0.0, -0.0],
            ]
        ).astype(real)
    return x[np.isfinite(x)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_exactly_rounded(real: Any, mode: str) -> None:
    rng = np.random.default_rng(6)
    for decimals in DECIMALS:
        x = numbers(real, decimals, rng)
        found = suanzi.round(suanzi.tensor(x), decimals, mode=mode).numpy()
        for a, y in zip(x, found, strict=True):
            expected = nearest(chosen(Fraction(float(a)), decimals, mode), a)
            assert y == expected, (a, decimals, y, expected)
            assert np.signbit(y) == np.signbit(a)


@pytest.mark.parametrize("mode", MODES)
def test_halves(mode: str) -> None:
    x = np.arange(0, 0x7C00, 7, dtype=np.uint16).view(np.float16)
    for decimals in (1, 2, 3, 5, -1, -2):
        found = suanzi.round(suanzi.tensor(x), decimals, mode=mode).numpy()
        expected = [chosen(Fraction(float(a)), decimals, mode) for a in x]
        kept = [e <= 65504 for e in expected]
        assert found[kept].tolist() == [nearest(e, a) for a, e in zip(x, expected, strict=True) if e <= 65504]


def test_examples() -> None:
    x = suanzi.tensor(np.array([2.675, 1.005, 0.285, -2.675, 0.29, 1e22, np.inf, -np.inf]))
    assert suanzi.round(x, 2).tolist() == [2.67, 1.0, 0.28, -2.67, 0.29, 1e22, np.inf, -np.inf]
    assert suanzi.round(x[:5], 2, mode="floor").tolist() == [2.67, 1.0, 0.28, -2.68, 0.28]
    assert np.isnan(suanzi.round(suanzi.tensor([np.nan]), 2).numpy()).all()
    assert suanzi.round(suanzi.tensor([1.675 - 2.675j], dtype="complex128"), 2).item() == 1.68 - 2.67j


@pytest.mark.parametrize("decimals", [{}, [], "", 0.0, False, np.array([1, 2])], ids=repr)
def test_round_of_python_reads_the_decimals(decimals: Any) -> None:
    x = suanzi.tensor([1.26])
    with fails(TypeMismatchError, "round"):
        round(x, decimals)
    assert round(x).tolist() == round(x, None).tolist() == round(x, 0).tolist() == [1]
    assert round(x, 1).tolist() == suanzi.tensor([1.3]).tolist()
