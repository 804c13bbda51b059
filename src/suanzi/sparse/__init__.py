"""The classes of sparse tensors. The operators for them are in `suanzi.kinds.sparse`."""

from suanzi.sparse.tensor import SparseTensor

__all__ = ["SparseTensor"]
