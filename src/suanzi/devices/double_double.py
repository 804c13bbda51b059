"""Double-double numbers on devices. Each number is the sum hi + lo of two float64 parts, for more precision than
float64.

The formulas equal the CPU's formulas (native/base/double_double.h), operation by operation, so the results are equal.
PyTorch does not have a fused multiply-add on all devices, so factors are split in halves (Dekker, 1971).
"""

from __future__ import annotations

from typing import NamedTuple

import torch

_SPLITTER = 134217729.0  # 2^27 + 1
_BIAS, _MANTISSA = 1023, 52  # float64: the bias of the exponent, and the bits below the exponent


def two_sum(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rounded sum of two numbers and the rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def halves(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Split a number into a sum of two numbers with half as many bits."""
    scaled = x * _SPLITTER
    high = scaled - (scaled - x)
    return high, x - high


def rest_of_product(a: torch.Tensor, b: torch.Tensor, product: torch.Tensor) -> torch.Tensor:
    """Return the rounding error of `product`, the float64 product of `a` and `b`. The error is exact unless a value
    overflows or is denormal.
    """
    (a1, a2), (b1, b2) = halves(a), halves(b)
    return a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)


class DoubleDouble(NamedTuple):
    """Tensors of double-double numbers. `lo` is at most half a unit in the last place of `hi`."""

    hi: torch.Tensor
    lo: torch.Tensor

    def rounded(self) -> torch.Tensor:
        return self.hi + self.lo

    def negative(self) -> DoubleDouble:
        return DoubleDouble(-self.hi, -self.lo)

    def scaled(self, power: torch.Tensor | float) -> DoubleDouble:
        """Return the exact product of the number and a power of two."""
        return DoubleDouble(self.hi * power, self.lo * power)

    def plus(self, other: DoubleDouble) -> DoubleDouble:
        high, low = two_sum(self.hi, other.hi), two_sum(self.lo, other.lo)
        total = _fast_two_sum(high[0], high[1] + low[0])
        return _fast_two_sum(total.hi, low[1] + total.lo)

    def minus(self, other: DoubleDouble) -> DoubleDouble:
        return self.plus(other.negative())

    def times(self, other: DoubleDouble) -> DoubleDouble:
        product = two_product(self.hi, other.hi)
        return _fast_two_sum(product.hi, product.lo + (self.hi * other.lo + self.lo * other.hi))

    def over(self, other: DoubleDouble) -> DoubleDouble:
        first = self.hi / other.hi
        rest = self.minus(other.times(double(first)))
        second = rest.hi / other.hi
        third = rest.minus(other.times(double(second))).hi / other.hi
        return _fast_two_sum(first, second).plus(double(third))


def _fast_two_sum(a: torch.Tensor, b: torch.Tensor) -> DoubleDouble:
    """Return the exact sum of two numbers. The first number must have the larger magnitude, or be 0."""
    total = a + b
    return DoubleDouble(total, b - (total - a))


def two_product(a: torch.Tensor, b: torch.Tensor) -> DoubleDouble:
    product = a * b
    return DoubleDouble(product, rest_of_product(a, b, product))


def double(x: torch.Tensor) -> DoubleDouble:
    """Return a float64 number as a double-double number."""
    return DoubleDouble(x, torch.zeros_like(x))


def constant(hi: float, lo: float, like: torch.Tensor) -> DoubleDouble:
    """Return a double-double tensor with the same number for all elements."""
    return DoubleDouble(*[torch.full((), part, dtype=torch.float64, device=like.device) for part in (hi, lo)])


def chosen(where: torch.Tensor, a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    return DoubleDouble(torch.where(where, a.hi, b.hi), torch.where(where, a.lo, b.lo))


# --- powers of two ---


def power_of_two(exponent: torch.Tensor) -> torch.Tensor:
    """Return 2 to the power of int64 exponents between -1022 and 1023."""
    return ((exponent + _BIAS) << _MANTISSA).view(torch.float64)


def scaled(x: torch.Tensor, exponent: torch.Tensor) -> torch.Tensor:
    """Return a number times 2 to the power of int64 exponents, in several steps, so that float64 can represent each
    factor.
    """
    for _ in range(3):
        step = exponent.clamp(-1000, 1000)
        x, exponent = x * power_of_two(step), exponent - step
    return x


def exponent_of(x: torch.Tensor) -> torch.Tensor:
    """Return the exponent of the leading bit, for finite numbers other than 0."""
    tiny = torch.abs(x) < 2.0**-1000
    bits = torch.where(tiny, x * 2.0**500, x).view(torch.int64)
    return ((bits >> _MANTISSA) & 0x7FF) - _BIAS - torch.where(tiny, 500, 0)


# --- functions with a relative error of about 2^-67 ---


class Exponential(NamedTuple):
    """The value of an exponential, split into a power of two and a factor."""

    less_one: DoubleDouble  # the value divided by 2^exponent, minus 1
    exponent: torch.Tensor  # int64

    @property
    def minus_one(self) -> DoubleDouble:
        """Return the value of the exponential minus 1."""
        power = power_of_two(self.exponent)
        return self.less_one.scaled(power).plus(double(power - 1))


def exponential(x: DoubleDouble) -> Exponential:
    """Return e^x. The function reduces x modulo ln 2, computes the exponential of 1/64 of the remainder by a series,
    and squares the result six times. Only the first terms of the series need both parts of double-double numbers.
    """
    doublings = 6
    ln2 = constant(float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56"), x.hi)
    count = torch.round(x.hi / ln2.hi)
    r = x.minus(ln2.times(double(count))).scaled(1.0 / (1 << doublings))
    y = r.hi
    higher = y * y * y * (1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720 + y / 5040))))
    less_one = r.plus(r.times(r).scaled(0.5).plus(double(higher)))
    for _ in range(doublings):
        less_one = less_one.scaled(2.0).plus(less_one.times(less_one))
    return Exponential(less_one, count.to(torch.int64))


class Turned(NamedTuple):
    """An angle as a number of quarter turns and a remainder of at most an eighth of a turn."""

    quarters: torch.Tensor  # the number of quarter turns, from 0 to 3
    sine_of_rest: DoubleDouble
    versine_of_rest: DoubleDouble  # 1 - cosine

    def _part(self, quarters: torch.Tensor) -> DoubleDouble:
        cosine = constant(1.0, 0.0, quarters).minus(self.versine_of_rest)
        found = chosen(quarters % 2 == 0, self.sine_of_rest, cosine)
        return chosen(quarters % 4 < 2, found, found.negative())

    def sine(self) -> DoubleDouble:
        return self._part(self.quarters)

    def cosine(self) -> DoubleDouble:
        return self._part(self.quarters + 1)


# The parts of pi / 2.
_QUARTER = [float.fromhex(part) for part in ("0x1.921fb54442d18p0", "0x1.1a62633145c07p-54")]
_QUARTER += [float.fromhex(part) for part in ("-0x1.f1976b7ed8fbcp-110", "0x1.4cf98e804177dp-164")]


def turned(angle: DoubleDouble) -> Turned:
    """Return an angle as quarter turns and a remainder of at most an eighth of a turn. An angle of more than 2^50 is
    not divided. The result then contains the float64 sine and cosine of the whole angle.
    """
    quarters = torch.round(angle.hi / _QUARTER[0])
    rest = angle
    for part in _QUARTER:
        rest = rest.minus(two_product(torch.full_like(quarters, part), quarters))
    far = torch.abs(angle.hi) > 2.0**50
    sine, versine = _sine(rest)
    plain = double(torch.sin(angle.hi)), double(1 - torch.cos(angle.hi))
    counted = torch.where(far, 0.0, torch.remainder(quarters, 4.0))
    return Turned(counted, chosen(far, plain[0], sine), chosen(far, plain[1], versine))


def _sine(x: DoubleDouble) -> tuple[DoubleDouble, DoubleDouble]:
    """Return the sine, and 1 minus the cosine, of an angle of at most an eighth of a turn.

    A series computes the two functions of a small fraction of the angle. Formulas for the doubled angle then give the
    functions of the whole angle.
    """
    doublings = 5
    sixth = constant(float.fromhex("0x1.5555555555555p-3"), float.fromhex("0x1.5555555555555p-57"), x.hi)
    r = x.scaled(1.0 / (1 << doublings))
    square = r.times(r)
    y, z = r.hi, square.hi
    higher = y * z * z * (1 / 120 - z * (1 / 5040 - z * (1 / 362880)))
    s = r.minus(r.times(square).times(sixth).minus(double(higher)))
    of_fourth = square.times(square).scaled(0.25).times(sixth).minus(double(z * z * z * (1 / 720 - z / 40320)))
    v = square.scaled(0.5).minus(of_fourth)
    for _ in range(doublings):
        versine = s.times(s).scaled(2.0)
        s = s.minus(s.times(v)).scaled(2.0)
        v = versine
    return s, v
