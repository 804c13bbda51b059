"""Exponentials and logarithms (Table 2, 指对函数), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.accuracy import FUNCTION
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("BIFC", UNARY, core=_core.exp, accuracy=FUNCTION)
def exp(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Exponential, element by element (指数函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        ``e ** x``, of the type of `x`, or of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.exp(suanzi.tensor([0.0, 1.0])))
    [1.        2.7182817]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.expm1, accuracy=FUNCTION)
def expm1(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Exponential minus one, accurate near zero (指数函数扩展).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        ``e ** x - 1`` without cancellation, of the type of `x`, or of float32 for integers and bools. For complex
        infinities and NaNs, the result is the exponential that C99, Annex G, defines, minus one.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.expm1(suanzi.tensor([0.0, 1e-5])))
    [0.000000e+00 1.000005e-05]
    """


@operator("BIFC", UNARY, core=_core.log, accuracy=FUNCTION)
def log(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm, element by element (以e为底的对数函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is -inf for zero, and NaN for a
        real element below zero.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.log(suanzi.tensor([1.0, 2.0])))
    [0.        0.6931472]
    """


@operator("IF", BROADCAST, of="log", core=_core.logaddexp)
def logaddexp(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the sum of the exponentials of two tensors, element by element (part of 以e为底的对数函数).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The logarithms of the summands, real. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        ``log(exp(x1) + exp(x2))`` without overflow, of a floating type (float32 for integers). The error is at most 2
        ulp of the greatest magnitude among the result and the operands.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.logaddexp(suanzi.tensor([1000.0]), 1000))
    [1000.6932]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.log1p, accuracy=FUNCTION)
def log1p(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm of one plus the element, accurate near zero (以e为底的对数函数扩展).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        ``log(1 + x)`` without cancellation, of the type of `x`, or of float32 for integers and bools. The result is
        -inf for -1, and NaN for a real element below -1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.log1p(suanzi.tensor([0.0, 1e-5])))
    [0.00000e+00 9.99995e-06]
    """


@operator("BIFC", UNARY, core=_core.log10, accuracy=FUNCTION)
def log10(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 10, element by element (以10为底的对数函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is -inf for zero, and NaN for a
        real element below zero.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.log10(suanzi.tensor([1.0, 1000.0])))
    [0. 3.]
    """


@operator("BIFC", UNARY, core=_core.log2, accuracy=FUNCTION)
def log2(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 2, element by element (以2为底的对数函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is -inf for zero, and NaN for a
        real element below zero.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.log2(suanzi.tensor([1.0, 8.0])))
    [0. 3.]
    """
