"""Tests of the array API's data types, and of the functions that describe the namespace."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samples import fails
from suanzi import InvalidArgumentError, SuanziError, TypeMismatchError
from suanzi import array_api as xp

pytestmark = pytest.mark.one_level

FLOATING = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("name", FLOATING)
def test_finfo(name: str) -> None:
    ours, theirs = xp.finfo(getattr(xp, name)), ml_dtypes.finfo(name)
    for field in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(ours, field) == float(getattr(theirs, field)), field
        assert type(getattr(ours, field)) is (int if field == "bits" else float)
    assert ours.dtype is getattr(xp, name)


def test_finfo_of_complex_types_is_that_of_their_parts() -> None:
    assert xp.finfo(xp.complex64) == xp.finfo(xp.float32)
    assert xp.finfo(xp.ones(2, dtype=xp.complex128)) == xp.finfo(xp.float64)
    with fails(TypeMismatchError, "finfo"):
        xp.finfo(xp.int8)


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo(name: str) -> None:
    ours, theirs = xp.iinfo(getattr(xp, name)), np.iinfo(name)
    assert ours == (theirs.bits, theirs.max, theirs.min, getattr(xp, name))
    with fails(TypeMismatchError, "iinfo"):
        xp.iinfo(xp.bool)


@pytest.mark.parametrize(
    ("operands", "name"),
    [
        *(((xp.int8, xp.uint8), "int16"), ((xp.uint8, xp.uint16), "uint16"), ((xp.float32, xp.float64), "float64")),
        *(((xp.float32, xp.complex64), "complex64"), ((xp.float64, xp.complex64), "complex128")),
        *(((xp.int8, 1000), "int8"), ((xp.float32, 1), "float32"), ((1j, xp.float64), "complex128")),
        *(((True, xp.int8, 3), "int8"), ((xp.int8, 1.5), "float64"), ((1j, xp.uint8, xp.bool), "complex128")),
        *(((xp.bool, 1.5, 1), "float64"), ((xp.int8, xp.float32, 1.5), "float32"), ((float, xp.float32), "float64")),
        *(((xp.float16, xp.bfloat16), "float32"), ((xp.ones(2), xp.float64), "float64")),
    ],
    ids=str,
)
def test_result_type(operands: tuple[Any, ...], name: str) -> None:
    assert xp.result_type(*operands).name == name
    assert xp.result_type(*reversed(operands)).name == name


@pytest.mark.parametrize(
    ("operands", "error"),
    [((), InvalidArgumentError), ((1, 2.0), InvalidArgumentError), ((xp.uint64, xp.int8), TypeMismatchError)],
    ids=str,
)
def test_no_result_type(operands: tuple[Any, ...], error: type[SuanziError]) -> None:
    """`result_type` raises an error without operands, for scalars alone, and for types without a common type."""
    with fails(error, "result_type"):
        xp.result_type(*operands)


def test_can_cast() -> None:
    assert xp.can_cast(xp.int8, xp.int16)
    assert xp.can_cast(xp.ones(1), xp.float64)
    assert not xp.can_cast(xp.int16, xp.int8)
    assert not xp.can_cast(xp.uint64, xp.int64)
    assert not xp.can_cast(xp.complex64, xp.float64)


def test_isdtype() -> None:
    assert xp.isdtype(xp.bfloat16, "real floating")
    assert xp.isdtype(xp.int8, ("bool", "numeric"))
    assert xp.isdtype(xp.int8, xp.int8)
    assert not xp.isdtype(xp.bool, "numeric")
    assert not xp.isdtype(xp.int8, (xp.int16, "unsigned integer"))
    with fails(InvalidArgumentError, "isdtype"):
        xp.isdtype(xp.int8, "integer")


def test_the_namespace_tells_of_itself() -> None:
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.devices() == (info.default_device(),)
    for name, dtype in info.dtypes().items():
        assert getattr(xp, name) is dtype
    assert len(info.dtypes()) == 13
    assert list(info.dtypes(kind="real floating")) == ["float32", "float64"]
    assert list(info.dtypes(kind=("bool", "complex floating"))) == ["bool", "complex64", "complex128"]
    defaults = info.default_dtypes(device="cpu")
    assert defaults["integral"] is defaults["indexing"] is xp.arange(2).dtype is xp.int64
    assert defaults["real floating"] is xp.ones(2).dtype is xp.float64
    assert defaults["complex floating"] is xp.asarray(1j).dtype is xp.complex128
    with fails(InvalidArgumentError, "dtypes"):
        info.dtypes(device="gpu")


def test_a_tensor_leads_to_the_namespace() -> None:
    x = xp.ones(2)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2025.12") is x.__array_namespace__(api_version="2021.12") is xp
    wrong: Any
    for wrong in ("2020.10", "", 2025, np.array([1, 2]), ["2025.12"]):
        with fails(InvalidArgumentError, "__array_namespace__"):
            x.__array_namespace__(api_version=wrong)
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (np.e, np.pi, np.inf, None)
    assert np.isnan(xp.nan)
