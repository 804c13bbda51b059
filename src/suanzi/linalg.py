"""The array API's namespace of linear algebra: a list of names, most of which `suanzi.operators.linalg` defines."""

from suanzi.operators.arithmetic import trace
from suanzi.operators.creation.matrices import diagonal
from suanzi.operators.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh
from suanzi.operators.linalg.factorisations import cholesky, lu, qr, svd, svdvals
from suanzi.operators.linalg.norms import cond, matrix_norm, vector_norm
from suanzi.operators.linalg.products import (
    cross,
    dot,
    einsum,
    matmul,
    matrix_power,
    outer,
    tensordot,
    vecdot,
)
from suanzi.operators.linalg.solvers import det, inv, lstsq, matrix_rank, pinv, slogdet, solve
from suanzi.operators.transform.shape import matrix_transpose
from suanzi.tensor.absent import attributes_of

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
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
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

__getattr__ = attributes_of(__name__)
