"""erf, erfc and gelu are correctly rounded for types up to float32, and accurate to one or two ulps in float64.

The C library's float64 function computes an expected result if all values within the function's error bound round to
the same number. mpmath computes the other expected results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import mpmath
import numpy as np
import pytest

import suanzi
from suanzi import Tensor, extras

ROOT_HALF = math.sqrt(0.5)
Array = Any


class Reference(NamedTuple):
    ours: Callable[[Tensor], Tensor]
    quick: Callable[[float], float]  # a function with a relative error below 2**-44
    exact: Callable[[Any], Any]
    bound: float  # error bound for float64, in ulp


def _gelu(x: Any) -> Any:
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


FUNCTIONS = {
    "erf": Reference(extras.erf, math.erf, mpmath.erf, 1),
    "erfc": Reference(extras.erfc, math.erfc, mpmath.erfc, 1),
    "gelu": Reference(extras.gelu, lambda x: x * math.erfc(-x * ROOT_HALF) / 2, _gelu, 2),
}
# For each type: the number of bits of the significand, the exponent of the least denormal, and the unsigned type of
# equal size.
TYPES: dict[str, tuple[int, int, Any]] = {
    "float16": (11, -24, np.uint16),
    "bfloat16": (8, -133, np.uint16),
    "float32": (24, -149, np.uint32),
}


def rounded(x: Any, name: str) -> float:
    """Round a number of mpmath to the nearest value of a type, ties to even."""
    precision, least, _ = TYPES[name]
    if not x:
        return 0.0
    unit = max(int(mpmath.frexp(x)[1]) - precision, least)
    return float(mpmath.ldexp(mpmath.nint(mpmath.ldexp(x, -unit)), unit))


def correctly_rounded(name: str, x: Array, dtype: str) -> Array:
    """Return a function's results for finite `x`, correctly rounded to `dtype`, as a float64 array."""
    function, (precision, least, _) = FUNCTIONS[name], TYPES[dtype]
    quick = np.array([function.quick(v) for v in x.astype(np.float64).tolist()])
    unit = np.ldexp(1.0, np.maximum(np.frexp(quick)[1] - precision, least))
    low, high = (np.rint(quick * (1 + error) / unit) * unit for error in (-(2.0**-44), 2.0**-44))
    # A result of 0 in float64 may come from a product that underflowed, or have the wrong sign.
    with mpmath.workprec(200):
        for i in np.flatnonzero((low != high) | (np.abs(quick) < 2.0**-1000)):
            low[i] = math.copysign(rounded(function.exact(mpmath.mpf(float(x[i]))), dtype), quick[i])
    return low


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_correct_rounding(name: str, dtype: str) -> None:
    """Functions are correctly rounded for all values of a 16-bit type, and for the tested float32 numbers.

    The float32 numbers are random, or near the ends of the intervals of the approximations.
    """
    numpy_type = suanzi.as_dtype(dtype).numpy
    if dtype == "float32":
        rng = np.random.default_rng(11)
        edges = np.float32([0.8125, 3.92, 3.93, 3.95, 9.19, 10.06, 10.25, 12.9, 14.2, 14.75, 2.0**-63, 2.0**-126])
        near = (edges.view(np.uint32)[:, None] + np.arange(-40, 40)).astype(np.uint32).view(np.float32).ravel()
        drawn = rng.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
        x = np.concatenate([drawn, near, -near, rng.normal(0, 3, 40_000).astype(np.float32)])
    else:
        x = np.arange(2**16, dtype=np.uint16).view(numpy_type)
    with np.errstate(invalid="ignore"):  # NumPy warns about signalling NaNs
        x = x[np.isfinite(x)]
    found = FUNCTIONS[name].ours(suanzi.tensor(x)).numpy()
    expected = correctly_rounded(name, x, dtype).astype(np.float32).astype(numpy_type)
    bits = TYPES[dtype][2]
    wrong = np.flatnonzero(found.view(bits) != expected.view(bits))
    assert not len(wrong), f"{name}({x[wrong[0]]!r}) is {found[wrong[0]]!r}, not {expected[wrong[0]]!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ties_below_the_normal_numbers(name: str) -> None:
    """Denormals are correctly rounded.

    Half of an odd denormal is midway between two floats, so `gelu` needs a second term.
    """
    x = np.arange(200, dtype=np.uint32).view(np.float32)
    x = np.concatenate([x, -x])
    found = FUNCTIONS[name].ours(suanzi.tensor(x)).numpy()
    with mpmath.workprec(400):
        exact = [rounded(FUNCTIONS[name].exact(mpmath.mpf(float(v))), "float32") for v in x]
    expected = np.float32(exact)
    if name != "erfc":  # results that are 0 have the signs of their operands
        expected = np.copysign(expected, x)
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64(name: str) -> None:
    function, rng = FUNCTIONS[name], np.random.default_rng(13)
    small = rng.choice([-1.0, 1.0], 500) * 2.0 ** -rng.uniform(0, 60, 500)
    x = np.concatenate([rng.uniform(-7, 7, 1500), rng.uniform(-30, 30, 500), rng.uniform(0.7, 1.2, 500), small])
    found = function.ours(suanzi.tensor(x)).tolist()
    with mpmath.workprec(200):
        for v, y in zip(x.tolist(), found, strict=True):
            exact = function.exact(mpmath.mpf(v))
            unit = mpmath.ldexp(1, max(int(mpmath.frexp(exact)[1]) - 53, -1074))
            assert abs(y - exact) <= function.bound * unit, f"{name}({v!r}) is {y!r}"


