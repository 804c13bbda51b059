"""Quantized tensors on devices have the codes, scales and messages of quantized tensors on the CPU."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from other_kinds import assert_alike, moved, parts_of
from placing import GPU, assert_same, sz

from suanzi import InvalidArgumentError, TypeMismatchError
from suanzi.quantized import QUANTIZED_TYPES, QuantizedTensor

pytestmark = pytest.mark.one_level

NAMES = tuple(str(kind) for kind in QUANTIZED_TYPES)


def real(shape: tuple[int, ...] = (4, 6), seed: int = 0, dtype: str = "float32") -> Any:
    """Return a tensor of numbers of several magnitudes that begins with 0, 0.5 and -1.5."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape) * 10.0 ** rng.integers(-2, 3, shape)
    numbers.reshape(-1)[: min(3, numbers.size)] = (0.0, 0.5, -1.5)[: min(3, numbers.size)]
    return sz.tensor(numbers.astype("float64"), dtype=dtype)


UNARY: dict[str, Any] = {
    "itself": lambda x: x,
    "real": lambda x: x.dequantize(),
    "dequantize": sz.dequantize,
    "astype": lambda x: [sz.astype(x, name) for name in ("float64", "float16", "int32", "bool")],
    "requantize": lambda x: [sz.requantize(x, dtype="quint8"), sz.requantize(x, 0.37, dtype="qint16")],
    "requantize per channel": lambda x: [
        sz.requantize(x, dtype="qint8_per_channel", axis=1),
        sz.requantize(x, [0.5] * 6, dtype="qint8_per_channel", axis=1),
    ],
    "negative": lambda x: [-x, sz.abs(x), +x],
    "with numbers": lambda x: [x + 1.5, x * -2, 3 - x, sz.maximum(x, 0.1), sz.clip(x, None, 1.0)],
    "compared with numbers": lambda x: [x < 0.3, x == 0, x >= 1],
    "views": lambda x: [x.T, x[1], x[:, ::2], x[..., 0], sz.reshape(x, (2, 2, 6)), sz.expand_dims(x, 0)],
    "flip": lambda x: [sz.flip(x, axis=1), sz.roll(x, 1, axis=0), sz.tile(x, (1, 2))],
    "gathered": lambda x: [sz.take(x, _index(x, [3, 0, -1]), axis=0), x[_index(x, [1, 1])]],
    "masked": lambda x: [x[x > 0] if x.axis is None else x, sz.masked_fill(x, x > 0, 0)],
    "sorted": lambda x: [sz.sort(x, axis=1), sz.argsort(x, axis=1), sz.argmax(x), sz.argmin(x, axis=0)],
    "topk": lambda x: sz.topk(x, 2, axis=1),
    "joined": lambda x: [sz.concat([x, x], axis=0), sz.stack([x, x], axis=0), sz.concat([x, x], axis=1)],
    "padded": lambda x: [sz.pad(x, 1), sz.pad(x, 1, mode="edge")],
    "diag": lambda x: sz.diag(x),
    "apart": lambda x: sz.broadcast_arrays(x, x[:1]),
    "clone": lambda x: [sz.clone(x), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))],
    "queries": lambda x: [x.shape, x.ndim, x.size, x.nbytes, x.layout, len(x), sz.is_contiguous(x.T)],
    "networks": lambda x: [
        *(
            sz.nn.relu(x),
            sz.nn.max_pool(x[:, None], 2),
            sz.nn.avg_pool(x[:, None], 2),
            sz.nn.global_max_pool(x[:, None]),
        ),
        sz.nn.pixel_shuffle(sz.reshape(x, (4, 2, 3)), 2),
    ],
    "conv": lambda x: sz.nn.conv(x[None], x[:, None, :3], groups=4),
    "finite": lambda x: [sz.isfinite(x), sz.isnan(x)],
    "nonzero": lambda x: [sz.nonzero(x), sz.count_nonzero(x)],
    "unstack": lambda x: sz.unstack(x),
    "sum": lambda x: sz.sum(x),
    "assigned": lambda x: _assigned(x),
    "assigned another": lambda x: _assigned(x, x[1]),
    "assigned numbers": lambda x: _assigned(x, [1.0, -2.0, 0.5, 0.25, 9.0, 0.0]),
}
BINARY: dict[str, Any] = {
    "sums": lambda x, y: [x + y, x - y, x * y],
    "extremes": lambda x, y: [sz.maximum(x, y), sz.minimum(x, y)],
    "compared": lambda x, y: [x < y, x == y, sz.not_equal(x, y), sz.array_equal(x, y), sz.array_equal(x, x)],
    "broadcast": lambda x, y: [x + y[0], x * y[:1]],
    "matmul": lambda x, y: x @ y.T,
    "vectors": lambda x, y: [x[0] @ y[1], x @ y[0], y[0] @ x.T],
    "into": lambda x, y: [_into(sz.add, x, y), _into(sz.multiply, x, y), _into(sz.positive, x)],
    "product into": lambda x, y: sz.matmul(x, y.T, out=sz.quantized_tensor((4, 4), scale=0.5, device=_place(x))),
    "joined": lambda x, y: [sz.concat([x, y], axis=0)],
    "chosen": lambda x, y: [sz.where(x > 0, x, x), sz.where(x > 0, x, 0)],
    "no axes that fit": lambda x, y: [x @ y],
    "no shapes that fit": lambda x, y: [x + y[:3]],
}


