"""Tests of the array interface, the bytes, NumPy's parameters of `astype` and `view`, and the HTML of tensors."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import NAMES, destroyed, fails, sample
from suanzi import InvalidArgumentError, TypeMismatchError, UninitializedObjectError

pytestmark = pytest.mark.one_level


class Holder:
    """An object that exports a tensor's elements by NumPy's array interface and no other protocol."""

    def __init__(self, x: Any) -> None:
        self.__array_interface__ = x.__array_interface__
        self.x = x


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bfloat16"])
def test_interface(name: str) -> None:
    a = sample((3, 4), name)
    for array in (a, a[::-1, ::2], a.T, a[1:, 1], a[:0]):
        x = suanzi.from_reference(array)
        interface = x.__array_interface__
        assert interface["typestr"] == a.dtype.str
        assert (interface["strides"] is None) == array.flags.c_contiguous
        shared = np.asarray(Holder(x))
        np.testing.assert_array_equal(shared, array)
        assert not array.size or np.shares_memory(shared, array)
    frozen = a.copy()
    frozen.flags.writeable = False
    assert suanzi.from_reference(frozen).__array_interface__["data"][1]
    assert suanzi.broadcast_to(suanzi.tensor(a[0]), (2, 4)).__array_interface__["data"][1]


def test_memory_stays_for_who_knows_the_address() -> None:
    x = suanzi.full(1000, 7.0)
    address = x.__array_interface__["data"][0]
    x.destroy()
    suanzi.zeros(1000)  # a new tensor would use the memory if it were free
    assert ctypes.c_float.from_address(address).value == 7
    watched = weakref.ref(x)
    del x
    gc.collect()
    assert watched() is None
    with fails(UninitializedObjectError, "__array_interface__"):
        _ = destroyed().__array_interface__


def test_types_without_interface() -> None:
    for x, word in ((suanzi.ones(2, dtype="bfloat16"), "bfloat16"), (suanzi.tensor(["a"]), "strings")):
        with fails(TypeMismatchError, "__array_interface__") as error:
            _ = x.__array_interface__
        assert word in str(error.value)
        assert not hasattr(x, "__array_interface__")
        assert np.asarray(x).shape == x.shape
    assert not hasattr(suanzi.sparse_tensor((2,), [[0]], [1.0]), "__array_interface__")


def test_bytes() -> None:
    a = sample((2, 3), "int16")
    for array in (a, a.T, a[:, ::-1]):
        assert suanzi.from_reference(array).tobytes() == array.tobytes()
        assert suanzi.from_reference(array).tobytes("F") == array.tobytes("F")
    with fails(TypeMismatchError, "tobytes"):
        suanzi.tensor(["a"]).tobytes()
    with fails(InvalidArgumentError, "tobytes"):
        suanzi.ones(2).tobytes("X")


def test_conversion_with_numpys_parameters() -> None:
    a = np.arange(6.0).reshape(2, 3)
    for array in (a, a.T, np.asfortranarray(a)):
        x = suanzi.tensor(array, layout=(0, 1)) if array.flags.f_contiguous else suanzi.tensor(array)
        for order in ("C", "F", "A", "K"):
            found, expected = x.astype("float32", order=order), x.numpy().astype("float32", order=order)
            assert found.strides == expected.strides
            assert found.tolist() == expected.tolist()
        assert x.astype("float32", "F").stride() == (1, array.shape[0])
    x = suanzi.tensor(a)
    assert x.astype("float64", copy=False) is x
    assert x.astype("float64", order="K", copy=False) is x
    assert x.astype("float64", order="C", copy=False) is x
    assert x.astype("int8", casting="unsafe", subok=True).dtype is suanzi.int8
    with fails(TypeMismatchError, "astype"):
        x.astype("int8", casting="safe")
    with fails(InvalidArgumentError, "astype"):
        x.astype("int8", order="Z")
    with pytest.raises(TypeError):
        x.astype("int8", bogus=1)
    sparse = suanzi.sparse_tensor((2, 2), [[0, 1]], [1.0])
    assert sparse.astype("float64").dtype is suanzi.float64


def test_views_without_a_type() -> None:
    """`view` with NumPy's void type returns a NumPy array on the same memory. zarr compares chunks by such views."""
    for name, text in (("float32", "V4"), ("complex128", "V16"), ("int8", "|V1")):
        x = suanzi.ones((2, 3), dtype=name)
        view = x.view(text)
        assert view.dtype == text
        assert np.array_equal(view, x.numpy().view(text))
        assert np.shares_memory(view, x.numpy())


def test_html() -> None:
    x = suanzi.tensor([[1.5, 2.0], [3.0, -4.25]])
    html = x._repr_html_()
    assert "<caption>tensor 2 × 2, float32</caption>" in html
    assert "<td>-4.25</td>" in html
    assert html.count("<tr>") == 2
    large = suanzi.zeros((1000, 1000))._repr_html_()
    assert large.count("<tr>") == 21
    assert large.count("…") == 21 + 13 - 1
    assert "&lt;b&gt;" in suanzi.tensor(["<b>", "|"])._repr_html_()
    for other in (suanzi.zeros((2, 2, 2)), suanzi.tensor(1.0), suanzi.zeros(0), destroyed()):
        assert other._repr_html_().startswith("<pre>tensor(")
    for name in NAMES:
        assert name in suanzi.ones((3,), dtype=name)._repr_html_()
