"""The tests compare convolutions with direct loops in float64: options, types, layouts, threads, and bad input."""

from __future__ import annotations

import math
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS
from oracle.convolution import Array, convolved, transposed
from samples import destroyed, fails
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.nn import conv, conv_transpose


def random(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def close(found: suanzi.Tensor, expected: Array, largest: Array, terms: int) -> None:
    """Check that each error is within the roundings of a sum of `terms` terms and of the result's type."""
    name = found.dtype.name
    step = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}[name]
    sums = 2.0**-53 if name == "float64" else 2.0**-24
    assert found.shape == expected.shape
    values = suanzi.astype(found, suanzi.float64).numpy()
    bound = (
        largest * sums * (terms + 2) + np.abs(expected) * step * 1.01 + 1e-30 + (2.0**-25 if name == "float16" else 0)
    )
    assert np.all(np.abs(values - expected) <= bound), np.abs(values - expected).max()


@st.composite
def calls(draw: st.DrawFn, *, is_transposed: bool) -> dict[str, Any]:
    spatial = draw(st.integers(1, 3))
    numbers = st.lists(st.integers(1, 3), min_size=spatial, max_size=spatial)
    most = (40, 18, 6)[spatial - 1]
    call: dict[str, Any] = {
        "images": draw(st.integers(0 if draw(st.booleans()) else 1, 3)),
        "inner": draw(st.sampled_from([1, 1, 2, 3, 5, 9])),
        "outer": draw(st.sampled_from([1, 1, 2, 3, 7, 14])),
        "groups": draw(st.sampled_from([1, 1, 2, 3, 6])),
        "sizes": draw(st.lists(st.integers(1, most), min_size=spatial, max_size=spatial)),
        "kernel": draw(st.lists(st.integers(1, 5), min_size=spatial, max_size=spatial)),
        "stride": draw(numbers),
        "dilation": draw(numbers),
        "has_bias": draw(st.booleans()),
        "dtype": draw(st.sampled_from(["float16", "bfloat16", "float32", "float64"])),
        "layouts": draw(st.tuples(*[st.sampled_from(["contiguous", "strided", "transposed", "negative"])] * 2)),
        "seed": draw(st.integers(0, 2**32)),
    }
    extents = [d * (k - 1) + 1 for k, d in zip(call["kernel"], call["dilation"], strict=True)]
    if is_transposed:
        call["more"] = draw(st.lists(st.integers(0, 2), min_size=spatial, max_size=spatial))
        reach = [s * (n - 1) + e for n, s, e in zip(call["sizes"], call["stride"], extents, strict=True)]
        call["padding"] = [
            (before, draw(st.integers(0, min(4, n - 1 - before))))
            for n in reach
            for before in [draw(st.integers(0, min(4, n - 1)))]
        ]
    else:
        call["padding"] = [
            (before, draw(st.integers(max(0, e - n - before), max(0, e - n - before) + 3)))
            for n, e in zip(call["sizes"], extents, strict=True)
            for before in [draw(st.integers(0, 5))]
        ]
    return call


def operands(call: dict[str, Any], *, is_transposed: bool) -> tuple[list[Array], list[Any]]:
    """Return the operands of a drawn call as arrays of float64, and as tensors of the call's type and layouts."""
    inner, outer, groups = call["inner"], call["outer"], call["groups"]
    channels = (groups * inner, outer) if is_transposed else (groups * outer, inner)
    shapes = [(call["images"], groups * inner, *call["sizes"]), (*channels, *call["kernel"]), (groups * outer,)]
    dtype = suanzi.as_dtype(call["dtype"])
    rounded = [suanzi.astype(suanzi.tensor(random(shape, call["seed"] + i)), dtype) for i, shape in enumerate(shapes)]
    arrays = [suanzi.astype(x, suanzi.float64).numpy() for x in rounded]
    layouts = [
        LAYOUTS[layout if a.size else "contiguous"]
        for layout, a in zip((*call["layouts"], "contiguous"), arrays, strict=True)
    ]
    return arrays, [suanzi.astype(lie(a), dtype) for lie, a in zip(layouts, arrays, strict=True)]


