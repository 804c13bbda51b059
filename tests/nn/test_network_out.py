"""Tests of the parameter `out` of `suanzi.nn`: NumPy's values, types, layouts, shared memory, refusals and fusion."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import DimensionsMismatchError, SuanziError, Tensor, TraceError, TypeMismatchError, nn
from suanzi.operators.registry import lookup

Array = Any

DRAWN = np.random.default_rng(11)
ELEMENTS = DRAWN.normal(0, 2, (6, 8))
IMAGES = DRAWN.normal(0, 2, (2, 4, 4, 6))
CHANNELS = suanzi.tensor([0.5, 1.0, 1.5, 2.0])
ROWS = suanzi.tensor([[2, 0, 5], [3, 3, 1]], dtype="int64")
PLACES = suanzi.tensor(np.argsort(DRAWN.random((2, 4, 24, 6)), 2)[:, :, :4], dtype="int64")
POINTS = suanzi.tensor([[[[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0]]]] * 2)
BOXES = suanzi.tensor([[0.0, 0.0, 6.0, 4.0]] * 2)
KERNEL = suanzi.tensor([[[[0.5, 1.0]]] * 4])
KEYS, VALUES = (DRAWN.integers(0, 4, shape) / 4 for shape in ((3, 8), (3, 5)))
CODES = DRAWN.integers(9, 16, (3, 16))


def logistic(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


def normal(a: Array) -> Array:
    """Return the probability that a normal number is less than each element."""
    return np.vectorize(math.erfc, [float])(-a / math.sqrt(2)) / 2


def shares(a: Array, axis: int = -1) -> Array:
    powers = np.exp(a - a.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def bent(a: Array, below: Array) -> Array:
    """Return the elements of `a`, but the elements of `below` where `a` is less than 0."""
    return np.where(a < 0, below, a)


def normalised(a: Array, *axes: int) -> Array:
    return (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + 1e-5)


def squares(a: Array) -> Array:
    """Divide each image into squares of 2 x 2 elements. The elements of a square become the last axis of the result."""
    n, c, height, width = a.shape
    parts = a.reshape(n, c, height // 2, 2, width // 2, 2).swapaxes(3, 4)
    return parts.reshape(n, c, height // 2, width // 2, 4)


def lines(a: Array) -> Array:
    """Add all channels, then add the next element of the row to half of each element."""
    summed = a.sum(1, keepdims=True)
    return (summed[..., :-1] + 2 * summed[..., 1:]) / 2


def doubled(a: Array) -> Array:
    """Add all channels. Each sum becomes two neighbours in the row of the result: half of the sum, and the sum."""
    found = np.zeros((*a.shape[:1], 1, a.shape[2], 2 * a.shape[3]))
    found[:, 0, :, ::2], found[:, 0, :, 1::2] = a.sum(1) / 2, a.sum(1)
    return found


def unpooled(a: Array) -> Array:
    found = np.zeros((*a.shape[:2], 24 * 4))
    np.put_along_axis(found, PLACES.numpy().reshape(*a.shape[:2], 24), a.reshape(*a.shape[:2], 24), 2)
    return found.reshape(*a.shape[:2], 8, 12)


def windowed(a: Array) -> Array:
    """Add the squares of the elements at the same place in three channels: each channel and its two neighbours."""
    padded = np.pad(a**2, [(0, 0), (1, 1), (0, 0), (0, 0)])
    return padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]


def packed(codes: Array) -> Tensor:
    return suanzi.tensor((codes[:, ::2] + 16 * codes[:, 1::2]).reshape(3, 1, 8).astype(np.uint8))


class Call(NamedTuple):
    """A function of one tensor, the function's definition in float64, and the elements of the tensor."""

    function: Callable[..., Tensor]
    definition: Callable[[Array], Array]
    elements: Array = ELEMENTS
    terms: float = 1 / 8  # the size of terms that are rounded and may cancel each other


