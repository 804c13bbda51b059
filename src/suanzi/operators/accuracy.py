"""The stated error bounds of the mathematical functions, for docstrings, conformance and tests.

How the bounds are established is the business of benchmarks/ and docs/.
"""

from __future__ import annotations

from typing import NamedTuple


class Bound(NamedTuple):
    """Largest error in units in the last place; float16 and bfloat16 results are correctly rounded.

    The error of a complex result is the distance in the plane, its unit taken at the modulus.
    """

    float32: float
    float64: float
    complex64: float
    complex128: float

    def of(self, element_type: str) -> float:
        """The bound for an element type of 32 bits or more, by name."""
        return float(getattr(self, element_type))


_FUNCTIONS = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "expm1", "log", "log1p", "log10", "log2", "pow", "rsqrt"),
)

ACCURACY: dict[str, Bound] = {
    **dict.fromkeys(_FUNCTIONS, Bound(float32=0.6, float64=1.0, complex64=1.0, complex128=8.0)),
    "sqrt": Bound(float32=0.5, float64=0.5, complex64=1.0, complex128=4.0),
    "reciprocal": Bound(float32=0.5, float64=0.5, complex64=1.0, complex128=4.0),
}


def describe(name: str) -> list[str]:
    """The lines of a docstring's Accuracy section."""
    bound = ACCURACY[name]
    return [
        f"At most {bound.float32} ulp in float32 and {bound.float64} ulp in float64;",
        "correctly rounded in float16 and bfloat16;",
        f"{bound.complex64} ulp of the modulus in complex64 and {bound.complex128} in complex128.",
    ]
