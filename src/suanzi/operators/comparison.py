"""Comparison (Table 2, 比较操作), element by element and of whole tensors."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.operands import AnyOperand, Operand
from suanzi.operators.registry import BROADCAST, operator
from suanzi.operators.scratch import size, together


@operator("BIFCS", BROADCAST, zero="dense", core=_core.equal)
def equal(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` and `x2` are equal (判断张量是否相等).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is False where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.equal(suanzi.tensor([1, 2, 3]), 2))
    [False  True False]
    """


@operator("BIFCS", BROADCAST, zero="union", core=_core.not_equal)
def not_equal(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` and `x2` are unequal (判断张量是否不等).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is True where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.not_equal(suanzi.tensor([1, 2, 3]), 2))
    [ True False  True]
    """


@operator("BIFS", BROADCAST, zero="union", core=_core.greater)
def greater(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` are greater than elements of `x2` (判断张量是否大于).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is False where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.greater(suanzi.tensor([1, 2, 3]), 2))
    [False False  True]
    """


@operator("BIFS", BROADCAST, zero="dense", core=_core.greater_equal)
def greater_equal(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` are greater than or equal to elements of `x2` (判断张量是否大于等于).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is False where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.greater_equal(suanzi.tensor([1, 2, 3]), 2))
    [False  True  True]
    """


@operator("BIFS", BROADCAST, zero="union", core=_core.less)
def less(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` are less than elements of `x2` (判断张量是否小于).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is False where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.less(suanzi.tensor([1, 2, 3]), 2))
    [ True False False]
    """


@operator("BIFS", BROADCAST, zero="dense", core=_core.less_equal)
def less_equal(x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Test whether elements of `x1` are less than or equal to elements of `x2` (判断张量是否小于等于).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands. Shapes broadcast. Elements are compared exactly in the promoted type, and strings by code
        points. The comparison of a Python integer with an integer tensor is exact, even if the type of the tensor
        cannot hold the Python integer.

    Returns
    -------
    Tensor
        A bool tensor. The result is False where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.less_equal(suanzi.tensor([1, 2, 3]), 2))
    [ True  True False]
    """


@operator("BIFC", BROADCAST, core=_core.isclose)
def isclose(
    x1: Operand,
    x2: Operand,
    /,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Test whether elements of `x1` and `x2` are close to each other (判断张量是否值相近).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The compared values and the reference values. Shapes broadcast, and types promote.
    rtol, atol : float, optional
        The tolerance relative to `x2`, and the absolute tolerance.
    equal_nan : bool, optional
        If True, NaN is close to NaN.

    Returns
    -------
    Tensor
        A bool tensor that is True where ``|x1 - x2| <= atol + rtol * |x2|``. An infinity is close only to itself.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.isclose(suanzi.tensor([1.0, 1.000001, 1.1]), 1.0))
    [ True  True False]
    """


@operator("BIFC", BROADCAST, of="isclose", scratch=together("x1", "x2"), family="query", core=_core.allclose)
def allclose(
    x1: Operand,
    x2: Operand,
    /,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:
    """Test whether all elements of `x1` and `x2` are close to each other (part of 判断张量是否值相近).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The compared values and the reference values. Shapes broadcast, and types promote.
    rtol, atol, equal_nan
        The tolerances and the treatment of NaN, as in `isclose`.

    Returns
    -------
    bool
        True if `isclose` returns True for all elements. For empty tensors the result is also True.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.allclose(suanzi.tensor([1.0, 2.0]), suanzi.tensor([1.0, 2.000001]))
    True
    """


@operator(
    "BIFCS", ("TYPE_MISMATCH", "OUT_OF_RANGE"), of="equal", scratch=size("x1"), family="query", core=_core.array_equal
)
def array_equal(x1: Operand, x2: Operand, /) -> bool:
    """Test whether two tensors have the same shape and elements (part of 判断张量是否相等).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The two operands, which are compared in the promoted type. A scalar has shape ().

    Returns
    -------
    bool
        False if the shapes or any elements differ. NaN differs from NaN.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.array_equal(suanzi.tensor([1, 2]), suanzi.tensor([1, 2]))
    True
    >>> suanzi.array_equal(suanzi.tensor([1, 2]), suanzi.tensor([[1, 2]]))
    False
    """