def of_images(function: Callable[..., Tensor], definition: Callable[[Array], Array]) -> Call:
    return Call(function, definition, IMAGES)


CALLS: dict[str, Call] = {
    "relu": Call(nn.relu, lambda a: np.maximum(a, 0)),
    "sigmoid": Call(nn.sigmoid, logistic),
    "silu": Call(nn.silu, lambda a: a * logistic(a)),
    "gelu": Call(nn.gelu, lambda a: a * normal(a)),
    "gelu by tanh": Call(
        lambda x, **given: nn.gelu(x, approximate="tanh", **given),
        lambda a: a * logistic(math.sqrt(8 / math.pi) * (a + 0.044715 * a**3)),
    ),
    "softplus": Call(nn.softplus, lambda a: np.log1p(np.exp(a))),
    "mish": Call(nn.mish, lambda a: a * np.tanh(np.log1p(np.exp(a)))),
    "hardswish": Call(nn.hardswish, lambda a: a * np.clip(a + 3, 0, 6) / 6),
    "softmax": Call(nn.softmax, shares),
    "softmax of columns": Call(lambda x, **given: nn.softmax(x, 0, **given), lambda a: shares(a, 0)),
    "log_softmax": Call(nn.log_softmax, lambda a: np.log(shares(a))),
    "leaky_relu": Call(lambda x, **given: nn.leaky_relu(x, 0.25, **given), lambda a: bent(a, a / 4)),
    "prelu": Call(lambda x, **given: nn.prelu(x, suanzi.tensor([0.5]), **given), lambda a: bent(a, a / 2)),
    "elu": Call(nn.elu, lambda a: bent(a, np.expm1(a))),
    "celu": Call(lambda x, **given: nn.celu(x, 0.5, **given), lambda a: bent(a, np.expm1(2 * a) / 2)),
    "selu": Call(lambda x, **given: nn.selu(x, 1.5, 2.0, **given), lambda a: 2 * bent(a, 1.5 * np.expm1(a))),
    "hardsigmoid": Call(nn.hardsigmoid, lambda a: np.clip(a / 6 + 0.5, 0, 1), terms=1 / 2),
    "softsign": Call(nn.softsign, lambda a: a / (1 + np.abs(a))),
    "glu": Call(nn.glu, lambda a: np.split(a, 2, -1)[0] * logistic(np.split(a, 2, -1)[1])),
    "batch_norm": of_images(
        lambda x, **given: nn.batch_norm(x, CHANNELS, CHANNELS, eps=0, **given),
        lambda a: (a - CHANNELS.numpy().reshape(4, 1, 1)) / np.sqrt(CHANNELS.numpy().astype(float)).reshape(4, 1, 1),
    ),
    "instance_norm": of_images(nn.instance_norm, lambda a: normalised(a, 2, 3)),
    "group_norm": of_images(
        lambda x, **given: nn.group_norm(x, 2, **given),
        lambda a: normalised(a.reshape(2, 2, 2, 4, 6), 2, 3, 4).reshape(a.shape),
    ),
    "layer_norm": Call(lambda x, **given: nn.layer_norm(x, 8, **given), lambda a: normalised(a, -1)),
    "rms_norm": Call(
        lambda x, **given: nn.rms_norm(x, 8, eps=0, **given), lambda a: a / np.sqrt((a**2).mean(-1, keepdims=True))
    ),
    "lrn": of_images(lambda x, **given: nn.lrn(x, 3, 3.0, 0.5, **given), lambda a: a / np.sqrt(1 + windowed(a))),
    "conv": Call(lambda x, **given: nn.conv(x, suanzi.astype(KERNEL, x.dtype), **given), lines, abs(IMAGES)),
    "conv_transpose": Call(
        lambda x, **given: nn.conv_transpose(
            x, suanzi.astype(suanzi.reshape(KERNEL, (4, 1, 1, 2)), x.dtype), stride=(1, 2), **given
        ),
        doubled,
        abs(IMAGES),
    ),
    "max_pool": of_images(lambda x, **given: nn.max_pool(x, 2, **given), lambda a: squares(a).max(-1)),
    "avg_pool": Call(lambda x, **given: nn.avg_pool(x, 2, **given), lambda a: squares(a).mean(-1), abs(IMAGES)),
    "lp_pool": of_images(lambda x, **given: nn.lp_pool(x, 2, 2, **given), lambda a: np.sqrt((squares(a) ** 2).sum(-1))),
    "adaptive_max_pool": of_images(
        lambda x, **given: nn.adaptive_max_pool(x, (2, 3), **given), lambda a: squares(a).max(-1)
    ),
    "adaptive_avg_pool": Call(
        lambda x, **given: nn.adaptive_avg_pool(x, (2, 3), **given), lambda a: squares(a).mean(-1), abs(IMAGES)
    ),
    "global_max_pool": of_images(nn.global_max_pool, lambda a: a.max((2, 3), keepdims=True)),
    "global_avg_pool": Call(nn.global_avg_pool, lambda a: a.mean((2, 3), keepdims=True), abs(IMAGES)),
    "global_lp_pool": of_images(nn.global_lp_pool, lambda a: np.sqrt((a**2).sum((2, 3), keepdims=True))),
    "max_unpool": of_images(lambda x, **given: nn.max_unpool(x, PLACES, 2, **given), unpooled),
    "embedding": Call(lambda x, **given: nn.embedding(ROWS, x, **given), lambda a: a[ROWS.numpy()]),
    "grid_sample": Call(
        lambda x, **given: nn.grid_sample(x, POINTS, align_corners=True, **given),
        lambda a: np.stack([a[..., :1, 0], a[..., -1:, -1], a[..., 1:3, 2:4].mean((2, 3), keepdims=True)[..., 0]], -1),
        abs(IMAGES),
    ),
    "roi_align": Call(
        lambda x, **given: nn.roi_align(
            x, BOXES, suanzi.tensor([0, 1], dtype="int64"), (2, 3), 1.0, 1, aligned=True, **given
        ),
        lambda a: squares(a).mean(-1),
        abs(IMAGES),
    ),
    "pixel_shuffle": of_images(
        lambda x, **given: nn.pixel_shuffle(x, 2, **given),
        lambda a: a.reshape(2, 1, 2, 2, 4, 6).transpose(0, 1, 4, 2, 5, 3).reshape(2, 1, 8, 12),
    ),
    "pixel_unshuffle": of_images(
        lambda x, **given: nn.pixel_unshuffle(x, 2, **given),
        lambda a: a.reshape(2, 4, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(2, 16, 2, 3),
    ),
    "scaled_dot_product_attention": Call(
        lambda x, **given: nn.scaled_dot_product_attention(x, suanzi.tensor(KEYS), suanzi.tensor(VALUES), **given),
        lambda a: shares(a @ KEYS.T / math.sqrt(8)) @ VALUES,
    ),
    "linear_packed": Call(
        lambda x, **given: nn.linear_packed(x, packed(CODES), suanzi.full((3, 1), 0.5), **given),
        lambda a: a @ (CODES.T - 8) / 2,
        abs(DRAWN.normal(0, 2, (2, 16))),
    ),
}
SEVERAL = {"gru", "lstm", "rnn"}
NAMES = pytest.mark.parametrize("name", CALLS)


def called(name: str) -> str:
    return f"nn.{name.split()[0]}"


BLOCKWISE = [name for name in CALLS if lookup(called(name)).family == "blockwise"]


def close(found: Tensor, exact: Array, dtype: str, terms: float) -> None:
    """Check that errors are within a few roundings of the element, plus a rounding of a number of the size `terms`."""
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-44}[dtype]
    units = 1 if dtype in ("float16", "bfloat16") else 8  # halves are computed in float32 and rounded once
    np.testing.assert_allclose(found.numpy().astype(float), exact, rtol=units * unit, atol=unit * terms)


