"""Tests of creation and destruction (7.2.1, Tables 3 to 8), clause by clause. test_sequences.py tests sequences."""

from __future__ import annotations

import array
import ctypes
import gc
import weakref
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import NAMES, THING, assert_same, destroyed, fails, sample, shares_memory
from suanzi import (
    AllocFailedError,
    Device,
    DimensionsMismatchError,
    InvalidArgumentError,
    Layout,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
SHAPED: dict[str, Any] = {"zeros": suanzi.zeros, "ones": suanzi.ones, "full": suanzi.full, "empty": suanzi.empty}


# Table 3: tensor.


@pytest.mark.parametrize("name", NAMES)
def test_a_tensor_is_a_copy(name: str) -> None:
    a = sample((2, 3), name)
    x = suanzi.tensor(a)
    assert_same(x, a)
    assert not np.shares_memory(x.numpy(), a)
    copy = suanzi.tensor(x)
    assert_same(copy, a)
    assert not shares_memory(copy, x)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([1, 2], "float32"),
        ([1.5], "float32"),
        (3, "float32"),
        ([], "float32"),
        ([2**70], "float32"),
        ([Fraction(1, 2)], "float32"),
        (range(3), "float32"),
        (True, "bool"),
        ([[True, False]], "bool"),
        ([1j, 2], "complex64"),
        (np.float64(2), "float64"),
        ([np.int8(2), np.int8(3)], "int8"),
        (np.arange(3, dtype=np.uint16), "uint16"),
        (b"abc", "uint8"),
        (array.array("d", [1, 2]), "float64"),
    ],
)
def test_default_types(data: Any, dtype: str) -> None:
    assert suanzi.tensor(data).dtype.name == dtype


def test_nested_sequences() -> None:
    assert_same(suanzi.tensor([[1, 2], (3, 4)]), np.float32([[1, 2], [3, 4]]))
    assert_same(suanzi.tensor([suanzi.zeros(2), suanzi.ones(2)]), np.float32([[0, 0], [1, 1]]))
    assert suanzi.tensor(5).shape == ()
    with fails(DimensionsMismatchError, "tensor"):
        suanzi.tensor([[1, 2], [3]])


PLAIN = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=True)


@given(data=st.data(), shape=st.lists(st.integers(0, 3), max_size=4))
def test_plain_numbers_become_what_numpy_finds(data: st.DataObject, shape: list[int]) -> None:
    """`tensor` of nested lists and tuples of bool, int and float, which the core itself reads, equals NumPy's array."""
    kind = data.draw(st.sampled_from([PLAIN, st.booleans(), st.integers(-9, 9)]))

    def nested(sizes: list[int]) -> Any:
        if not sizes:
            return data.draw(kind)
        return data.draw(st.sampled_from([list, tuple]))(nested(sizes[1:]) for _ in range(sizes[0]))

    numbers = nested(shape)
    array = np.asarray(numbers)
    for dtype in (None, "float64"):
        wanted = dtype or ("bool" if array.dtype == bool else "float32")
        with np.errstate(over="ignore"):
            expected = array.astype(wanted)
        if np.any(np.isinf(expected) & np.isfinite(array)):
            with fails(OutOfRangeError, "tensor"):
                suanzi.tensor(numbers, dtype=dtype)
        else:
            assert_same(suanzi.tensor(numbers, dtype=dtype), expected)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ([[1, 2], [3]], DimensionsMismatchError),
        ([1, [2]], DimensionsMismatchError),
        ([[1], 2], DimensionsMismatchError),
        ([1.0, None], TypeMismatchError),
        ([1, "a"], TypeMismatchError),
    ],
)
def test_uneven_or_foreign_lists(data: Any, error: Any) -> None:
    with pytest.raises(error, match=r"^tensor: "):
        suanzi.tensor(data)


@pytest.mark.parametrize("name", NAMES)
def test_the_part_not_covered_is_zero(name: str) -> None:
    a = sample((3,), name)
    assert_same(suanzi.tensor(a, shape=(2, 2)), np.append(a, np.zeros(1, a.dtype)).reshape(2, 2))


