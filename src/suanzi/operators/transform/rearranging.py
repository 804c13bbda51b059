"""Parts of a tensor, and rearranged elements: slices, rotations, rolls, padding (Table 2, 张量转换).

The module `joining` joins and repeats tensors. In this module `slice` is the operator, not Python's class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.arguments import Axes, Shape
from suanzi.operators.operands import AnyOperand
from suanzi.operators.registry import operator

Bounds: TypeAlias = int | Sequence[int | None] | None
Widths: TypeAlias = int | Sequence[int] | Sequence[Sequence[int]]

_AXES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")


@operator("BIFCS", _AXES, family="view", core=_core.slice)
def slice(x: Tensor, /, begin: Bounds, end: Bounds, stride: Bounds = None, *, axis: Axes = None) -> Tensor:
    """Return the part of a tensor that ``x[begin:end:stride]`` selects (张量切片).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    begin, end, stride : int, None or sequence of int or None
        The bounds and the step along each axis, with the meaning of Python's ``x[...]``. Negative bounds count from the
        end. None means the beginning or the end of the axis. Bounds beyond an end are cut off. A single number holds
        for every sliced axis.
    axis : int or tuple of int, optional
        The axes to slice, by default as many of the first axes as the sequences have elements. Without a sequence, the
        default is the first axis.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.slice(suanzi.arange(6), 1, 6, 2))
    [1. 3. 5.]
    >>> suanzi.slice(suanzi.zeros((4, 6)), [1, 0], [3, None], [1, 2]).shape
    (2, 3)
    """


@operator("BIFCS", _AXES, family="view", core=_core.crop)
def crop(x: Tensor, /, offsets: Shape, shape: Shape) -> Tensor:
    """Return the box of elements that has a given start and shape (张量形状裁剪).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    offsets : int or sequence of int
        The start of the box along each axis.
    shape : int or sequence of int
        The size of the box along each axis. -1 extends the box to the end of the axis. The box must lie within `x`.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.crop(suanzi.reshape(suanzi.arange(6), (2, 3)), (0, 1), (2, -1)))
    [[1. 2.]
     [4. 5.]]
    """


@operator("BIFCS", _AXES, family="movement", core=_core.pad)
def pad(x: Tensor, /, pad_width: Widths, mode: str = "constant", value: AnyOperand | None = None) -> Tensor:
    """Add elements at the ends of the axes (张量补全).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    pad_width : int, pair of int or sequence of pairs
        The numbers of elements to add before and after the elements of each axis. A single number holds for both ends
        of every axis, and a single pair holds for every axis. A sequence of pairs has a pair for each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}, optional
        The added elements. "constant": one value. "edge": the outermost element. "reflect": the elements mirrored about
        the outermost element. "symmetric": the elements mirrored about the edge of the tensor. "wrap": the elements
        from the other end.
    value : scalar, str or Tensor, optional
        The value of the mode "constant", which the type of `x` must hold. A tensor must have no dimensions. The default
        is 0, or an empty string for strings.

    Returns
    -------
    Tensor
        A new tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.pad(suanzi.arange(1, 4), (2, 1)))
    [0. 0. 1. 2. 3. 0.]
    >>> print(suanzi.pad(suanzi.arange(1, 4), (2, 1), mode="reflect"))
    [3. 2. 1. 2. 3. 2.]
    """


@operator("BIFCS", _AXES, family="movement", core=_core.roll, shape=shapes.same)
def roll(x: Tensor, /, shift: int | Sequence[int], axis: Axes = None) -> Tensor:
    """Move the elements along axes. Elements that leave at one end return at the other end (张量循环滚动变换).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    shift : int or tuple of int
        The number of positions by which the elements move. A negative number moves the elements towards the front. A
        tuple contains a number for each axis.
    axis : int or tuple of int, optional
        The axes to roll along. By default the elements roll as if `x` were flattened.

    Returns
    -------
    Tensor
        A new tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.roll(suanzi.arange(5), 2))
    [3. 4. 0. 1. 2.]
    """


@operator("BIFCS", _AXES, family="view", core=_core.flip)
def flip(x: Tensor, /, axis: Axes = None) -> Tensor:
    """Reverse the order of the elements along axes (张量翻转).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axis : int or tuple of int, optional
        The axes to reverse, by default all axes.

    Returns
    -------
    Tensor
        A view with negative strides.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.flip(suanzi.reshape(suanzi.arange(4), (2, 2)), axis=1))
    [[1. 0.]
     [3. 2.]]
    """


@operator("BIFCS", _AXES, family="view", operands=("x", "lengths"), core=_core.reverse)
def reverse(
    x: Tensor,
    /,
    axis: Axes = None,
    *,
    lengths: Sequence[int] | Tensor | None = None,
    batch_axis: int = 0,
) -> Tensor:
    """Reverse the order of the elements along axes, or of only the first elements of each slice (张量逆序变换).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axis : int or tuple of int, optional
        The axes to reverse, by default all axes. If `lengths` is given, `axis` must be one axis.
    lengths : sequence of int or Tensor, optional
        For each slice along `batch_axis`, the number of elements at the start of `axis` that are reversed. The other
        elements keep their positions.
    batch_axis : int, optional
        The axis along which `lengths` contains a number for each position.

    Returns
    -------
    Tensor
        A view with negative strides, or, if `lengths` is given, a copy.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.reshape(suanzi.arange(6), (2, 3))
    >>> print(suanzi.reverse(x, axis=0))
    [[3. 4. 5.]
     [0. 1. 2.]]
    >>> print(suanzi.reverse(x, axis=1, lengths=[2, 3]))
    [[1. 0. 2.]
     [5. 4. 3.]]
    """


@operator("BIFCS", _AXES, of="flip", family="view", core=_core.rot90)
def rot90(x: Tensor, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Rotate by quarter turns in the plane of two axes (张量翻转).

    Parameters
    ----------
    x : Tensor
        A tensor of two dimensions or more, of any type.
    k : int, optional
        The number of quarter turns.
    axes : tuple of int, optional
        The axes of the plane. The turn is from the first axis towards the second axis.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.rot90(suanzi.reshape(suanzi.arange(4), (2, 2))))
    [[1. 3.]
     [0. 2.]]
    """


@operator("BIFCS", _AXES, of="transpose", family="view", core=_core.moveaxis)
def moveaxis(x: Tensor, /, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Move axes to other positions. The other axes keep their order (张量转置).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    source, destination : int or tuple of int
        The present and the new positions of the axes.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.moveaxis(suanzi.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """


@operator("BIFCS", _AXES, of="transpose", family="view", core=_core.swapaxes)
def swapaxes(x: Tensor, /, axis1: int, axis2: int) -> Tensor:
    """Exchange two axes (张量转置).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    axis1, axis2 : int
        The axes to exchange.

    Returns
    -------
    Tensor
        A view of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.swapaxes(suanzi.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
