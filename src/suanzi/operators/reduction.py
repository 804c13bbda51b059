"""Reductions (Table 2, 规约操作): `reduce`, and each of its operations under its own name.

`sum`, `max`, `min`, `all` and `any` stand here for the operators, not for Python's functions.
"""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes, axes_of, code_of
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike
from suanzi.tensor.status import InvalidArgumentError

OPERATIONS = ("sum", "prod", "mean", "max", "min", "all", "any")
_FAILS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_DEFAULT = -1  # the type that the operation has for that of its operand


@operator("BIFC", _FAILS)
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
    """Fold the elements along axes into one by a named operation (规约).

    Parameters
    ----------
    x : Tensor
        Any shape; the types that the operation takes.
    op : {"sum", "prod", "mean", "max", "min", "all", "any"}
        The operation; each is described under its own name.
    axis : int or tuple of int, optional
        The axes to fold, counted from the end where negative. By default all; ``()`` none.
    keepdims : bool, optional
        Keep the folded axes with size 1.
    dtype : DType, optional
        The type of the result.

    Returns
    -------
    Tensor
        `x` without the folded axes. The same bits for any number of threads.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.reduce(x, "max", axis=0))
    [3. 4.]
    """
    if op not in OPERATIONS:
        raise InvalidArgumentError(f"reduce: op {op!r} is not one of {', '.join(OPERATIONS)}")
    return _core.reduce(x, op, axes_of(axis, op), bool(keepdims), code_of(dtype, op, _DEFAULT), out)


@operator("BIFC", _FAILS, of="reduce")
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
        Any shape and type.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.
    dtype : DType, optional
        The type of the result.

    Returns
    -------
    Tensor
        bool and signed integers give int64, unsigned integers uint64 (wrapping around), other
        types themselves, accumulated in float64. The sum of nothing is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sum(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1))
    [3. 7.]
    """
    return reduce(x, "sum", axis, keepdims, dtype=dtype, out=out)


@operator("BIFC", _FAILS, of="reduce")
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
        Any shape and type.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.
    dtype : DType, optional
        The type of the result.

    Returns
    -------
    Tensor
        Of the types that `sum` gives. The product of nothing is 1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.prod(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])))
    24.0
    """
    return reduce(x, "prod", axis, keepdims, dtype=dtype, out=out)


@operator("BIFC", _FAILS, of="reduce")
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
        Any shape and type.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.
    dtype : DType, optional
        The type of the result, floating or complex.

    Returns
    -------
    Tensor
        Integers and bool give float32, other types themselves. The mean of nothing is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.mean(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [2. 3.]
    """
    return reduce(x, "mean", axis, keepdims, dtype=dtype, out=out)


@operator("BIF", _FAILS, of="reduce")
def max(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Greatest element along axes (规约, 求最大值).

    Parameters
    ----------
    x : Tensor
        Real; at least one element along the folded axes.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.

    Returns
    -------
    Tensor
        Of the type of `x`; NaN where one of the elements is.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.max(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [3. 4.]
    """
    return reduce(x, "max", axis, keepdims, out=out)


@operator("BIF", _FAILS, of="reduce")
def min(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Least element along axes (规约, 求最小值).

    Parameters
    ----------
    x : Tensor
        Real; at least one element along the folded axes.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.

    Returns
    -------
    Tensor
        Of the type of `x`; NaN where one of the elements is.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.min(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0))
    [1. 2.]
    """
    return reduce(x, "min", axis, keepdims, out=out)


@operator("BIFC", _FAILS, of="reduce")
def all(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element along axes is other than zero (规约, 全真).

    Parameters
    ----------
    x : Tensor
        Any shape and type; NaN is other than zero.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.

    Returns
    -------
    Tensor
        bool; true for no elements.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.all(suanzi.tensor([[True, False], [True, True]]), axis=1)
    tensor([False,  True])
    """
    return reduce(x, "all", axis, keepdims, out=out)


@operator("BIFC", _FAILS, of="reduce")
def any(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether some element along axes is other than zero (规约, 有真).

    Parameters
    ----------
    x : Tensor
        Any shape and type; NaN is other than zero.
    axis : int or tuple of int, optional
        The axes to fold; by default all.
    keepdims : bool, optional
        Keep the folded axes with size 1.

    Returns
    -------
    Tensor
        bool; false for no elements.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.any(suanzi.tensor([[True, False], [False, False]]), axis=1)
    tensor([ True, False])
    """
    return reduce(x, "any", axis, keepdims, out=out)
