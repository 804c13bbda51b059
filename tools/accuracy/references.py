"""The references for measuring the mathematical functions, and the unit of the measurement.

The references are NumPy's float64 functions (within 4 ulp, a relative error of 2**-50) or functions of the C library.
MPFR is the reference where these functions cannot decide. No reference shares code with suanzi. points.py chooses the
inputs, and accuracy.py runs the measurement.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np

Array = Any

MPFR_PRECISION = 96
"""The number of bits of a reference result. The last bit is 2**-43 ulp of a float64."""

NUMPY_ERROR = 2.0**-50
"""The bound of the relative error of NumPy's float64 functions."""


@dataclass(frozen=True)
class Format:
    """A binary floating-point type."""

    name: str
    dtype: Any
    bits: Any  # the unsigned integer type of the same width
    precision: int
    least: int  # 2**least is the smallest denormal
    limit: int  # 2**limit is the first power of two out of range

    def round(self, x: Array) -> Array:
        """Round float64 values to the type, to nearest, ties to even."""
        if self.dtype is not ml_dtypes.bfloat16:
            return x.astype(self.dtype)
        # ml_dtypes converts through float32, which would round twice.
        spacing = np.ldexp(1.0, self.spacing_exponent(x))
        return (np.rint(x / spacing) * spacing).astype(np.float32).astype(self.dtype)

    def spacing_exponent(self, x: Array) -> Array:
        """Return the exponent of one ulp at ``x``. Denormals have the spacing of the smallest normal number."""
        exponent = np.frexp(x)[1] - self.precision
        return np.clip(exponent, self.least, self.limit - self.precision)


FORMATS = {
    f.name: f
    for f in (
        Format("float16", np.float16, np.uint16, 11, -24, 16),
        Format("bfloat16", ml_dtypes.bfloat16, np.uint16, 8, -133, 128),
        Format("float32", np.float32, np.uint32, 24, -149, 128),
        Format("float64", np.float64, np.uint64, 53, -1074, 1024),
    )
}


@dataclass(frozen=True)
class Reference:
    """The two references of a function: NumPy's float64 function, and MPFR's function."""

    numpy: Callable[..., Array]
    mpfr: Callable[..., Any]
    arity: int = 1
    error: float = NUMPY_ERROR  # bound of the relative error in float64


