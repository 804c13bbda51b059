"""Elementwise operators on sparse tensors. An operator's effect on zeros decides which elements the result has.

The functions of dense tensors compute the numbers from `values`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call
from suanzi.kinds.sparse.operands import NUMBERS, OPERANDS, TABLE, TENSORS, Result, check_shapes, of, require_sparse
from suanzi.operators.creation.filled import zeros
from suanzi.operators.transform.shape import expand
from suanzi.sparse.tensor import SparseTensor, make
from suanzi.tensor.dtypes import as_dtype
from suanzi.tensor.options import choice_of
from suanzi.tensor.status import DimensionsMismatchError, TypeMismatchError

Function = Callable[..., Tensor]


@TABLE.rows(zero="linear")
def linear(call: Call) -> SparseTensor:
    """Apply a linear operator to the values. Elements with equal coordinates need not be added first."""
    return of(call.x.pattern, call.on(call.x.values))


@TABLE.rows(zero="kept")
def kept(call: Call) -> SparseTensor:
    """Apply an operator with f(0) = 0: the result has elements where the operand has elements."""
    merged = call.x.coalesce()
    return of(merged.pattern, call.on(merged.values))


@TABLE.rows(zero=("union", "intersection", "dense", "quotient"), several=True)
def binary(call: Call) -> Any:
    """Apply a binary operator. The record's `zero` decides whether the result has elements where one operand has
    elements, where both operands have elements, or everywhere.
    """
    return _combined(call, call.record.zero, call.on, call.x1, call.x2)


@TABLE.rows("true_divide", several=True)
def true_divide(call: Call) -> Any:
    """Divide a sparse tensor by a dense tensor or a number. The quotient by a dense tensor has elements where the
    dividend has elements. A number divided by a sparse tensor is dense. A tensor divided by a sparse tensor raises
    TYPE_MISMATCH.
    """
    return _true_quotient(call, call.on)


def _true_quotient(call: Call, function: Function) -> Any:
    zero = "intersection" if isinstance(call.x2, Tensor) else "quotient"
    return _combined(call, zero, function, call.x1, call.x2)


_ROUNDINGS = (None, "trunc", "floor")


@TABLE.rows("divide", several=True)
def divide(call: Call) -> Any:
    """Return the quotient of `true_divide`, or a rounded quotient if the call names a rounding."""
    choice_of(call.rounding, _ROUNDINGS, "rounding", call.name)
    if call.rounding is None:
        return _true_quotient(call, call.on)
    return _combined(call, call.record.zero, call.on, call.x1, call.x2)


@TABLE.rows("clip", several=True)
def clip(call: Call) -> Any:
    """Clip by one bound, or return NotImplemented for two bounds. Without bounds, the operand itself is the bound, so
    the elements do not change.
    """
    if call.min is not None and call.max is not None:
        return NotImplemented
    if call.min is not None:
        return _combined(call, "union", lambda a, b: call.on(a, b, None), call.x, call.min)
    bound = call.x if call.max is None else call.max
    return _combined(call, "union", lambda a, b: call.on(a, None, b), call.x, bound)


@TABLE.rows("array_equal", several=True)
def array_equal(call: Call) -> Any:
    """Return whether the shapes and all elements of two operands are equal. Elements that are not stored count as 0."""
    operands = call.x1, call.x2
    if not all(isinstance(x, OPERANDS) for x in operands):
        return NotImplemented
    first, second = (() if isinstance(x, NUMBERS) else x.shape for x in operands)
    return first == second and call.on(*(x.to_dense() if isinstance(x, SparseTensor) else x for x in operands))


def _combined(call: Call, zero: str | None, function: Function, x1: Any, x2: Any) -> Any:
    """Return the result of `function` for operands of which at least one is sparse. `zero` names the operation's effect
    on zeros.
    """
    if not isinstance(x1, TENSORS) or not isinstance(x2, TENSORS):
        return _with_scalar(function, x1, x2)
    if zero == "intersection":
        return _where_both(call.name, function, x1, x2)
    if zero == "quotient":
        raise TypeMismatchError(
            f"{call.name}: {x1.__class__.__name__} by {x2.__class__.__name__} is not sparse; use to_dense"
        )
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        if zero == "union":
            return _merged(call.name, function, x1, x2, both=False)
        check_shapes(call.name, x1, x2)
    return function(*(x.to_dense() if isinstance(x, SparseTensor) else x for x in (x1, x2)))


def _with_scalar(function: Function, x1: Any, x2: Any) -> Any:
    """Apply an operator with a scalar. The result is sparse if zeros stay zero, and dense otherwise."""
    for operand in (x1, x2):
        if not isinstance(operand, OPERANDS):
            return NotImplemented
    x = (x1 if isinstance(x1, SparseTensor) else x2).coalesce()

    def apply(operand: Tensor) -> Tensor:
        return function(*(operand if isinstance(y, SparseTensor) else y for y in (x1, x2)))

    return apply(x.to_dense()) if apply(zeros(1, dtype=x.dtype)).item() else of(x.pattern, apply(x.values))


def _merged(name: str, function: Function, x1: SparseTensor, x2: SparseTensor, both: bool) -> SparseTensor:
    check_shapes(name, x1, x2)
    a, b = x1.coalesce(), x2.to_format(x1.format).coalesce()
    if a.pattern is b.pattern:
        return of(a.pattern, function(a.values, b.values))
    pattern, left, right = _core.sparse_merge(a.pattern, a.values, b.pattern, b.values, both)
    return of(pattern, function(left, right))


def _where_both(name: str, function: Function, x1: Result, x2: Result) -> SparseTensor:
    """Return the results of `function` for the coordinates at which both operands have elements. A dense operand
    broadcasts to the shape of the sparse operand.
    """
    if isinstance(x1, SparseTensor) and isinstance(x2, SparseTensor):
        return _merged(name, function, x1, x2, both=True)
    x = (x1 if isinstance(x1, SparseTensor) else require_sparse(name, x2)).coalesce()
    dense = x2 if isinstance(x2, Tensor) else x1
    assert isinstance(dense, Tensor)
    try:
        spread = expand(dense, x.shape)
    except DimensionsMismatchError:
        text = f"{name}: a dense operand of shape {dense.shape} does not broadcast to the sparse operand's {x.shape}"
        raise DimensionsMismatchError(text) from None
    gathered = _core.sparse_gather(x.pattern, spread)
    operands = (x.values, gathered) if isinstance(x1, SparseTensor) else (gathered, x.values)
    return of(x.pattern, function(*operands))


@TABLE.rows("astype")
def astype(call: Call) -> SparseTensor:
    """Convert the values of a sparse tensor. The coordinates and the logical order do not change."""
    x, wanted = call.x, as_dtype(call.dtype, call.name)
    if not _core.read_truth(call.name, "copy", call.copy) and x.dtype is wanted:
        return x  # type: ignore[no-any-return]
    merged = x.coalesce()
    return of(merged.pattern, _core.astype(merged.values, wanted, True), x._order)


@TABLE.rows("clone")
def clone(call: Call) -> SparseTensor:
    """Return a sparse tensor with a copy of the values. The operand and the result share the coordinates."""
    return call.x._cloned()  # type: ignore[no-any-return]


@TABLE.rows("to_device")
def to_device(call: Call) -> SparseTensor:
    """Return a copy on the device, or the tensor itself if the device already stores the tensor."""
    x, pattern = call.x, call.x.pattern
    values = x._values.to_device(call.device, stream=call.stream)
    if values is x._values:
        return x  # type: ignore[no-any-return]
    indptr = pattern.indptr.to_device(call.device) if pattern.format == "csr" else None
    return make(pattern.shape, indptr, pattern.indices.to_device(call.device), values, x._order)


@TABLE.rows("destroy")
def destroy(call: Call) -> None:
    """Release the pattern and the values of a tensor."""
    x = call.x
    _ = x.pattern
    x._pattern = None
    del x._values
    x._forget_metadata()