@given(calls(is_transposed=False))
def test_convolution_against_direct_loops(call: dict[str, Any]) -> None:
    (x, weight, bias), tensors = operands(call, is_transposed=False)
    given_bias = bias if call["has_bias"] else None
    options = (call["stride"], call["padding"], call["dilation"], call["groups"])
    expected = convolved(x, weight, given_bias, *options)
    largest = convolved(abs(x), abs(weight), None if given_bias is None else abs(bias), *options)
    found = conv(tensors[0], tensors[1], tensors[2] if call["has_bias"] else None, *options)
    close(found, expected, largest, weight[0].size)


@given(calls(is_transposed=True))
def test_transposed_convolution_against_direct_loops(call: dict[str, Any]) -> None:
    (x, weight, bias), tensors = operands(call, is_transposed=True)
    given_bias = bias if call["has_bias"] else None
    options = (call["stride"], call["padding"], call["more"], call["dilation"], call["groups"])
    expected = transposed(x, weight, given_bias, *options)
    largest = transposed(abs(x), abs(weight), None if given_bias is None else abs(bias), *options)
    found = conv_transpose(
        *(tensors[0], tensors[1], tensors[2] if call["has_bias"] else None),
        stride=call["stride"], padding=call["padding"], output_padding=call["more"], groups=call["groups"],
        dilation=call["dilation"],
    )  # fmt: skip
    close(found, expected, largest, weight[:, 0].size)


@pytest.mark.parametrize(
    ("shape", "kernels", "stride", "groups"),
    [
        ((2, 3, 4, 35), (3, 5, 2, 2), (2, 2), 1),
        ((1, 4, 3, 5), (4, 2, 3, 8), (3, 4), 2),
        ((1, 2, 19), (2, 1, 6), (2,), 1),
        ((1, 2, 2, 3, 4), (2, 3, 2, 1, 3), (2, 1, 3), 1),
    ],
)
def test_transposed_convolution_whose_stride_divides_the_kernel(
    shape: tuple[int, ...], kernels: tuple[int, ...], stride: tuple[int, ...], groups: int
) -> None:
    rng, none = np.random.default_rng(2), (0,) * len(stride)
    x, weight = (rng.integers(-9, 9, s).astype("float32") for s in (shape, kernels))
    bias = rng.integers(-9, 9, groups * kernels[1]).astype("float32")
    expected = transposed(x, weight, bias, stride, [(0, 0)] * len(stride), none, (1,) * len(stride), groups)
    found = conv_transpose(*map(suanzi.tensor, (x, weight, bias)), stride=stride, groups=groups)
    np.testing.assert_array_equal(found.numpy(), expected)


