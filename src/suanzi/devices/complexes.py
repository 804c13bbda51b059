"""Arithmetic of complex numbers on devices, computed on real and imaginary parts with the CPU's formulas.

PyTorch multiplies the second operand of a sum by 1 + 0i, which turns infinite parts into NaN. At the end of a row,
PyTorch's CPU code computes quotients by other formulas than elsewhere. The formulas of arithmetic in this module are
the formulas of native/ops/elementwise/complex.kernels.cpp, with float64 at the same places. `acos`, `tanh` and `log1p`
call PyTorch's functions and replace some values, for example at zeros and infinities.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, ldexp, nan
from typing import NamedTuple

import torch

from suanzi.devices.elementwise import WAYS, sqrt

Function = Callable[..., torch.Tensor]

_ONE = 1 << 52  # the lowest bit of float64's exponent
_TINY, _HUGE = ldexp(1.0, -900), ldexp(1.0, 1000)  # dividends beyond these bounds are scaled, as on the CPU


class Parts(NamedTuple):
    """The real and the imaginary parts of complex numbers."""

    re: torch.Tensor
    im: torch.Tensor

    def times(self, other: Parts) -> Parts:
        return Parts(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def scaled(self, by: torch.Tensor | float) -> Parts:
        return Parts(self.re * by, self.im * by)

    def norm(self) -> torch.Tensor:
        return self.re * self.re + self.im * self.im

    @property
    def conj(self) -> Parts:
        return Parts(self.re, -self.im)

    @property
    def size(self) -> torch.Tensor:
        return torch.maximum(torch.abs(self.re), torch.abs(self.im))

    @property
    def is_infinite(self) -> torch.Tensor:
        return torch.isinf(self.re) | torch.isinf(self.im)

    @property
    def is_finite(self) -> torch.Tensor:
        return torch.isfinite(self.re) & torch.isfinite(self.im)


def _parts(z: torch.Tensor) -> Parts:
    """Return the real and the imaginary part of complex numbers in float32 or float64, the type of the parts."""
    return Parts(*torch.view_as_real(z.resolve_conj()).unbind(-1))


def wide_parts(z: torch.Tensor) -> Parts:
    """Return the real and the imaginary part of complex numbers in float64."""
    return Parts(*torch.view_as_real(z.resolve_conj()).to(torch.float64).unbind(-1))


def joined_parts(z: Parts, like: torch.Tensor) -> torch.Tensor:
    part = torch.float32 if like.dtype is torch.complex64 else torch.float64
    return torch.complex(z.re.to(part), z.im.to(part))


def _is_double(z: torch.Tensor) -> bool:
    return z.dtype is torch.complex128


def chosen_parts(where: torch.Tensor, a: Parts, b: Parts) -> Parts:
    return Parts(torch.where(where, a.re, b.re), torch.where(where, a.im, b.im))


def _scale(z: Parts, double: bool) -> torch.Tensor | float:
    """Return the power of two that brings the larger part of each normal number near 1, and 2^1022 for zeros and
    denormals. For complex64 numbers, return 1, because float64 represents the squares of every float32.
    """
    if not double:
        return 1.0
    exponent = z.size.view(torch.int64) & (0x7FF * _ONE)
    return (2046 * _ONE - exponent.clamp(_ONE, 2045 * _ONE)).view(torch.float64)


def _inverse(power: torch.Tensor | float) -> torch.Tensor | float:
    if isinstance(power, float):
        return 1.0 / power
    return (2046 * _ONE - power.view(torch.int64)).view(torch.float64)


def _modulus(z: Parts, double: bool) -> torch.Tensor:
    scale = _scale(z, double)
    return torch.where(z.is_infinite, inf, sqrt(z.scaled(scale).norm()) * _inverse(scale))


def unit_of_infinite(z: Parts) -> Parts:
    """Return 1 for infinite parts and 0 for other parts, with the signs of the parts."""
    return Parts(*[torch.copysign(torch.isinf(x).to(torch.float64), x) for x in z])


def quotient(a: Parts, b: Parts, double: bool) -> Parts:
    """Return the quotient a conj(b) / |b|^2. Where the quotient is NaN, return the result that C99 (Annex G.5.1)
    requires.
    """
    if double:
        scale, size = _scale(b, True), a.size
        near = torch.where(size < _TINY, 2.0**120, 1.0).to(torch.float64)
        step = torch.where(size > _HUGE, 2.0**-8, near)
        scaled = b.scaled(scale)
        product, divisor = a.scaled(step).times(scaled.conj), scaled.norm()
        q = Parts(product.re / divisor, product.im / divisor).scaled(scale).scaled(_inverse(step))
    else:
        q = a.times(b.conj).scaled(1.0 / b.norm())
    lost = torch.isnan(q.re) & torch.isnan(q.im)
    by_zero = (b.re == 0) & (b.im == 0)
    q = chosen_parts(lost & by_zero, a.scaled(torch.copysign(torch.full_like(b.re, inf), b.re)), q)
    of_infinite = unit_of_infinite(a).times(b.conj).scaled(inf)
    q = chosen_parts(lost & a.is_infinite & b.is_finite & ~by_zero, of_infinite, q)
    return chosen_parts(lost & a.is_finite & b.is_infinite, a.times(unit_of_infinite(b).conj).scaled(0.0), q)


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    x, y = _parts(a), _parts(b)
    return torch.complex(x.re + y.re, x.im + y.im)


def subtract(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    x, y = _parts(a), _parts(b)
    return torch.complex(x.re - y.re, x.im - y.im)


def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.complex(*_parts(a).times(_parts(b)))


def multiply_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return add(multiply(a, b), c)


def square(z: torch.Tensor) -> torch.Tensor:
    """Return the square of z. The real part is (re - im) (re + im), which is accurate even if the squares of the parts
    overflow or nearly cancel.
    """
    a = _parts(z)
    difference, total, product = a.re - a.im, a.re + a.im, a.re * a.im
    same = (difference == 0) | (total == 0)
    return torch.complex(torch.where(same, 0.0, difference * total), product + product)


def divide(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return joined_parts(quotient(*_broadcast(a, b), _is_double(a)), a)


def _broadcast(a: torch.Tensor, b: torch.Tensor) -> tuple[Parts, Parts]:
    a, b = torch.broadcast_tensors(a, b)
    return wide_parts(a), wide_parts(b)


def reciprocal(z: torch.Tensor) -> torch.Tensor:
    b = wide_parts(z)
    one = Parts(torch.ones_like(b.re), torch.zeros_like(b.re))
    return joined_parts(quotient(one, b, _is_double(z)), z)


def absolute(z: torch.Tensor) -> torch.Tensor:
    return _modulus(wide_parts(z), _is_double(z)).to(torch.float64 if _is_double(z) else torch.float32)


def sign(z: torch.Tensor) -> torch.Tensor:
    """Return z / |z|, and 0 for 0. In an infinite number, infinite parts count as 1 or -1, and finite parts count as
    0.
    """
    a = wide_parts(z)
    unit = Parts(*[torch.where(torch.isinf(x), torch.copysign(torch.ones_like(x), x), x * 0.0) for x in a])
    a = chosen_parts(a.is_infinite, unit, a)
    scaled = a.scaled(_scale(a, _is_double(z)))
    r = sqrt(scaled.norm())
    return joined_parts(Parts(*[torch.where(r == 0, 0.0, x / r) for x in scaled]), z)


def isclose(a: torch.Tensor, b: torch.Tensor, rtol: float, atol: float, equal_nan: bool) -> torch.Tensor:
    double = _is_double(a)
    x, y = _broadcast(a, b)
    distance = _modulus(Parts(x.re - y.re, x.im - y.im), double)
    close = (distance <= atol + rtol * _modulus(y, double)) & y.is_finite
    close = close | ((x.re == y.re) & (x.im == y.im))
    return close | (torch.isnan(a) & torch.isnan(b)) if equal_nan else close


def root(z: torch.Tensor) -> torch.Tensor:
    """Return the square root, which is computed in complex128, as on the CPU."""
    return torch.sqrt(z.to(torch.complex128)).to(z.dtype)


# --- functions whose values at zeros and infinities differ between PyTorch and the array API ---


def acos(z: torch.Tensor) -> torch.Tensor:
    found, a = torch.acos(z), _parts(z)
    zero = (a.re == 0) & (a.im == 0)
    return torch.complex(found.real, torch.where(zero, -a.im, found.imag))


def tanh(z: torch.Tensor) -> torch.Tensor:
    found, a = torch.tanh(z), _parts(z)
    far = torch.isinf(a.re) & torch.isfinite(a.im)
    ends = Parts(torch.copysign(torch.ones_like(a.re), a.re), torch.copysign(torch.zeros_like(a.im), a.im))
    return torch.complex(*chosen_parts(far, ends, _parts(found)))


def log1p(z: torch.Tensor) -> torch.Tensor:
    found, a = torch.log1p(z), _parts(z)
    ends = Parts(torch.full_like(a.re, inf), torch.atan2(a.im, a.re))
    return torch.complex(*chosen_parts(a.is_infinite, ends, _parts(found)))


def expm1(z: torch.Tensor) -> torch.Tensor:
    """Return exp(z) - 1 for z = x + iy. The real part is computed as expm1(x) cos(y) - 2 sin(y / 2)^2, which is
    accurate next to zero.
    """
    a = wide_parts(z)
    half, power = torch.sin(a.im * 0.5), torch.exp(a.re)
    found = Parts(torch.expm1(a.re) * torch.cos(a.im) - 2 * half * half, power * torch.sin(a.im))
    found = chosen_parts(a.im == 0, Parts(torch.expm1(a.re) + 0.0, a.im), found)  # the real part is 0, also for -0
    no_angle = ~torch.isfinite(a.im)
    found = chosen_parts(no_angle & (a.re == inf), Parts(a.re, torch.full_like(a.im, nan)), found)
    ends = Parts(torch.full_like(a.re, -1.0), torch.where(no_angle, 0.0, torch.sin(a.im) * 0.0))
    return joined_parts(chosen_parts(a.re == -inf, ends, found), z)


_FUNCTIONS: dict[str, Function] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "multiply_add": multiply_add,
    "square": square,
    "true_divide": divide,
    "reciprocal": reciprocal,
    "sqrt": root,
    "abs": absolute,
    "sign": sign,
    "isclose": isclose,
    "acos": acos,
    "tanh": tanh,
    "log1p": log1p,
    "expm1": expm1,
}
for _name, _function in _FUNCTIONS.items():
    WAYS[_name] = WAYS[_name]._replace(complexes=_function)
