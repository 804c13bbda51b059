"""Triton's interpreter for the tests. Kernels run on the host, with NumPy's functions in place of GPU functions.

Triton reads the environment at import, so tests import this module before Triton.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"
os.environ["SUANZI_GPU"] = "cpu"

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as runtime
from triton.runtime.interpreter import TensorHandle

from suanzi.devices.triton import library

_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh"} | {
    "atanh": "arctanh",
    "atan2": "arctan2",
    "pow": "power",
}


def _function(name: str) -> Callable[..., Any]:
    compute: Any = np.vectorize(getattr(math, name), otypes=[float]) if name in ("erf", "erfc") else None
    compute = compute or getattr(np, _NAMES.get(name, name))

    def call(*operands: Any) -> Any:
        first = max(operands, key=lambda x: len(x.shape))
        with np.errstate(all="ignore"):
            found = np.asarray(compute(*[x.handle.data for x in operands]), dtype=first.handle.data.dtype)
        return tl.tensor(TensorHandle(found, first.handle.dtype), first.type)

    return call


_convert = runtime._convert_float


def _converted(data: Any, source: Any, target: Any, rounding: Any) -> Any:
    """Convert floating types like Triton's interpreter, except that float32 is rounded to bfloat16, not truncated."""
    if (source, target) == (tl.float32, tl.bfloat16):
        bits = data.view(np.uint32)
        nearest = ((bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(data), np.uint16(0x7FC0), nearest)
    if (source, target) == (tl.bfloat16, tl.float32):
        return data.astype(np.uint32) << np.uint32(16)
    return _convert(data, source, target, rounding)


def prepare() -> None:
    """Replace the functions of the GPU makers' libraries by NumPy's functions."""
    from suanzi.devices.triton.expressions import LIBRARY

    runtime._convert_float = _converted
    library.libdevice = SimpleNamespace(**{name: _function(there) for name, there in LIBRARY.items()})


prepare()
