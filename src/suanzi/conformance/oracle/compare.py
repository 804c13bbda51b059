"""The comparison of a result with the oracle's result, and the description of a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .element_types import EXTENDED, Array, ElementType, exact, type_of, ulp

# The largest error in ulp of a correctly rounded result, measured against a reference of 64 bits or more. The reference
# itself has an error of some 2^-11 ulp of float64.
CORRECT = 0.5 + 2.0**-10


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected result: exact values that are not yet rounded to the element type, and the allowed error in ulp."""

    element_type: ElementType
    values: Array
    bound: float | Array = 0.0
    magnitude: Array | None = None  # numbers that define the ulp, if the values do not define the ulp
    alternative: Array | None = None  # other values that are also right
    signed_zero: bool = True
    period: int = 0  # the number of elements after which the elements repeat
    array: Array | None = None  # the result itself, if the bits are prescribed
    overflows: bool = False  # True if steps of a usual computation may overflow before a complex result overflows

    def at(self, index: Any) -> Expected:
        """Return the expected result for operands that were all indexed by `index`."""
        magnitude, alternative = (None if x is None else x[index] for x in (self.magnitude, self.alternative))
        values = np.asarray(self.values[index])
        return replace(self, values=values, magnitude=magnitude, alternative=alternative, array=None)

    def spread(self, shape: tuple[int, ...]) -> Expected:
        """Return the expected result of a given shape, for operands that repeat their elements."""

        def all_over(x: Array) -> Array:
            return np.resize(x, shape)

        return replace(
            self,
            values=all_over(self.values),
            bound=all_over(self.bound) if isinstance(self.bound, np.ndarray) and self.bound.ndim else self.bound,
            magnitude=None if self.magnitude is None else all_over(self.magnitude),
            alternative=None if self.alternative is None else all_over(self.alternative),
            period=self.values.size if len(shape) == 1 and np.ndim(self.bound) == 0 else 0,
            array=None,
        )

    def fits(self, result: Array) -> bool:
        """Return whether a result has the expected element type and shape."""
        of_type = (
            result.dtype.kind in "UTO" if self.element_type.kind == "T" else result.dtype == self.element_type.numpy
        )
        return bool(of_type) and result.shape == self.values.shape

    def first_fault(self, result: Array) -> tuple[int, ...] | None:
        """Return the index of the first wrong element, or None if type or shape are wrong or all elements are right."""
        if not self.fits(result):
            return None
        wrong = np.argwhere(~(errors(result, self) <= self.bound))
        return tuple(map(int, wrong[0])) if len(wrong) else None

    def fault(self, result: Array, operands: Sequence[Any] = ()) -> str | None:
        """Return the fault of a result, or None. The text of the fault shows the elements of the given operands."""
        return self.judged(result, operands)[0]

    def judged(self, result: Array, operands: Sequence[Any] = ()) -> tuple[str | None, float | None]:
        """Return the fault of a result, or None, and the largest error of a floating result in ulp."""
        if self.element_type.kind == "T":
            return self._other_text(result), None
        if result.dtype != self.element_type.numpy:
            return f"returned {result.dtype}, not {self.element_type.name}", None
        if result.shape != self.values.shape:
            return f"returned shape {result.shape}, not {self.values.shape}", None
        error = errors(result, self)
        right = error <= self.bound
        measured = self.element_type.kind in "FC" and not np.all(np.isinf(self.bound))
        worst = float(error.max(initial=0.0)) if measured else None
        if right.all():
            return None, worst
        wrong, bound = np.argwhere(~right), np.broadcast_to(self.bound, result.shape)
        shown = [
            f"{_elements(operands, result.shape, at)}returned {result[at]!s}, not {self.values[at]!s} at {at}"
            + (f", {float(error[at]):.4g} ulp where {float(bound[at]):.4g} are allowed" if error[at] < np.inf else "")
            for at in (tuple(map(int, i)) for i in wrong[:3])
        ]
        return f"{'; '.join(shown)} ({len(wrong)} of {result.size} wrong)", worst

    def _other_text(self, result: Array) -> str | None:
        """Return the fault of a result of strings, or None. The elements are compared in lists, because NumPy's arrays
        of str lose NUL characters at the end of a text.
        """
        if result.shape != self.values.shape:
            return f"returned shape {result.shape}, not {self.values.shape}"
        pairs = zip(np.ravel(result).tolist(), np.ravel(self.values).tolist(), strict=True)
        wrong = [(found, wanted) for found, wanted in pairs if found != wanted]
        return f"returned {wrong[0][0]!r}, not {wrong[0][1]!r} ({len(wrong)} of {result.size} wrong)" if wrong else None


def exactly(array: Array) -> Expected:
    """Return an expected result that requires the bits of an array. A NaN may have the bits of any NaN."""
    t = type_of(array)
    return Expected(t, array if t.kind in "BUST" else exact(array), array=array)


def anything(t: ElementType, shape: tuple[int, ...]) -> Expected:
    """Return an expected result that allows any elements of a type and shape."""
    return Expected(t, np.zeros(shape), np.inf)


