"""Updates of tensors at given indices (Table 2, 张量转换). The module `gathering` reads elements."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import Operand
from suanzi.operators.registry import operator
from suanzi.operators.scratch import copy, size, wide

_UPDATED = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "OUT_OF_RANGE", "INVALID_ARGUMENT")


# Many updates of a large tensor are first grouped by the part of the tensor that the updates change. Sums and products
# of narrow floating types are computed in float64, on copies of all elements or of only the few elements that change.
@operator(
    "BIFCS",
    _UPDATED,
    scratch=2 * wide("index") + copy("updates") + 44 * size("index"),
    family="movement",
    core=_core.scatter,
)
def scatter(
    x: Tensor,
    index: Tensor,
    updates: Operand,
    /,
    axis: int = 0,
    mode: str = "update",
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return a copy of a tensor in which updates change the elements at given indices along an axis (张量发散更新).

    The index at an update's position is the changed element's coordinate along the axis. The other coordinates of the
    element are the coordinates of the position. Updates of one element happen in the row-major order of `index`. In the
    mode "update", the last update stays. In other modes, the updates are combined one after the other. Sums and
    products of float16, bfloat16, float32 and complex64 are computed in float64 or complex128 and rounded once.

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    index : Tensor
        Integers of any type, in a tensor of the rank of `x` that is not larger than `x` along the axes other than
        `axis`. Negative indices count from the end of the axis.
    updates : Tensor or scalar
        The updates, of a type that promotes to the type of `x`. The shape of the updates broadcasts to the shape of
        `index`.
    axis : int, optional
        The axis that the indices refer to.
    mode : {"update", "add", "mul", "min", "max"}, optional
        The combination of an element and an update. "update": the update replaces the element. "add": the sum. "mul":
        the product. "min": the lesser of element and update. "max": the greater of element and update. Integers wrap
        around. For bools ``add`` is "or" and ``mul`` is "and". ``min`` and ``max`` return NaN if the element or the
        update is NaN, and do not accept complex numbers. Strings accept only "update".
    out : Tensor, optional
        The tensor that receives the result. `out` may be `x` itself. If an index is out of range, nothing is written.

    Returns
    -------
    Tensor
        A tensor of the shape and type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> index = suanzi.tensor([0, 2, 0], dtype="int64")
    >>> updates = suanzi.tensor([1.0, 2.0, 3.0])
    >>> print(suanzi.scatter(suanzi.zeros(3), index, updates))
    [3. 0. 2.]
    >>> print(suanzi.scatter(suanzi.zeros(3), index, updates, mode="add"))
    [4. 0. 2.]
    """


@operator(
    "BIFCS",
    _UPDATED,
    of="scatter",
    scratch=2 * wide("indices") + copy("updates") + 11 * wide("updates"),
    family="movement",
    core=_core.scatter_nd,
)
def scatter_nd(
    x: Tensor, indices: Tensor, updates: Operand, /, mode: str = "update", *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of a tensor in which updates change the elements or slices at tuples of indices (张量发散更新).

    Updates of the same element happen in the row-major order of `indices`. Sums and products are rounded once, as by
    `scatter`.

    Parameters
    ----------
    x : Tensor
        A tensor of one dimension or more, of any type.
    indices : Tensor
        Integers of any type. The last dimension contains tuples that index the first dimensions of `x`. Negative
        numbers count from the end.
    updates : Tensor or scalar
        The updates, of a type that promotes to the type of `x`. The shape of the updates broadcasts to
        ``indices.shape[:-1] + x.shape[indices.shape[-1]:]``.
    mode : {"update", "add", "mul", "min", "max"}, optional
        The combination of an element and an update, as in `scatter`.
    out : Tensor, optional
        The tensor that receives the result. `out` may be `x` itself. If an index is out of range, nothing is written.

    Returns
    -------
    Tensor
        A tensor of the shape and type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> indices = suanzi.tensor([[1], [0], [1]], dtype="int64")
    >>> print(suanzi.scatter_nd(suanzi.ones((2, 2)), indices, 5, mode="add"))
    [[ 6.  6.]
     [11. 11.]]
    """
