"""Functions composed of operators return results on the device, and copy at most a few elements to the host."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from placing import GPU, assert_same, here, not_simulated, sz, there

import good_arguments
from calls import CALLS
from suanzi import array_api, extras, nn
from suanzi.operators.registry import neural_records

pytestmark = pytest.mark.one_level

X = sz.tensor(np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))
WHOLE = sz.tensor([3, 1, 1, 0], dtype="int64")
ARGUMENTS: dict[str, list[Any]] = {
    "bincount": [WHOLE],
    "quantile": [X, 0.25],
    "nanquantile": [X, [0.25, 0.5]],
    "append": [X, X],
    "digitize": [X, sz.tensor([-1.0, 0.0, 1.0])],
    "interp": [X, sz.tensor([-1.0, 0.0, 1.0]), sz.tensor([1.0, 2.0, 4.0])],
    "isin": [WHOLE, sz.tensor([1, 3], dtype="int64")],
    "nan_to_num": [X],
}
# Functions that read a few elements to choose an algorithm.
ASKS = {"bincount", "histogram", "quantile", "nanquantile", "interp", "digitize"}


def arguments(name: str, function: Any) -> list[Any] | None:
    """Return the first candidate arguments that the function accepts, or None."""
    for given in (ARGUMENTS.get(name), [X], [X, X], [X, 0.5], [X, X, X], [[X, X]]):
        if given is None:
            continue
        try:
            function(*given)
        except Exception:
            continue
        return given
    return None


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each copy to the host appends the number of copied elements."""
    from suanzi.devices import tensor

    counts: list[int] = []
    before = tensor.on_host

    def counted(x: Any, operator: str) -> Any:
        counts.append(x.size)
        return before(x, operator)

    monkeypatch.setattr(tensor, "on_host", counted)
    return counts


def compared(function: Any, given: list[Any], moved: list[int], most: int, ulp: float = 100.0) -> None:
    """Check that a function returns the CPU's result on the device, or raises TYPE_MISMATCH with the reason.

    The function may copy at most `most` elements to the host.
    """
    operands = there(given)
    moved.clear()
    status, found = sz.attempt(lambda: function(*operands))
    assert sum(moved) <= most, moved
    if status:
        assert status == sz.Status.TYPE_MISMATCH
        assert "on the CPU alone" in str(found) or "PyTorch: " in str(found)
        return
    expected = function(*given)
    if isinstance(expected, (tuple, list, sz.Tensor)):
        assert_same(here(found), list(expected) if isinstance(expected, tuple) else expected, ulp)


@pytest.mark.parametrize("name", extras.__all__)
def test_extras(name: str, moved: list[int]) -> None:
    function = getattr(extras, name)
    given = arguments(name, function)
    assert given is not None, "a function that this test does not call"
    compared(function, given, moved, 8 if name in ASKS else 2)


SQUARE = sz.tensor(np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32))
TRUTH = X > 0
PROTOCOL: dict[str, list[Any]] = {
    "argsort": [X],
    "astype": [X, array_api.float64],
    "bitwise_and": [WHOLE, WHOLE],
    "bitwise_left_shift": [WHOLE, WHOLE],
    "bitwise_or": [WHOLE, WHOLE],
    "bitwise_right_shift": [WHOLE, WHOLE],
    "bitwise_xor": [WHOLE, WHOLE],
    "bitwise_invert": [WHOLE],
    "broadcast_to": [X, (2, 4, 5)],
    "cross": [SQUARE, SQUARE],
    "einsum": ["ij,kj->ik", X, X],
    "meshgrid": [X[0], X[1]],
    "pad": [X, ((1, 0), (0, 2))],
    "linalg.outer": [X[0], X[1]],
    "clip": [X, -0.5, 0.5],
    "expand_dims": [X],
    "logical_and": [TRUTH, TRUTH],
    "logical_or": [TRUTH, TRUTH],
    "logical_xor": [TRUTH, TRUTH],
    "logical_not": [TRUTH],
    "matmul": [X, sz.permute_dims(X, (1, 0))],
    "moveaxis": [X, 0, 1],
    "permute_dims": [X, (1, 0)],
    "repeat": [X, 2],
    "reshape": [X, (5, 4)],
    "roll": [X, 1],
    "squeeze": [sz.reshape(X, (4, 1, 5)), 1],
    "swapaxes": [X, 0, 1],
    "take": [X, WHOLE],
    "take_along_axis": [X, sz.reshape(WHOLE, (4, 1))],
    "searchsorted": [sz.sort(X[0]), X[0]],
    "tensordot": [SQUARE, SQUARE],
    "tile": [X, (2, 1)],
    "where": [TRUTH, X, X],
    "linalg.cross": [SQUARE, SQUARE],
    "linalg.matrix_power": [SQUARE, 3],
    "linalg.tensordot": [SQUARE, SQUARE],
    "linalg.cholesky": [SQUARE @ SQUARE.T + 3 * sz.eye(3)],
    "linalg.matmul": [SQUARE, SQUARE],
}
# Functions with several right results, with solutions that a device rounds differently, or with unset memory.
NOT_CALLED = {"linalg.eig", "linalg.eigh", "linalg.qr", "linalg.svd", "linalg.eigvals", "linalg.solve", "empty_like"}


