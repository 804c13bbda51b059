"""The prediction of a call's result. A rule in the operator's record returns the shape, and a call of the operator on
small tensors finds the type.
"""

from __future__ import annotations

from typing import Any

from suanzi._core import Tensor
from suanzi.graph.errors import UntracedError
from suanzi.graph.memory import lies_in_order
from suanzi.graph.node import Node
from suanzi.graph.steps import mapped
from suanzi.kinds.call import Call, call_of
from suanzi.operators.creation.filled import full
from suanzi.operators.registry import Record
from suanzi.operators.shapes import shape_of
from suanzi.tensor.status import SuanziError


def foreseen(record: Record, arguments: tuple[Any, ...]) -> Node | None:
    """Return a node for the contiguous result of an operator, or None if the result's type and shape cannot be
    predicted.
    """
    if record.shape is None:
        return None
    call = call_of(record.called, arguments)
    if call.has_out and call.out is not None:
        return None
    try:
        shape, dtype = record.shape(call), type_of(call)
    except (UntracedError, SuanziError, TypeError, ValueError):  # the call itself raises the right error
        return None
    if shape is None or dtype is None or (shape == shape_of(call[0]) and not _in_order(call[0])):
        return None  # the result may have the operand's memory order
    return Node(record.called, dtype, shape, None)


def _in_order(x: Any) -> bool:
    if isinstance(x, Node) and x.like is None:
        return x.order is None
    return lies_in_order(x.like if isinstance(x, Node) else x)


def type_of(call: Call) -> Any:
    """Return the type of a call's result, or None if the result is not a dense tensor. The function runs the operator
    on tensors with at most one element in each dimension.
    """
    numbers = {name: 0 for name in call.record.operands if type(getattr(call, name)) is int}  # 0 is a valid index
    call = call.replaced(**numbers) if numbers else call
    result = call.builtin(*mapped(tuple(call), _example))
    return result.dtype if type(result) is Tensor else None


def _example(x: Any) -> Any:
    if isinstance(x, Node) and x.like is not None and type(x.like) is not Tensor:
        raise UntracedError
    if not isinstance(x, (Node, Tensor)):
        if hasattr(x, "dtype"):  # an operand that is not a dense tensor
            raise UntracedError
        return x
    value = 0 if x.dtype.is_integer else 1  # 0 is a valid index, and a matrix of 1 is invertible
    return full(tuple([min(extent, 1) for extent in x.shape]), value, dtype=x.dtype)
