"""The elements of tensors to the bit, as fused functions and single operators must have them alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import suanzi


def elements(x: suanzi.Tensor) -> bytes:
    """The bits of the elements, every NaN being the same one.

    Which NaN comes out where two are added is open (IEEE 754-2019, 6.2.3), and so to the compiler: one call of `add`
    gives the first of two at some places and the second at others.
    """
    array = suanzi.contiguous(x).numpy()
    if not suanzi.array_api.isdtype(x.dtype, ("real floating", "complex floating")):
        return array.tobytes()
    if x.dtype == suanzi.bfloat16:
        array = array.astype(np.float32)
    parts = array.reshape(-1).view(array.real.dtype)
    return np.where(np.isnan(parts), np.nan, parts).tobytes()


def signed(x: Any) -> Any:
    """Return elements with a number for NaN, whose sign tells two NaNs apart."""
    return suanzi.where(suanzi.isnan(x), 1, x)
