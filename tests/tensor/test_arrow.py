"""Tests of conversions to and from Arrow arrays by the PyCapsule interface, without pyarrow (see `tests/clients`)."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import NAMES, destroyed, fails, sample, shares_memory
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, TypeMismatchError

pytestmark = pytest.mark.one_level

KNOWN = [name for name in NAMES if name != "bfloat16" and not name.startswith("complex")]


class Exporter:
    """An object that exports a tensor as an Arrow array and has no other interface, like another library's object."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.x.__arrow_c_array__(requested_schema)


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private", ctypes.c_void_p),
]


def structure(capsule: Any, kind: Any) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = {Schema: b"arrow_schema", Array: b"arrow_array"}[kind]
    return ctypes.cast(get(capsule, name), ctypes.POINTER(kind)).contents


class Changed(Exporter):
    """An exporter that lets a function change the schema and the array to the form that another library exports."""

    def __init__(self, x: Tensor, change: Any) -> None:
        super().__init__(x)
        self.change = change

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        capsules = self.x.__arrow_c_array__()
        self.kept = self.change(structure(capsules[0], Schema), structure(capsules[1], Array))
        return capsules


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("shape", [(7,), (2, 3), (2, 1, 3), (0,), (0, 3), (3, 0)])
def test_there_and_back(name: str, shape: tuple[int, ...]) -> None:
    x = suanzi.tensor(sample(shape, name))
    found = suanzi.tensor(Exporter(x))
    assert found.shape == shape
    assert found.dtype is x.dtype
    assert found.tolist() == x.tolist()
    if name != "bool" and x.size:
        shared = suanzi.from_reference(Exporter(x))
        assert shares_memory(shared, x)
        assert not shared.numpy().flags.writeable


def test_strings() -> None:
    for values in (["算子", "", "a" * 100], [["a", "b"], ["c", "d"]]):
        x = suanzi.tensor(values)
        assert suanzi.tensor(Exporter(x)).tolist() == values
        with fails(InvalidArgumentError, "from_reference"):
            suanzi.from_reference(Exporter(x))


def test_other_layouts_are_copied() -> None:
    a = np.arange(12.0).reshape(3, 4)
    for array in (a[::-1, ::2], a.T, a[:, 1:3], np.broadcast_to(a[0], (2, 4))):
        x = suanzi.from_reference(array)
        assert suanzi.tensor(Exporter(x)).tolist() == array.tolist()
    part = suanzi.from_reference(a.ravel()[5:9])
    assert shares_memory(suanzi.from_reference(Exporter(part)), part)


def test_formats() -> None:
    for name, text in (("float16", b"e"), ("uint64", b"L"), ("bool", b"b"), ("int8", b"c")):
        schema, _ = suanzi.zeros(2, dtype=name).__arrow_c_array__()
        assert structure(schema, Schema).format == text
    nested = suanzi.zeros((2, 3, 4)).__arrow_c_schema__()
    outer = structure(nested, Schema)
    assert outer.format == b"+w:3"
    assert outer.children[0].contents.format == b"+w:4"
    assert outer.children[0].contents.children[0].contents.format == b"f"


def test_what_is_not_exported() -> None:
    for x in (suanzi.zeros(2, dtype="bfloat16"), suanzi.zeros(2, dtype="complex64")):
        with fails(TypeMismatchError, "__arrow_c_array__"):
            x.__arrow_c_array__()
    with fails(DimensionsMismatchError, "__arrow_c_array__"):
        suanzi.tensor(1.0).__arrow_c_array__()
    with fails(DimensionsMismatchError, "__arrow_c_schema__"):
        suanzi.tensor(1.0).__arrow_c_schema__()
    with fails(suanzi.UninitializedObjectError, "__arrow_c_array__"):
        destroyed().__arrow_c_array__()


def with_nulls(schema: Schema, array: Array) -> Any:
    bitmap = ctypes.create_string_buffer(b"\x05")
    array.null_count = -1  # -1 is Arrow's mark for an unknown number of nulls
    array.buffers[0] = ctypes.addressof(bitmap)
    return bitmap


def test_nulls_are_refused() -> None:
    with fails(InvalidArgumentError, "tensor") as error:
        suanzi.tensor(Changed(suanzi.ones(4), with_nulls))
    assert "2 of 4" in str(error.value)
    assert "fill_null" in str(error.value)
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference(Changed(suanzi.ones(4), with_nulls))
    assert suanzi.tensor(Changed(suanzi.ones(1), with_nulls)).tolist() == [1]  # the first element is not null


class Column(Changed):
    """Arrow arrays of pyarrow and polars become NumPy arrays with NaN for nulls."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array([1, np.nan, 1, np.nan], dtype)


def test_nulls_in_lists_are_refused() -> None:
    for data in ([Column(suanzi.ones(4), with_nulls)], (np.ones(4), Column(suanzi.ones(4), with_nulls))):
        with fails(InvalidArgumentError, "tensor") as error:
            suanzi.tensor(data)
        assert "2 of 4" in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"tdD", "int64"),
        (b"+l", "fixed_size_list"),
        (b"z", "bytes"),
        (b"n", "nulls"),
        (b"d:5,2", "float64"),
        (b"?", "?"),
    ],
)
def test_types_that_there_are_not(text: bytes, words: str) -> None:
    def change(schema: Schema, array: Array) -> Any:
        schema.format = text

    with fails(TypeMismatchError, "tensor") as error:
        suanzi.tensor(Changed(suanzi.ones(2), change))
    assert words in str(error.value)


def test_damaged_arrays() -> None:
    def shorter(schema: Schema, array: Array) -> None:
        array.children[0].contents.length = 1

    def negative(schema: Schema, array: Array) -> None:
        array.length = -1

    def without(schema: Schema, array: Array) -> None:
        array.n_buffers = 0

    def elsewhere(schema: Schema, array: Array) -> None:
        array.buffers[1] = None

    for x, change in (
        (suanzi.ones((2, 3)), shorter),
        (suanzi.ones(3), negative),
        (suanzi.ones(3), without),
        (suanzi.ones(3), elsewhere),
    ):
        with fails(InvalidArgumentError, "tensor"):
            suanzi.tensor(Changed(x, change))
    schema, array = suanzi.ones(3).__arrow_c_array__()

    class Used:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return schema, array

    assert suanzi.tensor(Used()).tolist() == [1, 1, 1]
    with fails(InvalidArgumentError, "tensor"):  # the array has already been consumed
        suanzi.tensor(Used())

    class Wrong:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return array, schema

    with fails(TypeMismatchError, "tensor"):
        suanzi.tensor(Wrong())


def test_memory_is_kept_and_given_back() -> None:
    """A schema or an array is released once: by the tensor that imports the object, or by an unused capsule."""
    size = 1 << 20
    before = in_use()
    x = suanzi.ones(size)
    shared = suanzi.from_reference(Exporter(x))
    x.destroy()
    assert shared[size - 1].item() == 1
    assert in_use() - before >= 4 * size
    del shared
    for _ in range(20):
        unused = suanzi.ones((size // 64, 64)).__arrow_c_array__()
        del unused
        strings = suanzi.tensor(["a" * 1000] * 100).__arrow_c_array__()
        del strings
        suanzi.tensor(Exporter(suanzi.ones(size, dtype="bool")))
    gc.collect()
    assert in_use() - before < size


def in_use() -> int:
    return int(suanzi._core.memory_statistics()["in_use"])
