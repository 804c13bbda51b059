"""Whether a result is what the oracle expects, and what to say where it is not."""

from __future__ import annotations

import numpy as np

from oracle.elementwise import Expected
from oracle.formats import EXTENDED, Array, error_in_ulp, exact, format_of, ulp


def errors(result: Array, expected: Expected) -> Array:
    """The error of each element: in ulp where the type has such, else 0 or infinity."""
    f = expected.format
    values = exact(result)
    if f.kind in "BUS":
        return np.where(values == expected.values, 0.0, np.inf)
    with np.errstate(all="ignore"):
        if f.kind == "C":
            return _complex_errors(values, expected)
        error = error_in_ulp(values, expected.values, f)
        if expected.signed_zero:
            wrong = (values == 0) & (np.signbit(values) != np.signbit(expected.values))
            error = np.where(wrong, np.inf, error)
        if expected.alternative is not None:
            same = values == expected.alternative
            same |= np.isnan(values) & np.isnan(expected.alternative)
            error = np.where(same, 0.0, error)
        return np.asarray(error)


def _complex_errors(values: Array, expected: Expected) -> Array:
    """The distance in the plane, in ulp of the modulus or of what the rule measures by.

    Parts that are infinite or NaN count where only one side is.
    """
    reference = expected.values
    differences, sizes = [], []
    for value, wanted in ((values.real, reference.real), (values.imag, reference.imag)):
        same = (value == wanted) | (np.isnan(value) & np.isnan(wanted))
        differences.append(np.where(same, 0, np.abs(value - wanted)))
        sizes.append(np.where(np.isfinite(wanted), wanted, 0))
    size = np.hypot(*sizes)
    if expected.magnitude is not None:
        size = np.fmax(size, expected.magnitude)
    error = np.hypot(*differences) / ulp(size, expected.format)
    # Past the end of the range infinities and NaN come about in more than one right way.
    overflowed = (size >= np.ldexp(EXTENDED(1), expected.format.greatest)) & ~np.isfinite(values)
    error = np.where(overflowed, 0.0, error)
    return np.asarray(np.where(np.isnan(error), np.inf, error))


def complaint(result: Array, expected: Expected, operands: list[Array]) -> str:
    """What is wrong with a result, empty where nothing is."""
    if format_of(result) is not expected.format:
        return f"element type {result.dtype} instead of {expected.format.name}"
    if result.shape != expected.values.shape:
        return f"shape {result.shape} instead of {expected.values.shape}"
    error = errors(result, expected)
    wrong = np.argwhere(~(error <= expected.bound))
    if not len(wrong):
        return ""
    shown = [np.broadcast_to(x, result.shape) for x in operands]
    bound = np.broadcast_to(expected.bound, result.shape)
    lines = [f"{len(wrong)} of {result.size} elements are wrong"]
    for at in map(tuple, wrong[:5]):
        inputs = ", ".join(repr(x[at]) for x in shown)
        size = f"error {float(error[at]):.4g} ulp, allowed {float(bound[at]):.4g}"
        lines.append(f"  at {at}: f({inputs}) = {result[at]!r}, not {expected.values[at]!r} ({size})")
    return "\n".join(lines)
