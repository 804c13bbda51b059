"""Means, variances, norms and logsumexp.

All functions accumulate in float64. A variance is combined pairwise from the moments of parts of the tensor, without
cancellation. `norm2` and `logsumexp` overflow or underflow only if the result lies outside the range of the type.
"""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes
from suanzi.operators.reduction.declaration import reduction
from suanzi.tensor.dtypes import DTypeLike


@reduction("BIFC", zero="mean", core=_core.mean)
def mean(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Arithmetic mean of the elements along axes (规约, 求均值).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.
    dtype : DType, optional
        The type of the result, floating or complex. The mean is rounded once to a narrower type.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The mean of finite elements is finite, even if
        their sum leaves the range of the type. Only a narrower `dtype` may turn the mean into infinity. The mean of no
        elements is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.mean(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """


@reduction("BIFC", core=_core.var)
def var(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Variance of the elements along axes (规约, 求方差).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.
    correction : float, optional
        The number that is subtracted from the number of elements before the division. If `correction` is 1, the
        variance is an unbiased estimate from a sample.

    Returns
    -------
    Tensor
        The mean of the squared distances from the mean. The type is float32 for integers and bool, the type of the real
        part for complex types, and the type of `x` otherwise. The variance is NaN if the number of elements is not
        greater than `correction`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 6.0]])
    >>> print(suanzi.var(x, axis=1), suanzi.var(x, correction=1))
    [0.25 2.25] 4.6666665
    """


@reduction("BIFC", core=_core.std)
def std(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Standard deviation of the elements along axes (规约, 求标准差).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.
    correction : float, optional
        The number that is subtracted from the number of elements before the division. If `correction` is 1, the
        variance is an unbiased estimate from a sample.

    Returns
    -------
    Tensor
        The square root of the result of `var`, in the type of that result. The result is right even if the variance
        leaves the range of the type.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.std(suanzi.tensor([[1.0, 2.0], [3.0, 6.0]]), axis=1))
    [0.5 1.5]
    """


@reduction("BIFC", core=_core.norm1)
def norm1(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Sum of the absolute values along axes (规约, 求1范数).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the norms. The type is float32 for integers and bool, the type of the real part for complex types,
        and the type of `x` otherwise. The norm of no elements is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.norm1(suanzi.tensor([[1.0, -2.0], [3.0, -4.0]]), axis=1))
    [3. 7.]
    """


@reduction("BIFC", core=_core.norm2)
def norm2(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Square root of the sum of squared absolute values along axes (规约, 求2范数).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the norms. The type is float32 for integers and bool, the type of the real part for complex types,
        and the type of `x` otherwise. The norm of no elements is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.norm2(suanzi.tensor([[3.0, -4.0], [1e30, 0.0]]), axis=1))
    [5.e+00 1.e+30]
    """


@reduction("BIF", core=_core.logsumexp)
def logsumexp(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Logarithm of the sum of the exponentials along axes (规约, 指数和的对数).

    Parameters
    ----------
    x : Tensor
        A real tensor.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The result for no elements is -inf.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.logsumexp(suanzi.tensor([1000.0, 1000.0])))
    1000.6932
    """
