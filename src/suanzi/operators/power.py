"""Powers and roots (Table 2, 幂操作), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.accuracy import FUNCTION, ROOT
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("IFC", BROADCAST, zero="quotient", core=_core.pow, accuracy=FUNCTION)
def pow(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Power, element by element (幂).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Base and exponent. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. Integers wrap around. Negative powers of integers are truncated towards zero, and
        a negative power of 0 is 0. The power of a negative floating base with a fractional exponent is NaN. The stated
        error of complex powers holds for whole exponents below 2^50 and for other exponents below 2^24 in modulus.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.pow(suanzi.tensor([1.0, 2.0, 3.0]), 2))
    [1. 4. 9.]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.sqrt, accuracy=ROOT)
def sqrt(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Square root, element by element (平方根).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. Real results are correctly rounded. The
        result is NaN for a real element below zero.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sqrt(suanzi.tensor([1.0, 4.0, 9.0])))
    [1. 2. 3.]
    """


@operator("BIFC", UNARY, core=_core.rsqrt, accuracy=FUNCTION)
def rsqrt(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal of the square root, element by element (平方根倒数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is ±inf for a real ±0, and NaN for
        a real element below zero. For complex numbers, the result is ``1 / sqrt(x)`` by C99, Annex G. The result for a
        complex zero has an infinite real part and the imaginary part NaN. The result for any complex infinity is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.rsqrt(suanzi.tensor([1.0, 4.0, 16.0])))
    [1.   0.5  0.25]
    """


@operator("IF", BROADCAST, of="sqrt", core=_core.hypot)
def hypot(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Square root of the sum of two squares, element by element (part of 平方根).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The lengths of the sides at a triangle's right angle, real. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of a floating type, which is float32 for integers. The error is at most 1 ulp. No square overflows or
        underflows. If a side is infinite, the result is infinite, even if the other side is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.hypot(suanzi.tensor([3.0, 3e30]), suanzi.tensor([4.0, 4e30])))
    [5.e+00 5.e+30]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.square)
def square(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Square, element by element (平方数).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool.

    Returns
    -------
    Tensor
        ``x * x``, of the type of `x`. Integers wrap around.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.square(suanzi.tensor([1.0, -2.0, 3.0])))
    [1. 4. 9.]
    """
