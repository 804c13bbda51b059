"""The classes of sparse tensors. `suanzi.kinds.sparse` has the operators on sparse tensors."""

from suanzi.sparse.tensor import SparseTensor

__all__ = ["SparseTensor"]