def test_every_function_takes_out() -> None:
    """Every function but `nms` accepts `out`. The shape of the result of `nms` depends on values."""
    functions = {name for name in nn.__all__ if "out" in inspect.signature(getattr(nn, name)).parameters}
    assert functions == {*nn.__all__} - {"nms"}
    assert {name.split()[0] for name in CALLS} | SEVERAL | {"one_hot"} == functions


@NAMES
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_values(name: str, dtype: str) -> None:
    """`out` is a part of a larger tensor of another dimension order. The call changes only the elements of `out`."""
    function, definition, elements, terms = CALLS[name]
    x = suanzi.tensor(elements, dtype=dtype)
    exact = definition(x.numpy().astype(float))
    memory = suanzi.full([2 * n + 1 for n in reversed(exact.shape)], 7, dtype=dtype)
    out = suanzi.permute_dims(memory[(slice(1, None, 2),) * exact.ndim], [*reversed(range(exact.ndim))])
    assert function(x, out=out) is out
    close(out, exact, dtype, terms)
    assert out.tolist() == function(x).tolist()
    out[...] = 7
    assert set(memory.numpy().astype(float).ravel()) == {7.0}


@NAMES
def test_other_types(name: str) -> None:
    """`out` may have another floating type, and the result is rounded once, to that type."""
    function, definition, elements, terms = CALLS[name]
    for given, wanted, digits in (
        ("float16", "float32", "float32"),
        ("bfloat16", "float64", "float32"),
        ("bfloat16", "float16", "float16"),
        ("float32", "float64", "float32"),
        ("float32", "float16", "float16"),
    ):
        x = suanzi.tensor(elements, dtype=given)
        exact = definition(x.numpy().astype(float))
        out = suanzi.zeros(exact.shape, dtype=wanted)
        function(x, out=out)
        close(out, exact, digits, terms)


