"""Logic (Table 2, 逻辑操作), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("BIFC", BROADCAST, zero="intersection", core=_core.logical_and)
def logical_and(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether both elements are true (张量的“逻辑与”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Operands of any numeric type or bool: zero is False, and all other values, including NaN, are True. Shapes
        broadcast.

    Returns
    -------
    Tensor
        A bool tensor.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([True, True, False, False])
    >>> y = suanzi.tensor([True, False, True, False])
    >>> print(suanzi.logical_and(x, y))
    [ True False False False]
    """


@operator("BIFC", BROADCAST, zero="union", core=_core.logical_or)
def logical_or(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether at least one element is true (张量的“逻辑或”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Operands of any numeric type or bool: zero is False, and all other values, including NaN, are True. Shapes
        broadcast.

    Returns
    -------
    Tensor
        A bool tensor.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([True, True, False, False])
    >>> y = suanzi.tensor([True, False, True, False])
    >>> print(suanzi.logical_or(x, y))
    [ True  True  True False]
    """


@operator("BIFC", UNARY, core=_core.logical_not)
def logical_not(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether the element is false (张量的“逻辑非”操作).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool: zero is False, and all other values, including NaN, are True.

    Returns
    -------
    Tensor
        A bool tensor.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.logical_not(suanzi.tensor([0.0, 1.0, 2.0])))
    [ True False False]
    """


@operator("BIFC", BROADCAST, zero="union", core=_core.logical_xor)
def logical_xor(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether exactly one element is true (张量的“逻辑异或”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Operands of any numeric type or bool: zero is False, and all other values, including NaN, are True. Shapes
        broadcast.

    Returns
    -------
    Tensor
        A bool tensor.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([True, True, False, False])
    >>> y = suanzi.tensor([True, False, True, False])
    >>> print(suanzi.logical_xor(x, y))
    [False  True  True False]
    """
