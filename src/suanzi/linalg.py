"""The array API's namespace of linear algebra: a list of names, defined in `suanzi.operators.linalg`."""

from suanzi.operators.linalg.products import (
    dot,
    einsum,
    matmul,
    matrix_power,
    outer,
    tensordot,
    vecdot,
)

__all__ = ["dot", "einsum", "matmul", "matrix_power", "outer", "tensordot", "vecdot"]
