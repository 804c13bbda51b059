"""Members of tensors that libraries for NumPy call, such as `flat` and `cumsum`, agree with the members of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails, shares_memory
from suanzi import InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError

pytestmark = pytest.mark.one_level

A: Any = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.T,
    "a part": lambda x: x[:, 1:, ::-2],
    "a column": lambda x: x[0, :, 1],
    "a number": lambda x: x[1, 1, 1],
    "nothing": lambda x: x[:0],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_flat(name: str) -> None:
    x = LAYOUTS[name](suanzi.tensor(A))
    array: Any = np.asarray(LAYOUTS[name](A.copy()))
    assert list(x.flat) == list(array.flat)
    assert len(x.flat) == array.size
    np.testing.assert_array_equal(np.asarray(x.flat), array.ravel())
    if array.size:
        assert x.flat[-1] == array.flat[-1]
        np.testing.assert_array_equal(x.flat[1:3], array.flat[1:3])
        x.flat[0] = array.flat[0] = -1
        np.testing.assert_array_equal(x.numpy(), array)
        for values in ([7.0], [1.0, 2.0], suanzi.arange(100, dtype="float64"), 3):
            x.flat = values
            array.flat = values
            np.testing.assert_array_equal(x.numpy(), array)


def test_what_flat_refuses() -> None:
    x = suanzi.tensor([1, 2], dtype="int8")
    with fails(InvalidArgumentError, "flat"):
        x.flat = []
    assert x.tolist() == [1, 2]
    texts = suanzi.tensor(["a", "b"])
    assert list(texts.flat) == ["a", "b"]
    with pytest.raises(ValueError, match="read-only"):  # the array is a copy
        texts.flat[0] = "c"
    texts.flat = ["c"]
    assert texts.tolist() == ["c", "c"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_flags(name: str) -> None:
    flags: Any = LAYOUTS[name](suanzi.tensor(A)).flags
    expected: Any = np.asarray(LAYOUTS[name](A.copy())).flags
    texts: Any = LAYOUTS[name](suanzi.tensor(A.astype(str))).flags
    assert (texts.c_contiguous, texts.f_contiguous) == (expected.c_contiguous, expected.f_contiguous)
    for flag in ("c_contiguous", "f_contiguous", "contiguous", "fnc", "forc", "writeable", "aligned"):
        assert getattr(flags, flag) == getattr(expected, flag)
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "C", "F", "WRITEABLE"):
        assert flags[flag] == expected[flag]
    assert "C_CONTIGUOUS" in repr(flags)
    x: Any = LAYOUTS[name](suanzi.tensor(A))
    assert np.isfortran(x) == np.isfortran(LAYOUTS[name](A))


def test_flags_are_fixed() -> None:
    x = suanzi.ones(3)
    with fails(InvalidArgumentError, "flags"):
        x.flags.writeable = False
    with pytest.raises(KeyError):
        x.flags["COLOUR"]
    assert not hasattr(x.flags, "colour")
    read_only = np.ones(3)
    read_only.flags.writeable = False
    assert not suanzi.from_reference(read_only).flags.writeable


@pytest.mark.parametrize("name", LAYOUTS)
def test_data(name: str) -> None:
    x = LAYOUTS[name](suanzi.tensor(A))
    array = np.asarray(LAYOUTS[name](A.copy()))
    assert (x.data.format, x.data.shape, x.data.strides) == (array.data.format, array.data.shape, array.data.strides)
    assert x.data.tobytes() == array.data.tobytes()
    assert shares_memory(suanzi.from_reference(np.asarray(x.data)), x) or not x.size


@pytest.mark.parametrize("values", [suanzi.tensor(["a"]), suanzi.ones(1, dtype="bfloat16")])
def test_elements_without_a_buffer(values: Tensor) -> None:
    assert not hasattr(values, "data")
    with fails(TypeMismatchError, "data"):
        _ = values.data


def test_conjugate() -> None:
    assert suanzi.tensor([1 + 2j]).conjugate().tolist() == [1 - 2j]
    assert suanzi.tensor([1.5]).conjugate().tolist() == [1.5]
    assert suanzi.to_sparse(suanzi.tensor([0, 1j])).conjugate().to_dense().tolist() == [0, -1j]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float64"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_cumsum(axis: int | None, dtype: Any) -> None:
    x, array = suanzi.tensor(A).astype(dtype), A.astype(dtype)
    for part, of_array in ((x, array), (x.T, array.T), (x[0, 0], array[0, 0])):
        found, expected = part.cumsum(axis), of_array.cumsum(axis)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected)
    assert x.cumsum(dtype="float32").dtype is suanzi.float32
    out = suanzi.zeros(24, dtype=x.cumsum().dtype)
    assert x.cumsum(out=out) is out
    assert out.tolist() == array.cumsum().tolist()


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, 2])
def test_take(axis: int | None, mode: Any) -> None:
    size = A.size if axis is None else A.shape[axis]
    places = np.array([[0, size - 1], [-1, 1]])
    outside = np.array([size, 3 * size + 1, -size - 1, -7 * size])
    x: Any = suanzi.tensor(A)
    for given in (places,) if mode == "raise" else (places, outside, outside[:0]):
        expected = A.take(given, axis, mode=mode)
        for indices in (given, suanzi.tensor(given)):
            np.testing.assert_array_equal(x.take(indices, axis, mode).numpy(), expected)
            np.testing.assert_array_equal(np.asarray(np.take(x, indices, axis=axis, mode=mode)), expected)
    if mode == "raise":
        with fails(OutOfRangeError, "take"):
            x.take(outside, axis)
    narrow = suanzi.tensor([200], dtype="uint8")
    if mode != "raise":
        for far in (-5, 7, np.int16(300)):
            assert np.asarray(x.take(far, axis, mode)).tolist() == A.take(far, axis, mode=mode).tolist()
        assert x.take(narrow, axis, mode).tolist() == A.take([200], axis, mode=mode).tolist()
        great = 2**63 + 1
        nearest = size - 1 if mode == "clip" else great % size
        assert x.take(suanzi.tensor([great], dtype="uint64"), axis, mode).tolist() == A.take([nearest], axis).tolist()


def test_what_take_refuses() -> None:
    x = suanzi.tensor(A)
    with fails(InvalidArgumentError, "take"):
        x.take(0, mode="nearest")
    with fails(TypeMismatchError, "take"):
        x.take(suanzi.tensor([0.5]), mode="clip")
    for mode in ("clip", "wrap"):
        with fails(OutOfRangeError, "take"):
            x[:0].take(0, mode=mode)  # type: ignore[call-overload]
        with fails(TypeMismatchError, "take"):
            x.take(True, mode=mode)  # type: ignore[call-overload]


def test_what_astype_refuses() -> None:
    astype: Any = suanzi.Tensor.astype
    with fails(TypeMismatchError, "astype"):
        astype(np.array([1, 2]), "int8")
    q = suanzi.quantize(suanzi.tensor([1.0, 2.0]), 0.5, dtype="qint8")
    assert q.astype("float64", order="C").tolist() == [1, 2]


@pytest.mark.parametrize("shape", [(4,), (4, 2), (3, 4, 2), ()])
def test_dot_with_an_array(shape: tuple[int, ...]) -> None:
    other = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    np.testing.assert_array_equal(suanzi.tensor(A).dot(other).numpy(), A.dot(other))
    with fails(TypeMismatchError, "dot"):
        suanzi.dot(suanzi.tensor(A), other)  # type: ignore[call-overload]


def test_take_and_dot_refuse_other_memory() -> None:
    x = suanzi.tensor([1.0, 2.0])
    for bad in (b"ab", bytearray(b"ab"), memoryview(b"ab")):
        with fails(TypeMismatchError, "dot"):
            x.dot(bad)
        with fails(TypeMismatchError, "take"):
            x.take(bad)


@pytest.mark.parametrize("shape", [6, np.int64(6), -1, (3, np.int64(2)), np.array([3, 2]), (3, -1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_shapes_of_reshape_by_columns(shape: Any, order: str) -> None:
    array = np.arange(6.0).reshape(2, 3)
    found = suanzi.tensor(array).reshape(shape, order=order)  # type: ignore[call-overload]
    np.testing.assert_array_equal(found.numpy(), array.reshape(shape, order=order))  # type: ignore[call-overload]
