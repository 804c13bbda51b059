"""The operators for sparse operands (`suanzi.sparse`).

Each operator computes on `values` by the functions of dense tensors, and on patterns by the core's functions that begin
with ``sparse_``. An operator that is not in the table raises TYPE_MISMATCH. docs/sparse.md states which operators
return dense results.
"""

from suanzi.kinds.sparse import elementwise, products, reductions, selection
from suanzi.kinds.sparse.operands import TABLE

__all__ = ["TABLE", "elementwise", "products", "reductions", "selection"]
