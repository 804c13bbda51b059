"""The element types as the checks know them: by name and NumPy type, with their own promotion.

Nothing here asks the library, so that an error there cannot hide itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: its kind, and for floating ones the format of IEEE 754."""

    name: str
    kind: str  # B bool, U unsigned and S signed integer, F floating, C complex
    bits: int
    precision: int = 0  # binary digits of the significand
    least_exponent: int = 0  # of normal numbers
    greatest_exponent: int = 0

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy type; ml_dtypes is imported for bfloat16 only."""
        return _numpy_type(self.name)

    @property
    def accepted_as(self) -> str:
        """The letter by which the registry accepts it."""
        return "I" if self.kind in "US" else self.kind


@cache
def _numpy_type(name: str) -> np.dtype[Any]:
    if name == "bfloat16":
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    return np.dtype(name)


ELEMENT_TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        ElementType("bool", "B", 1),
        *(ElementType(f"uint{bits}", "U", bits) for bits in (8, 16, 32, 64)),
        *(ElementType(f"int{bits}", "S", bits) for bits in (8, 16, 32, 64)),
        ElementType("float16", "F", 16, 11, -14, 15),
        ElementType("bfloat16", "F", 16, 8, -126, 127),
        ElementType("float32", "F", 32, 24, -126, 127),
        ElementType("float64", "F", 64, 53, -1022, 1023),
        ElementType("complex64", "C", 64, 24, -126, 127),
        ElementType("complex128", "C", 128, 53, -1022, 1023),
    )
}


def promote(a: str, b: str) -> str | None:
    """The common type of two operands, None where there is none: the array API's lattice,
    with a floating operand deciding over an integer one."""
    if a == b:
        return a
    low, high = sorted((ELEMENT_TYPES[a], ELEMENT_TYPES[b]), key=lambda t: "BUSFC".index(t.kind))
    if low.kind == "B" or (low.kind in "US" and high.kind in "FC"):
        return high.name
    if low.kind == high.kind:
        if low.bits == high.bits:  # float16 with bfloat16
            return "float32"
        return max(low, high, key=lambda t: t.bits).name
    if low.kind == "U":  # with a signed type: the least signed type that holds both
        bits = max(high.bits, 2 * low.bits)
        return f"int{bits}" if bits <= 64 else None
    return "complex128" if "float64" in (a, b) else high.name


def floating(name: str) -> str:
    """The type in which a mathematical function computes: float32 for integers and bool."""
    return "float32" if ELEMENT_TYPES[name].kind in "BUS" else name


def real_part(name: str) -> str:
    """The type of a complex type's parts; any other type itself."""
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def complex_of(name: str) -> str:
    """The complex type of two parts of this type."""
    return "complex128" if name == "float64" else "complex64"
