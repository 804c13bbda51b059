"""The element types: exact values of their elements, rounding to them, promotion, and errors in ulp.

An exact value is a bool, a Python int, a long double or a complex long double, as the kind of the type asks. What is
computed from exact values is in `elementwise`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
EXTENDED = np.longdouble


@dataclass(frozen=True, slots=True)
class Format:
    """An element type; the last three fields describe the floating ones and the parts of the complex."""

    name: str
    numpy: np.dtype[Any]
    kind: str  # B bool, U unsigned, S signed integer, F floating, C complex
    bits: int
    precision: int = 0
    least: int = 0  # exponent of the least normal number, 2**least
    greatest: int = 0  # exponent of the greatest binade

    @property
    def letter(self) -> str:
        """The kind as the operators' tables of accepted types spell it."""
        return "I" if self.kind in "US" else self.kind


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("bool", np.dtype(bool), "B", 8),
        *(Format(f"uint{n}", np.dtype(f"uint{n}"), "U", n) for n in (8, 16, 32, 64)),
        *(Format(f"int{n}", np.dtype(f"int{n}"), "S", n) for n in (8, 16, 32, 64)),
        Format("float16", np.dtype(np.float16), "F", 16, 11, -14, 15),
        Format("bfloat16", np.dtype(ml_dtypes.bfloat16), "F", 16, 8, -126, 127),
        Format("float32", np.dtype(np.float32), "F", 32, 24, -126, 127),
        Format("float64", np.dtype(np.float64), "F", 64, 53, -1022, 1023),
        Format("complex64", np.dtype(np.complex64), "C", 64, 24, -126, 127),
        Format("complex128", np.dtype(np.complex128), "C", 128, 53, -1022, 1023),
    )
}
_BY_DTYPE = {f.numpy: f for f in FORMATS.values()}


def format_of(array: Array) -> Format:
    """The element type of a NumPy array."""
    return _BY_DTYPE[array.dtype]


def integer_range(f: Format) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    return (0, 2**f.bits - 1) if f.kind == "U" else (-(2 ** (f.bits - 1)), 2 ** (f.bits - 1) - 1)


def exact(array: Array) -> Array:
    """The exact values of a typed array."""
    kind = format_of(array).kind
    if kind == "B":
        return array
    if kind in "US":
        return array.astype(object)
    if kind == "C":
        return array.astype(np.clongdouble)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        wide = array.astype(np.float32) if array.dtype == ml_dtypes.bfloat16 else array
        return wide.astype(EXTENDED)


def as_extended(values: Array) -> Array:
    """Exact bools or integers as long doubles, whose 64 bits hold any of them; others as they are."""
    return values.astype(EXTENDED) if values.dtype == object or values.dtype == bool else values


def convert(values: Array, f: Format) -> Array:
    """Exact values of any kind as exact values of a type, rounded once; integers wrap."""
    if f.kind == "B":
        return np.asarray(values != 0)
    if f.kind in "US":
        return wrap(np.asarray(values.astype(object)), f)
    values = as_extended(values)
    if f.kind == "F":
        return round_to(values, f)
    out = np.empty(values.shape, np.clongdouble)
    out.real = round_to(values.real, f)
    out.imag = round_to(values.imag, f) if np.iscomplexobj(values) else 0
    return out


def wrap(integers: Array, f: Format) -> Array:
    """Integers modulo 2**bits, into the range of the type."""
    low, _ = integer_range(f)
    span = 2**f.bits
    flat = [(int(i) - low) % span + low for i in integers.ravel()]
    return np.array(flat, dtype=object).reshape(integers.shape)


def round_to(values: Array, f: Format) -> Array:
    """Long doubles rounded to the nearest number of a floating type, ties to even; long doubles again."""
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        last = np.maximum(exponent - f.precision, f.least - f.precision + 1)
        rounded = np.ldexp(np.rint(np.ldexp(values, -last)), last)
        bound = np.ldexp(EXTENDED(1), f.greatest + 1)
        rounded = np.where(np.abs(rounded) >= bound, np.copysign(EXTENDED(np.inf), values), rounded)
        return np.asarray(np.where(np.isfinite(values), rounded, values))


def typed(values: Array, f: Format) -> Array:
    """Exact values that belong to a type as an array of it."""
    if f.name == "bfloat16":
        return values.astype(np.float32).astype(f.numpy)
    return values.astype(f.numpy)


def ulp(values: Array, f: Format) -> Array:
    """The spacing of a type's numbers at long doubles (or at the modulus of complex ones)."""
    _, exponent = np.frexp(np.abs(values))
    exponent = np.where(np.abs(values) == 0, f.least, exponent - 1)
    exponent = np.clip(exponent, f.least, f.greatest)
    return np.asarray(np.ldexp(EXTENDED(1), exponent - f.precision + 1))


def error_in_ulp(result: Array, reference: Array, f: Format) -> Array:
    """The distance of exact results from long double references, in ulp of the reference.

    A result that overflowed stands for the first power of two that the type lacks. Infinite for a NaN on one side
    alone, and for an infinity where the reference is one and the result is not.
    """
    with np.errstate(all="ignore"):
        end = np.ldexp(EXTENDED(1), f.greatest + 1)
        overflowed = np.isinf(result) & np.isfinite(reference)
        stand_in = np.where(overflowed, np.copysign(np.maximum(end, np.abs(reference)), result), result)
        error = np.abs(stand_in - reference) / ulp(reference, f)
        same = (result == reference) | (np.isnan(result) & np.isnan(reference))
        rounded = (result == round_to(reference, f)) & ~np.isfinite(result)
        error = np.where(same | rounded, EXTENDED(0), error)
        return np.asarray(np.where(np.isnan(error), EXTENDED(np.inf), error))


def from_fraction(x: Fraction) -> Any:
    """A fraction as a long double, off by less than the last bit."""
    if x == 0:
        return EXTENDED(0)
    shift = x.numerator.bit_length() - x.denominator.bit_length() - 66
    scaled = abs(x) / Fraction(2) ** shift
    mantissa = int(scaled)  # 65 to 67 bits
    low = mantissa & 0xFFFFFFFF
    value = EXTENDED(float(mantissa - low)) + EXTENDED(float(low))
    return np.ldexp(np.copysign(value, EXTENDED(-1 if x < 0 else 1)), shift)


def promote(a: str, b: str) -> str | None:
    """The common type of two, None where there is none (uint64 with a signed type, OPERATORS.md)."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    x, y = FORMATS[a], FORMATS[b]
    if {x.kind, y.kind} <= {"U", "S"}:
        return _promote_integers(x, y)
    if "C" in (x.kind, y.kind):
        return "complex128" if {a, b} & {"float64", "complex128"} else "complex64"
    if x.kind != y.kind:
        return a if x.kind == "F" else b
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    return a if x.bits > y.bits else b


def _promote_integers(x: Format, y: Format) -> str | None:
    if x.kind == y.kind:
        return max(x, y, key=lambda f: f.bits).name
    unsigned, signed = (x, y) if x.kind == "U" else (y, x)
    bits = max(signed.bits, 2 * unsigned.bits)
    return f"int{bits}" if bits <= 64 else None


def promote_number(name: str, number: complex) -> str:
    """The type of a tensor's operation with a Python number: its kind may rise, not its width."""
    kind = FORMATS[name].kind
    if isinstance(number, bool):
        return name
    if isinstance(number, int):
        return "int64" if kind == "B" else name
    if isinstance(number, float):
        return name if kind in "FC" else "float32"
    return name if kind == "C" else "complex128" if name == "float64" else "complex64"
