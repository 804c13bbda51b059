"""Hyperbolic functions (Table 2, 双曲函数), element by element."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.accuracy import FUNCTION
from suanzi.operators.registry import UNARY, operator


@operator("BIFC", UNARY, zero="kept", core=_core.sinh, accuracy=FUNCTION)
def sinh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine, element by element (双曲正弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sinh(suanzi.tensor([0.0, 1.0])))
    [0.        1.1752012]
    """


@operator("BIFC", UNARY, core=_core.cosh, accuracy=FUNCTION)
def cosh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine, element by element (双曲余弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.cosh(suanzi.tensor([0.0, 1.0])))
    [1.        1.5430807]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.tanh, accuracy=FUNCTION)
def tanh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent, element by element (双曲正切函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. Real results are from -1 to 1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.tanh(suanzi.tensor([0.0, 1.0])))
    [0.        0.7615942]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.asinh, accuracy=FUNCTION)
def asinh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine, element by element (反双曲正弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.asinh(suanzi.tensor([0.0, 1.0])))
    [0.        0.8813736]
    """


@operator("BIFC", UNARY, core=_core.acosh, accuracy=FUNCTION)
def acosh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine, element by element (反双曲余弦函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. The result is NaN for a real element below 1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.acosh(suanzi.tensor([1.0, 2.0])))
    [0.       1.316958]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.atanh, accuracy=FUNCTION)
def atanh(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent, element by element (反双曲正切函数).

    Parameters
    ----------
    x : Tensor
        A floating or complex tensor. Integers and bools are converted to float32.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bools. For real elements, the result is ±inf at ±1
        and NaN outside [-1, 1].

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.atanh(suanzi.tensor([0.0, 0.5])))
    [0.         0.54930615]
    """