@given(SHAPES, st.integers(0, 30), st.sampled_from(NAMES), st.sampled_from(["float32", "int16"]), st.randoms())
def test_a_flat_initialiser_fills_memory_from_the_start(
    shape: tuple[int, ...], count: int, name: str, source: str, random: Any
) -> None:
    order = random.sample(range(len(shape)), len(shape))
    data = sample((count,), source)
    x = suanzi.tensor(data, shape=shape, dtype=name, layout=order)
    assert x.shape == shape
    filled = np.zeros(prod(shape), x.dtype.numpy)
    covered = min(count, filled.size)
    filled[:covered] = data[:covered].astype(x.dtype.numpy)
    lying = filled.reshape([shape[axis] for axis in order[::-1]])
    assert_same(x, lying.transpose([order[::-1].index(axis) for axis in range(len(shape))]))


@pytest.mark.parametrize("name", ["float32", "int16"])
def test_an_initialiser_of_several_dimensions_has_the_shape(name: str) -> None:
    a = sample((2, 3), "float32")
    for data in (a, a.tolist(), suanzi.tensor(a), a[:, ::-1], a.T.copy().T):
        for order in (None, (0, 1), (1, 0)):
            x = suanzi.tensor(data, shape=(2, 3), dtype=name, layout=order)
            assert_same(x, np.asarray(data).astype(name))
            assert order is None or x.layout.order == order
        for shape in ((6,), (3, 2), (2, 2), (2, 3, 1), 6, ()):
            with fails(DimensionsMismatchError, "tensor"):
                suanzi.tensor(data, shape=shape, dtype=name)


def test_one_number_fills_the_first_element() -> None:
    for data in (7, np.int8(7), np.array(7), suanzi.tensor(7)):
        assert suanzi.tensor(data, shape=(2, 2), dtype="int8").tolist() == [[7, 0], [0, 0]]


def test_no_data_leaves_the_memory_as_it_is() -> None:
    x = suanzi.tensor(None, shape=(2, 3), dtype="int16", layout=(0, 1))
    assert (x.shape, x.dtype, x.stride()) == ((2, 3), suanzi.int16, (1, 2))
    with fails(InvalidArgumentError, "tensor"):
        suanzi.tensor(None)


@pytest.mark.parametrize("value", [300, -1, float("nan"), float("inf"), 2**70])
def test_numbers_that_do_not_fit(value: Any) -> None:
    with fails(OutOfRangeError, "tensor"):
        suanzi.tensor([0, value], dtype=suanzi.uint8)


def test_layout_of_a_tensor() -> None:
    x = suanzi.tensor([[1, 2, 3], [4, 5, 6]], layout=(0, 1))
    assert x.stride() == (1, 2)
    assert_same(x, np.float32([[1, 2, 3], [4, 5, 6]]))


@pytest.mark.parametrize(
    "data",
    [b"abc".split(), [None], THING, {1, 2}, {1: 2}, [1, "a"], np.zeros(2, "M8[s]"), np.zeros(2, "i4,f4")],
    ids=repr,
)
def test_what_holds_no_numbers(data: Any) -> None:
    with fails(TypeMismatchError, "tensor"):
        suanzi.tensor(data)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bool" and not n.startswith("complex")])
def test_complex_data_become_no_real_type(name: str) -> None:
    with fails(TypeMismatchError, "tensor"):
        suanzi.tensor([1j], dtype=name)


# Table 4: from_reference.


class OnlyInterface:
    def __init__(self, a: Any) -> None:
        self.__array_interface__ = a.__array_interface__
        self.kept = a


class OnlyDlpack:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __dlpack__(self, **options: Any) -> Any:
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.a.__dlpack_device__()


@pytest.mark.parametrize("wrap", [lambda a: a, memoryview, OnlyInterface, OnlyDlpack, suanzi.from_reference])
def test_writes_show_on_both_sides(wrap: Any) -> None:
    a = sample((2, 3), "float64")
    x = suanzi.from_reference(wrap(a))
    a[0, 0] = 50
    x[1, 2] = 60
    assert x.numpy()[0, 0] == 50
    assert a[1, 2] == 60
    assert_same(x, a)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bfloat16"])