@pytest.mark.parametrize("name", BLOCKWISE)
def test_integers(name: str) -> None:
    """Functions but `relu` return float32 for integers, and refuse an integer `out`. A float64 `out` has all digits."""
    function, definition, elements, terms = CALLS[name]
    x = suanzi.tensor(np.rint(elements * 2).astype(np.int8))
    result, exact = function(x), definition(x.numpy().astype(float))
    for dtype in ("float32", "float64"):
        out = suanzi.zeros(result.shape, dtype=dtype)
        function(x, out=out)
        close(out, exact, dtype, terms)
    if name != "relu":
        with fails(TypeMismatchError, called(name)):
            function(x, out=suanzi.zeros(result.shape, dtype="int8"))


@NAMES
def test_shared_memory(name: str) -> None:
    """`out` may begin where the operand begins, also reversed, or may begin elsewhere in the operand's memory."""
    function, definition, elements, terms = CALLS[name]
    exact = definition(elements)
    for start, is_reversed in ((0, False), (0, True), (1, False), (5, True)):
        memory = suanzi.zeros((max(elements.size, exact.size) + 5,), dtype="float64")
        x = suanzi.reshape(memory[: elements.size], elements.shape)
        x[...] = suanzi.tensor(elements)
        out = suanzi.reshape(memory[start : start + exact.size], exact.shape)
        out = suanzi.flip(out, 0) if is_reversed else out
        assert function(x, out=out) is out
        close(out, exact, "float64", terms)


