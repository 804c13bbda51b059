"""Linear systems and related operators (Table 2, 线性代数操作): solutions, inverses, determinants, rank."""

from __future__ import annotations

from typing import NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.registry import operator
from suanzi.operators.scratch import floats, last, recast

_MATRICES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INTERNAL_ERROR")
_REFUSING = (*_MATRICES, "INVALID_ARGUMENT")
_TOLERANT = (*_REFUSING, "OUT_OF_RANGE")


class SlogdetResult(NamedTuple):
    """The result of `slogdet`: ``det(x) = sign * exp(logabsdet)``."""

    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    """The result of `lstsq`: the solution, the residuals, the rank and the singular values."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


@operator("BIFC", _REFUSING, scratch=2 * floats("a") + recast("a") + 2 * floats("b"), family="matrix", core=_core.solve)
def solve(a: Tensor, b: Tensor, /) -> Tensor:
    """Solutions of systems of linear equations (线性方程组求解).

    Parameters
    ----------
    a : Tensor
        A tensor of shape ``(..., n, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.
    b : Tensor
        The right-hand sides: a vector of shape ``(n,)`` for all matrices, or a tensor of shape ``(..., n, k)``. Batches
        broadcast.

    Returns
    -------
    Tensor
        The solution x of ``a @ x = b``, of shape ``(..., n)`` or ``(..., n, k)`` and of the operands' common type. The
        status is INVALID_ARGUMENT if a pivot is 0, which means that a matrix is singular. The message names the matrix
        and the pivot. Because of rounding errors, not every singular matrix has a pivot of 0.

    Examples
    --------
    >>> import suanzi
    >>> a = suanzi.tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> print(suanzi.solve(a, suanzi.tensor([3.0, 4.0])))
    [1. 1.]
    """


@operator("BIFC", _TOLERANT, scratch=3 * floats("a") + 3 * floats("b"), family="matrix")
def lstsq(a: Tensor, b: Tensor, /, *, rtol: float | Tensor | None = None) -> LstsqResult:
    """Least squares: among all x that minimise the norm of ``a @ x - b``, the x of least norm (最小二乘).

    Parameters
    ----------
    a : Tensor
        A tensor of shape ``(..., m, n)`` with finite elements. The matrices may have any rank. The function computes in
        float64 for integers and bool, and in float32 for float16 and bfloat16.
    b : Tensor
        The right-hand sides: a vector of shape ``(m,)`` for all matrices, or a tensor of shape ``(..., m, k)`` with the
        batch of `a`. The elements must be finite.
    rtol : float or Tensor, optional
        Singular values up to `rtol` times the greatest singular value count as 0. The default is the type's epsilon
        times the greater of m and n. If `rtol` is a tensor, the elements are the tolerances of the matrices, and the
        shape of `rtol` broadcasts with the batch.

    Returns
    -------
    LstsqResult
        ``solution`` has shape ``(..., n)`` or ``(..., n, k)``. ``residuals``, the sums of squares of ``b - a @ x``,
        has shape ``(...)`` or ``(..., k)``. ``rank`` is an int64 tensor of shape ``(...)``. ``singular_values`` has
        shape ``(..., min(m, n))``.

    Examples
    --------
    >>> import suanzi
    >>> a = suanzi.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> fit = suanzi.lstsq(a, suanzi.tensor([1.0, 3.0, 5.0]))
    >>> print(suanzi.round(fit.solution, 3), fit.rank.item())
    [1. 2.] 2
    """
    return LstsqResult(*_core.lstsq(a, b, rtol))


@operator(
    "BIFC",
    _REFUSING,
    scratch=2 * floats("x") + 3 * recast("x") + 1024 * last("x"),
    family="matrix",
    core=_core.inv,
    shape=shapes.square,
)
def inv(x: Tensor, /) -> Tensor:
    """Inverse matrices (矩阵求逆).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.

    Returns
    -------
    Tensor
        A tensor of the shape and type of `x`, or of float32 for integers and bool. The status is INVALID_ARGUMENT if a
        pivot is 0, which means that a matrix is singular. The message names the matrix and the pivot. Because of
        rounding errors, not every singular matrix has a pivot of 0.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.inv(suanzi.tensor([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """


@operator("BIFC", _TOLERANT, of="inv", scratch=7 * floats("x"), family="matrix", core=_core.pinv)
def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Pseudo-inverses of matrices, as defined by Moore and Penrose (矩阵求逆, 伪逆).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.
    rtol : float or Tensor, optional
        Singular values up to `rtol` times the greatest singular value count as 0. The default is the type's epsilon
        times the greater of m and n. If `rtol` is a tensor, the elements are the tolerances of the matrices, and the
        shape of `rtol` broadcasts with the batch.

    Returns
    -------
    Tensor
        A tensor of shape ``(..., n, m)``, of the type of `x`, or of float32 for integers and bool.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.pinv(suanzi.tensor([[2.0, 0.0], [0.0, 0.0]])))
    [[0.5 0. ]
     [0.  0. ]]
    """


@operator("BIFC", _MATRICES, of="inv", scratch=2 * floats("x") + recast("x"), family="matrix", core=_core.det)
def det(x: Tensor, /) -> Tensor:
    """Determinants of square matrices (行列式).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.

    Returns
    -------
    Tensor
        A tensor of shape ``(...)``, of the type of `x`, or of float32 for integers and bool. The determinant of a
        matrix without elements is 1.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.det(suanzi.tensor([[2.0, 1.0], [0.0, 3.0]])))
    6.0
    """


@operator("BIFC", _MATRICES, of="inv", scratch=2 * floats("x") + recast("x"), family="matrix")
def slogdet(x: Tensor, /) -> SlogdetResult:
    """Signs of determinants, and logarithms of the determinants' absolute values (行列式, 符号与对数).

    The results can also represent determinants that would overflow.

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.

    Returns
    -------
    SlogdetResult
        ``sign`` has shape ``(...)`` and contains 1, -1, 0, or complex numbers of absolute value 1. ``logabsdet`` is
        real and contains the natural logarithms of the determinants' absolute values, or minus infinity if a pivot is
        0.

    Examples
    --------
    >>> import suanzi
    >>> sign, logabsdet = suanzi.slogdet(suanzi.tensor([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logabsdet.item()
    (-1.0, 0.0)
    """
    return SlogdetResult(*_core.slogdet(x))


@operator("BIFC", _TOLERANT, of="svd", scratch=2 * floats("x"), family="matrix", core=_core.matrix_rank)
def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Ranks of matrices: the numbers of singular values that are not 0 (矩阵的秩).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.
    rtol : float or Tensor, optional
        Singular values up to `rtol` times the greatest singular value count as 0. The default is the type's epsilon
        times the greater of m and n. If `rtol` is a tensor, the elements are the tolerances of the matrices, and the
        shape of `rtol` broadcasts with the batch.

    Returns
    -------
    Tensor
        An int64 tensor of shape ``(...)``.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.matrix_rank(suanzi.tensor([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
