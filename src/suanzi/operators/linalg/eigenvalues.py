"""Eigenvalues and eigenvectors of general and of Hermitian matrices (Table 2, 线性代数操作)."""

from __future__ import annotations

from typing import NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import operator
from suanzi.operators.scratch import floats, last, recast

_FAILS = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "INTERNAL_ERROR")


class EigResult(NamedTuple):
    """The result of `eig`: ``x @ eigenvectors = eigenvectors * eigenvalues``."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EighResult(NamedTuple):
    """The result of `eigh`: ``x @ eigenvectors = eigenvectors * eigenvalues``, with orthonormal eigenvectors."""

    eigenvalues: Tensor
    eigenvectors: Tensor


@operator("BIFC", _FAILS, scratch=3 * floats("x"), family="matrix")
def eig(x: Tensor, /) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices (求特征值以及特征向量).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.

    Returns
    -------
    EigResult
        ``eigenvalues`` has shape ``(..., n)``, in no particular order. ``eigenvectors`` has shape ``(..., n, n)``, with
        a unit vector in each column. The type is complex128 for float64 and complex128, and complex64 for other types.
        LAPACK first scales the rows and columns of the matrix. If the columns differ in size by more than the
        precision of the type (about 1e-7 for float32), an eigenvector may therefore be wrong, as in SciPy and PyTorch.
        float64 has twice the digits.

    Examples
    --------
    >>> import suanzi
    >>> eigenvalues, eigenvectors = suanzi.eig(suanzi.tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> print(eigenvalues)
    [2.+0.j 3.+0.j]
    """
    return EigResult(*_core.eig(x))


@operator("BIFC", _FAILS, of="eig", scratch=floats("x") + 1024 * last("x"), family="matrix", core=_core.eigvals)
def eigvals(x: Tensor, /) -> Tensor:
    """Eigenvalues of square matrices (求特征值).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)`` with finite elements. The function computes in float64 for integers and bool,
        and in float32 for float16 and bfloat16.

    Returns
    -------
    Tensor
        The eigenvalues as a tensor of shape ``(..., n)``, in no particular order. The type is complex128 for float64
        and complex128, and complex64 for other types.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.eigvals(suanzi.tensor([[2.0, 0.0], [0.0, 3.0]])))
    [2.+0.j 3.+0.j]
    """


@operator("BIFC", _FAILS, of="eig", scratch=3 * floats("x"), family="matrix")
def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues and orthonormal eigenvectors of Hermitian matrices (求特征值以及特征向量, 埃尔米特矩阵).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)`` with finite elements. The function reads only the lower triangles. The
        function computes in float64 for integers and bool, and in float32 for float16 and bfloat16.

    Returns
    -------
    EighResult
        ``eigenvalues`` has shape ``(..., n)`` and contains real numbers in ascending order. ``eigenvectors`` has shape
        ``(..., n, n)``, with a unit vector in each column. The eigenvectors have the type of `x`, or float32 for
        integers and bool. The eigenvalues have the real type of the same precision.

    Examples
    --------
    >>> import suanzi
    >>> eigenvalues, eigenvectors = suanzi.eigh(suanzi.tensor([[3.0, 0.0], [0.0, 2.0]]))
    >>> print(eigenvalues)
    [2. 3.]
    """
    return EighResult(*_core.eigh(x))


@operator(
    "BIFC", _FAILS, of="eig", scratch=floats("x") + recast("x") + 1024 * last("x"), family="matrix", core=_core.eigvalsh
)
def eigvalsh(x: Tensor, /) -> Tensor:
    """Eigenvalues of Hermitian matrices (求特征值, 埃尔米特矩阵).

    Parameters
    ----------
    x : Tensor
        A tensor of shape ``(..., n, n)`` with finite elements. The function reads only the lower triangles. The
        function computes in float64 for integers and bool, and in float32 for float16 and bfloat16.

    Returns
    -------
    Tensor
        The eigenvalues as a real tensor of shape ``(..., n)``, in ascending order.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.eigvalsh(suanzi.tensor([[3.0, 0.0], [0.0, 2.0]])))
    [2. 3.]
    """
