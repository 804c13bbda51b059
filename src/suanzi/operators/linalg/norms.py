"""Norms of vectors and of matrices, and condition numbers (Table 2, 线性代数操作)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes
from suanzi.operators.registry import operator
from suanzi.operators.scratch import floats

MatrixOrder: TypeAlias = float | Literal["fro", "nuc"]

_FAILS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")


@operator("BIFC", _FAILS, scratch=2 * floats("x"), family="matrix", core=_core.matrix_norm)
def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: MatrixOrder = "fro") -> Tensor:
    """Norms of matrices (矩阵范数).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.
    keepdims : bool, optional
        Keep the last two axes with size 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        ``"fro"``: the root of the sum of squares. ``1``: the greatest sum of absolute values in a column. ``inf``: the
        greatest sum in a row. ``2``: the greatest singular value. ``"nuc"``: the sum of the singular values. Norms that
        use singular values need finite elements. A negative order selects the least value instead of the greatest
        value.

    Returns
    -------
    Tensor
        A real tensor of shape ``(...)``. The norm of a matrix without elements is 0. The status is INVALID_ARGUMENT if
        `ord` is -1 and the matrices have no columns, if `ord` is -inf and the matrices have no rows, or if `ord` is -2
        and the matrices have no singular values.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> suanzi.matrix_norm(x).item(), suanzi.matrix_norm(x, ord=1).item()
    (5.0, 4.0)
    """


@operator(
    "BIFC",
    ("TYPE_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    of="matrix_norm",
    scratch=3 * floats("x"),
    family="matrix",
    core=_core.vector_norm,
)
def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Norms of vectors (向量范数).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape. The function computes in float64 for integers and bool, and in float32 for float16 and
        bfloat16.
    axis : int or tuple of int, optional
        The axes that form the vectors. By default all elements form one vector.
    keepdims : bool, optional
        Keep the reduced axes with size 1.
    ord : float, optional
        A number p selects the p-th root of the sum of p-th powers of absolute values. ``inf`` and ``-inf`` select the
        greatest and the least absolute value, and ``0`` selects the number of nonzero elements.

    Returns
    -------
    Tensor
        A real tensor of the shape of `x` without the axes `axis`. The norm of a vector without elements is 0. The
        status is INVALID_ARGUMENT if `ord` is negative and the vectors have no elements. Squares and powers overflow
        only if the norm overflows.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.vector_norm(suanzi.tensor([3.0, -4.0])).item()
    5.0
    """


@operator("BIFC", _FAILS, of="matrix_norm", scratch=3 * floats("x"), family="matrix", core=_core.cond)
def cond(x: Tensor, /, *, ord: MatrixOrder = 2) -> Tensor:
    """Condition numbers of matrices: the factors by which matrices magnify errors (条件数).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)``, or ``(..., m, n)`` for orders 2 and -2, which need finite elements. The
        function computes in float64 for integers and bool, and in float32 for float16 and bfloat16.
    ord : {2, -2, 1, -1, inf, -inf, "fro", "nuc"}, optional
        If `ord` is 2, the result is the greatest singular value divided by the least singular value. If `ord` is -2,
        the result is the least singular value divided by the greatest singular value. Otherwise the result is the norm
        of the matrix times the norm of the inverse, in the norm that `matrix_norm` computes for `ord`.

    Returns
    -------
    Tensor
        A real tensor of shape ``(...)``. If `ord` is neither 2 nor -2, the result is infinite for a matrix with a pivot
        of 0. If `ord` is 2, the result for a singular matrix is infinite or, because of rounding errors, very large. If
        `ord` is -2, the result for a singular matrix is 0 or very small.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.cond(suanzi.tensor([[4.0, 0.0], [0.0, 2.0]])).item()
    2.0
    """
