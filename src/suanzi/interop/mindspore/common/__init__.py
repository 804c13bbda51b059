"""The names of MindSpore's ``mindspore.common``: element types (`dtype`), `tensor` and `sparse_tensor`."""

from suanzi.interop.mindspore.common import dtype
from suanzi.interop.mindspore.common.sparse_tensor import COOTensor, CSRTensor
from suanzi.interop.mindspore.common.tensor import Tensor

__all__ = ["COOTensor", "CSRTensor", "Tensor", "dtype"]
