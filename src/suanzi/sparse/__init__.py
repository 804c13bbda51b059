"""The classes of sparse tensors. `suanzi.kinds.sparse` has the operators on sparse tensors."""

from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.absent import attributes_of

__all__ = ["SparseTensor"]

__getattr__ = attributes_of(__name__)