# Shapes of operands and weights, strides, paddings and groups of large convolutions. The comments name special cases,
# and the parts into which the kernels divide the work.
LARGE = [
    ((1, 130, 17, 19), (70, 130, 3, 3), 1, 1, 1),
    ((2, 64, 40, 41), (50, 64, 1, 1), 1, 0, 1),
    ((3, 40, 9), (300, 40, 9), 1, 4, 1),
    ((1, 3, 61, 64), (16, 3, 7, 7), 2, 3, 1),
    ((2, 1, 3000), (3, 1, 1300), 7, 0, 1),
    ((1, 12, 30, 33), (24, 1, 5, 5), 2, 2, 12),
    ((2, 32, 23, 29), (32, 1, 3, 3), 1, 1, 32),
    ((1, 16, 33, 70), (16, 4, 3, 3), 3, 2, 4),
    ((1, 6, 12, 9, 11), (6, 1, 3, 3, 3), 2, 1, 6),
    ((1, 8, 7, 7), (8, 1, 3, 3), 1, 1, 8),
    ((1, 2, 190, 70), (2, 1, 3, 3), 2, 1, 2),  # pieces with padding on several sides
    ((2, 2, 6, 90), (2, 1, 3, 3), 1, 1, 2),
    ((1, 3, 107, 300), (4, 3, 3, 3), 1, 1, 1),  # rows in blocks
    ((1, 2, 5, 41, 70), (3, 2, 3, 3, 3), 2, 1, 1),
    ((1, 1, 9001), (2, 1, 250), 2, 0, 1),  # a long row in pieces
    ((1, 1, 1, 5001), (1, 1, 1, 256), 2, 0, 1),
    ((2, 12, 3, 5), (6, 12, 3, 5), 1, 0, 1),  # a single output position
    ((1, 260, 1), (130, 130, 3), 1, 1, 2),
    ((2, 9, 2), (5, 9, 1), 1, 0, 1),
    ((2, 129, 4), (128, 129, 3), 1, 1, 1),  # few output positions
    ((1, 1, 640), (258, 1, 256), 128, 0, 1),
    ((2, 6, 5), (40, 3, 2), 1, 1, 2),
    ((1, 24, 51, 1), (24, 1, 20, 1), 1, 0, 24),  # the last dimension has one position
    ((1, 4, 1, 23, 1), (6, 4, 1, 4, 1), 1, 0, 1),
    ((1, 3, 70, 90), (5, 3, 3, 3), 1, 1, 1),  # strips of channels
    ((1, 1, 40, 33), (129, 1, 3, 3), 1, 1, 1),  # many channels of few terms
    ((1, 40, 30, 95), (13, 40, 3, 3), 1, 1, 1),  # the terms in several blocks, and parts of rows
    ((1, 40, 31, 70), (8, 40, 3, 5), 2, 1, 1),
    ((1, 9, 37, 600), (40, 9, 1, 1), 1, 0, 1),  # parts of one row of all output positions
    ((2, 24, 29, 31), (70, 24, 1, 1), 2, 0, 1),  # a strided kernel of one element
    ((1, 4, 60, 61), (40, 4, 1, 1), 2, 1, 1),  # a strided kernel of one element and few channels
    ((1, 30, 3000), (12, 30, 7), 1, 3, 1),
    ((2, 37, 20, 21), (40, 37, 3, 3), 1, 1, 1),  # blocks and strips of channels, and positions beyond whole tiles
    ((1, 16, 37, 150), (18, 16, 3, 3), 2, 1, 1),  # pieces of rows
    ((1, 16, 5, 6), (16, 16, 5, 3), 1, 14, 1),  # pieces of padding alone
    ((1, 30, 17, 16), (32, 15, 3, 3), 1, 1, 2),
    ((2, 20, 700), (19, 20, 9), 1, 20, 1),
    ((1, 9, 7, 9, 10), (17, 9, 3, 2, 3), 1, 1, 1),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "kernels", "stride", "padding", "groups"), LARGE)
def test_large_convolutions(
    shape: tuple[int, ...], kernels: tuple[int, ...], stride: int, padding: int, groups: int, dtype: str
) -> None:
    """Large convolutions are right. A result has the same bits for any number of threads, and for an image alone."""
    x, weight = random(shape, 1).astype(dtype), random(kernels, 2).astype(dtype)
    spatial = len(shape) - 2
    options = ([stride] * spatial, [(padding, padding)] * spatial, [1] * spatial, groups)
    wide = x.astype(np.float64), weight.astype(np.float64)
    found = conv(suanzi.tensor(x), suanzi.tensor(weight), None, stride, padding, 1, groups)
    close(
        found, convolved(*wide, None, *options), convolved(abs(wide[0]), abs(wide[1]), None, *options), weight[0].size
    )
    threads = suanzi.get_num_threads()
    try:
        for count in (1, 3):
            suanzi.set_num_threads(count)
            again = conv(suanzi.tensor(x), suanzi.tensor(weight), None, stride, padding, 1, groups)
            np.testing.assert_array_equal(again.numpy(), found.numpy())
            single = conv(suanzi.tensor(x[-1:]), suanzi.tensor(weight), None, stride, padding, 1, groups)
            np.testing.assert_array_equal(single.numpy(), found.numpy()[-1:])
    finally:
        suanzi.set_num_threads(threads)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("side", [3, 5])
