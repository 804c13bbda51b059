"""Activations that are composed of a few operators: rectifiers with nonzero results below 0, and gated units."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.nn.activation import activation
from suanzi.operators.arithmetic import abs, multiply_add
from suanzi.operators.comparison import greater, less
from suanzi.operators.composition import floating_type, into, real_number, real_operand, working_type
from suanzi.operators.exponential import expm1
from suanzi.operators.transform.elements import astype, clip, where
from suanzi.operators.transform.rearranging import slice
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.dtypes import DType
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError


def _computed(operator: str, x: Tensor) -> tuple[Tensor, DType]:
    """Return `x` converted to the type of the computation, and the type of the result."""
    x = real_operand(operator, x)
    return astype(x, working_type(x), copy=False), floating_type(x)


@activation()
def leaky_relu(x: Tensor, /, negative_slope: float = 0.01, *, out: Tensor | None = None) -> Tensor:
    """Keep elements that are not negative, and multiply negative elements by a factor (带泄露线性整流).

    Parameters
    ----------
    negative_slope : float, optional
        The factor of negative elements.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.leaky_relu(suanzi.tensor([-1.0, 0.0, 1.0]), 0.5)
    tensor([-0.5,  0. ,  1. ])
    """
    wide, dtype = _computed("leaky_relu", x)
    slope = real_number("leaky_relu", "negative_slope", negative_slope)
    return into(out, where(less(wide, 0), wide * slope, wide), dtype)


@activation()
def prelu(x: Tensor, weight: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Keep elements that are not negative, and multiply negative elements by a factor of the channel (参数化线性整流).

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …).
    weight : Tensor
        The factors, of shape (C,) or of one element.

    Source
    ------
    K. He et al., "Delving deep into rectifiers", arXiv:1502.01852.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.prelu(suanzi.tensor([[-1.0, -1.0, 1.0]]), suanzi.tensor([0.5, 0.25, 0.5]))
    tensor([[-0.5 , -0.25,  1.  ]])
    """
    wide, dtype = _computed("prelu", x)
    factors, _ = _computed("prelu", weight)
    channels = x.shape[1] if x.ndim > 1 else 1
    if factors.size != 1 and factors.shape != (channels,):
        raise DimensionsMismatchError(
            f"prelu: weight of shape {shown(weight.shape)} does not have one element, or one for each of "
            f"{channels} channels"
        )
    factors = reshape(factors, (factors.size,) + (1,) * (x.ndim - 2) if x.ndim > 1 else (1,) * x.ndim)
    return into(out, where(less(wide, 0), wide * factors, wide), dtype)


@activation()
def elu(x: Tensor, /, alpha: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """Keep elements that are not negative, and replace negative elements by ``alpha (exp(x) - 1)`` (指数线性单元).

    Parameters
    ----------
    alpha : float, optional
        The negative of the limit at minus infinity.

    Source
    ------
    D. Clevert et al., "Exponential linear units (ELUs)", arXiv:1511.07289.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.elu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.63212055,  0.        ,  1.        ])
    """
    wide, dtype = _computed("elu", x)
    limit = real_number("elu", "alpha", alpha)
    return into(out, where(less(wide, 0), expm1(wide) * limit, wide), dtype)


@activation()
def celu(x: Tensor, /, alpha: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """Keep elements of 0 or more. Replace negative elements by ``alpha (exp(x / alpha) - 1)`` (连续可微指数线性单元).

    Parameters
    ----------
    alpha : float, optional
        The negative of the limit at minus infinity.

    Source
    ------
    J. T. Barron, "Continuously differentiable exponential linear units", arXiv:1704.07483.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.celu(suanzi.tensor([-1.0, 0.0, 1.0]), 0.5)
    tensor([-0.43233237,  0.        ,  1.        ])
    """
    wide, dtype = _computed("celu", x)
    limit = real_number("celu", "alpha", alpha)
    return into(out, where(less(wide, 0), expm1(wide / limit) * limit, wide), dtype)


# The constants of Klambauer et al., with which activations converge to mean 0 and variance 1.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@activation()
def selu(x: Tensor, /, alpha: float = _SELU_ALPHA, scale: float = _SELU_SCALE, *, out: Tensor | None = None) -> Tensor:
    """The result of `elu` times a number, element by element (缩放指数线性单元).

    Parameters
    ----------
    alpha, scale : float, optional
        The parameter of `elu`, and the factor. The default values keep mean 0 and variance 1 from layer to layer.

    Source
    ------
    G. Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.selu(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-1.1113307,  0.       ,  1.050701 ])
    """
    wide, dtype = _computed("selu", x)
    limit, factor = real_number("selu", "alpha", alpha), real_number("selu", "scale", scale)
    return into(out, where(greater(wide, 0), wide, expm1(wide) * limit) * factor, dtype)


@activation()
def hardsigmoid(x: Tensor, /, alpha: float = 1 / 6, beta: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """The line ``alpha x + beta``, cut off at 0 and 1, element by element (分段线性S型函数).

    Parameters
    ----------
    alpha, beta : float, optional
        The slope, and the value at 0. The default values are the values of PyTorch.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.hardsigmoid(suanzi.tensor([-4.0, 0.0, 1.5]))
    tensor([0.  , 0.5 , 0.75])
    """
    wide, dtype = _computed("hardsigmoid", x)
    slope, middle = real_number("hardsigmoid", "alpha", alpha), real_number("hardsigmoid", "beta", beta)
    if (slope, middle) == (1 / 6, 0.5):  # 1 / 6 is rounded, so that the line would not be 0 at -3
        return into(out, clip(wide + 3, 0, 6) / 6, dtype)
    return into(out, clip(multiply_add(wide, slope, middle), 0, 1), dtype)


@activation()
def softsign(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """The quotient ``x / (1 + |x|)``, element by element (软符号函数).

    The result is NaN at infinity.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.softsign(suanzi.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5 ,  0.  ,  0.75])
    """
    wide, dtype = _computed("softsign", x)
    return into(out, wide / (abs(wide) + 1), dtype)


@activation("OUT_OF_RANGE")
def glu(x: Tensor, /, axis: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The first half along an axis times the logistic function of the second half (门控线性单元).

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.
    axis : int, optional
        The axis, which has an even size. The default is the last axis.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool, of half the size along the axis.

    Source
    ------
    Y. N. Dauphin et al., "Language modeling with gated convolutional networks", arXiv:1612.08083.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.glu(suanzi.tensor([4.0, 2.0, 0.0, 1000.0]))
    tensor([2., 2.])
    """
    wide, dtype = _computed("glu", x)
    along = _core.read_axis("glu", axis, x.ndim)
    if x.shape[along] % 2:
        raise DimensionsMismatchError(f"glu: size {x.shape[along]} along axis {along} is odd")
    half = x.shape[along] // 2
    first, second = (slice(wide, start, start + half, axis=along) for start in (0, half))
    return into(out, first * _core.sigmoid(second), dtype)
