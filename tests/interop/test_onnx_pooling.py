"""ONNX's pools, grids, regions and boxes return the same results as loops or as ONNX's evaluator, in all versions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from onnx import defs
from onnx.reference import ReferenceEvaluator

from interop.models import Array, one_node, run_node
from suanzi import AllocFailedError, DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, SuanziError

pytestmark = pytest.mark.one_level

RNG = np.random.default_rng(0)
IMAGE = RNG.standard_normal((2, 3, 7, 9)).astype(np.float32)


def agrees(op_type: str, opset: int, inputs: list[Array | None], outputs: int = 1, **attributes: Any) -> None:
    """Check that a single node returns the same values, shapes and types as ONNX's evaluator."""
    if defs.onnx_opset_version() < 27:
        pytest.skip("the evaluator of onnx before 1.22 fails with today's NumPy, or is wrong")
    found = run_node(op_type, opset, inputs, outputs, **attributes)
    model = one_node(op_type, opset, inputs, outputs, **attributes)
    feeds = {f"x{i}": a for i, a in enumerate(inputs) if a is not None}
    for y, expected in zip(found, ReferenceEvaluator(model).run(None, feeds), strict=True):
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def window(x: Array, place: tuple[int, ...], kernel: int, stride: int, pads: int, dilation: int) -> dict[int, float]:
    """Return the elements in the pooling window of the result at `place`, by the elements' flat indices in `x`."""
    axes = [[i * stride - pads + k * dilation for k in range(kernel)] for i in place]
    inside = [p for p in itertools.product(*axes) if all(0 <= i < n for i, n in zip(p, x.shape, strict=True))]
    return {int(np.ravel_multi_index(p, x.shape)): float(x[p]) for p in inside}


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("shape", [(2, 3, 11), (2, 3, 5, 6), (1, 2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint8])
def test_places_in_the_whole_tensor(order: int, shape: tuple[int, ...], dtype: Any) -> None:
    x = (
        (RNG.standard_normal(shape) * 50).astype(dtype)
        if dtype not in (np.int8, np.uint8)
        else RNG.integers(0, 9, shape).astype(dtype)
    )
    rank = len(shape) - 2
    options = {"kernel_shape": [2] * rank, "strides": [2] * rank, "pads": [1] * (2 * rank), "storage_order": order}
    values, places = run_node("MaxPool", 12, [x], 2, **options)
    assert (values.dtype, places.dtype) == (x.dtype, np.dtype(np.int64))
    plane = int(np.prod(shape[2:]))
    for n, c, *place in np.ndindex(values.shape):
        elements = window(x[n, c], tuple(place), 2, 2, 1, 1)
        best = max(elements.values())
        first = next(i for i, value in elements.items() if value == best)
        if order == 1:
            first = int(np.ravel_multi_index(np.unravel_index(first, shape[2:]), shape[2:], order="F"))
        assert values[(n, c, *place)] == best
        assert places[(n, c, *place)] == (n * shape[1] + c) * plane + first


@pytest.mark.parametrize("opset", [1, 7, 10, 11, 19, 22])
@pytest.mark.parametrize("include", [0, 1])
@pytest.mark.parametrize("ceil", [0, 1])
def test_average_pool(opset: int, include: int, ceil: int) -> None:
    """AveragePool's divisor counts padding if `count_include_pad` is 1, but no place beyond the padding."""
    options: dict[str, Any] = {"kernel_shape": [3, 4], "strides": [2, 3], "pads": [1, 0, 0, 2]}
    if opset >= 7:
        options["count_include_pad"] = include
    if opset >= 10:
        options["ceil_mode"] = ceil
    (found,) = run_node("AveragePool", opset, [IMAGE], 1, **options)
    sizes = [(7 + 1 - 3, 2), (9 + 2 - 4, 3)]
    # A fourth window along the last axis would start at index 9, beyond the 9 elements.
    counts = [4, 3] if options.get("ceil_mode") else [room // s + 1 for room, s in sizes]
    assert found.shape == (2, 3, *counts)
    for n, c, i, j in np.ndindex(found.shape):
        rows, columns = range(i * 2 - 1, i * 2 + 2), range(j * 3, j * 3 + 4)
        inside = [IMAGE[n, c, a, b] for a in rows for b in columns if 0 <= a < 7 and b < 9]
        padded = sum(a < 7 for a in rows) * sum(b < 11 for b in columns)
        divisor = padded if options.get("count_include_pad") else len(inside)
        np.testing.assert_allclose(found[n, c, i, j], sum(map(float, inside)) / divisor, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("name", ["MaxPool", "AveragePool", "LpPool"])
def test_automatic_padding(name: str, auto_pad: str) -> None:
    options = {"kernel_shape": [3, 4], "strides": [2, 2], "auto_pad": auto_pad}
    (found,) = run_node(name, 11, [IMAGE], 1, **options)
    # Four windows of 3 rows in steps of 2 reach over 9 rows, and the image has 7 rows. Five windows of 4 columns reach
    # over 12 columns, and the image has 9 columns. SAME therefore pads 2 rows and 3 columns.
    pads = {"SAME_UPPER": [1, 1, 1, 2], "SAME_LOWER": [1, 2, 1, 1], "VALID": [0, 0, 0, 0]}[auto_pad]
    (expected,) = run_node(name, 11, [IMAGE], 1, kernel_shape=[3, 4], strides=[2, 2], pads=pads)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("opset", "p"), [(1, 2.0), (1, 3.0), (2, 1), (11, 2), (18, 3), (22, 2)])
def test_lp_pool(opset: int, p: float) -> None:
    (found,) = run_node("LpPool", opset, [IMAGE], 1, kernel_shape=[2, 3], pads=[1, 1, 0, 1], strides=[2, 1], p=p)
    padded = np.pad(np.abs(IMAGE.astype(np.float64)) ** p, [(0, 0), (0, 0), (1, 0), (1, 1)])
    rows = [[padded[:, :, i : i + 2, j : j + 3].sum((2, 3)) for j in range(9)] for i in range(0, 7, 2)]
    np.testing.assert_allclose(found, np.moveaxis(np.array(rows), (0, 1), (2, 3)) ** (1 / p), rtol=1e-5)


def test_max_unpool() -> None:
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
    values, places = run_node("MaxPool", 12, [x], 2, kernel_shape=[2, 2], strides=[2, 2])
    expected = np.where((np.arange(16).reshape(4, 4) // 4 % 2 == 1) & (np.arange(16).reshape(4, 4) % 2 == 1), x, 0)
    options = {"kernel_shape": [2, 2], "strides": [2, 2]}
    (back,) = run_node("MaxUnpool", 11, [values, places], 1, **options)
    np.testing.assert_array_equal(back, expected)
    (larger,) = run_node("MaxUnpool", 11, [values, places, np.int64([1, 1, 5, 6])], 1, **options)
    np.testing.assert_array_equal(larger, np.pad(expected, [(0, 0), (0, 0), (0, 1), (0, 2)]))
    for wrong, error in ((places + 100, OutOfRangeError), (places - 100, OutOfRangeError)):
        with pytest.raises(error, match="MaxUnpool"):
            run_node("MaxUnpool", 11, [values, wrong], 1, **options)
    with pytest.raises(InvalidArgumentError, match="MaxUnpool"):
        run_node("MaxUnpool", 11, [values, places, np.int64([1, 1, 3, 6])], 1, **options)


def test_max_roi_pool() -> None:
    x = IMAGE
    rois = np.float32([[0, 0, 0, 8, 6], [1, 2, 1, 5, 5], [1, -3, -3, 1, 20], [0, 30, 30, 40, 40], [0, 4, 4, 2, 2]])
    (found,) = run_node("MaxRoiPool", 1, [x, rois], 1, pooled_shape=[2, 3], spatial_scale=1.0)
    assert found.shape == (5, 3, 2, 3)
    for k, (n, x1, y1, x2, y2) in enumerate(rois):
        height, width = max(y2 - y1 + 1, 1) / 2, max(x2 - x1 + 1, 1) / 3
        for i, j in np.ndindex(2, 3):
            rows = np.clip([y1 + np.floor(i * height), y1 + np.ceil((i + 1) * height)], 0, 7).astype(int)
            columns = np.clip([x1 + np.floor(j * width), x1 + np.ceil((j + 1) * width)], 0, 9).astype(int)
            part = x[int(n), :, rows[0] : rows[1], columns[0] : columns[1]]
            np.testing.assert_array_equal(found[k, :, i, j], part.max((1, 2)) if part.size else 0)
    for wrong in (-1, 2, np.nan):
        with pytest.raises(OutOfRangeError, match="MaxRoiPool"):
            run_node("MaxRoiPool", 1, [x, np.float32([[wrong, 0, 0, 1, 1]])], 1, pooled_shape=[1, 1])


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("rank", [2, 3])
def test_grid_sample(mode: str, padding: str, align: int, rank: int) -> None:
    x = RNG.standard_normal((1, 2, 4, 5, 3)[: 2 + rank]).astype(np.float32)
    grid = (RNG.random((1, *(2, 3, 2)[:rank], rank)) * 3 - 1.5).astype(np.float32)
    options = {"mode": mode, "padding_mode": padding, "align_corners": align}
    agrees("GridSample", 20, [x, grid], **options)
    if rank == 2:
        older = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
        (found,) = run_node("GridSample", 16, [x, grid], 1, **{**options, "mode": older})
        np.testing.assert_array_equal(found, run_node("GridSample", 20, [x, grid], 1, **options)[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_, np.float16, np.complex64])
def test_grid_sample_of_other_types(dtype: Any) -> None:
    x = (np.arange(12).reshape(1, 1, 3, 4) * 10).astype(dtype)
    grid = np.float32([[[[-1, -1], [0.3, 0.2], [1, 1]]]])
    (found,) = run_node("GridSample", 16, [x, grid], 1, mode="bilinear", align_corners=1)
    column, row = 0.3 / 2 * 3 + 1.5, 0.2 + 1
    inside = 10 * (row * 4 + column)
    if dtype is np.bool_:
        assert found.ravel().tolist() == [False, True, True]
    else:
        whole = np.array([0, np.trunc(inside) if np.dtype(dtype).kind in "iu" else inside, 110])
        np.testing.assert_allclose(found.ravel(), whole.astype(dtype), rtol=1e-3)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("coordinates", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align(mode: str, coordinates: str, ratio: int) -> None:
    rois = np.float32([[0, 0, 8, 6], [1.5, 2, 5, 5.5], [-3, -3, 1, 20]])
    options = {"mode": mode, "output_height": 2, "output_width": 3, "sampling_ratio": ratio, "spatial_scale": 0.5}
    batch = np.int64([0, 1, 1])
    agrees("RoiAlign", 16, [IMAGE, rois, batch], **options, coordinate_transformation_mode=coordinates)
    if coordinates == "output_half_pixel":
        (found,) = run_node("RoiAlign", 10, [IMAGE, rois, batch], 1, **options)
        newer = run_node("RoiAlign", 16, [IMAGE, rois, batch], 1, **options, coordinate_transformation_mode=coordinates)
        np.testing.assert_array_equal(found, newer[0])


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("sizes", [(4, 5), (2, 3, 4)])
def test_affine_grid(align: int, sizes: tuple[int, ...]) -> None:
    rank = len(sizes)
    theta = RNG.standard_normal((2, rank, rank + 1)).astype(np.float32)
    agrees("AffineGrid", 20, [theta, np.int64([2, 3, *sizes])], align_corners=align)
    with pytest.raises(DimensionsMismatchError, match="AffineGrid"):
        run_node("AffineGrid", 20, [theta, np.int64([3, 3, *sizes])], 1)


@pytest.mark.parametrize("options", [{}, {"strides": [2, 1]}, {"pads": [1, 0, 1, 2]}, {"dilations": [1, 2]}], ids=str)
def test_col2im(options: dict[str, Any]) -> None:
    image, block = (5, 6), (2, 3)
    strides, dilations, pads = (
        options.get(k, v) for k, v in (("strides", [1, 1]), ("dilations", [1, 1]), ("pads", [0] * 4))
    )
    counts = [
        (image[a] + pads[a] + pads[a + 2] - (block[a] - 1) * dilations[a] - 1) // strides[a] + 1 for a in range(2)
    ]
    x = RNG.integers(-9, 9, (2, 3 * 6, counts[0] * counts[1]))
    expected = np.zeros((2, 3, *image), np.int64)
    for n, c, i, j, k, m in np.ndindex(2, 3, *block, *counts):
        row, column = k * strides[0] + i * dilations[0] - pads[0], m * strides[1] + j * dilations[1] - pads[1]
        if 0 <= row < image[0] and 0 <= column < image[1]:
            expected[n, c, row, column] += x[n, c * 6 + i * 3 + j, k * counts[1] + m]
    for dtype in (np.float32, np.float16, np.int32):
        (found,) = run_node("Col2Im", 18, [x.astype(dtype), np.int64(image), np.int64(block)], 1, **options)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)


def test_non_max_suppression() -> None:
    boxes = np.float32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11]]])
    scores = np.float32([[[0.9, 0.75, 0.6, 0.95]]])
    most, overlap, score = np.int64([3]), np.float32([0.5]), np.float32([0.7])
    run = lambda *inputs, **options: run_node("NonMaxSuppression", 11, list(inputs), 1, **options)[0].tolist()  # noqa: E731
    assert run(boxes, scores, most, overlap) == [[0, 0, 3], [0, 0, 0]]
    assert run(boxes, scores, most, overlap, score) == [[0, 0, 3], [0, 0, 0]]
    assert run(boxes, scores, np.int64([1]), overlap) == [[0, 0, 3]]
    assert run(boxes, scores) == []  # without a maximum number, no boxes are kept
    assert run(boxes, scores, np.int64(9)) == [[0, 0, 3], [0, 0, 0]]  # the default threshold lets no boxes overlap
    with pytest.raises(InvalidArgumentError, match="NonMaxSuppression"):
        run(boxes, scores, most, np.float32([2]))


