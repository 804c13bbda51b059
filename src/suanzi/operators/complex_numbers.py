"""Complex numbers (Table 2, 复数操作): construction from parts, real and imaginary parts, and conjugates."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import operand_of
from suanzi.operators.operands import Operand
from suanzi.operators.registry import BROADCAST, UNARY, operator


@operator("IF", BROADCAST, core=_core.complex)
def complex(real: Operand, imag: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from real and imaginary parts (复数构建).

    Parameters
    ----------
    real, imag : Tensor or scalar
        Real and imaginary parts. Shapes broadcast, and types promote.

    Returns
    -------
    Tensor
        A tensor of type complex128 if the promoted type is float64, and of complex64 otherwise.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.complex(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0])))
    [1.+3.j 2.+4.j]
    """


@operator("BIFC", UNARY, zero="linear", core=_core.conj)
def conj(x: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Complex conjugate, element by element (复数共轭).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool. Real elements are their own conjugates.

    Returns
    -------
    Tensor
        A tensor of the type of `x`.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.complex(suanzi.tensor([1.0]), suanzi.tensor([2.0]))
    >>> print(suanzi.conj(x))
    [1.-2.j]
    """


@operator("BIFC", ("TYPE_MISMATCH",), family="part")
def imag(x: Tensor, /) -> Tensor:
    """Imaginary part, element by element (获取虚部).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the type of the real and imaginary parts. If `x` is complex, the result is a view that shares the
        memory of `x`. Otherwise the elements of the result are zeros.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.complex(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0]))
    >>> print(suanzi.imag(x))
    [3. 4.]
    """
    return operand_of(x, "imag").imag


@operator("BIFC", ("TYPE_MISMATCH",), family="part")
def real(x: Tensor, /) -> Tensor:
    """Real part, element by element (获取实部).

    Parameters
    ----------
    x : Tensor
        A tensor of any numeric type or bool.

    Returns
    -------
    Tensor
        A tensor of the type of the real and imaginary parts. If `x` is complex, the result is a view that shares the
        memory of `x`. Otherwise the result is `x` itself.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.complex(suanzi.tensor([1.0, 2.0]), suanzi.tensor([3.0, 4.0]))
    >>> print(suanzi.real(x))
    [1. 2.]
    """
    return operand_of(x, "real").real
