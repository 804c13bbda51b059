"""Products of sparse tensors. Every product is computed as compressed rows times a dense tensor or compressed rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import _core
from suanzi.kinds.call import Call, call_of
from suanzi.kinds.sparse.operands import NUMBERS, TABLE, TENSORS, check_plain, of, refuse_out
from suanzi.kinds.sparse.selection import reshaped
from suanzi.operators.transform.shape import reshape, transpose
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, TypeMismatchError


@TABLE.hot("matmul")
def matmul(x1: Any, x2: Any, dtype: Any = None, out: Any = None) -> Any:
    """Multiply compressed rows by a dense tensor in the core. Pass all other products to `product`."""
    if type(x1) is SparseTensor and out is None is dtype:
        pattern = x1._pattern
        if pattern is not None and pattern.format == "csr" and type(x2) is type(x1._values):
            return _core.sparse_times_dense(pattern, x1._values, x2)
    if out is not None:
        refuse_out("matmul")
    return product(call_of("matmul", (x1, x2, dtype, out)))


@TABLE.rows("dot", several=True)
def product(call: Call) -> Any:
    """Multiply operands of one or two dimensions. At least one operand is sparse."""
    name, x1, x2 = call.name, call.x1, call.x2
    _refuse_dtype(call)
    for x in (x1, x2):
        if not isinstance(x, TENSORS):
            if hasattr(type(x), "__rmatmul__") and not isinstance(x, (*NUMBERS, np.ndarray)):
                return NotImplemented  # the other operand's class may support the operator
            raise TypeMismatchError(f"{name}: {x.__class__.__name__} is not a tensor")
        if x.ndim not in (1, 2):
            raise DimensionsMismatchError(
                f"{name}: products with sparse operands need one or two dimensions, not {x.shape}"
            )
    if x1.shape[-1] != x2.shape[0]:
        raise DimensionsMismatchError(f"{name}: shapes {x1.shape} and {x2.shape} do not fit")
    row, column = x1.ndim == 1, x2.ndim == 1
    shape = (*x1.shape[:-1], *x2.shape[1:])
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        a, b = _rows(x1, (1, x1.size) if row else x1.shape), _rows(x2, (x2.size, 1) if column else x2.shape)
        result = of(*_core.sparse_times_sparse(a.pattern, a.values, b.pattern, b.values))
        return reshaped(name, result, shape) if row or column else result.to_format(x1.format)
    if isinstance(x1, SparseTensor):
        a = _rows(x1, (1, x1.size) if row else x1.shape)
        return reshape(_core.sparse_times_dense(a.pattern, a.values, x2), shape)
    # The core multiplies only with the sparse operand on the left, so the transposes are multiplied: (A B)ᵀ = Bᵀ Aᵀ.
    b = _rows(x2, (x2.size, 1) if column else x2.shape)
    b = of(*_core.sparse_permute(name, b.pattern, b.values, (1, 0)))
    product_t = _core.sparse_times_dense(b.pattern, b.values, x1 if row else transpose(x1, (1, 0)))
    return reshape(product_t if row else transpose(product_t, (1, 0)), shape)


@TABLE.rows("linear", several=True)
def linear(call: Call) -> Any:
    """Return the product of `x` and the transposed weight, plus the bias. Raise TYPE_MISMATCH for a bias if the product
    is sparse.
    """
    name, x, weight, bias = call.name, call.x, call.weight, call.bias
    _refuse_dtype(call)
    if not isinstance(weight, TENSORS):
        raise TypeMismatchError(f"{name}: {weight.__class__.__name__} is not a tensor")
    if isinstance(bias, SparseTensor):
        raise TypeMismatchError(f"{name}: a bias is not sparse; use bias.to_dense()")
    if weight.ndim != 2:
        raise DimensionsMismatchError(f"{name}: weight of shape {weight.shape} is not (out, in)")
    result = product(call_of("matmul", (x, weight.T, None, None)))
    if bias is None:
        return result
    if isinstance(result, SparseTensor):
        raise TypeMismatchError(f"{name}: a bias makes a sparse product dense; use linear(x, weight).to_dense() + bias")
    return _core.add(result, bias)


def _refuse_dtype(call: Call) -> None:
    if call.dtype is not None:
        raise TypeMismatchError(
            f"{call.name}: dtype {shown(call.dtype)}; products with sparse operands are of the promoted type"
        )


def _rows(x: SparseTensor, shape: tuple[int, ...]) -> SparseTensor:
    """Return the elements of `x` as compressed rows, in a shape of two dimensions."""
    check_plain("matmul", x)
    return (x if x.shape == shape else reshaped("matmul", x, shape)).to_csr()
