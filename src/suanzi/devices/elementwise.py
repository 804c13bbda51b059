"""Elementwise operators on devices: PyTorch's function with the same meaning, or several of PyTorch's functions.

A function of this module accepts tensors of the same type and the options of the operator. `front` determines the type
of the result or the promoted type of the operands, and PyTorch computes in this type (see `types`). uint64 elements are
passed as int64 bits. An operator for which signs matter has a separate function, `Way.uint64`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from suanzi.devices import front
from suanzi.devices.close_calls import is_rounded_correctly, settled
from suanzi.devices.double_double import rest_of_product, two_sum
from suanzi.devices.state import functions, place_of
from suanzi.devices.table import finished, rows, wider
from suanzi.devices.tensor import DeviceTensor
from suanzi.devices.types import (
    HALVES,
    LEAST_INT64,
    TORCH,
    brought,
    carried,
    flipped,
    limits,
    number,
    to_odd,
)
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType, bool_, float32, float64

Function = Callable[..., torch.Tensor]


class Way(NamedTuple):
    """The function that computes an operator, and the types of the computation."""

    function: Function
    operands: bool = False  # True if operands are converted to their promoted type, not to the result's type
    narrow: bool = False  # True if float16 and bfloat16 are computed in their own type for every `out`
    uint64: Function | None = None  # a function for the bits of uint64
    complexes: Function | None = None  # a function for the parts of complex numbers


WAYS: dict[str, Way] = {}


def way(
    *names: str, operands: bool = False, narrow: bool = False, uint64: Function | None = None
) -> Callable[[Function], Function]:
    """Return a decorator that registers a function in `WAYS` for the named operators."""

    def add(function: Function) -> Function:
        for name in names:
            WAYS[name] = Way(function, operands, narrow, uint64)
        return function

    return add


def computed(call: Call, device: Device) -> Any:
    """Compute an elementwise operator by its entry in `WAYS`. Return the result, or `out` if the call has `out`."""
    found = front.types(call)
    chosen = WAYS[call.record.called]
    given = [getattr(call, name) for name in call.record.operands]
    options = [getattr(call, name) for name in call.record.options]
    dtype = found.operands if chosen.operands else found.result
    if call.record.called in _COMPARED:
        dtype, given = _comparable(dtype, given)
    if functions.correct and dtype is float32 and is_rounded_correctly(call.record):
        t = evaluated(chosen, given, options, float64, device).to(torch.float32)
        if type(given[0]) is DeviceTensor and given[0].dtype is float32:
            t = settled(call.record.called, given[0].data, t, device)
    else:
        widens = dtype is found.result and wider(call, dtype) is not None
        t = evaluated(chosen, given, options, dtype, device, widens)
    return finished(call, t, device, found.result)


def evaluated(
    chosen: Way, given: list[Any], options: list[Any], dtype: DType, device: Device, widens: bool = False
) -> torch.Tensor:
    """Return the elements that `chosen` computes from the operands, which are converted to `dtype`. If `widens` is
    True, the function converts the operands from `dtype` to float32.
    """
    there, place = TORCH[dtype], place_of(device)
    operands = [_brought(x, there, place) for x in given]
    if widens and not chosen.narrow:
        there = torch.float32
        operands = [None if x is None else x.to(there) for x in operands]
    function = chosen.function
    if there is torch.uint64 and chosen.uint64:
        function = chosen.uint64
    elif there.is_complex and chosen.complexes:
        function = chosen.complexes
    return function(*operands, *options)


def _brought(x: Any, dtype: torch.dtype, place: torch.device) -> torch.Tensor | None:
    if type(x) is DeviceTensor:
        return brought(x.data, dtype)
    return None if x is None else number(x, dtype, place)


def _comparable(dtype: DType, given: list[Any]) -> tuple[DType, list[Any]]:
    """Return the type of a comparison and the operands. If a Python integer is outside the range of `dtype`, the
    integer becomes an infinity, and the type becomes float64. All comparisons with the infinity have the same results
    as comparisons with the integer.
    """
    if not dtype.is_integer and dtype is not bool_:
        return dtype, given
    least, most = (0, 1) if dtype is bool_ else limits(TORCH[dtype])
    if not any(type(x) is int and not least <= x <= most for x in given):
        return dtype, given
    infinite = [x if type(x) is not int or least <= x <= most else float("inf") * (1 if x > 0 else -1) for x in given]
    return float64, infinite


_COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

# --- operators that are one function of PyTorch ---

for _name, _function in {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "positive": torch.clone,
    "true_divide": torch.true_divide,
    "reciprocal": torch.reciprocal,
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "bitwise_invert": torch.bitwise_not,
    "conj": torch.conj_physical,
    "hypot": torch.hypot,
    "atan2": torch.atan2,
    "logaddexp": torch.logaddexp,
    "copysign": torch.copysign,
    "erf": torch.erf,
    "erfc": torch.erfc,
    **{name: getattr(torch, name) for name in ("exp", "expm1", "log", "log2", "log10", "rsqrt")},
    **{name: getattr(torch, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(torch, name) for name in ("tanh", "asinh", "acosh", "atanh")},
}.items():
    way(_name)(_function)

for _name in ("equal", "not_equal"):
    way(_name, operands=True)({"equal": torch.eq, "not_equal": torch.ne}[_name])


def _compared(function: Function) -> Function:
    return lambda a, b: function(flipped(a), flipped(b))


for _name, _function in {
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
}.items():
    way(_name, operands=True, uint64=_compared(_function))(_function)


# --- truth values ---


def _of_truth(function: Function) -> Function:
    return lambda *operands: function(*[x if x.dtype is torch.bool else x != 0 for x in operands])


for _name in ("logical_and", "logical_or", "logical_xor", "logical_not"):
    way(_name, operands=True)(_of_truth(getattr(torch, _name)))

for _name in ("isnan", "isinf", "isfinite"):
    way(_name, operands=True)(getattr(torch, _name))
way("signbit", operands=True, uint64=lambda x: torch.zeros_like(x, dtype=torch.bool))(torch.signbit)


@way("isclose", operands=True)
def isclose(a: torch.Tensor, b: torch.Tensor, rtol: float, atol: float, equal_nan: bool) -> torch.Tensor:
    """Return whether elements are close. Distances are compared in float64. The distance of integers is exact before
    the conversion to float64.
    """
    if a.is_floating_point():
        a, b = a.to(torch.float64), b.to(torch.float64)
        distance, size, finite = torch.abs(a - b), torch.abs(b), torch.isfinite(b)
    else:
        a, b = a.to(torch.int64), b.to(torch.int64)
        distance = _unsigned_distance(torch.maximum(a, b) - torch.minimum(a, b))
        size, finite = torch.abs(b.to(torch.float64)), torch.ones_like(b, dtype=torch.bool)
    close = (a == b) | (finite & (distance <= atol + rtol * size))
    return close | (torch.isnan(a) & torch.isnan(b)) if equal_nan else close


def _isclose_uint64(a: torch.Tensor, b: torch.Tensor, rtol: float, atol: float, equal_nan: bool) -> torch.Tensor:
    more = flipped(a) > flipped(b)
    distance = torch.where(more, a - b, b - a)
    return (a == b) | (_unsigned_distance(distance) <= atol + rtol * _unsigned_distance(b))


def _unsigned_distance(bits: torch.Tensor) -> torch.Tensor:
    """Convert uint64 numbers, which are given as int64 bits, to float64."""
    half = ((bits >> 1) & ~LEAST_INT64) | (bits & 1)
    return torch.where(bits < 0, half.to(torch.float64) * 2, bits.to(torch.float64))


WAYS["isclose"] = WAYS["isclose"]._replace(uint64=_isclose_uint64)

# --- maximum, minimum, clip ---


def _extreme(function: Function, zero: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Function:
    def extreme(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        found = function(a, b)
        if not a.is_floating_point():
            return found
        # PyTorch may return either of two zeros with different signs.
        return torch.where((a == 0) & (b == 0), torch.where(zero(a, b), -0.0, 0.0).to(found.dtype), found)

    return extreme


greater = _extreme(torch.maximum, lambda a, b: a.signbit() & b.signbit())
lesser = _extreme(torch.minimum, lambda a, b: a.signbit() | b.signbit())
MAXIMUM_BITS = lambda a, b: flipped(torch.maximum(flipped(a), flipped(b)))  # noqa: E731
MINIMUM_BITS = lambda a, b: flipped(torch.minimum(flipped(a), flipped(b)))  # noqa: E731
way("maximum", uint64=MAXIMUM_BITS)(greater)
way("minimum", uint64=MINIMUM_BITS)(lesser)


def _clipped(maximum: Function, minimum: Function) -> Function:
    def clipped(x: torch.Tensor, least: torch.Tensor | None, most: torch.Tensor | None) -> torch.Tensor:
        bounded = x if least is None else maximum(x, least)
        bounded = bounded if most is None else minimum(bounded, most)
        return bounded.clone() if bounded is x else bounded

    return clipped


way("clip", uint64=_clipped(MAXIMUM_BITS, MINIMUM_BITS))(_clipped(greater, lesser))

# --- arithmetic ---


@way("square")
def square(x: torch.Tensor) -> torch.Tensor:
    return x * x


@way("negative")
def negative(x: torch.Tensor) -> torch.Tensor:
    """Return the negative elements. Both parts of a complex number are negated, even if the parts are zeros."""
    return torch.view_as_complex(torch.neg(torch.view_as_real(x))) if x.is_complex() else torch.neg(x)


@way("sqrt")
def sqrt(x: torch.Tensor) -> torch.Tensor:
    """Return the correctly rounded square root. PyTorch's square root on the CPU is off by a unit in the last place for
    some numbers.
    """
    if not x.is_cpu or x.dtype not in (torch.float32, torch.float64):
        return torch.sqrt(x)
    if x.dtype is torch.float32:
        return torch.sqrt(x.to(torch.float64)).to(torch.float32)
    with np.errstate(all="ignore"):
        return torch.from_numpy(np.asarray(np.sqrt(x.numpy())))


@way("abs", operands=True, uint64=torch.clone)
def absolute(x: torch.Tensor) -> torch.Tensor:
    return x.clone() if x.dtype is torch.bool else torch.abs(x)


@way("sign", uint64=lambda x: (x != 0).to(torch.int64))
def sign(x: torch.Tensor) -> torch.Tensor:
    if x.dtype is torch.bool:
        return x.clone()
    return torch.where(torch.isnan(x), x, torch.sign(x)) if x.is_floating_point() else torch.sign(x)


@way("multiply_add")
def multiply_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Return the product of two operands plus a third operand. Floating numbers are rounded once."""
    if a.dtype is torch.bool:
        return (a & b) | c
    if not a.is_floating_point():
        return a * b + c
    if a.dtype is torch.float64:
        return _fused(a, b, c)
    product = a.to(torch.float64) * b.to(torch.float64)  # the product is exact
    return _odd_sum(product, c.to(torch.float64))


