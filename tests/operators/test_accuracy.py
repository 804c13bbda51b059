"""The mathematical functions keep the stated error bounds, for all 16-bit floats and for samples of the wider types.

The tests are a quick subset. `tools/accuracy` has the exhaustive check of float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import suanzi
from layouts import check
from oracle.precise import BY_MPMATH, RULES, by_mpmath, from_mpmath, to_mpmath
from oracle.values import generator
from suanzi.conformance.oracle.compare import Expected
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, EXTENDED, Array, ElementType, exact, round_to, typed
from suanzi.operators.registry import records

STATED = {record.name: record.accuracy for record in records() if record.accuracy}
UNARY = sorted(BY_MPMATH)
BINARY = ["atan2", "pow"]
HALVES = [ELEMENT_TYPES["float16"], ELEMENT_TYPES["bfloat16"]]
WIDE = [ELEMENT_TYPES["float32"], ELEMENT_TYPES["float64"]]
COMPLEX = [ELEMENT_TYPES["complex64"], ELEMENT_TYPES["complex128"]]
COUNTS = {"float32": 100_000, "float64": 20_000}


def _named(values: Any) -> dict[str, Any]:
    return {"argvalues": values, "ids": lambda f: f.name}


def test_every_function_states_its_bounds() -> None:
    assert set(STATED) == {*UNARY, *BINARY}
    for name, bound in STATED.items():
        for t in (*WIDE, *COMPLEX):
            assert bound.of(t.name) <= getattr(RULES[name].bounds, t.name), f"{name} of {t.name}"
        assert bound.float32 == 0.5, name
        assert bound.float64 <= 1, name


def _reference(name: str, *operands: Array) -> Array:
    """Compute the function in long double, which has 11 bits more than float64."""
    with np.errstate(all="ignore"):
        return np.asarray(RULES[name].by_kind["F"](*map(exact, operands)))


# --- float16 and bfloat16: correctly rounded, without exception ---


@pytest.mark.parametrize("f", **_named(HALVES))
@pytest.mark.parametrize("name", UNARY)
def test_every_half(name: str, f: ElementType) -> None:
    x = np.arange(2**16, dtype=np.uint16).view(f.numpy)
    expected = Expected(f, round_to(_reference(name, x), f))
    check(getattr(suanzi, name)(suanzi.tensor(x)), expected, [x], f"{name} of every {f.name}")


@pytest.mark.parametrize("f", **_named(HALVES))
@pytest.mark.parametrize("name", BINARY)
def test_pairs_of_halves(name: str, f: ElementType) -> None:
    rng = generator("halves", name)
    x, y = rng.integers(0, 2**16, (2, 100_000)).astype(np.uint16).view(f.numpy)
    near = typed(round_to(rng.uniform(-8, 8, (2, 100_000)).astype(EXTENDED), f), f)
    for a, b in ((x, y), (near[0], near[1]), (x, near[1])):
        expected = Expected(f, round_to(_reference(name, a, b), f))
        result = getattr(suanzi, name)(suanzi.tensor(a), suanzi.tensor(b))
        check(result, expected, [a, b], f"{name} of {f.name}")


# --- float32 and float64: samples of all magnitudes, and the hard ranges ---


def _bit_patterns(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    whole = rng.integers(0, 2**f.bits, count, dtype=f"uint{f.bits}")
    return whole.view(f.numpy)


def _near_quarter_turns(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    """Make angles near multiples of a quarter turn. The reduction of these angles cancels most digits."""
    turns = np.rint(np.ldexp(EXTENDED(1), rng.integers(0, f.precision + 20, count)) * rng.uniform(1, 2, count))
    quarter = EXTENDED(2) * np.arctan(EXTENDED(1))
    return typed(round_to(turns * quarter, f), f)


def _near_one(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    step = np.ldexp(rng.uniform(1, 2, count), rng.integers(-f.precision - 1, 0, count)).astype(EXTENDED)
    return typed(round_to((1 + rng.choice([-1, 1], count) * step) * rng.choice([-1, 1], count), f), f)


def _around_the_ends_of_exp(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    end = 0.6932 * (f.greatest + f.precision + 2)
    values = rng.uniform(-end, end, count)
    values[: count // 4] = 0.6931471805599453 * (f.greatest + 1) + rng.uniform(-0.01, 0.01, count // 4)
    return values.astype(f.numpy)


def _small(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    size = np.ldexp(rng.uniform(1, 2, count), rng.integers(-2 * f.precision, 3, count))
    return (size * rng.choice([-1, 1], count)).astype(f.numpy)


def _denormal(f: ElementType, count: int, rng: np.random.Generator) -> Array:
    size = rng.integers(0, 2 ** (f.precision - 1), count).astype(EXTENDED)
    return typed(np.ldexp(size, f.least - f.precision + 1) * rng.choice([-1, 1], count), f)


RANGES: list[Callable[[ElementType, int, np.random.Generator], Array]] = [
    _bit_patterns,
    _near_quarter_turns,
    _near_one,
    _around_the_ends_of_exp,
    _small,
    _denormal,
]


def _sample(f: ElementType, count: int) -> Array:
    rng = generator("sample", f.name)
    parts = [of_range(f, count // len(RANGES), rng) for of_range in RANGES]
    powers = [np.ldexp(1.0, np.arange(f.least, f.greatest)), 10.0 ** np.arange(-30, 30)]
    return np.concatenate([*parts, *(p.astype(f.numpy) for p in powers)])


@pytest.mark.parametrize("f", **_named(WIDE))
@pytest.mark.parametrize("name", UNARY)
def test_sample(name: str, f: ElementType) -> None:
    x = _sample(f, COUNTS[f.name])
    expected = Expected(f, _reference(name, x), _bound(name, f))
    check(getattr(suanzi, name)(suanzi.tensor(x)), expected, [x], f"{name} of {f.name}")


def _bound(name: str, f: ElementType) -> float:
    """Return the stated error bound of a function for a type, plus a margin for the rounding of the reference."""
    return STATED[name].of(f.name) + 0.001


def _pairs(f: ElementType, count: int) -> list[tuple[Array, Array]]:
    """Make pairs of arrays (bases and exponents). Some of the powers overflow or underflow."""
    rng = generator("pairs", f.name)
    base = np.abs(_bit_patterns(f, count, rng))
    with np.errstate(all="ignore"):
        logarithm = np.log2(base.astype(np.float64))
        exponent = (rng.uniform(-1.01, 1.01, count) * f.greatest / logarithm).astype(f.numpy)
        near = np.abs(_near_one(f, count, rng))
        large = (rng.uniform(-f.greatest, f.greatest, count) / np.log2(near.astype(np.float64))).astype(f.numpy)
    whole = rng.integers(-40, 40, count).astype(f.numpy)
    ends = rng.choice([f.least, f.least + 1, f.greatest - 2, f.greatest - 1], count)
    at_the_ends = np.ldexp(rng.uniform(1, 1.99, count), ends).astype(f.numpy)
    return [
        (base, exponent),
        (near, large),
        (_small(f, count, rng), whole),
        (_bit_patterns(f, count, rng), _bit_patterns(f, count, rng)),
        (_small(f, count, rng), _small(f, count, rng)),
        (_denormal(f, count, rng), _small(f, count, rng)),
        (at_the_ends, rng.uniform(-1, 1, count).astype(f.numpy)),
    ]


@pytest.mark.parametrize("f", **_named(WIDE))
@pytest.mark.parametrize("name", BINARY)
def test_sample_of_pairs(name: str, f: ElementType) -> None:
    for x, y in _pairs(f, COUNTS[f.name] // 6):
        expected = Expected(f, _reference(name, x, y), _bound(name, f))
        result = getattr(suanzi, name)(suanzi.tensor(x), suanzi.tensor(y))
        check(result, expected, [x, y], f"{name} of {f.name}")


# --- float64 and complex against mpmath ---


def _exactly(f: Callable[..., Any], *operands: Array) -> tuple[Array, Array]:
    """Compute `f` of each element by mpmath. Return the values, and a mask of the elements whose values are real."""
    out = np.full(operands[0].shape, np.nan, EXTENDED)
    with mpmath.workprec(160):
        for i, items in enumerate(zip(*(exact(x) for x in operands), strict=True)):
            value = f(*map(to_mpmath, items))
            if isinstance(value, mpmath.mpf):
                out[i] = from_mpmath(value)
    return out, ~np.isnan(out)


@pytest.mark.parametrize("name", UNARY)
def test_float64_by_mpmath(name: str) -> None:
    f = ELEMENT_TYPES["float64"]
    x = _sample(f, 600)[:600]
    x = x[np.isfinite(x) & (x != 0) & (np.abs(x) != 1)]
    values, real = _exactly(BY_MPMATH[name], x)
    assert real.sum() > 100
    expected = Expected(f, values[real], _bound(name, f))
    check(getattr(suanzi, name)(suanzi.tensor(x[real])), expected, [x[real]], f"{name} of float64")


@pytest.mark.parametrize("name", BINARY)
def test_float64_pairs_by_mpmath(name: str) -> None:
    f = ELEMENT_TYPES["float64"]
    function = {"pow": mpmath.power, "atan2": mpmath.atan2}[name]
    for x, y in _pairs(f, 100):
        taken = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
        taken &= np.isfinite(_reference(name, x, y))
        a, b = x[taken], y[taken]
        values, real = _exactly(function, a, b)
        a, b = a[real], b[real]
        expected = Expected(f, values[real], _bound(name, f))
        check(getattr(suanzi, name)(suanzi.tensor(a), suanzi.tensor(b)), expected, [a, b], f"{name} of float64")


@pytest.mark.parametrize("f", **_named(COMPLEX))
@pytest.mark.parametrize("name", UNARY)
def test_complex_by_mpmath(name: str, f: ElementType) -> None:
    rng = generator("complex", name)
    size = np.concatenate([10 ** rng.uniform(-6, 1.4, 200), 1 + rng.uniform(-1, 1, 50) / 1000])
    x = (size * np.exp(2j * np.pi * rng.random(250))).astype(f.numpy)
    values = by_mpmath(BY_MPMATH[name])(x.astype(np.clongdouble))
    expected = Expected(f, values, _bound(name, f))
    check(getattr(suanzi, name)(suanzi.tensor(x)), expected, [x], f"{name} of {f.name}")