@pytest.mark.parametrize("stride", [(1, 1), (2, 2), (2, 1), (1, 2), (3, 3)])
def test_depthwise_convolutions_of_rows_of_any_length(stride: tuple[int, int], side: int, dtype: str) -> None:
    """Rows may be shorter than a vector or end within a vector. The kernel writes only the elements of the result."""
    rng = np.random.default_rng(4)
    for columns in (*range(1, 37), 130):
        rows = int(rng.integers(1, 12))
        padding = [(before, int(rng.integers(max(0, side - n - before), 6))) for n in (rows, columns)
                   for before in [int(rng.integers(0, 5))]]  # fmt: skip
        x, weight, bias = (rng.integers(-9, 9, s) for s in ((1, 5, rows, columns), (5, 1, side, side), 5))
        expected = convolved(x, weight, bias, stride, padding, (1, 1), 5)
        memory = suanzi.full((2, *expected.shape[1:]), 1000, dtype=dtype)
        tensors = [suanzi.tensor(a.astype(dtype)) for a in (x, weight, bias)]
        conv(*tensors, stride, padding, 1, 5, out=memory[:1])
        np.testing.assert_array_equal(memory[:1].numpy(), expected)
        assert np.all(memory[1:].numpy() == 1000)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64", "complex64", "complex128", "bool"]
)
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_other_element_types_are_exact(dtype: str, stride: int) -> None:
    rng = np.random.default_rng(5)
    x, weight = rng.integers(-9, 9, (2, 4, 9, 23)), rng.integers(-9, 9, (6, 2, 3, 2))
    bias = rng.integers(-9, 9, 6)
    if dtype.startswith("complex"):
        x, weight, bias = (a + 1j * rng.integers(-9, 9, a.shape) for a in (x, weight, bias))
    elif dtype == "bool":
        x, weight, bias = (rng.random(a.shape) < 0.2 for a in (x, weight, bias))
    x, weight, bias = (a.astype(dtype) for a in (x, weight, bias))
    options = ([stride] * 2, [(1, 2), (0, 3)], [2, 1], 2)
    found = conv(suanzi.tensor(x), suanzi.tensor(weight), suanzi.tensor(bias), *options)
    wide = np.complex128 if "complex" in dtype else np.uint64 if dtype.startswith("u") else np.int64
    expected = convolved(*(a.astype(wide) for a in (x, weight, bias)), *options)
    assert found.dtype.name == dtype
    np.testing.assert_array_equal(found.numpy(), expected.astype(dtype))  # sums wrap, and sums of bools are `or`
    upward = conv_transpose(suanzi.tensor(x), suanzi.tensor(weight[:4]), None, stride, 1, 1, 2, 2)
    expected = transposed(x.astype(wide), weight[:4].astype(wide), None, [stride] * 2, [(1, 1)] * 2, [1, 1], [2, 2], 2)
    np.testing.assert_array_equal(upward.numpy(), expected.astype(dtype))


