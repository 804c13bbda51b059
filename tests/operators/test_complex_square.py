"""Both parts of a complex square are right to two units in the last place, wherever the parts are representable.

The oracle is exact, because it computes the parts in rational arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import suanzi


def rounded(exact: Fraction, real: Any) -> Any:
    """Return the number of a type that is nearest to a fraction, or infinity beyond the type's range."""
    limit = Fraction(float(np.finfo(real).max)) * (1 + Fraction(1, 2 ** (np.finfo(real).nmant + 2)))
    return real(float(exact)) if abs(exact) < limit else real(np.copysign(np.inf, float(exact > 0) - 0.5))


def parts(real: Any) -> Any:
    """Make real and imaginary parts: random parts of every size, and parts whose squares overflow, vanish or cancel."""
    rng = np.random.default_rng(1)
    exponents = rng.uniform(np.finfo(real).minexp / 2, np.finfo(real).maxexp - 1, 400)
    spread = (rng.uniform(-1, 1, 400) * 2.0**exponents).astype(real)
    extreme = np.array([0, 1, -1, 1e19, -1e19, 1e20, 3e20, np.finfo(real).max, -np.finfo(real).max], real)
    near = np.nextafter(extreme, real(0))
    a = np.concatenate([spread, np.repeat(extreme, len(extreme)), extreme, spread])
    b = np.concatenate([spread[::-1], np.tile(extreme, len(extreme)), near, np.nextafter(spread, real(1))])
    return a, b


@pytest.mark.parametrize(("name", "real"), [("complex64", np.float32), ("complex128", np.float64)])
@pytest.mark.parametrize("call", [suanzi.square, lambda z: suanzi.pow(z, 2), lambda z: z**2])
def test_both_parts(call: Any, name: str, real: Any) -> None:
    a, b = parts(real)
    z = np.empty(len(a), name)
    z.real, z.imag = a, b
    found = call(suanzi.tensor(z)).numpy()
    for re, im, x, y in zip(
        found.real, found.imag, map(Fraction, map(float, a)), map(Fraction, map(float, b)), strict=True
    ):
        for part, exact in ((re, (x - y) * (x + y)), (im, 2 * x * y)):
            expected = rounded(exact, real)
            if np.isinf(expected) or np.isinf(part):
                top = np.finfo(real).max
                assert part == expected or min(abs(part), abs(expected)) >= top * real(1 - 4 * np.finfo(real).eps)
            else:
                assert abs(Fraction(float(part)) - exact) <= 2 * Fraction(float(np.spacing(abs(expected))))


def test_what_is_not_finite_stays_so() -> None:
    for z in (complex("inf"), complex("nan"), complex(0, float("inf"))):
        assert not np.isfinite(suanzi.square(suanzi.tensor([z])).numpy()).any()
