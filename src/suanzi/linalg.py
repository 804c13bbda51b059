"""The array API's namespace of linear algebra: a list of names, defined in `suanzi.operators.linalg`."""

from suanzi.operators.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh
from suanzi.operators.linalg.factorisations import cholesky, lu, qr, svd, svdvals
from suanzi.operators.linalg.norms import cond, matrix_norm, vector_norm
from suanzi.operators.linalg.products import (
    dot,
    einsum,
    matmul,
    matrix_power,
    outer,
    tensordot,
    vecdot,
)
from suanzi.operators.linalg.solvers import det, inv, lstsq, matrix_rank, pinv, slogdet, solve

__all__ = [
    "cholesky",
    "cond",
    "det",
    "dot",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "inv",
    "lstsq",
    "lu",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "vecdot",
    "vector_norm",
]
