"""Tests of older versions of ONNX's operators. ONNX's node tests cover the current versions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
import scipy.special
from onnx import defs

import suanzi
from interop.models import Array, one_node, run_node
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
)
from suanzi.interop import onnx
from suanzi.interop.onnx import UnsupportedError
from suanzi.interop.onnx.compositions.special import erf
from suanzi.interop.onnx.table import TABLE, row_for

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = RNG.standard_normal((2, 3, 4, 4)).astype(np.float32)
POSITIVE = np.abs(X) + np.float32(0.1)
MATRIX = X[0]
HALVES = IMAGE.reshape(2, 6, 2, 4)  # six channels in two groups
CHANNELS = np.float32([0.5, 1.0, 2.0])
INTS = np.int32([[7, -7, 3], [-5, 5, 0]])
F = INTS.astype(np.float32)
PADDED = np.pad(MATRIX, [(0, 2), (1, 0)], constant_values=1.5)
UPSAMPLED = np.repeat(IMAGE, 2, 2)[..., [0, 0, 1, 2, 2, 3]]


class Case(NamedTuple):
    """A node of an operator in an opset, with inputs, attributes and expected outputs."""

    op_type: str
    opset: int
    inputs: list[Array]
    attributes: dict[str, Any]
    expected: list[Any]


def softmax_2d(x: Array, cut: int) -> Array:
    flat = x.reshape(math.prod(x.shape[:cut]), -1)
    e = np.exp(flat - flat.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).reshape(x.shape)


def hardmax_2d(x: Array, cut: int) -> Array:
    flat = x.reshape(math.prod(x.shape[:cut]), -1)
    return np.eye(flat.shape[1], dtype=x.dtype)[flat.argmax(axis=1)].reshape(x.shape)


def batch_norm(x: Array) -> Array:
    s, b, m, v = (a.reshape(3, 1, 1) for a in (CHANNELS, CHANNELS + 1, CHANNELS - 1, CHANNELS))
    return (x - m) / np.sqrt(v + 1e-5) * s + b


def instance_norm(x: Array) -> Array:
    centred = x - x.mean((2, 3), keepdims=True)
    c = CHANNELS.reshape(3, 1, 1)
    return centred / np.sqrt(np.square(centred).mean((2, 3), keepdims=True) + 1e-5) * c + c


def group_norm(x: Array, groups: int, scale: Array, bias: Array) -> Array:
    """Return normalised groups of channels. Each group has one factor and one summand."""
    rows = x.reshape(x.shape[0], groups, -1).astype(float)
    centred = rows - rows.mean(2, keepdims=True)
    normal = centred / np.sqrt(np.square(centred).mean(2, keepdims=True) + 1e-5)
    return (normal * scale[:, None] + bias[:, None]).reshape(x.shape)


def order(x: Array, k: int) -> list[Array]:
    indices = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return [np.take_along_axis(x, indices, -1), indices]


REDUCTIONS: dict[str, Any] = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, **how: np.abs(x).sum(**how),
    "ReduceL2": lambda x, **how: np.sqrt(np.square(x).sum(**how)),
    "ReduceLogSum": lambda x, **how: np.log(x.sum(**how)),
    "ReduceLogSumExp": lambda x, **how: np.log(np.exp(x).sum(**how)),
    "ReduceSumSquare": lambda x, **how: np.square(x).sum(**how),
}

CASES = [
    *(
        Case(
            name,
            opset,
            [POSITIVE],
            {"axes": [0, -1], "keepdims": keep},
            [f(POSITIVE, axis=(0, -1), keepdims=bool(keep))],
        )
        for name, f in REDUCTIONS.items()
        for opset in (7, 11)
        for keep in (0, 1)
    ),
    *(Case(name, 7, [POSITIVE], {}, [f(POSITIVE, keepdims=True)]) for name, f in REDUCTIONS.items()),
    *(
        Case("ReduceSum", 13, [X, np.int64(axes)], {"noop_with_empty_axes": noop}, [expected])
        for axes, noop, expected in (([1], 0, X.sum(1, keepdims=True)), ([], 0, X.sum(keepdims=True)), ([], 1, X))
    ),
    Case("ReduceMean", 11, [INTS], {"axes": [1]}, [np.int32([[1], [0]])]),
    *(
        Case("Softmax", opset, [X], {"axis": axis}, [softmax_2d(X, axis % 3)])
        for opset in (7, 11)
        for axis in (0, 1, 2)
    ),
    Case("Softmax", 7, [X], {}, [softmax_2d(X, 1)]),
    Case("Softmax", 13, [X], {}, [softmax_2d(X, 2)]),
    Case("Softmax", 11, [X], {"axis": -1}, [softmax_2d(X, 2)]),
    Case("LogSoftmax", 7, [X], {}, [np.log(softmax_2d(X, 1))]),
    Case("Hardmax", 7, [X], {}, [hardmax_2d(X, 1)]),
    Case("Hardmax", 13, [X], {}, [hardmax_2d(X, 2)]),
    Case("Squeeze", 7, [X[:1]], {"axes": [0]}, [X[0]]),
    Case("Squeeze", 11, [X[:1, :1]], {}, [X[0, 0]]),
    Case("Squeeze", 13, [X[:1], np.int64([-3])], {}, [X[0]]),
    Case("Unsqueeze", 7, [X], {"axes": [0, 4]}, [X[None, ..., None]]),
    Case("Unsqueeze", 13, [X, np.int64([0, -1])], {}, [X[None, ..., None]]),
    Case("Clip", 7, [X], {"min": -0.5, "max": 0.25}, [X.clip(-0.5, 0.25)]),
    Case("Clip", 6, [X], {"max": 0.25}, [np.minimum(X, np.float32(0.25))]),
    Case("Slice", 7, [X], {"starts": [1, -3], "ends": [9, -1], "axes": [1, 2]}, [X[:, 1:9, -3:-1]]),
    Case("Slice", 7, [X], {"starts": [1], "ends": [2]}, [X[1:2]]),
    Case("Slice", 13, [X, *np.int64([[-99], [-(2**62)], [2], [-2]])], {}, [X[:, :, 0:1]]),
    Case("Slice", 10, [X, *np.int64([[-1], [-(2**62)], [2], [-2]])], {}, [X[:, :, ::-2]]),
    Case("Split", 7, [X], {"axis": 2, "split": [1, 3]}, [X[..., :1], X[..., 1:]]),
    Case("Split", 7, [X], {"axis": -1}, [X[..., :2], X[..., 2:]]),
    Case("Split", 13, [X, np.int64([3, 1])], {"axis": 2}, [X[..., :3], X[..., 3:]]),
    Case("Split", 18, [X], {"axis": 1, "num_outputs": 2}, [X[:, :2], X[:, 2:]]),
    Case("Split", 13, [X], {"axis": 1}, [X]),
    Case(
        "Pad",
        7,
        [MATRIX],
        {"pads": [0, 1, 2, 0], "value": 1.5},
        [np.pad(MATRIX, [(0, 2), (1, 0)], constant_values=1.5)],
    ),
    Case("Pad", 7, [MATRIX], {"pads": [1, 1, 1, 1], "mode": "reflect"}, [np.pad(MATRIX, 1, mode="reflect")]),
    Case(
        "Pad",
        11,
        [MATRIX, np.int64([-1, 0, 1, -2]), np.float32(7)],
        {},
        [np.pad(MATRIX[1:, :-2], [(0, 1), (0, 0)], constant_values=7)],
    ),
    Case(
        "Pad",
        18,
        [MATRIX, np.int64([1, 1]), np.float32(7), np.int64([-1])],
        {},
        [np.pad(MATRIX, [(0, 0), (1, 1)], constant_values=7)],
    ),
    Case(
        "Pad", 19, [MATRIX, np.int64([0, 2, 0, 2])], {"mode": "wrap"}, [np.pad(MATRIX, [(0, 0), (2, 2)], mode="wrap")]
    ),
    Case("TopK", 7, [X], {"k": 2}, order(X, 2)),
    Case("TopK", 10, [X, np.int64([3])], {"axis": -1}, order(X, 3)),
    Case("TopK", 11, [X, np.int64([4])], {"largest": 0}, [-order(-X, 4)[0], order(-X, 4)[1]]),
    Case("Dropout", 7, [X], {"ratio": 0.3}, [X, np.ones(X.shape, np.float32)]),
    Case("Dropout", 10, [X], {"ratio": 0.3}, [X, np.ones(X.shape, bool)]),
    Case("Dropout", 7, [X], {}, [X]),
    Case("Dropout", 12, [X, np.float32(0.3), np.bool_(False)], {}, [X, np.ones(X.shape, bool)]),
    *(
        Case(
            "BatchNormalization",
            opset,
            [IMAGE, CHANNELS, CHANNELS + 1, CHANNELS - 1, CHANNELS],
            {},
            [batch_norm(IMAGE)],
        )
        for opset in (7, 9, 14, 15)
    ),
    Case("Flatten", 7, [X], {}, [X.reshape(2, 12)]),
    Case("Flatten", 7, [X], {"axis": 0}, [X.reshape(1, 24)]),
    Case("Flatten", 11, [X], {"axis": -1}, [X.reshape(6, 4)]),
    Case("Reshape", 7, [X, np.int64([0, -1])], {}, [X.reshape(2, 12)]),
    Case("Reshape", 14, [X[:0], np.int64([3, 0])], {"allowzero": 1}, [X[:0].reshape(3, 0)]),
    Case(
        "Gemm",
        7,
        [MATRIX, MATRIX, CHANNELS],
        {"transB": 1, "alpha": 0.5, "beta": 2.0},
        [MATRIX @ MATRIX.T * 0.5 + CHANNELS * 2],
    ),
    Case("Gemm", 11, [MATRIX, MATRIX], {"transA": 1}, [MATRIX.T @ MATRIX]),
    Case("Gemm", 11, [INTS, INTS.T.copy(), INTS[:, :1].copy()], {"alpha": 2.0}, [INTS @ INTS.T * 2 + INTS[:, :1]]),
    Case("Gemm", 13, [MATRIX, MATRIX.T.copy(), CHANNELS], {}, [MATRIX @ MATRIX.T + CHANNELS]),
    Case("Div", 7, [INTS, np.int32([[2, 2, -2]])], {}, [np.int32([[3, -3, -1], [-2, 2, 0]])]),
    Case("Mod", 10, [INTS, np.int32([[2, 4, -2]])], {}, [np.int32([[1, 1, -1], [1, 1, 0]])]),
    Case("Mod", 10, [INTS, np.int32([[2, 4, -2]])], {"fmod": 1}, [np.int32([[1, -3, 1], [-1, 1, 0]])]),
    Case("Pow", 12, [np.int32([2, 3, -2]), np.float32([3, 2.5, 3])], {}, [np.int32([8, 15, -8])]),
    Case("Equal", 7, [INTS, -INTS], {}, [INTS == -INTS]),
    Case("Max", 7, [X, -X, X * 0], {}, [np.abs(X)]),
    Case("Min", 12, [INTS, -INTS], {}, [-np.abs(INTS)]),
    Case("Sum", 6, [X, X, X], {}, [X + X + X]),
    Case("Mean", 8, [X, X * 3], {}, [X * 2]),
    Case("Sum", 13, [X], {}, [X]),
    Case("ArgMax", 7, [INTS], {"axis": 1, "keepdims": 0}, [np.int64([0, 1])]),
    Case("ArgMin", 12, [np.int32([[1, 0, 0, 1]])], {"axis": 1, "select_last_index": 1}, [np.int64([[2]])]),
    Case("Cast", 7, [X * 10], {"to": 6}, [(X * 10).astype(np.int32)]),
    Case("Cast", 9, [INTS], {"to": 9}, [INTS != 0]),
    Case("Shape", 15, [X], {"start": -2}, [np.int64([3, 4])]),
    Case("Shape", 7, [X], {}, [np.int64([2, 3, 4])]),
    Case("Size", 7, [X], {}, [np.int64(24)]),
    Case("Expand", 8, [X[:, :1], np.int64([2, 1, 3, 1])], {}, [np.broadcast_to(X[:, :1], (2, 2, 3, 4))]),
    Case("Tile", 7, [X, np.int64([1, 2, 3])], {}, [np.tile(X, (1, 2, 3))]),
    Case("Transpose", 7, [X], {}, [X.T]),
    Case("Transpose", 7, [X], {"perm": [1, 0, 2]}, [X.transpose(1, 0, 2)]),
    Case(
        "Scatter",
        9,
        [MATRIX, np.int64([[1, 0]]), np.float32([[8, 9]])],
        {"axis": 1},
        [np.concatenate([[[9, 8, *MATRIX[0, 2:]]], MATRIX[1:]]).astype("f4")],
    ),
    Case("GatherElements", 11, [MATRIX, np.int64([[3, -4]])], {"axis": 1}, [MATRIX[:1, [3, 0]]]),
    Case(
        "DepthToSpace",
        7,
        [np.float32(np.arange(4)).reshape(1, 4, 1, 1)],
        {"blocksize": 2},
        [np.float32([[[[0, 1], [2, 3]]]])],
    ),
    Case(
        "LRN",
        7,
        [IMAGE],
        {"size": 3, "alpha": 0.3},
        [
            IMAGE
            / (1 + 0.1 * np.stack([np.square(IMAGE[:, max(0, c - 1) : c + 2]).sum(1) for c in range(3)], 1)) ** 0.75
        ],
    ),
    Case("Range", 11, [np.float32(1), np.float32(2), np.float32(0.25)], {}, [np.float32([1, 1.25, 1.5, 1.75])]),
    Case("Range", 11, [np.int64(5), np.int64(-1), np.int64(-2)], {}, [np.int64([5, 3, 1])]),
    Case(
        "OneHot",
        9,
        [np.int64([0, -1, 5]), np.int64([3]), np.float32([2, 7])],
        {"axis": 0},
        [np.float32([[7, 2, 2], [2, 2, 2], [2, 7, 2]])],
    ),
    Case("Compress", 9, [MATRIX, np.array([False, True, True])], {"axis": 1}, [MATRIX[:, 1:3]]),
    Case("Unique", 11, [np.int64([3, 1, 3, 2])], {"sorted": 0}, [[3, 1, 2], [0, 1, 3], [0, 1, 0, 2], [2, 1, 1]]),
    Case("NonZero", 9, [np.float32(3)], {}, [np.zeros((0, 1), np.int64)]),
    Case("NonZero", 13, [np.int8(0)], {}, [np.zeros((0, 0), np.int64)]),
    Case("EyeLike", 9, [MATRIX], {"k": 1, "dtype": 7}, [np.eye(3, 4, 1, dtype=np.int64)]),
    Case(
        "BatchNormalization",
        15,
        [np.float32([[1e6 - 1], [1e6 + 1]]), *(np.float32([v]) for v in (1, 0, 1e6, 1))],
        {"epsilon": 0.0},
        [np.float32([[-1], [1]])],
    ),
    Case("Gemm", 13, [np.eye(2, dtype="f4")] * 2 + [np.float32([np.nan, 1])], {"beta": 0.0}, [np.eye(2, dtype="f4")]),
    Case("Gemm", 7, [np.eye(2, dtype="f4")] * 2 + [np.float32([[np.inf]])], {"beta": 0.0}, [np.eye(2, dtype="f4")]),
    Case("Pad", 13, [np.float32([1, 2]), np.int64([2, -3])], {}, [np.float32([0])]),
    Case("Pad", 13, [np.float32([1, 2]), np.int64([-3, 2])], {}, [np.float32([0])]),
    Case("Pad", 13, [np.float32([1, 2]), np.int64([2, -4])], {}, [np.float32([])]),
    Case("Pad", 7, [np.float32([1, 2])], {"pads": [3, -4], "mode": "edge"}, [np.float32([1])]),
    Case(
        "Resize",
        19,
        [np.float32([10, 20, 30]), np.float32([]), np.float32([1.5])],
        {"mode": "nearest", "nearest_mode": "ceil", "coordinate_transformation_mode": "half_pixel_symmetric"},
        [np.float32([10, 20, 30, 30])],
    ),
    Case(
        "Resize",
        13,
        [np.arange(10, dtype="f4"), np.float32([]), np.float32([0.7])],
        {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        [np.float32([0, 1, 2, 4, 5, 7, 8])],
    ),
    Case(
        "Resize",
        13,
        [np.arange(9, dtype="f4"), np.float32([]), np.float32([1 / 3])],
        {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", "nearest_mode": "floor"},
        [np.float32([1, 4, 7])],
    ),
    Case("Resize", 10, [np.arange(10, dtype="f4"), np.float32([0.7])], {}, [np.float32([0, 1, 2, 4, 5, 7, 8])]),
    Case(
        "Resize",
        10,
        [np.uint8([3, 0, 3]), np.float32([3])],
        {"mode": "linear"},
        [np.uint8([3, 2, 1, 0, 1, 2, 3, 3, 3])],
    ),
    *(
        case
        for opset in (1, 6)
        for hint in ({"consumed_inputs": [0] * 5} if opset == 1 else {},)
        for case in (
            Case(
                "BatchNormalization",
                opset,
                [IMAGE, CHANNELS, CHANNELS + 1, CHANNELS - 1, CHANNELS],
                {"is_test": 1, **hint},
                [batch_norm(IMAGE)],
            ),
            Case("Dropout", opset, [X], {"is_test": 1}, [X, np.ones(X.shape, np.float32)]),
            Case("PRelu", opset, [X, CHANNELS[:1]], {}, [np.where(X < 0, X * CHANNELS[0], X)]),
            Case("PRelu", opset, [X, CHANNELS], {}, [np.where(X < 0, X * CHANNELS[:, None], X)]),
            Case("PRelu", opset, [F, CHANNELS], {}, [np.where(F < 0, F * CHANNELS, F)]),
            Case(
                "Gemm",
                opset,
                [MATRIX, MATRIX, CHANNELS],
                {"transB": 1, "broadcast": 1, "beta": 2.0},
                [MATRIX @ MATRIX.T + CHANNELS * 2],
            ),
            Case(
                "Gemm", opset, [MATRIX.T.copy(), MATRIX, np.float32([[2]])], {"broadcast": 1}, [MATRIX.T @ MATRIX + 2]
            ),
        )
    ),
    *(  # ONNX 1.16 deprecates this version, which exporters wrote
        Case(
            "GroupNormalization",
            opset,
            [HALVES, np.float32([2, -3]), np.float32([0.5, 1])],
            {"num_groups": 2},
            [group_norm(HALVES, 2, np.float32([2, -3]), np.float32([0.5, 1]))],
        )
        for opset in (18, 19, 20)
    ),
    Case("InstanceNormalization", 1, [IMAGE, CHANNELS, CHANNELS], {}, [instance_norm(IMAGE)]),
    Case("Cast", 1, [X * 10], {"to": "INT32"}, [(X * 10).astype(np.int32)]),
    Case("Cast", 1, [INTS], {"to": "DOUBLE"}, [INTS.astype(np.float64)]),
    Case("Pad", 1, [MATRIX], {"paddings": [0, 1, 2, 0], "value": 1.5}, [PADDED]),
    Case("Split", 1, [X], {"axis": 2, "split": [1, 3]}, [X[..., :1], X[..., 1:]]),
    Case("Split", 1, [X, np.float32([1, 3])], {"axis": 2}, [X[..., :1], X[..., 1:]]),
    Case("Split", 1, [X], {}, [X[:1], X[1:]]),
    Case("Tile", 1, [X, np.float32([3]), np.float32([1])], {}, [np.tile(X, (1, 3, 1))]),
    Case("Upsample", 1, [IMAGE], {"height_scale": 2.0, "width_scale": 1.5}, [UPSAMPLED]),
    Case("ReduceMax", 20, [X[:0]], {}, [np.full((1, 1, 1), -np.inf, np.float32)]),
    Case("ReduceMin", 20, [INTS[:0], np.int64([0])], {"keepdims": 0}, [np.full(3, 2**31 - 1, np.int32)]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.op_type}-{c.opset}")
def test_versions(case: Case) -> None:
    inputs = [np.asarray(a) for a in case.inputs]
    found = run_node(case.op_type, case.opset, inputs, len(case.expected), **case.attributes)
    for y, expected in zip(found, case.expected, strict=True):
        expected = np.asarray(expected)
        assert y.shape == expected.shape
        assert y.dtype.kind == expected.dtype.kind
        np.testing.assert_allclose(y, expected, rtol=2e-6, atol=1e-6)


def test_deformable_convolutions() -> None:
    """DeformConv returns the results of Conv: for offsets of 0 on the image, and for offsets of 1 on a moved image."""
    x, w, bias = IMAGE, RNG.standard_normal((4, 3, 2, 2)).astype("f4"), np.float32([1, 2, 3, 4])
    options = {"pads": [1, 0, 1, 1], "strides": [2, 1], "dilations": [1, 2]}
    (wanted,) = run_node("Conv", 11, [x, w, bias], **options)
    offset = np.zeros((2, 8, *wanted.shape[2:]), np.float32)
    (found,) = run_node("DeformConv", 19, [x, w, offset, bias], **options)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    offset[:, 1::2] = 1
    moved = np.pad(x, [(0, 0)] * 3 + [(0, 1)])[..., 1:]
    (wanted,) = run_node("Conv", 11, [moved, w, bias], **{**options, "pads": [1, 0, 1, 1]})
    (found,) = run_node("DeformConv", 19, [x, w, offset, bias], **options)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    offset[:] = [[[[np.nan]], [[np.inf]]] * 4]
    (found,) = run_node("DeformConv", 19, [x, w, offset, bias], **options)
    np.testing.assert_array_equal(found, np.broadcast_to(bias[:, None, None], found.shape))
    x = x.copy()
    x[0, 0, 0, 0] = np.inf  # DeformConv reads no neighbour of weight 0
    (found,) = run_node("DeformConv", 19, [x, w, np.zeros_like(offset), bias], **options)
    (wanted,) = run_node("Conv", 11, [x, w, bias], **options)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))


def test_deformable_convolutions_in_one_dimension_and_with_masks() -> None:
    """DeformConv in one dimension reads the mean midway between elements, and has offsets for groups of channels."""
    x, w = X[:, :2], np.ones((2, 1, 1), np.float32)
    offset = np.zeros((2, 2, 4), np.float32)
    offset[:, 1] = 0.5
    mask = np.full((2, 2, 4), 2, np.float32)
    (found,) = run_node("DeformConv", 19, [x, w, offset, None, mask], group=2, offset_group=2)
    after = np.pad(x[:, 1], [(0, 0), (0, 1)])[:, 1:]
    np.testing.assert_allclose(found, 2 * np.stack([x[:, 0], (x[:, 1] + after) / 2], 1), rtol=1e-6)


@pytest.mark.parametrize(
    ("op_type", "opset", "inputs", "attributes", "error", "message"),
    [
        ("BatchNormalization", 6, [IMAGE, *[CHANNELS] * 4], {}, UnsupportedError, "for training"),
        ("Dropout", 6, [X], {"is_test": 0}, UnsupportedError, "for training"),
        ("PRelu", 6, [X, X[0, 0]], {}, DimensionsMismatchError, "PRelu: .*shape .4,. does not fit 3 channels"),
        ("Cast", 1, [X], {"to": "FLOAT77"}, InvalidArgumentError, "Cast: 'FLOAT77' is not the name"),
        ("Split", 1, [X, np.float32([1, 2.5])], {"axis": 2}, InvalidArgumentError, "Split: size 2.5"),
        ("Tile", 1, [X, np.float32([2]), np.float32([3])], {}, OutOfRangeError, r"Tile: axis 3 is outside \[0, 3\)"),
        ("Tile", 1, [X, np.float32([np.nan]), np.float32([1])], {}, InvalidArgumentError, "Tile: tiles"),
        ("Tile", 1, [X, np.float32([-1]), np.float32([1])], {}, InvalidArgumentError, "tiles is negative: -1"),
        ("Upsample", 1, [X], {"height_scale": 2.0, "width_scale": 2.0}, DimensionsMismatchError, "Upsample: x"),
    ],
)
def test_faults_of_operators_before_opset_7(
    op_type: str,
    opset: int,
    inputs: list[Array],
    attributes: dict[str, Any],
    error: type[SuanziError],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        run_node(op_type, opset, inputs, **attributes)


@pytest.mark.parametrize(
    ("op_type", "opset", "inputs"),
    [
        ("Upsample", 10, [IMAGE, np.float32([1, 1, 2, 2])]),
        ("Upsample", 17, [IMAGE, np.float32([1, 1, 2, 2])]),
        ("Scatter", 11, [MATRIX, np.int64([[1, 0]]), np.float32([[8, 9]])]),
    ],
)
def test_operators_that_an_opset_replaced(op_type: str, opset: int, inputs: list[Array]) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{op_type}.*deprecated"):
        run_node(op_type, opset, inputs)


@pytest.mark.parametrize(
    ("operands", "attributes", "message"),
    [
        (3, {}, "attribute num_groups is missing"),
        (3, {"num_groups": 2.0}, "attribute num_groups is of another type"),
        (3, {"num_groups": 2, "stash_type": 1}, "there is no attribute 'stash_type'"),
        (2, {"num_groups": 2}, "2 operands are not 3 to 3"),
    ],
)
def test_malformed_nodes_of_a_deprecated_operator(operands: int, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"GroupNormalization.*: {message}"):
        run_node("GroupNormalization", 18, [HALVES, CHANNELS[:2], CHANNELS[:2]][:operands], **attributes)


def test_every_version_of_a_translated_operator_has_a_row() -> None:
    missing = [
        f"{schema.name}-{schema.since_version}"
        for schema in defs.get_all_schemas_with_history()
        if schema.domain == "" and schema.name in TABLE and not row_for("", schema.name, schema.since_version)
    ]
    assert missing == []


@pytest.mark.parametrize("name", TABLE)
def test_every_row_says_versions_that_exist(name: str) -> None:
    versions = {s.since_version for s in defs.get_all_schemas_with_history() if s.name == name and s.domain == ""}
    last = defs.onnx_opset_version()
    if not versions and last < 28:
        pytest.skip("the installed onnx does not know the operator yet")
    assert versions
    known = [row for row in TABLE[name] if row.since <= last]  # the installed onnx may not know the newest version yet
    assert row_for("", name, max(versions)) is known[-1]
    assert all(row.since == 1 or row.since in versions for row in known)
    assert [row.since for row in TABLE[name]] == sorted({row.since for row in TABLE[name]})


def test_at_least_ninety_operators() -> None:
    assert len(TABLE) >= 90


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_error_function(dtype: str) -> None:
    points = np.concatenate(
        [np.linspace(-7, 7, 4001), [0.0, -0.0, 0.46875, -0.46875, 4, -4, np.inf, -np.inf, np.nan, 1e-30, 1e30]]
    )
    x = suanzi.astype(suanzi.tensor(points), dtype)
    found, exact = erf(x), scipy.special.erf(x.numpy().astype(np.float64))
    unit = float((ml_dtypes.finfo if dtype == "bfloat16" else np.finfo)(x.dtype.numpy).eps)
    assert found.dtype is x.dtype
    np.testing.assert_allclose(found.numpy().astype(np.float64), exact, rtol=4 * unit, atol=0)
    assert math.copysign(1, erf(suanzi.tensor([-0.0])).tolist()[0]) == -1


WRONG: list[tuple[str, int, list[Array], dict[str, Any], type[SuanziError]]] = [
    ("Reshape", 14, [X, np.int64([5, 5])], {}, DimensionsMismatchError),
    ("Reshape", 14, [X, np.int64([2, 3, 4, 0])], {}, DimensionsMismatchError),
    ("Flatten", 13, [X], {"axis": 4}, OutOfRangeError),
    ("Transpose", 13, [X], {"perm": [0, 0, 1]}, InvalidArgumentError),
    ("Softmax", 13, [X], {"axis": 3}, OutOfRangeError),
    ("Hardmax", 13, [X], {"axis": 3}, OutOfRangeError),
    ("LayerNormalization", 17, [X, X[0, 0]], {"axis": 3}, OutOfRangeError),
    ("GatherElements", 13, [X, np.int64([0])], {}, DimensionsMismatchError),
    ("GatherElements", 13, [X, np.int64([[[0] * 5]])], {}, DimensionsMismatchError),
    ("GatherElements", 13, [X, np.int64([[[9]]])], {}, OutOfRangeError),
    ("Gather", 13, [X, np.int64([9])], {}, OutOfRangeError),
    ("ScatterND", 18, [X, np.int64([[0]]), X[:1]], {"reduction": "nonsense"}, InvalidArgumentError),
    ("BitShift", 11, [np.uint8([1]), np.uint8([1])], {"direction": "UP"}, InvalidArgumentError),
    ("Pad", 13, [X, np.int64([1, 1])], {}, DimensionsMismatchError),
    ("Pad", 13, [X[0, 0], np.int64([1, -6])], {}, DimensionsMismatchError),
    ("Gemm", 13, [MATRIX, MATRIX.T.copy(), X], {"beta": 0.0}, DimensionsMismatchError),
    ("Dropout", 13, [X, np.float32(1), np.bool_(True)], {}, OutOfRangeError),
    ("Pad", 18, [X, np.int64([1, 1]), np.float32(0), np.int64([3])], {}, OutOfRangeError),
    ("Gemm", 13, [X, MATRIX], {}, DimensionsMismatchError),
    ("Gemm", 13, [MATRIX, MATRIX], {}, DimensionsMismatchError),
    ("GroupNormalization", 18, [HALVES, CHANNELS, CHANNELS], {"num_groups": 2}, DimensionsMismatchError),
    ("GroupNormalization", 18, [HALVES, *[CHANNELS[:2]] * 2], {"num_groups": 4}, DimensionsMismatchError),
    ("DepthToSpace", 13, [IMAGE], {"blocksize": 2}, InvalidArgumentError),
    ("DepthToSpace", 13, [IMAGE], {"blocksize": 0}, InvalidArgumentError),
    ("DepthToSpace", 13, [X], {"blocksize": 2}, DimensionsMismatchError),
    ("SpaceToDepth", 13, [IMAGE], {"blocksize": 3}, InvalidArgumentError),
    ("Range", 11, [np.float32(0), np.float32(1), np.float32(0)], {}, InvalidArgumentError),
    ("OneHot", 11, [np.int64([0]), np.int64(3), np.float32([1, 2, 3])], {}, DimensionsMismatchError),
    ("OneHot", 11, [np.int64([0]), np.int64([3, 3]), np.float32([1, 2])], {}, DimensionsMismatchError),
    ("CumSum", 14, [X, np.int32(3)], {}, OutOfRangeError),
    ("Cast", 13, [np.array(["1", "one"], object)], {"to": 1}, InvalidArgumentError),
    ("Cast", 13, [X], {"to": 99}, InvalidArgumentError),
    ("Cast", 13, [X], {"to": 0}, InvalidArgumentError),
    ("Cast", 25, [X], {"to": 30}, InvalidArgumentError),
    ("BitCast", 26, [X], {"to": 11}, InvalidArgumentError),
    ("Expand", 13, [X, np.int64([5, 5, 5])], {}, DimensionsMismatchError),
    ("ConstantOfShape", 9, [np.int64([2**40, 2**40])], {}, AllocFailedError),
    ("ConstantOfShape", 9, [np.int64([-1])], {}, InvalidArgumentError),
    ("Tile", 13, [X, np.int64([2**40, 2**40, 1])], {}, AllocFailedError),
    ("Relu", 13, [np.array(["a"], object)], {}, TypeMismatchError),
    ("DeformConv", 19, [IMAGE, IMAGE, IMAGE], {}, DimensionsMismatchError),
    ("Gemm", 6, [MATRIX, MATRIX, MATRIX], {}, DimensionsMismatchError),
    ("CenterCropPad", 18, [X, np.int64([1])], {}, DimensionsMismatchError),
    ("Mod", 13, [INTS, INTS], {"nonsense": 1}, InvalidArgumentError),
    ("Trilu", 14, [MATRIX, np.int64([1, 2])], {}, DimensionsMismatchError),
    ("Einsum", 12, [MATRIX], {"equation": "ij->k"}, InvalidArgumentError),
]


@pytest.mark.parametrize(("op_type", "opset", "inputs", "attributes", "error"), WRONG)
def test_wrong_operands(
    op_type: str, opset: int, inputs: list[Any], attributes: dict[str, Any], error: type[SuanziError]
) -> None:
    with pytest.raises(error):
        run_node(op_type, opset, [np.asarray(a) for a in inputs], **attributes)


def test_results_that_only_training_has() -> None:
    with pytest.raises(onnx.UnsupportedError, match="only 1 of its results"):
        run_node("BatchNormalization", 9, [IMAGE, CHANNELS, CHANNELS, CHANNELS, CHANNELS], 5)


def test_more_than_an_axis_has() -> None:
    with pytest.raises(OutOfRangeError):
        run_node("TopK", 11, [X, np.int64([9])], 2)


RANDOM: list[tuple[str, int, list[Array], dict[str, Any]]] = [
    ("RandomUniform", 7, [], {"shape": [50, 40], "low": 2.0, "high": 3.0}),
    ("RandomNormal", 7, [], {"shape": [50, 40], "mean": 2.0, "dtype": 11}),
    ("RandomUniformLike", 7, [np.zeros((50, 40), np.float32)], {"dtype": 10}),
    ("RandomNormalLike", 22, [np.zeros((50, 40), np.float64)], {}),
    ("Bernoulli", 15, [np.full((50, 40), 0.5, np.float32)], {"dtype": 9}),
    ("Multinomial", 7, [np.zeros((50, 7), np.float32)], {"sample_size": 40}),
]


@pytest.mark.parametrize(
    ("op_type", "opset", "inputs", "attributes"), RANDOM, ids=lambda v: v if isinstance(v, str) else ""
)
def test_draws(op_type: str, opset: int, inputs: list[Any], attributes: dict[str, Any]) -> None:
    """Random operators repeat draws for an equal seed.

    Draws differ for another seed, and between calls without a seed.
    """
    model = onnx.load(one_node(op_type, opset, inputs, **attributes))
    (first,), (second,) = model.run(inputs), model.run(inputs)
    assert first.shape == (50, 40)
    assert not suanzi.array_equal(first, second)
    seeded = [run_node(op_type, opset, inputs, **attributes, seed=seed)[0] for seed in (1.5, 1.5, 0.0, 0.0, -2.0)]
    assert np.array_equal(seeded[0], seeded[1])
    assert np.array_equal(seeded[2], seeded[3])
    assert not np.array_equal(seeded[0], seeded[2])
    assert not np.array_equal(seeded[0], seeded[4])
    low, high = {"RandomUniform": (2, 3), "RandomUniformLike": (0, 1), "Multinomial": (0, 6)}.get(op_type, (-20, 20))
    assert low <= seeded[0].min() < seeded[0].max() <= high
