"""The files of `suanzi run`: arrays read from .npy, .npz, .csv, pictures and .wav, and written to .npz files."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zipfile import ZipFile

import numpy as np

import suanzi
from suanzi import DType, InvalidArgumentError, Tensor
from suanzi.cli.media import PICTURES, RECORDINGS, Sizes, picture, recording
from suanzi.interop import files as outside
from suanzi.interop.formats import npy, npz
from suanzi.interop.formats.text import number_of, numpy_type
from suanzi.tensor.exchange import Array, source
from suanzi.tensor.messages import shown


class Stored(NamedTuple):
    """An array in a file, with its name if the file is an .npz archive."""

    path: str
    name: str | None

    @property
    def is_fitted(self) -> bool:
        """Return whether the file is a picture or a recording, which is fitted to a shape."""
        return _kind(self.path) in (*PICTURES, *RECORDINGS)

    def read(self, sizes: Sizes | None, dtype: DType, values: tuple[float, float]) -> Tensor:
        """Read the array as a tensor. Raise InvalidArgumentError or AllocFailedError if the array cannot be read.

        Pictures and recordings are converted to the declared sizes and type, or the method raises
        DimensionsMismatchError or TypeMismatchError. `values` contains the numbers for black and white in pictures.
        """
        what = f"run: {self.path}"
        if self.is_fitted:
            with outside.opened(self.path, what) as file:
                if _kind(self.path) in RECORDINGS:
                    return suanzi.tensor(recording(file, what, sizes, dtype))
                return suanzi.tensor(picture(file, what, sizes, dtype, values))
        with outside.opened(self.path, what) as file, npy.quietly():  # an empty table is an error, not a warning
            if self.name is not None:
                with ZipFile(file) as archive:
                    member = npz.members(archive, what)[self.name]
                    return npz.read_member(archive, member, f"{what}, array {shown(self.name)},")
            if _kind(self.path) == ".csv":
                return source(_table(file, what, dtype), what)[0]
            return npy.read(file, what, False)


def stored(path: str) -> list[Stored]:
    """Return the arrays in a file. The function reads only the names of the arrays."""
    what = f"run: {path}"
    if _kind(path) not in (".npy", ".npz", ".csv", *PICTURES, *RECORDINGS):
        raise InvalidArgumentError(f"{what} is not a file of type .npy, .npz, .csv, .png, .jpg or .wav")
    with outside.opened(path, what) as file:
        if _kind(path) != ".npz":
            return [Stored(path, None)]
        with ZipFile(file) as archive:
            return [Stored(path, name) for name in npz.members(archive, what)]


def _kind(path: str) -> str:
    return Path(path).suffix.lower()


def _table(file: BinaryIO, what: str, dtype: DType) -> Array:
    """Read a table in the type `dtype`, or in a wider type that is rounded once. Integers keep all digits."""
    kind = numpy_type(None if dtype is suanzi.string else dtype)
    read = _integer(number_of(kind), number_of(np.float64)) if dtype.is_integer else None
    array = np.loadtxt(io.TextIOWrapper(file, "utf-8-sig"), kind, delimiter=",", ndmin=2, converters=read)
    if not array.size:
        raise InvalidArgumentError(f"{what} cannot be read: the file has no numbers")
    return array


def _integer(whole: Callable[[str], int], decimal: Callable[[str], float]) -> Callable[[str], int]:
    """Return a function that reads integers, also in forms such as 2.0 and 1e3. The function refuses other numbers."""

    def read(field: str) -> int:
        try:
            return whole(field)
        except ValueError:
            number = decimal(field)
            if abs(number) > 2.0**64:  # no integer type holds the number
                return int(number)
            exact = Decimal(field.strip())
            if exact != exact.to_integral_value():
                raise
            return int(exact)

    return read


def written(path: str) -> AbstractContextManager[BinaryIO]:
    """Open a file for outputs. The file receives the name `path` only after all outputs have been written."""
    return outside.written(path, _what(path))


def write(file: BinaryIO, path: str, tensors: Mapping[str, Tensor]) -> None:
    """Write an archive of the outputs. bfloat16, which NumPy's files lack, becomes float32."""
    npz.write(file, {name: _widened(x) for name, x in tensors.items()}, _what(path), None)


def _what(path: str) -> str:
    return f"run: {path or repr(path)}"


def _widened(x: Tensor) -> Tensor:
    return suanzi.astype(x, suanzi.float32) if x.dtype is suanzi.bfloat16 else x
