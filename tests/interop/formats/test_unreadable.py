"""`load` loads the readable tensors of a file. Access to an unreadable tensor of the file raises an error."""

from __future__ import annotations

import copy
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, Status, TypeMismatchError, attempt
from suanzi.interop.formats.safetensors import read_metadata

OTHER_TYPES = ["F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "F6_E2M3", "F6_E3M2", "F128", "f32", ""]
A = np.arange(6, dtype=np.float32).reshape(2, 3)


def safetensors(path: Path, dtype: Any, metadata: dict[str, str] | None = None, **changes: Any) -> Path:
    """Write a safetensors file of three tensors, and return the path. The tensor "weights" has the type `dtype`."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    header |= {
        "last": {"dtype": "I16", "shape": [2], "data_offsets": [29, 33]},
        "weights": {"dtype": dtype, "shape": [5], "data_offsets": [24, 29], **changes},
        "first": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    }
    text = json.dumps(header).encode()
    data = A.tobytes() + bytes(5) + np.int16([7, -7]).tobytes()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def check_refused(loaded: Any, name: str, path: Path) -> None:
    assert isinstance(loaded, dict)
    assert name not in loaded
    assert list(loaded.unreadable) == [name]
    asked: list[Callable[[], Any]] = [lambda: loaded[name], lambda: loaded.get(name), lambda: loaded.get(name, 3)]
    for ask in asked:
        with pytest.raises(TypeMismatchError, match=rf"^load: .*{path.name}.*'{name}', cannot be read: ") as caught:
            ask()
        assert isinstance(caught.value, KeyError)
        assert str(caught.value) == loaded.unreadable[name]
        assert attempt(ask)[0] is Status.TYPE_MISMATCH
    with pytest.raises(KeyError, match=r"^'missing'$"):
        loaded["missing"]
    assert loaded.get("missing") is None
    assert loaded.get("missing", 3) == 3


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("dtype", OTHER_TYPES)
def test_safetensors(tmp_path: Path, dtype: str, mapped: bool) -> None:
    path = safetensors(tmp_path / "x.safetensors", dtype)
    loaded: Any = suanzi.load(path, memory_map=mapped)
    assert {name: x.tolist() for name, x in loaded.items()} == {"first": A.tolist(), "last": [7, -7]}
    check_refused(loaded, "weights", path)
    assert f"there is no element type {dtype!r}" in loaded.unreadable["weights"]


@pytest.mark.parametrize(
    "changes",
    [{"shape": [-5]}, {"shape": 5}, {"data_offsets": [29, 24]}, {"data_offsets": [24, 28]}, {"data_offsets": [24]}],
    ids=str,
)
def test_a_damaged_entry_spoils_the_file_whatever_its_type(tmp_path: Path, changes: Any) -> None:
    for dtype in ("F8_E4M3", "U8"):
        path = safetensors(tmp_path / "x.safetensors", dtype, **changes)
        with fails(InvalidArgumentError, "load"):
            suanzi.load(path)


def test_a_file_of_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    text = json.dumps({"x": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(2))
    with fails(TypeMismatchError, "load"):
        suanzi.load(path)


def members() -> dict[str, Any]:
    return {
        "bytes": np.array([b"ab", b"c"]),
        "objects": np.array([1, "a", None], object),
        "void": np.zeros(2, "V3"),
        "structures": np.zeros(2, [("a", "i4"), ("b", "f4")]),
        "times": np.array(["2020-01-01"], "M8[D]"),
        "spans": np.array([3], "m8[s]"),
    }


@pytest.mark.parametrize("name", members())
def test_npz(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, allow_pickle=True, first=A, **{name: members()[name]}, last=np.array(["x", "y"]))
    loaded: Any = suanzi.load(path)
    assert {name: x.tolist() for name, x in loaded.items()} == {"first": A.tolist(), "last": ["x", "y"]}
    check_refused(loaded, name, path)


def test_npz_with_a_file_that_is_no_array(tmp_path: Path) -> None:
    """`load` loads the arrays of an archive, and refuses access to a file in the archive that is not an array."""
    path = tmp_path / "x.npz"
    np.savez(path, x=A)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("notes.txt", "measured on a Tuesday")
    loaded: Any = suanzi.load(path)
    assert loaded["x"].tolist() == A.tolist()
    check_refused(loaded, "notes.txt", path)


def test_npz_with_an_array_that_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, x=A)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("y.npy", b"no array")
    with fails(InvalidArgumentError, "load"):
        suanzi.load(path)


def test_no_member_is_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.mkdir, (tmp_path / "sprung",)

    np.savez(tmp_path / "x.npz", x=A, y=np.array([Trap()], object), allow_pickle=True)
    loaded: Any = suanzi.load(tmp_path / "x.npz")
    assert attempt(lambda: loaded["y"])[0] is Status.TYPE_MISMATCH
    assert not (tmp_path / "sprung").exists()


def test_what_was_loaded_is_not_saved_in_part(tmp_path: Path) -> None:
    loaded: Any = suanzi.load(safetensors(tmp_path / "x.safetensors", "F4"))
    for ending in (".safetensors", ".npz"):
        with pytest.raises(InvalidArgumentError, match=r"would be without .*weights") as caught:
            suanzi.save(tmp_path / f"y{ending}", loaded)
        assert str(caught.value).startswith("save: ")
        suanzi.save(tmp_path / f"y{ending}", dict(loaded))
        assert set(suanzi.load(tmp_path / f"y{ending}")) == {"first", "last"}
    loaded["weights"] = suanzi.ones(5)
    assert loaded["weights"] is loaded.get("weights")
    suanzi.save(tmp_path / "y.safetensors", loaded)
    assert set(suanzi.load(tmp_path / "y.safetensors")) == {"first", "last", "weights"}


# --- messages about files


def test_metadata_are_read_and_written_again(tmp_path: Path) -> None:
    path, metadata = tmp_path / "x.safetensors", {"format": "pt", "一": "二"}
    suanzi.save(path, {"x": suanzi.ones(2)}, metadata=metadata)
    loaded: Any = suanzi.load(path)
    assert loaded.metadata == metadata
    loaded["y"] = suanzi.zeros(3)
    suanzi.save(tmp_path / "y.safetensors", loaded)
    assert read_metadata(tmp_path / "y.safetensors") == metadata
    suanzi.save(tmp_path / "y.safetensors", loaded, metadata={"a": "b"})
    assert read_metadata(tmp_path / "y.safetensors") == {"a": "b"}
    suanzi.save(tmp_path / "y.safetensors", dict(loaded))
    assert read_metadata(tmp_path / "y.safetensors") == {}
    loaded.metadata["n"] = 3
    with fails(TypeMismatchError, "save"):
        suanzi.save(tmp_path / "y.safetensors", loaded)


def test_metadata_beside_what_cannot_be_read(tmp_path: Path) -> None:
    loaded: Any = suanzi.load(safetensors(tmp_path / "x.safetensors", "F8_E4M3", {"format": "pt"}))
    assert loaded.metadata == {"format": "pt"}


def test_formats_without_metadata(tmp_path: Path) -> None:
    suanzi.save(tmp_path / "x.npz", {"x": suanzi.ones(2)})
    loaded: Any = suanzi.load(tmp_path / "x.npz")
    assert (loaded.metadata, loaded.unreadable) == ({}, {})
    with fails(InvalidArgumentError, "save"):
        suanzi.save(tmp_path / "y.npz", loaded, metadata={"a": "b"})


def test_metadata_of_tensors_are_in_no_file(tmp_path: Path) -> None:
    x = suanzi.ones(2)
    x.metadata["unit"] = "kg"
    for ending in (".safetensors", ".npz"):
        suanzi.save(tmp_path / f"x{ending}", {"x": x})
        loaded: Any = suanzi.load(tmp_path / f"x{ending}")
        assert loaded["x"].metadata == {}
    assert pickle.loads(pickle.dumps(x)).metadata == {"unit": "kg"}


def test_copies_of_what_was_loaded(tmp_path: Path) -> None:
    path = safetensors(tmp_path / "x.safetensors", "F4", {"a": "b"})
    loaded: Any = suanzi.load(path)
    for other in (copy.copy(loaded), copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert type(other) is type(loaded)
        assert set(other) == set(loaded)
        assert (other.metadata, other.unreadable) == (loaded.metadata, loaded.unreadable)
        check_refused(other, "weights", path)