def test_types_are_promoted() -> None:
    x, weight = suanzi.ones((1, 1, 4), dtype=suanzi.float32), suanzi.ones((1, 1, 2), dtype=suanzi.float64)
    assert conv(x, weight).dtype is suanzi.float64
    assert conv(x, weight[:, :, :1].astype(suanzi.float16), weight[0, 0, :1]).dtype is suanzi.float64
    assert conv_transpose(suanzi.ones((1, 1, 4), dtype=suanzi.float16), x).dtype is suanzi.float32


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(3, 1, 1), (4, 2, 1), (2, 3, 1), (3, 2, 3), (1, 4, 1)])
def test_same_padding(size: int, kernel: int, stride: int, dilation: int) -> None:
    x, weight = suanzi.tensor(random((1, 1, size), 1)), suanzi.tensor(random((1, 1, kernel), 2))
    out = ceil(size / stride)
    total = max((out - 1) * stride + dilation * (kernel - 1) + 1 - size, 0)
    for word, before in (("same", total // 2), ("same_upper", total // 2), ("same_lower", total - total // 2)):
        found = conv(x, weight, None, stride, word, dilation)
        assert found.shape == (1, 1, out)
        expected = conv(x, weight, None, stride, [(before, total - before)], dilation)
        np.testing.assert_array_equal(found.numpy(), expected.numpy()[..., :out])
    cut = max(stride * (size - 1) + dilation * (kernel - 1) + 1 - size * stride, 0)
    for word, before in (("same", cut // 2), ("same_upper", cut // 2), ("same_lower", cut - cut // 2)):
        found = conv_transpose(x, weight, None, stride, word, dilation=dilation)
        whole = conv_transpose(x, weight, None, stride, 0, stride, dilation=dilation)
        assert found.shape == (1, 1, size * stride)
        np.testing.assert_array_equal(found.numpy(), whole.numpy()[..., before : before + size * stride])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"),
    [((1, 4), (1, 1), (2, 0)), ((2, 4), (2, 1), (2, 0)), ((1, 3), (1, 2), (3, 1)), ((4, 1), (1, 1), (0, 5))],
)
def test_transposed_convolutions_whose_padding_exceeds_the_kernel(
    dtype: str, kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int]
) -> None:
    x = suanzi.tensor(np.arange(32 * 20 * 20).reshape(1, 32, 20, 20) % 7, dtype=dtype)
    weight = suanzi.tensor(np.arange(32 * 16 * math.prod(kernel)).reshape(32, 16, *kernel) % 5, dtype=dtype)
    whole = conv_transpose(x, weight, stride=stride).numpy()
    inside = whole[:, :, padding[0] : whole.shape[2] - padding[0], padding[1] : whole.shape[3] - padding[1]]
    np.testing.assert_array_equal(conv_transpose(x, weight, stride=stride, padding=padding).numpy(), inside)


def test_valid_is_no_padding() -> None:
    x, weight = suanzi.tensor(random((1, 2, 6, 6), 1)), suanzi.tensor(random((2, 2, 3, 3), 2))
    np.testing.assert_array_equal(conv(x, weight, padding="valid").numpy(), conv(x, weight).numpy())
    np.testing.assert_array_equal(conv_transpose(x, weight, padding="valid").numpy(), conv_transpose(x, weight).numpy())


@pytest.mark.parametrize("groups", [1, 4])
def test_infinities_and_nan_reach_their_windows_alone(groups: int) -> None:
    x, weight = random((1, 4, 9, 20), 1).astype("float32"), random((4, 4 // groups, 3, 3), 2).astype("float32")
    x[0, 1, 4, 7], x[0, 2, 8, 19] = np.nan, np.inf
    found = conv(suanzi.tensor(x), suanzi.tensor(weight), None, 1, 1, 1, groups).numpy()
    with np.errstate(invalid="ignore"):
        wide = convolved(x.astype(float), weight.astype(float), None, [1, 1], [(1, 1)] * 2, [1, 1], groups)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wide))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wide))
    np.testing.assert_allclose(found, wide, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("groups", "channels", "size"), [(1, 1, 5), (1, 16, 14), (8, 8, 6)])
