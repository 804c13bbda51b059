"""The operators for sparse operands (`suanzi.sparse`).

Each works on `values`, by the same functions as dense tensors, and on patterns, by those of the core that begin with
``sparse_``. What is not in the table is TYPE_MISMATCH; only what it says gives a dense result.
"""

from suanzi.kinds.sparse import elementwise, products, reductions, selection
from suanzi.kinds.sparse.operands import TABLE

__all__ = ["TABLE", "elementwise", "products", "reductions", "selection"]