def _protocol() -> list[tuple[str, Any]]:
    """Return the names and functions of the array API, except the functions in NOT_CALLED."""
    modules = (("", array_api), ("linalg.", array_api.linalg), ("fft.", array_api.fft))
    found = [(prefix + name, getattr(module, name)) for prefix, module in modules for name in module.__all__]
    return [
        (name, f) for name, f in found if callable(f) and not isinstance(f, (type, sz.DType)) and name not in NOT_CALLED
    ]


# Functions of the array API without an array as argument. Functions that make an array use the default device (tested
# below).
OF_NO_ARRAY = {"__array_namespace_info__", "broadcast_shapes", "can_cast", "iinfo", "isdtype"}
OF_NO_ARRAY |= {"arange", "empty", "eye", "full", "linspace", "ones", "zeros", "fft.fftfreq", "fft.rfftfreq"}


@pytest.mark.parametrize(("name", "function"), _protocol(), ids=lambda x: x if isinstance(x, str) else "")
def test_the_array_api(name: str, function: Any, moved: list[int]) -> None:
    given = PROTOCOL.get(name) or arguments(name, function)
    if given is None and name.startswith(("linalg.", "fft.")):
        given = next((g for g in ([SQUARE], [X[0]], [SQUARE, SQUARE]) if sz.attempt(function, *g)[0] == 0), None)
    assert (given is None) == (name in OF_NO_ARRAY), "a function that this test does not call"
    if given is not None:
        compared(function, given, moved, 2)


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c.name)
def test_operators_copy_nothing_to_the_host(call: Any, moved: list[int]) -> None:
    if not call.makers:
        pytest.skip("makes a tensor of no other")
    operands = call.operands(64)
    if any(type(x) is not sz.Tensor or x.dtype == sz.string for x in operands):
        pytest.skip("operands of another kind")
    if call.function in TO_THE_HOST:
        pytest.skip("what it is for")
    given = there(operands)
    moved.clear()
    sz.attempt(lambda: call.run(*given))
    assert sum(moved) <= 2, moved


# Functions that create or destroy a tensor, or return a Python number.
OF_OTHER_OPERANDS = {"dequantize", "requantize", "arange", "linspace", "sparse_tensor"}  # other tests call these
OF_NO_TENSOR = {"destroy", "is_contiguous", "array_equal", "allclose", "from_dlpack", "from_reference", "tensor"}
# Functions that read a few elements for checks.
CHECKS = {"quantize", "requantize"}


@pytest.mark.parametrize("name", [name for name in good_arguments.FUNCTIONS if name not in OF_NO_TENSOR])
def test_operators_stay_on_the_device(name: str, moved: list[int]) -> None:
    """Operators of operands on a device return results on the device, or raise TYPE_MISMATCH with the reason."""
    record = good_arguments.FUNCTIONS[name]
    if name in OF_OTHER_OPERANDS or not good_arguments.tensors_of(record) or record.accepts == "S":
        pytest.skip("makes a tensor of no other")
    given = there(good_arguments.arguments(record))
    moved.clear()
    status, found = sz.attempt(lambda: record.function(*given))
    assert sum(moved) <= (8 if name in CHECKS else 2), moved
    assert status in (0, sz.Status.TYPE_MISMATCH), found
    if status:
        assert "on the CPU alone" in str(found) or "PyTorch: " in str(found)
    if isinstance(found, (tuple, list)):
        assert type(found) is type(record.function(*good_arguments.arguments(record)))
    for result in found if isinstance(found, (tuple, list)) else [found]:
        assert not isinstance(result, sz.Tensor) or result.device == GPU


