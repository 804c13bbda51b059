"""Query and check (Table 2, 张量查询与检查)."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import operand_of
from suanzi.operators.registry import UNARY, operator


@operator("BIFCS", ("TYPE_MISMATCH",), family="query")
def shape(x: Tensor, /) -> tuple[int, ...]:
    """Sizes of the dimensions (形状查询).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    tuple of int
        One size for each dimension of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.shape(suanzi.zeros((2, 3)))
    (2, 3)
    """
    return operand_of(x, "shape").shape


@operator("BIFCS", ("TYPE_MISMATCH",), family="query")
def size(x: Tensor, /) -> int:
    """Number of elements (元素个数检查).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    int
        The product of the sizes of all dimensions, which is 1 for a scalar.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.size(suanzi.zeros((2, 3)))
    6
    """
    return operand_of(x, "size").size


@operator("BIFCS", ("TYPE_MISMATCH",), family="query")
def rank(x: Tensor, /) -> int:
    """Number of dimensions (秩查询).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    int
        The number of dimensions, which is 0 for a scalar.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.rank(suanzi.zeros((2, 3)))
    2
    """
    return operand_of(x, "rank").ndim


@operator("BIFCS", ("TYPE_MISMATCH",), family="query", core=_core.is_contiguous)
def is_contiguous(x: Tensor, /) -> bool:
    """Test whether elements are contiguous in memory and the last dimension varies fastest (连续内存检查).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    bool
        True if the elements are in row-major order in memory without gaps, or if `x` has no elements.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros((2, 3))
    >>> suanzi.is_contiguous(x), suanzi.is_contiguous(x.T)
    (True, False)
    """


@operator("BIFC", UNARY, core=_core.isfinite)
def isfinite(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether each element is neither infinite nor NaN (有限检查).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool. A complex number is finite if both parts of the number
        are finite.

    Returns
    -------
    Tensor
        A bool tensor of the shape of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.isfinite(suanzi.tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """


@operator("BIFC", UNARY, zero="kept", core=_core.isinf)
def isinf(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether each element is infinite (无穷检查).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool. A complex number is infinite if the real or the imaginary
        part is infinite.

    Returns
    -------
    Tensor
        A bool tensor of the shape of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.isinf(suanzi.tensor([1.0, float("inf"), float("nan")]))
    tensor([False,  True, False])
    """


@operator("BIFC", UNARY, zero="kept", core=_core.isnan)
def isnan(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether each element is not a number (未定义数检查).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and of any numeric type or bool. A complex number is NaN if the real or the imaginary part
        is NaN.

    Returns
    -------
    Tensor
        A bool tensor of the shape of `x`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.isnan(suanzi.tensor([1.0, float("inf"), float("nan")]))
    tensor([False, False,  True])
    """
