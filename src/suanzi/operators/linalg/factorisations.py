"""Factorisations of matrices (Table 2, 线性代数操作): LU, Cholesky, QR, singular values.

The last two dimensions of an operand form matrices, and the dimensions before the last two form a batch. For example,
`L[i]` is a factor of the matrix `x[i]`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators import shapes
from suanzi.operators.registry import operator
from suanzi.operators.scratch import floats, last, recast

_MATRICES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INTERNAL_ERROR")
_ITERATED = (*_MATRICES, "INVALID_ARGUMENT")


class LUResult(NamedTuple):
    """The result of `lu`: ``x = P @ L @ U``."""

    P: Tensor
    L: Tensor
    U: Tensor


class PackedLUResult(NamedTuple):
    """The result of `lu` with ``packed=True``: the factors L and U in one matrix, and the row exchanges."""

    LU: Tensor
    pivots: Tensor


class QRResult(NamedTuple):
    """The result of `qr`: ``x = Q @ R``."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """The result of `svd`: ``x = U @ diag(S) @ Vh``."""

    U: Tensor
    S: Tensor
    Vh: Tensor


@overload
def lu(x: Tensor, /, *, packed: Literal[False] = False) -> LUResult: ...
@overload
def lu(x: Tensor, /, *, packed: Literal[True]) -> PackedLUResult: ...
@overload
def lu(x: Tensor, /, *, packed: bool) -> LUResult | PackedLUResult: ...
@operator("BIFC", _MATRICES, scratch=2 * floats("x") + 3 * recast("x"), family="matrix")
def lu(x: Tensor, /, *, packed: bool = False) -> LUResult | PackedLUResult:
    """Lower and upper triangular factors of matrices, computed with partial pivoting (LU矩阵分解).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.
    packed : bool, optional
        If True, return the factors L and U in one matrix, and pivots instead of `P`.

    Returns
    -------
    LUResult
        ``P`` is a permutation of shape ``(..., m, m)``. ``L`` has shape ``(..., m, k)`` and ones on the diagonal. ``U``
        has shape ``(..., k, n)``. k is the lesser of m and n, and ``x = P @ L @ U``. The type is the type of `x`, or
        float32 for integers and bool.
    PackedLUResult
        The result if `packed` is True. ``LU`` has the shape of `x`, with U on and above the diagonal and L below the
        diagonal. ``pivots`` has shape ``(..., k)`` and type int64. Row i was exchanged with row ``pivots[i]``, for i =
        0, 1, ….

    Notes
    -----
    The function also computes the factors of a singular matrix. The diagonal of U then contains a 0, or a small number
    in place of the 0 because of rounding errors.

    Examples
    --------
    >>> import suanzi
    >>> P, L, U = suanzi.lu(suanzi.tensor([[1.0, 2.0], [4.0, 4.0]]))
    >>> print(L)
    [[1.   0.  ]
     [0.25 1.  ]]
    >>> print(U)
    [[4. 4.]
     [0. 1.]]
    """
    parts = _core.lu(x, packed)
    return PackedLUResult(*parts) if packed else LUResult(*parts)


@operator(
    "BIFC", _ITERATED, scratch=floats("x") + 2 * recast("x"), family="matrix", core=_core.cholesky, shape=shapes.square
)
def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Triangular factor of Hermitian positive definite matrices (Cholesky矩阵分解).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)``. The function reads only the lower triangles, or, if `upper` is True, only the
        upper triangles. The function computes in float64 for integers and bool, and in float32 for float16 and
        bfloat16.
    upper : bool, optional
        If True, return the upper factor U, for which ``x = U.mH @ U``. By default, return the lower factor L, for which
        ``x = L @ L.mH``.

    Returns
    -------
    Tensor
        A tensor of the shape and type of `x`, or of float32 for integers and bool. The elements above the diagonal of
        L, or below the diagonal of U, are 0.

    Raises
    ------
    InvalidArgumentError
        A matrix is not positive definite. The message names the matrix and the pivot that is not positive.
    TypeMismatchError
        The function does not accept the type of `x`.
    DimensionsMismatchError
        The matrices are not square.
    UninitializedObjectError
        A tensor was destroyed.
    AllocFailedError
        The memory for the result could not be allocated.
    InternalError
        No BLAS library was found.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.cholesky(suanzi.tensor([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """


@operator("BIFC", _ITERATED, scratch=floats("x") + floats("result") + recast("x"), family="matrix")
def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Factors of matrices: Q with orthonormal columns and the upper triangular R (QR矩阵分解).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)``. The function computes in float64 for integers and bool, and in float32 for
        float16 and bfloat16.
    mode : {"reduced", "complete"}, optional
        "reduced": `Q` has k columns, where k is the lesser of m and n. "complete": `Q` has m columns.

    Returns
    -------
    QRResult
        ``Q`` has shape ``(..., m, k)``, and ``R`` has shape ``(..., k, n)``. For "complete" the shapes are
        ``(..., m, m)`` and ``(..., m, n)``. ``x = Q @ R``. The type is the type of `x`, or float32 for integers and
        bool.

    Examples
    --------
    >>> import suanzi
    >>> Q, R = suanzi.qr(suanzi.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> print(suanzi.round(suanzi.abs(R), 3))
    [[5.  2.2]
     [0.  0.4]]
    """
    return QRResult(*_core.qr(x, mode))


@operator("BIFC", _ITERATED, scratch=5 * floats("x"), family="matrix")
def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular values and singular vectors of matrices (SVD奇异值分解).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.
    full_matrices : bool, optional
        If True, `U` and `Vh` are square. Otherwise `U` has k columns and `Vh` has k rows, where k is the lesser of m
        and n.

    Returns
    -------
    SVDResult
        ``U`` has shape ``(..., m, m)`` or ``(..., m, k)``. ``S`` has shape ``(..., k)`` and contains real numbers in
        descending order. ``Vh`` has shape ``(..., n, n)`` or ``(..., k, n)``. The type of ``U`` and ``Vh`` is the type
        of `x`, or float32 for integers and bool.

    Examples
    --------
    >>> import suanzi
    >>> U, S, Vh = suanzi.svd(suanzi.tensor([[0.0, 2.0], [3.0, 0.0]]))
    >>> print(S)
    [3. 2.]
    """
    return SVDResult(*_core.svd(x, full_matrices))


@operator(
    "BIFC",
    _ITERATED,
    of="svd",
    scratch=floats("x") + recast("x") + 1024 * last("x"),
    family="matrix",
    core=_core.svdvals,
)
def svdvals(x: Tensor, /) -> Tensor:
    """Singular values of matrices, without singular vectors (SVD奇异值分解).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., m, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.

    Returns
    -------
    Tensor
        The singular values as a real tensor of shape ``(..., k)``, in descending order. k is the lesser of m and n.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.svdvals(suanzi.tensor([[0.0, 2.0], [3.0, 0.0]])))
    [3. 2.]
    """
