"""Operators of the domain ai.onnx.ml: classical machine learning, as scikit-learn's converters write it.

Schemas, versions and defaults are in the package onnx.
"""

from __future__ import annotations

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.precision import AS_GIVEN
from suanzi.interop.onnx.rows import Row, Rows


def binarizer(x: Tensor, *, threshold: float) -> Tensor:
    """One where an element is greater than the threshold, else zero; the comparison is exact in every type."""
    return suanzi.astype(suanzi.greater(x, threshold), x.dtype)


TABLE: Rows = {
    "Binarizer": (Row(binarizer, family="elementwise", widths=AS_GIVEN),),
}
"""Rows by the operators' names, later versions last."""
