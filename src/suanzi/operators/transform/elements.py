"""Conversion of element types, and selection among elements (Table 2, 张量转换)."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import AnyOperand, Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator
from suanzi.tensor.dtypes import DTypeLike

_AXES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_SHAPE = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT")


@operator("BIFCS", ("TYPE_MISMATCH",), family="conversion", core=_core.astype)
def astype(x: Tensor, /, dtype: DTypeLike, *, copy: bool = True) -> Tensor:
    """Convert the elements to another type (转换数据类型).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type. Complex elements convert only to complex types and bool, and strings convert
        only to strings.
    dtype : DType
        The type to convert to.
    copy : bool, optional
        If False, return `x` itself if `x` already has the type.

    Returns
    -------
    Tensor
        A tensor of the shape and layout of `x`. Floating types round to nearest, ties to even. A conversion from
        floating to integer types cuts the fraction off. A number beyond the limits of the type becomes the nearest
        limit, and NaN becomes 0. A conversion between integer types keeps the low bits. In a conversion to bool, every
        number except zero becomes True.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.astype(suanzi.tensor([1.5, -2.5]), suanzi.int32)
    tensor([ 1, -2], dtype=int32)
    """


@operator("IF", UNARY, of="sign", core=_core.signbit)
def signbit(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether the sign of each element is negative, also for zeros and NaNs (part of 张量正负判断).

    Parameters
    ----------
    x : Tensor
        A tensor of integers or floating numbers, of any shape.

    Returns
    -------
    Tensor
        A bool tensor of the shape of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.signbit(suanzi.tensor([-0.0, 0.0, -3.0]))
    tensor([ True, False,  True])
    """


@operator("BIFC", UNARY, zero="kept", core=_core.sign)
def sign(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Sign of each element: -1, 0 or 1 (张量正负判断).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. A negative zero becomes 0, NaN stays NaN, and a complex number other than 0 becomes
        ``x / abs(x)``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sign(suanzi.tensor([-2.0, 0.0, 3.0])))
    [-1.  0.  1.]
    """


@operator("BIF", BROADCAST, family="elementwise", operands=("x", "min", "max"), core=_core.clip)
def clip(
    x: Tensor,
    /,
    min: Operand | None = None,
    max: Operand | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Limit each element to a range (张量数值裁剪).

    Parameters
    ----------
    x : Tensor
        A real tensor.
    min, max : Tensor or scalar, optional
        The bounds. Shapes broadcast, and types promote. None means no bound. Where `min` is above `max`, the result is
        `max`.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The result is NaN where an operand is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.clip(suanzi.tensor([-2.0, 0.5, 3.0]), 0, 1))
    [0.  0.5 1. ]
    """


@operator("BIFCS", BROADCAST, core=_core.where)
def where(condition: Operand, x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Choose elements of one tensor where a condition holds, and of another tensor elsewhere (条件判断组合张量).

    Parameters
    ----------
    condition : Tensor
        A condition of bools. In another type, nonzero elements count as True.
    x1, x2 : Tensor, scalar or str
        The elements where the condition holds, and the elements elsewhere. The shapes of `condition`, `x1` and `x2`
        broadcast, and the types of `x1` and `x2` promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.where(suanzi.tensor([True, False]), suanzi.tensor([1.0, 2.0]), 0))
    [1. 0.]
    """
