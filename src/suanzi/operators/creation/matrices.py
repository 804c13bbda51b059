"""Operators on diagonals of matrices (复制对角线元素创建张量): `diag`, `diagonal`, `eye`, `tril`, `triu`."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.arguments import DeviceLike, LayoutLike
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike

_FAILS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE")


@operator("BIFCS", _FAILS, family="movement", core=_core.diag)
def diag(x: Tensor, /, offset: int = 0) -> Tensor:
    """A diagonal of a matrix, or the square matrix with a given diagonal and zeros elsewhere (复制对角线元素创建张量).

    Parameters
    ----------
    x : Tensor, shape (M, N) or (K,)
        A matrix or a vector, of any type.
    offset : int, optional
        The number of the diagonal: 0 for the main diagonal, positive above the main diagonal, negative below.

    Returns
    -------
    Tensor
        A copy of a matrix's diagonal, or, for a vector, the square matrix of ``K + abs(offset)`` rows with zeros
        outside of the diagonal.

    See Also
    --------
    diagonal : returns a view, also for stacks of matrices.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.diag(suanzi.tensor([[1, 2], [3, 4]])))
    [1. 4.]
    >>> print(suanzi.diag(suanzi.tensor([1, 2]), 1))
    [[0. 1. 0.]
     [0. 0. 2.]
     [0. 0. 0.]]
    """


@operator("BIFCS", (*_FAILS, "INVALID_ARGUMENT"), of="diag", family="view", core=_core.diagonal)
def diagonal(x: Tensor, /, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Tensor:
    """The diagonals of a stack of matrices, as a view (part of 复制对角线元素创建张量).

    Parameters
    ----------
    x : Tensor
        A tensor of at least two dimensions, of any type.
    offset : int, optional
        The number of the diagonal: 0 for the main diagonal, positive above the main diagonal, negative below.
    axis1, axis2 : int, optional
        The axes of the rows and of the columns of the matrices, by default the last two axes.

    Returns
    -------
    Tensor
        A view of `x` without the axes `axis1` and `axis2`. A new last axis runs along the diagonals.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.diagonal(suanzi.tensor([[1, 2, 3], [4, 5, 6]]), 1))
    [2. 6.]
    """


@operator(
    "",
    ("TYPE_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE", "INTERNAL_ERROR"),
    of="diag",
    family="creation",
    core=_core.eye,
)
def eye(
    n: int,
    m: int | None = None,
    k: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A matrix with ones on a diagonal and zeros elsewhere (part of 复制对角线元素创建张量).

    Parameters
    ----------
    n : int
        The number of rows.
    m : int, optional
        The number of columns, by default the number of rows.
    k : int, optional
        The number of the diagonal: 0 for the main diagonal, positive above the main diagonal, negative below.
    dtype : DType, optional
        Any numeric type or bool, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    Tensor, shape (n, m)

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.eye(2, 3))
    [[1. 0. 0.]
     [0. 1. 0.]]
    """


@operator("BIFCS", _FAILS, of="diag", family="movement", core=_core.tril, shape=shapes.same)
def tril(x: Tensor, /, k: int = 0) -> Tensor:
    """The lower triangles of a stack of matrices, with zeros above the triangles (part of 复制对角线元素创建张量).

    Parameters
    ----------
    x : Tensor, shape (..., M, N)
        One matrix or a stack of matrices, of any type.
    k : int, optional
        The last diagonal that is kept: 0 for the main diagonal, positive above the main diagonal, negative below.

    Returns
    -------
    Tensor
        A copy of `x` with zeros above the diagonal `k`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.tril(suanzi.ones((3, 3))))
    [[1. 0. 0.]
     [1. 1. 0.]
     [1. 1. 1.]]
    """


@operator("BIFCS", _FAILS, of="diag", family="movement", core=_core.triu, shape=shapes.same)
def triu(x: Tensor, /, k: int = 0) -> Tensor:
    """The upper triangles of a stack of matrices, with zeros below the triangles (part of 复制对角线元素创建张量).

    Parameters
    ----------
    x : Tensor, shape (..., M, N)
        One matrix or a stack of matrices, of any type.
    k : int, optional
        The first diagonal that is kept: 0 for the main diagonal, positive above the main diagonal, negative below.

    Returns
    -------
    Tensor
        A copy of `x` with zeros below the diagonal `k`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.triu(suanzi.ones((3, 3)), 1))
    [[0. 1. 1.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
