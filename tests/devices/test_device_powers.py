"""`pow` of complex numbers returns the same bits on a device as on the CPU, also for zeros and infinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from placing import assert_same, here, sz, there

pytestmark = pytest.mark.one_level

ENDS = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, -3.0, 0.5, 1e-310, 1e300]


def drawn(*scales: float, count: int = 500) -> list[Any]:
    """Draw one array of complex numbers for each scale."""
    rng = np.random.default_rng(1)
    return [(rng.normal(size=count) + 1j * rng.normal(size=count)) * scale for scale in scales]


def whole(count: int = 500) -> Any:
    return np.random.default_rng(2).integers(-70, 71, count) + 0j


def assert_bits(z: Any, w: Any) -> None:
    x, y = sz.tensor(z), sz.tensor(w)
    assert_same(here(sz.pow(there(x), there(y))), sz.pow(x, y))


def test_powers_have_the_bits_of_the_cpu() -> None:
    z, w = drawn(1.0, 5.0)
    assert_bits(z, w)
    assert_bits(z * 10.0 ** np.random.default_rng(3).integers(-300, 300, 500), w / 10)
    assert_bits(z / np.abs(z) * (1 + 1e-9 * w.real), w * 1e5)  # bases next to the unit circle
    assert_bits(z, w * 1e60)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_whole_powers(dtype: Any) -> None:
    (z,) = drawn(1.0)
    assert_bits(z.astype(dtype), whole().astype(dtype))
    x = there(sz.tensor(np.array([1j, 1 + 1j, -2.0]).astype(dtype)))
    assert (x**2).tolist() == [-1 + 0j, 2j, 4 + 0j]
    assert (x**-1).tolist() == [-1j, 0.5 - 0.5j, -0.5 - 0j]


def test_zeros_infinities_and_what_is_undefined() -> None:
    """Results equal the CPU's results, except for the signs of zeros, which the CPU's compiler chooses."""
    parts = np.array([complex(a, b) for a in ENDS for b in ENDS])
    z, w = (x.ravel() for x in np.meshgrid(parts, parts))
    x, y = sz.tensor(z), sz.tensor(w)
    assert np.array_equal(here(sz.pow(there(x), there(y))).numpy(), sz.pow(x, y).numpy(), equal_nan=True)
    assert_bits(z[:0], w[:0])


def test_operands_that_broadcast() -> None:
    z, w = drawn(1.0, 2.0, count=12)
    assert_bits(z.reshape(3, 1, 4), w[:4])
    assert_bits(z.reshape(3, 4).T, w.reshape(4, 3))
