"""Tests of products whose partial results leave the range of float64, and of the signs of zeros in max and min."""

from __future__ import annotations

import operator
from functools import reduce

import mpmath
import numpy as np
import pytest

import suanzi
from suanzi.conformance.oracle.element_types import Array

INF, NAN = float("inf"), float("nan")


def product_of(numbers: Array) -> complex:
    """Compute the product of all numbers with 300 bits and unlimited exponents."""
    with mpmath.workprec(300):
        return complex(reduce(operator.mul, [mpmath.mpmathify(complex(x)) for x in numbers.ravel()], mpmath.mpf(1)))


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_products_past_the_range_of_their_parts(name: str) -> None:
    """`prod` is right if its result is representable, even if a product of some of the factors is not representable."""
    rng = np.random.default_rng(7)
    reach = {"float16": 12, "float32": 120, "complex64": 120}.get(name, 900)
    for length in (3, 9, 64, 300, 9000):
        exponents = rng.uniform(-reach, reach, (3, length))
        exponents -= exponents.mean(1, keepdims=True)
        exponents[0].sort()  # factors that would let partial products underflow come first
        a = 2.0**exponents * rng.choice([-1, 1], exponents.shape)
        if name.startswith("complex"):
            a = a * np.exp(2j * np.pi * rng.random(a.shape))
        a = a.astype(name)
        a[2, 1] = 0
        expected = np.array([product_of(row) for row in a])
        expected = (expected if name.startswith("complex") else expected.real).astype(name)
        bound = (length * 2.0**-51 + np.finfo(name).eps) * np.abs(expected) + np.finfo(name).smallest_subnormal
        across = suanzi.tensor(np.ascontiguousarray(a.T))
        for found in (
            suanzi.prod(suanzi.tensor(a), axis=1),
            suanzi.prod(across, axis=0),
            suanzi.prod(across.T, axis=1),
            suanzi.prod(suanzi.tensor(np.repeat(a, 2, 1))[:, ::2], axis=1),
            suanzi.stack([suanzi.prod(suanzi.tensor(row)) for row in a]),
            suanzi.fuse(lambda x: suanzi.prod(x * 1, axis=1))(suanzi.tensor(a)),
        ):
            assert (np.abs(found.numpy().astype("c16") - expected) <= bound).all(), (name, length)


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("wild", [1.0, 2.0**-31, 2.0**31, 0.0, -INF, NAN])
def test_products_of_runs_of_factors(name: str, wild: float) -> None:
    """`prod` multiplies factors between 2^-30 and 2^30 in runs. Any other factor ends the run."""
    rng = np.random.default_rng(11)
    for length in (64, 127, 130, 1024, 1500, 5000):
        small = (2.0**-30 * rng.uniform(1, 1.001, length // 2)).astype(name)
        a = np.concatenate([small, 1 / small, np.ones(length % 2)]).astype(name)
        for place in (0, 31, length // 4 - 1, length // 2, length - 1):
            row = a.copy()
            row[place] *= wild
            expected = product_of(row).real if np.isfinite(wild) else wild
            x = suanzi.tensor(np.stack([row, row]))
            for found in (suanzi.prod(x, axis=1), suanzi.prod(suanzi.tensor(x.numpy().T.copy()), axis=0)):
                np.testing.assert_allclose(
                    found.numpy(), np.full(2, expected), rtol=length * 2.0**-51 + np.finfo(name).eps
                )


def test_products_that_leave_the_range() -> None:
    for scale, expected in ((1e-3, 0.0), (1e3, INF)):
        for shape in ((20_000,), (700, 30), (3, 9000)):
            x = suanzi.tensor(np.full(shape, scale) * np.where(np.arange(shape[-1]) == 0, -1, 1))
            for axis in (None, *range(x.ndim)):
                with np.errstate(all="ignore"):
                    wanted = np.prod(x.numpy(), axis=axis)
                found = suanzi.prod(x, axis=axis).numpy()
                assert np.signbit(found).tolist() == np.signbit(wanted).tolist()
                np.testing.assert_allclose(found, wanted, rtol=1e-12)
        assert abs(suanzi.prod(suanzi.full(500, scale, dtype="float64")).item()) == expected
    assert suanzi.prod(suanzi.tensor(np.array([1e300, 1e-300] * 8))).item() == 1
    assert np.isnan(suanzi.prod(suanzi.tensor([0.0, INF])).item())
    assert np.isnan(suanzi.prod(suanzi.tensor(np.array([1e300] * 9 + [0.0, NAN]))).item())
    assert suanzi.prod(suanzi.tensor(np.array([1e300] * 9 + [0.0]))).item() == 0


def test_partial_products_that_lose_digits() -> None:
    """`prod` keeps all digits even if the product of the first two factors is subnormal, like the square of 1e-160."""
    x = np.array([1e-160, 1e-160, 1e300, 1.0])
    assert suanzi.prod(suanzi.tensor(x)).item() == pytest.approx(1e-20, rel=1e-14)
    assert suanzi.prod(suanzi.tensor(np.tile(x, (40, 1))), axis=1).numpy() == pytest.approx(1e-20, rel=1e-14)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_the_greater_of_zeros_is_positive(name: str) -> None:
    """The maximum of zeros of both signs is +0 for `max` as for `maximum`, in any order and along any axis."""
    rng = np.random.default_rng(3)
    dtype = suanzi.as_dtype(name).numpy
    for length in (2, 3, 5, 9, 40, 5000):
        for other in (0.0, 1.0, -1.0):
            a = np.where(rng.random((4, length)) < 0.5, 0.0, -0.0)
            a[rng.random(a.shape) < 0.3] += other
            a[0] = -0.0
            a = a.astype(dtype)
            for fold, pair in ((suanzi.max, suanzi.maximum), (suanzi.min, suanzi.minimum)):
                columns = [suanzi.tensor(np.ascontiguousarray(column)) for column in a.T]
                expected = reduce(pair, columns).numpy().astype("f4")
                x, across = suanzi.tensor(a), suanzi.tensor(np.ascontiguousarray(a.T))
                for found in (fold(x, axis=1), fold(across, axis=0), fold(across[::-1], axis=0), fold(x[:, ::-1], 1)):
                    values = found.numpy().astype("f4")
                    assert values.tolist() == expected.tolist()
                    assert np.signbit(values).tolist() == np.signbit(expected).tolist()
                whole = fold(x).item()
                wanted = reduce(pair, [suanzi.tensor(v) for v in expected]).item()
                assert (whole, np.signbit(whole)) == (wanted, np.signbit(wanted))
