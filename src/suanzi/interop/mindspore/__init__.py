"""MindSpore's Tensor, CSRTensor and COOTensor, and MindSpore's names of element types, on Suanzi's tensors.

Programs write ``import suanzi.interop.mindspore as mindspore`` in place of ``import mindspore``. The package computes
nothing: a Tensor wraps a `suanzi.Tensor`, and the sparse classes wrap a `suanzi.SparseTensor`. ``to_suanzi`` returns
the wrapped tensor.
"""

from suanzi.interop.mindspore.common import COOTensor, CSRTensor, Tensor, dtype
from suanzi.interop.mindspore.common.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "COOTensor",
    "CSRTensor",
    "Tensor",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "dtype",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
