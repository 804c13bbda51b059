"""Activations that compute element by element, and activations that fold an axis.

A result is right even if an intermediate result overflows. Most activations that compute element by element are
formulas of the core (native/ops/formulas). Each formula needs one pass over memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.nn.activation import activation
from suanzi.operators.arithmetic import maximum, subtract, true_divide
from suanzi.operators.composition import (
    apart,
    floating_type,
    fold_of,
    into,
    lies_in_rows,
    real_operand,
    widened,
    working_type,
)
from suanzi.operators.creation.filled import empty_like
from suanzi.operators.exponential import exp, log1p
from suanzi.operators.reduction.folds import max, sum
from suanzi.operators.registry import UNARY, operator
from suanzi.operators.transform.elements import astype
from suanzi.tensor.dtypes import DType, bool_, int64, uint64


def _by_formula(formula: Callable[[Tensor], Tensor], x: Tensor, out: Tensor | None) -> Tensor:
    """Apply a formula of the core to `x`, and return the result, which is `out` if `out` is given."""
    return into(out, formula(widened(real_operand(formula.__name__, x), out)))


@operator("BIF", UNARY, name="nn.relu", family="blockwise", zero="kept")
def relu(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The greater of each element and 0 (线性整流).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape. `x` may be quantized or sparse.

    Returns
    -------
    Tensor
        A tensor of the type and kind of `x`. NaN stays NaN.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.relu(suanzi.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    x = real_operand("relu", x)
    return maximum(x, False if x.dtype is bool_ else 0, out=out)


@activation()
def sigmoid(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The logistic function ``1 / (1 + exp(-x))``, element by element (S型函数).

    The relative error is a few units in the last place, even where the result is near 0.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.sigmoid(suanzi.tensor([-1000.0, 0.0, 2.0]))
    tensor([0.      , 0.5     , 0.880797])
    """
    return _by_formula(_core.sigmoid, x, out)


@activation()
def silu(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The product ``x * sigmoid(x)``, also called swish, element by element (S型加权线性单元).

    The result is -0 at minus infinity.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.silu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.26894143,  0.        ,  0.7310586 ])
    """
    return _by_formula(_core.silu, x, out)


@activation("INVALID_ARGUMENT")
def gelu(x: Tensor, /, *, approximate: Literal["none", "tanh"] = "none", out: Tensor | None = None) -> Tensor:
    """The product of ``x`` and the probability that a normal number is less than ``x`` (高斯误差线性单元).

    Results in float32 and shorter types are correctly rounded. The error in float64 is at most 2 units in the last
    place. The approximation by tanh is computed in float64. The approximation's results in shorter types are correctly
    rounded, except for results close to a tie. The approximation's relative error in float64 is about 10^-13 where the
    result falls off towards 0, and less elsewhere. The result is -0 at minus infinity.

    Parameters
    ----------
    approximate : {"none", "tanh"}, optional
        "tanh": ``(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2`` replaces the probability, as in some models.

    Source
    ------
    D. Hendrycks and K. Gimpel, "Gaussian error linear units (GELUs)", arXiv:1606.08415.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.gelu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.15865526,  0.        ,  0.8413448 ])
    """
    approximates = _core.read_choice("gelu", "approximate", approximate, ("none", "tanh")) == 1
    return _by_formula(_core.gelu_by_tanh if approximates else _core.gelu, x, out)


@activation()
def softplus(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The logarithm ``log(1 + exp(x))``, element by element (平滑线性整流).

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.softplus(suanzi.tensor([-1000.0, 0.0, 1000.0]))
    tensor([0.000000e+00, 6.931472e-01, 1.000000e+03])
    """
    return _by_formula(_core.softplus, x, out)


@activation()
def mish(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The product ``x * tanh(softplus(x))``, element by element (Mish激活函数).

    The result is -0 at minus infinity.

    Source
    ------
    D. Misra, "Mish: a self regularized non-monotonic activation function", arXiv:1908.08681.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.mish(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.30340147,  0.        ,  0.8650983 ])
    """
    return _by_formula(_core.mish, x, out)


@activation()
def hardswish(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The product ``x * clip(x + 3, 0, 6) / 6``, element by element (分段线性自门控函数).

    The result is -0 for elements that are -3 or less.

    Source
    ------
    A. Howard et al., "Searching for MobileNetV3", arXiv:1905.02244.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.hardswish(suanzi.tensor([-1.5, 0.0, 4.5]))
    tensor([-0.375,  0.   ,  4.5  ])
    """
    return _by_formula(_core.hardswish, x, out)


