"""How a result is held against its reference: exactly, or in units in the last place (ulp)."""

from __future__ import annotations

import numpy as np

from suanzi.conformance.element_types import ELEMENT_TYPES, Array

# The reference carries 64 binary digits (x87 extended): it is itself off by some 2^-11 ulp of
# float64.
SLACK = 2.0**-10


def to_reference(x: Array) -> Array:
    """The same numbers in extended precision; integers and bools as they are."""
    if x.dtype.kind == "c":
        return x.astype(np.clongdouble)
    if x.dtype.name in ("float16", "bfloat16"):
        return x.astype(np.float32).astype(np.longdouble)
    return x.astype(np.longdouble) if x.dtype.kind == "f" else x


def unit(magnitude: Array, name: str) -> Array:
    """One unit in the last place of the type at a magnitude."""
    t = ELEMENT_TYPES[name]
    _, exponent = np.frexp(magnitude)
    last_place = np.maximum(exponent - 1, t.least_exponent) - t.precision + 1
    return np.asarray(np.ldexp(np.longdouble(1), last_place))


def ulp_error(actual: Array, reference: Array, name: str, magnitude: Array | None = None) -> Array:
    """The distance in ulp of the reference's magnitude or a given one; infinity for another kind.

    Overflow is judged as rounding is: infinity counts as the power of two that follows the
    largest number. A complex reference that may overflow asks for nothing.
    """
    t = ELEMENT_TYPES[name]
    x, ref = to_reference(actual), reference
    size = np.abs(ref) if magnitude is None else magnitude
    beyond = np.ldexp(np.longdouble(1), t.greatest_exponent + 1)
    if t.kind == "C":
        error = np.where(np.isfinite(x), np.abs(x - ref) / unit(size, name), np.inf)
        return np.where(np.abs(ref) < beyond / 2, error, 0.0)
    distance = np.abs(np.clip(x, -beyond, beyond) - np.clip(ref, -beyond, beyond))
    error = distance / unit(np.minimum(size, beyond), name)
    same_kind = (np.isnan(x) == np.isnan(ref)) & (~np.isinf(ref) | (x == ref))
    return np.where(same_kind, np.where(np.isnan(ref), 0.0, error), np.inf)


def mismatches(
    actual: Array,
    reference: Array,
    name: str,
    bound: float,
    magnitude: Array | None = None,
    signed_zero: bool = True,
) -> Array:
    """Where a result is not what the reference and the bound allow."""
    kind = ELEMENT_TYPES[name].kind
    if kind in "BUS":
        return np.asarray(actual != reference.astype(actual.dtype))
    with np.errstate(all="ignore"):
        wrong = ulp_error(actual, reference, name, magnitude) > bound + SLACK
        if signed_zero and kind == "F":
            # A result that is rounded before its end may lose its sign with its last digit.
            zero = (actual == 0) & (~np.isnan(reference) if magnitude is None else reference == 0)
            wrong |= zero & (np.signbit(to_reference(actual)) != np.signbit(reference))
    return np.asarray(wrong)
