"""`save` writes files in the formats of NumPy and of safetensors, and `load` returns the saved tensors."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import NAMES, assert_same, fails, sample
from suanzi import AllocFailedError, InvalidArgumentError, Tensor, TypeMismatchError
from suanzi.interop import files
from suanzi.interop.formats.safetensors import read_metadata

pytestmark = pytest.mark.one_level

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
OF_NUMPY = [name for name in NAMES if name != "bfloat16"]
# The type names in https://github.com/huggingface/safetensors#format.
CODES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "float16": "F16",
    "bfloat16": "BF16",
    "uint32": "U32",
    "int32": "I32",
    "float32": "F32",
    "complex64": "C64",
    "uint64": "U64",
    "int64": "I64",
    "float64": "F64",
}
a_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def one(path: Path, **options: Any) -> Tensor:
    loaded = suanzi.load(path, **options)
    assert isinstance(loaded, Tensor)
    return loaded


def several(path: Path, **options: Any) -> dict[str, Tensor]:
    loaded = suanzi.load(path, **options)
    assert isinstance(loaded, dict)
    return loaded


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header and the bytes of the elements of a safetensors file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def special(name: str) -> Any:
    """Return an array of a type. Arrays of real floating types have NaN, infinities, -0 and a small number."""
    dtype = suanzi.as_dtype(name)
    a = sample((8,), name)
    if dtype.kind_name == "real floating":
        a[:6] = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 1e-40]
    return a


@a_folder
@given(shape=SHAPES, name=st.sampled_from(OF_NUMPY), mapped=st.booleans())
def test_npy(tmp_path: Path, shape: tuple[int, ...], name: str, mapped: bool) -> None:
    a, path = sample(shape, name), tmp_path / "x.npy"
    suanzi.save(path, suanzi.tensor(a))
    assert_same(suanzi.tensor(np.load(path, allow_pickle=False)), a)
    assert_same(one(path, memory_map=mapped), a)


@a_folder
@given(shapes=st.lists(SHAPES, max_size=4), names=st.lists(st.sampled_from(OF_NUMPY), min_size=4, max_size=4))
def test_npz(tmp_path: Path, shapes: list[tuple[int, ...]], names: list[str]) -> None:
    arrays = {f"array {i}": sample(shape, names[i]) for i, shape in enumerate(shapes)}
    path = tmp_path / "x.npz"
    suanzi.save(path, {name: suanzi.tensor(a) for name, a in arrays.items()})
    with np.load(path, allow_pickle=False) as by_numpy:
        assert set(by_numpy) == set(arrays)
    loaded = several(path)
    assert list(loaded) == list(arrays)
    for name, a in arrays.items():
        assert_same(loaded[name], a)


@a_folder
@given(
    shapes=st.lists(SHAPES, max_size=4),
    names=st.lists(st.sampled_from([*CODES]), min_size=4, max_size=4),
    m=st.booleans(),
)
def test_safetensors(tmp_path: Path, shapes: list[tuple[int, ...]], names: list[str], m: bool) -> None:
    arrays = {f"层 {i}": sample(shape, names[i]) for i, shape in enumerate(shapes)}
    path = tmp_path / "x.safetensors"
    suanzi.save(path, {name: suanzi.tensor(a) for name, a in arrays.items()})
    header, data = parts(path)
    assert header.keys() == arrays.keys()
    for i, (name, a) in enumerate(arrays.items()):
        begin, end = header[name]["data_offsets"]
        assert (header[name]["dtype"], header[name]["shape"]) == (CODES[names[i]], list(a.shape))
        assert data[begin:end] == a.tobytes()
        assert begin % a.itemsize == 0
    loaded = several(path, memory_map=m)
    assert loaded.keys() == arrays.keys()
    for name, a in arrays.items():
        assert_same(loaded[name], a)


def test_files_of_another_writer(tmp_path: Path) -> None:
    """`load` reads safetensors files with metadata, unaligned elements, unsorted entries, and blanks in the header."""
    path, double = tmp_path / "x.safetensors", np.array([1.5, -2.5])
    text = (
        '{ "__metadata__": {"format": "pt"}, "b": {"data_offsets": [1, 17], "shape": [2], "dtype": "F64"},'
        ' "a": {"dtype": "U8", "shape": [], "data_offsets": [0, 1], "more": null} }   '
    )
    path.write_bytes(struct.pack("<Q", len(text)) + text.encode() + b"\7" + double.tobytes())
    for mapped in (False, True):
        loaded = several(path, memory_map=mapped)
        assert list(loaded) == ["a", "b"]
        assert loaded["a"].item() == 7
        assert loaded["b"].tolist() == double.tolist()
    assert read_metadata(path) == {"format": "pt"}


# The suite does not install the safetensors library. If safetensors is installed, Suanzi and safetensors read each
# other's files.
if importlib.util.find_spec("safetensors"):

    def test_the_library_of_the_format(tmp_path: Path) -> None:
        from safetensors import numpy as numpy_files

        path = tmp_path / "x.safetensors"
        tensors = {name: suanzi.tensor(sample((2, 3), name)) for name in CODES if name not in ("bfloat16", "complex64")}
        suanzi.save(path, tensors, metadata={"format": "np"})
        loaded = numpy_files.load_file(path)
        assert {name: a.tobytes() for name, a in loaded.items()} == {n: x.numpy().tobytes() for n, x in tensors.items()}
        ours = path.read_bytes()
        numpy_files.save_file({name: x.numpy() for name, x in tensors.items()}, path)
        for name, x in several(path).items():
            assert_same(x, tensors[name].numpy())
        assert len(path.read_bytes()) < len(ours)


@pytest.mark.parametrize("name", CODES)
def test_special_values(tmp_path: Path, name: str) -> None:
    a = special(name)
    for ending in [".safetensors"] if name == "bfloat16" else [".npz", ".safetensors"]:
        path = tmp_path / f"x{ending}"
        suanzi.save(path, {"x": suanzi.tensor(a)})
        assert_same(several(path)["x"], a)


@pytest.mark.parametrize("order", [(2, 1, 0), (0, 1, 2), (1, 0, 2)])
def test_logical_orders(tmp_path: Path, order: tuple[int, ...]) -> None:
    x = suanzi.tensor(sample((2, 3, 4)), layout=order)
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.safetensors", {"x": x})
    kept = order if order != (1, 0, 2) else (2, 1, 0)
    for mapped in (False, True):
        loaded = one(tmp_path / "x.npy", memory_map=mapped)
        assert loaded.layout.order == kept
        assert_same(loaded, sample((2, 3, 4)))
        assert_same(several(tmp_path / "x.safetensors", memory_map=mapped)["x"], sample((2, 3, 4)))


@pytest.mark.parametrize("shape", [(1, 5), (3, 1), (1, 1, 1), (0, 3), (2, 0, 4), (2, 3)])
@pytest.mark.parametrize("name", ["float32", "bool", "string"])
@pytest.mark.parametrize("by_columns", [True, False])
def test_orders_of_any_shape(tmp_path: Path, shape: tuple[int, ...], name: str, by_columns: bool) -> None:
    """The memory of a matrix with one row or without elements has both orders, so only the header has the order."""
    a = sample(shape).astype(str if name == "string" else name)
    order = tuple(range(len(shape)))[:: 1 if by_columns else -1]
    x = suanzi.tensor(a, dtype=name, layout=order)
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.npz", {"x": x})
    with open(tmp_path / "x.npy", "rb") as file:
        assert np.lib.format.read_magic(file) == (1, 0)
        assert np.lib.format.read_array_header_1_0(file)[1] is by_columns
    for stored in (np.load(tmp_path / "x.npy"), np.load(tmp_path / "x.npz")["x"]):
        np.testing.assert_array_equal(stored, a)
    for loaded in (
        one(tmp_path / "x.npy"),
        one(tmp_path / "x.npy", memory_map=True),
        several(tmp_path / "x.npz")["x"],
    ):
        assert loaded.layout.order == x.layout.order == order
        assert loaded.tolist() == a.tolist()


@pytest.mark.parametrize("key", [slice(None, None, 2), slice(None, None, -1), (slice(1, 3), slice(None), slice(1, 4))])
@pytest.mark.parametrize("name", ["float32", "bool", "complex128"])
def test_views_keep_the_order_of_columns(tmp_path: Path, name: str, key: Any) -> None:
    a = sample((4, 3, 5)).astype(name)
    x = suanzi.tensor(a, layout=(0, 1, 2))[key]
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.npz", {"x": x})
    stored = np.load(tmp_path / "x.npy")
    assert stored.flags.f_contiguous
    np.testing.assert_array_equal(stored, a[key])
    for loaded in (one(tmp_path / "x.npy"), several(tmp_path / "x.npz")["x"]):
        assert loaded.layout.order == x.layout.order == (0, 1, 2)


def test_views(tmp_path: Path) -> None:
    a = sample((4, 6))
    x = suanzi.tensor(a)[::-2, 1::2]
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.safetensors", {"x": x, "y": suanzi.expand(x, (2, 2, 3))})
    assert_same(one(tmp_path / "x.npy"), a[::-2, 1::2])
    assert_same(
        several(tmp_path / "x.safetensors")["y"], np.ascontiguousarray(np.broadcast_to(a[::-2, 1::2], (2, 2, 3)))
    )


def test_strings(tmp_path: Path) -> None:
    x = suanzi.tensor([["算子", ""], ["a longer one, past sixteen bytes", "é"]])
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.npz", {"x": x})
    for loaded in (one(tmp_path / "x.npy"), one(tmp_path / "x.npy", memory_map=True), several(tmp_path / "x.npz")["x"]):
        assert (loaded.dtype, loaded.tolist()) == (suanzi.string, x.tolist())
    with fails(InvalidArgumentError, "save"):
        suanzi.save(tmp_path / "x.npy", suanzi.tensor(["a\0"]))


def test_bools_of_others_memory(tmp_path: Path) -> None:
    """`save` writes 1 for each bool whose byte is not 0."""
    x = suanzi.from_reference(np.array([0, 1, 2, 255], np.uint8).view(bool))
    suanzi.save(tmp_path / "x.npy", x)
    suanzi.save(tmp_path / "x.safetensors", {"x": x})
    for file in ("x.npy", "x.safetensors"):
        assert (tmp_path / file).read_bytes().endswith(b"\0\1\1\1")


def test_other_byte_order(tmp_path: Path) -> None:
    a = np.arange(3, dtype=">i4")
    np.save(tmp_path / "x.npy", a)
    for mapped in (False, True):
        assert one(tmp_path / "x.npy", memory_map=mapped).tolist() == [0, 1, 2]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_npy(tmp_path: Path, version: tuple[int, int]) -> None:
    array = np.arange(6.0).reshape(2, 3)
    with (tmp_path / "x.npy").open("wb") as file:
        np.lib.format.write_array(file, array, version=version)
    assert suanzi.load(tmp_path / "x.npy").tolist() == array.tolist()


def test_mapped_memory(tmp_path: Path) -> None:
    """A tensor on mapped memory shows changes of the file, and outlives the file. A write copies the memory."""
    path = tmp_path / "x.npy"
    suanzi.save(path, suanzi.zeros(3))
    before = path.read_bytes()
    x = one(path, memory_map=True)
    assert x.allocator == "external"
    with path.open("r+b") as file:
        file.seek(-12, os.SEEK_END)
        file.write(np.float32(5).tobytes())
    assert x.tolist() == [5, 0, 0]
    x[1] = 7
    path.unlink()
    assert x.tolist() == [5, 7, 0]
    assert before.endswith(bytes(12))


def test_a_file_is_replaced_when_all_went_well(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    suanzi.save(path, {"x": suanzi.ones(3)})
    before = path.read_bytes()
    with fails(TypeMismatchError, "save"):
        suanzi.save(path, {"x": suanzi.zeros(3), "y": suanzi.zeros(2, dtype="complex128")})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_interrupt_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> Any:
        with open(*args):
            raise KeyboardInterrupt

    monkeypatch.setattr(files, "open", interrupted, raising=False)
    with pytest.raises(KeyboardInterrupt):
        suanzi.save(tmp_path / "x.npy", suanzi.ones(3))
    assert list(tmp_path.iterdir()) == []


def test_metadata(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    suanzi.save(path, {}, metadata={"一": "二"})
    assert several(path) == {}
    assert read_metadata(path) == {"一": "二"}
    suanzi.save(path, {})
    assert read_metadata(path) == {}
    assert path.read_bytes() == struct.pack("<Q", 8) + b"{}      "
    with fails(InvalidArgumentError, "save"):
        suanzi.save(tmp_path / "x.npz", {}, metadata={})
    for wrong in ({"a": 1}, {1: "a"}, "text", [("a", "b")]):
        with fails(TypeMismatchError, "save"):
            suanzi.save(path, {}, metadata=wrong)  # type: ignore[arg-type]


X = suanzi.ones(2)


@pytest.mark.parametrize(
    ("file", "tensors", "error"),
    [
        ("x.txt", X, InvalidArgumentError),
        ("x", X, InvalidArgumentError),
        ("x.npy", {"x": X}, TypeMismatchError),
        ("x.npy", np.ones(2), TypeMismatchError),
        ("x.npy", X.astype("bfloat16"), TypeMismatchError),
        ("x.npz", X, TypeMismatchError),
        ("x.npz", {"x": X.astype("bfloat16")}, TypeMismatchError),
        ("x.npz", {"x": [1]}, TypeMismatchError),
        ("x.npz", {1: X}, TypeMismatchError),
        ("x.npz", {"": X}, InvalidArgumentError),
        ("x.npz", {"a\0b": X}, InvalidArgumentError),
        ("x.safetensors", [X], TypeMismatchError),
        ("x.safetensors", {"x": suanzi.tensor(["a"])}, TypeMismatchError),
        ("x.safetensors", {"x": suanzi.to_sparse(X)}, TypeMismatchError),
        ("x.safetensors", {"__metadata__": X}, InvalidArgumentError),
        ("x.safetensors", {"\ud800": X}, InvalidArgumentError),
        ("missing/x.npy", X, InvalidArgumentError),
        ("a\0b.npy", X, InvalidArgumentError),
    ],
)
def test_what_cannot_be_saved(tmp_path: Path, file: str, tensors: Any, error: Any) -> None:
    with fails(error, "save"):
        suanzi.save(f"{tmp_path}/{file}", tensors)
    assert list(tmp_path.iterdir()) == []


def test_arrays_that_are_too_large_for_numpy(tmp_path: Path) -> None:
    """In NumPy's files, each string has the length of the longest string, and shapes have a limit without elements."""
    texts = suanzi.tensor(["a"] * (2 * 10**6) + ["b" * (2 * 10**7)])
    empty = suanzi.zeros((2**62, 0))
    for name, tensors in (("x.npy", lambda x: x), ("x.npz", lambda x: {"x": x})):
        with fails(AllocFailedError, "save") as error:
            suanzi.save(tmp_path / name, tensors(texts))
        assert "2000001" in str(error.value)
        with fails(InvalidArgumentError, "save"):
            suanzi.save(tmp_path / name, tensors(empty))
    assert list(tmp_path.iterdir()) == []


