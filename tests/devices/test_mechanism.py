"""Tests of tensors on devices: creation, attributes, refused calls, and late errors."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, not_simulated, outcome, sz, there

import suanzi
from samples import NAMES, sample
from suanzi import Device, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.kinds import devices as registry

pytestmark = pytest.mark.one_level

X = sz.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_devices_are_listed() -> None:
    assert sz.devices()[:2] == (Device("cpu"), Device("gpu"))
    assert sz.devices.devices() == sz.devices()


@pytest.mark.parametrize("device", ["gpu:2", "npu:2", "fpga:3"])
def test_absent_devices_say_what_is_missing(device: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"^zeros: device {Device(device)} is not available"):
        sz.zeros(2, device=device)
    with pytest.raises(InvalidArgumentError, match=r"^to_device: device \w+:\d is not available"):
        X.to_device(device)


def test_no_pytorch_before_a_device_is_asked_for() -> None:
    code = "import suanzi, sys; suanzi.zeros(2) + 1; suanzi.synchronize(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("name", NAMES)
def test_to_the_device_and_back(name: str) -> None:
    x = sz.tensor(sample(name=name))
    for given in (x, x.T, x[:, ::-1], x[:1], x[:0], x[0, 0]):
        y = there(given)
        assert (y.dtype, y.shape, y.device) == (given.dtype, given.shape, GPU)
        assert_same(here(y), given)
        assert_same(sz.tensor(y.numpy()), given)
    assert there(x).to_device(GPU).device == GPU


def test_strings_stay() -> None:
    with pytest.raises(TypeMismatchError, match="string"):
        sz.tensor(["a"]).to_device(GPU)
    with pytest.raises(TypeMismatchError, match=r"^zeros: strings exist on the CPU only"):
        sz.zeros(2, dtype="string", device=GPU)


def test_facts() -> None:
    x = there(X)
    assert isinstance(x, Tensor)
    assert (x.ndim, x.dim, x.size, x.itemsize, x.nbytes, x.strides) == (2, 2, 6, 4, 24, (12, 4))
    assert (x.allocator, len(x), x.layout, x.T.layout.order) == ("torch", 2, X.layout, (0, 1))
    assert (sz.shape(x), sz.size(x), sz.rank(x), sz.is_contiguous(x), sz.is_contiguous(x.T)) == (
        (2, 3),
        6,
        2,
        True,
        False,
    )
    x.metadata["a"] = 1
    assert copy.copy(x).metadata == {"a": 1}
    assert repr(x) == f"{repr(X)[:-1]}, device=gpu:0)"
    assert str(x) == str(X)
    assert (x[0, 0].item(), float(x[0, 1]), int(x[0, 2]), bool(x[0, 0]), x.tolist()) == (1.0, 2.0, 3, True, X.tolist())
    assert [row.tolist() for row in x] == X.tolist()


@pytest.mark.parametrize("name", ["int8", "float16", "bfloat16", "float32", "float64", "complex64"])
def test_strides(name: str) -> None:
    whole = sample((2, 3, 4), name)
    x, other = sz.tensor(whole, device=GPU), sz.expand(sz.tensor(whole[:1], device=GPU), (2, 3, 4))
    for y, a in (
        (x, whole),
        (x.T, whole.T),
        (x[:, 1:, ::2], whole[:, 1:, ::2]),
        (sz.permute_dims(x, (1, 2, 0)), whole.transpose(1, 2, 0)),
        (x[0, 0, 0], whole[0, 0, 0]),
        (other, np.broadcast_to(whole[:1], (2, 3, 4))),
        (sz.zeros((2, 3, 4), dtype=name, layout=(0, 1, 2), device=GPU), np.asfortranarray(whole)),
    ):
        assert y.strides == a.strides
        assert y.stride() == tuple(step // a.itemsize for step in a.strides)
        assert [y.stride(axis) for axis in range(-a.ndim, a.ndim)] == [*y.stride()] * 2


def test_an_axis_of_strides_is_checked_as_on_the_cpu() -> None:
    assert there(X).stride(None) == X.stride(None) == X.stride()
    for wrong in (2, -3, 2**63, 1.0, True, "0"):
        found, expected = [outcome(partial(x.stride, wrong)) for x in (there(X), X)]
        assert found == expected
        assert isinstance(found, tuple)
    with pytest.raises(TypeError, match="argument"):
        there(X).stride(0, 1)


def test_no_silent_way_to_the_host() -> None:
    with pytest.raises(TypeMismatchError, match=r"^__array__: the tensor is on gpu:0"):
        np.asarray(there(X))
    with pytest.raises(TypeError):
        memoryview(there(X))


def test_mixing_is_refused() -> None:
    for call in (
        lambda: there(X) + X,
        lambda: sz.concat([X, there(X)]),
        lambda: there(X)[sz.tensor([0], dtype="int64")],
    ):
        with pytest.raises(InvalidArgumentError, match=r"operands on \w+:0 and \w+:0"):
            call()


def test_destroyed_tensors() -> None:
    x = there(X)
    view = x[0]
    sz.destroy(x)
    assert repr(x) == "tensor(<destroyed>)"
    for call in (
        lambda: x + 1,
        lambda: sz.add(view, x),
        lambda: sz.sum(x),
        lambda: x[0],
        lambda: x.shape,
        lambda: x.device,
    ):
        with pytest.raises(suanzi.UninitializedObjectError, match="destroyed"):
            call()
    with pytest.raises(suanzi.UninitializedObjectError, match=r"^add: the tensor has been destroyed;"):
        sz.add(x, 1)
    assert view.tolist() == [1.0, 2.0, 3.0]


def test_a_tensor_has_what_tensors_of_the_cpu_have() -> None:
    of_host_memory = {"__array_interface__", "__arrow_c_array__", "__arrow_c_schema__", "__jax_array__"}
    of_host_memory |= {"__torch_function__"}  # PyTorch's functions use this method
    missing = {name for name in dir(Tensor) if not hasattr(type(there(X)), name)}
    assert missing == of_host_memory


def test_functions_of_pythons_on_tensors() -> None:
    x = there(X)
    for call in (
        lambda y: divmod(y, 2),
        lambda y: divmod(7.0, y),
        lambda y: (1.0 in y, 9 in y, None in y, X[0, 0] in X),
    ):
        assert_same(*(list(here(call(x))), list(call(X))))
    assert x.rank() == 2


def test_operators_leave_other_objects_to_python() -> None:
    class Mine:
        def __radd__(self, other: Any) -> str:
            return "mine"

    for other in (None, object(), {}, Ellipsis, [1.0], (1.0, 2.0), "a", Mine()):
        for operator in ("+", "*", "@", "&", "**", "==", "!=", "<", ">="):
            for text in (f"x {operator} other", f"other {operator} x"):
                found, expected = (_kind_of_outcome(text, other, x) for x in (there(X), X))
                if not (operator == "@" and other == "a"):
                    assert found == expected, (text, other)


def _kind_of_outcome(text: str, other: Any, x: Any) -> Any:
    try:
        found = eval(text, {"x": x, "other": other})
    except TypeError as error:
        return type(error)
    return found if isinstance(found, (bool, str)) else "a tensor"


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "bfloat16", "float64", "complex64", "string"])
def test_views_of_another_type(dtype: str) -> None:
    x = sz.tensor(np.arange(24, dtype=np.float32).reshape(3, 8))
    for make in (
        lambda y: y,
        lambda y: y[1],
        lambda y: y.T,
        lambda y: y[:, ::2],
        lambda y: y[:, :3],
        lambda y: y[0, 2:2],
    ):
        found, expected = (outcome(lambda y=y, make=make: make(y).view(dtype)) for y in (there(x), x))
        if isinstance(expected, tuple):
            assert found == expected
        else:
            assert (found.layout, found.shape) == (expected.layout, expected.shape)
            assert here(found).numpy().tobytes() == expected.numpy().tobytes()
    y = there(x)
    y.view("int32")[0, 1] = 0
    assert y[0, 1].item() == 0.0
    with pytest.raises(InvalidArgumentError, match=r"^view: PyTorch: "):
        y[0, 1:7].view("complex64")  # PyTorch counts the alignment from the beginning of the memory


def test_in_place_and_out() -> None:
    x = there(X)
    row, same = x[0], x
    x += 1
    assert x is same
    assert row.tolist() == [2.0, 3.0, 4.0]
    x *= x
    assert x.tolist() == [[4.0, 9.0, 16.0], [25.0, 36.0, 49.0]]
    out = sz.zeros((2, 3), device=GPU)
    assert sz.add(x, there(X), out=out) is out
    assert_same(here(out), here(x) + X)
    assert sz.sum(x, axis=1, out=out[:, 0]).tolist() == [29.0, 110.0]
    assert out[:, 0].tolist() == [29.0, 110.0]
    sz.sqrt(x.T, out=out.T)
    assert out.tolist() == [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]
    sz.subtract(out[:, 1:], out[:, :-1], out=out[:, 1:])  # reads and writes overlap
    assert out.tolist() == [[2.0, 1.0, 1.0], [5.0, 1.0, 1.0]]


@pytest.mark.parametrize("name", ["add", "sum", "matmul", "concat", "cumulative_sum", "sort"])
def test_out_that_does_not_fit(name: str) -> None:
    square = sz.tensor([[1.0, 2.0], [3.0, 4.0]])
    calls: dict[str, Any] = {
        "add": lambda x, out: sz.add(x, 1, out=out),
        "sum": lambda x, out: sz.sum(x, axis=0, keepdims=True, out=out),
        "matmul": lambda x, out: sz.matmul(x, x, out=out),
        "concat": lambda x, out: sz.concat([x], out=out),
        "cumulative_sum": lambda x, out: sz.cumulative_sum(x, axis=0, out=out),
        "sort": lambda x, out: sz.sort(x, out=out),
    }
    for out in (sz.zeros((3, 3)), sz.zeros((2, 2), dtype="int8"), sz.zeros((1, 2), dtype="int8")):
        with pytest.raises(suanzi.SuanziError) as expected:
            calls[name](square, out)
        with pytest.raises(type(expected.value)):
            calls[name](there(square), there(out))
    with pytest.raises(InvalidArgumentError, match="operands on"):
        calls[name](there(square), sz.zeros((2, 2)))


def test_shortcuts_are_of_classes_with_the_parts_of_tensors() -> None:
    from suanzi.devices.tensor import DeviceTensor

    core: Any = suanzi._core
    served: Any = (suanzi.float32,)
    for kind, operands, status in ((DeviceTensor, 3, InvalidArgumentError), (Tensor, 1, TypeMismatchError)):
        with pytest.raises((status, AttributeError)):
            core.Shortcut(kind, abs, operands, served, (), None, print, print, print, ())
    with pytest.raises(TypeError):
        core.Shortcut()


def test_errors_are_the_cpus() -> None:
    x, flags, i = there(X), there(sz.tensor([True, False])), there(sz.tensor([1, 2], dtype="int8"))
    for call in (
        lambda x, flags, i: x + sz.zeros(4, device=x.device),
        lambda x, flags, i: flags - flags,
        lambda x, flags, i: i + 1000,
        lambda x, flags, i: sz.sum(x, axis=2),
        lambda x, flags, i: sz.max(x[:0]),
        lambda x, flags, i: x @ x,
        lambda x, flags, i: x[2],
        lambda x, flags, i: x["a"],
        lambda x, flags, i: sz.reshape(x, (4, 2)),
        lambda x, flags, i: sz.floor(x + 1j),
        lambda x, flags, i: sz.inv(x),
        lambda x, flags, i: sz.inv(x[:, :2] * 0),
        lambda x, flags, i: sz.argmax(x[:0]),
    ):
        with pytest.raises(suanzi.SuanziError) as expected:
            call(X, here(flags), here(i))
        with pytest.raises(type(expected.value)) as found:
            call(x, flags, i)
        assert str(found.value) == str(expected.value)


# --- indices that are wrong ---


def test_parts_of_complex_numbers_are_promoted_first() -> None:
    real, imaginary = sz.tensor([1567351665, 5], dtype="uint32"), sz.tensor(2.734375, dtype="float16")
    assert_same(here(sz.complex(there(real), there(imaginary))), sz.complex(real, imaginary))


def test_of_several_errors_the_cpus_is_told() -> None:
    given = (sz.tensor(3, dtype="uint32"), sz.tensor(1j))
    assert outcome(lambda: sz.matmul(*there(given), dtype="float64")) == outcome(
        lambda: sz.matmul(*given, dtype="float64")
    )


def test_wrong_indices_are_told_late() -> None:
    x, wrong = there(X), there(sz.tensor([0, 9], dtype="int64"))
    y = sz.take(x, wrong, axis=1)
    z = y + 1  # the device keeps working
    with pytest.raises(OutOfRangeError, match=r"^take: an index lies outside its range"):
        z.numpy()
    assert z.shape == (2, 2)
    assert (x + 1).tolist() == (X + 1).tolist()
    _ = x[wrong]
    with pytest.raises(OutOfRangeError, match=r"^index: "):
        sz.synchronize()
    sz.synchronize()


def test_wrong_indices_in_the_synchronous_mode() -> None:
    x, wrong = there(X), there(sz.tensor([0, -4], dtype="int8"))
    sz.devices.set_synchronous(True)
    try:
        with pytest.raises(OutOfRangeError, match=r"^take: "):
            sz.take(x, wrong, axis=1)
        assert (x + 1).tolist() == (X + 1).tolist()
    finally:
        sz.devices.set_synchronous(False)


# --- creation ---


def test_the_default_device() -> None:
    with sz.set_default_device("gpu"):
        for made in (sz.zeros(2), sz.arange(3), sz.tensor([1.0]), sz.eye(2), sz.uniform(3, seed=1), sz.full((), 7)):
            assert made.device == GPU
        assert sz.zeros_like(X).device == "cpu"
        assert (X + 1).device == "cpu"
        assert sz.zeros(2, device="cpu").device == "cpu"
        assert sz.from_reference(np.zeros(2)).device == "cpu"
        assert here(sz.zeros(2)).device == "cpu"
        assert sz.devices.default_device() == GPU
        assert sz.softmax(X).device == "cpu" if hasattr(sz, "softmax") else True
        assert suanzi.extras.softmax(X).device == "cpu"  # type: ignore[attr-defined]
    assert sz.zeros(2).device == "cpu"
    with pytest.raises(InvalidArgumentError, match="gpu:7"):
        sz.set_default_device("gpu:7")
    before = sz.set_default_device("gpu")
    assert sz.ones(1).device == GPU
    with before:
        pass
    assert sz.ones(1).device == "cpu"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", [None, (0, 1), (1, 0)])
def test_filled_tensors(name: str, layout: Any) -> None:
    for call in (
        lambda **to: sz.zeros((2, 3), dtype=name, layout=layout, **to),
        lambda **to: sz.ones((2, 3), dtype=name, layout=layout, **to),
        lambda **to: sz.full((2, 3), True, dtype=name, layout=layout, **to),
        lambda **to: sz.zeros_like(X, dtype=name, layout=layout, **to),
        lambda **to: sz.tensor([[1, 0, 1], [0, 1, 1]], dtype=name, layout=layout, **to),
        lambda **to: sz.tensor([1, 0, 1], shape=(2, 3), dtype=name, layout=layout, **to),
    ):
        found, expected = call(device=GPU), call()
        assert found.layout == expected.layout
        assert_same(here(found), expected)


def test_tensors_of_tensors() -> None:
    x = there(X)
    assert_same(here(sz.tensor(x, dtype="float64")), sz.tensor(X, dtype="float64"))
    assert_same(here(sz.tensor(x, dtype="int8")), sz.tensor(X, dtype="int8"))
    assert_same(here(sz.tensor(x[0], shape=(2, 2))), sz.tensor(X[0], shape=(2, 2)))
    for wrong in (x + 0.5, x * 100):
        with pytest.raises(suanzi.SuanziError) as expected:
            sz.tensor(here(wrong), dtype="int8")
        with pytest.raises(type(expected.value)):
            sz.tensor(wrong, dtype="int8")
    assert sz.tensor(x, device="cpu").device == "cpu"
    assert sz.zeros_like(x, device="cpu").device == "cpu"


# --- files, pickles, other libraries ---


def test_pickles_and_copies() -> None:
    x = there(X.T)
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert y.device == GPU
        assert_same(here(y), X.T)
        assert y.data.data_ptr() != x.data.data_ptr()


@not_simulated  # PyTorch has no DLPack for back ends of other packages
def test_dlpack_shares_memory() -> None:
    import torch

    x = there(X)
    t = torch.from_dlpack(x)
    t[0, 0] = 7
    assert x[0, 0].item() == 7
    assert x.__dlpack_device__() == (1, 0)


@not_simulated
def test_dlpack_of_negated_memory() -> None:
    """The capsule contains the elements, although PyTorch's own capsule contains the numbers in memory."""
    import torch

    from suanzi.devices.tensor import made

    x = made(torch.tensor([1 + 2j, 3 - 4j]).conj().imag, there(X).device)
    assert x.tolist() == torch.from_dlpack(x).tolist() == [-2, 4]


