"""Conversion of pictures and recordings to a model's inputs, in the declared shape."""

from __future__ import annotations

import warnings
import wave
from typing import Any, BinaryIO

import numpy as np

from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, TypeMismatchError
from suanzi.tensor.messages import shown

Array = np.ndarray[Any, Any]
Sizes = tuple[int | None, ...]

PICTURES = (".png", ".jpg", ".jpeg")
RECORDINGS = (".wav",)
MODES = {1: "L", 3: "RGB", 4: "RGBA"}  # Pillow's modes by the number of channels


def picture(file: BinaryIO, what: str, sizes: Sizes | None, dtype: DType, values: tuple[float, float]) -> Array:
    """Return a picture resized to the declared height and width. The axis of size 1, 3 or 4 contains the channels.

    Floating inputs receive numbers between the two numbers in `values`. The first number is black, and the second
    number is white. Integer inputs receive bytes.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(f"{what} needs the package Pillow: pip install pillow") from error
    shape = (1, 3, None, None) if sizes is None else sizes
    if not 2 <= len(shape) <= 4 or (len(shape) == 4 and shape[0] not in (1, None)):
        raise DimensionsMismatchError(f"{what} is one picture, which does not fit shape {_text(shape)}")
    *_, first, second, last = (1, *shape)
    is_last = len(shape) > 2 and first not in MODES and last in MODES
    channels, height, width = (last, first, second) if is_last else (first, second, last)
    mode = MODES.get(3 if channels is None else channels)
    if mode is None:
        raise DimensionsMismatchError(f"{what} has 1, 3 or 4 channels, which do not fit shape {_text(shape)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the picture has more than 89 million pixels
        image = Image.open(file)
    with image:
        if image.mode.startswith("I"):  # Pillow cuts off numbers of 16 bits that bytes cannot hold
            found = Image.fromarray(np.rint(np.asarray(image) / 257).astype(np.uint8)).convert(mode)
        else:
            found = image.convert(mode)
    size = (width or found.width, height or found.height)
    pixels = np.asarray(found if size == found.size else found.resize(size, Image.Resampling.BILINEAR))
    pixels = pixels.reshape(size[1], size[0], len(mode))
    if not is_last:
        pixels = np.moveaxis(pixels, 2, 0)
    if dtype.kind_name == "real floating":
        low, high = values
        pixels = (low + pixels * ((high - low) / 255)).astype(np.float32)
    elif not dtype.is_integer:
        raise TypeMismatchError(f"{what} has numbers that {dtype} cannot hold")
    ranked = pixels if len(shape) > 2 else pixels.reshape(pixels.shape[-2:])
    return ranked[None] if len(shape) == 4 else ranked


def recording(file: BinaryIO, what: str, sizes: Sizes | None, dtype: DType) -> Array:
    """Return the samples of a .wav file in the declared shape. Samples for a floating input are in [-1, 1).

    The first axis whose size is the number of channels (more than one) holds the channels. Without such an axis, the
    channels are averaged. The samples lie along the last other axis whose size is not 1. If the model declares a
    length, a longer recording is cut off, and silence is appended to a shorter recording.
    """
    with wave.open(file) as sound:
        width, channels, data = sound.getsampwidth(), sound.getnchannels(), sound.readframes(sound.getnframes())
    whole = data[: len(data) // (width * channels) * (width * channels)]
    samples = _samples(whole, width, what).reshape(-1, channels).T
    shape = (1, None) if sizes is None else sizes
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    others = [axis for axis in axes if shape[axis] == channels > 1]
    along = [axis for axis in axes if axis not in others[:1]]
    if not along or any(
        shape[axis] not in (1, None) for axis in range(len(shape)) if axis not in (along[-1], *others[:1])
    ):
        raise DimensionsMismatchError(f"{what} is a row of samples, which does not fit shape {_text(shape)}")
    if not others:
        samples = samples.mean(axis=0, keepdims=True)
    length = shape[along[-1]]
    if length is not None:
        samples = np.pad(samples[:, :length], ((0, 0), (0, max(length - samples.shape[1], 0))))
    if dtype.kind_name != "real floating":
        if dtype.name != "int16":
            raise TypeMismatchError(f"{what} has samples that {dtype} cannot hold")
        samples = np.clip(np.rint(samples * 2**15), -(2**15), 2**15 - 1)
    full = [1] * len(shape)
    full[along[-1]] = samples.shape[1]
    if others:
        full[others[0]] = channels
        samples = samples if others[0] < along[-1] else samples.T
    return samples.reshape(full).astype(np.float32 if dtype.kind_name == "real floating" else np.int16)


def _samples(data: bytes, width: int, what: str) -> Array:
    """Convert samples of one to four bytes to numbers in [-1, 1)."""
    if width == 1:
        return (np.frombuffer(data, np.uint8).astype(np.float64) - 128) / 128
    if width == 3:  # a sample becomes the high bytes of a 32-bit integer
        padded = np.zeros((len(data) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return padded.view("<i4")[:, 0] / 2**31
    if width not in (2, 4):
        raise InvalidArgumentError(f"{what} has samples of {width} bytes; the samples must have 1 to 4 bytes")
    return np.frombuffer(data, f"<i{width}").astype(np.float64) / 2.0 ** (8 * width - 1)


def _text(sizes: Sizes) -> str:
    return shown(tuple("?" if size is None else size for size in sizes))
