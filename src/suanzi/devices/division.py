"""Integer quotients, remainders and bit shifts, registered for the table `elementwise.WAYS`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from suanzi.devices.elementwise import way
from suanzi.devices.types import LEAST_INT64, flipped

Function = Callable[..., torch.Tensor]

# --- integer quotients ---


def _divided(a: torch.Tensor, b: torch.Tensor, mode: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the quotient and the remainder of integers. The quotient and the remainder are 0 for a divisor of 0."""
    minus = (b == -1) if b.dtype.is_signed else torch.zeros_like(b, dtype=torch.bool)
    unit = (b == 0) | minus
    divisor = torch.where(unit, torch.ones_like(b), b)
    quotient = torch.div(a, divisor, rounding_mode=mode)
    rest = torch.where(unit, torch.zeros_like(a), a - quotient * divisor)
    quotient = torch.where(minus, -a, quotient)
    return torch.where(b == 0, torch.zeros_like(a), quotient), rest


def divided_uint64(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the quotient and the remainder of uint64 numbers that are given as int64 bits. The function divides half
    the dividend, and then completes the quotient.
    """
    a, b = torch.broadcast_tensors(a, b)
    big = b < 0
    divisor = torch.where(big | (b == 0), torch.ones_like(b), b)
    quotient = torch.div((a >> 1) & ~LEAST_INT64, divisor, rounding_mode="floor") << 1
    rest = a - quotient * divisor
    more = flipped(rest) >= flipped(divisor)
    quotient, rest = quotient + more, torch.where(more, rest - divisor, rest)
    once = flipped(a) >= flipped(b)
    quotient = torch.where(big, once.to(torch.int64), quotient)
    rest = torch.where(big, torch.where(once, a - b, a), rest)
    zero = torch.zeros_like(a)
    return torch.where(b == 0, zero, quotient), torch.where(b == 0, zero, rest)


def _exact_rest(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the result of `torch.fmod` for float64. NumPy computes the result on the CPU, where PyTorch returns NaN if
    the quotient is large.
    """
    if not a.is_cpu:
        return torch.fmod(a, b)
    with np.errstate(all="ignore"):
        return torch.from_numpy(np.asarray(np.fmod(*(x.numpy() for x in torch.broadcast_tensors(a, b)))))


def _quotient(a: torch.Tensor, b: torch.Tensor, floor: bool) -> torch.Tensor:
    """Return the integral part of the exact quotient of floating numbers, computed in float64 and rounded once. If
    `floor` is True, the exact quotient is rounded down instead of toward zero.
    """
    x, y = a.to(torch.float64), b.to(torch.float64)
    ratio = x / y
    size, divisor = torch.abs(x), torch.abs(y)
    rest = _exact_rest(size, divisor)
    whole = torch.round((size - rest) / divisor)
    whole = torch.where(torch.isinf(divisor), torch.zeros_like(whole), whole)
    if floor:
        below = (x.signbit() != y.signbit()) & (rest != 0) & torch.isfinite(divisor)
        whole = torch.where(below, whole + 1, whole)
    found = torch.where(torch.abs(ratio) < 2.0**53, whole, ratio)
    return torch.copysign(torch.where(torch.isfinite(ratio), found, ratio), ratio).to(a.dtype)


def _rest(a: torch.Tensor, b: torch.Tensor, floor: bool) -> torch.Tensor:
    x, y = a.to(torch.float64), b.to(torch.float64)
    rest = _exact_rest(x, y)
    if floor:
        moved = torch.where(x.signbit() != y.signbit(), rest + y, rest)
        rest = torch.where(rest == 0, torch.copysign(rest, y), moved)
    return rest.to(a.dtype)


def _division(part: int, floor: bool) -> Function:
    mode = "floor" if floor else "trunc"
    of_floats = (_quotient, _rest)[part]

    def divided(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return of_floats(a, b, floor) if a.is_floating_point() else _divided(a, b, mode)[part]

    return divided


for _name, (_part, _floor) in {
    "trunc_divide": (0, False),
    "floor_divide": (0, True),
    "fmod": (1, False),
    "remainder": (1, True),
}.items():
    way(_name, uint64=lambda a, b, part=_part: divided_uint64(a, b)[part])(_division(_part, _floor))


# --- bits ---


def _shifted(left: bool, unsigned: bool = False) -> Function:
    def shift(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        width = a.element_size() * 8
        count = b.clamp(0, width - 1)
        if left:
            found = torch.bitwise_left_shift(a, count)
        elif unsigned:
            once = (a >> 1) & ~LEAST_INT64
            found = torch.where(count == 0, a, once >> (count - 1).clamp(min=0))
        else:
            found = torch.bitwise_right_shift(a, count)
        gone = (b < 0) | (b >= width)
        filled = torch.where(a < 0, -1, 0).to(a.dtype) if not (left or unsigned) else torch.zeros_like(a)
        return torch.where(gone, filled, found)

    return shift


way("bitwise_left_shift", uint64=_shifted(True))(_shifted(True))
way("bitwise_right_shift", uint64=_shifted(False, unsigned=True))(_shifted(False))
