"""The tests compare operators of `suanzi.nn` on quantized tensors with sums of Python's integers and of float64."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, QuantizedTensor, TypeMismatchError, nn

Array = np.ndarray[Any, Any]
TYPES = ("qint8", "quint8", "qint8_asymmetric", "qint16", "quint16", "qint16_asymmetric")
RNG = np.random.default_rng(11)


def drawn(dtype: str, shape: tuple[int, ...], *, zero: bool = True, axis: int | None = None) -> QuantizedTensor:
    """Make a quantized tensor of random codes, with the least and the greatest code. Scales of channels are random."""
    kind = getattr(suanzi, dtype)
    codes = RNG.integers(kind.codes[0], kind.codes[1], shape, endpoint=True)
    codes.flat[: min(2, codes.size)] = kind.codes[: min(2, codes.size)]
    scale: Any = 0.125 if axis is None else RNG.uniform(0.01, 3, shape[axis]).astype(np.float32)
    point = int(RNG.integers(*kind.codes)) if zero and not kind.symmetric else 0
    storage = kind.storage.numpy
    return suanzi.quantized_tensor(shape, codes.astype(storage), scale=scale, zero_point=point, dtype=dtype, axis=axis)


def real(x: QuantizedTensor) -> Array:
    """Return the exact numbers of a quantized tensor. The numbers have at most 41 bits, so float64 holds them."""
    scale = x.scale.numpy().astype(np.float64)
    if x.axis is not None:
        scale = scale.reshape(-1, *(1,) * (x.ndim - x.axis - 1))
    return scale * (x.codes.numpy().astype(np.int64) - x.zero_point)


def convolution(x: Array, weight: Array, stride: int, padding: int, groups: int) -> Array:
    """Compute a convolution of exact numbers. Each element of the result is a sum of products in float64."""
    spatial = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *((padding, padding),) * spatial])
    places = [range(0, n - k + 1, stride) for n, k in zip(x.shape[2:], weight.shape[2:], strict=True)]
    out = np.zeros((x.shape[0], weight.shape[0], *map(len, places)))
    per_group, channels = weight.shape[0] // groups, weight.shape[1]
    for n, m in itertools.product(range(x.shape[0]), range(weight.shape[0])):
        first = m // per_group * channels
        for at in itertools.product(*(range(len(p)) for p in places)):
            window = tuple(slice(p[i], p[i] + k) for p, i, k in zip(places, at, weight.shape[2:], strict=True))
            out[(n, m, *at)] = np.sum(x[(n, slice(first, first + channels), *window)] * weight[m])
    return out


def within_a_step(found: QuantizedTensor, expected: Array) -> None:
    """Check that each number is within one step of the exact number, and that the step is not larger than necessary."""
    assert found.shape == expected.shape
    step = float(found.scale.item())
    assert np.max(np.abs(real(found) - expected), initial=0) <= step
    least, greatest = found.dtype.codes
    most = max(0, expected.max(initial=0)) - min(0, expected.min(initial=0))
    whole = 2 * np.max(np.abs(expected), initial=0) if found.dtype.symmetric else most
    assert step * (greatest - least) <= whole * 1.001 + 1e-30


@pytest.mark.parametrize("x_type", TYPES)
@pytest.mark.parametrize("weight_type", [*TYPES, "qint8_per_channel", "qint16_per_channel"])
def test_convolutions(x_type: str, weight_type: str) -> None:
    for spatial, stride, padding, groups in ((1, 1, 0, 1), (2, 2, 1, 2), (3, 1, 1, 1)):
        size = (7, 5, 4)[:spatial]
        x = drawn(x_type, (2, 4, *size))
        axis = 0 if "per_channel" in weight_type else None
        weight = drawn(weight_type, (6, 4 // groups, *(3, 2, 2)[:spatial]), axis=axis)
        expected = convolution(real(x), real(weight), stride, padding, groups)
        within_a_step(nn.conv(x, weight, None, stride, padding, 1, groups), expected)


def test_bias_and_out() -> None:
    x, weight = drawn("quint8", (1, 3, 6, 6)), drawn("qint8_per_channel", (4, 3, 3, 3), axis=0)
    plain = convolution(real(x), real(weight), 1, 0, 1)
    bias = suanzi.tensor(RNG.normal(0, 100, 4), dtype="float64")
    expected = plain + bias.numpy().reshape(4, 1, 1)
    within_a_step(nn.conv(x, weight, bias), expected)
    codes = suanzi.quantize(bias, 0.5, 0, dtype="qint16")
    within_a_step(nn.conv(x, weight, codes), plain + real(codes).reshape(4, 1, 1))
    out = suanzi.quantized_tensor(
        (1, 4, 4, 4), np.zeros((1, 4, 4, 4), np.uint8), scale=64.0, zero_point=100, dtype="quint8"
    )
    assert nn.conv(x, weight, bias, out=out) is out
    nearest = np.clip(np.rint(expected / 64) + 100, 0, 255)
    assert np.max(np.abs(out.codes.numpy() - nearest)) <= 1
    assert np.mean(out.codes.numpy() == nearest) > 0.99


def test_many_terms() -> None:
    """A convolution is right even if the sum of products of extreme codes does not fit int32."""
    terms = 2**16 + 3
    assert 255**2 * terms > 2**31
    codes = np.full((1, terms, 1), 255, np.uint8)
    x = suanzi.quantized_tensor(codes.shape, codes, scale=1.0, zero_point=0, dtype="quint8")
    weight = suanzi.quantized_tensor(codes.shape, codes, scale=1.0, zero_point=0, dtype="quint8")
    found = nn.conv(x, weight)
    assert abs(float(found.dequantize().item()) - 255**2 * terms) <= found.scale.item()


@pytest.mark.parametrize("dtype", [*TYPES, "qint8_per_channel"])
def test_pools(dtype: str) -> None:
    axis = 1 if "per_channel" in dtype else None
    x = drawn(dtype, (2, 3, 6, 4), axis=axis)
    blocks = real(x).reshape(2, 3, 3, 2, 2, 2)
    for found, expected in (
        (nn.max_pool(x, 2), blocks.max((3, 5))),
        (nn.global_max_pool(x), real(x).max((2, 3), keepdims=True)),
        (nn.adaptive_max_pool(x, (3, 2)), blocks.max((3, 5))),
    ):
        assert found.dtype is x.dtype
        assert np.array_equal(real(found), expected)
    values, places = nn.max_pool(x, 2, return_indices=True)
    flat = real(x).reshape(2, 3, -1)
    chosen = np.take_along_axis(flat, places.numpy().reshape(2, 3, -1), 2)
    assert np.array_equal(real(values), chosen.reshape(values.shape))
    for found, expected in (
        (nn.avg_pool(x, 2), blocks.mean((3, 5))),
        (nn.global_avg_pool(x), real(x).mean((2, 3), keepdims=True)),
        (nn.adaptive_avg_pool(x, (3, 2)), blocks.mean((3, 5))),
    ):
        assert suanzi.array_equal(found.scale, x.scale)
        steps = x.scale.numpy() if axis is None else x.scale.numpy().reshape(-1, 1, 1)
        assert np.all(np.abs(real(found) - expected) <= 0.501 * steps)
    for divisor in (1, 3, 7):
        found = nn.avg_pool(x, 2, divisor_override=divisor)
        assert (found.dtype, found.axis) == (x.dtype, x.axis)
        steps = found.scale.numpy() if axis is None else found.scale.numpy().reshape(-1, 1, 1)
        assert np.all(np.abs(real(found) - blocks.sum((3, 5)) / divisor) <= 1.001 * steps)


@pytest.mark.parametrize("dtype", TYPES)
def test_windows_of_padding(dtype: str) -> None:
    """The maximum of a window that has only padding is the least code of the type, which is -127 in symmetric types."""
    x = drawn(dtype, (1, 1, 1))
    found, places = nn.max_pool(x, 2, padding=1, dilation=2, return_indices=True)
    assert found.codes.tolist() == [[[x.dtype.codes[0]]]]
    assert places.tolist() == [[[-1]]]


def test_rearranged() -> None:
    x = drawn("quint8", (1, 8, 2, 3))
    shuffled = nn.pixel_shuffle(x, 2)
    expected = real(x).reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)
    assert np.array_equal(real(shuffled), expected)
    assert np.array_equal(nn.pixel_unshuffle(shuffled, 2).codes.numpy(), x.codes.numpy())


@pytest.mark.parametrize("dtype", TYPES)
def test_rectified_codes(dtype: str) -> None:
    """`relu` keeps positive numbers exactly. With `out`, the result has the parameters of `out`."""
    x = drawn(dtype, (2, 3, 5))
    found = nn.relu(x)
    assert found.dtype is x.dtype
    assert np.array_equal(real(found), np.maximum(real(x), 0))
    assert suanzi.array_equal(found.scale, x.scale)
    other = nn.relu(x, out=suanzi.requantize(x, x.scale * 2, x.zero_point))
    assert np.max(np.abs(real(other) - np.maximum(real(x), 0))) <= other.scale.numpy().max()


@pytest.mark.parametrize("weight_type", ["qint8", "quint16", "qint8_per_channel"])
def test_linear(weight_type: str) -> None:
    axis = 0 if "per_channel" in weight_type else None
    weight = drawn(weight_type, (5, 7), axis=axis)
    bias = suanzi.tensor(RNG.normal(0, 100, 5), dtype="float64")
    codes = suanzi.quantize(bias, 0.5, 0, dtype="qint16")
    for x in (drawn("quint8", (3, 7)), drawn("qint16", (2, 3, 7)), drawn("qint8_per_channel", (3, 7), axis=0)):
        plain = np.einsum("...i,oi->...o", real(x), real(weight))
        within_a_step(suanzi.linear(x, weight), plain)
        within_a_step(suanzi.linear(x, weight, bias), plain + bias.numpy())
        within_a_step(suanzi.linear(x, weight, codes), plain + real(codes))
        within_a_step(suanzi.linear(x, weight, 2.5), plain + 2.5)


def test_linear_refused() -> None:
    x, weight = drawn("qint8", (3, 4)), drawn("qint8", (2, 4))
    along = drawn("qint8_per_channel", (3, 4), axis=1)
    bias: Any
    for bias in (1j, "a", suanzi.ones(2, dtype="complex64"), suanzi.to_sparse(suanzi.ones(2))):
        with fails(TypeMismatchError, "linear"):
            suanzi.linear(x, weight, bias)
    with fails(InvalidArgumentError, "linear"):
        suanzi.linear(along, weight)
    with fails(DimensionsMismatchError, "linear"):
        suanzi.linear(x, drawn("qint8", (2, 3)))
    for first, second in ((x, suanzi.ones((2, 4))), (suanzi.ones((3, 4)), weight)):
        with fails(TypeMismatchError, "linear"):
            suanzi.linear(first, second)  # type: ignore[call-overload]


def test_empty() -> None:
    x, weight = drawn("qint8", (0, 2, 4)), drawn("qint8", (3, 2, 2))
    assert nn.conv(x, weight).shape == (0, 3, 3)
    assert nn.max_pool(x, 2).shape == (0, 2, 2)


def test_refused() -> None:
    x, weight = drawn("qint8", (1, 2, 4)), drawn("qint8", (3, 2, 2))
    along = {axis: drawn("qint8_per_channel", (1, 2, 4), axis=axis) for axis in (1, 2)}
    by_input = drawn("qint8_per_channel", (3, 2, 2), axis=1)
    real_x: Any = suanzi.ones((1, 2, 4))
    gone = drawn("qint8", (1, 2, 4))
    suanzi.destroy(gone)
    calls: list[tuple[type[suanzi.SuanziError], str, Callable[[], Any]]] = [
        (InvalidArgumentError, "nn.conv", lambda: nn.conv(along[1], weight)),
        (InvalidArgumentError, "nn.conv", lambda: nn.conv(x, by_input)),
        (InvalidArgumentError, "nn.max_pool", lambda: nn.max_pool(along[2], 2)),
        (InvalidArgumentError, "nn.avg_pool", lambda: nn.avg_pool(along[2], 2)),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(x, suanzi.ones((3, 2, 2)))),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(suanzi.ones((1, 2, 4)), weight)),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(x, weight, out=suanzi.ones((1, 3, 3)))),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(x, weight, "bias")),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(x, weight, suanzi.to_sparse(suanzi.ones(3)))),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(real_x, suanzi.ones((3, 2, 2)), drawn("qint8", (3,)))),
        (TypeMismatchError, "linear", lambda: suanzi.linear(real_x, suanzi.ones((3, 4)), drawn("qint8", (3,)))),
        (TypeMismatchError, "nn.conv", lambda: nn.conv(x, weight, suanzi.ones(3, dtype="complex64"))),
        (DimensionsMismatchError, "nn.conv", lambda: nn.conv(x, weight, suanzi.ones(2))),
        (DimensionsMismatchError, "nn.conv", lambda: nn.conv(x, drawn("qint8", (3, 5, 2)))),
        (DimensionsMismatchError, "nn.conv", lambda: nn.conv(x, drawn("qint16", (3, 5, 2)))),
        (InvalidArgumentError, "nn.conv", lambda: nn.conv(x, weight, None, 0)),
        (suanzi.UninitializedObjectError, "nn.conv", lambda: nn.conv(gone, weight)),
        (suanzi.UninitializedObjectError, "nn.max_pool", lambda: nn.max_pool(gone, 2)),
    ]
    for error, operator, call in calls:
        with fails(error, operator):
            call()
