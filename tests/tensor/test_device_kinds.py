"""Registered devices. A class in this file imitates a device, and a call of any function must reach the class.

The class computes on the CPU, so the results are compared with the CPU's results.
"""

from __future__ import annotations

import inspect
import re
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
import pytest

import suanzi
from samples import THING, fails
from suanzi import Device, InvalidArgumentError, SparseTensor, Tensor, TypeMismatchError, _core, array_api, fft
from suanzi.cli import commands
from suanzi.kinds import devices
from suanzi.kinds.call import Call
from suanzi.kinds.devices import Platform
from suanzi.kinds.table import Table
from suanzi.operators.registry import FAMILIES, Record, lookup, records
from suanzi.random import Generator
from suanzi.tensor.device import CPU, device_of

pytestmark = pytest.mark.one_level

# Type checkers do not accept a device's tensor as a Tensor.
sz: Any = suanzi
numpy: Any = np
PLACES = (Device("npu", 0), Device("npu", 1))
RECORDS = tuple(records())
CREATORS = [record for record in RECORDS if "device" in record.parameters]
seen: list[Call] = []


class Placed(_core.Operators):
    """A tensor on a test device."""

    def __init__(self, held: Tensor, device: Device) -> None:
        self.held, self.device = held, device

    @property
    def __class__(self) -> type:
        """Make `isinstance(x, Tensor)` true, so that functions accept the object as a tensor."""
        return Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return self.held.shape

    @property
    def dtype(self) -> suanzi.DType:
        return self.held.dtype


def refuse_out(name: str) -> NoReturn:
    raise TypeMismatchError(f"{name}: no out")


TABLE = Table(lambda name, several: None, refuse_out)


def held(x: Any) -> Any:
    """Return an argument with each tensor on a test device replaced by the CPU tensor that holds its elements."""
    if isinstance(x, list | tuple) and any(isinstance(item, Placed) for item in x):
        return type(x)(map(held, x))
    return x.held if isinstance(x, Placed) else x


