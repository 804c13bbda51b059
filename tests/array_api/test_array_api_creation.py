"""Tests of the array API's creation functions: inferred element types, and memory that results share with arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, OutOfRangeError, SuanziError, TypeMismatchError
from suanzi import array_api as xp


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *((True, "bool"), (1, "int64"), (1.0, "float64"), (1j, "complex128")),
        *(([True, False], "bool"), ([True, 2], "int64"), ([1, 2.5], "float64"), ([1, 2.5, 1j], "complex128")),
        *(([[1], [2]], "int64"), ([], "float64"), (np.float32(1), "float32"), (np.arange(3, dtype="int16"), "int16")),
        *((np.zeros((2, 0)), "float64"), (2**63, "uint64"), (bytearray(b"ab"), "uint8"), (["a"], "string")),
    ],
    ids=str,
)
def test_asarray_finds_the_type(value: Any, name: str) -> None:
    x = xp.asarray(value)
    assert x.dtype.name == name
    assert x.shape == np.shape(value if not isinstance(value, bytearray) else list(value))


def test_asarray_shares_or_copies() -> None:
    array = np.arange(4.0)
    x = xp.asarray(array)
    x[0] = 7
    assert array[0] == 7
    assert xp.asarray(x) is x
    assert xp.asarray(array, copy=False)[0] == 7
    copies = (xp.asarray(array, copy=True), xp.asarray(x, copy=True), xp.asarray(array, dtype=xp.float32))
    array[1] = 8
    assert [float(y[1]) for y in copies] == [1, 1, 1]
    backwards = np.arange(3.0)[::-1]
    assert xp.asarray(backwards).tolist() == [2, 1, 0]
    swapped = array.astype(array.dtype.newbyteorder())
    assert xp.asarray(swapped).tolist() == array.tolist()
    for refused in ([1.0], 1.0, swapped):
        with fails(InvalidArgumentError, "asarray"):
            xp.asarray(refused, copy=False)
    with fails(InvalidArgumentError, "asarray"):
        xp.asarray(array, dtype=xp.float32, copy=False)


def test_numbers_past_a_floating_type_become_infinite_and_past_an_integer_type_fail() -> None:
    assert xp.asarray([1e300, -1e300], dtype=xp.float32).tolist() == [float("inf"), -float("inf")]
    assert xp.full(2, 1e300, dtype=xp.float32).tolist() == [float("inf")] * 2
    assert xp.full(2, 1e300).tolist() == [1e300] * 2
    with fails(OutOfRangeError, "asarray"):
        xp.asarray([300], dtype=xp.int8)


@pytest.mark.parametrize(("value", "name"), [(True, "bool"), (3, "int64"), (3.0, "float64"), (3j, "complex128")])
def test_full(value: Any, name: str) -> None:
    assert xp.full((2,), value).dtype.name == name
    assert xp.full((2,), value).tolist() == [value] * 2
    assert xp.full(2, value, dtype=xp.complex64).dtype is xp.complex64


def test_arange_and_linspace() -> None:
    assert xp.arange(3).dtype is xp.int64
    assert xp.arange(3.0).dtype is xp.arange(0, 3, 0.5).dtype is xp.float64
    assert xp.arange(3, dtype=xp.uint8).tolist() == [0, 1, 2]
    assert xp.arange(5, 1, -2).tolist() == [5, 3]
    assert xp.linspace(0, 1, 0).shape == (0,)
    assert xp.linspace(0, 8, 4, endpoint=False).tolist() == [0, 2, 4, 6]
    assert xp.linspace(0, 8, 0, endpoint=False).shape == (0,)
    assert xp.linspace(0, 1j, 3).dtype is xp.complex128
    assert xp.linspace(0, 1, 7).tolist() == [i / 6 for i in range(7)]
    with fails(InvalidArgumentError, "linspace"):
        xp.linspace(0, 1, -1, endpoint=False)


@pytest.mark.parametrize("k", [0, 1, -2, 3, -3, 2**63, -(2**70)])
def test_eye(k: int) -> None:
    np.testing.assert_array_equal(xp.eye(2, 3, k=k).numpy(), np.eye(2, 3, max(-9, min(k, 9))), strict=True)


@pytest.mark.parametrize(
    ("create", "wanted"),
    [
        *((xp.zeros, np.zeros(3)), (xp.ones, np.ones(3)), (xp.fft.fftfreq, np.fft.fftfreq(3))),
        (xp.fft.rfftfreq, np.fft.rfftfreq(3)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_without_a_type_numbers_are_float64(create: Any, wanted: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal(create(3).numpy(), wanted, strict=True)
    np.testing.assert_array_equal(create(3, dtype=xp.float32).numpy(), wanted.astype(np.float32), strict=True)


def test_what_takes_its_type_from_a_tensor_keeps_it() -> None:
    x = xp.ones(2, dtype=xp.float32)
    assert xp.empty(2).dtype is xp.float64
    for y in (
        xp.zeros_like(x),
        xp.full_like(x, 0.5),
        xp.asarray(x),
        xp.full(2, x[0]),
        xp.mean(x),
        x * 0.5,
        x / 3,
        x * 2,
    ):
        assert y.dtype is xp.float32
    assert (x * 1j).dtype is xp.complex64
    assert xp.result_type(x, 1.5) is xp.float32


def test_suanzi_itself_keeps_to_its_own_standard() -> None:
    assert suanzi.zeros(2).dtype is suanzi.eye(2).dtype is suanzi.fft.fftfreq(2).dtype is suanzi.float32
    assert suanzi.mean(suanzi.ones(2, dtype="int8")).dtype is suanzi.float32
    assert suanzi.tensor(1j).dtype is suanzi.complex64
    assert suanzi.arange(3).dtype is suanzi.full(2, 7).dtype is suanzi.tensor([1]).dtype is suanzi.float32


def test_devices() -> None:
    x = xp.ones(2)
    assert x.to_device("cpu") is x
    assert x.to_device(x.device) is x
    assert xp.astype(x, xp.float64, device=x.device).dtype is xp.float64
    assert xp.from_dlpack(np.ones(2), device="cpu").tolist() == [1, 1]
    for call in (lambda: x.to_device("gpu"), lambda: x.to_device("cpu", stream=1), lambda: xp.arange(3, device="gpu")):
        with fails(InvalidArgumentError, "to_device", "arange"):
            call()
    with pytest.raises(BufferError, match="from_dlpack"):
        xp.from_dlpack(np.ones(2), device="gpu")


class _OfNoArray:
    """An object with a protocol method that returns no array, or raises an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> Any:
        if self.error is not None:
            raise self.error
        return 3


_ITSELF: list[Any] = [1]
_ITSELF.append(_ITSELF)
_NESTED: list[Any] = []
for _ in range(2000):
    _NESTED = [_NESTED]


@pytest.mark.parametrize(
    "value",
    [
        *([[1], [2, 3]], _ITSELF, _NESTED, range(2**62)),
        *(_OfNoArray(), _OfNoArray(RuntimeError("no")), _OfNoArray(BufferError("no")), _OfNoArray(TypeError("no"))),
    ],
    ids=["ragged", "itself", "nested", "endless", "no array", "RuntimeError", "BufferError", "TypeError"],
)
def test_values_that_numpy_does_not_convert(value: Any) -> None:
    with fails(SuanziError, "full"):
        xp.full(2, value)
    with fails(TypeMismatchError, "arange"):
        xp.arange(value)
    with fails(TypeMismatchError, "linspace"):
        xp.linspace(0, value, 4)
