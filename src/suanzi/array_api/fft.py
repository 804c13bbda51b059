"""The array API's extension of Fourier transforms: `suanzi.fft` with the default type float64 instead of float32."""

from __future__ import annotations

from suanzi._core import Tensor
from suanzi.array_api.defaults import floating, in_default_type
from suanzi.kinds.devices import chosen
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.signal import helpers, transforms
from suanzi.operators.signal.helpers import fftshift, ifftshift
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

fft = in_default_type(transforms.fft)
fftn = in_default_type(transforms.fftn)
hfft = in_default_type(transforms.hfft)
ifft = in_default_type(transforms.ifft)
ifftn = in_default_type(transforms.ifftn)
ihfft = in_default_type(transforms.ihfft)
irfft = in_default_type(transforms.irfft)
irfftn = in_default_type(transforms.irfftn)
rfft = in_default_type(transforms.rfft)
rfftn = in_default_type(transforms.rfftn)


def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Make a vector as `suanzi.fft.fftfreq` does, but with the default type float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.fft.fftfreq(4)
    tensor([ 0.  ,  0.25, -0.5 , -0.25], dtype=float64)
    """
    return helpers.fftfreq(n, d, dtype=floating(dtype), device=chosen(device))


def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Make a vector as `suanzi.fft.rfftfreq` does, but with the default type float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.fft.rfftfreq(4)
    tensor([0.  , 0.25, 0.5 ], dtype=float64)
    """
    return helpers.rfftfreq(n, d, dtype=floating(dtype), device=chosen(device))