def errors(result: Array, expected: Expected) -> Array:
    """Return the error of each element: in ulp for floating and complex types, else 0 or infinity."""
    t, wanted = expected.element_type, expected.values
    if expected.array is not None and result.tobytes() == expected.array.tobytes():
        return np.zeros(result.shape)
    if expected.period and _comes_again(result, expected.period):
        first = replace(expected.at(slice(0, expected.period)), period=0)
        return np.resize(errors(result[: expected.period], first), result.shape)
    if t.kind in "BUS":
        return np.where(result == wanted, 0.0, np.inf)
    values = exact(result)
    with np.errstate(all="ignore"):
        if t.kind == "C":
            return _complex_errors(values, expected)
        error = _real_errors(values, expected)
        if expected.signed_zero:
            # A result with intermediate rounding may cancel to a zero of either sign.
            judged = expected.magnitude is None or wanted == 0
            error = np.where(judged & _other_zero(values, wanted), np.inf, error)
        if expected.alternative is not None:
            right = _same(values, expected.alternative) & ~_other_zero(values, expected.alternative)
            error = np.where(right, 0.0, error)
        return np.asarray(error)


def _comes_again(result: Array, period: int) -> bool:
    """Return whether all elements repeat the bits of the first `period` elements."""
    raw = np.ascontiguousarray(result).view(np.uint8)
    shift = period * result.itemsize
    return bool(np.array_equal(raw[shift:], raw[:-shift]))


def _same(a: Array, b: Array) -> Array:
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))


def _other_zero(values: Array, wanted: Array) -> Array:
    """Return an array that is True for zeros of the wrong sign."""
    return np.asarray((values == 0) & (np.signbit(values) != np.signbit(wanted)))


def _real_errors(values: Array, expected: Expected) -> Array:
    """Return the distance of each element to the expected value, in ulp. The distance is infinite if only the element
    or only the expected value is NaN, and if only the expected value is infinite.

    An element that overflowed counts as the first power of two beyond the type's range.
    """
    t, wanted = expected.element_type, expected.values
    same = _same(values, wanted)
    if same.all():
        return np.zeros(values.shape)
    end = np.ldexp(EXTENDED(1), t.greatest + 1)
    overflowed = np.isinf(values) & np.isfinite(wanted)
    stand_in = np.where(overflowed, np.copysign(np.maximum(end, np.abs(wanted)), values), values)
    size = np.abs(wanted) if expected.magnitude is None else expected.magnitude
    if expected.magnitude is None and np.ndim(expected.bound) == 0 and expected.bound <= CORRECT:
        # Numbers below a power of two are twice as dense as the numbers above. The smaller spacing counts for a result
        # below the power.
        size = np.fmin(size, np.abs(stand_in))
    error = np.where(same, EXTENDED(0), np.abs(stand_in - wanted) / ulp(size, t))
    return np.where(np.isnan(error), EXTENDED(np.inf), error)


def _complex_errors(values: Array, expected: Expected) -> Array:
    """Return the distance of each complex element to the expected value, in ulp of the expected modulus or of the
    rule's scale.

    The distance is infinite if an infinite or NaN part differs from the same part of the other number. If the bound is
    0, the distance is also infinite for a zero of the wrong sign.
    """
    reference, t = expected.values, expected.element_type
    exact = np.ndim(expected.bound) == 0 and expected.bound == 0
    differences, sizes = [], []
    for value, wanted in ((values.real, reference.real), (values.imag, reference.imag)):
        same = _same(value, wanted) & ~(exact & _other_zero(value, wanted))
        differences.append(np.where(same, 0, np.where(value == wanted, np.inf, np.abs(value - wanted))))
        sizes.append(np.where(np.isfinite(wanted), wanted, 0))
    size = np.hypot(*sizes) if expected.magnitude is None else expected.magnitude
    error = np.hypot(*differences) / ulp(size, t)
    overflowed = _may_overflow(expected, sizes, size) & ~np.isfinite(values)
    error = np.where(overflowed, 0.0, error)
    return np.asarray(np.where(np.isnan(error), np.inf, error))


def _may_overflow(expected: Expected, parts: Sequence[Array], size: Array) -> Array:
    """Return whether each complex element may have infinite and NaN parts although the expected parts are finite. For
    elements beyond the type's range, several combinations of infinities and NaN are right. An exact result has no such
    element.

    An element is beyond the range if a rounding within the bound takes the larger part, or the rule's scale, to the
    end of the range. If steps of the computation may overflow, the last power of two counts as beyond the range.
    """
    t, bound = expected.element_type, np.asarray(expected.bound)
    largest = np.fmax(*map(np.abs, parts))
    if expected.magnitude is not None:
        largest = np.fmax(largest, size)
    last = np.ldexp(EXTENDED(1), t.greatest)
    beyond = largest >= 2 * last - np.maximum(bound, 0.5) * ulp(last, t)
    if expected.overflows:
        beyond = beyond | (size >= last)
    return np.asarray(beyond & (bound > 0))


def _elements(operands: Sequence[Any], shape: tuple[int, ...], at: tuple[int, ...]) -> str:
    """Return a text with the operands' elements from which one element of the result is computed, or an empty text."""
    arrays = [x for x in operands if isinstance(x, np.ndarray)]
    if not arrays or len(arrays) < len(operands):
        return ""
    try:
        shown = [np.broadcast_to(x, shape)[at] for x in arrays]
    except ValueError:
        return ""
    return f"of {', '.join(map(str, shown))} "
