"""NumPy's .npz files: archives of named .npy files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

from numpy.lib.format import MAGIC_PREFIX

from suanzi._core import Tensor
from suanzi.interop.files import in_one_go, writing
from suanzi.interop.formats.loaded import Loaded
from suanzi.interop.formats.npy import NotElementsError, quietly, read_tensor, storable, write_array
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError

_SUFFIX = ".npy"


def read(file: BinaryIO, what: str, memory_map: bool) -> Loaded:
    """Read the arrays of an archive as tensors. Arrays whose element types Suanzi lacks become unreadable entries of
    the result.
    """
    tensors: dict[str, Tensor] = {}
    errors: dict[str, SuanziError] = {}
    with quietly(), ZipFile(file) as archive:
        for name, member in members(archive, what).items():
            try:
                tensors[name] = read_member(archive, member, f"{what}, array {shown(name)},")
            except (NotElementsError, TypeMismatchError) as error:
                errors[name] = error
    return Loaded(tensors, errors)


def members(archive: ZipFile, what: str) -> dict[str, ZipInfo]:
    """Return the files of an archive by the names of their arrays."""
    found = [member for member in archive.infolist() if not member.is_dir()]
    names = [member.filename.removesuffix(_SUFFIX) for member in found]
    if len(set(names)) < len(names):
        raise InvalidArgumentError(f"{what} has the array {shown(Counter(names).most_common(1)[0][0])} twice")
    return dict(zip(names, found, strict=True))


def read_member(archive: ZipFile, member: ZipInfo, what: str) -> Tensor:
    """Read the array in one file of an archive as a tensor."""
    with archive.open(member) as stream:
        if not member.filename.endswith(_SUFFIX) and stream.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
            raise NotElementsError(f"{what} cannot be read: the entry contains bytes, not an array")
    with archive.open(member) as stream:
        return read_tensor(stream, member.file_size, what)


def write(file: BinaryIO, tensors: Mapping[str, Tensor], what: str, metadata: Mapping[str, str] | None) -> None:
    """Write an archive of arrays in the format of `numpy.savez`. The names may be names that `numpy.savez` does not
    accept as keywords.
    """
    stored = {name: storable(x, f"{what}, array {shown(name)},") for name, x in tensors.items()}
    for name in stored:
        if not 0 < len(name.encode(errors="replace")) < 2**15 or "\0" in name:
            raise InvalidArgumentError(
                f"{what}, array {shown(name)}, cannot be saved: no file of an archive has this name"
            )
    target: Any = in_one_go(file)
    with writing(what), ZipFile(target, "w") as archive:
        for name, elements in stored.items():
            with archive.open(name + _SUFFIX, "w", force_zip64=True) as stream:
                write_array(stream, elements)
