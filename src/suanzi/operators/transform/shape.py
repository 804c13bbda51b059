"""Operators that change the shape of a tensor and keep the elements (Table 2, 张量转换)."""

from __future__ import annotations

from collections.abc import Sequence

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes, Shape
from suanzi.operators.registry import operator

_AXES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_SHAPE = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT")


@operator("BIFCS", _SHAPE, family="view", core=_core.reshape)
def reshape(x: Tensor, /, shape: Shape) -> Tensor:
    """Change the shape, and keep the elements in row-major order (改变张量形状).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    shape : int or sequence of int
        The new shape, with as many elements as `x`. One size may be -1, and is then computed from the other sizes.

    Returns
    -------
    Tensor
        A view where the memory of `x` allows a view, and otherwise a copy.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.reshape(suanzi.arange(6), (2, -1)))
    [[0. 1. 2.]
     [3. 4. 5.]]
    """


@operator("BIFCS", _AXES, family="view", core=_core.expand_dims)
def expand_dims(x: Tensor, /, axis: Axes = 0) -> Tensor:
    """Insert dimensions of size 1 (扩展维度).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axis : int or tuple of int, optional
        The positions of the new dimensions in the result.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.expand_dims(suanzi.zeros(3), axis=1).shape
    (3, 1)
    """


@operator("BIFCS", _AXES, family="view", core=_core.squeeze)
def squeeze(x: Tensor, /, axis: Axes = None) -> Tensor:
    """Remove dimensions of size 1 (删除维度).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axis : int or tuple of int, optional
        The dimensions to remove, by default all dimensions of size 1.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.squeeze(suanzi.zeros((1, 3, 1))).shape
    (3,)
    """


@operator("BIFCS", _AXES, family="view", core=_core.transpose)
def transpose(x: Tensor, /, axes: Sequence[int] | None = None) -> Tensor:
    """Put the dimensions in another order (张量转置).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axes : tuple of int, optional
        The dimensions of `x` in their new order, by default the reverse order.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.transpose(suanzi.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """


@operator("BIFCS", _AXES, of="transpose", family="view", core=_core.permute_dims)
def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Put the dimensions in a given order: `transpose` under the array API's name (张量转置).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axes : tuple of int
        The dimensions of `x` in their new order.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.permute_dims(suanzi.zeros((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)
    """


@operator("BIFCS", ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH"), of="transpose", family="view", core=_core.matrix_transpose)
def matrix_transpose(x: Tensor, /) -> Tensor:
    """Swap the last two dimensions (张量转置).

    Parameters
    ----------
    x : Tensor
        A tensor of two dimensions or more, of any type.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.matrix_transpose(suanzi.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """


@operator("BIFCS", _SHAPE, family="view", core=_core.expand)
def expand(x: Tensor, /, shape: Shape) -> Tensor:
    """Broadcast a tensor to a shape (扩展张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any type, whose shape broadcasts to `shape`.
    shape : int or sequence of int
        The shape of the result. -1 keeps the size of `x` in the dimension.

    Returns
    -------
    Tensor
        A view in which an expanded dimension repeats the same elements of memory.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.expand(suanzi.tensor([1.0, 2.0]), (2, -1)))
    [[1. 2.]
     [1. 2.]]
    """


@operator("BIFCS", _SHAPE, of="expand", family="view", core=_core.broadcast_to)
def broadcast_to(x: Tensor, /, shape: Shape) -> Tensor:
    """Broadcast a tensor to a shape: `expand` under the array API's name (扩展张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any type, whose shape broadcasts to `shape`.
    shape : int or sequence of int
        The shape of the result. Sizes of -1 are not allowed.

    Returns
    -------
    Tensor
        A view in which an expanded dimension repeats the same elements of memory.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.broadcast_to(suanzi.zeros(3), (2, 3)).shape
    (2, 3)
    """


@operator("BIFCS", _AXES, family="view", core=_core.flatten)
def flatten(x: Tensor, /, start_axis: int = 0, stop_axis: int = -1) -> Tensor:
    """Merge consecutive dimensions into one dimension (展平张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    start_axis, stop_axis : int, optional
        The first and the last of the merged dimensions. By default all dimensions are merged.

    Returns
    -------
    Tensor
        A view where the memory of `x` allows a view, and otherwise a copy. For a scalar, the result is a vector of one
        element.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.flatten(suanzi.zeros((2, 3, 4)), start_axis=1).shape
    (2, 12)
    """