def test_references_of_every_type_and_stride(name: str) -> None:
    a = sample((4, 6), name)
    for view in (a, a.T, a[::2, 1::3], a[::-1], a[:, 2], a[1, 1, ...], a[:0], np.broadcast_to(a[0], (3, 6))):
        x = suanzi.from_reference(view)
        assert_same(x, view)
        assert view.size == 0 or np.shares_memory(x.numpy(), a)


def test_bfloat16_arrays() -> None:
    a = sample((2, 3), "bfloat16")
    x = suanzi.from_reference(a)
    x[0, 0] = 7
    assert_same(x, a)
    assert float(a[0, 0]) == 7


def test_buffers() -> None:
    numbers = array.array("h", [1, 2, 3])
    x = suanzi.from_reference(numbers)
    x[1] = 20
    assert (x.dtype, list(numbers)) == (suanzi.int16, [1, 20, 3])
    with pytest.raises(BufferError):  # the exported buffer must not move
        numbers.append(4)
    fixed = (ctypes.c_float * 3)(1, 2, 3)
    suanzi.from_reference(fixed)[2] = 30
    assert list(fixed) == [1, 2, 30]
    raw = bytearray(8)
    suanzi.from_reference(raw, dtype=suanzi.float32)[1] = 1.5
    assert np.frombuffer(raw, np.float32).tolist() == [0, 1.5]


def test_the_owner_is_kept_alive() -> None:
    a = sample((1000,), "float64")
    expected, gone = a.copy(), weakref.ref(a)
    view = suanzi.from_reference(a)[10:20]
    del a
    gc.collect()
    assert gone() is not None
    assert_same(view, expected[10:20])
    del view
    gc.collect()
    assert gone() is None


def test_destroying_the_tensor_releases_the_owner() -> None:
    a = sample((10,))
    gone = weakref.ref(a)
    x = suanzi.from_reference(a)
    del a
    x.destroy()
    gc.collect()
    assert gone() is None


def test_a_reference_to_a_tensor_outlives_it() -> None:
    x = suanzi.tensor([1, 2, 3])
    y = suanzi.from_reference(x)
    x.destroy()
    assert_same(y, np.float32([1, 2, 3]))


def test_read_only_memory_stays_so() -> None:
    a = sample((3,))
    a.flags.writeable = False
    for data in (a, bytes(a), memoryview(a)):
        x = suanzi.from_reference(data)
        before = x.numpy().copy()
        with fails(InvalidArgumentError, "index"):
            x[0] = 9
        with fails(InvalidArgumentError, "index"):
            x[1:][...] = suanzi.tensor([1, 2])
        with fails(InvalidArgumentError, "add"):
            x += x
        with fails(InvalidArgumentError, "sin"):
            suanzi.sin(suanzi.zeros(x.shape), out=x)
        assert_same(x, before)
        assert not x.numpy().flags.writeable
        assert suanzi.clone(x).numpy().flags.writeable


def test_shape_and_layout_of_a_reference() -> None:
    a = sample((6,))
    x = suanzi.from_reference(a, shape=(2, 3), layout=(0, 1))
    assert_same(x, a.reshape(3, 2).T)
    assert np.shares_memory(x.numpy(), a)
    f = np.asfortranarray(sample((2, 3)))
    assert_same(suanzi.from_reference(f, layout=(0, 1)), f)
    assert_same(suanzi.from_reference(f), f)


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ([1, 2], {}),
        (3, {}),
        (np.float32(3), {}),
        (THING, {}),
        (sample((4, 3))[:, ::2], {"shape": (8,)}),
        (sample((2, 3)).T, {"shape": (2, 3)}),
        (sample((2, 3)), {"layout": (0, 1)}),
        (sample((3,)).astype(">f4"), {}),
        (np.zeros(9, np.uint8)[1:].view(np.float32), {}),
        (np.zeros(3, [("a", "u1"), ("b", "f4")])["b"], {}),
        (bytearray(7), {"dtype": "float32"}),
        (memoryview(bytearray(9))[1:], {"dtype": "float64"}),
        (None, {}),
    ],
)
def test_where_there_is_no_view(data: Any, options: Any) -> None:
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference(data, **options)


