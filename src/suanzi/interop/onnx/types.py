"""Conversion of ONNX's element types and of stored tensors. The operators' schemas list the types that operators
accept.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from onnx import GraphProto, SparseTensorProto, TensorProto, TypeProto, helper, numpy_helper

import suanzi
from suanzi import DType, InvalidArgumentError, Tensor, tuning
from suanzi.interop.files import checked, opened, read_bytes
from suanzi.tensor.dtypes import DTYPES
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import shown

# ONNX's names that differ from suanzi's names.
_NAMES = {"float32": "float", "float64": "double"}
_TEXTS = {dtype: f"tensor({_NAMES.get(dtype.name, dtype.name)})" for dtype in DTYPES}
_BY_TEXT = {text: dtype for dtype, text in _TEXTS.items()}
_BY_CODE = {TensorProto.DataType.Value(_NAMES.get(t.name, t.name).upper()): t for t in DTYPES}

# Floats of 8 bits, and types narrower than 8 bits. Operators convert numbers of these types, but never compute with
# such numbers.
_NARROW_BITS = {
    "FLOAT8E4M3FN": 8,
    "FLOAT8E4M3FNUZ": 8,
    "FLOAT8E5M2": 8,
    "FLOAT8E5M2FNUZ": 8,
    "FLOAT8E8M0": 8,
    "FLOAT4E2M1": 4,
    "INT4": 4,
    "UINT4": 4,
    "INT2": 2,
    "UINT2": 2,
}

# The types with a field of their own in a tensor. A field of wider numbers stores narrower elements.
_OWN_FIELDS = frozenset({suanzi.float32, suanzi.float64, suanzi.int32, suanzi.int64, suanzi.uint64})

# The range of valid values in a field of wider integers. The field stores the bits of float16 and bfloat16.
_FIELD_RANGES: dict[DType, tuple[int, int]] = {
    suanzi.bool: (0, 1),
    **{getattr(suanzi, name): getattr(suanzi, name).limits for name in ("int8", "uint8", "int16", "uint16", "uint32")},
    **dict.fromkeys((suanzi.float16, suanzi.bfloat16), (0, 2**16 - 1)),
}


class Kind:
    """A type of values other than tensors, written as in schemas: ``seq(tensor(float))``.

    Each type is a single object, which `kind` returns.
    """

    __slots__ = ("text",)

    itemsize = 16  # a substitute for an element size, for the limits of computations at load
    kind_name = "kept"  # different from the kind of every element type

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return kind, (self.text,)


AnyType: TypeAlias = DType | Kind

_KINDS: dict[str, Kind] = {}


def kind(text: str) -> Kind:
    """Return the type with a given name in schemas, for values that are not tensors."""
    return _KINDS.setdefault(text, Kind(text))


class Narrow(NamedTuple):
    """An element type of less than 8 bits, or a float of 8 bits."""

    kind: Kind
    numpy: np.dtype[Any]  # a type of ml_dtypes
    bits: int

    @property
    def is_float(self) -> bool:
        return "float" in self.kind.text


def _narrow() -> dict[int, Narrow]:
    """Return the narrow types that the installed packages support, by the types' codes."""
    found = {}
    for name, bits in _NARROW_BITS.items():
        if name in TensorProto.DataType.keys():  # noqa: SIM118
            code = TensorProto.DataType.Value(name)
            found[code] = Narrow(kind(f"tensor({name.lower()})"), np.dtype(helper.tensor_dtype_to_np_dtype(code)), bits)
    return found


_NARROW_BY_CODE = _narrow()
NARROW: Mapping[Kind, Narrow] = {each.kind: each for each in _NARROW_BY_CODE.values()}


class Stored:
    """A value with elements of a narrow type, stored as an array of ml_dtypes."""

    __slots__ = ("array", "dtype")

    def __init__(self, array: np.ndarray[Any, Any], dtype: Kind) -> None:
        self.array, self.dtype = np.asarray(array), dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def nbytes(self) -> int:
        return self.array.nbytes


class Pairs(dict[Any, Any]):
    """A map from keys of one element type to values of another element type."""

    def __init__(self, items: Mapping[Any, Any], dtype: Kind) -> None:
        super().__init__(items)
        self.dtype = dtype


