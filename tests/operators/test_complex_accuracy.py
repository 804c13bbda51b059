"""Tests of complex powers, exponentials and roots of unity where plain float64 arithmetic loses digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpc

import suanzi

pytestmark = pytest.mark.one_level
COUNT = 300
RNG = np.random.default_rng(43)


def uniform(low: float, high: float) -> Any:
    return RNG.uniform(low, high, COUNT)


def plane(radius: float) -> Any:
    return uniform(-radius, radius) + 1j * uniform(-radius, radius)


NEAR_CIRCLE = np.exp(1j * uniform(-3.14, 3.14)) * (1 + uniform(-1e-8, 1e-8))
POWERS = {
    "moderate": (plane(3), plane(5)),
    "near the unit circle, large exponents": (NEAR_CIRCLE, uniform(-1e6, 1e6) + 1j * uniform(-50, 50)),
    "near 1, huge exponents": (1 + plane(1e-12), plane(1e12)),
    "whole exponents": (plane(4), RNG.integers(-64, 65, COUNT) + 0j),
    "whole exponents, large numbers": (plane(4) * 1e100, RNG.integers(-3, 4, COUNT) + 0j),
    "negative numbers": (-np.abs(plane(9)) + 0j, uniform(-9, 9) + 0j),
    "small numbers": (plane(1e-200), uniform(-1.4, 1.4) + 0j),
}


@pytest.mark.parametrize("case", POWERS)
def test_powers_are_off_by_one_unit_at_most(case: str) -> None:
    z, w = POWERS[case]
    found = suanzi.pow(suanzi.tensor(z), suanzi.tensor(w)).numpy()
    with mp.workprec(400):
        for base, exponent, x in zip(z, w, found, strict=True):
            exact = mpc(base) ** mpc(exponent)
            assert abs(mpc(x) - exact) <= abs(exact) * 2.0**-53 * 1.1, (base, exponent)


@pytest.mark.parametrize("bits", [7, 16, 30, 45, 50])
def test_whole_powers_near_the_unit_circle(bits: int) -> None:
    z = np.exp(1j * uniform(-3.14, 3.14)) * (1 + uniform(-1, 1) * 2.0**-bits)
    w = RNG.integers(2 ** (bits - 1), 2**bits, COUNT) * RNG.choice([-1, 1], COUNT)
    found = suanzi.pow(suanzi.tensor(z), suanzi.tensor(w + 0j)).numpy()
    with mp.workprec(400):
        for base, exponent, x in zip(z, w, found, strict=True):
            exact = mpc(base) ** int(exponent)
            assert abs(mpc(x) - exact) <= abs(exact) * 2.0**-53 * 4, (base, exponent)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_units_are_exact(dtype: str) -> None:
    units, exponents = np.array([1j, -1, -1j, 1]), 2.0 ** np.arange(2, 63)
    for exponent in exponents:
        found = suanzi.pow(suanzi.tensor(units, dtype=dtype), suanzi.tensor([exponent], dtype=dtype))
        assert found.tolist() == [1, 1, 1, 1]
    assert suanzi.pow(suanzi.tensor([1j], dtype="complex128"), 2.0**52 + 1).tolist() == [1j]
    assert suanzi.pow(suanzi.tensor([1e-300 + 0j], dtype="complex128"), 2.0**62).tolist() == [0]


def test_exponentials_less_one_of_large_angles_and_of_tiny_numbers() -> None:
    z = np.array([3.5233931401597855e61j, 2.483833413954437e17j, -2.9426e-313 + 3.1699e-310j, 1e-20j, 1e-301 + 1e-301j])
    found = suanzi.expm1(suanzi.tensor(z)).numpy()
    with mp.workprec(600):
        for number, x in zip(z, found, strict=True):
            exact = mp.expm1(mpc(number))
            assert abs(mpc(x) - exact) <= abs(exact) * 2.0**-51, number


@pytest.mark.parametrize("exponent", [2.0, 3.0, -1.0, 0.5])
def test_powers_of_positive_numbers_are_positive(exponent: float) -> None:
    found = suanzi.pow(suanzi.tensor([2 + 0j], dtype="complex128"), exponent).numpy()[0]
    assert found.imag == 0
    assert math.copysign(1, found.imag) == 1


def test_exponentials_less_one_lose_nothing_where_the_real_part_vanishes() -> None:
    # Numbers along the curve e^x cos y = 1, and next to 0.
    y = uniform(-1.5, 1.5)
    for z in (-np.log(np.cos(y)) + 1j * y, -np.log(np.cos(y)) + 1j * (y + 2e3 * np.pi), plane(1e-9)):
        found = suanzi.expm1(suanzi.tensor(z)).numpy()
        with mp.workprec(400):
            for at, x in zip(z, found, strict=True):
                exact = mp.exp(mpc(at)) - 1
                assert abs(x.real - exact.real) <= abs(exact.real) * 2.0**-52 + abs(exact) * 2.0**-64, at


@pytest.mark.parametrize("n", [7, 11, 16, 1009])
def test_transforms_of_an_impulse_are_roots_of_unity(n: int) -> None:
    impulse = np.zeros(n, np.complex128)
    impulse[1] = 1
    found = suanzi.fft.fft(suanzi.tensor(impulse)).numpy()
    with mp.workprec(200):
        exact = [mp.exp(-2j * mp.pi * k / n) for k in range(n)]
    assert max(float(abs(mpc(x) - e)) for x, e in zip(found, exact, strict=True)) <= 2.0**-53 * (1 if n < 100 else 16)
