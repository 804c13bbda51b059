"""The files of `suanzi run`: arrays read from .npy, .npz and .csv files, and written to .npz files."""

from __future__ import annotations

import errno
import io
import math
import os
import secrets
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZipFile, ZipInfo

import numpy as np

import suanzi
from suanzi import InvalidArgumentError, Tensor
from suanzi.interop.files import opened, read_bytes, reason
from suanzi.tensor.exchange import Array, source
from suanzi.tensor.messages import shown

_SUFFIX = ".npy"  # of the files in an archive
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class Stored(NamedTuple):
    """An array in a file, and its name there where the file has several."""

    path: str
    name: str | None

    def read(self) -> Tensor:
        """The array as a tensor; InvalidArgumentError or AllocFailedError where that cannot be done."""
        what = f"run: {self.path}"
        with opened(self.path, what) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old headers, or of an empty table, which is an error
            if self.name is not None:
                with ZipFile(file) as archive:
                    member = _members(archive, what)[self.name]
                    with archive.open(member) as stream:
                        array = _array(stream, member.file_size, f"{what}, array {shown(self.name)},")
            elif _kind(self.path) == ".csv":
                array = _table(file, what)
            else:
                array = _array(file, os.fstat(file.fileno()).st_size, what)
            return source(array, what)[0]  # which may find strings that are none


def stored(path: str) -> list[Stored]:
    """The arrays in a file; nothing but names is read."""
    what = f"run: {path}"
    if _kind(path) not in (".npy", ".npz", ".csv"):
        raise InvalidArgumentError(f"{what} is not a file of type .npy, .npz or .csv")
    with opened(path, what) as file:
        if _kind(path) != ".npz":
            return [Stored(path, None)]
        with ZipFile(file) as archive:
            return [Stored(path, name) for name in _members(archive, what)]


def _kind(path: str) -> str:
    return Path(path).suffix.lower()


def _members(archive: ZipFile, what: str) -> dict[str, ZipInfo]:
    members = [member for member in archive.infolist() if not member.is_dir()]
    names = [member.filename.removesuffix(_SUFFIX) for member in members]
    if len(set(names)) < len(names):
        raise InvalidArgumentError(f"{what} has the array {shown(Counter(names).most_common(1)[0][0])} twice")
    return dict(zip(names, members, strict=True))


def _array(stream: Any, size: int, what: str) -> Array:
    """An array in NumPy's format, of which a header says the shape and `size` how many bytes there are.

    The shape is compared with the bytes before it is believed.
    """
    read_header = _HEADERS.get(np.lib.format.read_magic(stream))
    if read_header is None:  # of version 3 alone are structures with names that are not Latin
        raise InvalidArgumentError(f"{what} cannot be read: this version of the format is not known")
    shape, by_columns, dtype = read_header(stream)
    if dtype.hasobject or dtype.names or dtype.subdtype or not dtype.itemsize:
        raise InvalidArgumentError(f"{what} cannot be read: elements {shown(dtype)} are not numbers or strings")
    if min(shape, default=0) < 0:
        raise InvalidArgumentError(f"{what} cannot be read: shape {shown(shape)} has a negative size")
    needed, left = math.prod(shape) * dtype.itemsize, size - stream.tell()
    if needed > left:
        raise InvalidArgumentError(
            f"{what} cannot be read: shape {shown(shape)} of {shown(dtype)} needs {needed} bytes, there are {left}"
        )
    elements = read_bytes(stream, needed, what).view(dtype)
    stream.read(1)  # at the end of an archive's file its checksum is compared
    return elements.reshape(shape[::-1]).T if by_columns else elements.reshape(shape)


def _table(file: BinaryIO, what: str) -> Array:
    array = np.loadtxt(io.TextIOWrapper(file, "utf-8-sig"), delimiter=",", ndmin=2)
    if not array.size:
        raise InvalidArgumentError(f"{what} cannot be read: there are no numbers in it")
    return array


@contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """A file to write to, with exactly this name; it stands there once all has gone well, and not before."""
    with _writing(path):
        if not path:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        target, exists = os.path.realpath(path), os.path.exists(path)
        is_device = exists and not os.path.isfile(path)
        if exists and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        place = path if is_device else os.path.join(os.path.dirname(target), f".suanzi-{secrets.token_hex(8)}")
        file = open(place, "wb" if is_device else "xb")  # noqa: SIM115
    try:
        yield file
        with _writing(path):
            file.close()
            if not is_device:
                if exists:
                    os.chmod(place, S_IMODE(os.stat(target).st_mode))
                os.replace(place, target)
    finally:
        with suppress(OSError):
            file.close()
        if not is_device:
            with suppress(FileNotFoundError):  # it has its name
                os.unlink(place)


def write(file: BinaryIO, path: str, tensors: Mapping[str, Tensor]) -> None:
    """An archive of arrays, as `numpy.savez` makes it, whose keywords would take some names for its own."""
    arrays = {name: _plain(x, f"run: output {shown(name)}") for name, x in tensors.items()}
    for name in arrays:
        if not 0 < len(name.encode()) < 2**15 or "\0" in name:
            raise InvalidArgumentError(
                f"run: output {shown(name)} cannot be saved: no file of an archive has this name"
            )
    target: Any = file if S_ISREG(os.fstat(file.fileno()).st_mode) else _Stream(file)
    with _writing(path), ZipFile(target, "w") as archive:
        for name, array in arrays.items():
            with archive.open(name + _SUFFIX, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


class _Stream(NamedTuple):
    """What is written in one go, to a pipe or a device: it cannot be gone back in, whatever it says itself."""

    file: BinaryIO

    def write(self, data: bytes) -> int:
        return self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: of a name that no file has
        raise InvalidArgumentError(f"run: {path or repr(path)} cannot be written: {reason(error)}") from error


def _plain(x: Tensor, what: str) -> Array:
    """For a file: NumPy saves neither its own strings of any length nor bfloat16."""
    if x.dtype is suanzi.string:
        texts = x.tolist()
        array = np.array(texts, dtype=np.str_).reshape(x.shape)
        if array.tolist() != texts:
            raise InvalidArgumentError(f"{what} cannot be saved: NumPy's strings do not end in NUL")
        return array
    return suanzi.astype(x, suanzi.float32).numpy() if x.dtype is suanzi.bfloat16 else x.numpy()