def of_c(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """Make a function of arrays from a function of the C library."""
    return np.vectorize(function, otypes=[np.float64])


REFERENCES = {
    "sin": Reference(np.sin, gmpy2.sin),
    "cos": Reference(np.cos, gmpy2.cos),
    "tan": Reference(np.tan, gmpy2.tan),
    "asin": Reference(np.arcsin, gmpy2.asin),
    "acos": Reference(np.arccos, gmpy2.acos),
    "atan": Reference(np.arctan, gmpy2.atan),
    "atan2": Reference(np.arctan2, gmpy2.atan2, arity=2),
    "sinh": Reference(np.sinh, gmpy2.sinh),
    "cosh": Reference(np.cosh, gmpy2.cosh),
    "tanh": Reference(np.tanh, gmpy2.tanh),
    "asinh": Reference(np.arcsinh, gmpy2.asinh),
    "acosh": Reference(np.arccosh, gmpy2.acosh),
    "atanh": Reference(np.arctanh, gmpy2.atanh),
    "exp": Reference(np.exp, gmpy2.exp),
    "expm1": Reference(np.expm1, gmpy2.expm1),
    "log": Reference(np.log, gmpy2.log),
    "log1p": Reference(np.log1p, gmpy2.log1p),
    "log10": Reference(np.log10, gmpy2.log10),
    "log2": Reference(np.log2, gmpy2.log2),
    "erf": Reference(of_c(math.erf), gmpy2.erf),
    "erfc": Reference(of_c(math.erfc), gmpy2.erfc, error=2.0**-49),
    "pow": Reference(np.power, lambda x, y: gmpy2.mpfr(x) ** y, arity=2),
    "sqrt": Reference(np.sqrt, gmpy2.sqrt),
    "rsqrt": Reference(lambda x: 1 / np.sqrt(x), gmpy2.rec_sqrt),
    "reciprocal": Reference(lambda x: 1 / x, lambda x: 1 / gmpy2.mpfr(x)),
}


def prepare() -> None:
    """Set up MPFR in this process."""
    gmpy2.get_context().precision = MPFR_PRECISION


def errors(name: str, operands: Sequence[Array], ours: Array, form: Format) -> Array:
    """Return the errors of ``ours`` in ulp against MPFR. A wrong NaN, infinity or sign of zero has an infinite error.

    One ulp is the spacing of the type at the exact result. A result that overflows counts as the first power of two out
    of range, unless the exact result rounds to infinity too.
    """
    exact = list(map(REFERENCES[name].mpfr, *(x.astype(np.float64).tolist() for x in operands)))
    leading = np.array(list(map(float, exact)))
    ours = ours.astype(np.float64)
    found = np.empty(len(ours))
    regular = np.isfinite(ours) & np.isfinite(leading) & (leading != 0)
    found[regular] = _regular_errors(list(compress(exact, regular)), ours[regular], form)
    for i in np.flatnonzero(~regular):
        found[i] = _special_error(exact[i], float(ours[i]), form)
    found[(ours == 0) & (np.signbit(ours) != np.signbit(leading))] = np.inf
    return found


@lru_cache
def units(form: Format) -> list[Any]:
    """Return every spacing of a type, beginning with the spacing of its denormals."""
    return [gmpy2.exp2(e) for e in range(form.least, form.limit - form.precision + 1)]


def _regular_errors(exact: list[Any], ours: Array, form: Format) -> Array:
    # `map` processes the lists, because a loop in Python would triple the time for ten million points.
    exponents = np.array(list(map(gmpy2.get_exp, exact)), np.int64) - form.precision
    least, most = form.least, form.limit - form.precision
    spacings = map(units(form).__getitem__, (np.clip(exponents, least, most) - least).tolist())
    distances = map(operator.sub, exact, ours.tolist())
    return np.abs(np.array(list(map(float, map(operator.truediv, distances, spacings)))))


def _special_error(exact: Any, ours: float, form: Format) -> float:
    if gmpy2.is_nan(exact) or np.isnan(ours):
        return 0.0 if gmpy2.is_nan(exact) and np.isnan(ours) else np.inf
    limit, unit = gmpy2.exp2(form.limit), gmpy2.exp2(form.limit - form.precision)
    if np.isinf(ours):
        if gmpy2.is_infinite(exact) or abs(exact) >= limit - unit / 2:
            return 0.0 if ours * gmpy2.sign(exact) > 0 else np.inf
        return float((limit - exact * gmpy2.sign(gmpy2.mpfr(ours))) / unit)
    if abs(exact) < 1:
        unit = gmpy2.exp2(form.least)
    return float(abs(exact - ours) / unit)


def roundings(name: str, operands: Sequence[Array], form: Format) -> tuple[Array, Array, Array]:
    """Return NumPy's float64 results, and both ends of the results' error intervals, rounded to a type.

    If the two rounded values agree, the agreed value is the correctly rounded result.
    """
    with np.errstate(all="ignore"):
        reference = REFERENCES[name]
        wide = reference.numpy(*(x.astype(np.float64) for x in operands))
        return wide, form.round(wide * (1 - reference.error)), form.round(wide * (1 + reference.error))


def estimates(wide: Array, ours: Array, form: Format) -> Array:
    """Return the errors of ``ours`` in ulp against float64 results, right to 2**-20 ulp for types up to float32."""
    limit = 2.0**form.limit
    with np.errstate(all="ignore"):
        finite = np.clip(ours.astype(np.float64), -limit, limit)
        found = np.abs(finite - wide) / np.ldexp(1.0, form.spacing_exponent(wide))
    found[np.isnan(found) | ((ours == 0) & (np.signbit(ours) != np.signbit(wide)))] = np.inf
    return found


def is_odd(x: Array, form: Format) -> Array:
    """Return True for each number whose last bit is set. If the exact result is a tie, a result whose last bit is set
    is wrong.
    """
    return (x.view(form.bits) & 1).astype(bool)
