"""The array API's extension of linear algebra: the functions of `suanzi.linalg`, but with float64 for integers.

Some functions return integers for integers: `cross`, `diagonal`, `matmul`, `matrix_transpose`, `outer`, `tensordot`,
`trace`, `vecdot`, and `matrix_power` with a nonnegative power.
"""

from __future__ import annotations

from typing import SupportsIndex

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.defaults import FLOATING, in_default_type, is_of_integers, named
from suanzi.operators.creation.matrices import diagonal
from suanzi.operators.linalg import eigenvalues, factorisations, norms, products, solvers
from suanzi.operators.linalg.products import cross, matmul, outer, tensordot, vecdot
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
matrix_rank = in_default_type(solvers.matrix_rank)
pinv = in_default_type(solvers.pinv)
qr = in_default_type(factorisations.qr)
slogdet = in_default_type(solvers.slogdet)
solve = in_default_type(solvers.solve)
svd = in_default_type(factorisations.svd)
svdvals = in_default_type(factorisations.svdvals)
vector_norm = in_default_type(norms.vector_norm)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Compute as `suanzi.trace` does. `dtype` is the type of the result, by default the type that `sum` returns.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.linalg.trace(xp.eye(3), dtype=xp.float64)
    tensor(3., dtype=float64)
    """
    return _core.sum(_core.diagonal(x, offset, -2, -1), -1, False, named(dtype), None)


def matrix_power(x: Tensor, /, n: int) -> Tensor:
    """Compute as `suanzi.matrix_power` does, but in float64 for negative powers of integers and bools.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[2, 0], [0, 4]]), -1).dtype
    suanzi.float64
    """
    negative = is_of_integers(x) and isinstance(n, SupportsIndex) and n.__index__() < 0
    return products.matrix_power(x.astype(FLOATING) if negative else x, n)


compose(__name__, __all__)
