"""The error function in ONNX's form. The result has the input's type."""

from __future__ import annotations

import suanzi
from suanzi import Tensor, extras


def erf(x: Tensor) -> Tensor:
    """Return the error function of each element. `precision.Widened` converts integers to float64 before the call, and
    truncates the results.
    """
    return suanzi.astype(extras.erf(x), x.dtype, copy=False)
