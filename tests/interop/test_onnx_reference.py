"""Resize, DFT and quantization return the same results as ONNX's reference evaluator, for many options."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, defs
from onnx.reference import ReferenceEvaluator

from interop.models import Array, one_node, run_node
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, SuanziError

RNG = np.random.default_rng(0)
NONE = np.float32([])
IMAGE = RNG.standard_normal((1, 2, 5, 7)).astype(np.float32)
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def agrees(op_type: str, opset: int, inputs: list[Array], tolerance: float = 1e-5, **attributes: Any) -> None:
    """Check that a single node returns the shape and the type of ONNX's reference evaluator, and the same values within
    `tolerance`.
    """
    if defs.onnx_opset_version() < 27:
        pytest.skip("the evaluator of onnx before 1.22 fails with today's NumPy, or is wrong")
    (found,) = run_node(op_type, opset, inputs, 1, **attributes)
    model = one_node(op_type, opset, inputs, 1, **attributes)
    names = [value.name for value in model.graph.input]
    (expected,) = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("scale", [0.6, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("options", [{}, {"antialias": 1}, {"exclude_outside": 1}, {"cubic_coeff_a": -0.5}], ids=str)
def test_weighted_resize(coordinates: str, scale: float, mode: str, options: dict[str, Any]) -> None:
    scales = np.float32([1, 1, scale, 1.25])
    agrees("Resize", 19, [IMAGE, NONE, scales], mode=mode, coordinate_transformation_mode=coordinates, **options)


@pytest.mark.parametrize(("coordinates", "nearest"), list(itertools.product(COORDINATES, NEAREST)))
@pytest.mark.parametrize("sizes", [[1, 2, 3, 14], [1, 2, 15, 14], [2, 1, 5, 4], [1, 2, 1, 1]], ids=str)
def test_nearest_resize(coordinates: str, nearest: str, sizes: list[int]) -> None:
    how = {"mode": "nearest", "nearest_mode": nearest, "coordinate_transformation_mode": coordinates}
    for dtype in (np.float32, np.int8):
        agrees("Resize", 19, [(IMAGE * 10).astype(dtype), NONE, NONE, np.int64(sizes)], **how)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_resize_to_nothing(mode: str, coordinates: str) -> None:
    x, how = np.ones((1, 1, 3), np.float32), {"mode": mode, "coordinate_transformation_mode": coordinates}
    for size, scale in ((3, 0.3), (1, 0.5)):
        (found,) = run_node("Resize", 19, [x[..., :size], NONE, np.float32([1, 1, scale])], 1, **how)
        assert found.shape == (1, 1, 0)


def test_a_single_pixel_of_pytorch_half_pixel_is_the_first() -> None:
    """ONNX's text defines the position 0 for a result of one pixel. The reference evaluator uses -0.5."""
    x = RNG.standard_normal((1, 1, 1, 5)).astype(np.float32)
    how = {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"}
    (found,) = run_node("Resize", 19, [x, NONE, NONE, np.int64([1, 1, 1, 1])], 1, **how)
    np.testing.assert_array_equal(found, x[..., :1])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize(("coordinates", "nearest"), [("asymmetric", "floor"), ("half_pixel", "round_prefer_ceil")])
@pytest.mark.parametrize("factor", [2, 3, 41, 1021])
def test_nearest_resize_by_whole_factors(dtype: Any, coordinates: str, nearest: str, factor: int) -> None:
    """Resize by a whole factor repeats each element equally often, because no position is rounded past a boundary."""
    x = (RNG.standard_normal((1, 3, 5, 1001)) * 50).astype(dtype)
    how = {"mode": "nearest", "nearest_mode": nearest, "coordinate_transformation_mode": coordinates}
    (found,) = run_node("Resize", 19, [x, NONE, np.float32([1, 1, 2, factor])], 1, **how)
    assert np.array_equal(found, x.repeat(2, 2).repeat(factor, 3))


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.uint8, np.int32])
@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_resize_of_other_types_and_ranks(dtype: Any, rank: int) -> None:
    x = (RNG.random((3, 4, 2, 2, 3)[-rank:]) * 100).astype(dtype)
    sizes = np.int64([2, 3, 4, 4, 5][-rank:])
    agrees("Resize", 19, [x, NONE, NONE, sizes], 1 if x.dtype.kind in "iu" else 2e-3, mode="linear")


