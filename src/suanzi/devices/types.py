"""Element types on devices: PyTorch's type for each element type, the type of computations, and conversions.

PyTorch stores unsigned integers of 16, 32 and 64 bits but has few operators for these types. uint16 and uint32 are
computed in a wider signed type. uint64 elements are computed as int64 elements with the same bits, and operators for
which signs matter have a separate function. float16 and bfloat16 are computed in float32 or float64 if PyTorch's
function does not round exactly once.
"""

from __future__ import annotations

from typing import Any

import torch

from suanzi.tensor.dtypes import DTYPES, DType, string

TORCH: dict[DType, torch.dtype] = {dtype: getattr(torch, dtype.name) for dtype in DTYPES if dtype is not string}
OURS: dict[torch.dtype, DType] = {there: ours for ours, there in TORCH.items()}

CARRIERS = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}
HALVES = (torch.float16, torch.bfloat16)
_SAME_BITS = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
LEAST_INT64 = torch.iinfo(torch.int64).min


def computed_type(dtype: torch.dtype) -> torch.dtype:
    """Return the type in which PyTorch computes elements of a type."""
    return CARRIERS.get(dtype, dtype)


def folded_type(elements: torch.dtype, wanted: torch.dtype) -> torch.dtype:
    """Return the type in which elements are folded to a result of the type `wanted`. If `wanted` is a floating type
    that may not hold the elements, the elements are folded in a wider type.
    """
    are_digits = elements.is_floating_point or (elements.is_complex and wanted.is_complex)
    if are_digits and (wanted.is_floating_point or wanted.is_complex):
        return torch.promote_types(elements, wanted)
    return wanted


def carried(t: torch.Tensor) -> torch.Tensor:
    """Return the elements of `t` in the type in which PyTorch computes elements of the type of `t`."""
    if t.dtype is torch.uint64:
        return t.view(torch.int64)
    carrier = CARRIERS.get(t.dtype)
    return t if carrier is None else t.to(carrier)


