"""Pools return the same results as direct loops in float64 over the places of each window."""

from __future__ import annotations

import array
import itertools
import math
from collections.abc import Callable
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
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RELATIVE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}


# --- the oracle ---


def padding_of(size: int, k: int, s: int, d: int, padding: Any) -> tuple[int, int]:
    """Return the numbers of padded places before and after an axis of `size` places."""
    if padding == "valid":
        return 0, 0
    if isinstance(padding, tuple):
        return padding
    results = -(-size // s)
    missing = max(0, (results - 1) * s + (k - 1) * d + 1 - size)
    small, large = missing // 2, missing - missing // 2
    return (small, large) if padding == "same_upper" else (large, small)


def windows_of(size: int, k: int, s: int, d: int, padding: Any, ceil: bool) -> list[tuple[list[int], int]]:
    """Return each window's places that are not padding, and the number of the window's places including padding."""
    before, after = padding_of(size, k, s, d, padding)
    room = size + before + after - (k - 1) * d - 1
    if isinstance(padding, str) and padding != "valid":
        count = -(-size // s)
    else:
        count = (-(-room // s) if ceil else room // s) + 1
        if ceil and (count - 1) * s >= size + before:
            count -= 1
    found = []
    for i in range(count):
        places = [i * s - before + j * d for j in range(k)]
        found.append(([p for p in places if 0 <= p < size], sum(p < size + after for p in places)))
    return found


def even_parts(size: int, count: int) -> list[tuple[list[int], int]]:
    parts = [list(range(i * size // count, -(-(i + 1) * size // count))) for i in range(count)]
    return [(part, len(part)) for part in parts]


def pooled(
    a: Array, axes: list[list[tuple[list[int], int]]], result: Callable[[list[tuple[Any, int]], int], Any]
) -> list[Any]:
    """Return `result(elements with their places, number of places including padding)` for each window of each plane."""
    found = []
    shape = a.shape[2:]
    for plane in a.reshape(-1, *shape):
        for some in itertools.product(*axes):
            elements = [
                (plane[place], int(np.ravel_multi_index(place, shape)))
                for place in itertools.product(*(places for places, _ in some))
            ]
            found.append(result(elements, math.prod(count for _, count in some)))
    return found


def greatest(elements: list[tuple[Any, int]], _: int) -> tuple[Any, int]:
    best: Any = -math.inf
    where = -1
    for x, place in elements:
        if where < 0 or x > best or (x != x and best == best):
            best, where = x, place
    return best, where


def mean(include: bool, divisor: int | None) -> Callable[[list[tuple[Any, int]], int], float]:
    def of(elements: list[tuple[Any, int]], padded: int) -> float:
        count = divisor or (padded if include else len(elements))
        return sum(float(x) for x, _ in elements) / count if count else 0.0

    return of


def norm(order: float) -> Callable[[list[tuple[Any, int]], int], float]:
    def of(elements: list[tuple[Any, int]], _: int) -> float:
        sizes = [abs(float(x)) for x, _ in elements]
        if any(map(math.isnan, sizes)):
            return math.nan
        most = max(sizes, default=0.0)
        if math.isinf(order) or most in (0.0, math.inf):
            return most
        return most * float(math.fsum((x / most) ** order for x in sizes)) ** (1 / order)

    return of


def agree(found: suanzi.Tensor, expected: list[Any], dtype: str, shape: tuple[int, ...]) -> None:
    assert (found.shape, found.dtype) == (shape, suanzi.as_dtype(dtype))
    wanted = np.reshape(np.array(expected, np.float64), shape)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = wanted.astype(suanzi.as_dtype(dtype).numpy).astype(np.float64)
    rtol = RELATIVE[dtype]
    np.testing.assert_allclose(found.numpy().astype(np.float64), wanted, rtol=rtol, atol=rtol)


def same(found: suanzi.Tensor, expected: Array) -> None:
    """Check that numbers and type are the same. Floats become float64, because NumPy's bfloat16 NaNs are unequal."""
    assert found.numpy().dtype == expected.dtype
    wide = np.float64 if found.dtype.kind_name == "real floating" else expected.dtype
    np.testing.assert_array_equal(found.numpy().astype(wide), expected.astype(wide))


def elements(seed: int, shape: tuple[int, ...], dtype: str, special: bool) -> Array:
    """Make numbers of a type. Some numbers are equal and, on request, some numbers are infinite or NaN."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-9, 10, size=shape) if rng.integers(2) else rng.standard_normal(shape) * 50
    if dtype in INTEGERS:
        a = np.abs(a) if dtype[0] == "u" else a
    a = a.astype(suanzi.as_dtype(dtype).numpy)
    if special and a.size and dtype in FLOATS:
        for value in (np.nan, np.inf, -np.inf):
            a[tuple(rng.integers(0, n) for n in shape)] = value
    return a


# --- calls ---

SIZES = st.integers(1, 4)


@st.composite
def calls(draw: Any, dtypes: tuple[str, ...]) -> tuple[str, str, Array, dict[str, Any]]:
    """Draw a type, a layout, elements, and windows that fit the elements."""
    rank = draw(st.integers(1, 3))
    sides = st.integers(1, {1: 40, 2: 12, 3: 5}[rank])
    spatial = [draw(sides) for _ in range(rank)]
    kernel, stride, dilation = ([draw(SIZES) for _ in range(rank)] for _ in range(3))
    ceil = draw(st.booleans())
    padding: Any = draw(st.sampled_from(["same_upper", "same_lower", "valid", None]))
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    if padding is None:
        padding = [(draw(st.integers(0, span - 1)), draw(st.integers(0, span - 1))) for span in spans]
    if padding == "valid":
        spatial = [max(n, span) for n, span in zip(spatial, spans, strict=True)]
    elif isinstance(padding, list):
        spatial = [max(n, span - sum(p)) for n, span, p in zip(spatial, spans, padding, strict=True)]
    shape = (draw(st.integers(0, 2)), draw(st.integers(0, 3)), *spatial)
    dtype = draw(st.sampled_from(dtypes))
    a = elements(draw(st.integers(0, 2**32 - 1)), shape, dtype, draw(st.booleans()))
    layout = draw(st.sampled_from(["contiguous", "strided", "transposed", "negative"])) if a.size else "contiguous"
    windows = {"kernel_size": kernel, "stride": stride, "dilation": dilation, "padding": padding, "ceil_mode": ceil}
    return dtype, layout, a, windows


def axes_of(a: Array, windows: dict[str, Any]) -> list[list[tuple[list[int], int]]]:
    rank = a.ndim - 2
    padding = windows["padding"] if isinstance(windows["padding"], list) else [windows["padding"]] * rank
    rows = zip(a.shape[2:], windows["kernel_size"], windows["stride"], windows["dilation"], padding, strict=True)
    return [windows_of(*row, windows["ceil_mode"]) for row in rows]


def shape_of(a: Array, axes: list[list[Any]]) -> tuple[int, ...]:
    return (*a.shape[:2], *map(len, axes))


@given(calls((*FLOATS, *INTEGERS)))
def test_max_pool(call: tuple[str, str, Array, dict[str, Any]]) -> None:
    dtype, layout, a, windows = call
    x = LAYOUTS[layout](a)
    axes = axes_of(a, windows)
    shape = shape_of(a, axes)
    expected = pooled(a, axes, greatest)
    least = -np.inf if dtype in FLOATS else np.iinfo(dtype).min
    values = np.array([best if where >= 0 else least for best, where in expected], a.dtype).reshape(shape)
    found = nn.max_pool(x, **windows)
    assert isinstance(found, suanzi.Tensor)
    same(found, values)
    again, places = nn.max_pool(x, **windows, return_indices=True)
    same(again, values)
    assert again.dtype is found.dtype is x.dtype
    assert places.dtype is suanzi.int64
    np.testing.assert_array_equal(places.numpy(), np.array([w for _, w in expected], np.int64).reshape(shape))


@given(calls(FLOATS), st.booleans(), st.one_of(st.none(), st.integers(1, 9), st.just(-3)))
def test_avg_pool(call: tuple[str, str, Array, dict[str, Any]], include: bool, divisor: int | None) -> None:
    dtype, layout, a, windows = call
    axes = axes_of(a, windows)
    found = nn.avg_pool(LAYOUTS[layout](a), **windows, count_include_pad=include, divisor_override=divisor)
    agree(found, pooled(a, axes, mean(include, divisor)), dtype, shape_of(a, axes))


@given(calls(FLOATS), st.sampled_from([1, 2, 2.0, 3, 0.5, math.inf]))
def test_lp_pool(call: tuple[str, str, Array, dict[str, Any]], order: float) -> None:
    dtype, layout, a, windows = call
    axes = axes_of(a, windows)
    found = nn.lp_pool(LAYOUTS[layout](a), order, **windows)
    agree(found, pooled(a, axes, norm(order)), dtype, shape_of(a, axes))


@given(st.data())
def test_adaptive_pools(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, 3 if i < 2 else 9)) for i in range(rank + 2))
    size = [data.draw(st.integers(1, 11)) for _ in range(rank)]
    dtype = data.draw(st.sampled_from(FLOATS))
    a = elements(data.draw(st.integers(0, 2**32 - 1)), shape, dtype, data.draw(st.booleans()))
    layout = data.draw(st.sampled_from(["contiguous", "strided", "transposed"]))
    x = LAYOUTS[layout](a)
    axes = [even_parts(n, count) for n, count in zip(shape[2:], size, strict=True)]
    agree(nn.adaptive_avg_pool(x, size), pooled(a, axes, mean(False, None)), dtype, shape_of(a, axes))
    expected = pooled(a, axes, greatest)
    values, places = nn.adaptive_max_pool(x, size, return_indices=True)
    wanted = np.array([best for best, _ in expected], a.dtype).reshape(shape_of(a, axes))
    same(values, wanted)
    same(nn.adaptive_max_pool(x, size), wanted)  # type: ignore[arg-type]
    np.testing.assert_array_equal(places.numpy().ravel(), [where for _, where in expected])


# --- single cases ---


@pytest.mark.parametrize("n", [1, 7, 64, 4095, 4096, 4097, 20000])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [(2, 2, 0), (3, 1, 1), (3, 2, 1), (5, 3, 2), (70, 70, 35), (1, 5, 0)]
)
def test_long_rows(n: int, kernel: int, stride: int, padding: int) -> None:
    """A long row is pooled in parts, and the edges between the parts do not change the result."""
    if n + 2 * padding < kernel:
        pytest.skip("no window fits")
    a = np.random.default_rng(n).standard_normal((1, 1, n))
    axes = [windows_of(n, kernel, stride, 1, (padding, padding), False)]
    shape = shape_of(a, axes)
    found = nn.max_pool(suanzi.tensor(a), kernel, stride, padding)
    expected = np.array([best for best, _ in pooled(a, axes, greatest)]).reshape(shape)
    np.testing.assert_array_equal(found.numpy(), expected)  # type: ignore[union-attr]
    agree(nn.avg_pool(suanzi.tensor(a), kernel, stride, padding), pooled(a, axes, mean(True, None)), "float64", shape)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_sums_do_not_overflow(dtype: str) -> None:
    greatest_number = {"bfloat16": 3e38, "float32": 3e38, "float64": 1.7e308}[dtype]
    x = suanzi.full((1, 1, 3, 40), greatest_number, dtype=dtype)
    for found in (nn.avg_pool(x, 3, 1), nn.adaptive_avg_pool(x, (1, 7))):
        assert np.isfinite(found.numpy().astype(np.float64)).all()
        np.testing.assert_allclose(found.numpy().astype(np.float64), float(x[0, 0, 0, 0]), rtol=1e-15)
    assert np.isposinf(nn.avg_pool(x, 3, divisor_override=1).numpy().astype(np.float64)).all()
    for size in (1e-300, 1e300) if dtype == "float64" else (1e-38, 1e38):
        y = nn.lp_pool(suanzi.full((1, 1, 4, 4), size, dtype=dtype), 2, 2)
        np.testing.assert_allclose(y.numpy().astype(float), 2 * size, rtol=1e-2 if dtype == "bfloat16" else 1e-6)


def test_places_of_nan_ties_and_infinities() -> None:
    nan, inf = math.nan, math.inf
    rows = [[1, 1, 1], [0, nan, nan], [-inf, -inf, -inf], [inf, 5, inf], [-0.0, 0.0, -0.0]]
    x = suanzi.tensor(np.float32(rows)[None])
    values, places = nn.max_pool(x, 3, return_indices=True)
    np.testing.assert_array_equal(values.numpy().ravel(), np.float32([1, nan, -inf, inf, 0]))
    assert places.numpy().ravel().tolist() == [0, 1, 0, 0, 0]


def test_windows_in_the_padding() -> None:
    x = suanzi.tensor(np.float32([[[1, 2]]]))
    values, places = nn.max_pool(x, 2, 1, padding=1, dilation=3, return_indices=True)
    assert (values.numpy().tolist(), places.numpy().tolist()) == ([[[-math.inf]]], [[[-1]]])
    assert nn.max_pool(suanzi.tensor(np.uint8([[[1, 2]]])), 2, 1, 1, 3).numpy().tolist() == [[[0]]]  # type: ignore[union-attr]
    for include in (False, True):
        y = nn.avg_pool(x, 2, 1, 1, count_include_pad=include, dilation=3)
        assert y.numpy().tolist() == [[[0]]]


def test_the_divisor_of_a_window_past_the_padding() -> None:
    """With `ceil_mode`, the divisor of a mean counts places of a window in the padding, but not beyond the padding."""
    x = suanzi.ones((1, 1, 5))
    np.testing.assert_allclose(nn.avg_pool(x, 3, 3, 1, ceil_mode=True).numpy(), [[[2 / 3, 1]]], rtol=1e-6)
    np.testing.assert_allclose(nn.avg_pool(x, 4, 2, ceil_mode=True).numpy(), [[[1, 1]]], rtol=1e-6)
    assert nn.avg_pool(suanzi.ones((1, 1, 2)), 3, 2, ceil_mode=True).numpy().tolist() == [[[1]]]


@pytest.mark.parametrize("function", [nn.max_pool, nn.avg_pool], ids=["max_pool", "avg_pool"])
@pytest.mark.parametrize(
    ("error", "shape", "options"),
    [
        (DimensionsMismatchError, (2, 3), {"kernel_size": 1}),
        (DimensionsMismatchError, (1, 1, 2, 2, 2, 2), {"kernel_size": 1}),
        (DimensionsMismatchError, (1, 1, 0), {"kernel_size": 1}),
        (DimensionsMismatchError, (1, 1, 4, 4), {"kernel_size": (2, 2, 2)}),
        (DimensionsMismatchError, (1, 1, 4, 4), {"kernel_size": 2, "stride": [1]}),
        (DimensionsMismatchError, (1, 1, 4, 4), {"kernel_size": 3, "padding": [(1, 1)]}),
        (DimensionsMismatchError, (1, 1, 4, 4), {"kernel_size": 3, "padding": [(1, 1), (1,)]}),
        (DimensionsMismatchError, (1, 1, 4), {"kernel_size": 5}),
        (DimensionsMismatchError, (1, 1, 4), {"kernel_size": 2, "dilation": 2**59}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 0}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": -1}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "stride": 0}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "dilation": 0}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "dilation": 2**62}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2**62}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2**40, "dilation": 2**40}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "padding": 2}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "padding": 2**62}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "padding": -1}),
        (InvalidArgumentError, (1, 1, 4), {"kernel_size": 2, "padding": "same"}),
        (TypeMismatchError, (1, 1, 4), {"kernel_size": 2.0}),
        (TypeMismatchError, (1, 1, 4), {"kernel_size": 2, "ceil_mode": 1}),
        (TypeMismatchError, (1, 1, 4), {"kernel_size": 2, "padding": None}),
    ],
    ids=str,
)
def test_errors(function: Any, error: Any, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    with fails(error, f"nn.{function.__name__}"):
        function(suanzi.zeros(shape), **options)


def test_further_errors() -> None:
    x = suanzi.zeros((1, 1, 4))
    for dtype in ("bool", "complex64", "string"):
        with fails(TypeMismatchError, "nn.max_pool"):
            nn.max_pool(suanzi.empty((1, 1, 4), dtype=dtype), 2)
    with fails(TypeMismatchError, "nn.avg_pool"):
        nn.avg_pool(suanzi.zeros((1, 1, 4), dtype="int32"), 2)
    with fails(InvalidArgumentError, "nn.avg_pool"):
        nn.avg_pool(x, 2, divisor_override=0)
    for order in (0, -1, math.nan):
        with fails(InvalidArgumentError, "nn.lp_pool"):
            nn.lp_pool(x, order, 2)
        with fails(InvalidArgumentError, "nn.global_lp_pool"):
            nn.global_lp_pool(x, order)
    for function in (nn.adaptive_avg_pool, nn.adaptive_max_pool):
        name = f"nn.{function.__name__}"
        with fails(InvalidArgumentError, name):
            function(x, -1)  # type: ignore[operator]
        with fails(DimensionsMismatchError, name):
            function(x, (1, 1))  # type: ignore[operator]
        with fails(TypeMismatchError, name):
            function(x, 1.5)  # type: ignore[operator]
    for function in (nn.global_avg_pool, nn.global_max_pool, nn.global_lp_pool):
        with fails(DimensionsMismatchError, f"nn.{function.__name__}"):
            function(suanzi.zeros((2, 3)))


def test_huge_windows_that_fit() -> None:
    """Windows that reach far into the padding need no memory for the padding."""
    x = suanzi.tensor(np.float32([[[1, 5, 2]]]))
    far = 2**40
    assert nn.max_pool(x, 2, far, padding=far - 1, dilation=far).numpy().max() == 5  # type: ignore[union-attr]
    y = nn.avg_pool(x, far, far, padding=far // 2, count_include_pad=False)
    np.testing.assert_allclose(y.numpy(), [[[8 / 3]]], rtol=1e-6)


def test_sizes_of_adaptive_pools() -> None:
    x = suanzi.tensor(np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4))
    assert nn.adaptive_avg_pool(x, (None, 2)).shape == (1, 2, 3, 2)
    assert nn.adaptive_avg_pool(x, 0).shape == (1, 2, 0, 0)
    np.testing.assert_array_equal(nn.adaptive_avg_pool(x, (3, 4)).numpy(), x.numpy())
    values, places = nn.adaptive_max_pool(suanzi.zeros((0, 2, 3)), 2, True)
    assert values.shape == places.shape == (0, 2, 2)


def test_the_tensor_that_receives_the_result() -> None:
    x = suanzi.tensor(np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32))
    for call in (
        lambda out: nn.avg_pool(x, 2, out=out),
        lambda out: nn.lp_pool(x, 2, 2, out=out),
        lambda out: nn.adaptive_avg_pool(x, (3, 4), out=out),
    ):
        expected = call(None)
        contiguous = suanzi.zeros(expected.shape)
        strided = suanzi.transpose(suanzi.zeros(expected.shape[::-1]))
        for out in (contiguous, strided):
            assert call(out) is out
            np.testing.assert_array_equal(out.numpy(), expected.numpy())
        with pytest.raises(DimensionsMismatchError):
            call(suanzi.zeros((1,)))
        with pytest.raises(TypeMismatchError):
            call(suanzi.zeros(expected.shape, dtype="int32"))
    inside = x[:, :, ::2, ::2]
    expected = nn.avg_pool(x, 2)
    nn.avg_pool(x, 2, out=inside)
    np.testing.assert_array_equal(inside.numpy(), expected.numpy())


def test_the_same_bits_on_any_number_of_threads() -> None:
    a = np.random.default_rng(1).standard_normal((3, 7, 61, 83)).astype(np.float32)
    x = suanzi.tensor(a)
    calls = (
        lambda: nn.avg_pool(x, 3, 2, 1),
        lambda: nn.max_pool(x, 3, 2, 1),
        lambda: nn.lp_pool(x, 3, 5, 2),
        lambda: nn.adaptive_avg_pool(x, (7, 5)),
        lambda: nn.max_pool(x, 3, return_indices=True)[1],
    )
    before = suanzi.get_num_threads()
    try:
        found = []
        for threads in (1, 4):
            suanzi.set_num_threads(threads)
            found.append([bits(call()) for call in calls])
    finally:
        suanzi.set_num_threads(before)
    assert found[0] == found[1]


# --- global pools, and unpooling ---


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(2, 3, 5), (1, 2, 4, 3), (2, 1, 2, 3, 2), (0, 2, 3), (2, 2, 1, 1)])
def test_global_pools(dtype: str, shape: tuple[int, ...]) -> None:
    a = elements(5, shape, dtype, special=False)
    x = suanzi.tensor(a)
    axes = [[(list(range(n)), n)] for n in shape[2:]]
    agree(nn.global_avg_pool(x), pooled(a, axes, mean(False, None)), dtype, shape_of(a, axes))
    agree(nn.global_max_pool(x), [best for best, _ in pooled(a, axes, greatest)], dtype, shape_of(a, axes))
    agree(nn.global_lp_pool(x, 3), pooled(a, axes, norm(3)), dtype, shape_of(a, axes))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int16", "complex64", "bool"])
def test_max_unpool(dtype: str) -> None:
    a = np.arange(1, 25).reshape(1, 2, 3, 4)
    x = suanzi.tensor(a.astype(np.float32))
    values, places = nn.max_pool(x, (1, 2), return_indices=True)
    back = nn.max_unpool(suanzi.astype(values, dtype), places, (1, 2))
    expected = np.where(a % 2 == 0, a, 0)
    np.testing.assert_array_equal(back.numpy(), expected.astype(suanzi.as_dtype(dtype).numpy))
    wider = nn.max_unpool(values, places, (1, 2), output_size=(4, 4)).numpy()
    np.testing.assert_array_equal(wider[:, :, :3], expected)
    assert nn.max_unpool(values, places, (1, 2), output_size=(1, 2, 4, 4)).shape == (1, 2, 4, 4)
    assert nn.max_unpool(values, places, 3, 2, 1).shape == (1, 2, 5, 3)


def test_max_unpool_refuses() -> None:
    x, at = suanzi.ones((1, 1, 2)), suanzi.tensor(np.int64([[[0, 3]]]))
    assert nn.max_unpool(x, at, 2).numpy().tolist() == [[[1, 0, 0, 1]]]
    name = "nn.max_unpool"
    for wrong in (-1, 4):
        with fails(OutOfRangeError, name):
            nn.max_unpool(x, suanzi.tensor(np.int64([[[0, wrong]]])), 2)
    with fails(DimensionsMismatchError, name):
        nn.max_unpool(x, suanzi.tensor(np.int64([0, 1])), 2)
    with fails(DimensionsMismatchError, name):
        nn.max_unpool(x, at, (2, 2))
    with fails(TypeMismatchError, name):
        nn.max_unpool(x, x, 2)
    with fails(TypeMismatchError, name):
        nn.max_unpool(suanzi.tensor([[["a", "b"]]]), at, 2)
    with fails(InvalidArgumentError, name):
        nn.max_unpool(x, at, 0)
    with fails(InvalidArgumentError, name):
        nn.max_unpool(x, at, 2, padding=9)
    assert nn.max_unpool(suanzi.zeros((0, 2, 3)), suanzi.zeros((0, 2, 3), dtype="int64"), 2).shape == (0, 2, 6)


@pytest.mark.parametrize("output_size", [None, (4, 4), (1, 1, 4, 4)])
def test_max_unpool_reads_all_options(output_size: Any) -> None:
    x, at = suanzi.ones((1, 1, 2, 2)), suanzi.zeros((1, 1, 2, 2), dtype="int64")
    wrong: Any
    for wrong in (("abc",), (2, object()), (2, 2, None), ({2, 3},), ([2.0, 2],)):
        with fails(TypeMismatchError, "nn.max_unpool"):
            nn.max_unpool(x, at, *wrong, output_size=output_size)
    for wrong in ((0,), (2, -5), (2, 2, -7)):
        with fails(InvalidArgumentError, "nn.max_unpool"):
            nn.max_unpool(x, at, *wrong, output_size=output_size)
    with fails(DimensionsMismatchError, "nn.max_unpool"):
        nn.max_unpool(x, at, [2], output_size=output_size)
    two = suanzi.tensor([2, 2], dtype="int64")
    assert nn.max_unpool(x, at, np.array([2, 2]), two, (0, 0), output_size=output_size).shape == (1, 1, 4, 4)


def test_the_whole_shape_of_max_unpool() -> None:
    x, at = suanzi.ones((1, 1, 2, 2)), suanzi.zeros((1, 1, 2, 2), dtype="int64")
    for whole in (np.array([1, 1, 4, 5]), suanzi.tensor([1, 1, 4, 5], dtype="int64"), (1, 1, 4, 5), range(4, 6)):
        assert nn.max_unpool(x, at, 2, output_size=whole).shape == (1, 1, 4, 5)
    for wrong in ([99, 98, 4, 4], np.array([1, 2, 4, 4]), [4], [1, 4, 4]):
        with fails(DimensionsMismatchError, "nn.max_unpool"):
            nn.max_unpool(x, at, 2, output_size=wrong)
    with fails(TypeMismatchError, "nn.max_unpool"):
        nn.max_unpool(x, at, 2, output_size={4, 5})


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "int32", "int64"])
@pytest.mark.parametrize("width", [2, 9, 12, 15, 16, 17, 34, 64, 131, 260])
def test_columns_side_by_side(dtype: str, width: int) -> None:
    """Windows are two to five columns wide, and rows have every length. Floats include NaN and infinities."""
    a = elements(width, (2, 3, 6, width), dtype, special=dtype[0] == "f")
    beside = [((1, k), (1, k)) for k in (2, 3, 4, 5)] + [((2, k), (2, k)) for k in (2, 3, 4)]
    for kernel, stride in (*beside, ((3, 2), (1, 2)), ((1, 2), (2, 2)), ((2, 2), (2, 1)), ((2, 3), (2, 4))):
        if kernel[1] > width:
            continue
        out = [(n - k) // s + 1 for n, k, s in zip(a.shape[2:], kernel, stride, strict=True)]
        views = [
            a[:, :, i : i + (out[0] - 1) * stride[0] + 1 : stride[0], j : j + (out[1] - 1) * stride[1] + 1 : stride[1]]
            for i in range(kernel[0])
            for j in range(kernel[1])
        ]
        expected = views[0]
        for view in views[1:]:
            expected = np.maximum(expected, view)
        same(nn.max_pool(suanzi.tensor(a), kernel, stride=stride), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64"])
@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (3, 2), (5, 2), (1, 2), (3, 1), (3, 3), (4, 3)])
def test_rows_of_any_length(kernel: int, stride: int, dtype: str) -> None:
    """Rows may be shorter than a vector or end within a vector. The kernel writes only the elements of the result."""
    name, is_floating = suanzi.as_dtype(dtype), dtype[0] == "f"
    for width in (*range(kernel, 36), 63, 66, 130):
        a = elements(width, (1, 3, 7, width), dtype, special=is_floating)
        padding = [(width % 2, (width + 1) % kernel), (width % kernel, width // 2 % kernel)]
        padding = [(min(x, kernel - 1), min(y, kernel - 1)) for x, y in padding]
        least = -np.inf if is_floating else np.iinfo(a.dtype).min
        wide = np.pad(a, [(0, 0), (0, 0), *padding], constant_values=least)
        windows = np.lib.stride_tricks.sliding_window_view(wide, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
        memory = suanzi.full((2, *windows.shape[1:4]), 100, dtype=name)
        nn.max_pool(suanzi.tensor(a), kernel, stride, padding, out=memory[:1])
        np.testing.assert_array_equal(memory[:1].numpy(), windows.max((4, 5)))
        assert np.all(memory[1:].numpy() == 100)
        if is_floating:
            ones = np.arange(a.size).reshape(a.shape) % 19
            sums = np.lib.stride_tricks.sliding_window_view(
                np.pad(ones, [(0, 0), (0, 0), *padding]), (kernel, kernel), (2, 3)
            )
            nn.avg_pool(suanzi.tensor(ones.astype(a.dtype)), kernel, stride, padding, out=memory[:1])
            found = memory[:1].numpy() * kernel**2
            np.testing.assert_allclose(found, sums[:, :, ::stride, ::stride].sum((4, 5)), rtol=RELATIVE[dtype])
            assert np.all(memory[1:].numpy() == 100)


@pytest.mark.parametrize(
    ("shape", "kernel"),
    [((2, 3, 5, 12), (1, 4)), ((2, 3, 5, 12), (1, 12)), ((2, 2, 3, 4, 6), (1, 1, 3)), ((1, 2, 1, 9), (1, 3))],
)
def test_windows_that_fill_rows(shape: tuple[int, ...], kernel: tuple[int, ...]) -> None:
    """The windows of a row together fill the row. The test compares greatest values, their places, and means."""
    a = elements(5, shape, "float32", special=False)
    axes = [windows_of(n, k, k, 1, (0, 0), False) for n, k in zip(shape[2:], kernel, strict=True)]
    result = (*shape[:2], *map(len, axes))
    x, expected = suanzi.tensor(a), pooled(a, axes, greatest)
    found, places = nn.max_pool(x, kernel, stride=kernel, return_indices=True)
    for values in (found, nn.max_pool(x, kernel, stride=kernel)):
        same(values, np.array([best for best, _ in expected], a.dtype).reshape(result))
    np.testing.assert_array_equal(places.numpy(), np.array([where for _, where in expected]).reshape(result))
    for divisor in (None, 7):
        means = nn.avg_pool(x, kernel, stride=kernel, divisor_override=divisor)
        agree(means, pooled(a, axes, mean(True, divisor)), "float32", result)


def test_adaptive_pools_repeat_a_single_row() -> None:
    a = elements(6, (2, 3, 1, 8), "float32", special=False)
    expected = np.repeat(a.reshape(2, 3, 1, 4, 2).max(axis=-1), 3, axis=2)
    same(nn.adaptive_max_pool(suanzi.tensor(a), (3, 4)), expected)


# --- sizes ---


def test_sequences_of_sizes() -> None:
    x = suanzi.reshape(suanzi.arange(48.0), (1, 1, 6, 8))
    calls: list[Callable[[Any], Any]] = [
        lambda n: nn.max_pool(x, n),
        lambda n: nn.avg_pool(x, 2, stride=n),
        lambda n: nn.lp_pool(x, 2, n),
        lambda n: nn.max_pool(x, (6, 7), padding=n, stride=1),
        lambda n: nn.max_pool(x, 2, dilation=n, stride=1),
        lambda n: nn.adaptive_avg_pool(x, n),
        lambda n: nn.adaptive_max_pool(x, n),
        lambda n: suanzi.interpolate(x, n),
    ]
    for call in calls:
        expected = bits(call((2, 3)))
        for sequence in (
            np.array([2, 3]),
            suanzi.tensor([2, 3], dtype="int64"),
            array.array("q", [2, 3]),
            b"\2\3",
            [2, 3],
        ):
            assert bits(call(sequence)) == expected
        with pytest.raises(DimensionsMismatchError):
            call(np.array([2, 3, 4]))
        with pytest.raises(DimensionsMismatchError):
            call(np.array([], np.int64))
    assert bits(nn.adaptive_avg_pool(x, suanzi.tensor(2, dtype="int64"))) == bits(nn.adaptive_avg_pool(x, 2))
    assert nn.adaptive_avg_pool(x, range(2, 4)).shape == (1, 1, 2, 3)
    with pytest.raises(TypeMismatchError):
        nn.adaptive_avg_pool(x, "23")
