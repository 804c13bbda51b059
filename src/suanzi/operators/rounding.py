"""Rounding (Table 2, 舍入操作), element by element."""

from __future__ import annotations

from typing import Literal, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import UNARY, operator

RoundingMode: TypeAlias = Literal["half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc"]


@operator("BIF", UNARY, zero="kept", core=_core.floor)
def floor(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Largest integer not above the element (向下取整).

    Parameters
    ----------
    x : Tensor
        A real tensor.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. Integers and bools do not change.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.floor(suanzi.tensor([-1.5, -0.5, 0.5, 2.5])))
    [-2. -1.  0.  2.]
    """


@operator("BIF", UNARY, zero="kept", core=_core.ceil)
def ceil(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Smallest integer not below the element (向上取整).

    Parameters
    ----------
    x : Tensor
        A real tensor.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. Integers and bools do not change.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.ceil(suanzi.tensor([-1.5, -0.5, 0.5, 2.5])))
    [-1. -0.  1.  3.]
    """


@operator("BIF", UNARY, zero="kept", core=_core.trunc)
def trunc(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Integer part of the element (截断取整).

    Parameters
    ----------
    x : Tensor
        A real tensor.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. Integers and bools do not change.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.trunc(suanzi.tensor([-1.5, -0.5, 0.5, 2.5])))
    [-1. -0.  0.  2.]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.rint)
def rint(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Nearest integer, ties to even (就近取整).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool. The parts of complex elements are rounded one by one.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. Integers and bools do not change.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.rint(suanzi.tensor([-1.5, -0.5, 0.5, 2.5])))
    [-2. -0.  0.  2.]
    """


@operator("BIFC", (*UNARY, "INVALID_ARGUMENT"), zero="kept", core=_core.round)
def round(
    x: Tensor,
    /,
    decimals: int = 0,
    mode: RoundingMode = "half_even",
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Nearest number with a given number of decimals, by a chosen rule (通用舍入取整).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool. The parts of complex elements are rounded one by one.
    decimals : int, optional
        The number of digits that stay after the decimal point. If `decimals` is negative, -`decimals` digits before the
        point become 0.
    mode : str, optional
        The modes "half_even", "half_up", "half_away" and "half_down" round to the nearest number. For a tie,
        "half_even" chooses the even digit, "half_up" rounds towards plus infinity, "half_away" rounds away from zero,
        and "half_down" rounds towards minus infinity. "floor" always rounds down, "ceil" rounds up, and "trunc" rounds
        towards zero.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. The mode chooses one of the two decimal numbers around the exact element. The
        result is the number of the type of `x` that is nearest to the chosen decimal number. For example, 2.675 in
        float64 lies below the middle of 2.67 and 2.68, and becomes 2.67. Elements of float32 and float64 stay unchanged
        if the result would be infinite. Elements of float16 and bfloat16 become infinite in this case, unless
        `decimals` is below -308. An integer that does not fit the type wraps around.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([0.125, 2.5, -2.5])
    >>> print(suanzi.round(x))
    [ 0.  2. -2.]
    >>> print(suanzi.round(x, 2, mode="half_away"))
    [ 0.13  2.5  -2.5 ]
    """
