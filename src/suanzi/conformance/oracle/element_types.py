"""The element types: exact values of elements, rounding to a type, promotion, and units in the last place (ulp).

An exact value is a bool, a Python int, a long double or a complex long double, depending on the kind of the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:  # without ml_dtypes, bfloat16 is not tested
    bfloat16 = None

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
EXTENDED = np.longdouble
_SPARE_DIGITS = 11  # the number of digits that an 80-bit long double has beyond the digits of float64


@dataclass(frozen=True, slots=True, repr=False)
class ElementType:
    """An element type. The last three fields describe floating types and the parts of complex types."""

    name: str
    kind: str  # B bool, U unsigned and S signed integer, F floating, C complex, T text
    bits: int
    precision: int = 0  # binary digits of the significand
    least: int = 0  # the exponent of the least normal number, 2**least
    greatest: int = 0  # the exponent of the greatest binade

    def __repr__(self) -> str:
        return self.name

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy type."""
        if self.kind == "T":
            return np.dtype(str)
        return np.dtype(bfloat16 if self.name == "bfloat16" else self.name)

    @property
    def letter(self) -> str:
        """The letter of the kind in lists of accepted types such as "BIFC"."""
        return {"U": "I", "S": "I", "T": "S"}.get(self.kind, self.kind)

    @property
    def range(self) -> tuple[int, int]:
        """Return the least and the greatest integer of an integer type."""
        return (0, 2**self.bits - 1) if self.kind == "U" else (-(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1)


ELEMENT_TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        ElementType("bool", "B", 8),
        *(ElementType(f"uint{bits}", "U", bits) for bits in (8, 16, 32, 64)),
        *(ElementType(f"int{bits}", "S", bits) for bits in (8, 16, 32, 64)),
        ElementType("float16", "F", 16, 11, -14, 15),
        ElementType("bfloat16", "F", 16, 8, -126, 127),
        ElementType("float32", "F", 32, 24, -126, 127),
        ElementType("float64", "F", 64, 53, -1022, 1023),
        ElementType("complex64", "C", 64, 24, -126, 127),
        ElementType("complex128", "C", 128, 53, -1022, 1023),
    )
    if bfloat16 is not None or t.name != "bfloat16"
}


STRING = ElementType("string", "T", 0)
"""The element type of strings, which only operators that move or compare elements accept."""

_BY_DTYPE = {t.numpy: t for t in ELEMENT_TYPES.values()}


def type_of(array: Array) -> ElementType:
    """Return the element type of a NumPy array."""
    return STRING if array.dtype.kind == "U" else _BY_DTYPE[array.dtype]


def digits() -> int:
    """Return the binary digits of a long double: 64 or 113, or 53 on Apple's processors and on Windows."""
    return int(np.finfo(EXTENDED).nmant) + 1


def too_wide() -> frozenset[str]:
    """Return the types for which this machine's long doubles cannot compute expected values.

    Exact integers must fit a long double, and floating values need spare digits beyond the digits of the type.
    """
    wide = (t for t in ELEMENT_TYPES.values() if (t.precision + _SPARE_DIGITS if t.precision else t.bits) > digits())
    return frozenset(t.name for t in wide)


def exact(array: Array) -> Array:
    """Return the exact values of a typed array."""
    kind = type_of(array).kind
    if kind == "B":
        return array
    if kind in "US":
        return array.astype(object)
    if kind == "C":
        return array.astype(np.clongdouble)
    with np.errstate(invalid="ignore"):  # NumPy warns about conversions of signalling NaNs
        wide = array.astype(np.float32) if array.dtype.name == "bfloat16" else array
        return wide.astype(EXTENDED)


def as_extended(values: Array) -> Array:
    """Return exact bools or integers as long doubles, which represent 64-bit integers exactly. Other values are
    unchanged.
    """
    return values.astype(EXTENDED) if values.dtype == object or values.dtype == bool else values


def convert(values: Array, t: ElementType) -> Array:
    """Convert exact values of any kind to exact values of a type, rounded once. Integers wrap."""
    if t.kind == "B":
        return np.asarray(values != 0, bool)
    if t.kind in "US":
        low, _ = t.range
        return np.asarray((np.asarray(values.astype(object)) * 1 - low) % 2**t.bits + low, object)
    values = as_extended(values)
    if t.kind == "F":
        return round_to(values, t)
    out = np.empty(values.shape, np.clongdouble)
    out.real = round_to(values.real, t)
    out.imag = round_to(values.imag, t) if np.iscomplexobj(values) else 0
    return out