@NAMES
def test_refusals(name: str) -> None:
    """Functions refuse an `out` of a wrong shape or type with the same error as operators, and do not change `out`."""
    function, _, elements, _ = CALLS[name]
    x = suanzi.tensor(elements, dtype="float32")
    shape = function(x).shape
    wrong: list[tuple[type[SuanziError], Any]] = [
        (DimensionsMismatchError, suanzi.full((*shape[:-1], shape[-1] + 1), 7.0)),
        (DimensionsMismatchError, suanzi.full((1, *shape), 7.0)),
        (TypeMismatchError, suanzi.full(shape, 7, dtype="int64")),
        (TypeMismatchError, suanzi.ones(shape, dtype="bool")),
    ]
    for error, out in wrong:
        before = out.numpy().copy()
        with pytest.raises(error, match=rf"^{called(name)}: out has "):
            function(x, out=out)
        assert np.array_equal(out.numpy(), before)
    with pytest.raises(suanzi.InvalidArgumentError, match=rf"^{called(name)}: elements of out share memory"):
        function(x, out=suanzi.expand(suanzi.tensor(1.0), shape))
    dense = suanzi.ones(shape)
    for thing in (1.0, np.zeros(shape), (dense, dense), suanzi.to_sparse(dense), suanzi.quantize(dense, 0.1)):
        with fails(TypeMismatchError, called(name)):
            function(x, out=thing)


@NAMES
def test_fusion(name: str) -> None:
    """A fused function writes its result into `out`. Some functions refuse an `out` within a fused function."""
    function, definition, elements, terms = CALLS[name]
    x = suanzi.tensor(elements)
    out = suanzi.zeros(definition(elements).shape, dtype="float64")
    fused: Any = suanzi.fuse(lambda x: function(x) + 1)
    for _ in range(2):
        out[...] = 7.0
        assert fused(x, out=out) is out
        close(out, definition(elements) + 1, "float64", terms)
    writing: Any = suanzi.fuse(lambda x: function(x, out=out))
    if name in BLOCKWISE:
        with pytest.raises(TraceError, match="out is given"):
            writing(x)
    else:
        for _ in range(2):
            out[...] = 7.0
            assert writing(x) is out
            close(out, definition(elements), "float64", terms)


# --- functions with several results, or with results that are not numbers ---


def states(cell: str, x: Array, weights: Array, recurrent: Array) -> list[Array]:
    """Return the states after each step, and the last states, of a layer. Biases and initial states are 0."""
    h = c = np.zeros((x.shape[1], recurrent.shape[1]))
    every = []
    for at in x:
        gates = len(recurrent) // h.shape[1]
        parts = [*zip(np.split(at @ weights.T, gates, 1), np.split(h @ recurrent.T, gates, 1), strict=True)]
        if cell == "rnn":
            h = np.tanh(sum(parts[0]))
        elif cell == "gru":
            reset, update = (logistic(sum(part)) for part in parts[:2])
            h = update * h + (1 - update) * np.tanh(parts[2][0] + reset * parts[2][1])
        else:
            into, forget, output = (logistic(sum(parts[k])) for k in (0, 1, 3))
            c = forget * c + into * np.tanh(sum(parts[2]))
            h = output * np.tanh(c)
        every.append(h)
    return [np.stack(every), h[None], *([c[None]] if cell == "lstm" else [])]


LAYERS = pytest.mark.parametrize("cell", sorted(SEVERAL))


def layer(cell: str, dtype: str) -> tuple[list[Tensor], list[Array]]:
    """Return the operands of a layer, and the layer's results in float64."""
    rows = {"rnn": 4, "gru": 12, "lstm": 16}[cell]
    drawn = np.random.default_rng(5)
    operands = [suanzi.tensor(drawn.normal(0, 0.5, s), dtype=dtype) for s in ((5, 2, 3), (rows, 3), (rows, 4))]
    return operands, states(cell, *[x.numpy().astype(float) for x in operands])


