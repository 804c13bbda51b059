"""Sparse tensors: what they are (`tensor`), and what the operators do with them (`operators`)."""

from suanzi import _core
from suanzi.sparse import operators
from suanzi.sparse.tensor import SparseTensor

_core.register_kind(SparseTensor, 1, operators.TABLE)

__all__ = ["SparseTensor", "operators"]
