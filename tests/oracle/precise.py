"""The rules of the conformance kit, in which mpmath, not the C library, computes functions of complex numbers.

mpmath has no signed zeros, so NumPy's long double functions compute values on branch cuts (`on_the_cut`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np

from suanzi.conformance.oracle import rules
from suanzi.conformance.oracle.element_types import EXTENDED, Array
from suanzi.conformance.oracle.rules import Rule

_BITS = 200
_SAME_NAME = "sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p"

# The mathematical functions of one number, real or complex.
BY_MPMATH: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(mpmath, name) for name in _SAME_NAME.split()},
    "log10": lambda z: mpmath.log(z) / mpmath.log(10),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "reciprocal": lambda z: 1 / z,
}


def to_mpmath(x: Any) -> Any:
    """Convert a long double to an mpf exactly."""
    mantissa, exponent = np.frexp(x)
    high = float(mantissa)
    return mpmath.ldexp(mpmath.mpf(high) + mpmath.mpf(float(mantissa - EXTENDED(high))), int(exponent))


def from_mpmath(x: Any) -> Any:
    """Convert an mpf to a long double. The first 64 bits or more are right."""
    if not mpmath.isfinite(x):
        return EXTENDED(float(x))
    mantissa, exponent = mpmath.frexp(x)
    high = float(mantissa)
    value = EXTENDED(high) + EXTENDED(float(mantissa - high))
    with np.errstate(over="ignore"):
        return np.ldexp(value, max(-20000, min(20000, int(exponent))))


def by_mpmath(f: Callable[..., Any]) -> Callable[..., Array]:
    """Return a function of complex long double arrays that calls mpmath's function `f` for each element."""

    def apply(*operands: Array) -> Array:
        arrays = np.broadcast_arrays(*operands)
        out = np.empty(arrays[0].shape, np.clongdouble)
        with mpmath.workprec(_BITS):
            for i in np.ndindex(out.shape):
                z = f(*(mpmath.mpc(to_mpmath(a[i].real), to_mpmath(a[i].imag)) for a in arrays))
                out.real[i], out.imag[i] = from_mpmath(z.real), from_mpmath(z.imag)
        return out

    return apply


def on_the_cut(name: str) -> Callable[[Array], Array]:
    """Return NumPy's function, which selects the side of a branch cut by the sign of a zero."""
    renamed = name.replace("asin", "arcsin").replace("acos", "arccos").replace("atan", "arctan")
    function: Callable[[Array], Array] = getattr(np, renamed)
    return function


def _precisely(rule: Rule) -> Rule:
    function = {**BY_MPMATH, "pow": operator.pow}.get(rule.name)
    return replace(rule, by_kind={**rule.by_kind, "C": by_mpmath(function)}) if function else rule


RULES: dict[str, Rule] = {name: _precisely(rule) for name, rule in rules.RULES.items()}
