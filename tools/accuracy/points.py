"""The inputs of the measurement: the whole range, and the places where functions are hard to compute.

Each kind of point is a small function of a generator, a count and a type. A table has the kinds of each function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import gmpy2
import numpy as np
from references import REFERENCES, Format

Array = Any
Kind = Callable[[np.random.Generator, int, Format], Array]


def signs(rng: np.random.Generator, n: int) -> Array:
    return rng.choice([-1.0, 1.0], n)


def magnitudes(rng: np.random.Generator, n: int, form: Format) -> Array:
    """Draw positive numbers whose logarithms are uniform. About a tenth of the numbers are denormal."""
    smallest_normal = form.least + form.precision - 1
    exponents = rng.integers(smallest_normal, form.limit, n)
    normal = np.ldexp(rng.uniform(1, 2, n), exponents)
    bits = rng.uniform(0, form.precision - 1, n)
    return np.where(rng.random(n) < 0.1, np.ldexp(np.ceil(2.0**bits), form.least), normal)


def whole_range(rng: np.random.Generator, n: int, form: Format) -> Array:
    return magnitudes(rng, n, form) * signs(rng, n)


def uniform(low: float, high: float) -> Kind:
    return lambda rng, n, form: rng.uniform(low, high, n)


def near(*centres: float) -> Kind:
    """Return a kind of points at relative distances down to one ulp from a centre, or of small numbers around 0."""

    def draw(rng: np.random.Generator, n: int, form: Format) -> Array:
        centre = rng.choice(centres, n)
        offset = signs(rng, n) * 2.0 ** -rng.uniform(1, form.precision, n)
        return np.where(centre == 0, offset, centre * (1 + offset))

    return draw


def edges(*centres: float) -> Kind:
    """Return a kind of points within 1 of the centres, at which results overflow, underflow or become denormal."""
    return lambda rng, n, form: rng.choice(centres, n) + rng.uniform(-1, 1, n)


def multiples(rng: np.random.Generator, n: int, form: Format) -> Array:
    """Draw neighbours of small and large multiples of pi/2."""
    k = np.floor(2.0 ** rng.uniform(0, form.precision, n))
    return k * (np.pi / 2) * (1 + rng.integers(-2, 3, n) * 2.0**-form.precision) * signs(rng, n)


@lru_cache
def closest_multiples(form: Format) -> Array:
    """Return the numbers of a type that are closest to a multiple of pi/2, for each exponent.

    The number m 2**e is close to a multiple n pi/2 if n / m is a convergent of the continued fraction of 2**e * 2 / pi.
    """
    with gmpy2.context(precision=2400):
        scaled = gmpy2.mpz(gmpy2.rint(2 / gmpy2.const_pi() * gmpy2.exp2(2300)))
    found = []
    for e in range(1 - form.precision, form.limit - form.precision + 1):
        a, b = scaled << max(e, 0), gmpy2.mpz(1) << (2300 + max(-e, 0))
        before, m = 1, 0
        while b and m < 2**form.precision:
            if m:
                found.append(np.ldexp(float(m), e))
            quotient, remainder = divmod(a, b)
            a, b = b, remainder
            before, m = m, int(quotient) * m + before
    return np.unique(found)


def hardest_multiples(rng: np.random.Generator, n: int, form: Format) -> Array:
    return rng.choice(closest_multiples(form), n) * signs(rng, n)


def positive(kind: Kind) -> Kind:
    return lambda rng, n, form: np.abs(kind(rng, n, form))


PERIODIC = (
    whole_range, uniform(-10, 10), uniform(-1e6, 1e6), near(0), multiples, hardest_multiples,
)  # fmt: skip
EXPONENTIAL = (
    positive(near(0)), near(0), uniform(-1, 1), uniform(-10, 10), uniform(-746, 711),
    edges(709.78, -708.4, -745.1, 710.47, -36.7, 36.7), whole_range,
)  # fmt: skip
LOGARITHM = (
    magnitudes, near(1), uniform(0, 3), near(2, 0.5, 10, 2**0.5, 0.5**0.5), uniform(0, 1000),
)  # fmt: skip
ON_UNIT = (uniform(-1, 1), near(0), near(1, -1), near(0.5, -0.5, 0.5**0.5), whole_range)
ODD = (whole_range, near(0), near(1, -1), uniform(-1, 1), uniform(-20, 20), near(0.5, 2, -2))

KINDS: dict[str, tuple[Kind, ...]] = {
    **dict.fromkeys(("sin", "cos", "tan"), PERIODIC),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh"), EXPONENTIAL),
    **dict.fromkeys(("log", "log2", "log10"), LOGARITHM),
    **dict.fromkeys(("asin", "acos", "atanh"), ON_UNIT),
    **dict.fromkeys(("atan", "asinh", "tanh"), ODD),
    "erf": ODD,
    "erfc": (whole_range, near(0), uniform(-1, 1), uniform(-7, 28), near(0.8125), edges(26.54, 27.2)),
    "log1p": (magnitudes, near(0), near(-1), uniform(-1, 3), whole_range),
    "acosh": (magnitudes, near(1), uniform(1, 3), near(2, 1.5), uniform(1, 1000)),
    "sqrt": (magnitudes, uniform(0, 4), near(1, 4)),
    "rsqrt": (magnitudes, uniform(0, 4), near(1, 4)),
    "reciprocal": (whole_range, uniform(-4, 4), near(1, -2)),
}


def power_pairs(rng: np.random.Generator, n: int, form: Format) -> tuple[Array, Array]:
    """Draw bases (in the whole range, near one, or below 10) and exponents, whose powers fill or exceed the range."""
    base = np.choose(
        rng.integers(0, 3, n),
        [magnitudes(rng, n, form), np.abs(near(1)(rng, n, form)), rng.uniform(0, 10, n)],
    )
    logarithms = np.choose(
        rng.integers(0, 3, n),
        [
            rng.uniform(form.least - 2, form.limit + 1, n),
            signs(rng, n) * 2.0 ** rng.uniform(-form.precision, 5, n),
            rng.choice([form.least, form.least + form.precision, form.limit], n) + rng.uniform(-1, 1, n),
        ],
    )
    with np.errstate(all="ignore"):
        exponent = logarithms / np.log2(base)
    # Whole and half exponents lead to exact results, to roots, and to results for negative bases.
    whole = rng.random(n) < 0.2
    exponent = np.where(whole, np.rint(exponent * 2) / 2, exponent)
    integral = np.rint(exponent) == exponent
    return np.where(integral, base * signs(rng, n), base), exponent


def angle_pairs(rng: np.random.Generator, n: int, form: Format) -> tuple[Array, Array]:
    """Draw points (x, y) in the whole plane, some of them on lines whose slope is near 0, 1, -1 or infinity."""
    x = np.where(rng.random(n) < 0.5, whole_range(rng, n, form), rng.uniform(-10, 10, n))
    slope = np.choose(
        rng.integers(0, 4, n),
        [
            whole_range(rng, n, form),
            near(1, -1)(rng, n, form),
            near(0)(rng, n, form),
            rng.uniform(-4, 4, n),
        ],
    )
    with np.errstate(all="ignore"):
        return x * slope, x


PAIRS = {"pow": power_pairs, "atan2": angle_pairs}


def operands(name: str, rng: np.random.Generator, n: int, form: Format) -> list[Array]:
    """Return ``n`` points of a function, equally many of each kind, without the points that specials.py lists."""
    spare = n // 8 + 8
    if REFERENCES[name].arity == 2:
        drawn = PAIRS[name](rng, n + spare, form)
    else:
        share = (n + spare) // len(KINDS[name])
        drawn = (rng.permutation(np.concatenate([kind(rng, share, form) for kind in KINDS[name]])),)
    with np.errstate(all="ignore"):
        rounded = [form.round(x) for x in drawn]
    ordinary = np.flatnonzero(np.logical_and.reduce([np.isfinite(x) & (x != 0) for x in rounded]))
    return [x[ordinary[:n]] for x in rounded]
