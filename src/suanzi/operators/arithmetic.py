"""Arithmetic (Table 2, 算术操作), element by element, and the trace."""

from __future__ import annotations

from typing import Literal

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.accuracy import ROOT
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("BIFC", BROADCAST, zero="union", core=_core.add)
def add(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Sum of two tensors, element by element (张量加法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The summands. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        ``x1 + x2``, of the promoted type. Integers wrap around. The sum of bools is the logical "or".

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.add(suanzi.tensor([1, 2, 3]), 10))
    [11. 12. 13.]
    """


@operator("IFC", BROADCAST, zero="union", core=_core.subtract)
def subtract(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Difference of two tensors, element by element (张量减法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Minuend and subtrahend. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        ``x1 - x2``, of the promoted type. Integers wrap around.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.subtract(suanzi.tensor([1, 2, 3]), 1))
    [0. 1. 2.]
    """


@operator("BIFC", BROADCAST, zero="intersection", core=_core.multiply)
def multiply(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Product of two tensors, element by element (张量乘法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The factors. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        ``x1 * x2``, of the promoted type. Integers wrap around. The product of bools is the logical "and".

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.multiply(suanzi.tensor([1, 2, 3]), 2))
    [2. 4. 6.]
    """


@operator("BIFC", BROADCAST, core=_core.multiply_add)
def multiply_add(x1: Operand, x2: Operand, x3: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Product of two tensors plus a third tensor, element by element (张量乘加操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        The factors. Shapes broadcast, and types promote.
    x3 : Tensor or scalar
        The summand that is added to the product.

    Returns
    -------
    Tensor
        ``x1 * x2 + x3``, of the promoted type. The result is rounded once if the hardware has a fused multiply-add.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.multiply_add(suanzi.tensor([1, 2, 3]), 2, 1))
    [3. 5. 7.]
    """


@operator("BIFC", (*BROADCAST, "INVALID_ARGUMENT"), family="elementwise", zero="quotient", core=_core.divide)
def divide(
    x1: Operand,
    x2: Operand,
    /,
    *,
    rounding: Literal["trunc", "floor"] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Quotient of two tensors, element by element, rounded on request (张量除法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Dividend and divisor. Shapes broadcast, and types promote. If `rounding` is given, the operands are integers or
        floating.
    rounding : {None, "trunc", "floor"}, optional
        None: the quotient that `true_divide` computes. "trunc": the integer part of the quotient. "floor": the largest
        integer not above the quotient, which `floor_divide` computes. In a floating type, quotients whose integer part
        the type cannot hold (above 2^53 for float64) are rounded to the nearest number.

    Returns
    -------
    Tensor
        A tensor of the promoted type, or, without `rounding`, of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([-7, 7])
    >>> print(suanzi.divide(x, 2))
    [-3.5  3.5]
    >>> print(suanzi.divide(x, 2, rounding="trunc"))
    [-3.  3.]
    """


@operator("IF", BROADCAST, zero="quotient", core=_core.floor_divide)
def floor_divide(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Quotient rounded towards minus infinity, element by element (张量整除操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Dividend and divisor, integers or floating. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. An integer divided by zero is 0. For floating types, the result is infinite for
        an infinite dividend and a finite divisor. The result is a zero for a finite dividend and an infinite divisor,
        and NaN for two infinities. A quotient that is too large for a floating type to hold its integer part (above
        2^53 for float64) is rounded to the nearest number, as by `true_divide`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.floor_divide(suanzi.tensor([-7, 7]), 2))
    [-4.  3.]
    """


@operator("BIFC", BROADCAST, zero="quotient", core=_core.true_divide)
def true_divide(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Quotient of two tensors, not rounded to an integer (张量真除法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Dividend and divisor. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        ``x1 / x2``, of the promoted type, or of float32 for integers and bools.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.true_divide(suanzi.tensor([1, 2, 3], dtype=suanzi.int32), 2))
    [0.5 1.  1.5]
    """


@operator("IF", BROADCAST, zero="quotient", core=_core.remainder)
def remainder(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Remainder of the floored division, with the divisor's sign (张量取模操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Dividend and divisor, integers or floating. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The remainder by zero is 0 for integers and NaN for floating types.

    See Also
    --------
    fmod : the remainder with the dividend's sign.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.remainder(suanzi.tensor([-7, 7]), 3))
    [2. 1.]
    """


@operator("IF", BROADCAST, of="remainder", zero="quotient", core=_core.fmod)
def fmod(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Remainder of the truncated division, with the dividend's sign (part of 张量取模操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Dividend and divisor, integers or floating. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The result is exact. The remainder by zero is 0 for integers and NaN for floating
        types.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fmod(suanzi.tensor([-7, 7]), 3))
    [-1.  1.]
    """


@operator("BIFS", BROADCAST, zero="union", core=_core.maximum)
def maximum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The larger elements of two tensors, element by element (张量逐元素取最大值).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The operands to compare. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The result is NaN where `x1` or `x2` is NaN. Strings are ordered by code points.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.maximum(suanzi.tensor([1, 5, 3]), 2))
    [2. 5. 3.]
    """


@operator("BIFS", BROADCAST, zero="union", core=_core.minimum)
def minimum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The smaller elements of two tensors, element by element (张量逐元素取最小值).

    Parameters
    ----------
    x1, x2 : Tensor, scalar or str
        The operands to compare. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted type. The result is NaN where `x1` or `x2` is NaN. Strings are ordered by code points.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.minimum(suanzi.tensor([1, 5, 3]), 2))
    [1. 2. 2.]
    """


@operator("BIFC", UNARY, zero="kept", core=_core.abs)
def abs(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Absolute value, element by element (张量绝对值操作).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool. The absolute value of a complex element is the modulus.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of the type of the real part for complex numbers. The least signed integer wraps
        around to itself.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.abs(suanzi.tensor([-1.5, 0.0, 2.0])))
    [1.5 0.  2. ]
    """


@operator("IF", BROADCAST, of="abs", core=_core.copysign)
def copysign(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Magnitude of one tensor with the sign of another tensor, element by element (part of 张量绝对值操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Real numbers: `x1` has the magnitudes, and `x2` has the signs. Zeros and NaNs also have a sign. Shapes
        broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted floating type, or of float32 for integers.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.copysign(suanzi.tensor([1.0, -2.0]), -0.0))
    [-1. -2.]
    """


@operator("IF", BROADCAST, of="add", core=_core.nextafter)
def nextafter(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """The representable number that follows each element of `x1` in the direction of `x2` (part of 张量加法操作).

    Parameters
    ----------
    x1, x2 : Tensor or scalar
        Real numbers: the result follows `x1` in the direction of `x2`. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of the promoted floating type, or of float32 for integers. The result is the element of `x2` where `x1`
        and `x2` are equal, and NaN where `x1` or `x2` is NaN.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nextafter(suanzi.tensor([1.0], dtype="float16"), 2).item()
    1.0009765625
    """


@operator("IFC", UNARY, of="subtract", zero="linear", core=_core.negative)
def negative(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Additive inverse, element by element (part of 张量减法操作).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type.

    Returns
    -------
    Tensor
        ``-x``, of the type of `x`. Integers wrap around.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.negative(suanzi.tensor([1.0, -2.0])))
    [-1.  2.]
    """


@operator("IFC", UNARY, of="add", zero="linear", core=_core.positive)
def positive(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """A copy of a numeric tensor (part of 张量加法操作).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type.

    Returns
    -------
    Tensor
        ``+x``, of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.positive(suanzi.tensor([1.0, -2.0])))
    [ 1. -2.]
    """


@operator("IFC", UNARY, core=_core.reciprocal, accuracy=ROOT)
def reciprocal(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal, element by element (张量取倒数操作).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type.

    Returns
    -------
    Tensor
        ``1 / x``, of the type of `x`, or of float32 for integers. The result for a real ±0 is ±inf. Complex numbers
        follow C99, Annex G. The reciprocal of a zero has an infinite real part and the imaginary part NaN. The
        reciprocal of any infinity is 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.reciprocal(suanzi.tensor([1.0, 2.0, 4.0])))
    [1.   0.5  0.25]
    """


@operator("BIFC", (*UNARY, "INVALID_ARGUMENT", "OUT_OF_RANGE"), family="matrix", core=_core.trace)
def trace(x: Tensor, /, offset: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Sum of the elements on a diagonal of each matrix (张量对角线元素求和操作).

    Parameters
    ----------
    x : Tensor, shape (..., M, N)
        One matrix or a stack of matrices.
    offset : int, optional
        The number of the diagonal: 0 for the main diagonal, positive above the main diagonal, negative below.

    Returns
    -------
    Tensor, shape (...)
        A sum of floating or complex numbers has the type of `x`. The result is int64 for signed integers and bool, and
        uint64 for unsigned integers. An empty diagonal sums to 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.trace(suanzi.tensor([[1, 2], [3, 4]])))
    5.0
    """
