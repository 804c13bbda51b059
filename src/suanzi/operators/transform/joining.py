"""Operators that join, split or repeat tensors (Table 2, 张量转换).

The module `rearranging` contains the operators that only move the elements of one tensor.
"""

from __future__ import annotations

from collections.abc import Sequence

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, size

_AXES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_SIZES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT")


@operator("BIFCS", _AXES, family="movement", core=_core.concat, shape=shapes.joined)
def concat(tensors: Sequence[Tensor], /, axis: int | None = 0, *, out: Tensor | None = None) -> Tensor:
    """Join tensors along an axis (张量合并).

    Parameters
    ----------
    tensors : list or tuple of Tensor
        Tensors of the same shape, except for the sizes along `axis`. The types promote.
    axis : int, optional
        The axis to join along. None flattens the tensors first.

    Returns
    -------
    Tensor
        A new tensor of the promoted type.

    Examples
    --------
    >>> import suanzi
    >>> x, y = suanzi.zeros((2, 1)), suanzi.ones((2, 2))
    >>> print(suanzi.concat([x, y], axis=1))
    [[0. 1. 1.]
     [0. 1. 1.]]
    """


@operator("BIFCS", _AXES, family="movement", core=_core.stack, shape=shapes.stacked)
def stack(tensors: Sequence[Tensor], /, axis: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Join tensors of the same shape along a new axis (张量堆叠).

    Parameters
    ----------
    tensors : list or tuple of Tensor
        Tensors of the same shape. The types promote.
    axis : int, optional
        The position of the new axis in the result.

    Returns
    -------
    Tensor
        A new tensor of the promoted type. The size along `axis` is the number of tensors.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.stack([suanzi.zeros(3), suanzi.ones(3)], axis=1))
    [[0. 1.]
     [0. 1.]
     [0. 1.]]
    """


@operator("BIFCS", _AXES, family="view", core=_core.split)
def split(
    x: Tensor, /, sections_or_sizes: int | Sequence[int] | Tensor, axis: int = 0, *, uneven: bool = False
) -> tuple[Tensor, ...]:
    """Split a tensor into parts along an axis (张量分拆).

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    sections_or_sizes : int or sequence of int
        An int is the number of equal parts. A sequence contains the sizes of the parts. In NumPy, a sequence contains
        the positions of the cuts instead. The sizes must add up to the size of `x` along `axis`.
    axis : int, optional
        The axis to cut.
    uneven : bool, optional
        If True, accept a number of parts that does not divide the size. The first parts are then longer by one than the
        other parts, as in ``numpy.array_split``. The last parts are empty if the number of parts is greater than the
        size along `axis`.

    Returns
    -------
    tuple of Tensor
        Views of `x`.

    Examples
    --------
    >>> import suanzi
    >>> for part in suanzi.split(suanzi.arange(5), [2, 3]):
    ...     print(part)
    [0. 1.]
    [2. 3. 4.]
    >>> [part.tolist() for part in suanzi.split(suanzi.arange(5), 2, uneven=True)]
    [[0.0, 1.0, 2.0], [3.0, 4.0]]
    """


@operator("BIFCS", _AXES, family="view", core=_core.unstack)
def unstack(x: Tensor, /, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into the slices along an axis. A slice lacks the axis (张量拆堆).

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    axis : int, optional
        The axis to split.

    Returns
    -------
    tuple of Tensor
        Views of `x`, one for each position along `axis`.

    Examples
    --------
    >>> import suanzi
    >>> [row.tolist() for row in suanzi.unstack(suanzi.reshape(suanzi.arange(4), (2, 2)))]
    [[0.0, 1.0], [2.0, 3.0]]
    """


@operator("BIFCS", _SIZES, family="movement", core=_core.tile)
def tile(x: Tensor, /, repetitions: int | Sequence[int]) -> Tensor:
    """Repeat the whole tensor along each axis (张量重复).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    repetitions : int or sequence of int
        The number of copies along each axis. If there are fewer numbers than axes, the numbers apply to the last axes.
        If there are more numbers than axes, the function inserts new axes at the front.

    Returns
    -------
    Tensor
        A new tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.tile(suanzi.arange(2), (2, 2)))
    [[0. 1. 0. 1.]
     [0. 1. 0. 1.]]
    """


@operator("BIFCS", _AXES, of="tile", scratch=copy("x") + 16 * size("repeats"), family="movement", core=_core.repeat)
def repeat(x: Tensor, /, repeats: int | Sequence[int] | Tensor, axis: int | None = None) -> Tensor:
    """Repeat each element. The copies of an element are next to each other (张量重复).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    repeats : int or sequence of int or Tensor
        The number of repetitions. A sequence or a vector contains a number for each position along `axis`.
    axis : int, optional
        The axis that grows. By default `x` is flattened first.

    Returns
    -------
    Tensor
        A new tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.repeat(suanzi.arange(3), [2, 0, 1]))
    [0. 0. 2.]
    """


@operator("BIFCS", _SIZES, family="view")
def meshgrid(*tensors: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of all points of a grid from the coordinates along each axis (一维张量扩充).

    Parameters
    ----------
    tensors : Tensor
        The coordinates along each axis: vectors or scalars, of any types.
    indexing : {"xy", "ij"}, optional
        "xy": the first tensor varies along the second axis of the results, like the abscissa of a picture. "ij": the
        first tensor varies along the first axis.

    Returns
    -------
    tuple of Tensor
        Views in which strides of 0 repeat the elements of each tensor. Call `clone` before writing to a view.

    Examples
    --------
    >>> import suanzi
    >>> x, y = suanzi.meshgrid(suanzi.arange(3), suanzi.arange(2))
    >>> print(x)
    [[0. 1. 2.]
     [0. 1. 2.]]
    >>> print(y)
    [[0. 0. 0.]
     [1. 1. 1.]]
    """
    return _core.meshgrid(tensors, indexing)


@operator("BIFCS", _SIZES, of="expand", family="view")
def broadcast_arrays(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Broadcast tensors to the common shape (扩展张量).

    Parameters
    ----------
    tensors : Tensor
        Tensors of any types, whose shapes broadcast.

    Returns
    -------
    tuple of Tensor
        Views of the tensors.

    Examples
    --------
    >>> import suanzi
    >>> x, y = suanzi.broadcast_arrays(suanzi.zeros((2, 1)), suanzi.zeros(3))
    >>> x.shape, y.shape
    ((2, 3), (2, 3))
    """
    return _core.broadcast_arrays(tensors)


@operator("BIFCS", _SIZES, of="expand", family="view")
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Broadcast tensors to the common shape: `broadcast_arrays` under PyTorch's name (扩展张量).

    Parameters
    ----------
    tensors : Tensor
        Tensors of any types, whose shapes broadcast.

    Returns
    -------
    tuple of Tensor
        Views of the tensors.

    Examples
    --------
    >>> import suanzi
    >>> x, y = suanzi.broadcast_tensors(suanzi.zeros((2, 1)), suanzi.zeros(3))
    >>> x.shape, y.shape
    ((2, 3), (2, 3))
    """
    return _core.broadcast_tensors(tensors)