def stored(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a computed tensor converted to `dtype`, the type in which the elements are stored."""
    if t.dtype is dtype:
        return t
    if dtype is torch.uint64 and t.dtype is torch.int64:
        return t.view(torch.uint64)
    if dtype in HALVES and t.dtype is torch.float64:
        return halved(t, dtype)
    return t.to(dtype)


def as_bits(t: torch.Tensor) -> torch.Tensor:
    """Return a view of the same memory with a type that every PyTorch function for moving elements accepts."""
    same = _SAME_BITS.get(t.dtype)
    return t if same is None else t.view(same)


def flipped(t: torch.Tensor) -> torch.Tensor:
    """Map uint64 numbers, which are given as int64 bits, to int64 numbers in the same order."""
    return t ^ LEAST_INT64


def ordered(t: torch.Tensor) -> torch.Tensor:
    """Return the elements in a type that compares in the same order."""
    if t.dtype is torch.uint64:
        return flipped(t.view(torch.int64))
    return t.to(torch.uint8) if t.dtype is torch.bool else carried(t)


def to_odd(rounded: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
    """Return a rounded result and its rounding error as one number rounded to odd. A second rounding of a number
    rounded to odd is correct.

    Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008.
    """
    bits = rounded.view(torch.int64 if rounded.dtype is torch.float64 else torch.int32)
    outward = (rest > 0) == (rounded > 0)
    moved = (rest != 0) & (bits & 1 == 0) & torch.isfinite(rounded)
    odd = torch.where(outward, bits + 1, bits - 1)
    # If the result is 0, its neighbour has the sign of the rounding error.
    tiny = torch.where(rest < 0, torch.iinfo(bits.dtype).min + 1, 1).to(bits.dtype)
    return torch.where(moved, torch.where(rounded == 0, tiny, odd), bits).view(rounded.dtype)


def halved(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Convert float64 to float16 or bfloat16 with a single rounding. PyTorch rounds to float32 first."""
    single = t.to(torch.float32)
    rest = t - single.to(torch.float64)
    rest = torch.where(torch.isfinite(rest), rest, 0.0)
    # A number that is infinite in float32 is infinite in float16 and bfloat16 as well.
    return to_odd(single, rest).to(dtype)


def limits(dtype: torch.dtype) -> tuple[int, int]:
    """Return the least and the greatest number of an integer type."""
    info = torch.iinfo(dtype)
    return int(info.min), int(info.max)


def _saturated(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return floating numbers as integers. Fractions are cut off, NaN becomes 0, and a number beyond the limits becomes
    the nearer limit.
    """
    least, most = limits(dtype)
    wide = t.to(torch.float64)
    wide = torch.where(torch.isnan(wide), 0.0, wide).trunc()
    over, under = wide >= float(most), wide <= float(least)
    inside = torch.where(over | under, 0.0, wide)
    if dtype is torch.uint64:  # a cast from float64 covers only the range of int64
        high = inside >= 2.0**63
        whole = torch.where(high, inside - 2.0**63, inside).to(torch.int64)
        whole = torch.where(high, whole ^ LEAST_INT64, whole)
        return torch.where(over, -1, whole).view(torch.uint64)
    whole = inside.to(torch.int64)
    return torch.where(over, most, torch.where(under, least, whole)).to(dtype)


def converted(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the elements in another type, converted as by `suanzi.astype`."""
    if t.dtype is dtype:
        return t
    if dtype is torch.bool:
        return carried(t) != 0
    if dtype.is_complex or t.dtype is torch.bool or t.dtype.is_complex:
        part = torch.float32 if dtype is torch.complex64 else torch.float64
        return t.to(dtype) if t.dtype.is_complex or not dtype.is_complex else converted(t, part).to(dtype)
    if t.dtype.is_floating_point:
        if not dtype.is_floating_point:
            return _saturated(t, dtype)
        return halved(t, dtype) if dtype in HALVES and t.dtype is torch.float64 else t.to(dtype)
    if not dtype.is_floating_point:
        return stored(carried(t).to(computed_type(dtype)), dtype)
    if dtype in HALVES:
        return halved(_odd_float64(t), dtype)
    return _from_uint64(t, dtype) if t.dtype is torch.uint64 else carried(t).to(dtype)


def _odd_float64(t: torch.Tensor) -> torch.Tensor:
    """Return integers as float64, rounded to odd if inexact, so that a second rounding is correct."""
    if t.dtype is torch.uint64:
        bits = t.view(torch.int64)
        half = ((bits >> 1) & ~LEAST_INT64) | (bits & 1)
        return torch.where(bits < 0, _odd_float64(half) * 2, _odd_float64(bits))
    whole = carried(t)
    if whole.dtype is not torch.int64:
        return whole.to(torch.float64)
    upper = (whole >> 11) | (whole & 2047 != 0)
    return torch.where(
        (whole >> 53 == 0) | (whole >> 53 == -1), whole.to(torch.float64), upper.to(torch.float64) * 2048
    )


def _from_uint64(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Convert uint64 numbers. The function halves a number of at least 2^63, so that the half fits int64, and doubles
    the rounded half. The lowest bit of the half is 1 if the lost bit is 1, so that the rounding is right.
    """
    bits = t.view(torch.int64)
    half = ((bits >> 1) & ~LEAST_INT64) | (bits & 1)
    return torch.where(bits < 0, half.to(dtype) * 2, bits.to(dtype))


def brought(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the elements converted to a type, in the type in which PyTorch computes elements of that type."""
    return carried(converted(t, dtype))


def number(value: Any, dtype: torch.dtype, place: torch.device) -> torch.Tensor:
    """Return a Python number as a tensor without dimensions, in the type in which PyTorch computes `dtype`."""
    there = computed_type(dtype)
    if dtype is torch.uint64:
        value = (int(value) + 2**63) % 2**64 - 2**63
    if dtype.is_floating_point and not dtype.is_complex:
        # The conversion through float64 turns numbers that are too large for the type into infinities. PyTorch refuses
        # numbers that are too large for the type.
        wide = torch.tensor(_as_float(value), dtype=torch.float64)
        return stored(wide, dtype).to(place)
    return torch.tensor(value, dtype=there).to(place)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