@pytest.mark.parametrize("dtype", [*TYPES, "float64"])
def test_zeros(dtype: str) -> None:
    x = suanzi.tensor([0.0, -0.0], dtype=dtype)
    for name in ("erf", "gelu"):
        found = FUNCTIONS[name].ours(x).tolist()
        assert [(v, math.copysign(1, v)) for v in found] == [(0, 1), (0, -1)]
    assert extras.erfc(x).tolist() == [1, 1]


def test_where_float64_vanishes() -> None:
    x = suanzi.tensor([26.5, 27.2, 27.3, 1e300, math.inf], dtype="float64")
    found = extras.erfc(x).tolist()
    assert found[:2] == pytest.approx([math.erfc(26.5), math.erfc(27.2)], rel=1e-12, abs=5e-324)
    assert found[2:] == [0, 0, 0]
    low = extras.gelu(suanzi.negative(suanzi.tensor([38.0, 39.0, 1e300, math.inf], dtype="float64"))).tolist()
    assert low[0] == pytest.approx(-38 * math.erfc(38 * ROOT_HALF) / 2, rel=1e-9)
    assert [(v, math.copysign(1, v)) for v in low[1:]] == [(0, -1)] * 3
    assert extras.gelu(suanzi.tensor([1e300, math.inf], dtype="float64")).tolist() == [1e300, math.inf]


def test_layouts_and_integers() -> None:
    """The functions accept strided operands, other layouts, bools and bfloat16."""
    a = np.random.default_rng(17).normal(0, 2, (40, 60)).astype(np.float32)
    x = suanzi.tensor(a)
    for function in FUNCTIONS.values():
        whole = function.ours(x).numpy()
        assert (function.ours(x[::3, ::-7]).numpy() == whole[::3, ::-7]).all()
        assert (function.ours(suanzi.tensor(a, layout=(0, 1))).numpy() == whole).all()
        assert function.ours(suanzi.tensor([True, False])).tolist() == function.ours(suanzi.tensor([1.0, 0.0])).tolist()
        half = a.astype(ml_dtypes.bfloat16)
        assert function.ours(suanzi.tensor(half)).dtype is suanzi.bfloat16
