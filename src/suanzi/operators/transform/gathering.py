"""Reading of elements at given indices (Table 2, 张量转换). The module `scattering` updates elements."""

from __future__ import annotations

from collections.abc import Sequence

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.registry import operator

_INDEXED = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE")
_TAKEN = (*_INDEXED, "INVALID_ARGUMENT")


@operator("BIFCS", _TAKEN, family="gather", core=_core.gather, shape=shapes.taken)
def gather(x: Tensor, index: Tensor | int, /, axis: int = 0) -> Tensor:
    """Return the slices of a tensor at given indices along an axis, in the order of the indices (张量聚集).

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    index : Tensor or int
        Integers of any type and shape. Negative indices count from the end of the axis.
    axis : int, optional
        The axis that the indices refer to.

    Returns
    -------
    Tensor
        A new tensor of the shape of `x`, with the shape of `index` in place of the size along `axis`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> print(suanzi.gather(x, suanzi.tensor([2, 0], dtype="int64")))
    [[5. 6.]
     [1. 2.]]
    """


@operator("BIFCS", _TAKEN, of="gather", family="gather", core=_core.take, shape=shapes.taken)
def take(x: Tensor, indices: Tensor | int, /, axis: int | None = None) -> Tensor:
    """Return elements, or slices along an axis, at given indices, as the array API's function `take` does (张量聚集).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    indices : Tensor or int
        Integers of any type and shape. Negative indices count from the end.
    axis : int, optional
        The axis that the indices refer to. By default the indices number the elements of `x` in row-major order.

    Returns
    -------
    Tensor
        A new tensor of the shape of `indices`. If `axis` is given, the result has the shape of `x`, with the shape of
        `indices` in place of the size along `axis`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.take(x, suanzi.tensor([3, 0, -2], dtype="int64")))
    [4. 1. 3.]
    """


@operator("BIFCS", _INDEXED, of="gather", family="gather", core=_core.take_along_axis, shape=shapes.taken_along)
def take_along_axis(x: Tensor, indices: Tensor, /, axis: int = -1) -> Tensor:
    """Return one element for each position of `indices`. Each index is a coordinate along an axis (张量聚集).

    PyTorch calls this function gather, and ONNX calls it GatherElements. If `indices` is the result of `argsort`, the
    function returns the sorted elements.

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    indices : Tensor
        Integers of any type, of the rank of `x`. The sizes of `x` and `indices` broadcast along all axes except `axis`.
        Negative indices count from the end of the axis.
    axis : int, optional
        The axis that the indices refer to.

    Returns
    -------
    Tensor
        A new tensor of the size of `indices` along `axis`, and of the broadcast sizes along the other axes.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.take_along_axis(x, suanzi.tensor([[1, 0], [0, 0]], dtype="int64")))
    [[2. 1.]
     [3. 3.]]
    """


@operator("BIFCS", _TAKEN, of="gather", family="gather", core=_core.gather_nd)
def gather_nd(x: Tensor, indices: Tensor, /, batch_dims: int = 0) -> Tensor:
    """Return the elements or slices of a tensor at tuples of indices (张量聚集).

    Parameters
    ----------
    x : Tensor
        A tensor of any type.
    indices : Tensor
        Integers of any type. The last dimension contains tuples that index the dimensions of `x` after the first
        `batch_dims` dimensions. Negative numbers count from the end.
    batch_dims : int, optional
        The number of leading dimensions that `x` and `indices` share.

    Returns
    -------
    Tensor
        A new tensor of shape ``indices.shape[:-1] + x.shape[batch_dims + indices.shape[-1]:]``.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(suanzi.gather_nd(x, suanzi.tensor([[0, 1], [1, 0]], dtype="int64")))
    [2. 3.]
    """


@operator("BIFCS", _TAKEN, family="gather", core=_core.index_select, shape=shapes.taken)
def index_select(x: Tensor, index: Tensor, /, axis: int = 0) -> Tensor:
    """Return the slices of a tensor that an index lists along an axis (张量选择).

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    index : Tensor
        Integers of any type in one or two dimensions. Negative indices count from the end of the axis.
    axis : int, optional
        The axis that the indices refer to.

    Returns
    -------
    Tensor
        A new tensor of the shape of `x`, with the shape of `index` in place of the size along `axis`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> print(suanzi.index_select(x, suanzi.tensor([2, 2, 0], dtype="int64"), axis=1))
    [[3. 3. 1.]
     [6. 6. 4.]]
    """


@operator("BIFCS", _TAKEN, of="index_select", family="gather", core=_core.gather_tiled)
def gather_tiled(x: Tensor, index: Tensor | int, /, tile: Sequence[int], axis: int = 0) -> Tensor:
    """Return the result of `gather`, and compute the result tile by tile (张量选择).

    The function is for memory that can hold only a part of the data at a time. The function gathers each tile of the
    result in a buffer, and then stores the tile. The tiles follow each other in row-major order.

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    index : Tensor or int
        Integers of any type and shape. Negative indices count from the end of the axis.
    tile : sequence of int
        The sizes of a tile, one for each dimension of the result. Tiles at the end of the result are cut off.
    axis : int, optional
        The axis that the indices refer to. The computation of a tile may read elements at all positions along this
        axis.

    Returns
    -------
    Tensor
        A new tensor of the shape of `x`, with the shape of `index` in place of the size along `axis`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> print(suanzi.gather_tiled(x, suanzi.tensor([2, 0], dtype="int64"), (1, 2)))
    [[5. 6.]
     [1. 2.]]
    """
