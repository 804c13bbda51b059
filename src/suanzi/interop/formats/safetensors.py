"""Files of named tensors in the format safetensors: a header in JSON, then the elements of each tensor by rows.

The format is described at https://github.com/huggingface/safetensors#format:

- 8 bytes: the size N of the header, at most 100 MB, as a little-endian unsigned integer
- N bytes: an object of JSON in UTF-8, begun by ``{`` and perhaps followed by spaces. The object has for each tensor an
  entry ``"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}``, and perhaps one entry
  ``__metadata__``, an object of strings. No name occurs twice.
- the elements, little-endian. ``data_offsets`` count from the first element. The tensors leave no gap, do not overlap,
  and end with the file.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.files import mapped, opened, read_bytes, writing
from suanzi.interop.formats.loaded import Loaded
from suanzi.tensor.dtypes import DTYPES, DType, bool_
from suanzi.tensor.exchange import Array, array_of, source
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError

LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"
_KEYS = ("dtype", "shape", "data_offsets")
_PREFIXES = {
    "bool": "BOOL",
    "unsigned integer": "U",
    "signed integer": "I",
    "real floating": "F",
    "complex floating": "C",
}


def _name_of(dtype: DType) -> str:
    """Return the format's name of an element type, such as F32."""
    if dtype is bool_:
        return "BOOL"
    return "BF16" if dtype.name == "bfloat16" else f"{_PREFIXES[dtype.kind_name]}{8 * dtype.itemsize}"


# The format lacks complex128 and strings.
_NAMES = {dtype: _name_of(dtype) for dtype in DTYPES if dtype.name not in ("complex128", "string")}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


class Entry(NamedTuple):
    """The header's entry for one tensor."""

    name: str
    dtype: DType | TypeMismatchError  # an error if Suanzi lacks the element type
    shape: tuple[int, ...]
    begin: int
    end: int


# --- reading ---


def read(file: BinaryIO, what: str, memory_map: bool) -> Loaded:
    """Read the tensors of a file in the order of the elements. Tensors whose element types Suanzi lacks become
    unreadable entries of the result.
    """
    size = os.fstat(file.fileno()).st_size
    header = _header(file, size, what)
    start = file.tell()
    memory = mapped(file)[start:] if memory_map else None
    tensors: dict[str, Tensor] = {}
    errors: dict[str, SuanziError] = {}
    for name, dtype, shape, begin, end in _entries(header, size - start, what):
        if isinstance(dtype, TypeMismatchError):
            errors[name] = dtype
            continue
        if memory is None:
            file.seek(start + begin)
            data = read_bytes(file, end - begin, what)
        else:
            data = memory[begin:end]
        tensors[name] = source(data.view(dtype.numpy).reshape(shape), what)[0]
    return Loaded(tensors, errors, _metadata(header, what))


def read_metadata(path: str | os.PathLike[str], /) -> dict[str, str]:
    """Return a file's entry ``__metadata__``, or an empty dictionary if the file has no such entry.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, or its header is damaged.

    Examples
    --------
    >>> import os, tempfile, suanzi
    >>> from suanzi.interop.formats.safetensors import read_metadata
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.safetensors")
    ...     suanzi.save(path, {"x": suanzi.ones(2)}, metadata={"format": "pt"})
    ...     read_metadata(path)
    {'format': 'pt'}
    """
    what = f"read_metadata: {shown(os.fspath(path))}"
    with opened(path, what) as file:
        return _metadata(_header(file, os.fstat(file.fileno()).st_size, what), what)


def _header(file: BinaryIO, size: int, what: str) -> dict[str, Any]:
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise InvalidArgumentError(f"{what} cannot be read: the file has {size} bytes, too few for its header")
    if length > LONGEST_HEADER:
        raise InvalidArgumentError(f"{what} cannot be read: a header of {length} bytes is longer than {LONGEST_HEADER}")
    text = read_bytes(file, length, what).tobytes().decode("utf-8")
    if not text.startswith("{"):
        raise InvalidArgumentError(f"{what} cannot be read: the header does not begin with {{")
    header: dict[str, Any] = json.loads(text, object_pairs_hook=_without_repetition)
    return header


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name occurs twice in the header")
    return made