def _place(x: Any) -> Any:
    return None if x.device == "cpu" else x.device


def _index(x: Any, places: list[int]) -> Any:
    return sz.tensor(places, dtype="int64", device=x.device)


def _assigned(x: Any, value: Any = 0.5) -> Any:
    y = sz.clone(x)
    y[2] = value
    return y


def _into(function: Any, *operands: Any) -> Any:
    x = operands[0]
    out = sz.quantized_tensor(x.shape, scale=0.5, zero_point=3, dtype="quint8", device=_place(x))
    assert function(*operands, out=out) is out
    return out


@pytest.mark.parametrize("name", NAMES)
def test_operators_of_one(name: str) -> None:
    x = sz.quantize(real(), dtype=name)
    for function in UNARY.values():
        assert_alike(function, x)


@pytest.mark.parametrize("second", ["qint8", "quint16", "qint8_per_channel"])
@pytest.mark.parametrize("name", NAMES)
def test_operators_of_two(name: str, second: str) -> None:
    x, y = sz.quantize(real(), dtype=name), sz.quantize(real(seed=1), dtype=second)
    for function in BINARY.values():
        assert_alike(function, x, y)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", NAMES)
def test_quantize(name: str, dtype: str) -> None:
    x = real(dtype=dtype) if "int" not in dtype else sz.astype(sz.abs(real(dtype="float64")), dtype)
    for function in (
        lambda x: sz.quantize(x, dtype=name),
        lambda x: sz.quantize(x, 0.3, dtype=name) if "channel" not in name else x,
        lambda x: sz.quantize(x, 0.3, 7, dtype=name),
        lambda x: sz.quantize(x[:0], dtype=name),
        lambda x: sz.quantize(x[0, 0], dtype=name),
        lambda x: sz.quantize(x, [0.25, 0.5, 1.0, 2.0], dtype=name),
        lambda x: sz.quantize(x, axis=1, dtype=name),
    ):
        assert_alike(function, x)


def test_ties_and_ends() -> None:
    """`quantize` rounds ties to even and clips to the codes -127 to 127, like NumPy's `round` and `clip`."""
    steps = np.arange(-300, 300) / 2
    x = sz.tensor(steps * np.float32(0.1), dtype="float64")
    found = sz.quantize(moved(x), float(np.float32(0.1)), dtype="qint8").codes
    np.testing.assert_array_equal(found.numpy(), np.clip(np.round(steps), -127, 127))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_without_codes(value: float) -> None:
    for dtype in ("float64", "float32"):
        x = sz.tensor([1.0, value], dtype=dtype) if value < 1e38 or dtype == "float64" else sz.ones(2)
        for function in (
            lambda x: sz.quantize(x),
            lambda x: sz.quantize(x, 0.5),
            lambda x: sz.quantize(x, dtype="quint8"),
            lambda x: sz.quantize(sz.expand(x, (2, 2)), dtype="qint8_per_channel"),
        ):
            assert_alike(function, x)
    assert_alike(lambda x: sz.quantize(x), sz.tensor([1 + 2j]))
    assert_alike(lambda x: sz.quantize(x, 0.5), sz.tensor([True]))