def round_to(values: Array, t: ElementType) -> Array:
    """Round long doubles to the nearest number of a floating type, ties to even, as long doubles."""
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        last = np.maximum(exponent - t.precision, t.least - t.precision + 1)
        rounded = np.ldexp(np.rint(np.ldexp(values, -last)), last)
        bound = np.ldexp(EXTENDED(1), t.greatest + 1)
        rounded = np.where(np.abs(rounded) >= bound, np.copysign(EXTENDED(np.inf), values), rounded)
        return np.asarray(np.where(np.isfinite(values), rounded, values))


def typed(values: Array, t: ElementType) -> Array:
    """Return exact values that belong to a type as an array of that type."""
    if t.name == "bfloat16":
        return values.astype(np.float32).astype(t.numpy)
    return values.astype(t.numpy)


def ulp(values: Array, t: ElementType) -> Array:
    """Return the spacing of a type's numbers near each value, or near the modulus of a complex value."""
    size = np.abs(values)
    _, exponent = np.frexp(size)
    exponent = np.minimum(np.maximum(np.where(size == 0, t.least, exponent - 1), t.least), t.greatest)
    return np.asarray(np.ldexp(EXTENDED(1), exponent - t.precision + 1))


def from_ratios(ratios: list[tuple[int, int]]) -> Array:
    """Return the quotients of pairs of integers as long doubles. Inexact quotients have an odd last bit, so that a
    later rounding to a shorter type is right.
    """
    parts, kept = np.zeros((3, len(ratios))), min(digits(), 64)
    for i, (numerator, denominator) in enumerate(ratios):
        if numerator:
            shift = numerator.bit_length() - denominator.bit_length() - kept + 1
            mantissa, rest = divmod(abs(numerator) << max(-shift, 0), denominator << max(shift, 0))
            mantissa |= rest != 0
            low = mantissa & 0xFFFFFFFF
            parts[:, i] = (mantissa - low, low, shift) if numerator > 0 else (low - mantissa, -low, shift)
    return np.asarray(np.ldexp(parts[0].astype(EXTENDED) + parts[1], parts[2].astype(int)))


def promote(a: str, b: str) -> str | None:
    """Return the common type of two operands by the array API's rules, or None if no type can represent both types. The
    common type of an integer type and a floating type is the floating type.
    """
    if a == b:
        return a
    low, high = sorted((ELEMENT_TYPES[a], ELEMENT_TYPES[b]), key=lambda t: "BUSFC".index(t.kind))
    if low.kind == "B" or (low.kind in "US" and high.kind in "FC"):
        return high.name
    if low.kind == high.kind:
        if low.bits == high.bits:  # float16 and bfloat16
            return "float32"
        return max(low, high, key=lambda t: t.bits).name
    if low.kind == "U":  # the other type is signed: return the least signed type that can represent both types
        bits = max(high.bits, 2 * low.bits)
        return f"int{bits}" if bits <= 64 else None
    return "complex128" if "float64" in (a, b) else high.name


def promote_number(name: str, number: complex) -> str:
    """Return the result type of an operation on a tensor of type `name` and a Python number.

    A number of a higher kind than the type changes the type to int64, float32 or complex64. A complex number changes
    float64 to complex128.
    """
    kind = ELEMENT_TYPES[name].kind
    if isinstance(number, bool):
        return name
    if isinstance(number, int):
        return "int64" if kind == "B" else name
    if isinstance(number, float):
        return name if kind in "FC" else "float32"
    return name if kind == "C" else "complex128" if name == "float64" else "complex64"


def floating(t: ElementType) -> ElementType:
    """Return the type in which a function of elements of type `t` computes: float32 for integers and bool, else `t`."""
    return ELEMENT_TYPES["float32"] if t.kind in "BUS" else t


def real_part(t: ElementType) -> ElementType:
    """Return the type of a complex type's parts. Other types are returned unchanged."""
    return ELEMENT_TYPES[{"complex64": "float32", "complex128": "float64"}.get(t.name, t.name)]


def complex_of(t: ElementType) -> ElementType:
    """Return the complex type with parts of a given type."""
    return ELEMENT_TYPES["complex128" if t.name in ("float64", "complex128") else "complex64"]
