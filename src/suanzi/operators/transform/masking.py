"""Selection and replacement of the elements where a mask is True (Table 2, 张量转换)."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import AnyOperand, Operand
from suanzi.operators.registry import BROADCAST, operator


@operator(
    "BIFCS", ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH"), of="index_select", family="values", core=_core.masked_select
)
def masked_select(x: Tensor, mask: Operand, /) -> Tensor:
    """Return a vector of the elements where a mask is True (张量选择).

    The computation needs one bit of further memory for each element.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    mask : Tensor or scalar
        A mask of bools. In another type, nonzero elements count as True. The shapes of `x` and `mask` broadcast.

    Returns
    -------
    Tensor
        A new vector of the type of `x`, in row-major order.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.masked_select(x, x > 1.5))
    [2. 3. 4.]
    """


@operator(
    "BIFCS",
    (*BROADCAST, "INVALID_ARGUMENT"),
    of="where",
    family="movement",
    operands=("x", "mask", "value"),
    core=_core.masked_fill,
)
def masked_fill(x: Tensor, mask: Operand, /, value: AnyOperand, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of a tensor in which one value replaces the elements where a mask is True (条件判断组合张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    mask : Tensor or scalar
        A mask of bools. In another type, nonzero elements count as True. The shapes of `x` and `mask` broadcast.
    value : scalar, str or Tensor
        A number or a str that the type of `x` can hold, or a tensor without dimensions.
    out : Tensor, optional
        The tensor that receives the result, of the result's shape and of a type that can hold the result's type. If
        `out` is `x`, `x` is changed in place.

    Returns
    -------
    Tensor
        A tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([1.0, -2.0, 3.0])
    >>> print(suanzi.masked_fill(x, x < 0, 0))
    [1. 0. 3.]
    """
