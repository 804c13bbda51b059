"""For a damaged or malicious file `load` raises an error with a status and the file's name, and no other exception."""

from __future__ import annotations

import json
import os
import pickle
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi.interop.formats import FORMATS

pytestmark = pytest.mark.one_level

A = np.arange(6, dtype=np.float32).reshape(2, 3)
ENTRY = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}


def file_of(header: Any, data: bytes = A.tobytes(), length: int | None = None) -> bytes:
    """Return the bytes of a safetensors file with the given header, data and stated length of the header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def changed(**fields: Any) -> bytes:
    return file_of({"x": {**ENTRY, **fields}})


def without(key: str) -> bytes:
    return file_of({"x": {name: value for name, value in ENTRY.items() if name != key}})


SECOND = {"dtype": "U8", "shape": [4], "data_offsets": [24, 28]}
DAMAGED: dict[str, bytes] = {
    "nothing": b"",
    "seven bytes": b"\2\0\0\0\0\0\0",
    "no header": struct.pack("<Q", 2),
    "a header of 2^64 bytes": file_of({}, length=2**64 - 1),
    "a header past the file": file_of({"x": ENTRY}, b"", length=1000),
    "a header of no bytes": file_of(b""),
    "no JSON": file_of(b"{nonsense}"),
    "no UTF-8": file_of(b'{"\xff": 1}'),
    "a list": file_of([1, 2]),
    "spaces first": file_of(b" " + json.dumps({"x": ENTRY}).encode()),
    "more after the header": file_of(json.dumps({"x": ENTRY}).encode() + b"x"),
    "deep nesting": file_of(b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "a number of many digits": file_of(b'{"x": ' + b"9" * 10_000 + b"}"),
    "a name twice": file_of(b'{"x": %b, "x": %b}' % ((json.dumps(ENTRY).encode(),) * 2)),
    "an entry that is none": file_of({"x": 3}),
    "no dtype": without("dtype"),
    "no shape": without("shape"),
    "no offsets": without("data_offsets"),
    "a shape that is none": changed(shape=6),
    "a size that is text": changed(shape=["2", 3]),
    "a size that is true": changed(shape=[True, 6]),
    "a size that is not whole": changed(shape=[2.0, 3]),
    "a negative size": changed(shape=[-2, -3]),
    "a size past 64 bits": changed(shape=[2**70]),
    "a product past 64 bits": changed(shape=[2**40, 2**40]),
    "a product that wraps around to 24 bytes": changed(shape=[2**62 + 6, 1]),
    "too many dimensions": changed(shape=[2, 3] + [1] * 70),
    "too large a shape": changed(shape=[2, 4]),
    "offsets that are none": changed(data_offsets=24),
    "one offset": changed(data_offsets=[24]),
    "a negative offset": changed(data_offsets=[-24, 0]),
    "offsets the wrong way": changed(data_offsets=[24, 0]),
    "offsets past the file": changed(data_offsets=[24, 48]),
    "offsets past 64 bits": changed(data_offsets=[2**64, 2**64 + 24]),
    "a gap": file_of({"x": ENTRY, "y": {**SECOND, "data_offsets": [25, 29]}}, bytes(29)),
    "an overlap": file_of({"x": ENTRY, "y": {**SECOND, "data_offsets": [20, 24]}}),
    "elements cut short": file_of({"x": ENTRY}, bytes(23)),
    "bytes after the elements": file_of({"x": ENTRY}, bytes(25)),
    "a gap at the beginning": file_of({"x": {**ENTRY, "data_offsets": [1, 25]}}, bytes(25)),
    "metadata that are no strings": file_of({"__metadata__": {"a": 1}, "x": ENTRY}),
    "metadata that are none": file_of({"__metadata__": "a", "x": ENTRY}),
}


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("name", DAMAGED)
def test_safetensors(tmp_path: Path, name: str, mapped: bool) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(InvalidArgumentError, match=r"^load: .*cannot be read: ") as caught:
        suanzi.load(path, memory_map=mapped)
    assert "x.safetensors" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["F8_E4M3", "F128", "", "f32", 3, None, ["F32"]])
def test_types_that_there_are_not(tmp_path: Path, dtype: Any) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(changed(dtype=dtype))
    with fails(TypeMismatchError, "load"):
        suanzi.load(path)


def test_a_long_header(tmp_path: Path) -> None:
    """A safetensors file that claims a header of 2^37 bytes is refused before the header is read."""
    path = tmp_path / "x.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", 2**37))
        file.truncate(2**38)
    with fails(InvalidArgumentError, "load"):
        suanzi.load(path)


def examples(folder: Path) -> dict[str, bytes]:
    """Return the bytes of a valid file of each format, by the ending of the file's name."""
    x = suanzi.tensor(A)
    for ending, kind in FORMATS.items():
        suanzi.save(folder / f"x{ending}", {"x": x, "y": x[0]} if kind.many else x)
    return {ending: (folder / f"x{ending}").read_bytes() for ending in FORMATS}


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("ending", FORMATS)
def test_any_change(tmp_path: Path, ending: str, mapped: bool) -> None:
    """After bytes are changed, cut off or repeated, `load` returns tensors or raises an error with a status."""
    good, drawn = examples(tmp_path)[ending], random.Random(5)
    path = tmp_path / f"x{ending}"
    for _ in range(300):
        data = bytearray(good)
        for _ in range(drawn.choice([1, 2, 8])):
            data[drawn.randrange(len(data))] = drawn.randrange(256)
        if drawn.random() < 0.3:
            del data[drawn.randrange(len(data)) :]
        elif drawn.random() < 0.1:
            data += bytes(data)
        path.unlink()
        path.write_bytes(data)
        try:
            loaded = suanzi.load(path, memory_map=mapped and ending != ".npz")
        except SuanziError as error:
            assert str(error).startswith("load: ")  # noqa: PT017
        else:
            repr(loaded)


def test_no_pickle_is_read(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.save(tmp_path / "x.npy", np.array([Trap()], object), allow_pickle=True)
    (tmp_path / "y.npy").write_bytes(pickle.dumps(Trap()))
    np.savez(tmp_path / "x.npz", x=np.array([Trap()], object), allow_pickle=True)
    for file in ("x.npy", "y.npy", "x.npz"):
        with fails(InvalidArgumentError, "load"):
            suanzi.load(tmp_path / file)
    assert not (tmp_path / "sprung").exists()


def test_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "folder.npz").mkdir()
    for file in ("pipe.npy", "folder.npz", "missing.safetensors", "a\0b.npy"):
        with fails(InvalidArgumentError, "load"):
            suanzi.load(f"{tmp_path}/{file}")
