"""NumPy's .npy files. A file has a header with the type, the shape and the order (by rows or columns) of one array, and
then the array's elements.

The format is described in numpy.lib.format, which reads and writes the header. Elements are numbers or NumPy strings of
fixed length, never pickled objects. A .npy file has no bfloat16.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from suanzi._core import Tensor
from suanzi.interop.files import mapped, read_bytes, writing
from suanzi.operators.creation.initialisers import reshaped_view
from suanzi.tensor.dtypes import bfloat16, bool_, is_known, string
from suanzi.tensor.exchange import Array, array_of, source
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


class Stored(NamedTuple):
    """The elements of a tensor in the type and order in which a .npy file stores the elements."""

    array: Array
    by_columns: bool  # False if the file has the elements by rows


class NotElementsError(InvalidArgumentError):
    """The error (非法参数) for a file with a valid array of elements other than numbers and strings."""


# Version 3 differs from version 2 in the encoding of field names, which no array of numbers or strings has.
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}


def read(file: BinaryIO, what: str, memory_map: bool) -> Tensor:
    """Read the array of a file as a tensor. If `memory_map` is True and the elements can be used as stored, the tensor
    refers to the mapped file.
    """
    with quietly():
        size = os.fstat(file.fileno()).st_size
        return read_tensor(file, size, what, mapped(file) if memory_map else None)


def write(file: BinaryIO, x: Tensor, what: str, metadata: Mapping[str, str] | None) -> None:
    """Write a tensor to a file, in the format .npy."""
    stored = storable(x, what)
    with writing(what):
        write_array(file, stored)


def read_tensor(stream: Any, size: int, what: str, memory: Array | None = None) -> Tensor:
    """Read an array from a stream of `size` bytes as a tensor. If `memory` contains the bytes of the stream and the
    elements can be used as stored, the tensor refers to `memory`.

    The function compares the shape with the number of bytes before it allocates memory.
    """
    read_header = _HEADERS.get(np.lib.format.read_magic(stream))
    if read_header is None:
        raise InvalidArgumentError(f"{what} cannot be read: the version of the format is not known")
    shape, by_columns, dtype = read_header(stream)
    if dtype.hasobject or dtype.names or dtype.subdtype or not dtype.itemsize:
        raise NotElementsError(f"{what} cannot be read: elements {shown(dtype)} are not numbers or strings")
    if not is_known(dtype):
        raise TypeMismatchError(f"{what} cannot be read: there is no element type {shown(dtype)}")
    if min(shape, default=0) < 0:
        raise InvalidArgumentError(f"{what} cannot be read: shape {shown(shape)} has a negative size")
    needed, begin = math.prod(shape) * dtype.itemsize, stream.tell()
    if needed > size - begin:
        raise InvalidArgumentError(
            f"{what} cannot be read: shape {shown(shape)} of {shown(dtype)} needs {needed} bytes, "
            f"but only {size - begin} remain"
        )
    if memory is None:
        elements = read_bytes(stream, needed, what).view(dtype)
        stream.read(1)  # zipfile compares the checksum of a file in an archive when a read reaches the end
    else:
        elements = memory[begin : begin + needed].view(dtype)
    found, _ = source(elements.reshape(shape[::-1] if by_columns else shape), what)
    return reshaped_view(what, found, shape, tuple(range(len(shape)))) if by_columns else found


def write_array(stream: Any, stored: Stored) -> None:
    """Write elements by columns or by rows. NumPy writes by rows if the memory has both orders."""
    array, by_columns = stored
    if not by_columns:
        np.lib.format.write_array(stream, array, allow_pickle=False)
        return
    header = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(stream, {**header, "fortran_order": True})
    stream.write(np.ascontiguousarray(array.T).reshape(-1).view(np.uint8).data)


@contextmanager
def quietly() -> Iterator[None]:
    """Silence NumPy's warnings about old headers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def storable(x: Tensor, what: str) -> Stored:
    """Return the elements of a tensor as an array of a type that .npy files have, to be written by columns if the
    tensor has the logical order of columns. Raise an error if .npy files have no such type.
    """
    by_columns = x.ndim > 1 and x.layout.order == tuple(range(x.ndim))
    with writing(what):  # NumPy refuses some arrays that are too large
        if x.dtype is string:
            texts = x.tolist()
            array = np.array(texts, dtype=np.str_).reshape(x.shape)
            if array.tolist() != texts:
                raise InvalidArgumentError(f"{what} cannot be saved: NumPy's strings do not end in NUL")
            return Stored(array, by_columns)
        if x.dtype is bfloat16:
            raise TypeMismatchError(f"{what} cannot be saved: NumPy's files have no bfloat16; use .safetensors")
        return Stored(_one_or_zero(array_of(x)) if x.dtype is bool_ else array_of(x), by_columns)


def _one_or_zero(truths: Array) -> Array:
    """Return the bools of an array as bytes 0 and 1. In memory that other programs wrote, a bool may be any byte."""
    clean: Array = truths.view(np.uint8) != 0
    return clean
