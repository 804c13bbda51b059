"""Normalisations return the same results as direct loops in float64, within rounding errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError, nn

Array = np.ndarray[Any, Any]
TYPES = ("float16", "bfloat16", "float32", "float64", "int16")
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-22, "float64": 2.0**-50, "int16": 2.0**-22}


def drawn(shape: tuple[int, ...], seed: int, name: str = "float32") -> Array:
    values = np.random.default_rng(seed).normal(2, 3, shape)
    return values.astype(suanzi.as_dtype(name).numpy)


def standardised(values: list[float], eps: float) -> list[float]:
    """Subtract the mean from each value and divide by the square root of variance + eps, in Python's numbers."""
    if not values:
        return []
    mean = math.fsum(values) / len(values)
    variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
    return [(v - mean) / math.sqrt(variance + eps) if variance + eps > 0 else math.nan for v in values]


def by_groups(x: Array, key: Any, eps: float) -> Array:
    """Normalise together the elements whose places have the same `key(place)`."""
    groups: dict[Any, list[tuple[int, ...]]] = {}
    for place in itertools.product(*map(range, x.shape)):
        groups.setdefault(key(place), []).append(place)
    result = np.zeros(x.shape)
    for places in groups.values():
        for place, value in zip(places, standardised([float(x[p]) for p in places], eps), strict=True):
            result[place] = value
    return result


def close(found: suanzi.Tensor, exact: Array, name: str) -> None:
    assert found.dtype is suanzi.as_dtype("float32" if name == "int16" else name)
    assert found.shape == exact.shape
    if exact.size:
        unit = EPSILON[name]
        largest = float(np.nanmax(np.abs(exact), initial=1.0))
        np.testing.assert_allclose(found.numpy().astype("d"), exact, rtol=unit, atol=4 * unit * largest)


shapes = st.lists(st.integers(0, 4), min_size=2, max_size=5).map(tuple)


