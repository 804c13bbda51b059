"""The error bounds that mathematical functions state, for their records, docstrings and tests.

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

    def describe(self) -> list[str]:
        """The lines of a docstring's Accuracy section."""
        return [
            f"At most {self.float32} ulp in float32 and {self.float64} ulp in float64;",
            "correctly rounded in float16 and bfloat16;",
            f"{self.complex64} ulp of the modulus in complex64 and {self.complex128} in complex128.",
        ]


FUNCTION = Bound(float32=0.6, float64=1.0, complex64=1.0, complex128=8.0)
ROOT = Bound(float32=0.5, float64=0.5, complex64=1.0, complex128=4.0)
