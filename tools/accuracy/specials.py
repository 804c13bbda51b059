"""The values of the mathematical functions at zeros, infinities and NaN, by C (ISO/IEC 9899:2018, annex F.10).

rsqrt is IEEE 754-2019's rSqrt (table 9.1). The sign of a zero counts. The sign and the payload of a NaN do not count.
"""

from __future__ import annotations

import math

import numpy as np
from functions import function_of
from references import Array, Format

import suanzi

INPUTS = (0.0, -0.0, math.inf, -math.inf, math.nan)

RESULTS = {
    "sin": "0 -0 nan nan",
    "cos": "1 1 nan nan",
    "tan": "0 -0 nan nan",
    "asin": "0 -0 nan nan",
    "acos": "pi/2 pi/2 nan nan",
    "atan": "0 -0 pi/2 -pi/2",
    "sinh": "0 -0 inf -inf",
    "cosh": "1 1 inf inf",
    "tanh": "0 -0 1 -1",
    "asinh": "0 -0 inf -inf",
    "acosh": "nan nan inf nan",
    "atanh": "0 -0 nan nan",
    "exp": "1 1 inf 0",
    "expm1": "0 -0 inf -1",
    "log": "-inf -inf inf nan",
    "log1p": "0 -0 inf nan",
    "log10": "-inf -inf inf nan",
    "log2": "-inf -inf inf nan",
    "erf": "0 -0 1 -1",
    "erfc": "1 1 0 2",
    "sqrt": "0 -0 inf nan",
    "rsqrt": "inf -inf 0 nan",
    "reciprocal": "inf -inf 0 -0",
}
"""The results for INPUTS. The result for NaN is NaN."""

POLES = """
asin 1.5 nan; asin -1.5 nan; acos 1.5 nan; acos 1 0; acosh 1 0; acosh -1 nan; atanh 1 inf; atanh -1 -inf
atanh 1.5 nan; log 1 0; log -1 nan; log10 1 0; log10 -1 nan; log2 1 0; log2 -1 nan; log1p -1 -inf; log1p -1.5 nan
sqrt -1 nan; rsqrt -1 nan
pow 0 -3 inf; pow -0 -3 -inf; pow 0 -2 inf; pow -0 -2 inf; pow -0 -inf inf; pow 0 3 0; pow -0 3 -0; pow -0 2 0
pow -0 0.5 0; pow -0 -0.5 inf; pow -1 inf 1; pow -1 -inf 1; pow 1 nan 1; pow nan 0 1; pow nan -0 1; pow 0 0 1
pow inf 0 1; pow -2 0.5 nan; pow 0.5 -inf inf; pow 2 -inf 0; pow 0.5 inf 0; pow -2 inf inf; pow -inf -3 -0
pow -inf -2 0; pow -inf 3 -inf; pow -inf 2 inf; pow -inf 0.5 inf; pow inf -1 0; pow inf 1 inf; pow nan 1 nan
pow 2 nan nan; pow nan nan nan; pow 1 inf 1; pow -2 3 -8; pow -2 -1 -0.5
atan2 0 -0 pi; atan2 -0 -0 -pi; atan2 0 0 0; atan2 -0 0 -0; atan2 0 -1 pi; atan2 -0 -1 -pi; atan2 0 1 0
atan2 -0 1 -0; atan2 -1 0 -pi/2; atan2 -1 -0 -pi/2; atan2 1 0 pi/2; atan2 1 -0 pi/2; atan2 1 -inf pi
atan2 -1 -inf -pi; atan2 1 inf 0; atan2 -1 inf -0; atan2 inf 1 pi/2; atan2 -inf 1 -pi/2; atan2 inf -inf 3pi/4
atan2 -inf -inf -3pi/4; atan2 inf inf pi/4; atan2 -inf inf -pi/4; atan2 nan 1 nan; atan2 1 nan nan
"""
"""Each entry has a function, its operands and its result. The entries are for the functions of two operands, and for
the poles and the ends of the domains of the other functions."""


def number(text: str) -> float:
    """Return the number that a text such as ``-3pi/4`` or ``0.5`` means."""
    if "pi" not in text:
        return float(text)
    factor, divisor = text.split("pi")
    return float(f"{factor}1" if factor in ("", "-") else factor) * math.pi / float(divisor[1:] or 1)


def table() -> list[tuple[str, list[float], float]]:
    """Return the function, the operands and the result of every case that the standards state."""
    cases = []
    for name, results in RESULTS.items():
        cases += [(name, [x], number(r)) for x, r in zip(INPUTS, [*results.split(), "nan"], strict=True)]
    for case in POLES.replace("\n", ";").split(";"):
        if case.strip():
            name, *values = case.split()
            cases.append((name, [number(v) for v in values[:-1]], number(values[-1])))
    return cases


def failures(name: str, form: Format) -> list[str]:
    """Return a message for each stated case in which a function does not return the stated result in a type."""
    found = []
    for case, operands, result in table():
        if case != name:
            continue
        ours = function_of(name)(*(of_type(x, form) for x in operands)).numpy()
        expected = form.round(np.array([result]))
        if not same(ours, expected, form):
            arguments = ", ".join(f"{x:g}" for x in operands)
            found.append(f"{name}({arguments}) is {ours[0]} in {form.name}, not {expected[0]}")
    return found


def of_type(x: float, form: Format) -> suanzi.Tensor:
    # The operands fill several vectors, so that vector code computes the results, and not only code for the remainder.
    return suanzi.tensor(np.full(64, x).astype(form.dtype))


def same(ours: Array, expected: Array, form: Format) -> bool:
    if np.isnan(expected[0]):
        return bool(np.isnan(ours).all())
    return bool((ours.view(form.bits) == expected.view(form.bits)).all())
