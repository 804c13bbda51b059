"""Conversions between tensors and narrow element types (floats of 8 bits, types of less than 8 bits), rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import numpy_helper

import suanzi
from suanzi import InvalidArgumentError, Tensor
from suanzi.interop.onnx.types import NARROW, Kind, Stored, UnsupportedError, listed


def opened(x: Tensor | Stored) -> Tensor:
    """Return elements of a narrow type as a tensor of 8-bit integers or of float32. Return a tensor unchanged."""
    if isinstance(x, Tensor):
        return x
    narrow = NARROW[x.dtype]
    wide = np.float32 if narrow.is_float else np.int8 if narrow.numpy.name.startswith("int") else np.uint8
    return suanzi.from_reference(x.array.astype(wide, order="C"))


def closed(x: Tensor, dtype: Kind, saturate: int = 1, round_mode: str = "up") -> Stored:
    """Return elements in a narrow type.

    For a narrow integer type, real numbers are truncated toward zero, and integers wrap. For a narrow floating type,
    numbers are rounded to nearest, or for float8e8m0 as `round_mode` states. Numbers beyond the range become the
    greatest number, or, if `saturate` is 0, an infinity or NaN if the type has such a value.
    """
    narrow = NARROW.get(dtype)
    if narrow is None:
        raise UnsupportedError(f"onnx: a conversion to {listed([dtype])} is not supported")
    if x.dtype is suanzi.string or x.dtype.kind_name == "complex floating":
        raise UnsupportedError(f"onnx: a conversion of {listed([x.dtype])} to {listed([dtype])} is not supported")
    if not narrow.is_float:
        whole = suanzi.astype(x, suanzi.int64) if x.dtype.kind_name == "real floating" else x
        return Stored(whole.numpy().astype(np.int64).astype(narrow.numpy), dtype)
    with np.errstate(all="ignore"):
        exact = _sticky(x.numpy())
        if "e8m0" in dtype.text:
            if round_mode not in ("up", "down", "nearest"):
                raise InvalidArgumentError(f"Cast: round_mode {round_mode!r} is not up, down or nearest")
            steps = numpy_helper.to_float8e8m0(exact, bool(saturate), round_mode)
            return Stored(steps.astype(narrow.numpy), dtype)
        if saturate and narrow.bits == 8:
            most = float(_greatest(dtype))
            exact = np.clip(exact, -most, most)
        return Stored(exact.astype(narrow.numpy), dtype)


def _sticky(x: Any) -> Any:
    """Return `x` in float32 such that a second rounding has the same result as a rounding of `x`. The last bit of an
    inexact number is 1.

    A conversion of float64 through float32 would otherwise round twice.
    """
    if x.dtype.itemsize < 4 or x.dtype == np.float32:
        return x.astype(np.float32)
    wide = x.astype(np.float64)
    near = wide.astype(np.float32)
    bits = near.view(np.uint32)
    bits = bits - (np.abs(near) > np.abs(wide))  # the bits of the number rounded toward zero
    return (bits | (near != wide)).astype(np.uint32).view(np.float32)


_GREATEST = {
    "tensor(float8e4m3fn)": 448,
    "tensor(float8e4m3fnuz)": 240,
    "tensor(float8e5m2)": 57344,
    "tensor(float8e5m2fnuz)": 57344,
}


def _greatest(dtype: Kind) -> int:
    """Return the greatest finite number of a type of 8-bit floats, as in ONNX's documentation "Float stored in 8
    bits".
    """
    return _GREATEST[dtype.text]


def require_zero(zero_point: Tensor, operator: str) -> None:
    """Raise INVALID_ARGUMENT if the zero point for a float type is not 0."""
    if bool(suanzi.any(suanzi.not_equal(zero_point, 0)).item()):
        raise InvalidArgumentError(f"{operator}: the zero point of floats of 8 bits is not zero")
