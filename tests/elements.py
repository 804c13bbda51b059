"""The bits of tensors' elements, in a form for comparisons of fused functions with single operators."""

from __future__ import annotations

from typing import Any

import numpy as np

import suanzi


def elements(x: suanzi.Tensor) -> bytes:
    """Return the bits of the elements, with the same bits for every NaN.

    IEEE 754-2019, 6.2.3, leaves open which NaN is the sum of two NaNs, so the compiler may choose. A single call of
    `add` may return the first NaN for some elements and the second NaN for other elements.
    """
    array = suanzi.contiguous(x).numpy()
    if not suanzi.array_api.isdtype(x.dtype, ("real floating", "complex floating")):
        return array.tobytes()
    if x.dtype == suanzi.bfloat16:
        array = array.astype(np.float32)
    parts = array.reshape(-1).view(array.real.dtype)
    return np.where(np.isnan(parts), np.nan, parts).tobytes()


def signed(x: Any) -> Any:
    """Replace each NaN of a tensor by 1, because the sign of a NaN is unspecified, and return the new tensor."""
    return suanzi.where(suanzi.isnan(x), 1, x)