def test_padding_takes_part_in_sums(groups: int, channels: int, size: int) -> None:
    """Padding is multiplied like any element. An infinite element of the weight over padding makes the sum NaN."""
    weight = np.ones((channels, channels // groups, 3, 3), np.float32)
    weight[0, 0, 0, 0] = np.inf
    found = conv(suanzi.ones((1, channels, size, size)), suanzi.tensor(weight), padding=1, groups=groups).numpy()
    expected = np.full((size, size), np.inf)
    expected[0], expected[:, 0] = np.nan, np.nan
    np.testing.assert_array_equal(found[0, 0], expected)
    assert np.isfinite(found[:, 1:]).all()


def test_halves_are_summed_in_float32() -> None:
    """The sum of 1 and 4096 times 2^-11 is 3, but a sum in float16 would stay at 1."""
    x = suanzi.full((1, 1, 4097), 2.0**-11, dtype=suanzi.float16)
    x[0, 0, 0] = 1.0
    weight = suanzi.ones((1, 1, 4097), dtype=suanzi.float16)
    assert conv(x, weight).item() == 3.0
    assert conv_transpose(suanzi.reshape(x, (1, 4097, 1)), suanzi.reshape(weight, (4097, 1, 1))).item() == 3.0


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "complex128"])
def test_without_elements(dtype: str) -> None:
    def zeros(*shape: int) -> suanzi.Tensor:
        return suanzi.zeros(shape, dtype=dtype)

    bias = suanzi.tensor([1, 2], dtype=dtype)
    assert conv(zeros(0, 3, 5), zeros(2, 3, 2), bias).shape == (0, 2, 4)
    assert conv(zeros(1, 3, 5), zeros(0, 3, 2)).shape == (1, 0, 4)
    assert conv(zeros(2, 0, 5), zeros(2, 0, 2), bias).numpy().tolist() == [[[1] * 4, [2] * 4]] * 2
    assert conv(zeros(2, 0, 5), zeros(2, 0, 2)).numpy().tolist() == [[[0] * 4, [0] * 4]] * 2
    assert conv(zeros(1, 3, 0), zeros(2, 3, 2), bias, padding=1).numpy().tolist() == [[[1], [2]]]
    assert conv(zeros(1, 3, 0, 4), zeros(2, 3, 1, 1), padding="same").shape == (1, 2, 0, 4)
    assert conv_transpose(zeros(0, 3, 5), zeros(3, 2, 2), bias).shape == (0, 2, 6)
    assert conv_transpose(zeros(1, 3, 5), zeros(3, 0, 2)).shape == (1, 0, 6)
    assert conv_transpose(zeros(1, 0, 2), zeros(0, 2, 2), bias).numpy().tolist() == [[[1] * 3, [2] * 3]]
    assert conv_transpose(zeros(1, 3, 2), zeros(3, 2, 1), bias, stride=3).numpy().tolist() == [[[1] * 4, [2] * 4]]
    assert conv_transpose(zeros(1, 1, 1), zeros(1, 1, 2), padding=1).shape == (1, 1, 0)


