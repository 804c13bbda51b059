"""Tensors as text, in NumPy's manner."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.dtypes import bfloat16, bool_, complex64, float32, string
from suanzi.tensor.exchange import Array, array_of, objects_of

# The types that the printed elements would get again from `suanzi.tensor`: left unsaid.
_EVIDENT = (bool_, float32, complex64)
_DESTROYED = "tensor(<destroyed>)"


def _printable(x: Tensor) -> Array:
    if x.dtype is string:
        return objects_of(x)
    # NumPy prints float32 in its shortest form, a type from outside with a fixed precision.
    return array_of(x).astype(np.float32) if x.dtype is bfloat16 else array_of(x)


def represent(x: Tensor) -> str:
    """``tensor([1., 2.])``; the element type unless it is evident, the shape where elements are left out."""
    if _core.is_destroyed(x):
        return _DESTROYED
    options: Any = np.get_printoptions()
    # An empty shape may be larger than NumPy's arrays can be.
    text = np.array2string(_printable(x), separator=", ", prefix="tensor(", suffix=")") if x.size else "[]"
    extras = []
    if x.size > options["threshold"] or (x.size == 0 and x.ndim != 1):
        extras.append(f"shape={x.shape}")
    if x.dtype not in _EVIDENT:
        extras.append(f"dtype={x.dtype}")
    body = f"tensor({text}"
    if not extras:
        return f"{body})"
    tail = ", ".join(extras) + ")"
    last_line = len(body) - body.rfind("\n") - 1
    fits = last_line + len(", ") + len(tail) <= options["linewidth"]
    gap = " " if fits else "\n" + " " * len("tensor(")
    return f"{body},{gap}{tail}"


def as_text(x: Tensor) -> str:
    """``[1. 2.]``, as NumPy's ``str``."""
    if _core.is_destroyed(x):
        return _DESTROYED
    return str(_printable(x)) if x.size else "[]"


def formatted(x: Tensor, spec: str) -> str:
    """``format(x, spec)``: a specification applies to the one element of a scalar."""
    return format(x.item(), spec) if spec and not _core.is_destroyed(x) else as_text(x)