def test_parts_of_quantized_tensors_on_the_device() -> None:
    x = sz.quantize(X, 0.1, dtype="qint8")
    for found, expected in zip(sz.split(x.to_device(GPU), 2), sz.split(x, 2), strict=True):
        assert found.device == GPU
        assert found.dequantize().tolist() == expected.dequantize().tolist()


IMAGE = sz.tensor(np.random.default_rng(2).normal(size=(2, 4, 6, 5)).astype(np.float32))
LAYER = [sz.ones((3, 2, 4)), *(sz.ones((n, 4)) for n in (4, 4))]
CHANNELS = sz.ones(4)
NEURAL: dict[str, list[Any]] = {
    "adaptive_avg_pool": [IMAGE, 2],
    "adaptive_max_pool": [IMAGE, 2],
    "avg_pool": [IMAGE, 2],
    "batch_norm": [IMAGE, CHANNELS, CHANNELS],
    "conv": [IMAGE, sz.ones((2, 4, 3, 2))],
    "conv_transpose": [IMAGE, sz.ones((4, 2, 3, 2))],
    "embedding": [WHOLE, X],
    "glu": [IMAGE, 1],
    "grid_sample": [IMAGE, sz.zeros((2, 3, 3, 2))],
    "group_norm": [IMAGE, 2],
    "gru": [LAYER[0], sz.ones((12, 4)), sz.ones((12, 4))],
    "layer_norm": [X, (5,)],
    "lp_pool": [IMAGE, 2, 2],
    "lrn": [IMAGE, 3],
    "lstm": [LAYER[0], sz.ones((16, 4)), sz.ones((16, 4))],
    "max_pool": [IMAGE, 2],
    "max_unpool": [IMAGE, sz.zeros(IMAGE.shape, dtype="int64"), 2],
    "nms": [sz.abs(X)[:, :4], sz.ones(4)],
    "linear_packed": [sz.ones((2, 16)), sz.full((3, 1, 8), 0x9A, dtype="uint8"), sz.ones((3, 1))],
    "one_hot": [WHOLE, 4],
    "pixel_shuffle": [IMAGE, 2],
    "pixel_unshuffle": [IMAGE[:, :, :, :4], 2],
    "prelu": [IMAGE, CHANNELS],
    "rms_norm": [X, (5,)],
    "rnn": LAYER,
    "roi_align": [IMAGE, sz.tensor([[0.0, 0.0, 3.0, 4.0]]), None, 2],
    "scaled_dot_product_attention": [IMAGE, IMAGE, IMAGE],
}


@pytest.mark.parametrize("name", nn.__all__)
def test_neural_networks(name: str, moved: list[int]) -> None:
    given = NEURAL.get(name) or next(g for g in ([IMAGE], [X]) if sz.attempt(getattr(nn, name), *g)[0] == 0)
    compared(getattr(nn, name), given, moved, 0, 1e4)


WRITING = [r.called for r in neural_records() if r.has_out and r.core is None]


@pytest.mark.parametrize("name", WRITING)
def test_results_in_given_memory(name: str, moved: list[int]) -> None:
    function, given = getattr(nn, name), NEURAL.get(name, [IMAGE])
    results = function(*given)
    every = results if isinstance(results, tuple) else (results,)
    outs = tuple(there(sz.zeros(expected.shape, dtype=expected.dtype)) for expected in every)
    operands, *first, last = there(given), *outs

    def write(last: Any) -> Any:
        return function(*operands, out=(*first, last) if first else last)

    moved.clear()
    written = write(last)
    assert sum(moved) == 0
    for found, out, expected in zip(written if first else [written], outs, every, strict=True):
        assert found is out
        assert_same(here(out), expected, 1e4)
    for out in outs:
        out[...] = 7
    for wrong, error in (
        (there(sz.zeros((7, *last.shape))), sz.DimensionsMismatchError),
        (there(sz.zeros(last.shape, dtype="bool")), sz.TypeMismatchError),
        (sz.zeros(last.shape, dtype=last.dtype), sz.InvalidArgumentError),
    ):
        with pytest.raises(error, match=f"^nn.{name}: "):
            write(wrong)
    for out in outs:
        assert here(out).tolist() == sz.full(out.shape, 7, dtype=out.dtype).tolist()
    assert len(WRITING) >= 36


