"""Operators that need the order of elements (Table 2, 索引操作): `argsort`, `topk`, `sort`, `unique`, `searchsorted`.

All functions of the module order elements by the same rules. NaNs are the greatest elements and equal to each other.
-0.0 equals 0.0. Complex numbers are ordered by the real parts, then by the imaginary parts. Equal elements keep their
order.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.operands import AnyOperand
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, itemsize, nbytes, size, wide

_AXIS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")


class TopK(NamedTuple):
    """The result of `topk`.

    Attributes
    ----------
    values : Tensor
        The selected elements, of the type of the input.
    indices : Tensor
        The indices of the selected elements along the axis, as int64.
    """

    values: Tensor
    indices: Tensor


@operator(
    "BIFCS",
    _AXIS,
    scratch=copy("x") + (5 + itemsize("x") // 8) * nbytes("result"),
    family="order",
    core=_core.argsort,
    shape=shapes.same,
)
def argsort(
    x: Tensor, /, axis: int = -1, descending: bool = False, stable: bool = True, *, out: Tensor | None = None
) -> Tensor:
    """The indices that sort the elements along an axis (排序索引).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type. A scalar counts as one element along axis 0.
    axis : int, optional
        The axis. A negative number counts from the end.
    descending : bool, optional
        If True, sort from the greatest to the least element, so that NaNs come first. Equal elements keep their order.
    stable : bool, optional
        A parameter of the array API: the order of equal elements is kept, whatever the value of `stable`.

    Returns
    -------
    Tensor
        An int64 tensor of the shape of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.argsort(suanzi.tensor([3.0, 1.0, float("nan"), 1.0]))
    tensor([1, 3, 0, 2], dtype=int64)
    """


@operator(
    "BIFCS",
    _AXIS,
    of="argsort",
    scratch=copy("x") + 3 * nbytes("x") + 2**20,
    family="order",
    core=_core.sort,
    shape=shapes.same,
)
def sort(
    x: Tensor, /, axis: int = -1, descending: bool = False, stable: bool = True, *, out: Tensor | None = None
) -> Tensor:
    """The elements of a tensor, sorted along an axis (排序).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type. A scalar counts as one element along axis 0.
    axis : int, optional
        The axis. A negative number counts from the end.
    descending : bool, optional
        If True, sort from the greatest to the least element, so that NaNs come first.
    stable : bool, optional
        A parameter of the array API, which does not change the result. Elements that are equal but not the same (-0.0
        and 0.0, NaNs of different bits) keep their order.

    Returns
    -------
    Tensor
        A sorted copy of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.sort(suanzi.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]), descending=True))
    [[3. 2. 1.]
     [6. 5. 4.]]
    """


@operator("BIFCS", ("TYPE_MISMATCH", "OUT_OF_RANGE"), scratch=copy("x") + 4 * wide("x"), family="order")
def topk(x: Tensor, /, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> TopK:
    """The k greatest (or least) elements along an axis and the indices of the elements (Top K索引).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type. A scalar counts as one element along axis 0.
    k : int
        The number of elements, from 0 to the size of the axis.
    axis : int, optional
        The axis. A negative number counts from the end.
    largest : bool, optional
        If True, return the greatest elements, where NaN is greater than all numbers. Otherwise return the least
        elements.
    sorted : bool, optional
        If True, sort the result, with the greatest (or least) element first. Otherwise return the elements in ascending
        order of their indices.

    Returns
    -------
    TopK
        The named tuple ``(values, indices)``: the elements in the type of `x`, and the indices of the elements in
        int64. The shape of both tensors is the shape of `x` with size `k` along the axis. Among equal elements, the
        elements of the least indices are selected and come first.

    Examples
    --------
    >>> import suanzi
    >>> values, indices = suanzi.topk(suanzi.tensor([3.0, 1.0, 4.0, 1.0, 5.0]), 2)
    >>> print(values)
    [5. 4.]
    >>> indices
    tensor([4, 2], dtype=int64)
    """
    return TopK(*_core.topk(x, k, axis, largest, sorted))


@overload
def unique(
    x: Tensor,
    /,
    *,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
) -> Tensor: ...
@overload
def unique(
    x: Tensor,
    /,
    *,
    return_index: Literal[True],
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    *,
    return_index: bool = False,
    return_inverse: Literal[True],
    return_counts: bool = False,
    axis: int | None = None,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: Literal[True],
    axis: int | None = None,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Tensor | tuple[Tensor, ...]: ...
@operator(
    "BIFCS",
    ("TYPE_MISMATCH", "OUT_OF_RANGE"),
    of="argsort",
    scratch=copy("x") + 2 * nbytes("x") + 24 * size("x") + 2**21,
    family="values",
    core=_core.unique,
)
def unique(
    x: Tensor,
    /,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """The distinct elements of a tensor in ascending order (去重).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.
    return_index : bool, optional
        Also return the index of the first occurrence of each value: in the flattened `x`, or, if `axis` is given, along
        the axis.
    return_inverse : bool, optional
        Also return, for each element of `x`, the index of the equal value in the result. The indices have the shape of
        `x`, or form a vector if `axis` is given.
    return_counts : bool, optional
        Also return the number of occurrences of each value.
    axis : int, optional
        Treat the slices along the axis as elements, in lexicographic order. By default the elements themselves are
        compared.

    Returns
    -------
    Tensor or tuple of Tensor
        The distinct values. If further results are requested, a tuple of the values and then the requested tensors of
        indices, inverse indices and counts, in this order and of type int64. All NaNs are one value, and -0.0 and 0.0
        are one value. The first occurrence in `x` represents each value.

    Examples
    --------
    >>> import suanzi
    >>> values, counts = suanzi.unique(suanzi.tensor([3.0, 1.0, 3.0]), return_counts=True)
    >>> print(values)
    [1. 3.]
    >>> counts
    tensor([1, 2], dtype=int64)
    """


@operator(
    "BIFCS",
    _AXIS,
    of="argsort",
    scratch=wide("sorted") + copy("sorted") + copy("values") + 3 * wide("sorter"),
    family="order",
    operands=("sorted", "values", "sorter"),
    core=_core.searchsorted,
)
def searchsorted(sorted: Tensor, values: AnyOperand, /, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Find the indices at which values can be inserted into sorted elements (有序查找).

    Parameters
    ----------
    sorted : Tensor
        A vector in ascending order, or several vectors in ascending order along the last axis.
    values : Tensor, scalar or str
        The values to insert. If `sorted` is one vector, `values` may have any shape. Otherwise the shapes of `sorted`
        and `values` may differ only in the last axis. The types promote.
    side : {"left", "right"}, optional
        "left": insert a value before equal elements. "right": insert a value after equal elements.
    sorter : Tensor, optional
        Indices that sort `sorted`, if `sorted` is not in ascending order: integers of the shape of `sorted`.

    Returns
    -------
    Tensor
        An int64 tensor of the shape of `values`. For the side "left", an index is the number of elements of `sorted`
        that are less than the value. For the side "right", an index is the number of elements that are not greater than
        the value.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.searchsorted(suanzi.tensor([1.0, 2.0, 2.0, 3.0]), suanzi.tensor([2.0, 5.0]))
    tensor([1, 4], dtype=int64)
    """
