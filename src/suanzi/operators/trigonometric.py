"""Trigonometric functions (Table 2, 三角函数), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.accuracy import FUNCTION
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("BIFC", UNARY, zero="kept", core=_core.sin, accuracy=FUNCTION)
def sin(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Sine, element by element (正弦函数).

    Parameters
    ----------
    x : Tensor
        Angles in radians, of any size: a floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is NaN for ±inf.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sin(suanzi.tensor([0.0, 1.0])))
    [0.         0.84147096]
    """


@operator("BIFC", UNARY, core=_core.cos, accuracy=FUNCTION)
def cos(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Cosine, element by element (余弦函数).

    Parameters
    ----------
    x : Tensor
        Angles in radians, of any size: a floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is NaN for ±inf.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.cos(suanzi.tensor([0.0, 1.0])))
    [1.        0.5403023]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.tan, accuracy=FUNCTION)
def tan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Tangent, element by element (正切函数).

    Parameters
    ----------
    x : Tensor
        Angles in radians, of any size: a floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is NaN for ±inf.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.tan(suanzi.tensor([0.0, 1.0])))
    [0.        1.5574077]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.asin, accuracy=FUNCTION)
def asin(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine, element by element (反正弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        Angles in radians. Real angles are from -π/2 to π/2. The result is NaN for a real element outside [-1, 1]. The
        type is the type of `x`, or float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.asin(suanzi.tensor([0.0, 1.0])))
    [0.        1.5707964]
    """


@operator("BIFC", UNARY, core=_core.acos, accuracy=FUNCTION)
def acos(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine, element by element (反余弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        Angles in radians. Real angles are from 0 to π. The result is NaN for a real element outside [-1, 1]. The type
        is the type of `x`, or float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.acos(suanzi.tensor([0.0, 1.0])))
    [1.5707964 0.       ]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.atan, accuracy=FUNCTION)
def atan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent, element by element (反正切函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        Angles in radians. Real angles are from -π/2 to π/2. The type is the type of `x`, or float32 for integers and
        bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.atan(suanzi.tensor([0.0, 1.0])))
    [0.        0.7853982]
    """


@operator("BIF", BROADCAST, of="atan", core=_core.atan2, accuracy=FUNCTION)
def atan2(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point (x2, x1), in the quadrant of the point (part of 反正切函数).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Ordinate and abscissa, real. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        Angles in radians, from -π to π, of a floating type. If `x1` or `x2` is zero, the angle depends on the sign of
        the zero.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.atan2(suanzi.tensor([1.0, -1.0]), -1.0))
    [ 2.3561945 -2.3561945]
    """
