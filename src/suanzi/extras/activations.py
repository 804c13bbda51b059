"""Activations, element by element, and those that fold an axis. None overflows before its result does."""

from __future__ import annotations

import math
from typing import Literal

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.operands import apart, floating_type, real_function, real_operand, working_type
from suanzi.operators.arithmetic import abs, maximum, negative
from suanzi.operators.comparison import equal, greater_equal
from suanzi.operators.exponential import exp, log1p
from suanzi.operators.reduction.folds import max, sum
from suanzi.operators.transform.elements import astype, where
from suanzi.tensor.dtypes import bool_, int64, uint64

# Below it x times what falls off as exp(x) is -0, and so is it at minus infinity.
_FALLEN_OFF = -1e30


def relu(x: Tensor, /) -> Tensor:
    """The greater of each element and 0 (线性整流).

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`. NaN stays NaN.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.relu(suanzi.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    x = real_operand("relu", x)
    return maximum(x, False if x.dtype is bool_ else 0)


@real_function()
def sigmoid(x: Tensor, /) -> Tensor:
    """The logistic function ``1 / (1 + exp(-x))``, element by element.

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. The relative error is a few units in the last place where
        the result is near 0, too.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.sigmoid(suanzi.tensor([-1000.0, 0.0, 2.0]))
    tensor([0.      , 0.5     , 0.880797])
    """
    power = exp(negative(abs(x)))  # at most 1
    return where(greater_equal(x, 0), 1, power) / (power + 1)


@real_function()
def silu(x: Tensor, /) -> Tensor:
    """``x * sigmoid(x)``, also called swish, element by element.

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. -0 at minus infinity.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.silu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.26894143,  0.        ,  0.7310586 ])
    """
    return _times_logistic(x, x)


def _times_logistic(x: Tensor, t: Tensor) -> Tensor:
    """``x`` times the logistic function of `t`. That underflows before the product does, so its root comes in twice."""
    root = exp(abs(t) * -0.5)
    factor = where(greater_equal(t, 0), 1, root)
    return maximum(x, _FALLEN_OFF) * factor * factor / (root * root + 1)


def gelu(x: Tensor, /, *, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """``x`` times the probability that a normal number is less than it, element by element.

    Parameters
    ----------
    x : Tensor
        Real, any shape.
    approximate : {"none", "tanh"}, optional
        "tanh": by ``(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2`` in place of the probability, as some models do.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. float32 and shorter types are correctly rounded, float64 is
        within 2 units in the last place. By tanh it is computed in float64: shorter types are correctly rounded but for
        cases close to a tie; the relative error in float64 is some 10^-13 where the result falls off, less elsewhere.
        -0 at minus infinity.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.
    InvalidArgumentError
        `approximate` is neither.

    Source
    ------
    D. Hendrycks and K. Gimpel, "Gaussian error linear units (GELUs)", arXiv:1606.08415.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.gelu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.15865526,  0.        ,  0.8413448 ])
    """
    x = real_operand("gelu", x)
    if _core.read_choice("gelu", "approximate", approximate, ("none", "tanh")) == 0:
        return _core.gelu(x)
    return _gelu_by_tanh(x)


@real_function(in_float64=True)
def _gelu_by_tanh(x: Tensor) -> Tensor:
    # (1 + tanh(t)) / 2 is the logistic function of 2 t, and does not cancel.
    return _times_logistic(x, (x + x * x * x * 0.044715) * (2 * math.sqrt(2 / math.pi)))


@real_function()
def softplus(x: Tensor, /) -> Tensor:
    """``log(1 + exp(x))``, element by element.

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.softplus(suanzi.tensor([-1000.0, 0.0, 1000.0]))
    tensor([0.000000e+00, 6.931472e-01, 1.000000e+03])
    """
    return maximum(x, 0) + log1p(exp(negative(abs(x))))


def softmax(x: Tensor, /, axis: int = -1) -> Tensor:
    """The exponentials along an axis, divided by their sum (归一化指数函数).

    Parameters
    ----------
    x : Tensor
        Real, one dimension or more.
    axis : int, optional
        The axis, the last one by default.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. Computed in float32 at least, of integers in float64. The
        greatest element is subtracted first, so that nothing overflows. NaN where there is one, or plus infinity, or
        nothing but minus infinity.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.
    OutOfRangeError
        There is no such axis.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.softmax(suanzi.tensor([[1000.0, 1000.0], [0.0, -1000.0]]))
    tensor([[0.5, 0.5],
            [1. , 0. ]])
    """
    powers = exp(_shifted("softmax", x, axis))
    return astype(powers / sum(powers, axis, True), floating_type(x), copy=False)


def _shifted(operator: str, x: Tensor, axis: int) -> Tensor:
    """The elements less the greatest along an axis, in the type that the function computes in."""
    x = real_operand(operator, x)
    _core.read_axis(operator, axis, x.ndim)
    wide = working_type(x)
    if x.size == 0:
        return astype(x, wide, copy=False)
    if x.dtype in (int64, uint64):
        return apart(x, max(x, axis, True))
    x = astype(x, wide, copy=False)
    return x - max(x, axis, True)


def log_softmax(x: Tensor, /, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, exact where that is near 0 or 1.

    Parameters
    ----------
    x : Tensor
        Real, one dimension or more.
    axis : int, optional
        The axis, the last one by default.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. Computed in float32 at least, of integers in float64.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.
    OutOfRangeError
        There is no such axis.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.log_softmax(suanzi.tensor([0.0, -1000.0]))
    tensor([    0., -1000.])
    """
    shifted = _shifted("log_softmax", x, axis)  # whose sums have the digits of large elements to spare
    if x.size:
        # All powers but that of one greatest element, which is 1: log1p keeps the digits of a small sum.
        greatest = equal(shifted, 0)
        others = sum(where(greatest, 0, exp(shifted)), axis, True)
        again = astype(sum(astype(greatest, int64), axis, True) - 1, shifted.dtype)
        shifted = shifted - log1p(others + again)
    return astype(shifted, floating_type(x), copy=False)