def test_resize_by_axes_and_aspect_ratio() -> None:
    for policy in ("stretch", "not_larger", "not_smaller"):
        sizes = np.int64([9, 4])
        agrees("Resize", 18, [IMAGE, NONE, NONE, sizes], axes=[3, 2], keep_aspect_ratio_policy=policy)


def test_resize_of_a_part() -> None:
    how = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 3.0}
    roi = np.float32([0, 0, 0.4, -0.2, 1, 1, 0.6, 1.3])
    agrees("Resize", 11, [IMAGE, roi, NONE, np.int64([1, 2, 3, 6])], **how)


@pytest.mark.parametrize(("op_type", "opset"), [("Upsample", 9), ("Resize", 10)])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_before_opset_11(op_type: str, opset: int, mode: str) -> None:
    """Upsample-9 and Resize-10 read the operand at the result's position divided by the scale."""
    line = RNG.standard_normal(5)
    where = np.arange(12) / 2.5
    expected = line[np.floor(where).astype(int)] if mode == "nearest" else np.interp(where, np.arange(5), line)
    (found,) = run_node(op_type, opset, [line, np.float32([2.5])], 1, mode=mode)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_upsample_with_an_attribute() -> None:
    (found,) = run_node("Upsample", 7, [IMAGE], 1, scales=[1.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found, IMAGE.repeat(2, 2).repeat(3, 3))


@given(
    st.sampled_from([np.float16, np.float32, np.float64]),
    st.integers(1, 9),
    st.sampled_from([None, 1, 4, 12]),
    st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1)]),
    st.booleans(),
)
def test_transforms(dtype: Any, n: int, length: int | None, kind: tuple[int, int], last: bool) -> None:
    inverse, onesided = kind
    parts = 1 if onesided and not inverse else 2
    if inverse and onesided and (length or 2 * (n - 1)) < 1:
        n = 2
    x = np.random.default_rng(n).standard_normal((2, n, 3, parts)).astype(dtype)
    if last:
        x = np.moveaxis(x, 1, 2).copy()
    axis = np.int64(-2 if last else 1)
    tolerance = {2: 2e-2, 4: 1e-5, 8: 1e-12}[x.itemsize]
    lengths = [] if length is None else [np.int64(length)]
    if lengths:
        agrees("DFT", 20, [x, *lengths, axis], tolerance, inverse=inverse, onesided=onesided)
    agrees("DFT", 17, [x, *lengths], tolerance, inverse=inverse, onesided=onesided, axis=int(axis))


X = np.float32([[0.0, 2.0, 3.0, 1000.0], [-254.0, 0.5, 2.5, -1.5], [1e30, -np.inf, 126.5, -128.5]])
INTEGERS = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16}


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_quantization_along_an_axis(name: str, axis: int) -> None:
    count = X.shape[axis]
    scale = np.float32([0.5, 1, 2, 3])[:count]
    zero = np.arange(count).astype(INTEGERS[name])
    with np.errstate(invalid="ignore"):  # the reference converts 1e30
        finite = np.where(np.abs(X) < 1e9, X, 5)
        agrees("QuantizeLinear", 21, [finite.astype(np.float32), scale, zero], 0, axis=axis)
    codes = RNG.integers(np.iinfo(name).min, np.iinfo(name).max, X.shape).astype(name)
    agrees("DequantizeLinear", 21, [codes, scale, zero], axis=axis)


def test_quantization_of_all_and_of_blocks() -> None:
    (found,) = run_node("QuantizeLinear", 13, [X, np.float32(2), np.uint8(128)], 1)
    np.testing.assert_array_equal(found, [[128, 129, 130, 255], [1, 128, 129, 127], [255, 0, 191, 64]])
    scale, zero = np.float32([[1, 2], [3, 4], [5, 6]]), np.int8([[0, 1], [2, 3], [4, 5]])
    codes = RNG.integers(-128, 128, X.shape).astype(np.int8)
    agrees("DequantizeLinear", 23, [codes, scale, zero], axis=1, block_size=2)
    if defs.onnx_opset_version() < 28:
        pytest.skip("the evaluator of onnx before 1.23 does not know output_dtype")
    agrees("DequantizeLinear", 23, [codes, np.float32(0.1)], 2e-3, output_dtype=TensorProto.FLOAT16)
    agrees("QuantizeLinear", 23, [X[:2], np.float32(0.1)], 0, output_dtype=TensorProto.INT16)


