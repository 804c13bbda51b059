"""`round` on devices: rounding to a number of decimals in seven modes. The exact value of each number determines the
result.
"""

from __future__ import annotations

import torch

from suanzi.devices.division import divided_uint64
from suanzi.devices.double_double import rest_of_product
from suanzi.devices.elementwise import WAYS, way
from suanzi.devices.types import HALVES, flipped

_PAST = 2.0**52  # float64 numbers of at least this magnitude are integers
_MOST = 300  # the number of decimals is clipped to the range from -300 to 300


@way("round")
def rounded(x: torch.Tensor, decimals: int, mode: str) -> torch.Tensor:
    if x.is_complex():
        return torch.complex(rounded(x.real, decimals, mode), rounded(x.imag, decimals, mode))
    decimals = max(-_MOST, min(int(decimals), _MOST))
    if x.dtype is torch.bool or not x.is_floating_point():
        return x.clone() if decimals >= 0 or x.dtype is torch.bool else _of_integers(x, -decimals, mode)
    if decimals == 0 and mode == "half_even":
        return torch.round(x)
    wide = x.to(torch.float64)
    found = (_to_decimals if decimals >= 0 else _to_powers)(wide, abs(decimals), mode)
    found = torch.copysign(torch.where(torch.isfinite(wide) & torch.isfinite(found.to(x.dtype)), found, wide), wide)
    return found.to(torch.float32).to(x.dtype) if x.dtype in HALVES else found.to(x.dtype)


def _goes_up(
    lower: torch.Tensor, side: torch.Tensor, some: torch.Tensor, negative: torch.Tensor, mode: str
) -> torch.Tensor:
    """Return whether to choose the integer above `lower`. `side` is -1, 0 or 1 for a fraction below, at or above the
    middle, and `some` is True for a fraction other than 0.
    """
    if mode == "half_even":
        return (side > 0) | ((side == 0) & (torch.remainder(lower, 2) != 0))
    if mode == "half_up":
        return side >= 0
    if mode == "half_down":
        return side > 0
    if mode == "half_away":
        return torch.where(negative, side > 0, side >= 0)
    if mode == "ceil":
        return some
    return negative & some if mode == "trunc" else torch.zeros_like(some)


def _to_decimals(x: torch.Tensor, decimals: int, mode: str) -> torch.Tensor:
    factor = 10.0**decimals
    scaled = x * factor
    rest = rest_of_product(x, torch.full_like(x, factor), scaled)
    rest = torch.where(torch.isfinite(rest), rest, torch.zeros_like(rest))
    lower = torch.floor(scaled)
    fraction = scaled - lower
    under = (fraction == 0) & (rest < 0)
    lower, fraction = torch.where(under, lower - 1, lower), torch.where(under, 1.0, fraction)
    middle = torch.sign(fraction - 0.5)
    side = torch.where(middle == 0, torch.sign(rest), middle)
    some = (fraction > 0) | (rest > 0)
    number = lower + _goes_up(lower, side, some, x < 0, mode)
    return torch.where(torch.abs(scaled) < _PAST, number / factor, x)


def _to_powers(x: torch.Tensor, places: int, mode: str) -> torch.Tensor:
    unit = 10.0**places
    rest = torch.remainder(x, unit)
    rest = torch.where(rest == unit, torch.zeros_like(rest), rest)
    lower = torch.round((x - rest) / unit)
    number = lower + _goes_up(lower, torch.sign(rest - (unit - rest)), rest > 0, x < 0, mode)
    return number * unit


def _rounded_uint64(x: torch.Tensor, decimals: int, mode: str) -> torch.Tensor:
    """Return rounded uint64 numbers. The numbers are given and returned as int64 bits, and the function divides by
    `divided_uint64`.
    """
    if decimals >= 0:
        return x.clone()
    if decimals < -19:
        return torch.zeros_like(x)
    unit = torch.tensor((10 ** min(-decimals, 19) + 2**63) % 2**64 - 2**63, device=x.device)
    lower, rest = divided_uint64(x, unit)
    below, above = flipped(rest), flipped(unit - rest)
    side = (below > above).to(torch.int8) - (below < above).to(torch.int8)
    number = lower + _goes_up(lower, side, rest != 0, torch.zeros_like(rest, dtype=torch.bool), mode)
    return number * unit


WAYS["round"] = WAYS["round"]._replace(uint64=_rounded_uint64)


def _of_integers(x: torch.Tensor, places: int, mode: str) -> torch.Tensor:
    if places > 18:
        return torch.zeros_like(x)
    unit = 10**places
    wide = x.to(torch.int64)
    lower = torch.div(wide, unit, rounding_mode="floor")
    rest = wide - lower * unit
    number = lower + _goes_up(lower, torch.sign(rest - (unit - rest)), rest > 0, wide < 0, mode)
    return (number * unit).to(x.dtype)