def placed(x: Any, device: Device) -> Any:
    """Return a result of the CPU with its tensors placed on a device."""
    if isinstance(x, Tensor):
        return x if device == CPU else Placed(x, device)
    if isinstance(x, SparseTensor):
        return SparseTensor._of(x.pattern, placed(x.values, device))
    if isinstance(x, suanzi.QuantizedTensor):
        return suanzi.QuantizedTensor(placed(x.codes, device), x.parameters)
    if isinstance(x, list):
        return [placed(item, device) for item in x]
    if isinstance(x, tuple) and x and isinstance(x[0], Tensor):
        parts = [placed(item, device) for item in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return x


def device_of_call(call: Call) -> Device:
    """Return the device that a call names, or the device of the first operand that is on a test device."""
    named = call.device if "device" in call.places else None
    if named is not None:
        return device_of(named, call.name)
    every = [item for x in call for item in (x if isinstance(x, list | tuple) else (x,))]
    return next(x.device for x in every if isinstance(x, Placed))


@TABLE.rows("__getitem__", family=tuple(FAMILIES), out=True)
def computed(call: Call) -> Any:
    """Compute a call of any operator on the CPU, and place the result on the call's device."""
    seen.append(call)
    there = device_of_call(call)
    on_cpu = call.replaced(device=None) if "device" in call.places else call
    result = call.builtin(*map(held, on_cpu))
    return placed(result, there) if call.out is None else call.out


@TABLE.rows("to_device")
def moved(call: Call) -> Any:
    seen.append(call)
    there = device_of(call.device, call.name)
    return call.x if call.x.device == there else placed(held(call.x), there)


TABLE.serve(Placed, devices.RANK)


def kind(device: Device, operator: str) -> type[Any]:
    if device.index == 5:
        raise InvalidArgumentError(f"{operator}: {device} is broken")
    return Placed


@pytest.fixture(autouse=True)
def npu() -> Iterator[None]:
    """Register the devices `npu:0` and `npu:1` for one test."""
    devices.register("npu", Platform(lambda: PLACES, kind))
    seen.clear()
    yield
    devices.unregister("npu")


# Arguments for creation functions. The keys are the names of parameters.
GIVEN: dict[str, Any] = {
    "shape": (2, 3),
    "x": sz.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "data": [[1.0, 2.0], [3.0, 4.0]],
    "fill_value": 7,
    "n": 4,
    "start": 1,
    "stop": 9,
    "num": 5,
    "indices": [[0, 1], [1, 2]],
    "values": [1.0, 2.0],
    "seed": 3,
    "scale": 0.5,
    "low": 0,
    "high": 1,
}
OTHER_DATA = {"from_reference": np.arange(4.0), "quantized_tensor": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}


def creation(function: Callable[..., Any], name: str) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments by position, and arguments by keyword, for a function that makes a tensor."""
    given, first, by_keyword = GIVEN | {"data": OTHER_DATA.get(name, GIVEN["data"])}, [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in given:
            if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty:
                continue
            raise AssertionError(f"{name}: what is {parameter.name}?")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            first.append(given[parameter.name])
        else:
            by_keyword[parameter.name] = given[parameter.name]
    if name in ("tensor", "from_reference"):
        del by_keyword["shape"]
    return first, by_keyword


def contents(x: Any) -> Any:
    """Return the elements of a tensor of any kind on any device."""
    if isinstance(x, SparseTensor):
        return x.shape, x.indices.tolist(), contents(x._values)
    if isinstance(x, suanzi.QuantizedTensor):
        return x.shape, contents(x._codes)
    return x.shape, x.dtype, held(x).tolist()


def is_random_memory(name: str) -> bool:
    return name.startswith("empty")


def assert_on(x: Any, device: Device, expected: Any, name: str) -> None:
    assert x.device == device
    assert type(x) is (Placed if isinstance(expected, Tensor) else type(expected))
    if is_random_memory(name):
        assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
    else:
        assert contents(x) == contents(expected)


# --- creation ---


def test_which_functions_make_tensors_on_devices() -> None:
    """The functions of the families creation and random accept `device`, except `bernoulli` and `multinomial`."""
    made = {record.name for record in RECORDS if record.family in ("creation", "random")}
    assert {record.name for record in CREATORS} == made - {"bernoulli", "multinomial"}


@pytest.mark.parametrize("device", ["npu:1", "NPU:1", Device("npu", 1)], ids=repr)
@pytest.mark.parametrize("record", CREATORS, ids=lambda r: r.name)
def test_creation_functions_reach_the_device(record: Record, device: Any) -> None:
    first, named = creation(record.function, record.name)
    expected = record.function(*first, **named)
    assert not seen
    found = record.function(*first, **named, device=device)
    (call,) = seen
    assert call.record is record
    assert call.device is device
    for name, value in zip(record.operands, first, strict=False):
        assert getattr(call, name) is value
    for name, value in named.items():
        assert getattr(call, name) is value
    assert_on(found, PLACES[1], expected, record.name)


@pytest.mark.parametrize("device", [None, "cpu", "CPU:0", CPU], ids=repr)
@pytest.mark.parametrize("record", CREATORS, ids=lambda r: r.name)
def test_on_the_cpu_nobody_is_asked(record: Record, device: Any) -> None:
    first, named = creation(record.function, record.name)
    expected, found = record.function(*first, **named), record.function(*first, **named, device=device)
    assert not seen
    assert type(found) is type(expected)
    assert found.device == "cpu"
    if not is_random_memory(record.name):
        assert contents(found) == contents(expected)


def refused(function: Callable[..., Any], name: str, *first: Any, **named: Any) -> None:
    """Check that a function refuses devices that do not exist, and values that are not devices."""
    for device in ("npu:2", "gpu", "asic:3", Device("cpu", 1)):
        with pytest.raises(
            InvalidArgumentError, match=rf"^{re.escape(name)}: device \w+:\d is not available([:;] .+)?$"
        ):
            function(*first, **named, device=device)
    with pytest.raises(InvalidArgumentError, match=rf"^{re.escape(name)}: npu:5 is broken$"):
        function(*first, **named, device="npu:5")
    for wrong in ("tpu", "", 3, THING):
        with fails(InvalidArgumentError, name):
            function(*first, **named, device=wrong)


@pytest.mark.parametrize("record", CREATORS, ids=lambda r: r.name)
def test_devices_that_are_not_there(record: Record) -> None:
    first, named = creation(record.function, record.name)
    refused(record.function, record.name, *first, **named)
    assert not seen


@pytest.mark.parametrize("record", [r for r in CREATORS if r.core], ids=lambda r: r.name)
def test_builtins_reach_the_device(record: Record) -> None:
    """A call of the core's builtin for a function reaches the device that the call names."""
    first, named = creation(record.function, record.name)
    known = {**dict(zip(record.operands, first, strict=False)), **named, "device": "npu:0"}
    signature = inspect.signature(record.function)
    arguments = [known.get(p, signature.parameters[p].default) for p in record.parameters]
    assert_on(record.builtin(*arguments), PLACES[0], record.function(*first, **named), record.name)
    assert seen[0].record is record


@pytest.mark.parametrize("record", [r for r in CREATORS if r.operands == ("x",)], ids=lambda r: r.name)
def test_like_a_tensor_that_lies_elsewhere(record: Record) -> None:
    """A function such as `zeros_like` makes its result on the operand's device unless the call names a device."""
    x = GIVEN["x"]
    expected = record.function(x, **creation(record.function, record.name)[1])
    there, named = Placed(x, PLACES[1]), creation(record.function, record.name)[1]
    assert_on(record.function(there, **named), PLACES[1], expected, record.name)
    assert_on(record.function(there, **named, device="npu:0"), PLACES[0], expected, record.name)
    back = record.function(there, **named, device="cpu")
    assert type(back) is Tensor
    assert [call.x for call in seen] == [there] * 3


def test_a_keyword_that_is_another_object_of_the_same_name() -> None:
    name = "".join(["dev", "ice"])
    assert sz.tensor([1.0], **{name: "npu:0"}).device == PLACES[0]
    assert sz.zeros(3, **{name: "npu:0"}).device == PLACES[0]


def test_two_devices_of_other_kinds() -> None:
    """A call queries the operand's kind first, then the device's kind, and fails if neither kind returns a result."""

    class Other(_core.Operators):
        pass

    table: dict[str, Callable[..., Any]] = {
        "zeros_like": lambda x, *_: ("other", x),
        "ones": lambda *_: NotImplemented,
        "full": lambda *_: sz.add(sz.ones(2), sz.ones(3)),
    }
    _core.register_kind(Other, devices.RANK, table)
    devices.register("asic", Platform(lambda: (Device("asic"),), lambda device, operator: Other))
    try:
        x = Placed(GIVEN["x"], PLACES[0])
        assert sz.zeros_like(GIVEN["x"], device="asic") == ("other", GIVEN["x"])
        assert sz.zeros_like(x, device="asic").device == "asic"  # the kind of the npu returned the result
        assert seen[0].x is x
        for name, call in {
            "zeros": lambda: sz.zeros(2, device="asic"),
            "ones": lambda: sz.ones(2, device="asic"),
            "tensor": lambda: sz.tensor([1.0], device="asic:0"),
            "fft.fftfreq": lambda: fft.fftfreq(4, device="asic"),
        }.items():
            with pytest.raises(InvalidArgumentError, match=rf"^{name}: device 'asic\S* does not have this function$"):
                call()
        with fails(suanzi.DimensionsMismatchError, "full"):  # the error of any step names the public function
            sz.full(2, 3, device="asic")
    finally:
        devices.unregister("asic")


# --- other functions that name devices ---


def with_device(namespace: Any, names: Any) -> list[str]:
    """Return the names of the functions of a namespace that have a parameter `device`."""
    found = [
        name for name in names if callable(getattr(namespace, name)) and not isinstance(getattr(namespace, name), type)
    ]
    return [name for name in found if "device" in inspect.signature(getattr(namespace, name)).parameters]


@pytest.mark.parametrize("name", with_device(array_api, array_api.__all__))
def test_functions_of_the_array_api(name: str) -> None:
    function = getattr(array_api, name)
    arguments: dict[str, list[Any]] = {
        "asarray": [[1.0, 2.0]],
        "from_dlpack": [np.arange(3.0)],
        "astype": [GIVEN["x"], "float64"],
        "full_like": [GIVEN["x"], 7],
        "full": [(2, 3), 7],
        "arange": [1, 9],
        "linspace": [0, 1, 4],
        "eye": [3],
    }
    given = arguments.get(name, [GIVEN["x"]] if name.endswith("_like") else [(2, 3)])
    expected = function(*given)
    assert_on(function(*given, device="npu:0"), PLACES[0], expected, name)
    assert type(function(*given, device="cpu")) is Tensor
    if name != "from_dlpack":
        refused(function, name, *given)
    with fails(InvalidArgumentError, name):
        function(*given, device="gpu")


def test_extensions_of_the_array_api() -> None:
    for name in with_device(array_api.fft, array_api.fft.__all__):
        assert_on(getattr(array_api.fft, name)(4, device="npu:1"), PLACES[1], getattr(array_api.fft, name)(4), name)
        refused(getattr(array_api.fft, name), f"fft.{name}", 4)


def test_without_a_copy() -> None:
    x = GIVEN["x"]
    assert array_api.asarray(x, device="cpu", copy=False) is x
    with pytest.raises(InvalidArgumentError, match=r"^asarray: on cpu:0, not on 'npu:0' without a copy$"):
        array_api.asarray(x, device="npu:0", copy=False)
    with pytest.raises(BufferError, match=r"^from_dlpack: on cpu:0, not on 'npu:0' without a copy$"):
        array_api.from_dlpack(x, device="npu:0", copy=False)
    with pytest.raises(BufferError, match=r"^from_dlpack: device gpu:0 is not available: "):
        array_api.from_dlpack(x, device="gpu", copy=False)


def test_the_array_api_lists_devices() -> None:
    info = array_api.__array_namespace_info__()
    assert info.default_device() == CPU
    assert info.devices() == (CPU, *PLACES) == devices.available()
    for ask in (info.dtypes, info.default_dtypes):
        assert ask(device="npu:1") == ask()
        refused(ask, ask.__name__)


@pytest.mark.parametrize("name", with_device(Generator, [n for n in dir(Generator) if not n.startswith("_")]))
def test_generators(name: str) -> None:
    given = {"integers": [(2, 3), 0, 10], "randperm": [6]}.get(name, [(2, 3)])
    expected = getattr(Generator(7), name)(*given)
    assert_on(getattr(Generator(7), name)(*given, device="npu:1"), PLACES[1], expected, name)
    assert_on(getattr(Generator(7), name)(*given, device=PLACES[0]), PLACES[0], expected, name)
    refused(getattr(Generator(7), name), name, *given)


def test_numpys_functions() -> None:
    x = GIVEN["x"]
    for function in (numpy.zeros_like, numpy.ones_like, numpy.empty_like):
        assert function(x, device="npu:0").device == PLACES[0]
    assert numpy.full_like(x, 3, shape=(2,), device="npu:0").held.tolist() == [3.0, 3.0]
    assert_on(numpy.linspace(x[0], 5, 3, device="npu:1"), PLACES[1], numpy.linspace(x[0], 5, 3, device="cpu"), "")
    with fails(InvalidArgumentError, "numpy.linspace"):
        numpy.linspace(x[0], 5, 3, device="gpu")


def test_suanzi_info_lists_devices(capsys: pytest.CaptureFixture[str]) -> None:
    commands.info(Namespace(c=None, json=False, model=None))
    assert "cpu:0, npu:0, npu:1" in capsys.readouterr().out


# --- operators ---

MATRIX = sz.tensor([[4.0, 1.0], [1.0, 3.0]])


@pytest.mark.parametrize(
    "record",
    [r for r in RECORDS if r.operands and not inspect.isfunction(r.function) and r.family != "creation"],
    ids=lambda r: r.name,
)
def test_operators_reach_the_device_whole(record: Record) -> None:
    """A call searches the table of a device for the public function first, even if the function's body is in Python."""
    calls: list[Call] = []

    class Asked(_core.Operators):
        pass

    table = Table(lambda name, several: None, refuse_out)

    @table.rows(family=tuple(FAMILIES), out=True)
    def answer(call: Call) -> str:
        calls.append(call)
        return "answer"

    table.serve(Asked, devices.RANK)
    x = Asked()
    signature = inspect.signature(record.function).parameters.values()
    required = [p for p in signature if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    given: list[Any] = []
    for parameter in required:
        if parameter.name not in record.operands:
            given.append("ij" if parameter.name == "subscripts" else 1)
        elif record.core is not None and parameter.name in ("tensors", "arrays"):
            given.append([x, x])
        else:
            given.append(x)
    assert record.function(*given) == "answer"
    (call,) = calls
    assert call.record is record
    first = getattr(call, record.operands[0])
    assert x in first if isinstance(first, list | tuple) else first is x
    if record.has_out:
        assert record.function(*given, out=x) == "answer"
        assert calls[-1].out is x


def test_results_of_operators() -> None:
    x: Any = Placed(MATRIX, PLACES[0])
    y = Placed(sz.tensor([1.0, 2.0]), PLACES[0])
    for found, expected in (
        (x + y, MATRIX + y.held),
        (2 * x, 2 * MATRIX),
        (-x, -MATRIX),
        (x @ y, MATRIX @ y.held),
        (x > 1, MATRIX > 1),
        (x[0], MATRIX[0]),
        (sz.reduce(x, "max", axis=0), sz.max(MATRIX, axis=0)),
        (x.sum(axis=1), MATRIX.sum(axis=1)),
        (x.reshape(4), MATRIX.reshape(4)),
        (sz.svd(x)[1], sz.svd(MATRIX)[1]),
        (sz.concat([x, x]), sz.concat([MATRIX, MATRIX])),
        (sz.einsum("ij,j", x, y), sz.einsum("ij,j", MATRIX, y.held)),
    ):
        assert_on(found, PLACES[0], expected, "")
    assert sz.allclose(x, MATRIX) is True
    assert type(sz.topk(x, 1)).__name__ == "TopK"


def test_an_operation_that_no_reduction_has() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^reduce: "):
        sz.reduce(Placed(MATRIX, PLACES[0]), "nonsense")
    assert seen[-1].record is lookup("reduce")


def test_out() -> None:
    out = Placed(sz.zeros((2, 2)), PLACES[0])
    x = Placed(MATRIX, PLACES[0])
    assert sz.add(x, 1, out=out) is out
    assert out.held.tolist() == [[5.0, 2.0], [2.0, 4.0]]
    assert sz.reduce(x, "sum", axis=0, out=Placed(sz.zeros(2), PLACES[0])).held.tolist() == [5.0, 4.0]


# --- from one device to another ---


def test_to_device() -> None:
    x = GIVEN["x"]
    there = x.to_device("npu:1")
    assert_on(there, PLACES[1], x, "")
    assert there.to_device(PLACES[1]) is there
    assert_on(there.to_device("npu:0"), PLACES[0], x, "")
    back = there.to_device("cpu")
    assert type(back) is Tensor
    assert back.tolist() == x.tolist()
    assert all(call.record.name == call.name == "to_device" for call in seen)
    assert x.to_device("cpu") is x.to_device(CPU) is x
    for device in ("npu:2", "gpu", 3, "tpu"):
        for tensor in (x, there):
            with fails(InvalidArgumentError, "to_device"):
                tensor.to_device(device)
    gone = sz.clone(x)
    sz.destroy(gone)
    with fails(suanzi.UninitializedObjectError, "to_device"):
        gone.to_device("cpu")


def test_values_and_codes_that_lie_there() -> None:
    """A call queries the kind of a sparse or quantized tensor before the kind of the values or codes on a device."""
    sparse = sz.sparse_tensor((2, 3), [[0, 1], [1, 2]], [1.0, -2.0], device="npu:1")
    assert sparse.device == PLACES[1]
    seen.clear()
    absolute = sz.abs(sparse)
    assert type(absolute) is SparseTensor
    assert absolute.device == PLACES[1]
    assert seen[-1].record is lookup("abs")
    assert sz.quantized_tensor(None, [1.0, 2.0], scale=0.5, device="npu:0").device == PLACES[0]


# --- the table of devices ---


def test_unregistered_devices_are_refused() -> None:
    there = sz.ones(3, device="npu:0")
    devices.unregister("npu")
    try:
        assert devices.available() == (CPU,)
        with pytest.raises(InvalidArgumentError, match=r"^ones: device npu:0 is not available"):
            sz.ones(3, device="npu:0")
        assert_on(there + 1, PLACES[0], sz.ones(3) + 1, "")  # the result is a tensor of the same kind
    finally:
        devices.register("npu", Platform(lambda: PLACES, kind))
    assert sz.ones(3, device="npu:0").device == PLACES[0]


def test_registrations_that_are_refused() -> None:
    for name in ("cpu", "npu"):
        with fails(InvalidArgumentError, "register"):
            devices.register(name, Platform(lambda: PLACES, kind))
    devices.register("fpga", Platform(lambda: (Device("fpga"),), lambda device, operator: Tensor))
    try:
        with pytest.raises(AttributeError):  # Tensor is not the class of a kind
            sz.ones(3, device="fpga")
    finally:
        devices.unregister("fpga")