def test_a_reference_to_nothing_is_not_initialised() -> None:
    x = suanzi.from_reference(shape=(2, 3), dtype="int16", layout=(0, 1))
    assert (x.shape, x.dtype, x.stride()) == ((2, 3), suanzi.int16, (1, 2))
    assert suanzi.from_reference(None, shape=4).shape == (4,)
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference()


def test_references_that_do_not_fit() -> None:
    with fails(TypeMismatchError, "from_reference"):
        suanzi.from_reference(sample((3,)), dtype="float64")
    with fails(DimensionsMismatchError, "from_reference"):
        suanzi.from_reference(sample((3,)), shape=(4,))
    with fails(TypeMismatchError, "from_reference"):
        suanzi.from_reference(np.array([object()]))
    with fails(UninitializedObjectError, "from_reference"):
        suanzi.from_reference(destroyed())


def test_a_reference_to_nothing_is_allocated() -> None:
    x = suanzi.from_reference(None, shape=3, dtype="int8")
    x[...] = 1
    assert_same(x, np.ones(3, np.int8))


# Tables 5 to 7: zeros, full, empty, and related functions.


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3, 4)])
def test_shaped(name: str, shape: tuple[int, ...]) -> None:
    dtype = suanzi.as_dtype(name).numpy
    assert_same(suanzi.zeros(shape, dtype=name), np.zeros(shape, dtype))
    assert_same(suanzi.ones(shape, dtype=name), np.ones(shape, dtype))
    assert_same(suanzi.full(shape, 1, dtype=name), np.ones(shape, dtype))
    x = suanzi.empty(shape, dtype=name)
    assert (x.shape, x.dtype.name) == (shape, name)


@pytest.mark.parametrize("create", SHAPED.values(), ids=SHAPED)
def test_arguments_of_creation(create: Any) -> None:
    x = create((2, 3, 4))
    assert (x.dtype, x.device, x.layout) == (suanzi.float32, Device("cpu"), Layout("dense", (2, 1, 0)))
    assert create(5).shape == create([5]).shape == create(np.int8(5)).shape == (5,)
    assert create(np.array([2, 3])).shape == (2, 3)
    for device in ("cpu", "cpu:0", Device("cpu"), None):
        assert create(2, device=device).device == Device("cpu", 0)
    for dtype in ("float64", suanzi.float64, np.float64, np.dtype("float64")):
        assert create(2, dtype=dtype).dtype is suanzi.float64
    for layout in ((1, 2, 0), [1, 2, 0], Layout(order=(1, 2, 0))):
        assert create((2, 3, 4), layout=layout).stride() == (12, 1, 3)
    assert create((2, 3), layout=Layout()).stride() == (3, 1)


@pytest.mark.parametrize(("name", "create"), SHAPED.items(), ids=SHAPED)
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"shape": -1}, InvalidArgumentError),
        ({"shape": (2, -3)}, InvalidArgumentError),
        ({"shape": 2**63}, InvalidArgumentError),
        ({"shape": (2**62, 2**62)}, AllocFailedError),
        ({"shape": (1,) * 65}, InvalidArgumentError),
        ({"shape": 1.5}, TypeMismatchError),
        ({"shape": "3"}, TypeMismatchError),
        ({"shape": None}, TypeMismatchError),
        ({"shape": (2, "a")}, TypeMismatchError),
        ({"dtype": "float128"}, TypeMismatchError),
        ({"dtype": object}, TypeMismatchError),
        ({"dtype": 11}, TypeMismatchError),
        ({"device": "gpu"}, InvalidArgumentError),
        ({"device": Device("npu", 3)}, InvalidArgumentError),
        ({"device": "cpu:1"}, InvalidArgumentError),
        ({"layout": (0,)}, InvalidArgumentError),
        ({"layout": (0, 0)}, InvalidArgumentError),
        ({"layout": (0, 2)}, InvalidArgumentError),
        ({"layout": (-1, 0)}, InvalidArgumentError),
        ({"layout": "dense"}, InvalidArgumentError),
        ({"layout": 1}, InvalidArgumentError),
        ({"layout": Layout("sparse")}, InvalidArgumentError),
    ],
    ids=str,
)
def test_bad_arguments_of_creation(name: str, create: Any, arguments: Any, error: Any) -> None:
    with fails(error, name, "full" if name == "ones" else name):
        create(arguments.get("shape", (2, 3)), **{k: v for k, v in arguments.items() if k != "shape"})