def _sum_and_rest(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    total, rest = two_sum(a, b)
    return total, torch.where(torch.isfinite(total), rest, 0.0)


def _odd_sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a float64 sum rounded to odd, so that a second rounding is correct."""
    return to_odd(*_sum_and_rest(a, b))


def _fused(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Return a b + c in float64 (Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008)."""
    high = a * b
    low = rest_of_product(a, b, high)
    upper, rest = _sum_and_rest(c, low)
    total, lower = _sum_and_rest(high, upper)
    found = total + _odd_sum(rest, lower)
    return torch.where(torch.isfinite(found) & torch.isfinite(low) & (low != 0), found, high + c)


@way("pow")
def power(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the powers of `a` with the exponents `b`. Integers wrap modulo 2^n, and powers to a negative exponent are
    0 unless the base is 1 or -1.
    """
    if a.is_floating_point():
        if a.is_cpu:  # on the CPU, PyTorch rounds contiguous rows and broadcast elements differently
            a, b = (x.contiguous() for x in torch.broadcast_tensors(a, b))
        return torch.pow(a, b)
    negative = b < 0
    found = torch.pow(a, torch.where(negative, torch.zeros_like(b), b))
    of_minus = torch.where(b % 2 == 0, 1, -1).to(a.dtype)
    inverse = torch.where(a == 1, torch.ones_like(a), torch.where(a == -1, of_minus, torch.zeros_like(a)))
    return torch.where(negative, inverse, found)


def _power_uint64(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return powers of uint64 by squaring. No exponent is negative."""
    found, base, left = torch.ones_like(a + b), a, b
    for _ in range(64):
        found = torch.where(left & 1 == 1, found * base, found)
        base, left = base * base, (left >> 1) & ~LEAST_INT64
    return found


WAYS["pow"] = WAYS["pow"]._replace(uint64=_power_uint64)


@way("nextafter", narrow=True)
def nextafter(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.dtype not in HALVES:
        return torch.nextafter(a, b)
    a, b = torch.broadcast_tensors(a, b)
    bits = a.contiguous().view(torch.int16)
    grows = (b > a) == (a > 0)
    stepped = torch.where(grows, bits + 1, bits - 1)
    tiny = torch.where(b > 0, 1, -32767).to(torch.int16)
    moved = torch.where(a == 0, tiny, stepped).view(a.dtype)
    return torch.where(torch.isnan(a) | torch.isnan(b), a + b, torch.where(a == b, b, moved))


@rows("complex", out=True)
def complex_of(call: Call, device: Device) -> Any:
    """Return a complex tensor of two parts, which are converted to their promoted type."""
    found = front.types(call)
    part, place = torch.float32 if TORCH[found.result] is torch.complex64 else torch.float64, place_of(device)
    first = TORCH[found.operands]  # a number has the type of the other operand
    rounded = first if first.is_floating_point else part
    parts = [
        (brought(x.data, rounded) if type(x) is DeviceTensor else number(x, rounded, place)).to(part)
        for x in (call.real, call.imag)
    ]
    return finished(call, torch.complex(*torch.broadcast_tensors(*parts)), device, found.result)


# --- functions whose PyTorch versions lose digits ---


@way("log1p")
def log1p(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 + x). Next to zero, the result is the operand itself.

    PyTorch's CPU function returns 0 for subnormal operands.
    """
    return torch.where(torch.abs(x) < 1e-30, x, torch.log1p(x)) if x.dtype not in HALVES else torch.log1p(x)


def _of_half_power(function: Function, odd: bool) -> Function:
    """Return a function that computes `function`, which grows like half of exp(x), without an early overflow.

    The square root of exp(x) does not overflow before `function` overflows.
    """

    def found(x: torch.Tensor) -> torch.Tensor:
        if not x.is_floating_point():
            return function(x)
        if x.dtype in HALVES:
            return found(x.to(torch.float32)).to(x.dtype)
        size = torch.abs(x)
        root = torch.exp(size * 0.5)
        large = (root * 0.5) * root
        far = size > (700.0 if x.dtype is torch.float64 else 80.0)
        return torch.where(far, torch.copysign(large, x) if odd else large, function(x))

    return found


way("sinh")(_of_half_power(torch.sinh, odd=True))
way("cosh")(_of_half_power(torch.cosh, odd=False))


# --- rounding ---


def _whole(function: Function) -> Function:
    def rounded(x: torch.Tensor) -> torch.Tensor:
        if x.is_complex():
            return torch.complex(function(x.real), function(x.imag))
        return function(x) if x.is_floating_point() else x.clone()

    return rounded


for _name, _function in {"floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc, "rint": torch.round}.items():
    way(_name)(_whole(_function))


@rows("where", out=True)
def chosen_by(call: Call, device: Device) -> Any:
    """Return elements of two operands, selected by a condition. The type of the condition does not affect the type of
    the result.
    """
    found = front.types(call)
    there, place = TORCH[found.result], place_of(device)
    condition = call.condition
    truth = (
        carried(condition.data) != 0 if type(condition) is DeviceTensor else torch.tensor(bool(condition), device=place)
    )
    x, y = (_brought(value, there, place) for value in (call.x1, call.x2))
    return finished(call, torch.where(truth, x, y), device, found.result)


_DIVISIONS = {None: "true_divide", "trunc": "trunc_divide", "floor": "floor_divide"}


@rows("divide", out=True)
def divide(call: Call, device: Device) -> Any:
    found = front.types(call)
    chosen = WAYS[_DIVISIONS[call.rounding]]
    widens = wider(call, found.result) is not None
    t = evaluated(chosen, [call.x1, call.x2], [], found.result, device, widens)
    return finished(call, t, device, found.result)
