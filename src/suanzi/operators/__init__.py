"""The operators. Each category of the standard's Table 2 has a module or a folder.

The import of this package records all operators. `registry` contains the records of the implemented functions,
`catalogue` contains the names of the standard, and `accuracy` contains the error bounds.
"""

from suanzi.operators import (
    arithmetic,
    bitwise,
    comparison,
    complex_numbers,
    creation,
    exponential,
    hyperbolic,
    index,
    interpolation,
    linalg,
    logical,
    power,
    query,
    reduction,
    rounding,
    signal,
    transform,
    trigonometric,
)

# isort: split
from suanzi.operators import methods  # adds methods to tensors for all recorded operators

__all__ = [
    "arithmetic",
    "bitwise",
    "comparison",
    "complex_numbers",
    "creation",
    "exponential",
    "hyperbolic",
    "index",
    "interpolation",
    "linalg",
    "logical",
    "methods",
    "power",
    "query",
    "reduction",
    "rounding",
    "signal",
    "transform",
    "trigonometric",
]
