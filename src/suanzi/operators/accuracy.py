"""The stated error bounds of mathematical functions, for records, docstrings and tests.

The programs in tools/accuracy establish the bounds.
"""

from __future__ import annotations

from typing import NamedTuple


class Bound(NamedTuple):
    """The largest error of a function's float64 and complex results, in units in the last place.

    Results in float16, bfloat16 and float32 are correctly rounded. The error of a complex result is the distance from
    the exact value in the complex plane, in units in the last place of the modulus.
    """

    float64: float
    complex64: float
    complex128: float
    float32: float = 0.5

    def of(self, element_type: str) -> float:
        """Return the bound for the named element type, which has 32 bits or more."""
        return float(getattr(self, element_type))

    def describe(self) -> list[str]:
        """Return the lines of a docstring's Accuracy section."""
        return [
            "Correctly rounded in float16, bfloat16 and float32, with the same bits on every machine;",
            f"at most {self.float64} ulp in float64;",
            f"{self.complex64} ulp of the modulus in complex64 and {self.complex128} in complex128.",
        ]


FUNCTION = Bound(float64=1.0, complex64=1.0, complex128=8.0)
ROOT = Bound(float64=0.5, complex64=1.0, complex128=4.0)
