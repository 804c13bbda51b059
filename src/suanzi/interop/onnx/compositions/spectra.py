"""Fourier transforms, whose complex numbers ONNX writes as pairs along a last axis."""

from __future__ import annotations

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axis, single


def dft(
    x: Tensor,
    dft_length: int | Integers | None = None,
    axis: int | Integers = -2,
    *,
    inverse: int,
    onesided: int,
) -> Tensor:
    """The last axis of `x` has one element, for real numbers, or two."""
    if x.ndim < 2 or x.shape[-1] not in (1, 2):
        raise DimensionsMismatchError(f"DFT: the last axis of {x.shape} does not hold real or complex numbers")
    along = positive_axis(single(axis, "DFT"), x.ndim, "DFT")
    if along == x.ndim - 1:
        raise InvalidArgumentError(f"DFT: axis {axis} of {x.shape} is that of real and imaginary parts")
    is_real = x.shape[-1] == 1
    n = None if dft_length is None else single(dft_length, "DFT")
    if onesided and not inverse:
        if not is_real:
            raise InvalidArgumentError("DFT: one half of the result determines the other only if x is real")
        return _pairs(suanzi.fft.rfft(x[..., 0], n, along), x)
    signal = x[..., 0] if is_real else _complex(x)
    if onesided:
        return suanzi.astype(suanzi.expand_dims(suanzi.fft.irfft(signal, n, along), -1), x.dtype, copy=False)
    return _pairs((suanzi.fft.ifft if inverse else suanzi.fft.fft)(signal, n, along), x)


def dft_17(x: Tensor, dft_length: int | Integers | None = None, *, axis: int, inverse: int, onesided: int) -> Tensor:
    """`dft` where the axis is still an attribute."""
    return dft(x, dft_length, axis, inverse=inverse, onesided=onesided)


def _complex(x: Tensor) -> Tensor:
    if x.dtype.itemsize < suanzi.float32.itemsize:  # halves have no complex type
        x = suanzi.astype(x, suanzi.float32)
    return suanzi.complex(x[..., 0], x[..., 1])


def _pairs(y: Tensor, x: Tensor) -> Tensor:
    """Complex numbers as pairs of the element type of `x`."""
    return suanzi.astype(suanzi.stack((suanzi.real(y), suanzi.imag(y)), -1), x.dtype, copy=False)