@pytest.mark.parametrize("function", [conv, conv_transpose])
@pytest.mark.parametrize("groups", [1, 4])
def test_out(function: Any, groups: int) -> None:
    x, weight = suanzi.tensor(random((2, 4, 6, 8), 1)), suanzi.tensor(random((4, 4 // groups, 3, 3), 2))
    options: dict[str, Any] = {"padding": 1, "groups": groups}
    expected = function(x, weight, **options)
    out = suanzi.empty(expected.shape, dtype=suanzi.float64)
    assert function(x, weight, out=out, **options) is out
    np.testing.assert_array_equal(out.numpy(), expected.numpy())
    wide = suanzi.zeros((*expected.shape, 2), dtype=suanzi.float64)
    function(x, weight, out=wide[..., 1], **options)
    np.testing.assert_array_equal(wide.numpy()[..., 1], expected.numpy())
    assert not wide.numpy()[..., 0].any()
    itself = suanzi.clone(x)
    function(itself, weight, out=itself, **options)  # the result has the operand's shape
    np.testing.assert_array_equal(itself.numpy(), expected.numpy())
    with fails(DimensionsMismatchError, "nn.conv", "nn.conv_transpose"):
        function(x, weight, out=suanzi.empty((2, 4, 6, 7), dtype=suanzi.float64), **options)
    with fails(TypeMismatchError, "nn.conv", "nn.conv_transpose"):
        function(x, weight, out=suanzi.empty(expected.shape, dtype=suanzi.int32), **options)


X, W = suanzi.ones((1, 4, 5, 5)), suanzi.ones((4, 4, 3, 3))
BIG = 2**62
BAD: list[tuple[type[Exception], tuple[Any, ...], dict[str, Any]]] = [
    (DimensionsMismatchError, (X, W[0]), {}),
    (DimensionsMismatchError, (X[0], W), {}),
    (DimensionsMismatchError, (X[0, 0], W[0, 0]), {}),
    (DimensionsMismatchError, (suanzi.ones((1, 1, 2, 2, 2, 2)), suanzi.ones((1, 1, 1, 1, 1, 1))), {}),
    (DimensionsMismatchError, (X[:, :3], W), {}),
    (DimensionsMismatchError, (X, W), {"groups": 3}),
    (DimensionsMismatchError, (X, W, suanzi.ones((3,))), {}),
    (DimensionsMismatchError, (X, W, suanzi.ones((4, 1))), {}),
    (DimensionsMismatchError, (X, W[:, :, :0]), {}),
    (DimensionsMismatchError, (X, W), {"stride": (1, 1, 1)}),
    (DimensionsMismatchError, (X, W), {"stride": ()}),
    (DimensionsMismatchError, (X, W), {"dilation": (1, 1, 1)}),
    (DimensionsMismatchError, (X, W), {"padding": (1, 1, 1)}),
    (DimensionsMismatchError, (X, W), {"padding": [(1, 1)]}),
    (DimensionsMismatchError, (X, W), {"padding": [(1, 1), (1, 1, 1)]}),
    (InvalidArgumentError, (X, W), {"stride": 0}),
    (InvalidArgumentError, (X, W), {"stride": (1, -1)}),
    (InvalidArgumentError, (X, W), {"dilation": 0}),
    (InvalidArgumentError, (X, W), {"groups": 0}),
    (InvalidArgumentError, (X, W), {"groups": -4}),
    (InvalidArgumentError, (X, W), {"padding": -1}),
    (InvalidArgumentError, (X, W), {"padding": [(1, -1), (0, 0)]}),
    (InvalidArgumentError, (X, W), {"padding": "full"}),
    (InvalidArgumentError, (X, W), {"dilation": BIG}),
    (InvalidArgumentError, (X, W), {"padding": BIG}),
    (OutOfRangeError, (X, W), {"padding": 2**70}),
    (TypeMismatchError, (X, W), {"stride": 1.5}),
    (TypeMismatchError, (X, W), {"padding": None}),
    (TypeMismatchError, (X, W), {"groups": 1.0}),
    (TypeMismatchError, (X, W, 1.0), {}),
    (TypeMismatchError, (X, 2.0), {}),
    (TypeMismatchError, (suanzi.full((1, 4, 5, 5), "a"), W), {}),
    (TypeMismatchError, (suanzi.ones((1, 4, 5, 5), dtype="uint64"), suanzi.ones((4, 4, 3, 3), dtype="int8")), {}),
    (AllocFailedError, (X, W), {"padding": 2**40}),
    (UninitializedObjectError, (destroyed(), W), {}),
    (UninitializedObjectError, (X, destroyed()), {}),
]  # fmt: skip


@pytest.mark.parametrize(("error", "arguments", "options"), BAD)
@pytest.mark.parametrize("function", [conv, conv_transpose])
def test_bad_input(function: Any, error: type[Exception], arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    if function is conv_transpose and error is AllocFailedError:
        options = {"stride": 2**40}
    if function is conv_transpose and options == {"padding": BIG}:
        options = {"stride": BIG}
    with fails(error, "nn." + function.__name__):
        function(*arguments, **options)


def test_kernels_that_do_not_fit() -> None:
    with fails(DimensionsMismatchError, "nn.conv"):
        conv(X, W, dilation=3)
    with fails(DimensionsMismatchError, "nn.conv"):
        conv(X, W, dilation=2**40)
    with fails(DimensionsMismatchError, "nn.conv_transpose"):
        conv_transpose(X, W, padding=4)
    with fails(DimensionsMismatchError, "nn.conv_transpose"):
        conv_transpose(X[:, :, :0], W)
    with fails(InvalidArgumentError, "nn.conv_transpose"):
        conv_transpose(X, W, output_padding=-1)
    with fails(DimensionsMismatchError, "nn.conv_transpose"):
        conv_transpose(X, W, output_padding=(1, 1, 1))


def test_far_padding_costs_no_memory() -> None:
    """Wide padding takes no memory. An element of the result that the input does not reach equals the bias."""
    x, weight = suanzi.ones((1, 1, 3, 3)), suanzi.ones((1, 1, 2, 2))
    found = conv(x, weight, suanzi.tensor([2.0]), stride=2**40, padding=2**40)
    assert found.numpy().tolist() == [[[[2.0, 2.0, 2.0], [2.0, 6.0, 2.0], [2.0, 2.0, 2.0]]]]
    far = conv(x, weight, padding=2**20, dilation=2**20 + 1, stride=2**21)
    assert far.shape == (1, 1, 1, 1)
