"""Attention returns the same results as loops over single scores in float64, within rounding errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    TypeMismatchError,
    get_num_threads,
    nn,
    set_num_threads,
)
from suanzi.nn.attention import attend

Array = np.ndarray[Any, Any]
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-20, "float64": 2.0**-49}
attention = nn.scaled_dot_product_attention


def loops(
    q: Array, k: Array, v: Array, mask: Array | None, scale: float, cap: float, seen: Any = lambda b, i, j: True
) -> Array:
    """Compute attention of operands with four dimensions in a loop over the single scores."""
    batch, heads, rows, _ = q.shape
    group, keys = max(heads // max(k.shape[1], 1), 1), k.shape[2]
    result = np.zeros((batch, heads, rows, v.shape[3]))
    for b, h, i in np.ndindex(batch, heads, rows):
        scores = []
        for j in range(keys):
            s = float(q[b, h, i].astype("d") @ k[b, h // group, j].astype("d")) * scale
            s = cap * math.tanh(s / cap) if cap else s
            if mask is not None:
                value = mask[b, h, i, j]
                s = (s if value else -math.inf) if mask.dtype == bool else s + float(value)
            scores.append(s if seen(b, i, j) else -math.inf)
        greatest = max(scores, default=-math.inf)
        if greatest > -math.inf:
            weights = [math.exp(s - greatest) for s in scores]
            total = math.fsum(weights)
            for j, weight in enumerate(weights):
                result[b, h, i] += weight / total * v[b, h // group, j].astype("d")
    return result


def drawn(rng: Any, shape: tuple[int, ...], name: str) -> Array:
    return np.asarray(rng.normal(size=shape).astype(suanzi.as_dtype(name).numpy))


@st.composite
def calls(draw: Any) -> Any:
    name = draw(st.sampled_from(sorted(EPSILON)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    batch, groups, repeats = draw(st.sampled_from([(1, 1, 1), (2, 3, 1), (2, 1, 4), (1, 2, 3), (0, 1, 1), (2, 2, 2)]))
    rows, keys = draw(st.sampled_from([(1, 1), (1, 9), (5, 5), (3, 7), (4, 2), (0, 3), (3, 0), (20, 33)]))
    size, width = draw(st.sampled_from([(1, 1), (4, 3), (8, 8), (5, 0), (0, 4)]))
    q = drawn(rng, (batch, groups * repeats, rows, size), name)
    k, v = drawn(rng, (batch, groups, keys, size), name), drawn(rng, (batch, groups, keys, width), name)
    mask: Any = None
    kind = draw(st.sampled_from(["none", "bool", "numbers"]))
    if kind != "none":
        whole = (batch, groups * repeats, rows, keys)
        shape = tuple(1 if draw(st.booleans()) else n for n in whole)[draw(st.integers(0, 3)) :]
        mask = rng.random(shape) > 0.4 if kind == "bool" else drawn(rng, shape, name)
        if kind == "numbers" and mask.size and draw(st.booleans()):
            mask[rng.random(shape) > 0.5] = -math.inf
    return name, q, k, v, mask


@given(calls(), st.sampled_from([None, 0.3]), st.sampled_from([0.0, 2.0]), st.booleans(), st.integers(-3, 5))
def test_against_loops(call: Any, scale: float | None, cap: float, causal: bool, past: int) -> None:
    name, q, k, v, mask = call
    whole = None if mask is None else np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    factor = scale if scale is not None else 1 / math.sqrt(q.shape[3] or 1)
    exact = loops(q, k, v, whole, factor, cap, lambda b, i, j: not causal or j <= i + past)
    tensors = [
        None if a is None else suanzi.tensor(a, dtype=None if a.dtype == bool else name) for a in (q, k, v, mask)
    ]
    found = attention(*tensors, causal, scale, softcap=cap, past=past)  # type: ignore[arg-type]
    assert found.dtype is suanzi.as_dtype(name)
    assert found.shape == exact.shape
    if exact.size:
        np.testing.assert_allclose(found.numpy().astype("d"), exact, rtol=0, atol=8 * EPSILON[name])


@given(st.data())
def test_windows_offsets_and_lengths(data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    batch, rows, keys = 3, data.draw(st.integers(1, 6)), data.draw(st.integers(1, 12))
    q, k, v = (drawn(rng, (batch, 2, n, 4), "float32") for n in (rows, keys, keys))
    offsets = [data.draw(st.integers(-4, 12)) for _ in range(batch)]
    lengths = [data.draw(st.integers(0, keys + 1)) for _ in range(batch)] if data.draw(st.booleans()) else None
    before, after = (data.draw(st.sampled_from([None, 0, 1, 3, 2**62])) for _ in range(2))
    mask = drawn(rng, (2, rows, keys), "float32") if data.draw(st.booleans()) else None

    def seen(b: int, i: int, j: int) -> bool:
        place = i + offsets[b]
        is_near = (before is None or j >= place - before) and (after is None or j <= place + after)
        return is_near and (lengths is None or j < lengths[b])

    whole = None if mask is None else np.broadcast_to(mask, (batch, 2, rows, keys))
    exact = loops(q, k, v, whole, 0.5, 0.0, seen)
    tensors = [None if a is None else suanzi.tensor(a) for a in (q, k, v, mask)]
    options: Any = {"offset": offsets, "window": (before, after), "lengths": lengths, "scale": 0.5, "softcap": 0.0}
    found = attend(*tensors, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.numpy(), exact, rtol=0, atol=2e-6)
    swapped = attend(*tensors, rows_first=True, **options)  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.swapaxes(swapped.numpy(), 1, 2), found.numpy())


def test_many_rows_are_computed_in_tiles() -> None:
    rng = np.random.default_rng(2)
    q, k, v = (drawn(rng, (1, 2, n, 16), "float64") for n in (700, 900, 900))
    scores = np.einsum("bhie,bhje->bhij", q, k) / 4
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    exact = weights / weights.sum(-1, keepdims=True) @ v
    found = attention(*(suanzi.tensor(a) for a in (q, k, v)))
    np.testing.assert_allclose(found.numpy(), exact, rtol=0, atol=1e-13)


def test_the_scores_are_never_in_memory() -> None:
    x = suanzi.ones((1, 1, 20000, 8))  # the scores would take 1.6 GB
    suanzi.memory.set_limit(512 * 2**20)
    try:
        assert attention(x, x, x).numpy().min() == pytest.approx(1)
    finally:
        suanzi.memory.set_limit(0)


def test_threads_change_no_bit() -> None:
    rng, before = np.random.default_rng(3), get_num_threads()
    operands = [suanzi.tensor(drawn(rng, (2, 4, n, 32), "float32")) for n in (300, 333, 333)]
    results = []
    try:
        for threads in (1, 2, 5):
            set_num_threads(threads)
            results.append(attention(*operands, is_causal=True).numpy().tobytes())
    finally:
        set_num_threads(before)
    assert results == results[:1] * 3


def test_ranks_and_layouts() -> None:
    rng = np.random.default_rng(4)
    q, k, v = (suanzi.tensor(drawn(rng, (2, n, 3, 8), "float32")) for n in (5, 6, 6))
    heads = [suanzi.swapaxes(x, 1, 2) for x in (q, k, v)]  # in models the axis of rows precedes the axis of heads
    whole = attention(*heads)
    copies = [suanzi.tensor(x.numpy().copy()) for x in heads]
    np.testing.assert_allclose(whole.numpy(), attention(*copies).numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(attention(*(x[0] for x in heads)).numpy(), whole[0].numpy(), rtol=0, atol=1e-6)
    one = attention(*(x[0, 1] for x in heads))
    assert one.shape == (5, 8)
    np.testing.assert_allclose(one.numpy(), whole[0, 1].numpy(), rtol=0, atol=1e-6)
    five = attention(*(suanzi.stack([x, x]) for x in heads))
    np.testing.assert_allclose(five[1].numpy(), whole.numpy(), rtol=0, atol=1e-6)
    shared = attention(heads[0], heads[1][:1], heads[2][:1])
    np.testing.assert_allclose(shared[0].numpy(), whole[0].numpy(), rtol=0, atol=1e-6)


def test_special_values() -> None:
    one = suanzi.ones((1, 1, 2, 1))
    none = suanzi.zeros((2, 2), dtype="bool")
    assert attention(one, one, one, none).tolist() == [[[[0], [0]]]]
    assert attention(one, one, one, suanzi.full((2, 2), -math.inf)).tolist() == [[[[0], [0]]]]
    bad = suanzi.tensor([[[[math.nan], [1.0]]]])
    assert [math.isnan(x[0]) for x in attention(bad, one, one)[0, 0].tolist()] == [True, False]  # type: ignore[index, union-attr]
    large = suanzi.tensor([[[[3e38], [1.0]]]])
    assert attention(large, one, one, scale=1.0).tolist() == [[[[1], [1]]]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_bounds_of_any_size(dtype: str) -> None:
    query, value = suanzi.tensor(np.eye(2), dtype=dtype), suanzi.tensor([[1, 3], [3, 1]], dtype=dtype)
    free = nn.scaled_dot_product_attention(query, query, value).numpy()
    for softcap in (1e30, 1e39, 1e300, math.inf):
        found = nn.scaled_dot_product_attention(query, query, value, softcap=softcap)
        np.testing.assert_allclose(found.numpy(), free, rtol=1e-3 if dtype == "float16" else 1e-6)
    for softcap in (1e-30, 1e-46, 5e-324):
        assert nn.scaled_dot_product_attention(query, query, value, softcap=softcap).tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("count", [2, 64, 300, 700])
def test_values_that_no_query_sees(count: int, number: float) -> None:
    value = np.ones((count, 3), np.float32)
    value[-1, 1] = number
    zeros = suanzi.zeros((count, 4))
    found = nn.scaled_dot_product_attention(zeros, zeros, suanzi.tensor(value), is_causal=True).numpy()
    assert (found[:-1] == 1).all()
    np.testing.assert_array_equal(found[-1], [1, number, 1])


@pytest.mark.parametrize(("dtype", "number"), [("float32", 3e38), ("float64", 1.7e308)])
def test_sums_that_overflow_have_finite_means(dtype: str, number: float) -> None:
    zeros = suanzi.zeros((1, 5, 4), dtype=dtype)
    value = suanzi.full((1, 5, 3), number, dtype=dtype)
    value[..., 1] = 2.0
    value[0, 4, 2] = math.inf
    for is_causal in (False, True):
        found = nn.scaled_dot_product_attention(zeros, zeros, value, is_causal=is_causal).numpy()[0]
        np.testing.assert_allclose(found[:, 0], number, rtol=1e-6)
        np.testing.assert_array_equal(found[:, 1], 2.0)
        np.testing.assert_array_equal(np.isinf(found[:, 2]), [not is_causal] * 4 + [True])


def test_errors() -> None:
    name, x = "nn.scaled_dot_product_attention", suanzi.ones((1, 4, 5, 8))
    for wrong, error in (
        ((x, x[:, :3], x[:, :3]), DimensionsMismatchError), ((x, x[..., :4], x), DimensionsMismatchError),
        ((x, x[:, :, :2], x), DimensionsMismatchError), ((x, x, suanzi.ones((8,))), DimensionsMismatchError),
        ((x, x, suanzi.ones((3, 4, 5, 8))[:2]), None), ((suanzi.ones((2, 8), dtype="int32"), x, x), TypeMismatchError),
        ((x, x, x, suanzi.ones((5, 5), dtype="int32")), TypeMismatchError), ((1.0, x, x), TypeMismatchError),
        ((x, x, x, suanzi.ones((4, 5))), DimensionsMismatchError),
    ):  # fmt: skip
        if error is None:
            assert attention(*wrong).shape == (2, 4, 5, 8)  # type: ignore[arg-type]
            continue
        with fails(error, name):
            attention(*wrong)  # type: ignore[arg-type]
    for option, error in (
        ({"softcap": -1.0}, InvalidArgumentError), ({"softcap": math.nan}, InvalidArgumentError),
        ({"scale": "a"}, TypeMismatchError), ({"is_causal": 1}, TypeMismatchError), ({"past": 0.5}, TypeMismatchError),
    ):  # fmt: skip
        with fails(error, name):
            attention(x, x, x, **option)  # type: ignore[arg-type]
    for past in (2**63 - 1, -(2**63)):
        assert attention(x, x, x, is_causal=True, past=past).numpy().max() == (1 if past > 0 else 0)


def test_in_a_fused_function() -> None:
    x = suanzi.tensor(drawn(np.random.default_rng(5), (1, 2, 6, 8), "float32"))

    def function(x: suanzi.Tensor) -> suanzi.Tensor:
        return attention(x * 2, x, x) + 1

    np.testing.assert_array_equal(suanzi.fuse(function)(x).numpy(), function(x).numpy())
