"""The error function and the complementary error function, which the core computes."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.composition import real_operand


def erf(x: Tensor, /) -> Tensor:
    """The error function, element by element (误差函数).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. Results of float32 and shorter types are
        correctly rounded, and therefore have the same bits on every processor. The error in float64 is at most 1 unit
        in the last place.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.erf(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.8427008,  0.       ,  0.8427008])
    """
    return _core.erf(real_operand("erf", x))


def erfc(x: Tensor, /) -> Tensor:
    """One minus the error function, element by element, accurate even where the result is small (互补误差函数).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. Results of float32 and shorter types are
        correctly rounded, and therefore have the same bits on every processor. The error in float64 is at most 1 unit
        in the last place.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.erfc(suanzi.tensor([0.0, 5.0]))
    tensor([1.0000000e+00, 1.5374598e-12])
    """
    return _core.erfc(real_operand("erfc", x))