_MAPS = {
    kind(f"map({key}, {_NAMES.get(value, value)})"): (getattr(suanzi, key), getattr(suanzi, value))
    for key in ("string", "int64")
    for value in ("string", "int64", "float32", "float64")
}


def map_types(dtype: AnyType | None) -> tuple[DType, DType] | None:
    """Return the element types of the keys and the values of a map, or None for other types."""
    return _MAPS.get(dtype) if isinstance(dtype, Kind) else None


def text_of(dtype: AnyType) -> str:
    """Return the name of a type as in schemas."""
    return dtype.text if isinstance(dtype, Kind) else _TEXTS[dtype]


def sequence_of(dtype: AnyType | None) -> AnyType | None:
    """Return the type of sequences of elements of a given type, or None if the type is unknown."""
    return None if dtype is None else kind(f"seq({text_of(dtype)})")


def optional_of(dtype: AnyType | None) -> AnyType | None:
    """Return the type of optional values of a given type, or None if the type is unknown."""
    return None if dtype is None else kind(f"optional({text_of(dtype)})")


def element_of(dtype: AnyType | None) -> AnyType | None:
    """Return the type of a sequence's elements or of an optional value, or None for other types."""
    inner = re.fullmatch(r"(?:seq|optional)\((.*)\)", dtype.text) if isinstance(dtype, Kind) else None
    return None if inner is None else type_from_text(inner[1])


def fits(found: AnyType, wanted: AnyType) -> bool:
    """Return whether a value of type `found` is valid for the type `wanted`, which may be an optional type."""
    return found is wanted or (text_of(wanted).startswith("optional(") and element_of(wanted) is found)


def type_of_value(value: Any) -> AnyType | None:
    """Return the type of a value in a run, or None for absent values and empty sequences, which fit any type."""
    if isinstance(value, Tensor | Stored | Pairs):
        return value.dtype
    if isinstance(value, tuple):
        return sequence_of(type_of_value(value[0])) if value else None
    return None


def type_of(proto: TypeProto, what: str, levels: int = 4) -> AnyType | None:
    """Return the type that a model declares, or None if the declaration has no type."""
    which = proto.WhichOneof("value")
    if which is None:
        return None
    if which == "tensor_type":
        return element_type(proto.tensor_type.elem_type, what)
    if which in ("sequence_type", "optional_type") and levels:
        inner = type_of(getattr(proto, which).elem_type, what, levels - 1)
        return sequence_of(inner) if which == "sequence_type" else optional_of(inner)
    if which == "map_type":
        key, value = dtype_of(proto.map_type.key_type, what), type_of(proto.map_type.value_type, what, 0)
        for found, types in _MAPS.items():
            if types == (key, value):
                return found
        raise UnsupportedError(f"{what}: a map from {key} to {value} is not supported")
    raise UnsupportedError(f"{what}: a value of {which} is not supported")


class UnsupportedError(InvalidArgumentError, NotImplementedError):
    """非法参数: the model needs an unsupported feature: an operator, an element type, or control flow."""


def dtype_of(code: int, what: str) -> DType:
    """Return the element type with a given number in ONNX. `what` begins the error message."""
    found = _BY_CODE.get(code)
    if found is not None:
        return found
    if code != TensorProto.UNDEFINED and code in TensorProto.DataType.values():
        raise UnsupportedError(f"{what}: element type {TensorProto.DataType.Name(code)} is not supported")
    raise InvalidArgumentError(f"{what}: {code} is not an element type")


def code_named(name: str, what: str) -> int:
    """Return ONNX's number for the element type of a given name, such as FLOAT. `what` begins the error message."""
    if name not in TensorProto.DataType.keys():  # noqa: SIM118
        raise InvalidArgumentError(f"{what}: {shown(name)} is not the name of an element type")
    return int(TensorProto.DataType.Value(name))


def element_type(code: int, what: str) -> AnyType:
    """Return the element type, or the narrow type, with a given number in ONNX."""
    narrow = _NARROW_BY_CODE.get(code)
    return dtype_of(code, what) if narrow is None else narrow.kind


