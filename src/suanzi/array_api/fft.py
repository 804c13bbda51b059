"""The extension of Fourier transforms: `suanzi.fft`, with frequencies in float64."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.data_types import floating
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.signal.helpers import fftshift, ifftshift
from suanzi.operators.signal.transforms import fft, fftn, hfft, ifft, ifftn, ihfft, irfft, irfftn, rfft, rfftn
from suanzi.tensor.dtypes import DTypeLike

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """As `suanzi.fft.fftfreq`, but of float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.fft.fftfreq(4)
    tensor([ 0.  ,  0.25, -0.5 , -0.25], dtype=float64)
    """
    return _core.fftfreq(n, d, floating(dtype), device)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """As `suanzi.fft.rfftfreq`, but of float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.fft.rfftfreq(4)
    tensor([0.  , 0.25, 0.5 ], dtype=float64)
    """
    return _core.rfftfreq(n, d, floating(dtype), device)