@LAYERS
def test_results_of_layers(cell: str) -> None:
    """The layer rounds each result once, to the type of the tensor in `out`. `initial_h` may be a tensor of `out`."""
    for dtype, wanted in (("float32", "float32"), ("float64", "float64"), ("float16", "float32")):
        operands, exact = layer(cell, dtype)
        out = tuple(suanzi.full(each.shape, 7.0, dtype=wanted) for each in exact)
        assert getattr(nn, cell)(*operands, out=out) is out
        for found, each in zip(out, exact, strict=True):
            np.testing.assert_allclose(found.numpy(), each, atol=1e-14 if dtype == "float64" else 1e-6)
    first = suanzi.zeros((1, 2, 4), dtype="float16")
    listed = getattr(nn, cell)(*operands, initial_h=first, out=[*out[:1], first, *out[2:]])
    assert listed[1] is first
    np.testing.assert_allclose(first.numpy().astype(float), exact[1], atol=2.0**-11)


@LAYERS
def test_refusals_of_layers(cell: str) -> None:
    """All tensors of `out` are checked before the first tensor is changed."""
    function, (operands, exact) = getattr(nn, cell), layer(cell, "float32")

    def out(*last: Any) -> tuple[Any, ...]:
        fitting = [suanzi.full(each.shape, 7.0) for each in exact]
        return (*fitting[: len(fitting) - len(last)], *last)

    shape = exact[-1].shape
    for error, given in (
        (TypeMismatchError, out()[0]),
        (TypeMismatchError, out()[:1]),
        (TypeMismatchError, (*out(), *out())),
        (TypeMismatchError, out(1.0)),
        (TypeMismatchError, out(suanzi.zeros(shape, dtype="int32"))),
        (TypeMismatchError, out(suanzi.to_sparse(suanzi.zeros(shape)))),
        (DimensionsMismatchError, out(suanzi.zeros(shape[1:]))),
        (suanzi.InvalidArgumentError, out(suanzi.expand(suanzi.tensor(0.0), shape))),
    ):
        with pytest.raises(error, match=rf"^nn.{cell}: "):
            function(*operands, out=given)
        if isinstance(given, tuple):
            assert set(given[0].numpy().ravel()) == {7.0}


MAXIMA = pytest.mark.parametrize("name", ["max_pool", "adaptive_max_pool"])


def with_places(name: str, x: Tensor, **given: Any) -> Any:
    size = 2 if name == "max_pool" else (2, 3)
    return getattr(nn, name)(x, size, return_indices=True, **given)


@MAXIMA
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_places(name: str, dtype: str) -> None:
    """A pool that also returns indices writes to two tensors of any layout. The values may overlap the operand."""
    x = suanzi.tensor(np.rint(IMAGES * 4), dtype=dtype)
    numbers = squares(np.broadcast_to(np.arange(24).reshape(4, 6), IMAGES.shape))
    exact = squares(x.numpy().astype(float))
    places = np.take_along_axis(numbers, exact.argmax(-1)[..., None], -1)[..., 0]
    for values, at in (
        (suanzi.zeros((2, 4, 2, 3), dtype=dtype), suanzi.zeros((2, 4, 2, 3), dtype="int64")),
        (suanzi.zeros((2, 4, 2, 3), dtype="float64"), suanzi.zeros((2, 4, 2, 3), dtype="int32")),
        (suanzi.zeros((3, 2, 4, 2), dtype=dtype).T, suanzi.zeros((3, 2, 4, 2), dtype="int64").T),
        (x[:, :, :2, :3], suanzi.zeros((2, 4, 2, 3), dtype="float32")),
    ):
        out = (values, at)
        assert with_places(name, x, out=out) is out
        assert np.array_equal(values.numpy().astype(float), exact.max(-1))
        assert np.array_equal(at.numpy(), places)


@MAXIMA
def test_refusals_of_places(name: str) -> None:
    x, shape = suanzi.tensor(IMAGES, dtype="float32"), (2, 4, 2, 3)
    values, at = suanzi.full(shape, 7.0), suanzi.full(shape, 7, dtype="int64")
    for error, out in (
        (TypeMismatchError, values),
        (TypeMismatchError, (values,)),
        (TypeMismatchError, (values, at, at)),
        (TypeMismatchError, (values, 1)),
        (TypeMismatchError, (values, suanzi.zeros(shape, dtype="bool"))),
        (DimensionsMismatchError, (values, at[:1])),
        (suanzi.InvalidArgumentError, (values, suanzi.expand(at[:1, :1, :1, :1], shape))),
    ):
        with pytest.raises(error, match=rf"^nn.{name}: "):
            with_places(name, x, out=out)
    assert set(values.numpy().ravel()) == {7.0}


