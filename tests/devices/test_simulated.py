"""Tests of failures on a simulated accelerator: short memory, late errors, and refused calls.

The accelerator has two devices ("npu:0" and "npu:1"), and memory that the host cannot touch.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from placing import outcome, sz

import suanzi
from suanzi import AllocFailedError, InternalError, InvalidArgumentError, OutOfRangeError, Status, TypeMismatchError

pytestmark = pytest.mark.one_level

HERE = Path(__file__).parent
FIRST, SECOND = "npu:0", "npu:1"
MIB = 2**20


@pytest.fixture(autouse=True)
def device(accelerator: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield the accelerator as the devices npu:0 and npu:1. After the test, all memory is available again."""
    monkeypatch.setenv("SUANZI_NPU", "sim")
    yield accelerator
    for i in (0, 1):
        accelerator.limit(i, 2**33)
    accelerator.fail("", False)
    sz.synchronize(FIRST)


def leave(device: Any, spare: int) -> int:
    """Limit the first device to `spare` free bytes, and return the number of bytes in use."""
    import torch

    gc.collect()
    torch.accelerator.empty_cache()
    used: int = device.used(0)
    device.limit(0, used + spare)
    return used


def numbers(device: str = FIRST) -> Any:
    return sz.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)


def test_the_devices() -> None:
    assert {FIRST, SECOND} <= {str(device) for device in sz.devices()}
    x = numbers(SECOND)
    assert (x.device, (x + 1).device, sz.zeros(2, device=SECOND).device) == (SECOND, SECOND, SECOND)
    y = x.to_device(FIRST)
    assert (y.device, y.tolist(), y.to_device(SECOND).tolist()) == (FIRST, x.tolist(), x.tolist())
    with pytest.raises(InvalidArgumentError, match=r"npu:2 is not available: there are 2, with the indices 0 to 1"):
        sz.zeros(2, device="npu:2")


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python process that has loaded the accelerator."""
    paths = os.pathsep.join([str(HERE / "simulated"), str(HERE), *sys.path])
    start = "import accelerator; simulated = accelerator.loaded(); import suanzi as sz\n"
    given = os.environ | {"SUANZI_NPU": "sim", "PYTHONPATH": paths} | environment
    return subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, env=given, check=False)


def test_the_host_cannot_touch_the_memory() -> None:
    """A read of device memory ends the process, so a test fails if an operator reads the memory on the host."""
    done = run("import ctypes; x = sz.ones(4, device='npu:0'); print('made', flush=True)\n"
               "ctypes.string_at(x.data.data_ptr(), 4); print('read')")  # fmt: skip
    assert done.stdout == "made\n"
    assert done.returncode < 0  # killed by a signal


# --- no memory ---

MAKERS: dict[str, Any] = {
    "add": lambda x: x + x,
    "exp": sz.exp,
    "astype": lambda x: sz.astype(x, "float64"),
    "concat": lambda x: sz.concat([x, x]),
    "matmul": lambda x: sz.reshape(x, (-1, 1)) @ sz.reshape(x[:8], (1, -1)),
    "zeros": lambda x: sz.zeros(MIB, device=FIRST),
    "arange": lambda x: sz.arange(MIB, device=FIRST),
    "tensor": lambda x: sz.tensor(np.ones(MIB, np.float32), device=FIRST),
    "to_device": lambda x: sz.ones(MIB).to_device(FIRST),
    "uniform": lambda x: sz.uniform(MIB, 0, 1, seed=1, device=FIRST),
    "sort": sz.sort,
    "cumulative_sum": sz.cumulative_sum,
    "to_sparse": sz.to_sparse,
    "quantize": sz.quantize,
    "clone": sz.clone,
}


@pytest.mark.parametrize("name", MAKERS)
def test_out_of_memory(device: Any, name: str) -> None:
    """If memory is short, an operator raises ALLOC_FAILED with the operator's name. Existing tensors stay valid."""
    x = sz.full(MIB // 2, 3.0, device=FIRST)
    used = leave(device, 64 * 1024)
    found = outcome(lambda: MAKERS[name](x))
    assert isinstance(found, tuple), "enough memory"
    assert found[0] is Status.ALLOC_FAILED
    assert found[1].startswith(f"{name}: sim: out of memory")
    assert device.used(0) <= used
    assert (x[:3] + 1).tolist() == [4.0, 4.0, 4.0]
    assert float(sz.min(x[: MIB // 256])) == 3.0
    device.limit(0, 2**33)
    MAKERS[name](x)


def test_one_retry(device: Any) -> None:
    """If memory is short, an operator frees PyTorch's cache and unreachable tensors, and tries again."""
    x = sz.zeros(MIB, device=FIRST)
    leave(device, 4096)
    del x  # the allocator keeps the memory until the cache is emptied
    sz.zeros((MIB // 2,), device=FIRST)
    ring: list[Any] = [sz.zeros(MIB // 2, device=FIRST)]
    ring.append(ring)
    del ring
    assert sz.ones(MIB, device=FIRST)[:2].tolist() == [1.0, 1.0]


def test_memory_of_one_device(device: Any) -> None:
    leave(device, 0)
    with pytest.raises(AllocFailedError, match=r"^ones: "):
        sz.ones(MIB, device=FIRST)
    assert sz.ones(MIB, device=SECOND)[:2].tolist() == [1.0, 1.0]


def test_into_and_in_place_without_memory(device: Any) -> None:
    """An operation in place needs no free memory."""
    x = sz.ones(MIB, device=FIRST)
    leave(device, 0)
    x += x
    with pytest.raises(AllocFailedError):
        x *= sz.ones(MIB, device=FIRST)
    device.limit(0, 2**33)
    assert x[:2].tolist() == [2.0, 2.0]


# --- late errors ---


@pytest.mark.parametrize("wait", ["synchronize", "numpy", "item", "repr", "index"])
def test_late_errors(device: Any, wait: str) -> None:
    """The next wait for a failed device raises INTERNAL_ERROR with the names of the operators called before."""
    x = numbers()
    waits: dict[str, Any] = {
        "synchronize": sz.synchronize,
        "numpy": x.numpy,
        "item": lambda: x[0, 0].item(),
        "repr": lambda: repr(x),
        "index": lambda: (sz.take(x, sz.tensor([0], dtype="int64", device=FIRST), axis=0), sz.synchronize()),
    }
    device.fail("CUDA error: an illegal memory access was encountered", False)
    y = sz.exp(x) + x
    y = sz.cumulative_sum(y, axis=0)
    with pytest.raises(InternalError, match=r"illegal memory access.* after .*exp, add, cumulative_sum") as error:
        waits[wait]()
    assert "the device's context is lost: start a new process" in str(error.value)
    assert (numbers() + 1).tolist() == [[2.0, 3.0], [4.0, 5.0]]  # this operator is not named in the error
    assert y is not None


def test_synchronous_mode_names_the_operator(device: Any) -> None:
    x = numbers()
    suanzi.devices.set_synchronous(True)
    try:
        device.fail("CUDA error: misaligned address", False)
        with pytest.raises(InternalError, match=r"misaligned address after .*cosh;"):
            sz.cosh(x)
        assert sz.sum(x).tolist() == 10.0
        with pytest.raises(OutOfRangeError, match=r"^take: an index lies outside its range"):
            sz.take(x, sz.tensor([7], dtype="int64", device=FIRST), axis=0)
    finally:
        suanzi.devices.set_synchronous(False)


def test_a_lost_context_tells_each_time(device: Any) -> None:
    x = numbers()
    device.fail("HIP error: unspecified launch failure", True)
    for call in (x.numpy, sz.synchronize, lambda: float(x[0, 0])):
        with pytest.raises(InternalError, match="context is lost"):
            call()
    device.fail("", False)
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("name", ["take", "gather", "__getitem__", "scatter", "take_along_axis"])
def test_indices_out_of_range(name: str) -> None:
    """A wrong index raises OUT_OF_RANGE late, with the operator's name. The device keeps working."""
    x = sz.tensor([1.0, 2.0, 3.0], device=FIRST)
    bad = sz.tensor([1, 3], dtype="int64", device=FIRST)
    calls: dict[str, Any] = {
        "take": lambda: sz.take(x, bad, axis=0),
        "gather": lambda: sz.gather(x, bad, 0),
        "__getitem__": lambda: x[bad],
        "scatter": lambda: sz.scatter(x, bad, sz.zeros(2, device=FIRST), 0),
        "take_along_axis": lambda: sz.take_along_axis(x, bad, 0),
    }
    found = calls[name]()
    with pytest.raises(OutOfRangeError, match=rf"^{name.replace('__getitem__', 'index')}: an index lies outside"):
        sz.synchronize()
    assert found.shape[0] in (2, 3)
    assert (x + 1).tolist() == [2.0, 3.0, 4.0]
    sz.synchronize()


# --- refused calls ---


def test_several_devices() -> None:
    x, y = numbers(FIRST), numbers(SECOND)
    index = sz.tensor([0], dtype="int64", device=SECOND)
    calls: list[Any] = [
        lambda: x + y,
        lambda: x @ y,
        lambda: sz.concat([x, y]),
        lambda: sz.where(x > 0, x, y),
        lambda: x[index],
        lambda: sz.add(x, x, out=y),
        lambda: x.__iadd__(y),
        lambda: x.__setitem__(0, y[0]),
        lambda: sz.to_sparse(x) + sz.to_sparse(y),
        lambda: sz.to_sparse(x, "csr") @ y,
        lambda: sz.quantize(x) + sz.quantize(y),
        lambda: sz.quantize(x, y[0, 0]),
    ]
    for call in calls:
        status, text = outcome(call)
        assert status is Status.INVALID_ARGUMENT
        assert FIRST in text
        assert SECOND in text
    assert x.tolist() == y.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_what_there_is_not() -> None:
    with pytest.raises(TypeMismatchError, match="__array__"):
        np.asarray(numbers())
    with pytest.raises(TypeError):
        memoryview(numbers())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_is_told() -> None:
    """In a forked process, an operator on the device raises INTERNAL_ERROR with the remedy, and does not hang."""
    done = run("import os\nx = sz.ones(3, device='npu:0')\nif os.fork() == 0:\n"
               "    try:\n        x + 1\n    except sz.InternalError as error:\n        print(error, flush=True)\n"
               "    os._exit(0)\nos.wait()\nprint((x + 1).tolist())")  # fmt: skip
    told = "add: Cannot re-initialize sim in forked subprocess: start processes that use a device by spawn"
    assert done.stdout.splitlines() == [told, "[2.0, 2.0, 2.0]"]


# --- the other tests of devices ---

QUICK = ("mechanism", "device_indexing", "device_random", "device_sparse", "device_quantized", "functions")
SOME = "not operators_of or float32 or qint8-qint8_per_channel"  # tests that repeat for every type run for two types


def test_other_tests_on_it() -> None:
    """The other device tests pass on the accelerator, so no operator reads device memory on the host."""
    files = [str(HERE / f"test_{module}.py") for module in QUICK]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", SOME, *files]
    given = os.environ | {"SUANZI_GPU": "sim", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=given, cwd=HERE.parents[1], check=False)
    assert done.returncode == 0, done.stdout[-4000:]