@pytest.mark.parametrize("rows", [False, True])
def test_products_of_quantized_matrices(rows: bool) -> None:
    """QLinearMatMul accepts scales and zero points for each row of the first and each column of the second operand."""
    a, b = RNG.integers(0, 255, (3, 8)).astype(np.uint8), RNG.integers(-128, 127, (8, 4)).astype(np.int8)
    a_scale = np.float32([0.125, 0.25, 0.5]) if rows else np.float32(0.125)
    b_scale = np.float32([0.5, 0.25, 2, 1]) if rows else np.float32([0.5])
    a_zero, b_zero = (np.uint8([3, 128, 7]), np.int8([1, 0, -3, 5])) if rows else (np.uint8(5), np.int8([-2]))
    (found,) = run_node("QLinearMatMul", 10, [a, a_scale, a_zero, b, b_scale, b_zero, np.float32(8), np.int8(3)], 1)
    columns = (-1, 1) if rows else ()
    left = (a.astype(int) - a_zero.astype(int).reshape(columns)) * np.float64(a_scale).reshape(columns)
    exact = left @ ((b.astype(int) - b_zero.astype(int)) * np.float64(b_scale)) / 8
    np.testing.assert_array_equal(found, np.clip(np.rint(exact) + 3, -128, 127))
    assert found.dtype == np.int8


CODES = np.zeros((3, 4), np.int8)
COUPLE = np.zeros((2, 3, 2), np.float32)
WRONG: list[tuple[str, list[Array], dict[str, Any], type[SuanziError]]] = [
    ("Resize", [IMAGE, NONE, np.float32([1, 1, 0, 1])], {}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([1, 1, np.nan, 1])], {}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([1, 1, np.inf, 1])], {}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([2, 2])], {}, DimensionsMismatchError),
    ("Resize", [IMAGE, NONE, NONE, np.int64([1, 2, 3, -4])], {}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([1, 1, 2, 2]), np.int64([1, 2, 3, 4])], {}, InvalidArgumentError),
    ("Resize", [IMAGE], {}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([1, 1, 2, 2])], {"mode": "square"}, InvalidArgumentError),
    ("Resize", [IMAGE, NONE, np.float32([1, 1, 2, 2])], {"nearest_mode": "up"}, InvalidArgumentError),
    (
        "Resize",
        [IMAGE, NONE, np.float32([1, 1, 2, 2])],
        {"coordinate_transformation_mode": "polar"},
        InvalidArgumentError,
    ),
    ("Resize", [IMAGE, NONE, np.float32([2, 2])], {"axes": [2, 4]}, OutOfRangeError),
    ("Resize", [IMAGE, NONE, np.float32([2, 2])], {"axes": [2, -2]}, InvalidArgumentError),
    (
        "Resize",
        [IMAGE, NONE, np.float32([1, 1, 2, 2])],
        {"coordinate_transformation_mode": "tf_crop_and_resize"},
        DimensionsMismatchError,
    ),
    ("Resize", [IMAGE[:, :, :0], NONE, NONE, np.int64([1, 2, 3, 4])], {}, InvalidArgumentError),
    ("DFT", [COUPLE, np.int64(4), np.int64(2)], {}, InvalidArgumentError),
    ("DFT", [COUPLE, np.int64(4), np.int64(3)], {}, OutOfRangeError),
    ("DFT", [COUPLE, np.int64(0), np.int64(1)], {}, InvalidArgumentError),
    ("DFT", [COUPLE, np.int64(4), np.int64(1)], {"onesided": 1}, InvalidArgumentError),
    ("DFT", [np.zeros((2, 3), np.float32)], {}, DimensionsMismatchError),
    ("QuantizeLinear", [X, np.float32([1, 2])], {"axis": 1}, DimensionsMismatchError),
    ("QuantizeLinear", [X, np.float32([1, 2])], {"axis": 2}, OutOfRangeError),
    ("QuantizeLinear", [X, np.float32(1), np.int8(0)], {"output_dtype": TensorProto.UINT8}, InvalidArgumentError),
    ("DequantizeLinear", [CODES, np.float32([[1], [2]])], {"block_size": 2}, DimensionsMismatchError),
    ("DequantizeLinear", [CODES, np.float32([[1], [2]])], {"block_size": -2}, DimensionsMismatchError),
]


@pytest.mark.parametrize(("op_type", "inputs", "attributes", "error"), WRONG)
def test_wrong_operands(
    op_type: str, inputs: list[Array], attributes: dict[str, Any], error: type[SuanziError]
) -> None:
    with pytest.raises(error, match=op_type if op_type != "DFT" else "(?i)dft|fft"):
        run_node(op_type, 23, inputs, 1, **attributes)