@activation("OUT_OF_RANGE")
def softmax(x: Tensor, /, axis: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The exponentials along an axis, divided by the sum of the exponentials (归一化指数函数).

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.
    axis : int, optional
        The axis, the last axis by default.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least, and
        in float64 for integers. The function subtracts the greatest element first, so that no exponential overflows.
        The results are NaN if the elements contain a NaN or plus infinity, or are all minus infinity.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.softmax(suanzi.tensor([[1000.0, 1000.0], [0.0, -1000.0]]))
    tensor([[0.5, 0.5],
            [1. , 0. ]])
    """
    x = real_operand("softmax", x)
    axis = _core.read_axis("softmax", axis, x.ndim)
    if _is_row_by_row(x, axis):
        rows = _core.softmax_rows("softmax", astype(x, working_type(x), copy=False))
        return into(out, rows, x.dtype)
    distance = _from_greatest(x, axis)
    if _is_new(x):
        powers = exp(distance)
        return into(out, powers / sum(powers, axis, True), floating_type(x))
    powers = exp(distance, out=distance)
    place = _place_for(powers, floating_type(x)) if out is None else out
    return true_divide(powers, sum(powers, axis, True), out=place)


def _is_row_by_row(x: Tensor, axis: int) -> bool:
    """Return whether the core can compute the softmax of `x` row by row in the cache, with the same bits as passes over
    all of `x`.
    """
    is_last = axis == x.ndim - 1 and x.dtype.kind_name == "real floating"
    return is_last and 0 < x.shape[axis] <= tuning.SOFTMAX_ROW and lies_in_rows(x)


def _from_greatest(x: Tensor, axis: int) -> Tensor:
    """Return a new tensor: the elements minus the greatest element along an axis, in the type of the computation."""
    wide = working_type(x)
    if x.size == 0:
        return astype(x, wide)
    greatest = max(x, axis, True)
    if x.dtype in (int64, uint64):
        return apart(x, greatest)
    if x.dtype is wide:
        return x - greatest
    return astype(x, wide) - astype(greatest, wide)


def _is_new(x: Tensor) -> bool:
    """Return whether each step of a softmax makes a new tensor instead of writing over the previous step's tensor."""
    return x.size <= tuning.DIRECT_ELEMENTS or _core.is_tracing()


def _place_for(x: Tensor, dtype: DType) -> Tensor:
    """Return the tensor that receives a result of type `dtype` computed from `x`: `x` itself if `x` has this type, and
    a new tensor otherwise.
    """
    return x if x.dtype is dtype else empty_like(x, dtype=dtype)


@activation("OUT_OF_RANGE")
def log_softmax(x: Tensor, /, axis: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, accurate even where the softmax is near 0 or 1 (对数归一化指数函数).

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.
    axis : int, optional
        The axis, the last axis by default.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least, and
        in float64 for integers.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.log_softmax(suanzi.tensor([0.0, -1000.0]))
    tensor([    0., -1000.])
    """
    x = real_operand("log_softmax", x)
    axis = _core.read_axis("log_softmax", axis, x.ndim)
    # The function computes with differences from the greatest element, because sums with a large element would lose
    # digits.
    distance = _from_greatest(x, axis)
    # The sum contains all powers except the power of one greatest element, which is 1. log1p keeps the digits of a
    # small sum.
    others = fold_of("sum", "lesser_power", (distance,), axis, True)
    again = astype(fold_of("sum", "greatest", (distance,), axis, True) - 1, distance.dtype)
    logarithm = log1p(others + again)
    if _is_new(x):
        return into(out, distance - logarithm, floating_type(x))
    return subtract(distance, logarithm, out=_place_for(distance, floating_type(x)) if out is None else out)
