"""Helpers of Fourier transforms: the frequencies of the elements, and shifts of the frequency 0 to the middle."""

from __future__ import annotations

from collections.abc import Sequence

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.registry import operator
from suanzi.operators.scratch import nbytes
from suanzi.tensor.dtypes import DTypeLike

_FREQUENCIES = ("TYPE_MISMATCH", "OUT_OF_RANGE", "INVALID_ARGUMENT")
_SHARED = {
    "n": "n : int\n    The number of samples, at least 1.",
    "d": "d : float, optional\n    The time between two consecutive samples. The time must not be 0.",
    "dtype": (
        "dtype : DType, optional\n"
        "    Any floating type, by default float32 unless `set_default_dtype` sets another type."
    ),
    "device": (
        "device : Device, optional\n"
        "    The device of the tensor, by default the CPU unless `set_default_device` sets another device."
    ),
    "axes": "axes : int or sequence of int, optional\n    The axes to shift, by default all axes.",
}


@operator(
    "",
    _FREQUENCIES,
    name="fft.fftfreq",
    of="fft.fft",
    parameters=_SHARED,
    scratch=2 * nbytes("result"),
    family="creation",
    core=_core.fftfreq,
)
def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """The frequency of each element of a result of `fft`, in the order of the elements (离散傅里叶变换频率).

    Parameters
    ----------

    Returns
    -------
    Tensor
        A vector of `n` elements: the numbers 0, 1, … and then the negative numbers up to -1, each divided by ``n * d``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """


@operator(
    "",
    _FREQUENCIES,
    name="fft.rfftfreq",
    of="fft.fft",
    parameters=_SHARED,
    scratch=2 * nbytes("result"),
    family="creation",
    core=_core.rfftfreq,
)
def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """The frequency of each element of a result of `rfft`, in the order of the elements (实数离散傅里叶变换频率).

    Parameters
    ----------

    Returns
    -------
    Tensor
        A vector of ``n // 2 + 1`` elements: the numbers 0, 1, …, each divided by ``n * d``.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.rfftfreq(4))
    [0.   0.25 0.5 ]
    """


@operator(
    "BIFCS", _FREQUENCIES, name="fft.fftshift", of="fft.fft", parameters=_SHARED, family="movement", core=_core.fftshift
)
def fftshift(x: Tensor, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Move the frequency 0 of a Fourier transform to the middle, so that the frequencies ascend (零频移至中心).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    Tensor
        A copy of `x`, rolled along each of the axes by half of the axis length, rounded down.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.fftshift(suanzi.fft.fftfreq(4)))
    [-0.5  -0.25  0.    0.25]
    """


@operator(
    "BIFCS",
    _FREQUENCIES,
    name="fft.ifftshift",
    of="fft.ifft",
    parameters=_SHARED,
    family="movement",
    core=_core.ifftshift,
)
def ifftshift(x: Tensor, /, axes: int | Sequence[int] | None = None) -> Tensor:
    """Inverse of `fftshift` (零频移回起始).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    Tensor
        A copy of `x`, rolled back along each of the axes by half of the axis length, rounded down.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.fft.ifftshift(suanzi.tensor([-2.0, -1.0, 0.0, 1.0])))
    [ 0.  1. -2. -1.]
    """
