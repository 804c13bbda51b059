"""The array API's namespace of Fourier transforms: names that `suanzi.operators.signal` defines."""

from suanzi.operators.signal.helpers import fftfreq, fftshift, ifftshift, rfftfreq
from suanzi.operators.signal.transforms import fft, fftn, hfft, ifft, ifftn, ihfft, irfft, irfftn, rfft, rfftn
from suanzi.tensor.absent import attributes_of

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

__getattr__ = attributes_of(__name__)