@pytest.mark.parametrize(
    "device", ["abc", "", "gpu:", "gpu:-1", "gpu:a", 3, "GPU", "cpu:" + "9" * 5000], ids=lambda d: str(d)[:8]
)
def test_devices_that_there_are_not(device: Any) -> None:
    with fails(InvalidArgumentError, "zeros"):
        suanzi.zeros(2, device=device)


def test_more_memory_than_there_is() -> None:
    for create in SHAPED.values():
        with pytest.raises(AllocFailedError):
            create(2**45)


def test_full() -> None:
    assert_same(suanzi.full(), np.zeros((), np.float32))
    assert_same(suanzi.full(fill_value=2), np.float32(2).reshape(()))
    assert_same(suanzi.full(2, suanzi.tensor([5])), np.float32([5, 5]))
    assert_same(suanzi.full(2, np.int64(5)), np.float32([5, 5]))
    assert_same(suanzi.full(2, 1 + 2j, dtype="complex64"), np.complex64([1 + 2j] * 2))
    assert_same(suanzi.full(2, 2**64 - 1, dtype="uint64"), np.uint64([2**64 - 1] * 2))


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (300, "uint8", OutOfRangeError),
        (-1, "uint64", OutOfRangeError),
        (2**63, "int64", OutOfRangeError),
        (10**400, "int64", OutOfRangeError),
        (1.5, "int32", TypeMismatchError),
        (1e300, "float32", OutOfRangeError),
        (1e300j, "complex64", OutOfRangeError),
        (10**400, "float64", OutOfRangeError),
        (1j, "float32", TypeMismatchError),
        ("a", "float32", TypeMismatchError),
        (None, "float32", TypeMismatchError),
        (np.zeros(1), "float32", TypeMismatchError),
        (suanzi.zeros(2), "float32", InvalidArgumentError),
    ],
    ids=str,
)
def test_values_that_the_type_does_not_hold(value: Any, dtype: str, error: Any) -> None:
    with fails(error, "full"):
        suanzi.full(2, value, dtype=dtype)
    with fails(error, "full_like", "full"):
        suanzi.full_like(suanzi.zeros(2), value, dtype=dtype)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "full_like"])
def test_like(name: str) -> None:
    like: Any = getattr(suanzi, name)
    x = suanzi.zeros((2, 3, 4), dtype="int16", layout=(1, 0, 2))
    y = like(x)
    assert (y.shape, y.dtype, y.strides, y.layout) == (x.shape, x.dtype, x.strides, x.layout)
    assert not shares_memory(x, y)
    assert like(x, dtype="float64", layout=(2, 1, 0)).stride() == (12, 4, 1)
    with fails(InvalidArgumentError, name):
        like(x, device="gpu")
    with fails(TypeMismatchError, name):
        like(np.zeros(2))
    with fails(UninitializedObjectError, name):
        like(destroyed())


# Table 8: contiguous, and clone and destroy.


@pytest.mark.parametrize("name", NAMES)
def test_contiguous(name: str) -> None:
    x = suanzi.tensor(sample((2, 3), name))
    assert suanzi.contiguous(x) is x
    y = suanzi.contiguous(x.T)
    assert suanzi.is_contiguous(y)
    assert y.stride() == (2, 1)
    assert_same(y, sample((2, 3), name).T)
    assert not shares_memory(x, y)


