"""Tests of exchange with NumPy and other libraries: arrays, buffers, DLPack, pickles, copies, numbers and protocols."""

from __future__ import annotations

import copy
import gc
import importlib.util
import math
import operator
import pickle
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import NAMES, assert_same, destroyed, fails, sample, shares_memory
from suanzi import InvalidArgumentError, SuanziError, Tensor, TypeMismatchError, UninitializedObjectError
from suanzi.interop import mindspore
from suanzi.tensor import dlpack, exchange

KEYS = (..., (slice(None), 0), (slice(None, None, -1),), (slice(None), slice(None, None, 2)), slice(0, 0))


@pytest.mark.parametrize("name", NAMES)
def test_arrays_on_the_same_memory(name: str) -> None:
    a = sample((3, 4), name)
    for key in KEYS:
        x = suanzi.tensor(a)
        for array in (x[key].numpy(), np.asarray(x[key]), np.array(x[key], copy=False)):
            assert array.tobytes() == a[key].tobytes()
            assert array.dtype == a.dtype
            assert array.flags.writeable
            assert array.size == 0 or np.shares_memory(array, x.numpy())
        x[key].numpy()[...] = 1
        expected = a.copy()
        expected[key] = 1
        assert_same(x, expected)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_as_copies(name: str) -> None:
    x = suanzi.tensor(sample((3, 4), name))
    for array in (np.array(x), np.array(x, copy=True), np.asarray(x, dtype=np.complex128, copy=True)):
        assert not np.shares_memory(array, x.numpy())
    assert np.asarray(x, dtype=np.complex128).dtype == np.complex128
    assert np.asarray(x, dtype=x.dtype.numpy).tobytes() == sample((3, 4), name).tobytes()