def test_one_hot() -> None:
    x = suanzi.tensor([[2, 0], [1, 2]], dtype="int16")
    for dtype in ("int64", "uint8", "float32"):
        out = suanzi.full((2, 2, 3), 7, dtype=dtype)
        assert nn.one_hot(x, out=out) is out
        assert np.array_equal(out.numpy(), np.eye(3)[x.numpy()])
    memory = suanzi.tensor([2, 0, 1, 0, 0, 0, 0, 0, 0, 0], dtype="int64")
    out = suanzi.reshape(memory[1:], (3, 3))
    assert nn.one_hot(memory[:3], out=out).tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    for error, wrong in (
        (DimensionsMismatchError, suanzi.zeros((2, 2, 4), dtype="int64")),
        (TypeMismatchError, suanzi.zeros((2, 2, 3), dtype="bool")),
        (TypeMismatchError, 3),
    ):
        with fails(error, "nn.one_hot"):
            nn.one_hot(x, out=wrong)


def test_elements_that_are_no_numbers() -> None:
    """Functions that move elements, such as `embedding` and `pixel_shuffle`, write strings and bools to `out`, too."""
    words = suanzi.tensor([["a", "b"], ["c", "long enough for the heap"]])
    out = suanzi.empty((2, 2), dtype="string")
    assert nn.embedding(suanzi.tensor([1, 0], dtype="int64"), words, out=out).tolist() == [*reversed(words.tolist())]
    images = suanzi.reshape(words, (1, 4, 1, 1))
    out = suanzi.empty((1, 1, 2, 2), dtype="string")
    assert nn.pixel_shuffle(images, 2, out=out).tolist() == [[words.tolist()]]
    assert nn.pixel_unshuffle(out, 2, out=suanzi.empty((1, 4, 1, 1), dtype="string")).tolist() == images.tolist()
    out = suanzi.empty((1, 4, 1, 2), dtype="string")
    found = nn.grid_sample(images, suanzi.tensor([[[[0.0, 0.0], [9.0, 9.0]]]]), "nearest", out=out)
    assert [row[0] for row in found.tolist()[0]] == [[word, ""] for row in words.tolist() for word in row]
    bits = suanzi.tensor([[True, False], [False, True]])
    for dtype in ("bool", "float32"):
        out = suanzi.zeros((2, 2), dtype=dtype)
        assert nn.embedding(suanzi.tensor([1, 1], dtype="int64"), bits, out=out).tolist() == [[False, True]] * 2


def test_quantized() -> None:
    x = suanzi.quantize(suanzi.tensor(ELEMENTS), 0.1, dtype="qint8")
    out = suanzi.quantize(suanzi.zeros(ELEMENTS.shape), 0.05, dtype="qint8")
    assert nn.relu(x, out=out) is out
    expected = np.clip(np.maximum(x.dequantize().numpy(), 0), None, 0.05 * 127)
    assert np.abs(out.dequantize().numpy() - expected).max() <= 0.026
    with fails(TypeMismatchError, "nn.relu"):
        nn.relu(suanzi.to_sparse(suanzi.tensor(ELEMENTS)), out=suanzi.tensor(ELEMENTS))
    images = suanzi.quantize(suanzi.tensor(IMAGES), 0.1, dtype="qint8")
    for name in ("max_pool", "global_max_pool", "pixel_shuffle"):
        with fails(suanzi.InvalidArgumentError, called(name)):
            CALLS[name].function(images, out=CALLS[name].function(images))
