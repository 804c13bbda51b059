"""The extension of linear algebra: `suanzi.linalg`, with the array API's `trace`."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.creation.matrices import diagonal
from suanzi.operators.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh
from suanzi.operators.linalg.factorisations import cholesky, qr, svd, svdvals
from suanzi.operators.linalg.norms import matrix_norm, vector_norm
from suanzi.operators.linalg.products import cross, matmul, matrix_power, outer, tensordot, vecdot
from suanzi.operators.linalg.solvers import det, inv, matrix_rank, pinv, slogdet, solve
from suanzi.operators.transform.shape import matrix_transpose
from suanzi.tensor.dtypes import DTypeLike

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
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


def trace(x: Tensor, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """As `suanzi.trace`, and of any type: by default that of a sum.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.linalg.trace(xp.eye(3), dtype=xp.float64)
    tensor(3., dtype=float64)
    """
    return _core.sum(_core.diagonal(x, offset, -2, -1), -1, False, dtype, None)