@pytest.mark.parametrize("name", NAMES)
def test_clone(name: str) -> None:
    a = sample((4, 5), name)
    for index in (slice(None), slice(None, None, 2), slice(None, None, -1)):
        x = suanzi.tensor(a)
        y = suanzi.clone(x[index])
        x[...] = 0
        assert_same(y, a[index])


def test_destroy() -> None:
    x = suanzi.tensor([1, 2, 3])
    view, shared = x[1:], x.numpy()
    suanzi.destroy(x)
    assert_same(view, np.float32([2, 3]))
    assert shared.tolist() == [1, 2, 3]
    with fails(UninitializedObjectError, "destroy"):
        suanzi.destroy(x)
    with fails(UninitializedObjectError, "add"):
        suanzi.add(view, x)
    assert repr(x) == "tensor(<destroyed>)"


# Parameters by keyword, and a memory limit.

BY_KEYWORD: dict[str, tuple[Any, dict[str, Any], tuple[int, ...]]] = {
    "zeros": (suanzi.zeros, {"shape": (2, 3)}, (2, 3)),
    "ones": (suanzi.ones, {"shape": 2}, (2,)),
    "empty": (suanzi.empty, {"shape": [2]}, (2,)),
    "full": (suanzi.full, {"shape": 2, "fill_value": 1}, (2,)),
    "uniform": (suanzi.uniform, {"shape": (2, 3), "low": 0, "high": 1}, (2, 3)),
    "normal": (suanzi.normal, {"shape": (2, 3), "mean": 0}, (2, 3)),
    "randperm": (suanzi.randperm, {"n": 4}, (4,)),
    "arange": (suanzi.arange, {"start": 4}, (4,)),
    "arange with all": (suanzi.arange, {"stop": 4, "start": 1, "step": 2}, (2,)),
    "linspace": (suanzi.linspace, {"start": 0, "stop": 1, "num": 5}, (5,)),
    "eye": (suanzi.eye, {"n": 2}, (2, 2)),
    "eye with columns": (suanzi.eye, {"n": 2, "m": 3, "k": 1}, (2, 3)),
    "quantized_tensor": (suanzi.quantized_tensor, {"shape": (2, 3)}, (2, 3)),
    "sparse_tensor": (suanzi.sparse_tensor, {"shape": 3, "indices": [[1]], "values": [2.0], "nnz": 1}, (3,)),
    "tensor": (suanzi.tensor, {"shape": 2}, (2,)),
    "from_reference": (suanzi.from_reference, {"shape": 2}, (2,)),
}


@pytest.mark.parametrize("case", BY_KEYWORD)
def test_parameters_by_keyword(case: str) -> None:
    function, given, shape = BY_KEYWORD[case]
    result = function(None, **given) if case == "tensor" else function(**given)
    assert result.shape == shape


@pytest.mark.parametrize(
    "case", ["zeros", "ones", "empty", "full", "uniform", "normal", "quantized_tensor", "tensor", "from_reference"]
)
def test_more_dimensions_than_there_can_be(case: str) -> None:
    function, given, _ = BY_KEYWORD[case]
    given = given | {"shape": (1,) * 65}
    with fails(InvalidArgumentError, case):
        function(None, **given) if case == "tensor" else function(**given)
    function(*([None] if case == "tensor" else []), **(given | {"shape": (1,) * 64}))
    if case in ("tensor", "from_reference"):
        with fails(InvalidArgumentError, case):
            function(np.zeros(1, np.float32), shape=(1,) * 65)


def test_more_dimensions_of_other_data() -> None:
    deep: Any = 1.0
    for _ in range(65):
        deep = [deep]
    for dtype in (None, "int8"):
        with fails(InvalidArgumentError, "tensor"):
            suanzi.tensor(deep, dtype=dtype)
    with fails(InvalidArgumentError, "sparse_tensor"):
        suanzi.sparse_tensor((1,) * 65, [[0] * 65], [1.0])
    with fails(InvalidArgumentError, "sparse_tensor"):
        suanzi.sparse_tensor((1,) * 64, [[0] * 64], [[1.0]])
    with fails(InvalidArgumentError, "quantized_tensor"):
        suanzi.quantized_tensor((1,) * 65, [1.0])