def _metadata(header: dict[str, Any], what: str) -> dict[str, str]:
    metadata = header.get(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise InvalidArgumentError(f"{what} cannot be read: {_METADATA} is not an object of strings")
    return metadata


def _entries(header: dict[str, Any], size: int, what: str) -> list[Entry]:
    """Return the entries of all tensors in the order of the elements. The elements must cover exactly the file's bytes
    after the header.
    """
    _metadata(header, what)
    entries = [_entry(name, said, what) for name, said in header.items() if name != _METADATA]
    entries.sort(key=lambda entry: (entry.begin, entry.end))
    end = 0
    for entry in entries:
        if entry.begin != end:
            raise _wrong(entry.name, f"elements from byte {entry.begin} on do not follow byte {end}", what)
        end = entry.end
    if end != size:
        raise InvalidArgumentError(f"{what} cannot be read: the tensors need {end} bytes, not {size}")
    return entries


def _entry(name: str, said: Any, what: str) -> Entry:
    if not isinstance(said, dict) or not all(key in said for key in _KEYS):
        raise _wrong(name, f"{shown(said)} does not have {', '.join(_KEYS)}", what)
    kind, shape, offsets = (said[key] for key in _KEYS)
    dtype = _DTYPES.get(kind) if isinstance(kind, str) else None
    if not _are_sizes(shape) or len(shape) > _core.max_rank:
        raise _wrong(name, f"{shown(shape)} is not a shape", what)
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise _wrong(name, f"{shown(offsets)} are not two offsets", what)
    begin, end = offsets
    if dtype is None:
        if begin > end:
            raise _wrong(name, f"{shown(offsets)} are not two offsets", what)
        why = f"{what}, tensor {shown(name)}, cannot be read: there is no element type {shown(kind)}"
        return Entry(name, TypeMismatchError(why), tuple(shape), begin, end)
    needed = math.prod(shape) * dtype.itemsize
    if end - begin != needed:
        raise _wrong(name, f"shape {shown(shape)} of {dtype} needs {shown(needed)} bytes, not {shown(offsets)}", what)
    return Entry(name, dtype, tuple(shape), begin, end)


def _are_sizes(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 0 <= n < 2**63 for n in numbers)


def _wrong(name: str, why: str, what: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{what}, tensor {shown(name)}, cannot be read: {why}")


# --- writing ---


def write(file: BinaryIO, tensors: Mapping[str, Tensor], what: str, metadata: Mapping[str, str] | None) -> None:
    """Write the tensors with the widest elements first, so that all tensors are aligned."""
    for name, x in tensors.items():
        if name == _METADATA:
            raise InvalidArgumentError(f"{what} cannot be saved: the name {_METADATA} is the format's own")
        if x.dtype not in _NAMES:
            raise TypeMismatchError(f"{what}, tensor {shown(name)}, cannot be saved: the format has no {x.dtype}")
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    end = 0
    for name in order:
        x = tensors[name]
        header[name] = dict(zip(_KEYS, (_NAMES[x.dtype], x.shape, (end, end + x.nbytes)), strict=True))
        end += x.nbytes
    with writing(what):
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        text += b" " * (-len(text) % 8)
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(_bytes_of(tensors[name]).data)


def _bytes_of(x: Tensor) -> Array:
    """Return the bytes of a tensor's elements by rows. Bools become the bytes 0 and 1, because a bool in other
    programs' memory may be any byte.
    """
    data = np.ascontiguousarray(array_of(x)).reshape(-1).view(np.uint8)
    return (data != 0).view(np.uint8) if x.dtype is bool_ else data
