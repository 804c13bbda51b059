"""Decoding of images in the formats of files, by Pillow."""

from __future__ import annotations

import io
import warnings

import numpy as np

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.messages import shown

_FORMATS = ("BMP", "JPEG", "JPEG2000", "TIFF", "PNG", "WEBP", "PPM")
_MODES = {"RGB": "RGB", "BGR": "RGB", "Grayscale": "L"}


def decode(encoded: Tensor, *, pixel_format: str) -> Tensor:
    """Return an image as (height, width, channels). If Pillow cannot decode the bytes in a format that ONNX lists, or
    warns of too many pixels, return an empty tensor.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise UnsupportedError("ImageDecoder: the package pillow is missing") from error
    if pixel_format not in _MODES:
        raise InvalidArgumentError(
            f"ImageDecoder: pixel_format {shown(pixel_format)} is not one of {', '.join(_MODES)}"
        )
    if encoded.ndim != 1:
        raise DimensionsMismatchError(f"ImageDecoder: encoded_stream of shape {encoded.shape} is not a vector")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(encoded.numpy().tobytes()), formats=_FORMATS) as picture:
                array = np.asarray(picture.convert(_MODES[pixel_format]))
    except MemoryError:
        raise
    except Exception:  # Pillow raises errors of many classes for damaged files
        return suanzi.zeros((0, 0, 1 if pixel_format == "Grayscale" else 3), dtype=suanzi.uint8)
    array = array[:, :, None] if array.ndim == 2 else array
    return suanzi.tensor(array[:, :, ::-1] if pixel_format == "BGR" else array)
