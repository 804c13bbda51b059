"""Tests of nextafter, hypot, logaddexp, copysign and signbit, for which the elementwise tests have no rules."""

from __future__ import annotations

import ml_dtypes
import mpmath
import numpy as np
import pytest

import suanzi

INF, NAN = float("inf"), float("nan")
TYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64}


def every_half(name: str) -> np.ndarray:
    return np.arange(2**16, dtype=np.uint16).view(TYPES[name])


def neighbours(x: np.ndarray, up: bool) -> np.ndarray:
    """Return the next greater (`up`) or next smaller number of each half, by the order of the bit patterns."""
    bits = x.view(np.uint16).astype(np.int64)
    place = np.where(bits & 0x8000, -(bits & 0x7FFF), bits) + (1 if up else -1)
    sign = np.where(place == 0, bits & 0x8000, np.where(place < 0, 0x8000, 0))
    return (np.abs(place) | sign).astype(np.uint16).view(x.dtype)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_the_neighbours_of_every_half(name: str) -> None:
    x = every_half(name)
    with np.errstate(invalid="ignore"):
        x = x[np.isfinite(x)]
    for up in (True, False):
        found = suanzi.nextafter(suanzi.tensor(x), INF if up else -INF).numpy()
        np.testing.assert_array_equal(found.view(np.uint16), neighbours(x, up).view(np.uint16))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_neighbours(name: str) -> None:
    info, rng = np.finfo(name), np.random.default_rng(7)
    tiny, most = info.smallest_subnormal, info.max
    special = [0.0, -0.0, tiny, -tiny, 1, -1, most, -most, INF, -INF, NAN, info.smallest_normal, 0.5]
    a = np.concatenate([np.repeat(special, len(special)), rng.normal(size=99)]).astype(name)
    b = np.concatenate([np.tile(special, len(special)), rng.normal(size=99)]).astype(name)
    found = suanzi.nextafter(suanzi.tensor(a), suanzi.tensor(b)).numpy()
    with np.errstate(over="ignore"):
        wanted = np.nextafter(a, b)
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("name", TYPES)
def test_signs_of_zeros_and_nans(name: str) -> None:
    x = np.array([0.0, -0.0, 1, -1, INF, -INF, NAN, np.copysign(NAN, -1.0)]).astype(TYPES[name])
    negative = [False, True] * 4
    assert suanzi.signbit(suanzi.tensor(x)).tolist() == negative
    turned = suanzi.copysign(suanzi.tensor(x), suanzi.tensor(x[::-1].copy())).numpy()
    assert np.signbit(turned).tolist() == negative[::-1]
    np.testing.assert_array_equal(np.abs(turned).astype(float), np.abs(x).astype(float))


def ulps(found: float, exact: mpmath.mpf) -> float:
    """Return the distance of a number from the exact value, in units in the last place of float64."""
    return float(abs(mpmath.mpf(found) - exact) / np.spacing(abs(float(exact))))


def test_hypot_in_float64_over_its_whole_range() -> None:
    rng = np.random.default_rng(11)
    sizes = rng.integers(-1074, 1023, 400)
    a = rng.uniform(1, 2, 400) * 2.0**sizes
    b = rng.uniform(1, 2, 400) * 2.0 ** np.clip(sizes + rng.integers(-40, 40, 400), -1074, 1022)
    found = suanzi.hypot(suanzi.tensor(a), suanzi.tensor(-b)).numpy()
    with mpmath.workprec(300):
        exact = [mpmath.sqrt(mpmath.mpf(x) ** 2 + mpmath.mpf(y) ** 2) for x, y in zip(a, b, strict=True)]
        worst = max(ulps(f, e) for f, e in zip(found, exact, strict=True) if np.isfinite(f))
        assert worst < 0.52
        assert all(np.isfinite(f) == (e < mpmath.mpf(2) ** 1024) for f, e in zip(found, exact, strict=True))


@pytest.mark.parametrize("name", TYPES)
def test_hypot_of_special_numbers(name: str) -> None:
    a = np.array([0.0, -0.0, INF, NAN, -INF, NAN, 0.0, NAN, 3]).astype(TYPES[name])
    b = np.array([-0.0, -0.0, NAN, -INF, 1, 1, NAN, 0.0, 4]).astype(TYPES[name])
    found = suanzi.hypot(suanzi.tensor(a), suanzi.tensor(b)).numpy().astype(float)
    np.testing.assert_array_equal(found, [0, 0, INF, INF, INF, NAN, NAN, NAN, 5])
    assert not np.signbit(found[:2]).any()


@pytest.mark.parametrize("name", TYPES)
def test_logaddexp_of_special_numbers(name: str) -> None:
    a = np.array([INF, INF, -INF, -INF, NAN, NAN, 5, 1000]).astype(TYPES[name])
    b = np.array([INF, -INF, -INF, 5, 1, -INF, NAN, -1000]).astype(TYPES[name])
    found = suanzi.logaddexp(suanzi.tensor(a), suanzi.tensor(b)).numpy().astype(float)
    np.testing.assert_array_equal(found, [INF, INF, -INF, 5, NAN, NAN, NAN, a[-1].astype(float)])


def test_logaddexp_in_float64() -> None:
    rng = np.random.default_rng(5)
    a = np.concatenate([rng.uniform(-700, 700, 200), rng.uniform(-2, 2, 200)])
    b = a + rng.uniform(-40, 40, 400)
    found = suanzi.logaddexp(suanzi.tensor(a), suanzi.tensor(b)).numpy()
    with mpmath.workprec(2000):
        exact = [mpmath.log(mpmath.exp(mpmath.mpf(x)) + mpmath.exp(mpmath.mpf(y))) for x, y in zip(a, b, strict=True)]
        unit = np.spacing(np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs([float(e) for e in exact])))
        errors = [abs(mpmath.mpf(f) - e) for f, e in zip(found, exact, strict=True)]
        assert max(float(e / mpmath.mpf(u)) for e, u in zip(errors, unit, strict=True)) < 2