def test_platforms_of_others_go_first() -> None:
    mine = registry.Platform(lambda: (), lambda device, operator: Tensor)
    registry.register("npu", mine)
    try:
        with pytest.raises(InvalidArgumentError):
            sz.zeros(2, device="npu")
    finally:
        registry.unregister("npu")


NUMBERS = [
    "bool",
    *(f"{kind}int{bits}" for kind in ("u", "") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
]
ENDS = [
    -(2.0**63),
    -(2.0**31) - 1,
    -129,
    -1,
    0,
    1,
    127,
    128,
    255,
    256,
    2.0**31,
    2.0**32,
    2.0**63,
    2.0**64,
    0.5,
    np.nan,
    np.inf,
]


@pytest.mark.parametrize("source", NUMBERS)
def test_data_that_a_type_does_not_hold_are_refused_as_on_the_cpu(source: str) -> None:
    kind = np.dtype(source)
    with np.errstate(all="ignore"):
        limits = [] if kind.kind in "bf" else [np.iinfo(kind).min, np.iinfo(kind).max]
        elements = np.unique(np.array([*np.array(ENDS).astype(kind), *np.array(limits, kind)]))
    for element in elements:
        x = sz.tensor(np.array([element, 1], kind), dtype=source)
        for dtype in NUMBERS:
            expected = outcome(lambda x=x, dtype=dtype: sz.tensor(x, dtype=dtype))
            found = outcome(lambda x=x, dtype=dtype: here(sz.tensor(there(x), dtype=dtype, device=GPU)))
            if isinstance(expected, tuple):
                assert isinstance(found, tuple), (element, dtype, found)
                assert found == expected
            else:
                assert_same(found, expected)
