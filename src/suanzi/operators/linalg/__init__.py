"""Linear algebra (Table 2, 线性代数操作). The core finds BLAS and LAPACK by the function `locate`."""

from suanzi import _core
from suanzi.operators.linalg import eigenvalues, factorisations, norms, products, solvers
from suanzi.operators.linalg.library import locate

_core.register_blas(locate)

__all__ = ["eigenvalues", "factorisations", "norms", "products", "solvers"]
