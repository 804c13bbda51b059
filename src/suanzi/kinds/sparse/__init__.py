"""The operators for sparse operands (`suanzi.sparse`).

Each works on `values`, by the same functions as dense tensors, and on patterns, by those of the core that begin with
``sparse_``. An operator that is not in the table raises TYPE_MISMATCH; only the operators that the table marks return
dense results.
"""

from suanzi.kinds.sparse import elementwise, products, reductions, selection
from suanzi.kinds.sparse.operands import TABLE

__all__ = ["TABLE", "elementwise", "products", "reductions", "selection"]
