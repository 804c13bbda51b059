"""The operators, one module (or a folder of them) per category of Table 2; importing the package fills the registry.

`registry` has the implemented functions, `catalogue` the names of the standard, `accuracy` the error bounds.
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
from suanzi.operators import methods  # makes methods of all recorded operators

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
