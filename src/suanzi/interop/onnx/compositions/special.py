"""The error function as ONNX has it: in the type of its input."""

from __future__ import annotations

import suanzi
from suanzi import Tensor
from suanzi.extras.error_function import erf_in_own_type


def erf(x: Tensor) -> Tensor:
    """The error function of floating elements; of others it is computed in float32 and cut off."""
    if x.dtype not in (suanzi.float32, suanzi.float64):
        return suanzi.astype(erf(suanzi.astype(x, suanzi.float32)), x.dtype)
    return erf_in_own_type(x)
