"""Sparse tensors: what they are (`tensor`), and what the operators do with them (`operators`)."""

from suanzi.sparse import methods, operators
from suanzi.sparse.tensor import SparseTensor

__all__ = ["SparseTensor", "methods", "operators"]