def test_no_copy_where_one_is_needed() -> None:
    with pytest.raises(ValueError, match="copy"):
        np.asarray(suanzi.zeros(2), dtype=np.int8, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        suanzi.zeros(2).__array__(np.int8, copy=False)


def test_an_array_keeps_the_memory() -> None:
    x = suanzi.tensor(sample((1000,)))
    kept = x.numpy()
    x.destroy()
    del x
    gc.collect()
    others = [suanzi.full(1000, 7) for _ in range(20)]
    assert len(others) == 20
    assert kept.tobytes() == sample((1000,)).tobytes()


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bfloat16"])
def test_buffers(name: str) -> None:
    a = sample((3, 4), name)
    x = suanzi.tensor(a)
    with memoryview(x) as view:
        assert (view.shape, view.strides, view.itemsize) == (a.shape, a.strides, a.itemsize)
        assert (view.nbytes, view.readonly, view.c_contiguous) == (a.nbytes, False, True)
        assert np.asarray(view).dtype == a.dtype
        assert view.tobytes() == a.tobytes()
    with memoryview(x.T[::-1]) as view:
        assert view.tobytes() == a.T[::-1].tobytes()
        assert not view.contiguous
    assert bytes(x) == a.tobytes()
    view = memoryview(x)
    x.destroy()
    assert view.tobytes() == a.tobytes()


def test_buffers_that_there_are_not() -> None:
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(suanzi.zeros(2, dtype="bfloat16"))
    with fails(UninitializedObjectError, "buffer"):
        memoryview(destroyed())
    fixed = suanzi.from_reference(bytes(4))
    with pytest.raises(TypeError):
        memoryview(fixed)[0] = 1
    with pytest.raises((BufferError, TypeError)):
        BytesIO(b"abcd").readinto(fixed)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bfloat16"])
def test_dlpack_with_numpy(name: str) -> None:
    a = sample((3, 4), name)
    for key in KEYS:
        x = suanzi.tensor(a)[key]
        array = np.from_dlpack(x)
        assert array.tobytes() == a[key].tobytes()
        backwards = min(x.strides, default=0) < 0
        assert array.size == 0 or np.shares_memory(array, x.numpy()) is not backwards
        assert min(array.strides, default=0) >= 0
        back = suanzi.from_dlpack(a[key])
        assert_same(back, a[key])
        assert not shares_memory(suanzi.from_dlpack(a[key], copy=True), back)
    assert x.__dlpack_device__() == (1, 0)


# The suite does not install PyTorch, but tests against an installed PyTorch.
if importlib.util.find_spec("torch"):

    def test_dlpack_with_torch() -> None:
        import torch

        for name in NAMES:
            a = sample((3, 4), name)
            x = suanzi.tensor(a)
            t = torch.from_dlpack(x.T)
            assert str(t.dtype) == f"torch.{name}"
            back = suanzi.from_dlpack(t)
            assert_same(back, a.T)
            assert shares_memory(back, x)
            t.zero_()
            assert_same(x, np.zeros((3, 4), a.dtype))
            assert_same(suanzi.from_dlpack(torch.arange(6).reshape(2, 3).T), np.arange(6).reshape(2, 3).T)

    @pytest.mark.parametrize("which", ["negative", "conjugate"])
    def test_torch_elements_that_differ_from_the_memory(which: str) -> None:
        """PyTorch marks a conjugate or negated view by a bit, and the memory keeps the original numbers."""
        import torch

        conjugate = torch.tensor([1 + 2j, 3 - 4j]).conj()
        t = conjugate.imag if which == "negative" else conjugate
        expected = np.array([-2, 4] if which == "negative" else [1 - 2j, 3 + 4j], np.dtype(str(t.dtype)[6:]))
        for copied in (
            suanzi.tensor(t),
            suanzi.tensor(t, shape=(2,), dtype=str(t.dtype)[6:]),
            suanzi.from_dlpack(t, copy=True),
            suanzi.array_api.asarray(t),
            suanzi.array_api.asarray(t, copy=True),
            suanzi.array_api.from_dlpack(t, copy=True),
        ):
            assert_same(copied, expected)
        for shared in (
            suanzi.from_dlpack,
            suanzi.from_reference,
            suanzi.array_api.from_dlpack,
            lambda x: suanzi.array_api.asarray(x, copy=False),
        ):
            with pytest.raises(InvalidArgumentError, match=f"the {which} bit"):
                shared(t)
        if which == "negative":
            with pytest.raises(InvalidArgumentError, match=r"resolve_neg\(\)"):
                suanzi.from_reference(t)
        assert t.is_neg() == (which == "negative")


class WithoutMemory:
    """An array of another library that does not export its memory, like PyTorch's tensors with gradients."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self.error


@pytest.mark.parametrize("kind", [RuntimeError, BufferError])
def test_lists_of_arrays_that_give_no_memory(kind: type[Exception]) -> None:
    item = WithoutMemory(kind("call detach first"))
    for call, name in (
        (lambda: suanzi.tensor(item), "tensor"),
        (lambda: suanzi.tensor([item]), "tensor"),
        (lambda: suanzi.tensor([[1.0, 2.0], item], dtype="float64"), "tensor"),
        (lambda: np.add(suanzi.ones(2), [item]), "numpy.add"),
    ):
        with fails(InvalidArgumentError, name) as error:
            call()
        assert "call detach first" in str(error.value)


def test_dlpack_of_bfloat16() -> None:
    x = suanzi.tensor(sample((3, 4), "bfloat16"))
    assert_same(suanzi.from_dlpack(x), sample((3, 4), "bfloat16"))
    assert "versioned" in str(x.__dlpack__(max_version=(2**70, 0)))
    capsule = x.__dlpack__(max_version=(1, 0))
    x.destroy()
    del capsule, x  # a capsule without a consumer frees its tensor


NEVER_SHARED: dict[str, tuple[Any, Any]] = {
    "another type": (suanzi.zeros(3), np.float64),
    "bfloat16": (suanzi.zeros(3, dtype="bfloat16"), np.float32),
    "strings": (suanzi.tensor(["a"]), None),
    "strings as objects": (suanzi.tensor(["a"]), object),
    "quantized": (suanzi.quantize(suanzi.zeros(3), scale=0.5, dtype="qint8"), None),
    "quantized as float32": (suanzi.quantize(suanzi.zeros(3), scale=0.5, dtype="qint8"), np.float32),
    "quantized as int8": (suanzi.quantize(suanzi.zeros(3), scale=0.5, dtype="qint8"), np.int8),
    "mindspore": (mindspore.Tensor([1.0]), np.float64),
    "mindspore strings": (mindspore.Tensor(["a"]), None),
}


@pytest.mark.parametrize(("x", "dtype"), NEVER_SHARED.values(), ids=NEVER_SHARED)
def test_arrays_that_need_a_copy(x: Any, dtype: Any) -> None:
    with fails(InvalidArgumentError, "__array__"):
        x.__array__(dtype, copy=False)
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype, copy=False)
    for wanted in (None, True):
        first, second = x.__array__(dtype, copy=wanted), x.__array__(dtype, copy=wanted)
        assert first.tolist() == second.tolist()
        assert not np.shares_memory(first, second)


def test_memory_that_is_no_reference() -> None:
    for x, _ in NEVER_SHARED.values():
        if isinstance(x, suanzi.QuantizedTensor):
            with fails(InvalidArgumentError, "from_reference"):
                suanzi.from_reference(x)
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference(suanzi.to_sparse(suanzi.eye(2)))


BACKWARDS: dict[str, Any] = {
    "whole": slice(None, None, -1),
    "steps": slice(None, None, -2),
    "last": (..., slice(None, None, -1)),
    "both": (slice(None, None, -1), slice(None, None, -1)),
    "one row": (0, slice(None, None, -1)),
}


@pytest.mark.parametrize("key", BACKWARDS.values(), ids=BACKWARDS)
@pytest.mark.parametrize("name", ["float32", "bool", "complex128", "bfloat16"])
def test_no_negative_strides_leave_by_dlpack(name: str, key: Any) -> None:
    """`__dlpack__` copies a tensor with negative strides, because PyTorch ends the process on negative strides."""
    a = sample((3, 4), name)
    x = suanzi.tensor(a)[key]
    assert min(x.strides) < 0
    for options in ({}, {"copy": None}, {"copy": True}, {"max_version": (1, 0)}, {"dl_device": (1, 0)}):
        exported = imported(x.__dlpack__(**options), a.dtype)
        assert min(exported.strides) > 0
        assert exported.tobytes() == a[key].tobytes()
        assert not np.shares_memory(exported, x.numpy())
    for copy_option in (False, np.False_):
        with refused(BufferError, InvalidArgumentError, "without a copy"):
            x.__dlpack__(copy=copy_option)


@contextmanager
def refused(built_in: type[Exception], error: type[SuanziError], text: str) -> Iterator[None]:
    """Check that the body raises an error that is both a built-in exception and an exception of Suanzi."""
    with pytest.raises(error, match=rf"^__dlpack__: .*{text}") as caught:
        yield
    assert isinstance(caught.value, built_in)


def imported(capsule: Any, dtype: Any) -> Any:
    """Import a capsule as a NumPy array. NumPy's importer lacks bfloat16, and therefore imports the bits."""
    if dtype.name == "bfloat16":
        assert dlpack.relabel(capsule, dlpack.BFLOAT, dlpack.UNSIGNED)
    array = np.from_dlpack(Exporter(capsule))
    return array.view(dtype) if dtype.name == "bfloat16" else array


class Exporter:
    """An object that exports its memory by DLPack and by no other protocol."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Other(Exporter):
    """An exporter that also has other protocols, which a consumer of DLPack must not call."""

    @property
    def __array_interface__(self) -> Any:
        raise AssertionError("DLPack is asked for")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise AssertionError("the copy is not asked for")


class Refusing(Exporter):
    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("not today")


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("name", ["bfloat16", "float32"])
def test_dlpack_comes_before_other_protocols(name: str, copied: bool) -> None:
    x = suanzi.tensor(sample((3, 4), name))
    result = suanzi.from_dlpack(Other(x.__dlpack__()), copy=copied)
    assert_same(result, sample((3, 4), name))
    assert shares_memory(result, x) is not copied


def test_a_buffer_that_refuses_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    x = suanzi.tensor(sample((3, 4), "bfloat16"))

    def refuse(data: Any) -> memoryview:
        raise BufferError("not of this type")

    exporter = Exporter(x.__dlpack__())
    with monkeypatch.context() as patch:  # before Python 3.12 a Python class cannot refuse `memoryview`
        patch.setattr(exchange, "memoryview", refuse, raising=False)
        y = suanzi.from_reference(exporter)
        with fails(InvalidArgumentError, "from_reference"):
            suanzi.from_reference(object())
    assert shares_memory(y, x)


def test_dlpack_options() -> None:
    x = suanzi.zeros(3)
    cases: list[tuple[dict[str, Any], Any, str]] = [
        ({"stream": 1}, BufferError, "stream 1 is not None"),
        ({"stream": -1}, BufferError, "stream -1 is not None"),
        ({"dl_device": (2, 0)}, BufferError, r"device \(2, 0\) is not the CPU"),
        ({"dl_device": 1}, TypeError, "dl_device 1 is not a pair"),
        ({"dl_device": "cpu"}, TypeError, "dl_device 'cpu' is not a pair"),
        ({"max_version": 1}, TypeError, "max_version 1 is not a pair"),
        ({"max_version": (1,)}, TypeError, r"max_version \(1,\) is not a pair"),
        ({"copy": 1}, TypeError, "copy 1 is not True, False or None"),
    ]
    for options, error, text in cases:
        with refused(error, SuanziError, text):
            x.__dlpack__(**options)
    with fails(UninitializedObjectError, "__dlpack__"):
        destroyed().__dlpack__()
    fixed = suanzi.from_reference(b"abcd")
    with refused(BufferError, InvalidArgumentError, ""):
        fixed.__dlpack__()  # DLPack before 1.0 cannot mark memory as read-only


def test_an_exporter_that_refuses() -> None:
    with fails(InvalidArgumentError, "from_dlpack"):
        suanzi.from_dlpack(Refusing(None))


def test_dlpack_that_there_is_not() -> None:
    for thing in (3, [1], object(), None, b"a", memoryview(b"a")):
        with fails(TypeMismatchError, "from_dlpack"):
            suanzi.from_dlpack(thing)
    with pytest.raises(UninitializedObjectError):
        np.from_dlpack(destroyed())
    with pytest.raises(UninitializedObjectError):
        suanzi.from_dlpack(destroyed())
    fixed = sample((3,))
    fixed.flags.writeable = False
    with fails(InvalidArgumentError, "index"):
        suanzi.from_dlpack(fixed)[0] = 1


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", NAMES)
def test_pickles(name: str, protocol: int) -> None:
    a = sample((3, 4), name)
    for key in (*KEYS, (0, 0, ...)):
        x = suanzi.tensor(a)[key]
        y = pickle.loads(pickle.dumps(x, protocol))
        assert_same(y, a[key])
        assert not shares_memory(x, y)
        y[...] = 1
    x = suanzi.tensor(sample((2, 3, 4), name), layout=(1, 2, 0))
    x.metadata["unit"] = "m"
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (y.strides, y.metadata) == (x.strides, {"unit": "m"})
    assert_same(y, sample((2, 3, 4), name))


def test_pickles_with_the_bytes_out_of_band() -> None:
    x = suanzi.tensor(sample((3, 4)))
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 500
    assert [b.raw().nbytes for b in buffers] == [x.nbytes]
    y = pickle.loads(data, buffers=buffers)
    assert_same(y, sample((3, 4)))
    assert not shares_memory(x, y)


@pytest.mark.parametrize("name", NAMES)
def test_pickled_types_are_themselves(name: str) -> None:
    value = suanzi.as_dtype(name)
    assert pickle.loads(pickle.dumps(value)) is value
    assert copy.deepcopy(value) is value


def test_pickled_devices_and_layouts() -> None:
    for value in (suanzi.Device("gpu", 1), suanzi.Layout(order=(1, 0)), suanzi.Status.OUT_OF_RANGE):
        assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == value
    error = pickle.loads(pickle.dumps(suanzi.OutOfRangeError("add: 3")))
    assert (type(error), str(error), error.status) == (suanzi.OutOfRangeError, "add: 3", suanzi.Status.OUT_OF_RANGE)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies(duplicate: Any) -> None:
    x = suanzi.tensor(sample((2, 3)), layout=(0, 1))
    x.metadata["names"] = ["a"]
    y = duplicate(x)
    assert_same(y, sample((2, 3)))
    assert y.layout == x.layout
    assert not shares_memory(x, y)
    assert y.metadata == x.metadata
    assert y.metadata is not x.metadata
    assert (y.metadata["names"] is x.metadata["names"]) == (duplicate is copy.copy)
    with pytest.raises(UninitializedObjectError):
        duplicate(destroyed())


@pytest.mark.parametrize("name", NAMES)
def test_python_numbers(name: str) -> None:
    x = suanzi.ones((1, 1), dtype=name)
    kind = suanzi.as_dtype(name).kind_name
    expected = {"bool": bool, "real floating": float, "complex floating": complex}.get(kind, int)
    assert type(x.item()) is expected
    assert x.item() == 1
    assert x.tolist() == [[1]]
    assert bool(x) is True
    assert bool(suanzi.zeros((), dtype=name)) is False
    assert complex(x) == 1
    if kind == "complex floating":
        for number in (float, int):
            with fails(TypeMismatchError, number.__name__):
                number(x)
    else:
        assert (float(x), int(x)) == (1, 1)
        assert (type(float(x)), type(int(x))) == (float, int)
    scalar = suanzi.full((), 2 if kind != "bool" else 1, dtype=name)
    if kind.endswith("integer"):
        assert operator.index(scalar) == 2
        assert "abc"[scalar] == "c"
    else:
        with fails(TypeMismatchError, "index"):
            operator.index(scalar)


def test_numbers_at_the_limits() -> None:
    assert int(suanzi.full((), 2**64 - 1, dtype="uint64")) == 2**64 - 1
    assert suanzi.full((), -(2**63), dtype="int64").item() == -(2**63)
    assert math.isnan(float(suanzi.tensor(math.nan)))
    assert complex(suanzi.tensor(1 - 2j)) == 1 - 2j
    assert int(suanzi.tensor(-2.9)) == -2
    assert bool(suanzi.tensor(math.nan))


@pytest.mark.parametrize("number", [bool, int, float, complex])
@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2)])
def test_more_than_one_element_is_no_number(number: Any, shape: tuple[int, ...]) -> None:
    with fails(InvalidArgumentError, number.__name__):
        number(suanzi.zeros(shape))
    with fails(InvalidArgumentError, "item"):
        suanzi.zeros(shape).item()


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4), st.sampled_from(NAMES))
def test_sequences(shape: tuple[int, ...], name: str) -> None:
    a = sample(shape, name)
    x = suanzi.tensor(a)
    assert len(x) == len(a)
    parts = list(x)
    assert len(parts) == len(a)
    for part, row in zip(parts, a, strict=True):
        assert_same(part, np.asarray(row))
        assert row.size == 0 or shares_memory(part, x)
    assert x.tolist() == a.tolist()
    assert [p.shape for p in reversed(x)] == [shape[1:]] * len(a)


def test_scalars_are_no_sequences() -> None:
    with fails(TypeMismatchError, "len"):
        len(suanzi.zeros(()))
    with fails(TypeMismatchError, "iter"):
        iter(suanzi.zeros(()))


def test_a_tensor_destroyed_while_iterated() -> None:
    x = suanzi.zeros(3)
    iterator = iter(x)
    next(iterator)
    x.destroy()
    with fails(UninitializedObjectError, "index"):
        next(iterator)


def test_formats() -> None:
    x = suanzi.tensor(3.14159)
    assert f"{x:.2f}" == "3.14"
    assert f"{suanzi.tensor(255, dtype='uint8'):x}" == "ff"
    assert f"{x}" == str(x)
    assert f"{suanzi.tensor([1, 2])}" == "[1. 2.]"
    with fails(InvalidArgumentError, "format"):
        format(suanzi.zeros(2), ".2f")


def test_tensors_in_collections() -> None:
    x = suanzi.zeros(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert weakref.ref(x)() is x
    gone = weakref.ref(suanzi.zeros(2))
    assert gone() is None
    x.metadata["self"] = x  # a cycle that the collector finds
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None


def test_tensor_is_no_class_to_build_on() -> None:
    with pytest.raises(TypeError):
        Tensor()
    with pytest.raises(TypeError):
        type("Mine", (Tensor,), {})


def test_metadata() -> None:
    x = suanzi.zeros(2)
    assert x.metadata == {}
    x.metadata["unit"] = "m"
    assert x.metadata == {"unit": "m"}
    assert (x + x).metadata == {}
    with pytest.raises(AttributeError):
        x.metadata = {}


def test_nothing_of_a_destroyed_tensor_can_be_had() -> None:
    x = destroyed()
    attributes = ["shape", "strides", "ndim", "size", "itemsize", "nbytes", "dtype", "T", "mT", "real", "imag"]
    for name in (*attributes, "device", "layout"):
        with pytest.raises(UninitializedObjectError, match="destroyed"):
            getattr(x, name)
    calls = [
        Tensor.numpy,
        Tensor.tolist,
        Tensor.item,
        Tensor.__dlpack__,
        np.asarray,
        len,
        iter,
        bool,
        float,
        int,
        complex,
    ]
    calls += [operator.index, operator.neg, abs, operator.invert, pickle.dumps, copy.copy, copy.deepcopy, bytes]
    calls += [lambda x: x[0], lambda x: x + 1, lambda x: 1 - x, lambda x: x == x, lambda x: x.__setitem__(0, 1)]
    calls += [lambda x: x.__iadd__(1), suanzi.tensor, suanzi.from_reference, lambda x: suanzi.tensor([x])]
    calls += [lambda x: suanzi.zeros((2, 3)).__setitem__(..., x), lambda x: suanzi.ones((2, 3)) ** x]
    for call in calls:
        with pytest.raises(UninitializedObjectError, match=r"^\w+: .*destroyed"):
            call(x)
    assert repr(x) == str(x) == f"{x}" == "tensor(<destroyed>)"


# --- PyTorch's functions ---


def test_torch_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """`__torch_function__` converts tensors at every place among the arguments. NumPy takes the place of PyTorch."""
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_dlpack=np.from_dlpack))
    x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    called: Any = Tensor.__torch_function__
    joined = called(np.concatenate, (Tensor,), ([x, (x[0],)],), {"axis": 0})
    assert type(joined) is np.ndarray
    assert joined.tolist() == [[1, 2], [3, 4], [1, 2]]
    options = called(lambda **options: options, (Tensor,), (), {"parts": {"a": [x]}, "n": 3})
    assert np.shares_memory(options["parts"]["a"][0], x.numpy())
    assert options["n"] == 3
    with pytest.raises(TypeMismatchError, match=r"^add: out= accepts PyTorch's tensors; use torch.from_dlpack"):
        called(np.add, (Tensor,), (x, x), {"out": x})
