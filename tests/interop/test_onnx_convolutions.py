"""ONNX's convolutions return the same results as direct loops, for all attributes, versions and zero points."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from interop.models import one_node, run_node
from oracle.convolution import Array, convolved, transposed
from suanzi import DimensionsMismatchError, InvalidArgumentError, SuanziError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def codes(dtype: str, *shape: int, seed: int = 0) -> Array:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


X, W, B = floats(2, 4, 9, 8), floats(6, 2, 3, 2, seed=1), floats(6, seed=2)
ATTRIBUTES: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({}, ([1, 1], [(0, 0), (0, 0)], [1, 1])),
    ({"kernel_shape": [3, 2]}, ([1, 1], [(0, 0), (0, 0)], [1, 1])),
    ({"pads": [1, 0, 2, 1], "strides": [2, 1]}, ([2, 1], [(1, 2), (0, 1)], [1, 1])),
    ({"dilations": [2, 3], "auto_pad": "VALID"}, ([1, 1], [(0, 0), (0, 0)], [2, 3])),
    ({"auto_pad": "SAME_UPPER"}, ([1, 1], [(1, 1), (0, 1)], [1, 1])),
    ({"auto_pad": "SAME_LOWER"}, ([1, 1], [(1, 1), (1, 0)], [1, 1])),
    ({"auto_pad": "SAME_UPPER", "strides": [2, 2]}, ([2, 2], [(1, 1), (0, 0)], [1, 1])),
]


@pytest.mark.parametrize("opset", [1, 11, 22])
@pytest.mark.parametrize(("attributes", "options"), ATTRIBUTES)
def test_conv(opset: int, attributes: dict[str, Any], options: tuple[Any, ...]) -> None:
    wide = X.astype(float), W.astype(float)
    for arrays, bias in (([X, W, B], B.astype(float)), ([X, W], None)):
        (found,) = run_node("Conv", opset, arrays, group=2, **attributes)
        np.testing.assert_allclose(found, convolved(*wide, bias, *options, 2), rtol=1e-5, atol=1e-5)


UP = floats(4, 3, 3, 2, seed=3)
UPWARD: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({}, ([1, 1], [(0, 0), (0, 0)], [0, 0], [1, 1])),
    ({"strides": [2, 3], "output_padding": [1, 2]}, ([2, 3], [(0, 0), (0, 0)], [1, 2], [1, 1])),
    ({"pads": [1, 0, 0, 1], "dilations": [2, 1]}, ([1, 1], [(1, 0), (0, 1)], [0, 0], [2, 1])),
    ({"auto_pad": "SAME_UPPER", "strides": [2, 1]}, ([2, 1], [(0, 1), (0, 1)], [0, 0], [1, 1])),
    ({"auto_pad": "SAME_LOWER", "strides": [2, 1]}, ([2, 1], [(1, 0), (1, 0)], [0, 0], [1, 1])),
    ({"output_shape": [10, 8], "auto_pad": "SAME_UPPER"}, ([1, 1], [(0, 1), (0, 1)], [0, 0], [1, 1])),
    ({"output_shape": [10, 8]}, ([1, 1], [(1, 0), (1, 0)], [0, 0], [1, 1])),
    ({"output_shape": [12, 9]}, ([1, 1], [(0, 0), (0, 0)], [1, 0], [1, 1])),
    ({"output_shape": [2, 6, 10, 8]}, ([1, 1], [(1, 0), (1, 0)], [0, 0], [1, 1])),
]


@pytest.mark.parametrize("opset", [1, 11, 22])
@pytest.mark.parametrize(("attributes", "options"), UPWARD)
def test_conv_transpose(opset: int, attributes: dict[str, Any], options: tuple[Any, ...]) -> None:
    (found,) = run_node("ConvTranspose", opset, [X, UP, B], group=2, **attributes)
    wide = X.astype(float), UP.astype(float), B.astype(float)
    np.testing.assert_allclose(found, transposed(*wide, *options, 2), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("x_type", ["uint8", "int8"])
@pytest.mark.parametrize("w_type", ["uint8", "int8"])
@pytest.mark.parametrize(("channels", "out", "group"), [(5, 7, 1), (40, 30, 1), (6, 6, 6), (6, 12, 6), (32, 8, 2)])
@pytest.mark.parametrize("zeros", ["none", "one", "each"])
def test_conv_integer(x_type: str, w_type: str, channels: int, out: int, group: int, zeros: str) -> None:
    """ConvInteger is exact, pads with the zero point, and accepts a zero point for each channel of the weight."""
    x, weight = codes(x_type, 2, channels, 13, 21), codes(w_type, out, channels // group, 3, 3, seed=1)
    arrays: list[Array] = [x, weight]
    x_zero, w_zero = np.zeros((), np.int64), np.zeros(out, np.int64)
    if zeros != "none":
        x_point = codes(x_type, seed=2)
        w_point = codes(w_type, *((out,) if zeros == "each" else ()), seed=3)
        arrays += [x_point, w_point]
        x_zero, w_zero = x_zero + x_point, w_zero + w_point
    wide = x.astype(np.int64) - x_zero, weight.astype(np.int64) - w_zero.reshape(-1, 1, 1, 1)
    for stride, pads in (1, 1), (2, 0):
        (found,) = run_node("ConvInteger", 10, arrays, group=group, strides=[stride] * 2, pads=[pads] * 4)
        assert found.dtype == np.int32
        expected = convolved(*wide, None, [stride] * 2, [(pads, pads)] * 2, [1, 1], group)
        np.testing.assert_array_equal(found, expected)


def test_integers_of_many_terms_are_exact() -> None:
    """ConvInteger is exact for sums beyond 2^24, and for more terms than the kernels sum at once."""
    x, weight = codes("uint8", 1, 300, 6, 40), codes("int8", 9, 300, 3, 3, seed=1)
    (found,) = run_node("ConvInteger", 10, [x, weight])
    wide = convolved(x.astype(np.int64), weight.astype(np.int64), None, [1, 1], [(0, 0)] * 2, [1, 1], 1)
    np.testing.assert_array_equal(found, wide)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("group", [1, 4])
def test_qlinear_conv(dtype: str, per_channel: bool, group: int) -> None:
    x, weight = codes(dtype, 2, 4, 7, 9), codes("int8", 8, 4 // group, 3, 3, seed=1)
    scales = np.linspace(0.01, 0.03, 8 if per_channel else 1).astype("float32")
    w_scale = scales if per_channel else scales[0]
    w_zero = np.zeros(8 if per_channel else (), np.int8)
    x_scale, y_scale = np.float32(0.05), np.float32(0.7)
    x_zero, y_zero = codes(dtype, seed=4), codes(dtype, seed=5)
    bias = np.random.default_rng(6).integers(-5000, 5000, 8).astype("int32")
    arrays = [x, x_scale, x_zero, weight, w_scale, w_zero, y_scale, y_zero, bias]
    (found,) = run_node("QLinearConv", 10, list(map(np.asarray, arrays)), group=group, pads=[1] * 4)
    sums = convolved(
        x.astype(np.int64) - int(x_zero), weight.astype(np.int64), bias.astype(np.int64), [1, 1], [(1, 1)] * 2, [1, 1],
        group,
    )  # fmt: skip
    factor = np.float64(x_scale) * scales.astype(float).reshape(-1, 1, 1) / np.float64(y_scale)
    limits = np.iinfo(dtype)
    expected = np.clip(np.rint(sums * factor) + int(y_zero), limits.min, limits.max)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)


Q = np.zeros((1, 1, 3, 3), np.uint8)
FAULTS: list[tuple[type[SuanziError], str, list[Array], dict[str, Any]]] = [
    (DimensionsMismatchError, "Conv", [X, W], {}),
    (DimensionsMismatchError, "Conv", [X, W], {"group": 2, "kernel_shape": [2, 3]}),
    (DimensionsMismatchError, "Conv", [X, W], {"group": 2, "kernel_shape": [3]}),
    (DimensionsMismatchError, "Conv", [X, W], {"group": 2, "pads": [1, 1, 1]}),
    (DimensionsMismatchError, "Conv", [X, W], {"group": 2, "pads": [1, 1]}),
    (DimensionsMismatchError, "Conv", [X, W], {"group": 2, "strides": [1, 1, 1]}),
    (InvalidArgumentError, "Conv", [X, W], {"group": 2, "pads": [-1, 0, 0, 0]}),
    (InvalidArgumentError, "Conv", [X, W], {"group": 2, "strides": [0, 1]}),
    (InvalidArgumentError, "Conv", [X, W], {"group": 2, "dilations": [2**62, 1]}),
    (InvalidArgumentError, "Conv", [X, W], {"group": 0}),
    (InvalidArgumentError, "Conv", [X, W], {"group": 2, "auto_pad": "SAME"}),
    (DimensionsMismatchError, "ConvTranspose", [X, UP], {"group": 2, "output_shape": [10]}),
    (DimensionsMismatchError, "ConvTranspose", [X, UP], {"group": 2, "pads": [9, 9, 9, 9]}),
    (InvalidArgumentError, "ConvTranspose", [X, UP], {"group": 2, "output_padding": [-1, 0]}),
    (DimensionsMismatchError, "ConvInteger", [Q, Q, np.zeros(2, np.uint8)], {}),
    (DimensionsMismatchError, "ConvInteger", [Q, Q, np.zeros((), np.uint8), np.zeros(2, np.uint8)], {}),
]


@pytest.mark.parametrize(("error", "operator", "arrays", "attributes"), FAULTS)
def test_faults(error: type[SuanziError], operator: str, arrays: list[Array], attributes: dict[str, Any]) -> None:
    with pytest.raises(error):
        run_node(operator, 11, arrays, **attributes)


def test_convolutions_can_be_pickled() -> None:
    model = pickle.loads(pickle.dumps(onnx.load(one_node("Conv", 11, [X, W, B], group=2, pads=[1, 1, 1, 1]))))
    (found,) = model.run([X, W, B])
    wide = X.astype(float), W.astype(float), B.astype(float)
    expected = convolved(*wide, [1, 1], [(1, 1)] * 2, [1, 1], 2)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)