@pytest.mark.parametrize("name", [name for name in NAMES if "channel" not in name])
def test_no_numbers(name: str) -> None:
    x = sz.quantize(sz.zeros((0, 3)), dtype=name)
    for call in (lambda x: x + x, lambda x: x * 2.5, lambda x: sz.requantize(x, dtype=name)):
        assert_alike(call, x)


def test_created_there() -> None:
    cases: list[dict[str, Any]] = [
        {"shape": (2, 3), "data": [0.5, 1.0, 1.1], "scale": 0.25, "zero_point": 128, "dtype": "quint8"},
        {"shape": None, "data": [[0.5, -1.0], [0.3, 2.0]]},
        {"shape": (2, 3)},
        {"shape": (2, 3), "scale": 0.5, "zero_point": 3, "dtype": "quint8"},
        {"shape": (3, 2), "data": sz.tensor([3, 4, 5], dtype="int8"), "scale": 0.5, "zero_point": 9, "dtype": "quint8"},
        {"shape": (2, 2), "data": sz.tensor([[3, 4], [5, 6]], dtype="int16"), "layout": (0, 1)},
        {"shape": (2, 2), "data": sz.tensor([3.5, 4.0]), "layout": (0, 1), "dtype": "qint8_per_channel"},
        {"shape": None, "data": sz.tensor([3, 400], dtype="int16"), "dtype": "qint8"},
        {"shape": None, "data": sz.tensor([[1, 2], [3, 4]], dtype="int8"), "scale": sz.tensor([0.5, 2.0]),
         "dtype": "qint8_per_channel", "axis": 1},
        {"shape": (2,), "data": sz.ones((2, 2))},
    ]  # fmt: skip
    for case in cases:
        expected = _outcome(case)
        for arguments in (case | {"device": GPU}, {name: moved(x) for name, x in case.items()} | {"device": GPU}):
            found = _outcome(arguments)
            if isinstance(found, QuantizedTensor):
                assert found.device == GPU
            assert_same(parts_of(found), parts_of(expected))
        if isinstance(case.get("data"), sz.Tensor) and not isinstance(expected, tuple):
            found = _outcome({name: moved(x) for name, x in case.items()})
            assert found.device == GPU
            assert_same(parts_of(found), parts_of(expected))
            assert _outcome({name: moved(x) for name, x in case.items()} | {"device": "cpu"}).device == "cpu"
    with sz.set_default_device(GPU):
        assert sz.quantized_tensor((2,), [1.0, 2.0]).device == GPU
    x = sz.quantize(real(), dtype="qint8_per_channel")
    y = x.to_device(GPU)
    assert (y.device, y.scale.device, y.to_device(GPU) is y, y.to_device("cpu").scale.device) == (GPU, GPU, True, "cpu")
    assert "device=gpu:0" in repr(y)
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def _outcome(arguments: dict[str, Any]) -> Any:
    try:
        return sz.quantized_tensor(**arguments)
    except sz.SuanziError as error:
        return error.status, str(error)


def test_refused() -> None:
    x, y = sz.quantize(real()), sz.quantize(real(seed=1))
    there = moved(x)
    for call in (
        lambda: there + y,
        lambda: there @ y.T,
        lambda: there < y,
        lambda: sz.quantize(moved(real()), sz.tensor(0.5)),
        lambda: sz.quantize(real(), moved(sz.tensor(0.5))),
        lambda: sz.requantize(there, sz.tensor(0.5)),
        lambda: sz.add(there, there, out=y),
    ):
        with pytest.raises(InvalidArgumentError, match=r"operands on \w+:0 and \w+:0"):
            call()
    with pytest.raises(TypeMismatchError, match="__array__"):
        np.asarray(there)
    assert_alike(lambda x: sz.destroy(x) or (x + x), y)
    assert_alike(lambda x: sz.exp(x), x)
    assert_alike(lambda x: x + sz.ones((4, 6), device=x.device), x)
