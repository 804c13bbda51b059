"""Prefix sums and products: the sum or product of all elements up to each element (Table 2, 前缀和)."""

from __future__ import annotations

from functools import partial

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.reduction.declaration import FAILS
from suanzi.operators.registry import operator
from suanzi.tensor.dtypes import DTypeLike

_PARAMETERS = {
    "x": """x : Tensor
    A tensor of any shape and of any numeric type or bool.""",
    "axis": """axis : int, optional
    The axis along which the function accumulates. By default the tensor is flattened in row-major order.""",
    "dtype": """dtype : DType, optional
    The type of the result, to which the elements are converted first. By default bool and signed
    integers become int64, unsigned integers become uint64, and other types stay.""",
    "include_initial": """include_initial : bool, optional
    If True, begin with the result for no elements, so that the axis becomes longer by one.""",
    "exclusive": """exclusive : bool, optional
    If True, leave each element out of its own result, so that the first result is the result for no elements.
    A call may not set both `exclusive` and `include_initial`.""",
    "reverse": """reverse : bool, optional
    If True, accumulate from the end to the beginning. Each result stays at the index of its element.""",
}
_scan = partial(operator, "BIFC", FAILS, parameters=_PARAMETERS, family="scan", shape=shapes.scanned)


@_scan(core=_core.cumulative_sum)
def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Sums of all elements up to each element, along an axis (前缀和).

    Parameters
    ----------

    Returns
    -------
    Tensor
        A tensor of the shape of `x`, or a vector if `axis` is not given. Integers wrap around. Floating types are
        accumulated in float64 and rounded once. The error of a sum in float64 is below ``100 * 2**-53`` times the sum
        of the absolute values, for an axis of any length. The result has the same bits for any number of threads.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([1.0, 2.0, 3.0])
    >>> print(suanzi.cumulative_sum(x), suanzi.cumulative_sum(x, exclusive=True))
    [1. 3. 6.] [0. 1. 3.]
    """


@_scan(of="cumulative_sum", core=_core.cumulative_prod)
def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Products of all elements up to each element, along an axis (前缀和, 前缀积).

    Parameters
    ----------

    Returns
    -------
    Tensor
        A tensor of the shape of `x`, or a vector if `axis` is not given. Integers wrap around. Floating types are
        accumulated in float64 and rounded once. After a product has left the range of float64, the further products are
        infinite, 0 or NaN. The result has the same bits for any number of threads.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[1, 2], [3, 4]], dtype="int32")
    >>> print(suanzi.cumulative_prod(x, axis=1, reverse=True))
    [[ 2  2]
     [12  4]]
    """
