"""`reduce`, and reductions by folding: sums, products, maxima, minima, `all` and `any`.

In this module `sum`, `max`, `min`, `all` and `any` are the operators, not Python's functions.
"""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes
from suanzi.operators.reduction.declaration import FAILS, PARAMETERS, reduction
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike


@operator("BIFCS", FAILS, parameters=PARAMETERS, family="reduction", core=_core.reduce)
def reduce(
    x: Tensor,
    /,
    op: str,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Reduce the elements along axes by a named operation (规约).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, of a type that the operation accepts.
    op : str
        "sum", "prod", "mean", "max", "min", "all", "any", "var", "std", "norm1", "norm2" or "logsumexp". Each operation
        is also a function of the same name.

    Returns
    -------
    Tensor
        A tensor of the shape of `x` without the reduced axes. The result has the same bits for any number of threads.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.reduce(x, "max", axis=0))
    [3. 4.]
    """


@reduction("BIFC", zero="sum", core=_core.sum)
def sum(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Sum of the elements along axes (规约, 求和).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the sums. The type is int64 for bool and signed integers, uint64 for unsigned integers, and
        otherwise the type of `x`. Integers wrap around, and floating numbers are accumulated in float64. Elements of
        float16 and bfloat16 are first added in groups of eight in float32, with an error of at most 3 * 2^-24 of the
        sum of the magnitudes. The sum of no elements is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sum(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1))
    [3. 7.]
    """


@reduction("BIFC", zero="prod", core=_core.prod)
def prod(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Product of the elements along axes (规约, 求积).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the type that `sum` returns. The product of no elements is 1. If float64 can represent the product,
        the result is right for every order of the factors, even if partial products leave the range of float64.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.prod(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])))
    24.0
    """


@reduction("BIFS", zero="max", core=_core.max)
def max(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Greatest element along axes (规约, 求最大值).

    Parameters
    ----------
    x : Tensor
        A tensor of real numbers or strings, with at least one element along the reduced axes.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. The result is NaN if one of the elements is NaN. 0 is greater than -0, as for
        `maximum`. Strings are ordered by code points.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.max(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 4.]
    """


@reduction("BIFS", zero="min", core=_core.min)
def min(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Least element along axes (规约, 求最小值).

    Parameters
    ----------
    x : Tensor
        A tensor of real numbers or strings, with at least one element along the reduced axes.

    Returns
    -------
    Tensor
        A tensor of the type of `x`. The result is NaN if one of the elements is NaN. -0 is less than 0, as for
        `minimum`. Strings are ordered by code points.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.min(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1. 2.]
    """


@reduction("BIFC", zero="min", core=_core.all)
def all(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Test whether every element along axes is nonzero (规约, 全真).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool. NaN counts as nonzero.

    Returns
    -------
    Tensor
        A bool tensor. The result for no elements is True.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.all(suanzi.tensor([[True, False], [True, True]]), axis=1)
    tensor([False,  True])
    """


@reduction("BIFC", zero="max", core=_core.any)
def any(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Test whether any element along axes is nonzero (规约, 有真).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool. NaN counts as nonzero.

    Returns
    -------
    Tensor
        A bool tensor. The result for no elements is False.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.any(suanzi.tensor([[True, False], [False, False]]), axis=1)
    tensor([ True, False])
    """
