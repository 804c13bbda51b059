"""Bit operations (Table 2, 位操作), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("BI", BROADCAST, zero="intersection", core=_core.bitwise_and)
def bitwise_and(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in both operands, element by element (逐位“与”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Integers or bools. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([12, 10], dtype=suanzi.int32)
    >>> print(suanzi.bitwise_and(x, 6))
    [4 2]
    """


@operator("BI", BROADCAST, zero="union", core=_core.bitwise_or)
def bitwise_or(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in at least one operand, element by element (逐位“或”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Integers or bools. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([12, 10], dtype=suanzi.int32)
    >>> print(suanzi.bitwise_or(x, 6))
    [14 14]
    """


@operator("BI", BROADCAST, zero="union", core=_core.bitwise_xor)
def bitwise_xor(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in exactly one operand, element by element (逐位“异或”操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Integers or bools. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([12, 10], dtype=suanzi.int32)
    >>> print(suanzi.bitwise_xor(x, 6))
    [10 12]
    """


@operator("BI", UNARY, core=_core.bitwise_invert)
def bitwise_invert(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inversion of all bits of each element (逐位反转操作).

    Parameters
    ----------
    x : Tensor
        A tensor of integers or bools.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. For bools the result is the negation.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.bitwise_invert(suanzi.tensor([0, 5], dtype=suanzi.int32)))
    [-1 -6]
    """


@operator("I", BROADCAST, core=_core.bitwise_left_shift)
def bitwise_left_shift(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Integers with the bits shifted towards the most significant bit (逐位左移操作).

    Parameters
    ----------
    x1 : Tensor or scalar
        The integers to shift.
    x2 : Tensor or scalar
        The number of positions by which the bits move. Shapes broadcast, and types promote. A negative number shifts
        all bits out.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The result is 0 where all bits are shifted out.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.bitwise_left_shift(suanzi.tensor([1, 3], dtype=suanzi.int32), 2))
    [ 4 12]
    """


@operator("I", BROADCAST, core=_core.bitwise_right_shift)
def bitwise_right_shift(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Integers with the bits shifted towards the least significant bit (逐位右移操作).

    Parameters
    ----------
    x1 : Tensor or scalar
        The integers to shift.
    x2 : Tensor or scalar
        The number of positions by which the bits move. Shapes broadcast, and types promote. A negative number shifts
        all bits out.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The sign of a signed integer is kept, so a shift by the integer's width or more
        results in 0 or -1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.bitwise_right_shift(suanzi.tensor([8, -8], dtype=suanzi.int32), 2))
    [ 2 -2]
    """
