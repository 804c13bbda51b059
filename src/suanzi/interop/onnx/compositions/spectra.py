"""Fourier transforms. As in ONNX, complex numbers are stored as pairs along a last axis."""

from __future__ import annotations

import math
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axis, single
from suanzi.interop.onnx.types import dtype_of


def dft(
    x: Tensor,
    dft_length: int | Integers | None = None,
    axis: int | Integers = -2,
    *,
    inverse: int,
    onesided: int,
) -> Tensor:
    """Transform along an axis. The last axis of `x` has one element for a real number, or two elements for a complex
    number.
    """
    if x.ndim < 2 or x.shape[-1] not in (1, 2):
        raise DimensionsMismatchError(f"DFT: the last axis of shape {x.shape} does not hold real or complex numbers")
    along = positive_axis(single(axis, "DFT"), x.ndim, "DFT")
    if along == x.ndim - 1:
        raise InvalidArgumentError(f"DFT: axis {axis} of shape {x.shape} holds real and imaginary parts")
    is_real = x.shape[-1] == 1
    n = None if dft_length is None else single(dft_length, "DFT")
    if onesided and not inverse:
        if not is_real:
            raise InvalidArgumentError("DFT: one half of the result determines the other half only if x is real")
        return _pairs(suanzi.fft.rfft(x[..., 0], n, along), x)
    signal = x[..., 0] if is_real else _complex(x)
    if onesided:
        return suanzi.astype(suanzi.expand_dims(suanzi.fft.irfft(signal, n, along), -1), x.dtype, copy=False)
    return _pairs((suanzi.fft.ifft if inverse else suanzi.fft.fft)(signal, n, along), x)


def dft_17(x: Tensor, dft_length: int | Integers | None = None, *, axis: int, inverse: int, onesided: int) -> Tensor:
    """Return the result of `dft`, for the version of DFT whose axis is an attribute."""
    return dft(x, dft_length, axis, inverse=inverse, onesided=onesided)


def stft(
    signal: Tensor,
    frame_step: int | Integers,
    window: Tensor | None = None,
    frame_length: int | Integers | None = None,
    *,
    onesided: int,
) -> Tensor:
    """Multiply pieces of a signal by a window, and transform the products. Pieces may overlap. The signal has the shape
    (batch, length, 1 or 2).
    """
    if signal.ndim != 3 or signal.shape[-1] not in (1, 2):
        raise DimensionsMismatchError(f"STFT: shape {signal.shape} is not (batch, length, 1 or 2)")
    length, step = signal.shape[1], single(frame_step, "STFT")
    if window is not None and window.ndim != 1:
        raise DimensionsMismatchError(f"STFT: a window of shape {window.shape} is not a vector")
    size = length if window is None else window.shape[0]
    if frame_length is not None:
        size = single(frame_length, "STFT")
    if step < 1 or size < 1:
        raise OutOfRangeError(f"STFT: step {step} or length {size} of frames is not positive")
    if window is not None and window.shape[0] != size:
        raise DimensionsMismatchError(f"STFT: the window has {window.shape[0]} elements, not {size}")
    if size > length:
        raise DimensionsMismatchError(f"STFT: frames of {size} elements are longer than the signal, which has {length}")
    starts = suanzi.arange(0, length - size + 1, step, dtype=suanzi.int64)
    places = suanzi.expand_dims(starts, 1) + suanzi.arange(size, dtype=suanzi.int64)
    frames = suanzi.gather(signal, places, 1)
    if window is not None:
        frames = frames * suanzi.reshape(window, (size, 1))
    return dft(frames, inverse=0, onesided=onesided)


def mel_weight_matrix(
    num_mel_bins: int | Integers,
    dft_length: int | Integers,
    sample_rate: int | Integers,
    lower_edge_hertz: Any,
    upper_edge_hertz: Any,
    *,
    output_datatype: int,
) -> Tensor:
    """Return the triangular filters that convert a spectrum to the mel scale, 2595 log10(1 + hertz / 700)."""
    bins, size, rate = (single(x, "MelWeightMatrix") for x in (num_mel_bins, dft_length, sample_rate))
    low, high = (single(x, "MelWeightMatrix") for x in (lower_edge_hertz, upper_edge_hertz))
    if bins < 1 or size < 1 or rate < 1 or not 0 <= low <= high < math.inf:
        raise OutOfRangeError(
            f"MelWeightMatrix: {bins} bins, length {size}, rate {rate} or edges {low} and {high} are out of range"
        )
    first, last = (2595 * math.log1p(hertz / 700) / math.log(10) for hertz in (low, high))
    mel = suanzi.arange(bins + 2, dtype=suanzi.float64) * ((last - first) / (bins + 2)) + first
    hertz = suanzi.expm1(mel / 2595 * math.log(10)) * 700
    edges = suanzi.floor(hertz * (size + 1) / rate)
    left, center, right = edges[:-2], edges[1:-1], edges[2:]
    rows = suanzi.expand_dims(suanzi.arange(size // 2 + 1, dtype=suanzi.float64), 1)
    rising = (rows - left) / suanzi.maximum(center - left, 1)
    falling = (right - rows) / suanzi.maximum(right - center, 1)
    values = suanzi.where(suanzi.less(rows, center), rising, falling)
    values = suanzi.where(suanzi.equal(rows, center), 1.0, suanzi.maximum(values, 0.0))
    return suanzi.astype(values, dtype_of(output_datatype, "MelWeightMatrix"))


def _complex(x: Tensor) -> Tensor:
    if x.dtype.itemsize < suanzi.float32.itemsize:  # float16 and bfloat16 have no complex counterpart
        x = suanzi.astype(x, suanzi.float32)
    return suanzi.complex(x[..., 0], x[..., 1])


def _pairs(y: Tensor, x: Tensor) -> Tensor:
    """Return complex numbers as pairs of the element type of `x`."""
    return suanzi.astype(suanzi.stack((suanzi.real(y), suanzi.imag(y)), -1), x.dtype, copy=False)
