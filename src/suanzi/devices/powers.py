"""`pow` of complex numbers on devices: exp(w log z) with a logarithm of extra precision, and products for integer
exponents.

PyTorch's result is off by hundreds of units in the last place if |w log z| is large. The relative error of the result
is |w log z| times the relative error of the logarithm. native/ops/elementwise/complex_functions.cpp has the same
formulas.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import torch

from suanzi.devices.complexes import Parts, chosen_parts, joined_parts, quotient, unit_of_infinite, wide_parts
from suanzi.devices.double_double import (
    DoubleDouble,
    chosen,
    constant,
    double,
    exponent_of,
    exponential,
    scaled,
    turned,
    two_product,
    two_sum,
)
from suanzi.devices.elementwise import WAYS

_MOST_WHOLE = 64  # the greatest integer exponent for which the power is a product
_MOST = 2.0**900  # the greatest exponent that can be multiplied exactly
_LN2 = float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56")


class Wide(NamedTuple):
    """Complex numbers whose parts are double-double. A zero part has the sign that float64 arithmetic computes."""

    re: DoubleDouble
    im: DoubleDouble

    def times(self, other: Wide) -> Wide:
        return Wide(
            _sum_of_products(self.re, other.re, self.im.negative(), other.im),
            _sum_of_products(self.re, other.im, self.im, other.re),
        )

    def reciprocal(self) -> Wide:
        square = self.re.times(self.re).plus(self.im.times(self.im))
        re, im = self.re.over(square), self.im.negative().over(square)
        return Wide(_with_sign(re, self.re.hi), _with_sign(im, 0.0 * self.re.hi - self.im.hi))


def _with_sign(x: DoubleDouble, like: torch.Tensor) -> DoubleDouble:
    return DoubleDouble(torch.where(x.hi == 0, like, x.hi), torch.where(x.hi == 0, 0.0, x.lo))


def _sum_of_products(a: DoubleDouble, b: DoubleDouble, c: DoubleDouble, d: DoubleDouble) -> DoubleDouble:
    """Return a b + c d with an error of about 2^-104 of the larger product."""
    p, q = two_product(a.hi, b.hi), two_product(c.hi, d.hi)
    total, rest = two_sum(p.hi, q.hi)
    low = (a.hi * b.lo + a.lo * b.hi) + (c.hi * d.lo + c.lo * d.hi) + (p.lo + q.lo) + rest
    return _with_sign(DoubleDouble(*two_sum(total, low)), p.hi + q.hi)


def _chosen(where: torch.Tensor, a: Wide, b: Wide) -> Wide:
    return Wide(chosen(where, a.re, b.re), chosen(where, a.im, b.im))


def _normalised(z: Parts) -> tuple[Parts, torch.Tensor]:
    """Return z / 2^exponent and the exponent. The magnitude of the larger part is then in [1, 2). z must be finite and
    not 0.
    """
    exponent = exponent_of(z.size)
    return Parts(scaled(z.re, -exponent), scaled(z.im, -exponent)), exponent


def _whole_power(z: Parts, count: torch.Tensor, most: int) -> Parts:
    """Raise z to integer exponents by squaring. `most` is the greatest magnitude of the exponents."""
    unit, exponent = _normalised(z)
    size = torch.abs(count)
    base = result = Wide(double(unit.re), double(unit.im))
    for bit in range(most.bit_length()):
        base = base.times(base) if bit else base
        begins = size & ((1 << bit) - 1) == 0
        longer = _chosen(begins, base, result.times(base)) if bit else base
        result = _chosen((size >> bit) & 1 == 1, longer, result)
    result = _chosen(count < 0, result.reciprocal(), result)
    return Parts(*[scaled(part.rounded(), count * exponent) for part in result])


def _whole_power_of_end(z: Parts, count: torch.Tensor, most: int) -> Parts:
    """Raise zeros, infinities and NaNs to integer exponents with the products and quotients of C99, Annex G.5.1."""
    size = torch.abs(count)
    base = result = z
    for bit in range(most.bit_length()):
        base = _product(base, base) if bit else base
        begins = size & ((1 << bit) - 1) == 0
        longer = chosen_parts(begins, base, _product(result, base)) if bit else base
        result = chosen_parts((size >> bit) & 1 == 1, longer, result)
    one = Parts(torch.ones_like(z.re), torch.zeros_like(z.im))
    return chosen_parts(count < 0, quotient(one, result, double=True), result)


def _product(a: Parts, b: Parts) -> Parts:
    found = a.times(b)
    lost = torch.isnan(found.re) & torch.isnan(found.im)
    products = a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re
    infinite = torch.stack([torch.isinf(x) for x in (*a, *b, *products)]).any(0)
    again = _directions(a).times(_directions(b)).scaled(inf)
    return chosen_parts(lost & infinite, again, found)


def _directions(z: Parts) -> Parts:
    """Return infinite numbers with parts of 1, -1 or 0 as directions. In other numbers, replace parts that are NaN by
    0.
    """
    defined = Parts(*[torch.where(torch.isnan(x), torch.copysign(torch.zeros_like(x), x), x) for x in z])
    return chosen_parts(z.is_infinite, unit_of_infinite(z), defined)


def _logarithm(z: Parts) -> Wide:
    """Return the complex logarithm of z. The real part and the angle are float64 values, each corrected by the computed
    error of the value.
    """
    unit, exponent = _normalised(z)
    far = unit.norm() >= 2  # a modulus away from 1 has a logarithm without cancellation
    factor = torch.where(far, 0.5, 1.0).to(torch.float64)
    exponent = torch.where(far, exponent + 1, exponent).to(torch.float64)
    x, y = double(unit.re * factor), double(unit.im * factor)
    one = constant(1.0, 0.0, unit.re)
    less_one = x.times(x).minus(one).plus(y.times(y))  # the square of the modulus, minus 1
    coarse = torch.log1p(less_one.rounded())
    # log(s) = c + log(s e^-c), where s e^-c - 1 = (s - 1) e^-c + (e^-c - 1).
    inverse_less_one = exponential(double(-coarse)).minus_one
    error = less_one.times(inverse_less_one.plus(one)).plus(inverse_less_one)
    of_square = double(coarse).plus(error.minus(error.times(error).scaled(0.5)))
    angle = torch.atan2(z.im, z.re)
    turn = turned(double(angle))
    cosine, sine = turn.cosine(), turn.sine()
    aside = y.times(cosine).minus(x.times(sine)).over(x.times(cosine).plus(y.times(sine)))
    re = of_square.scaled(0.5).plus(constant(*_LN2, like=exponent).times(double(exponent)))
    return Wide(re, chosen(angle == 0, double(angle), double(angle).plus(aside)))


def _exponential(z: Wide) -> Parts:
    """Return e^z, rounded once."""
    bounded = z.re.hi.clamp(-2000.0, 2000.0)  # the bounds are finite, so that products with 0 are 0
    power = exponential(chosen(bounded == z.re.hi, z.re, double(bounded)))
    size, turn = power.less_one.plus(constant(1.0, 0.0, bounded)), turned(z.im)
    re, im = (size.times(part).rounded() for part in (turn.cosine(), turn.sine()))
    return Parts(scaled(re, power.exponent), scaled(torch.where(z.im.hi == 0, z.im.hi, im), power.exponent))


def power(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return powers of complex numbers. For small integer exponents, a power is a product. For other exponents of
    complex128 numbers, a power is exp(w log z) if the base is finite and the exponent is not too large. PyTorch
    computes all other powers.
    """
    a, b = (x.contiguous() for x in torch.broadcast_tensors(a, b))
    found = wide_parts(torch.pow(a.to(torch.complex128), b.to(torch.complex128)))
    z, w = wide_parts(a), wide_parts(b)
    none = (z.re == 0) & (z.im == 0)
    fine = z.is_finite & ~none
    is_whole = (w.im == 0) & (torch.abs(w.re) <= _MOST_WHOLE) & (w.re == w.re.trunc())
    count = torch.where(is_whole, w.re, 0.0)
    other = fine & (w.size < _MOST) & ~is_whole
    if a.numel():
        # Waiting for the device saves time, because most calls have exponents of a single kind.
        least = torch.abs(count).amax(), (is_whole & ~fine).any(), other.any()
        most, ends, others = torch.stack([x.to(torch.float64) for x in least]).tolist()
        usual = Parts(torch.where(fine, z.re, 1.0), torch.where(fine, z.im, 0.0))
        whole = count.to(torch.int64)
        if ends:
            found = chosen_parts(is_whole & ~fine, _whole_power_of_end(z, whole, int(most)), found)
        if most:
            found = chosen_parts(is_whole & fine, _whole_power(usual, whole, int(most)), found)
        if others and a.dtype is torch.complex128:
            exponent = Wide(*[double(torch.where(other, x, 1.0)) for x in w])
            found = chosen_parts(other, _exponential(exponent.times(_logarithm(usual))), found)
    zero, one = torch.zeros_like(z.re), torch.ones_like(z.re)
    found = chosen_parts(none & (w.re > 0), Parts(zero, zero), found)
    found = chosen_parts((w.re == 0) & (w.im == 0), Parts(one, zero), found)
    return joined_parts(found, a)


WAYS["pow"] = WAYS["pow"]._replace(complexes=power)
