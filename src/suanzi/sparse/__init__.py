"""Sparse tensors: what they are. What the operators do with them is in `suanzi.kinds.sparse`."""

from suanzi.sparse.tensor import SparseTensor

__all__ = ["SparseTensor"]