TO_THE_HOST = {f"Tensor.{name}" for name in ("numpy", "__repr__", "tolist", "item", "to_device", "__array__")}
TO_THE_HOST |= {"from_dlpack", "save"}


def test_random_functions_make_their_tensors_on_the_device(moved: list[int]) -> None:
    random: Any = sz.random
    draw = random.Generator(3)
    p = there(sz.tensor([0.25, 0.75]))
    for name, given in {
        "uniform": (3,),
        "normal": (3,),
        "integers": (3, 0, 5),
        "randperm": (5,),
    }.items():
        assert getattr(draw, name)(*given, device=GPU).device == GPU, name
    for made in (draw.bernoulli(p), draw.multinomial(p, 3), sz.bernoulli(p, seed=1), sz.uniform_like(p, seed=1)):
        assert made.device == GPU
    assert sum(moved) == 0


def test_loading_onto_a_device(tmp_path: Path) -> None:
    x = there(X)
    for name in ("x.npy", "x.npz", "x.safetensors"):
        sz.save(tmp_path / name, x if name.endswith("npy") else {"x": x})
        found = sz.load(tmp_path / name, device=GPU)
        assert_same(here(found if name.endswith("npy") else found["x"]), X)
    with pytest.raises(sz.InvalidArgumentError, match="gpu:7"):
        sz.load(tmp_path / "x.npy", device="gpu:7")


def test_any_device_can_be_named() -> None:
    device = sz.Device("tpu:3")
    assert (device.type, device.index, str(device)) == ("tpu", 3, "tpu:3")
    with pytest.raises(sz.InvalidArgumentError, match="tpu"):
        sz.zeros(2, device=device)


def test_the_array_api_under_the_default_device() -> None:
    with sz.set_default_device(GPU):
        assert array_api.__array_namespace_info__().default_device() == GPU
        x: Any = array_api.asarray([[3.0, 1.0], [2.0, 4.0]])
        for made in (
            *(x, array_api.zeros(2), array_api.ones(2), array_api.empty(2), array_api.full(2, 7), array_api.arange(3)),
            *(
                array_api.eye(2),
                array_api.linspace(0, 1, 3),
                array_api.fft.fftfreq(4),
                array_api.astype(x, array_api.int32),
            ),
            *(array_api.unique_values(x), *array_api.unique_all(x), array_api.linalg.inv(x), array_api.sort(x)),
            *(
                x.__array_namespace__().sum(x),
                array_api.from_dlpack(x),
                array_api.tril(x),
                array_api.where(x > 1, x, 0),
            ),
        ):
            assert made.device == GPU
        assert sz.random.Generator(1).uniform(3).device == GPU


def test_files(tmp_path: Path) -> None:
    x = there(X)
    for name in ("x.npy", "x.safetensors", "x.npz"):
        given = x if name.endswith("npy") else {"x": x}
        sz.save(tmp_path / name, given)
        found = sz.load(tmp_path / name)
        assert_same(found if name.endswith("npy") else found["x"], X)


def test_numpys_functions() -> None:
    numpy: Any = np
    for call in (lambda x: numpy.exp(x), lambda x: numpy.sum(x, axis=0), lambda x: numpy.concatenate([x, x])):
        assert_same(here(call(there(X))), call(X), 10.0)


@not_simulated
def test_info_lists_devices() -> None:
    done = subprocess.run([sys.executable, "-m", "suanzi", "info"], capture_output=True, text=True, check=True)
    assert "cpu:0, gpu:0" in done.stdout


@not_simulated
def test_objects_of_others_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch reads an object of another library that reports a device, so no device memory is read as host memory."""
    import torch

    monkeypatch.setattr(torch, "from_dlpack", lambda data: torch.arange(3))

    class Exporter:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, **options: Any) -> Any:
            raise AssertionError("the host asks for the memory of a device")

    for function in (sz.tensor, sz.from_reference, sz.from_dlpack):
        found = function(Exporter())
        assert found.device == GPU
        assert found.tolist() == [0, 1, 2]


def test_printing_to_a_stream() -> None:
    stream = io.StringIO()
    print(there(X), file=stream)
    assert stream.getvalue() == f"{X}\n"
