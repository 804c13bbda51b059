"""The extension of linear algebra: `suanzi.linalg`, but integers are taken as float64, and the array API's `trace`."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.defaults import in_default_type, named
from suanzi.operators.creation.matrices import diagonal
from suanzi.operators.linalg import eigenvalues, factorisations, norms, solvers
from suanzi.operators.linalg.products import cross, matmul, matrix_power, outer, tensordot, vecdot
from suanzi.operators.linalg.solvers import matrix_rank
from suanzi.operators.transform.shape import matrix_transpose
from suanzi.tensor.composed import compose
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

cholesky = in_default_type(factorisations.cholesky)
det = in_default_type(solvers.det)
eig = in_default_type(eigenvalues.eig)
eigh = in_default_type(eigenvalues.eigh)
eigvals = in_default_type(eigenvalues.eigvals)
eigvalsh = in_default_type(eigenvalues.eigvalsh)
inv = in_default_type(solvers.inv)
matrix_norm = in_default_type(norms.matrix_norm)
pinv = in_default_type(solvers.pinv)
qr = in_default_type(factorisations.qr)
slogdet = in_default_type(solvers.slogdet)
solve = in_default_type(solvers.solve)
svd = in_default_type(factorisations.svd)
svdvals = in_default_type(factorisations.svdvals)
vector_norm = in_default_type(norms.vector_norm)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """As `suanzi.trace`, and of any type: by default that of a sum.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.linalg.trace(xp.eye(3), dtype=xp.float64)
    tensor(3., dtype=float64)
    """
    return _core.sum(_core.diagonal(x, offset, -2, -1), -1, False, named(dtype), None)


compose(__name__, __all__)