@pytest.mark.parametrize(
    ("name", "opset", "inputs", "options"),
    [
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [0, 1]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2, 2], "pads": [1, 1]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2, 2], "pads": [2**62, 0, 0, 0]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2, 2], "dilations": [2**62, 1]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2**62, 2**62]}),
        ("MaxPool", 12, [IMAGE], {"kernel_shape": [2, 2], "auto_pad": "SAME"}),
        ("MaxPool", 12, [IMAGE[0, 0]], {"kernel_shape": [1, 1]}),
        ("AveragePool", 22, [IMAGE], {"kernel_shape": [9, 9]}),
        ("LpPool", 22, [IMAGE], {"kernel_shape": [2, 2], "p": 0}),
        ("MaxRoiPool", 1, [IMAGE, IMAGE[0, 0]], {"pooled_shape": [2, 2]}),
        ("MaxRoiPool", 1, [IMAGE, np.zeros((1, 5), np.float32)], {"pooled_shape": [0, 2]}),
        ("GridSample", 16, [IMAGE, np.zeros((2, 3, 3, 2), np.float32)], {"mode": "area"}),
        ("RoiAlign", 16, [IMAGE, np.zeros((1, 4), np.float32), np.int64([5])], {}),
        ("RoiAlign", 16, [IMAGE, np.zeros((1, 4), np.float32), np.int64([0])], {"output_height": -1}),
        ("Col2Im", 18, [np.zeros((1, 4, 4), np.float32), np.int64([2**40, 2**40]), np.int64([2, 2])], {}),
        ("Col2Im", 18, [np.zeros((1, 0, 0), np.float32), np.int64([4, 4]), np.int64([2**31, 2**31])], {}),
        ("Col2Im", 18, [np.zeros((1, 4, 4), np.float32), np.int64([3, 3]), np.int64([0, 2])], {}),
        ("NonMaxSuppression", 11, [IMAGE[0], IMAGE[0], np.int64([1])], {}),
    ],
    ids=str,
)
def test_refused(name: str, opset: int, inputs: list[Array | None], options: dict[str, Any]) -> None:
    with pytest.raises(SuanziError) as caught:
        run_node(name, opset, inputs, 1, **options)
    assert not isinstance(caught.value, AllocFailedError)
