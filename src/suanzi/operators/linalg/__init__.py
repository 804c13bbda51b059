"""Linear algebra (Table 2, 线性代数操作). An import of the package sets where the core looks for BLAS and LAPACK."""

from suanzi import _core
from suanzi.operators.linalg import eigenvalues, factorisations, norms, products, solvers
from suanzi.operators.linalg.library import locate

_core.register_blas(locate)

__all__ = ["eigenvalues", "factorisations", "norms", "products", "solvers"]
