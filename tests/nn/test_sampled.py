"""The tests compare grids, regions and boxes with direct loops in float64, which share no code with Suanzi."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS, bits
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError, nn

Array = np.ndarray[Any, Any]
RELATIVE = {"float16": 3e-3, "bfloat16": 3e-2, "float32": 2e-4, "float64": 1e-10}
MODES = ("nearest", "bilinear", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


# --- grids ---


def brought_inside(x: float, size: int, padding: str, align: bool) -> float:
    if padding == "zeros":
        return x
    if padding == "reflection":
        low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
        if span == 0:
            return 0.0
        times, rest = divmod(abs(x - low), span)
        x = low + (rest if times % 2 == 0 else span - rest)
    return min(max(x, 0.0), size - 1.0)


def taps(coordinate: float, size: int, mode: str, padding: str, align: bool) -> list[tuple[int, float]]:
    """Return the places within an axis that contribute to a coordinate, and the weights of these places."""
    x = (coordinate + 1) / 2 * (size - 1) if align else ((coordinate + 1) * size - 1) / 2
    if mode == "bicubic":
        first, t = math.floor(x), x - math.floor(x)
        a = -0.75
        near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1  # noqa: E731
        far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a  # noqa: E731
        found = [(first - 1, far(t + 1)), (first, near(t)), (first + 1, near(1 - t)), (first + 2, far(2 - t))]
        found = [(int(brought_inside(i, size, padding, align)), w) for i, w in found]
    else:
        x = brought_inside(x, size, padding, align)
        first = round(x) if mode == "nearest" else math.floor(x)
        found = [(first, 1.0)] if mode == "nearest" else [(first, first + 1 - x), (first + 1, x - first)]
    return [(i, w) for i, w in found if 0 <= i < size]


def sampled(a: Array, grid: Array, mode: str, padding: str, align: bool) -> Array:
    out = np.zeros((*a.shape[:2], *grid.shape[1:-1]))
    for n, *place in np.ndindex(grid.shape[:-1]):
        point = grid[(n, *place)][::-1]
        axes = [taps(float(c), size, mode, padding, align) for c, size in zip(point, a.shape[2:], strict=True)]
        for some in itertools.product(*axes):
            weight = math.prod(w for _, w in some)
            if weight:
                out[(n, slice(None), *place)] += weight * a[(n, slice(None), *(i for i, _ in some))]
    return out


@st.composite
def grids(draw: Any) -> tuple[Array, Array, str]:
    rank = draw(st.integers(1, 3))
    batch, channels = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    spatial = [draw(st.integers(1, 5)) for _ in range(rank)]
    points = [draw(st.integers(1, {1: 40, 2: 7, 3: 3}[rank])) for _ in range(rank)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(tuple(RELATIVE)))
    a = rng.standard_normal((batch, channels, *spatial)).astype(suanzi.as_dtype(dtype).numpy)
    # Coordinates stay away from ties, at which rounding in another type would select another element.
    grid = np.round(rng.standard_normal((batch, *points, rank)) * draw(st.sampled_from([0.5, 1, 3])), 1) + 0.0137
    return a, grid.astype(np.float64 if dtype == "float64" else np.float32), dtype


@given(grids(), st.sampled_from(MODES), st.sampled_from(PADDINGS), st.booleans(), st.sampled_from(sorted(LAYOUTS)[1:]))
def test_grid_sample(call: tuple[Array, Array, str], mode: str, padding: str, align: bool, layout: str) -> None:
    a, grid, dtype = call
    found = nn.grid_sample(LAYOUTS[layout](a), LAYOUTS[layout](grid), mode, padding, align)  # type: ignore[arg-type]
    expected = sampled(a.astype(np.float64), grid.astype(np.float64), mode, padding, align)
    assert found.dtype is suanzi.as_dtype(dtype)
    tolerance = RELATIVE[dtype]
    np.testing.assert_allclose(found.numpy().astype(np.float64), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "complex64", "complex128", "string", "float16"])
def test_nearest_elements_of_any_type(dtype: str) -> None:
    a = np.arange(1, 13).reshape(1, 2, 2, 3)
    x = suanzi.astype(suanzi.tensor(a), dtype) if dtype != "string" else suanzi.tensor(a.astype(str))
    grid = suanzi.tensor(np.float32([[[[-1, -1], [1, 1], [0.1, -1], [5, 0]]]]))
    found = nn.grid_sample(x, grid, "nearest", align_corners=True).numpy()
    chosen = x.numpy()[:, :, [0, 1, 0, 0], [0, 2, 1, 0]][:, :, None]
    np.testing.assert_array_equal(found[..., :3], chosen[..., :3])
    assert (found[..., 3] == ("" if dtype == "string" else 0)).all()


@pytest.mark.parametrize("coordinate", [math.nan, math.inf, -math.inf, 1e30, -1e30, 3e38])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("padding", PADDINGS)
def test_coordinates_anywhere(coordinate: float, mode: str, padding: str) -> None:
    """`grid_sample` reads nothing outside the elements for any coordinate. Finite coordinates have finite results."""
    a = np.arange(1.0, 13, dtype=np.float32).reshape(1, 1, 3, 4)
    for places in ([coordinate, 0], [0, coordinate], [coordinate, coordinate]):
        grid = suanzi.tensor(np.float32([[[places] * 19]]))
        for align in (False, True):
            found = nn.grid_sample(suanzi.tensor(a), grid, mode, padding, align).numpy()  # type: ignore[arg-type]
            assert math.isfinite(coordinate) <= np.isfinite(found).all()
            if math.isfinite(coordinate) and padding == "zeros":
                assert (found == 0).all()
            elif mode != "bicubic" and padding != "zeros":
                assert ((found >= 1) & (found <= 12)).all()


def test_elements_of_weight_0_do_not_take_part() -> None:
    a = np.float32([[[[1, np.nan], [np.inf, 4]]]])
    grid = suanzi.tensor(np.float32([[[[-1, -1], [1, 1]]]]))
    found = nn.grid_sample(suanzi.tensor(a), grid, align_corners=True)
    assert found.numpy().tolist() == [[[[1, 4]]]]


def test_grids_refused() -> None:
    x, grid, name = suanzi.zeros((1, 1, 2, 2)), suanzi.zeros((1, 3, 3, 2)), "nn.grid_sample"
    for wrong in ((2, 3, 3, 2), (1, 3, 3, 3), (1, 3, 2), (1, 3, 3, 3, 2)):
        with fails(DimensionsMismatchError, name):
            nn.grid_sample(x, suanzi.zeros(wrong))
    for wrong in ((1, 1), (1, 1, 0, 2), (1, 1, 2, 2, 2, 2)):
        with fails(DimensionsMismatchError, name):
            nn.grid_sample(suanzi.zeros(wrong), grid)
    for mode, padding in (("area", "zeros"), ("nearest", "wrap")):
        with fails(InvalidArgumentError, name):
            nn.grid_sample(x, grid, mode, padding)  # type: ignore[arg-type]
    with fails(TypeMismatchError, name):
        nn.grid_sample(suanzi.zeros((1, 1, 2, 2), dtype="int32"), grid)
    with fails(TypeMismatchError, name):
        nn.grid_sample(x, suanzi.zeros((1, 3, 3, 2), dtype="int32"))
    assert nn.grid_sample(suanzi.zeros((0, 2, 3)), suanzi.zeros((0, 4, 1))).shape == (0, 2, 4)


# --- regions ---


def aligned(a: Array, box: Array, size: tuple[int, int], scale: float, ratio: int, half: bool, greatest: bool) -> Array:
    """Pool a region of an image by the definition of torchvision and ONNX. The coordinates are computed in float32."""
    f = np.float32
    channels, height, width = a.shape
    out = np.zeros((channels, *size))
    offset = f(0.5 if half else 0)
    x1, y1, x2, y2 = (f(f(c) * f(scale) - offset) for c in box)
    extent = [f(y2 - y1), f(x2 - x1)]
    if not half:
        extent = [max(e, f(1)) for e in extent]
    parts = [f(e / f(n)) for e, n in zip(extent, size, strict=True)]
    counts = [ratio if ratio > 0 else max(math.ceil(p), 0) for p in parts]

    def places(start: Any, part: Any, i: int, count: int, limit: int) -> list[list[tuple[int, float]]]:
        found = []
        for k in range(count):
            at = f(f(start + f(f(i) * part)) + f(f(f(k + 0.5) * part) / f(count)))
            if at < -1 or at > limit:
                found.append([])
                continue
            at = max(at, f(0))
            low = min(int(at), limit - 1)
            high = min(low + 1, limit - 1)
            beyond = float(at - f(low)) if low < limit - 1 else 0.0
            found.append([(low, 1 - beyond), (high, beyond)])
        return found

    for i, j in np.ndindex(*size):
        rows = places(y1, parts[0], i, counts[0], height)
        columns = places(x1, parts[1], j, counts[1], width)
        samples = []
        for row, column in itertools.product(rows, columns):
            products = [wy * wx * a[:, y, x] for (y, wy), (x, wx) in itertools.product(row, column)]
            products = products or [np.zeros(channels)]
            samples.append(np.max(products, axis=0) if greatest else np.sum(products, axis=0))
        if samples:
            out[:, i, j] = np.max(samples, axis=0) if greatest else np.sum(samples, axis=0) / len(samples)
    return out


@given(st.data())
def test_roi_align(data: st.DataObject) -> None:
    draw = data.draw
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    count = draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(("float16", "bfloat16", "float32")))
    a = rng.standard_normal(shape).astype(suanzi.as_dtype(dtype).numpy)
    boxes = (rng.random((count, 4)) * 14 - 2).astype(np.float32)
    boxes = np.round(boxes * 4) / 4 if draw(st.booleans()) else boxes
    images = rng.integers(0, shape[0], size=count)
    size = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    scale, ratio, half = draw(st.sampled_from([1.0, 0.5, 0.3])), draw(st.integers(-1, 3)), draw(st.booleans())
    mode = draw(st.sampled_from(["avg", "max"]))
    x = LAYOUTS[draw(st.sampled_from(["contiguous", "strided", "transposed"]))](a)
    wide = a.astype(np.float64)
    expected = [
        aligned(wide[n], box, size, scale, ratio, half, mode == "max") for n, box in zip(images, boxes, strict=True)
    ]
    if draw(st.booleans()):
        given_boxes = [suanzi.tensor(boxes), suanzi.tensor(images)]
    else:
        given_boxes = [suanzi.tensor(np.concatenate([images[:, None], boxes], 1).astype(np.float32))]
    found = (
        nn.roi_align(x, *given_boxes, size, scale, ratio, half, mode=mode)
        if len(given_boxes) == 2
        else (
            nn.roi_align(
                x, *given_boxes, output_size=size, spatial_scale=scale, sampling_ratio=ratio, aligned=half, mode=mode
            )
        )
    )
    tolerance = RELATIVE[dtype]
    wanted = np.reshape(np.array(expected), (count, shape[1], *size))
    np.testing.assert_allclose(found.numpy().astype(np.float64), wanted, rtol=tolerance, atol=tolerance)


def test_regions_anywhere() -> None:
    """`roi_align` of an extreme region needs little time and memory, and reads nothing outside the image."""
    x = suanzi.ones((1, 2, 5, 5))
    for value in (math.nan, math.inf, -math.inf):
        boxes = suanzi.tensor(np.float32([[0, 0, value, 3]]))
        assert np.isnan(nn.roi_align(x, boxes, output_size=2).numpy()).all()
    far = suanzi.tensor(np.float32([[1e6, 1e6, 1e6 + 5, 1e6 + 5], [-1e5, -1e5, 1e5, 1e5]]))
    found = nn.roi_align(x, far, output_size=2).numpy()
    assert (found[0] == 0).all()
    assert ((found[1] >= 0) & (found[1] < 1e-3)).all()
    for box, mode in (([0, 0, 1e30, 1], "avg"), ([0, 0, 1e5, 1e5], "max")):
        with fails(InvalidArgumentError, "nn.roi_align"):
            nn.roi_align(x, suanzi.tensor(np.float32([box])), output_size=2, mode=mode)  # type: ignore[arg-type]
    with fails(InvalidArgumentError, "nn.roi_align"):
        nn.roi_align(x, suanzi.tensor(np.float32([[0, 0, 1, 1]])), sampling_ratio=2**40)


def test_regions_refused() -> None:
    x, boxes, name = suanzi.zeros((2, 1, 4, 4)), suanzi.zeros((3, 4)), "nn.roi_align"
    for image in (-1, 2):
        with fails(OutOfRangeError, name):
            nn.roi_align(x, boxes, suanzi.full((3,), image, dtype="int64"))
    for number, error in (
        (math.nan, OutOfRangeError),
        (math.inf, OutOfRangeError),
        (2.0, OutOfRangeError),
        (-1.0, OutOfRangeError),
        (0.5, TypeMismatchError),
        (-0.25, TypeMismatchError),
    ):
        with fails(error, name):
            nn.roi_align(x, suanzi.tensor([[0, 0, 0, 1, 1], [number, 0, 0, 1, 1]]))
    with fails(DimensionsMismatchError, name):
        nn.roi_align(x, suanzi.zeros((3, 3)))
    with fails(DimensionsMismatchError, name):
        nn.roi_align(x, boxes, suanzi.zeros((2,), dtype="int64"))
    with fails(DimensionsMismatchError, name):
        nn.roi_align(suanzi.zeros((2, 4, 4)), boxes)
    with fails(DimensionsMismatchError, name):
        nn.roi_align(x, boxes, output_size=(1, 2, 3))
    with fails(InvalidArgumentError, name):
        nn.roi_align(x, boxes, output_size=0)
    with fails(InvalidArgumentError, name):
        nn.roi_align(x, boxes, mode="sum")  # type: ignore[arg-type]
    with fails(InvalidArgumentError, name):
        nn.roi_align(x, suanzi.zeros((3, 5)), suanzi.zeros((3,), dtype="int64"))
    with fails(TypeMismatchError, name):
        nn.roi_align(suanzi.zeros((2, 1, 4, 4), dtype="int32"), boxes)
    with fails(TypeMismatchError, name):
        nn.roi_align(x, boxes, suanzi.zeros((3,)))


# --- boxes ---


def kept(boxes: Array, scores: Array, threshold: Any, score: Any, most: int | None, centres: bool) -> list[int]:
    def corners(b: Array) -> tuple[float, ...]:
        if centres:
            return b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2
        return min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])

    def shared(p: Array, q: Array) -> float:
        a, b = corners(p), corners(q)
        width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
        if width <= 0 or height <= 0 or min(areas) <= 0:
            return 0.0
        return width * height / (sum(areas) - width * height)

    order = sorted(
        (i for i, s in enumerate(scores) if (s > score if score is not None else s == s)), key=lambda i: (-scores[i], i)
    )
    found: list[int] = []
    for i in order:
        if (most is None or len(found) < most) and all(shared(boxes[i], boxes[j]) <= threshold for j in found):
            found.append(i)
    return found


@given(st.data())
def test_nms(data: st.DataObject) -> None:
    draw = data.draw
    images, classes, count = draw(st.integers(0, 2)), draw(st.integers(0, 3)), draw(st.integers(0, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(("float16", "float32", "float64")))
    boxes = np.round(rng.random((images, count, 4)) * 6 * 4) / 4
    scores = np.round(rng.random((images, classes, count)) * 8) / 8
    if scores.size and draw(st.booleans()):
        scores.flat[rng.integers(0, scores.size)] = np.nan
    threshold = draw(st.sampled_from([0.0, 0.25, 0.5, 0.71, 1.0]))
    score, most = draw(st.sampled_from([None, 0.0, 0.375])), draw(st.sampled_from([None, 0, 1, 4]))
    centres = draw(st.booleans())
    expected = [
        [n, c, i]
        for n in range(images)
        for c in range(classes)
        for i in kept(boxes[n], scores[n, c], threshold, score, most, centres)
    ]
    x, y = (suanzi.astype(suanzi.tensor(each), dtype) for each in (boxes, scores))
    form = "centres" if centres else "corners"
    found = nn.nms(x, y, threshold, score_threshold=score, max_output_boxes=most, box_format=form)  # type: ignore[arg-type]
    assert found.shape == (len(expected), 3)
    assert found.numpy().tolist() == expected
    if images and classes:
        one = nn.nms(x[0], y[0, 0], threshold, score_threshold=score, max_output_boxes=most, box_format=form)  # type: ignore[arg-type]
        assert one.numpy().tolist() == [i for n, c, i in expected if n == c == 0]


def test_the_limit_of_overlap_itself() -> None:
    """`nms` keeps a box whose overlap with a better box is exactly the threshold, in float32 and in float64."""
    for dtype in ("float32", "float64"):
        boxes = suanzi.tensor([[0.0, 0.0, 10.0, 1.0], [0.0, 0.0, 7.0, 1.0]], dtype=dtype)
        scores = suanzi.tensor([0.9, 0.8], dtype=dtype)
        assert nn.nms(boxes, scores, 0.7).numpy().tolist() == [0, 1]
        assert nn.nms(boxes, scores, 0.69).numpy().tolist() == [0]
    huge = suanzi.tensor(np.float32([[0, 0, 3e38, 3e38], [0, 0, 3e38, 3e38]]))
    assert nn.nms(huge, suanzi.tensor([0.5, 0.5]), 0.5).numpy().tolist() == [0]


def test_boxes_refused() -> None:
    boxes, scores, name = suanzi.zeros((1, 3, 4)), suanzi.zeros((1, 2, 3)), "nn.nms"
    for threshold in (-0.1, 1.1, math.nan):
        with fails(InvalidArgumentError, name):
            nn.nms(boxes, scores, threshold)
    for wrong in ((1, 3), (1, 2, 4), (2, 2, 3)):
        with fails(DimensionsMismatchError, name):
            nn.nms(boxes, suanzi.zeros(wrong))
    with fails(DimensionsMismatchError, name):
        nn.nms(suanzi.zeros((1, 3, 5)), scores)
    with fails(TypeMismatchError, name):
        nn.nms(suanzi.zeros((1, 3, 4), dtype="int32"), scores)
    with fails(InvalidArgumentError, name):
        nn.nms(boxes, scores, box_format="xywh")  # type: ignore[arg-type]


def test_the_same_bits_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(1)
    x = suanzi.tensor(rng.standard_normal((2, 3, 40, 50)).astype(np.float32))
    grid = suanzi.tensor((rng.random((2, 90, 80, 2)) * 2 - 1).astype(np.float32))
    boxes = suanzi.tensor((rng.random((40, 4)) * 40).astype(np.float32))
    before = suanzi.get_num_threads()
    try:
        found = []
        for threads in (1, 4):
            suanzi.set_num_threads(threads)
            calls = nn.grid_sample(x, grid), nn.grid_sample(x, grid, "nearest"), nn.roi_align(x, boxes, output_size=7)
            found.append([bits(each) for each in calls])
    finally:
        suanzi.set_num_threads(before)
    assert found[0] == found[1]


LONG = 2**24 + 3  # float32 cannot number the elements of this axis


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_the_last_elements_of_a_long_axis(mode: Any) -> None:
    memory = suanzi.zeros(LONG + 8, dtype="float16")
    memory[LONG - 1] = 5.0
    memory[LONG:] = 99.0  # not a part of the operand
    x = suanzi.reshape(memory[:LONG], (1, 1, LONG))
    for padding in ("zeros", "border", "reflection"):
        assert nn.grid_sample(x, suanzi.tensor([[[1.0]]]), mode, padding, True).tolist() == [[[5.0]]]
    assert nn.grid_sample(x, suanzi.tensor([[[-1.0]]]), mode, "border", True).tolist() == [[[0.0]]]
