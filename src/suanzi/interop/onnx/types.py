"""ONNX's element types and the tensors stored in models, as suanzi's. Operators' types are in their schemas."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import suanzi
from suanzi import DType, InvalidArgumentError, Tensor
from suanzi.interop.files import checked, opened, read_bytes
from suanzi.tensor.dtypes import DTYPES
from suanzi.tensor.messages import shown

# ONNX's names that differ from ours.
_NAMES = {"float32": "float", "float64": "double"}
_TEXTS = {dtype: f"tensor({_NAMES.get(dtype.name, dtype.name)})" for dtype in DTYPES}
_BY_TEXT = {text: dtype for dtype, text in _TEXTS.items()}
_BY_CODE = {TensorProto.DataType.Value(_NAMES.get(t.name, t.name).upper()): t for t in DTYPES}

# The values that a field of wider integers may hold for an element; for halves these are the bits.
_FIELD_RANGES: dict[DType, tuple[int, int]] = {
    suanzi.bool: (0, 1),
    **{getattr(suanzi, name): getattr(suanzi, name).limits for name in ("int8", "uint8", "int16", "uint16", "uint32")},
    **dict.fromkeys((suanzi.float16, suanzi.bfloat16), (0, 2**16 - 1)),
}


class UnsupportedError(InvalidArgumentError, NotImplementedError):
    """非法参数: the model needs something that is not supported: an operator, an element type, control flow."""


def dtype_of(code: int, what: str) -> DType:
    """The element type that ONNX numbers so; `what` begins the message if there is no such type."""
    found = _BY_CODE.get(code)
    if found is not None:
        return found
    if code != TensorProto.UNDEFINED and code in TensorProto.DataType.values():
        raise UnsupportedError(f"{what}: element type {TensorProto.DataType.Name(code)} is not supported")
    raise InvalidArgumentError(f"{what}: {code} is not an element type")


def code_of(dtype: DType) -> int:
    """The number that ONNX gives an element type."""
    return int(next(code for code, each in _BY_CODE.items() if each is dtype))


def dtype_from_text(text: str) -> DType | None:
    """The element type that schemas write ``tensor(float)``; None for a type that suanzi does not have."""
    return _BY_TEXT.get(text)


def listed(dtypes: Iterable[DType]) -> str:
    """Element types for a message, as schemas write them."""
    return ", ".join(sorted(_TEXTS[dtype] for dtype in dtypes))


def stored_tensor(proto: TensorProto, folder: Path | None) -> Tensor:
    """A tensor that a model stores, in its file or beside it; read-only, on the model's own memory where possible."""
    what = f"onnx: tensor {shown(proto.name)}"
    dtype = dtype_of(proto.data_type, what)
    shape = tuple(proto.dims)
    count = math.prod(shape)
    if any(size < 0 for size in shape) or count * dtype.itemsize >= 2**63:
        raise InvalidArgumentError(f"{what}: shape {shape} has a negative size or does not fit 64 bits")
    try:
        if proto.data_location == TensorProto.EXTERNAL:
            array = _external(proto, dtype, count, folder, what)
        else:
            array = _elements(proto, dtype, count, what)
    except (UnicodeDecodeError, ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"{what}: {error}") from error
    if dtype is suanzi.string:
        return suanzi.reshape(suanzi.tensor(list(array.flat), dtype=dtype), shape)
    array = np.require(array.reshape(shape), requirements=["A", "C"])
    array.flags.writeable = False
    return suanzi.from_reference(array)


def _elements(proto: TensorProto, dtype: DType, count: int, what: str) -> np.ndarray[Any, Any]:
    """The elements that lie in the model itself; their number is checked before NumPy believes the shape."""
    if proto.HasField("segment"):
        raise UnsupportedError(f"{what}: segments are not supported")
    if proto.HasField("raw_data"):
        found, unit = len(proto.raw_data), dtype.itemsize
        if dtype is suanzi.string:
            raise InvalidArgumentError(f"{what}: strings cannot be raw data")
    else:
        field = getattr(proto, helper.tensor_dtype_to_field(proto.data_type))
        found, unit = len(field), 2 if dtype.kind_name == "complex floating" else 1
    if found != count * unit:
        raise InvalidArgumentError(f"{what}: {found} bytes or elements do not fill shape {tuple(proto.dims)}")
    if not proto.HasField("raw_data") and (most := _FIELD_RANGES.get(dtype)) and count:
        numbers = np.array(field)  # 32 or 64 bits; the lowest ones would be taken
        if numbers.min() < most[0] or numbers.max() > most[1]:
            raise InvalidArgumentError(f"{what}: {numbers.min()} … {numbers.max()} is past the range of {dtype}")
    array: np.ndarray[Any, Any] = numpy_helper.to_array(proto)
    return array


def _external(proto: TensorProto, dtype: DType, count: int, folder: Path | None, what: str) -> np.ndarray[Any, Any]:
    """The elements in a file of their own, which must lie in the model's folder."""
    entries = {entry.key: entry.value for entry in proto.external_data}
    if folder is None:
        raise InvalidArgumentError(f"{what}: external data need a model that was loaded from a path")
    if dtype is suanzi.string:
        raise InvalidArgumentError(f"{what}: strings cannot be external data")
    location = entries.get("location", "")
    what = f"{what}: external data {shown(location)}"
    with checked(what):
        root = folder.resolve()
        path = (root / location).resolve()
        if not path.is_relative_to(root):
            raise InvalidArgumentError(f"{what} lie outside the model's folder")
    with opened(path, what) as file:
        offset, size = _whole(entries, "offset", 0, what), count * dtype.itemsize
        length, found = _whole(entries, "length", size, what), os.fstat(file.fileno()).st_size
        if length != size or not 0 <= offset <= found - size:
            raise InvalidArgumentError(
                f"{what}: {length} bytes from {offset} of {found} do not fill shape {tuple(proto.dims)}"
            )
        file.seek(offset)
        return read_bytes(file, size, what).view(dtype.numpy)


def _whole(entries: Mapping[str, str], key: str, default: int, what: str) -> int:
    text = entries.get(key)
    if text is None:
        return default
    if not re.fullmatch("-?[0-9]{1,20}", text, re.ASCII):
        raise InvalidArgumentError(f"{what}: {key} {shown(text)} is not a number of bytes")
    return int(text)
