"""The common part of the reductions' declarations: statuses and shared parameters."""

from __future__ import annotations

from functools import partial

from suanzi.operators.registry import operator

FAILS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
PARAMETERS = {
    "axis": """axis : int or tuple of int, optional
    The axes to reduce. Negative numbers count from the end. By default all axes are reduced. ``()`` means no axis.""",
    "keepdims": """keepdims : bool, optional
    Keep the reduced axes with size 1.""",
    "dtype": """dtype : DType, optional
    The type of the result. A reduction to an integer type, other than `all` and `any`, first converts the
    elements to this type. A sum, a product or a mean of a floating type is rounded once, at the end.""",
}

reduction = partial(operator, statuses=FAILS, of="reduce", parameters=PARAMETERS)
"""The decorator that records a function as an operation of `reduce`, under the function's own name."""