def code_of(dtype: DType) -> int:
    """Return ONNX's number for an element type."""
    return int(next(code for code, each in _BY_CODE.items() if each is dtype))


def type_from_text(text: str) -> AnyType:
    """Return the type with a given name in schemas, such as ``tensor(float)``."""
    return _BY_TEXT.get(text) or kind(text)


def listed(dtypes: Iterable[AnyType]) -> str:
    """Return the names of types as in schemas, for a message."""
    return ", ".join(sorted(map(text_of, dtypes)))


def stored_in(
    graph: GraphProto, folder: Path | None, apart: Mapping[str, Array] = MappingProxyType({})
) -> dict[str, Tensor | Stored]:
    """Return the tensors that a graph stores. `apart` has the bytes of tensors that the graph lacks, by names."""
    dense = {proto.name: stored_tensor(proto, folder, apart.get(proto.name)) for proto in graph.initializer}
    return dense | {proto.values.name: sparse_tensor(proto, folder) for proto in graph.sparse_initializer}


def sparse_tensor(proto: SparseTensorProto, folder: Path | None) -> Tensor:
    """Return a stored sparse tensor as a read-only dense tensor."""
    what = f"onnx: sparse tensor {shown(proto.values.name)}"
    values, places = stored_tensor(proto.values, folder), stored_tensor(proto.indices, folder)
    if not isinstance(values, Tensor) or values.dtype is suanzi.string:
        raise UnsupportedError(f"{what}: elements of {listed([values.dtype])} are not supported")
    shape = tuple(proto.dims)
    if any(size < 0 for size in shape) or math.prod(shape) * values.dtype.itemsize > tuning.MOST_BYTES:
        raise InvalidArgumentError(f"{what}: shape {shape} has a negative size or more than {tuning.MOST_BYTES} bytes")
    count = values.size
    if not isinstance(places, Tensor) or places.dtype is not suanzi.int64 or values.ndim != 1:
        raise InvalidArgumentError(f"{what}: the values are not a vector, or the indices are not int64")
    indices = places.numpy()
    if places.shape == (count, len(shape)):
        if count and not ((indices >= 0) & (indices < shape)).all():
            raise InvalidArgumentError(f"{what}: an index is outside shape {shape}")
        indices = np.ravel_multi_index(tuple(indices.T), shape) if count else indices.reshape(0)
    elif places.shape != (count,):
        raise InvalidArgumentError(f"{what}: indices of shape {places.shape} do not fit {count} values")
    if not ((indices >= 0).all() and (indices < math.prod(shape)).all() and (np.diff(indices) > 0).all()):
        raise InvalidArgumentError(f"{what}: the indices do not increase, or are outside shape {shape}")
    array = suanzi.zeros(math.prod(shape), dtype=values.dtype).numpy()
    array[indices] = values.numpy()
    array = array.reshape(shape)
    array.flags.writeable = False
    return suanzi.from_reference(array)


def is_plain(proto: TensorProto) -> bool:
    """Return whether the bytes of a tensor are elements of a type of Suanzi. The result is False for strings, and for
    tensors that the model does not contain.
    """
    dtype = _BY_CODE.get(proto.data_type)
    is_here = proto.data_location != TensorProto.EXTERNAL and not proto.HasField("segment")
    return is_here and dtype is not None and dtype is not suanzi.string


def stored_tensor(proto: TensorProto, folder: Path | None, data: Array | None = None) -> Tensor | Stored:
    """Return a tensor that a model stores in the model's file or another file. The tensor is read-only and shares the
    model's memory if possible. `data` are the tensor's bytes if the model lacks the bytes.
    """
    what = f"onnx: tensor {shown(proto.name)}"
    narrow = _NARROW_BY_CODE.get(proto.data_type)
    dtype = suanzi.uint8 if narrow else dtype_of(proto.data_type, what)
    shape = tuple(proto.dims)
    count = math.prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize >= 2**63:
        raise InvalidArgumentError(f"{what}: shape {shape} has a negative size or does not fit 64 bits")
    try:
        if narrow:
            return _narrow_tensor(proto, narrow, count, folder, what)
        if proto.data_location == TensorProto.EXTERNAL:
            array = _external(proto, dtype, count, folder, what)
        else:
            array = _elements(proto, dtype, count, what, data)
    except (UnicodeDecodeError, ValueError, TypeError, OverflowError) as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError(f"{what}: {error}") from error
    if dtype is suanzi.string:
        return suanzi.reshape(suanzi.tensor(list(array.flat), dtype=dtype), shape)
    array = array.reshape(shape)
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.require(array, requirements=["A", "C"])
    array.flags.writeable = False
    return suanzi.from_reference(array)