def test_arguments_that_are_none() -> None:
    for wrong in (3, None, b"x.npy"):
        with fails(TypeMismatchError, "save"):
            suanzi.save(wrong, X)  # type: ignore[call-overload]
        with fails(TypeMismatchError, "load"):
            suanzi.load(wrong)  # type: ignore[arg-type]
    with fails(TypeMismatchError, "load"):
        suanzi.load("x.npy", memory_map=1)  # type: ignore[arg-type]


def test_the_sort_of_file_that_is_expected(tmp_path: Path) -> None:
    one, many = tmp_path / "x.npy", tmp_path / "x.npz"
    suanzi.save(one, suanzi.ones(2))
    suanzi.save(many, {"x": suanzi.ones(2)})
    assert suanzi.load(one, named=False).tolist() == suanzi.load(many, named=True)["x"].tolist() == [1, 1]
    with fails(TypeMismatchError, "load"):
        suanzi.load(one, named=True)
    with pytest.raises(TypeMismatchError, match=r"x\.npz holds tensors by name, and named=False expects one tensor$"):
        suanzi.load(many, named=False)
    with fails(TypeMismatchError, "load"):
        suanzi.load(one, named=1)  # type: ignore[call-overload]


def test_archives_are_not_mapped(tmp_path: Path) -> None:
    suanzi.save(tmp_path / "x.npz", {"x": X})
    with fails(InvalidArgumentError, "load"):
        suanzi.load(tmp_path / "x.npz", memory_map=True)
    assert zipfile.ZipFile(tmp_path / "x.npz").namelist() == ["x.npy"]
