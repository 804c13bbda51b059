"""Fourier transforms (Table 2, 信号处理), of complex and of real numbers, along one axis or several.

Transforms of integers, bool, float16, bfloat16, float32 and complex64 are computed in single precision, and transforms
of float64 and complex128 in double precision. The module `helpers` contains the functions that shift transforms and
list frequencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.registry import operator
from suanzi.operators.scratch import greatest, nbytes

Norm: TypeAlias = Literal["backward", "ortho", "forward"]

_LINE = ("TYPE_MISMATCH", "OUT_OF_RANGE", "INVALID_ARGUMENT")
_BOX = (*_LINE, "DIMENSIONS_MISMATCH")
_SHARED = {
    "n": (
        "n : int, optional\n"
        "    The length to transform, at least 1. A longer axis is cut off, and a shorter axis is followed by\n"
        "    zeros. The default is the length of the axis."
    ),
    "s": (
        "s : int or sequence of int, optional\n"
        "    The length along each axis, like `n` for one axis. A length of -1 stands for the length of the axis."
    ),
    "axis": "axis : int, optional\n    The axis to transform.",
    "axes": (
        "axes : int or sequence of int, optional\n"
        "    The axes to transform, by default all axes. If `s` is given, the default is as many of the last axes\n"
        "    as `s` has lengths."
    ),
    "norm": (
        'norm : {"backward", "ortho", "forward"}, optional\n'
        "    The direction whose results are divided by the number of transformed elements. ``ortho`` divides the\n"
        "    results of both directions by the square root of that number."
    ),
}


# The memory of transforms of a length with a prime factor above 61. Other lengths need at most a third of the memory.
_SCRATCH = 8 * greatest(nbytes("x"), nbytes("result"))


@operator("BIFC", _LINE, name="fft.fft", parameters=_SHARED, scratch=_SCRATCH, family="transform", core=_core.fft)
def fft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """Discrete Fourier transform, Σ x[j] exp(-2πi jk / n) (快速傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor of one dimension or more.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axis, which has length `n`. An infinite or NaN element makes
        every element of the transform infinite or NaN in the real part, the imaginary part or both. Suanzi does not
        specify which of these results an element has.

    Accuracy
    --------
    The Euclidean norm of the error is at most ε (1 + log₂(2n)) times the norm of the result, where ε is 2⁻²⁴ in single
    and 2⁻⁵³ in double precision. For later calls Suanzi keeps the tables of the lengths used most recently. The tables
    are of three kinds, and Suanzi keeps at most 64 MiB of each kind in each precision.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.fft(suanzi.tensor([1.0, 2.0, 3.0, 4.0])))
    [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
    """


@operator("BIFC", _LINE, name="fft.ifft", parameters=_SHARED, scratch=_SCRATCH, family="transform", core=_core.ifft)
def ifft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """Inverse of `fft`, Σ x[k] exp(2πi jk / n) / n (快速逆傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor of one dimension or more.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axis, which has length `n`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.ifft(suanzi.tensor([10.0, -2.0 + 2.0j, -2.0, -2.0 - 2.0j])))
    [1.+0.j 2.+0.j 3.+0.j 4.+0.j]
    """


@operator(
    "BIF",
    _LINE,
    name="fft.rfft",
    of="fft.fft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.rfft,
)
def rfft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The first half of the Fourier transform of real numbers (实数傅里叶变换).

    The other elements of the transform are the complex conjugates of the elements of the first half.

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axis, which has length ``n // 2 + 1``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.rfft(suanzi.tensor([1.0, 0.0, -1.0, 0.0])))
    [0.+0.j 2.+0.j 0.+0.j]
    """


@operator(
    "BIFC",
    _LINE,
    name="fft.irfft",
    of="fft.ifft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.irfft,
)
def irfft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """Inverse of `rfft`: the real numbers whose Fourier transform has the first half `x` (实数逆傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor. The function treats the elements of frequency 0 and, for even `n`, of frequency n/2 as
        real.
    n : int, optional
        The length of the result, at least 1, by default ``2 * (m - 1)`` for an axis of length m. The function reads
        ``n // 2 + 1`` numbers. A longer axis is cut off, and a shorter axis is followed by zeros.

    Returns
    -------
    Tensor
        A real tensor of the shape of `x` except for the axis, which has length `n`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.irfft(suanzi.tensor([0.0, 2.0, 0.0])))
    [ 1.  0. -1.  0.]
    """


@operator(
    "BIFC",
    _LINE,
    name="fft.hfft",
    of="fft.fft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.hfft,
)
def hfft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The real Fourier transform of a Hermitian signal, from the first half of the signal (埃尔米特傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor: the first half of the signal. The function treats the elements 0 and, for even `n`,
        n/2 as real.
    n : int, optional
        The length of the result, at least 1, by default ``2 * (m - 1)`` for an axis of length m.

    Returns
    -------
    Tensor
        A real tensor of the shape of `x` except for the axis, which has length `n`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.hfft(suanzi.tensor([1.0, 2.0, 3.0])))
    [ 8. -2.  0. -2.]
    """


@operator(
    "BIF",
    _LINE,
    name="fft.ihfft",
    of="fft.ifft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.ihfft,
)
def ihfft(x: Tensor, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """Inverse of `hfft`: the first half of the Hermitian signal whose Fourier transform is `x` (埃尔米特逆傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axis, which has length ``n // 2 + 1``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.real(suanzi.fft.ihfft(suanzi.tensor([8.0, -2.0, 0.0, -2.0]))))
    [1. 2. 3.]
    """


@operator(
    "BIFC",
    _BOX,
    name="fft.fftn",
    of="fft.fft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.fftn,
)
def fftn(
    x: Tensor,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Tensor:
    """Fourier transform along several axes (多维傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor of any shape.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axes, which have the lengths `s`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.fftn(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[10.+0.j -2.+0.j]
     [-4.+0.j  0.+0.j]]
    """


@operator(
    "BIFC",
    _BOX,
    name="fft.ifftn",
    of="fft.ifft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.ifftn,
)
def ifftn(
    x: Tensor,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Tensor:
    """Inverse of `fftn` (多维逆傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor of any shape.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axes, which have the lengths `s`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.ifftn(suanzi.tensor([[10.0 + 0.0j, -2.0], [-4.0, 0.0]])))
    [[1.+0.j 2.+0.j]
     [3.+0.j 4.+0.j]]
    """


@operator(
    "BIF",
    _BOX,
    name="fft.rfftn",
    of="fft.fft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.rfftn,
)
def rfftn(
    x: Tensor,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Tensor:
    """The first half of the Fourier transform of real numbers along several axes (多维实数傅里叶变换).

    The function computes the first half of the elements along the last axis. The other elements are complex conjugates
    of elements of the first half.

    Parameters
    ----------
    x : Tensor
        A real tensor of one dimension or more.

    Returns
    -------
    Tensor
        A complex tensor of the shape of `x` except for the axes, which have the lengths `s`. Along the last axis, whose
        length in `s` is n, the result has length ``n // 2 + 1``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.rfftn(suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[10.+0.j -2.+0.j]
     [-4.+0.j  0.+0.j]]
    """


@operator(
    "BIFC",
    _BOX,
    name="fft.irfftn",
    of="fft.ifft",
    parameters=_SHARED,
    scratch=_SCRATCH,
    family="transform",
    core=_core.irfftn,
)
def irfftn(
    x: Tensor,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Tensor:
    """Inverse of `rfftn` (多维实数逆傅里叶变换).

    Parameters
    ----------
    x : Tensor
        A real or complex tensor of one dimension or more: the first half of a transform along the last axis, as in
        `irfft`.
    s : int or sequence of int, optional
        The length of the result along each axis. By default, and for -1, the result has the length of `x` along the
        axis. The default differs for the last axis: if `x` has length m along this axis, the result has length ``2 * (m
        - 1)``.

    Returns
    -------
    Tensor
        A real tensor of the shape of `x` except for the axes, which have the lengths `s`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.irfftn(suanzi.tensor([[10.0, -2.0], [-4.0, 0.0]])))
    [[1. 2.]
     [3. 4.]]
    """
