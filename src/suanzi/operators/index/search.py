"""Indices of the greatest, the least and the nonzero elements (Table 2, 索引操作)."""

from __future__ import annotations

from typing import Literal, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.arguments import Axes
from suanzi.operators.registry import operator

_SEARCH = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")


@operator("BIFS", _SEARCH, family="order", core=_core.argmax, shape=shapes.folded)
def argmax(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the greatest element (最大索引).

    Parameters
    ----------
    x : Tensor
        A tensor of real numbers or strings, with at least one element along the searched axes. Strings are compared by
        code points.
    axis : int, optional
        The axis along which to search. By default the function searches all elements, and the index is the position of
        the element in row-major order.
    keepdims : bool, optional
        Keep the searched axes with size 1.

    Returns
    -------
    Tensor
        An int64 tensor of the shape of `x` without the searched axes. If several elements are the greatest, the result
        is the index of the first of these elements. If an element is NaN, the result is the index of the first NaN.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.argmax(suanzi.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 7.0]]), axis=1)
    tensor([1, 0], dtype=int64)
    """


@operator("BIFS", _SEARCH, family="order", core=_core.argmin, shape=shapes.folded)
def argmin(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the least element (最小索引).

    Parameters
    ----------
    x : Tensor
        A tensor of real numbers or strings, with at least one element along the searched axes. Strings are compared by
        code points.
    axis : int, optional
        The axis along which to search. By default the function searches all elements, and the index is the position of
        the element in row-major order.
    keepdims : bool, optional
        Keep the searched axes with size 1.

    Returns
    -------
    Tensor
        An int64 tensor of the shape of `x` without the searched axes. If several elements are the least, the result is
        the index of the first of these elements. If an element is NaN, the result is the index of the first NaN.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.argmin(suanzi.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 7.0]]), axis=1)
    tensor([0, 1], dtype=int64)
    """


@overload
def nonzero(x: Tensor, /, *, as_tuple: Literal[True] = True) -> tuple[Tensor, ...]: ...
@overload
def nonzero(x: Tensor, /, *, as_tuple: Literal[False]) -> Tensor: ...
@overload
def nonzero(x: Tensor, /, *, as_tuple: bool) -> tuple[Tensor, ...] | Tensor: ...
@operator("BIFCS", ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH"), family="values", core=_core.nonzero)
def nonzero(x: Tensor, /, *, as_tuple: bool = True) -> tuple[Tensor, ...] | Tensor:
    """The indices of the nonzero elements of a tensor (非零索引).

    The computation needs one bit of further memory for each element.

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type. NaN and strings that are not empty count as nonzero.
    as_tuple : bool, optional
        If True, return a vector for each dimension, as in the array API. If False, return a matrix with a row for each
        nonzero element.

    Returns
    -------
    tuple of Tensor, or Tensor
        The coordinates of the nonzero elements as int64, in row-major order of the elements. The tuple has a vector of
        shape (count,) for each dimension of `x`, where count is the number of nonzero elements. All vectors are views
        of one block of memory. The matrix has the shape (count, rank of `x`), and each column of the matrix is
        contiguous.

    Examples
    --------
    >>> import suanzi
    >>> rows, columns = suanzi.nonzero(suanzi.tensor([[0.0, 3.0], [4.0, 0.0]]))
    >>> print(rows, columns)
    [0 1] [1 0]
    >>> print(suanzi.nonzero(suanzi.tensor([[0.0, 3.0], [4.0, 0.0]]), as_tuple=False))
    [[0 1]
     [1 0]]
    """


@operator(
    "BIFCS",
    (*_SEARCH, "DIMENSIONS_MISMATCH"),
    of="nonzero",
    family="order",
    core=_core.count_nonzero,
    shape=shapes.folded,
)
def count_nonzero(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The number of nonzero elements along axes (非零索引).

    The computation needs one byte of further memory for each element, unless the function counts along all axes.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type. NaN and strings that are not empty count as nonzero.
    axis : int or tuple of int, optional
        The axes along which to count, by default all axes.
    keepdims : bool, optional
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        An int64 tensor of the shape of `x` without the axes `axis`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.count_nonzero(suanzi.tensor([[0.0, 3.0, 1.0], [4.0, 0.0, 0.0]]), axis=1)
    tensor([2, 1], dtype=int64)
    """
