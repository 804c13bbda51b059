"""Tests of element types (6.2): their attributes, their names, and the promotion of two types."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import NAMES, fails
from suanzi import DType, TypeMismatchError
from suanzi.tensor.dtypes import DTYPES, NUMBERS

CLAUSE_6_2 = {
    "unsigned integer": {8, 16, 32, 64},
    "signed integer": {8, 16, 32, 64},
    "real floating": {16, 32, 64},
    "complex floating": {64, 128},
    "bool": {8},
}
FLOATING = ("float16", "bfloat16", "float32", "float64")


def test_the_types_of_the_standard() -> None:
    for kind, bits in CLAUSE_6_2.items():
        assert {8 * dtype.itemsize for dtype in DTYPES if dtype.kind_name == kind} == bits
    assert sorted(dtype.name for dtype in DTYPES) == sorted((*NAMES, "string"))
    assert len(set(DTYPES)) == len(DTYPES) == 16
    assert [dtype.code for dtype in DTYPES] == list(range(16))
    assert (*NUMBERS, suanzi.string) == DTYPES


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_attributes(dtype: DType) -> None:
    assert getattr(suanzi, dtype.name) is dtype
    assert repr(dtype) == f"suanzi.{dtype}"
    assert dtype.numpy.itemsize == dtype.itemsize == suanzi.zeros(1, dtype=dtype).itemsize
    assert dtype.is_integer == (dtype.numpy.kind in "iu")
    assert dtype.byteorder == dtype.numpy.byteorder
    assert dtype.names is dtype.numpy.names
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        assert dtype.limits == (info.min, info.max)
    x = suanzi.zeros((2, 3), dtype=dtype)
    assert (x.dtype, x.nbytes, x.size, x.ndim) == (dtype, 6 * dtype.itemsize, 6, 2)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_names(dtype: DType) -> None:
    for value in (dtype, dtype.name, dtype.numpy, dtype.numpy.type):
        assert suanzi.as_dtype(value) is dtype


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (bool, "bool"),
        (int, "int64"),
        (float, "float32"),
        (complex, "complex64"),
        (np.longlong, "int64"),
        (np.intc, "int32"),
        (np.intp, "int64"),
        (str, "string"),
        (np.str_, "string"),
        (np.dtype("U3"), "string"),
        (np.array(["a"]).astype("T").dtype, "string"),
    ],
)
def test_other_names(value: Any, name: str) -> None:
    assert suanzi.as_dtype(value).name == name


@pytest.mark.parametrize(
    "value",
    [
        *("float128", "", "Float32", None, 3, [], object, bytes, np.bytes_, np.ndarray, suanzi.Tensor),
        *(np.longdouble, np.clongdouble, np.floating, np.number),
        *(np.dtype("M8[s]"), np.dtype("V3"), np.dtype([("a", "f4")])),
    ],
    ids=str,
)
def test_what_is_no_element_type(value: Any) -> None:
    with fails(TypeMismatchError, "as_dtype"):
        suanzi.as_dtype(value)
    if value is not None:
        with fails(TypeMismatchError, "zeros"):
            suanzi.zeros(2, dtype=value)
    with fails(TypeMismatchError, "astype"):
        suanzi.astype(suanzi.zeros(2), value)


def expected_promotion(a: str, b: str) -> str | None:
    """Return the promoted type by the rules of docs/guide.md, or None if no type is common.

    Two types of one kind are promoted as in the array API. Of an integer type and a floating type, the floating type is
    the result.
    """
    kinds = suanzi.as_dtype(a).kind_name, suanzi.as_dtype(b).kind_name
    if a == b:
        return a
    if "string" in kinds:
        return None
    if "bool" in kinds:
        return b if kinds[0] == "bool" else a
    integers = [kind.endswith("integer") for kind in kinds]
    if all(integers):
        return None if "uint64" in (a, b) and kinds[0] != kinds[1] else np.promote_types(a, b).name
    if any(integers):
        return b if integers[0] else a
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    wide = {"bfloat16": "float16"}
    if "complex floating" in kinds:
        return "complex128" if {"float64", "complex128"} & {a, b} else "complex64"
    return np.promote_types(wide.get(a, a), wide.get(b, b)).name


@pytest.mark.one_level
@pytest.mark.parametrize("a", DTYPES, ids=str)
@pytest.mark.parametrize("b", DTYPES, ids=str)
def test_promotion(a: DType, b: DType) -> None:
    expected = expected_promotion(a.name, b.name)
    x, y = suanzi.zeros(2, dtype=a), suanzi.zeros(2, dtype=b)
    if expected is None:
        with fails(TypeMismatchError, "equal"):
            suanzi.equal(x, y)
        return
    assert suanzi.where(True, x, y).dtype.name == expected


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_python_numbers_do_not_widen(dtype: DType) -> None:
    x = suanzi.ones(2, dtype=dtype)
    floating, is_complex = dtype.kind_name == "real floating", dtype.kind_name == "complex floating"
    assert (x * True).dtype is dtype
    assert (x * 2).dtype is (suanzi.int64 if dtype is suanzi.bool else dtype)
    assert (x * 2.5).dtype is (dtype if floating or is_complex else suanzi.float32)
    wide = dtype in (suanzi.float64, suanzi.complex128)
    assert (x * 1j).dtype is (suanzi.complex128 if wide else suanzi.complex64)


@pytest.mark.parametrize("source", NUMBERS, ids=str)
@pytest.mark.parametrize("target", NUMBERS, ids=str)
def test_astype(source: DType, target: DType) -> None:
    values = [0, 1, 100, 1, 0]
    x = suanzi.tensor(values, dtype=suanzi.uint8).astype(source)
    if source.kind_name == "complex floating" and target.kind_name not in ("complex floating", "bool"):
        with fails(TypeMismatchError, "astype"):
            x.astype(target)
        return
    y = x.astype(target)
    assert y.dtype is target
    truth = "bool" in (source.name, target.name)
    assert y.tolist() == [v != 0 if truth else v for v in values]
    assert (suanzi.astype(x, target, copy=False) is x) == (source is target)
    assert suanzi.astype(x, target) is not x


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_numpy_takes_them_for_its_own(dtype: DType) -> None:
    theirs = dtype.numpy
    assert np.dtype(dtype) == theirs
    assert np.zeros(2, dtype).dtype == theirs
    for one in (theirs, theirs.type, dtype.name, dtype):
        assert dtype == one
        assert one == dtype
        assert (dtype != one) is False
    assert hash(dtype) == hash(theirs)
    assert {theirs: "found"}[dtype] == {dtype: "found"}[theirs] == "found"
    assert (dtype.itemsize, dtype.name) == (theirs.itemsize, theirs.name)
    assert dtype.kind == ("f" if dtype is suanzi.bfloat16 else theirs.kind)
    assert dtype.type is theirs.type


def test_what_they_do_not_equal() -> None:
    for one in DTYPES:
        assert [other for other in DTYPES if one == other] == [one]
    for value in (np.float64, "float64", "float", float, None, 3, object(), np.zeros(2, np.float32), suanzi.ones(2)):
        assert (suanzi.float32 == value) is False
        assert (suanzi.float32 != value) is True


def test_of_pythons_types_bool_alone_is_equal() -> None:
    """No element type except `suanzi.bool` equals a Python type. Libraries recognise masks by `dtype == bool`."""
    for kind in (bool, int, float, complex, str):
        assert [dtype for dtype in DTYPES if dtype == kind] == [suanzi.bool] * (kind is bool)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        *(("f4", "float32"), ("=f8", "float64"), ("i2", "int16"), ("d", "float64"), ("u1", "uint8")),
        *(("c8", "complex64"), ("?", "bool"), ("half", "float16"), ("U5", "string")),
    ],
)
def test_codes_of_numpy(code: str, name: str) -> None:
    assert suanzi.as_dtype(code).name == name
    assert suanzi.zeros(1, dtype=code).dtype.name == name


@pytest.mark.parametrize("code", ["float", "int", "complex", "f3", "f16", "O", "S3", "M8[s]", "i4,i4", "torch.float32"])
def test_codes_that_name_no_type_of_ours(code: str) -> None:
    with fails(TypeMismatchError, "as_dtype"):
        suanzi.as_dtype(code)


class PyTorchType:
    """A replacement for an element type of PyTorch, which the tests do not install. Suanzi reads the class name and
    the text of a type.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


PyTorchType.__name__ = "dtype"


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_types_of_pytorch(dtype: DType) -> None:
    assert suanzi.as_dtype(PyTorchType(dtype.name)) is dtype  # type: ignore[arg-type]


def test_types_of_pytorch_that_are_none_of_ours() -> None:
    with fails(TypeMismatchError, "as_dtype"):
        suanzi.as_dtype(PyTorchType("float8_e5m2"))  # type: ignore[arg-type]


if importlib.util.find_spec("torch"):

    def test_types_of_pytorch_itself() -> None:
        import torch

        for dtype in NUMBERS:
            assert suanzi.as_dtype(getattr(torch, dtype.name)) is dtype