def _elements(
    proto: TensorProto, dtype: DType, count: int, what: str, data: Array | None = None
) -> np.ndarray[Any, Any]:
    """Return elements that the model itself stores. The function checks the number of elements before NumPy allocates
    memory for the shape.
    """
    if proto.HasField("segment"):
        raise UnsupportedError(f"{what}: segments are not supported")
    is_raw = data is not None or proto.HasField("raw_data")
    if is_raw:
        field, unit = proto.raw_data if data is None else data, dtype.itemsize
        if dtype is suanzi.string:
            raise InvalidArgumentError(f"{what}: strings cannot be raw data")
    else:
        field = getattr(proto, helper.tensor_dtype_to_field(proto.data_type))
        unit = 2 if dtype.kind_name == "complex floating" else 1
    if len(field) != count * unit:
        raise InvalidArgumentError(f"{what}: {len(field)} bytes or elements do not fill shape {tuple(proto.dims)}")
    if is_raw:
        return np.frombuffer(field, dtype.numpy)
    if dtype in _OWN_FIELDS:
        return np.array(field, dtype.numpy)
    if (most := _FIELD_RANGES.get(dtype)) and count:
        numbers = np.array(field)  # numbers of 32 or 64 bits, whose lowest bits hold the elements
        if numbers.min() < most[0] or numbers.max() > most[1]:
            raise InvalidArgumentError(
                f"{what}: numbers from {numbers.min()} to {numbers.max()} are outside the range of {dtype}"
            )
    array: np.ndarray[Any, Any] = numpy_helper.to_array(proto)
    return array


def _narrow_tensor(proto: TensorProto, narrow: Narrow, count: int, folder: Path | None, what: str) -> Stored:
    """Return elements of a narrow type. A byte may hold several elements."""
    size = -(-count * narrow.bits // 8)
    if proto.HasField("segment"):
        raise UnsupportedError(f"{what}: segments are not supported")
    if proto.data_location == TensorProto.EXTERNAL:
        data = _external(proto, suanzi.uint8, size, folder, what).tobytes()
        proto = TensorProto(data_type=proto.data_type, dims=proto.dims, raw_data=data)
    elif proto.HasField("raw_data"):
        if len(proto.raw_data) != size:
            raise InvalidArgumentError(f"{what}: {len(proto.raw_data)} bytes do not fill shape {tuple(proto.dims)}")
    else:
        field = proto.int32_data
        if len(field) != size:
            raise InvalidArgumentError(f"{what}: {len(field)} elements do not fill shape {tuple(proto.dims)}")
        if any(not -128 <= number <= 255 for number in field):
            raise InvalidArgumentError(f"{what}: a number is outside the range of a byte")
    array = np.array(numpy_helper.to_array(proto), narrow.numpy).reshape(tuple(proto.dims))
    array.flags.writeable = False
    return Stored(array, narrow.kind)


def _external(proto: TensorProto, dtype: DType, count: int, folder: Path | None, what: str) -> np.ndarray[Any, Any]:
    """Return elements from an external file. Raise an error if the file is outside the model's folder."""
    entries = {entry.key: entry.value for entry in proto.external_data}
    if folder is None:
        raise InvalidArgumentError(f"{what}: a model with external data must be loaded from a path")
    if dtype is suanzi.string:
        raise InvalidArgumentError(f"{what}: strings cannot be external data")
    location = entries.get("location", "")
    what = f"{what}: external data {shown(location)}"
    with checked(what):
        root = folder.resolve()
        path = (root / location).resolve()
        if not path.is_relative_to(root):
            raise InvalidArgumentError(f"{what} are outside the model's folder")
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