@given(shapes, st.sampled_from(TYPES), st.booleans(), st.booleans(), st.sampled_from([1e-5, 0.5]), st.data())
def test_channels_and_groups(shape: Any, name: str, has_weight: bool, has_bias: bool, eps: float, data: Any) -> None:
    x = drawn(shape, 1, name)
    channels = shape[1]
    weight, bias = (drawn((channels,), seed, name) if has else None for seed, has in ((2, has_weight), (3, has_bias)))
    groups = data.draw(st.sampled_from([g for g in range(1, 5) if channels % g == 0]))

    def scaled(normal: Array) -> Array:
        along = (1, channels) + (1,) * (len(shape) - 2)
        normal = normal if weight is None else normal * weight.astype("d").reshape(along)
        return normal if bias is None else normal + bias.astype("d").reshape(along)

    t, w, b = (None if a is None else suanzi.tensor(a, dtype=name) for a in (x, weight, bias))
    width = max(channels // groups, 1)
    close(nn.instance_norm(t, w, b, eps), scaled(by_groups(x, lambda p: p[:2], eps)), name)
    close(nn.group_norm(t, groups, w, b, eps), scaled(by_groups(x, lambda p: (p[0], p[1] // width), eps)), name)
    close(nn.batch_norm(t, None, None, w, b, True, eps), scaled(by_groups(x, lambda p: p[1], eps)), name)
    mean, var = drawn((channels,), 4, name), np.abs(drawn((channels,), 5, name))
    along = (1, channels) + (1,) * (len(shape) - 2)
    known = (x.astype("d") - mean.astype("d").reshape(along)) / np.sqrt(var.astype("d").reshape(along) + eps)
    found = nn.batch_norm(t, suanzi.tensor(mean, dtype=name), suanzi.tensor(var, dtype=name), w, b, eps=eps)
    close(found, scaled(known), name)


@given(shapes, st.integers(1, 3), st.sampled_from(TYPES), st.booleans(), st.sampled_from([1e-5, 0.5]))
def test_last_axes(shape: Any, count: int, name: str, has_weight: bool, eps: float) -> None:
    count = min(count, len(shape))
    x, last = drawn(shape, 1, name), shape[len(shape) - count :]
    weight = drawn(last, 2, name) if has_weight else None
    bias = drawn(last, 3, name) if has_weight else None
    t, w, b = (None if a is None else suanzi.tensor(a, dtype=name) for a in (x, weight, bias))
    exact = by_groups(x, lambda p: p[: len(p) - count], eps)
    if weight is not None and bias is not None:
        exact = exact * weight.astype("d") + bias.astype("d")
    close(nn.layer_norm(t, last, w, b, eps), exact, name)
    wide = x.astype("d")
    axes = tuple(range(len(shape) - count, len(shape)))
    if x.size:
        exact = wide / np.sqrt(np.mean(wide * wide, axes, keepdims=True) + eps)
        exact = exact if weight is None else exact * weight.astype("d")
    else:
        exact = np.zeros(shape)
    close(nn.rms_norm(t, last, w, eps), exact, name)


@given(shapes, st.integers(1, 9), st.sampled_from(TYPES))
def test_windows_of_channels(shape: Any, size: int, name: str) -> None:
    x = drawn(shape, 1, name)
    exact = np.zeros(shape)
    for place in itertools.product(*map(range, shape)):
        n, c, *rest = place
        first, last = max(0, c - (size - 1) // 2), min(shape[1], c + size // 2 + 1)
        total = math.fsum(float(x[(n, k, *rest)]) ** 2 for k in range(first, last))
        exact[place] = float(x[place]) / (2.0 + 0.3 / size * total) ** 0.75
    close(nn.lrn(suanzi.tensor(x, dtype=name), size, 0.3, 0.75, 2.0), exact, name)


def test_layouts() -> None:
    """Functions return the same results for transposed, strided and expanded operands as for contiguous copies."""
    x = suanzi.tensor(drawn((6, 8, 10), 1))
    views = (suanzi.transpose(x, (2, 0, 1)), x[::2, 1:, ::-1], suanzi.expand(x[:, :1], (6, 8, 10)))
    for view in views:
        copy = suanzi.tensor(view.numpy().copy())
        last = view.shape[-1]
        weight = suanzi.tensor(drawn((2 * last,), 2))[::2]
        same = suanzi.tensor(weight.numpy().copy())
        np.testing.assert_array_equal(
            nn.layer_norm(view, last, weight).numpy(), nn.layer_norm(copy, last, same).numpy()
        )
        np.testing.assert_array_equal(nn.instance_norm(view).numpy(), nn.instance_norm(copy).numpy())


def test_narrow_types_are_computed_in_wide_ones() -> None:
    x = suanzi.tensor([[60000.0, -60000.0, 60000.0, 60000.0]], dtype="float16")
    assert nn.rms_norm(x, 4).tolist() == [[1.0, -1.0, 1.0, 1.0]]
    far = suanzi.tensor([[1e4 + 1, 1e4 + 3]])
    np.testing.assert_allclose(nn.layer_norm(far, 2, eps=0).numpy(), [[-1, 1]], rtol=1e-6)
    parameters = suanzi.tensor([1 / 3, 1 / 3], dtype="float64")
    found = nn.layer_norm(suanzi.tensor([[1.0, 3.0]]), 2, parameters, eps=0)
    assert found.dtype is suanzi.float32
    assert found.tolist() == [[np.float32(-1 / 3), np.float32(1 / 3)]]


def test_special_values() -> None:
    found = nn.layer_norm(suanzi.tensor([[1.0, math.nan], [math.inf, 1.0], [5.0, 5.0]]), 2).numpy()
    assert np.isnan(found[:2]).all()
    assert found[2].tolist() == [0, 0]
    assert nn.rms_norm(suanzi.tensor([0.0, 0.0]), 2).tolist() == [0, 0]


@pytest.mark.parametrize("shape", [(5, 1), (6, 16), (3, 17), (64, 96), (2, 4097), (2, 8192), (1, 9000)])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_one_pass_has_the_bits_of_its_steps(shape: tuple[int, int], name: str) -> None:
    x = suanzi.tensor(drawn(shape, 1, name))
    weight, bias = (suanzi.tensor(drawn(shape[1:], seed, name)) for seed in (2, 3))
    for y in (x, x.T):
        w, b = (weight, bias) if y is x else (None, None)
        last = y.shape[-1]
        layer = suanzi.fuse(lambda t, last=last, w=w, b=b: nn.layer_norm(t, last, w, b))
        np.testing.assert_array_equal(nn.layer_norm(y, last, w, b).numpy(), layer(y).numpy())
        rms = suanzi.fuse(lambda t, last=last, w=w: nn.rms_norm(t, last, w))
        np.testing.assert_array_equal(nn.rms_norm(y, last, w).numpy(), rms(y).numpy())


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 1), (1, 7, 196), (2, 3, 4097), (3, 1, 40, 70)])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_scaled_channels_have_the_bits_of_their_steps(shape: tuple[int, ...], name: str) -> None:
    x = suanzi.tensor(drawn(shape, 1, name))
    mean, weight, bias = (suanzi.tensor(drawn(shape[1:2], seed, name)) for seed in (2, 3, 4))
    for w, b in ((weight, bias), (weight, None), (None, bias), (None, None)):
        normal = suanzi.fuse(lambda t, w=w, b=b: nn.batch_norm(t, mean, bias * bias, w, b))
        found = nn.batch_norm(x, mean, bias * bias, w, b).numpy()
        np.testing.assert_array_equal(found, normal(x).numpy())
        along = (-1,) + (1,) * (len(shape) - 2)
        m, v, f, s = (p if p is None else p.numpy().astype("d").reshape(along) for p in (mean, bias * bias, w, b))
        exact = (x.numpy().astype("d") - m) / np.sqrt(v + 1e-5) * (1 if f is None else f) + (0 if s is None else s)
        close(nn.batch_norm(x, mean, bias * bias, w, b), exact, name)


def test_fused_functions_have_the_same_bits() -> None:
    x = suanzi.tensor(drawn((64, 96), 1))
    weight, bias = suanzi.tensor(drawn((96,), 2)), suanzi.tensor(drawn((96,), 3))

    def block(x: suanzi.Tensor) -> suanzi.Tensor:
        return nn.layer_norm(x + 1, 96, weight, bias) * 2

    fused = suanzi.fuse(block)
    np.testing.assert_array_equal(fused(x).numpy(), block(x).numpy())
    assert "mean" in fused.explain(x)


def test_errors() -> None:
    x, c = suanzi.ones((2, 4, 3)), suanzi.ones((4,))
    for wrong in (suanzi.ones((2, 4), dtype="complex64"), suanzi.tensor([["a"]]), 1.0):
        for function, arguments in ((nn.instance_norm, ()), (nn.layer_norm, (4,)), (nn.lrn, (3,))):
            with fails(TypeMismatchError, "nn.instance_norm", "nn.layer_norm", "nn.lrn"):
                function(wrong, *arguments)
    for function, arguments in ((nn.lrn, (3,)), (nn.batch_norm, (c, c)), (nn.layer_norm, (3, c, c))):
        with fails(TypeMismatchError, f"nn.{function.__name__}"):
            function(None, *arguments)
    for function in (nn.group_norm, nn.lrn):
        with fails(OutOfRangeError, f"nn.{function.__name__}"):
            function(x, 2**64)
    with fails(DimensionsMismatchError, "nn.batch_norm"):
        nn.batch_norm(x, c, suanzi.ones((3,)))
    with fails(DimensionsMismatchError, "nn.batch_norm"):
        nn.batch_norm(x, suanzi.ones((3,)), c, training=True)
    with fails(DimensionsMismatchError, "nn.batch_norm"):
        nn.batch_norm(suanzi.tensor(1.0), suanzi.ones((1,)), suanzi.ones((1,)))
    with fails(InvalidArgumentError, "nn.batch_norm"):
        nn.batch_norm(x, None, None)
    with fails(DimensionsMismatchError, "nn.group_norm"):
        nn.group_norm(x, 3)
    for groups in (0, -1, -(2**62)):
        with fails(InvalidArgumentError, "nn.group_norm"):
            nn.group_norm(x, groups)
    with fails(DimensionsMismatchError, "nn.layer_norm"):
        nn.layer_norm(x, 4)
    with fails(DimensionsMismatchError, "nn.layer_norm"):
        nn.layer_norm(x, 3, c)
    with fails(DimensionsMismatchError, "nn.layer_norm"):
        nn.layer_norm(x, ())
    with fails(TypeMismatchError, "nn.rms_norm"):
        nn.rms_norm(x, 3, eps="a")  # type: ignore[arg-type]
    for size in (0, -(2**62)):
        with fails(InvalidArgumentError, "nn.lrn"):
            nn.lrn(x, size)
    assert nn.lrn(x, 2**62).shape == x.shape
    with fails(DimensionsMismatchError, "nn.instance_norm"):
        nn.instance_norm(c)
    assert not nn.layer_norm(x, 3, eps=10**400).numpy().any()  # a number past float64 is infinite
    with pytest.raises(TypeError):
        nn.layer_norm(x)  # type: ignore[call-arg]


def by_channel(x: Array, centre: Array, variance: Array) -> Array:
    return (x - centre[:, None]) / np.sqrt(variance[:, None] + 1e-5)


IMAGE = drawn((2, 4, 3), 9, "float64")
CHANNELS = [drawn((4,), seed, "float64") for seed in (10, 11)]
INTO: dict[str, tuple[tuple[Any, ...], Array]] = {
    "batch_norm": ((CHANNELS[0], CHANNELS[1] ** 2), by_channel(IMAGE, CHANNELS[0], CHANNELS[1] ** 2)),
    "instance_norm": ((), by_groups(IMAGE, lambda p: p[:2], 1e-5)),
    "group_norm": ((2,), by_groups(IMAGE, lambda p: (p[0], p[1] // 2), 1e-5)),
    "layer_norm": ((3,), by_groups(IMAGE, lambda p: p[:2], 1e-5)),
    "rms_norm": ((3, None, 0.5), IMAGE / np.sqrt(np.mean(IMAGE**2, -1, keepdims=True) + 0.5)),
    "lrn": ((1, 2.0, 0.5, 1.0), IMAGE / np.sqrt(1 + 2 * IMAGE**2)),
}


@pytest.mark.parametrize("name", INTO)
def test_results_in_given_memory(name: str) -> None:
    function, (options, exact) = getattr(nn, name), INTO[name]
    options = tuple(suanzi.tensor(a) if isinstance(a, np.ndarray) else a for a in options)
    x = suanzi.tensor(IMAGE)
    backwards = suanzi.zeros((3, 4, 2), dtype="float64").T
    for out in (backwards, suanzi.flip(x, 0), x):
        x[...] = suanzi.tensor(IMAGE)
        assert function(x, *options, out=out) is out
        close(out, exact, "float64")
    x = suanzi.tensor(IMAGE)
    fused = suanzi.fuse(lambda x: function(x, *options))
    fused(x, out=backwards)  # type: ignore[call-arg]
    close(backwards, exact, "float64")
    for error, wrong in (
        (DimensionsMismatchError, suanzi.zeros((1, 2, 4, 3), dtype="float64")),
        (TypeMismatchError, suanzi.zeros(IMAGE.shape, dtype="int64")),
    ):
        with pytest.raises(error, match=f"^nn.{name}: out has "):
            function(x, *options, out=wrong)


SIZES = {
    "float32": [1e-43, 1e-30, 1e-20, 1.0, 2e19, 8e37],
    "float64": [1e-300, 1e-160, 1e-30, 1.0, 1e155, 4e307],
}


@pytest.mark.parametrize("eps", [1e-5, 0.0])
@pytest.mark.parametrize(("dtype", "size"), [(dtype, size) for dtype, sizes in SIZES.items() for size in sizes])
def test_squares_may_leave_the_range(dtype: str, size: float, eps: float) -> None:
    x = suanzi.tensor((np.array([1, 2, 3, 4, -2]) * size).astype(dtype))
    wide = x.numpy().astype(np.longdouble)
    distances = wide - wide.mean()
    for found, of in ((nn.layer_norm(x, 5, eps=eps), distances), (nn.rms_norm(x, 5, eps=eps), wide)):
        expected = of / np.sqrt((of**2).mean() + np.longdouble(eps))
        np.testing.assert_allclose(found.numpy(), expected.astype(np.float64), rtol=2e-6, atol=1e-44)


NORMALISATIONS: dict[str, Callable[[suanzi.Tensor, float], suanzi.Tensor]] = {
    "layer_norm": lambda x, eps: nn.layer_norm(x, x.shape[-1], eps=eps),
    "rms_norm": lambda x, eps: nn.rms_norm(x, x.shape[-1], eps=eps),
    "group_norm": lambda x, eps: nn.group_norm(x, 1, eps=eps),
    "instance_norm": lambda x, eps: nn.instance_norm(suanzi.expand_dims(x, 1), eps=eps)[:, 0],
    "batch_norm": lambda x, eps: nn.batch_norm(suanzi.clone(x.T), None, None, training=True, eps=eps).T,
}


@pytest.mark.parametrize("name", NORMALISATIONS)
@pytest.mark.parametrize("eps", [1e-5, 0.0])
@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e-20), ("float32", 2e19), ("float64", 1e155)])
def test_squares_may_leave_the_range_in_fused_functions(dtype: str, size: float, eps: float, name: str) -> None:
    """A fused function normalises ordinary rows as well as rows of the same type and shape that leave the range."""
    one = NORMALISATIONS[name]
    rows = np.array([[1, 2, 3, 4, -2], [7, 0, 0, 0, 1]])
    wide = rows - (0 if name == "rms_norm" else rows.mean(1, keepdims=True))
    largest_first, smallest_first, views = (suanzi.fuse(lambda t, one=one: one(t, eps)) for _ in range(3))
    for factor in (size, 1.0, size, 1.0):
        x = suanzi.tensor((rows * [[factor], [1.0]]).astype(dtype))
        of = wide.astype(np.longdouble) * [[np.longdouble(x.numpy()[0, 0])], [1]]
        expected = (of / np.sqrt((of**2).mean(1, keepdims=True) + np.longdouble(eps))).astype("d")
        out = suanzi.zeros(x.shape, dtype=dtype)
        assert views(suanzi.clone(x), out=out) is out  # type: ignore[call-arg]
        for found in (one(x, eps), one(suanzi.clone(x.T).T, eps), largest_first(x), views(suanzi.clone(x.T).T), out):
            np.testing.assert_allclose(found.numpy(), expected, rtol=2e-6, atol=1e-7 * min(factor, 1.0))
        if factor != 1.0:
            smallest_first(suanzi.tensor(rows.astype(dtype)))
        assert smallest_first(x).numpy().tobytes() == one(x, eps).numpy().tobytes()
        assert not smallest_first.explain(x).startswith("not traced")


@pytest.mark.parametrize("name", NORMALISATIONS)
@pytest.mark.parametrize(("dtype", "row", "eps"), [
    ("float32", [-3e38, 3e38, 3e38, 3e38], 1e-5),
    ("float64", [-1.7e308, 1.7e308, 1.7e308, 1.7e308], 1e-5),
    ("float32", [0.0, 0.0, 2.0**-149, 0.0], 0.0),
])  # fmt: skip
def test_distances_from_the_mean_may_leave_the_range(dtype: str, row: list[float], eps: float, name: str) -> None:
    """The distance of a number from the mean may overflow, and the mean of the least numbers is inexact. Contiguous
    rows and other rows have equal results.
    """
    rows = np.array([row, [1, 2, 3, 5]], dtype)
    wide = rows.astype(np.longdouble)
    of = wide if name == "rms_norm" else wide - wide.mean(1, keepdims=True)
    expected = (of / np.sqrt((of**2).mean(1, keepdims=True) + np.longdouble(eps))).astype("d")
    for x in (suanzi.tensor(rows), suanzi.tensor(rows.T.copy()).T):
        np.testing.assert_allclose(NORMALISATIONS[name](x, eps).numpy(), expected, rtol=2e-6)


def test_a_long_row_of_large_numbers() -> None:
    row = np.full(70_000, 3e38, np.float32)
    row[0] = -3e38
    wide = row.astype(np.longdouble)
    expected = (wide - wide.mean()) / wide.std()
    np.testing.assert_allclose(nn.layer_norm(suanzi.tensor(row), 70_000), expected, rtol=2e-3)  # float32 holds the mean


@pytest.mark.parametrize(
    ("alpha", "beta", "k"), [(1.0, 0.5, 0.0), (1e-4, 0.75, 1.0), (3.0, 1.0, 2.0), (2.0, -0.5, 0.0)]
)
@pytest.mark.parametrize(("dtype", "size"), [
    *[("float32", size) for size in (1e-43, 1e-30, 1e-20, 1.0, 1e19, 8e37)],
    *[("float64", size) for size in (1e-310, 1e-160, 1.0, 1e155, 4e307)],
    *[("bfloat16", size) for size in (1e-30, 1.0, 1e20)],
])  # fmt: skip
def test_squares_in_windows_may_leave_the_range(dtype: str, size: float, alpha: float, beta: float, k: float) -> None:
    """`lrn` is right for windows of three channels, beside channels of ordinary numbers, and in fused functions."""
    x = suanzi.astype(suanzi.tensor(np.array([[[size], [-size / 4], [0], [0], [2], [3]]])), suanzi.as_dtype(dtype))
    wide = np.pad(suanzi.astype(x, "float64").numpy().ravel().astype(np.longdouble), 1)
    sums = wide[:-2] ** 2 + wide[1:-1] ** 2 + wide[2:] ** 2
    fused = suanzi.fuse(lambda t: nn.lrn(t, 3, alpha, beta, k))
    unit = {"float32": 2.0**-20, "float64": 2.0**-48, "bfloat16": 2.0**-8}[dtype]
    with np.errstate(over="ignore", invalid="ignore"):
        exact = wide[1:-1] / (np.longdouble(k) + np.longdouble(alpha) / 3 * sums) ** np.longdouble(beta)
        exact = exact.astype("d" if dtype == "float64" else "f")
    for found in (nn.lrn(x, 3, alpha, beta, k), fused(x)):
        np.testing.assert_allclose(suanzi.astype(found, "float64").numpy().ravel(), exact, rtol=unit, atol=1e-44)
