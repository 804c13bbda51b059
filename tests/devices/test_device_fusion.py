"""Fused functions on devices return the results that the functions return without fusion."""

from __future__ import annotations

from typing import Any

import graphs
import pytest
from formulas import distances, layer_norm, softmax
from placing import GPU, assert_same, here, outcome, sz, there

import suanzi
from elements import elements
from suanzi import Status, nn
from suanzi.fusion.function import FusedFunction


def x_of(*shape: int, seed: int = 1) -> Any:
    return sz.random.Generator(seed).normal(shape)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_functions(first: int) -> None:
    for seed in range(first, first + 20):
        graph = graphs.Graph(seed)
        if not graph.steps:
            continue
        inputs = there(tuple(graph.inputs))
        fused: Any = FusedFunction(graph)
        expected = graph(*inputs)
        for _ in range(2):
            for a, b in zip(fused(*inputs), expected, strict=True):
                assert (a.dtype, a.shape, a.device) == (b.dtype, b.shape, GPU)
                assert elements(a.to_device("cpu")) == elements(b.to_device("cpu")), f"seed {seed}\n{graph.text}"
        assert not fused.explain(*inputs).startswith("not traced")


@pytest.mark.parametrize(("function", "shapes"), [
    (softmax, [(64, 100)]), (softmax, [(3, 5, 400)]), (softmax, [(0, 7)]),
    (layer_norm, [(12, 768), (768,), (768,)]), (layer_norm, [(4, 1, 7), (7,), (1,)]),
    (distances, [(30, 3), (20, 3)]), (distances, [(1, 3), (1, 3)]),
])  # fmt: skip
def test_as_on_the_cpu(function: Any, shapes: list[tuple[int, ...]]) -> None:
    tensors = [x_of(*shape, seed=i + 1) for i, shape in enumerate(shapes)]
    fused: Any = suanzi.fuse(function)
    expected = function(*tensors)
    for _ in range(2):
        assert_same(fused(*tensors), expected)  # the function keeps programs for the CPU and for the device
        assert_same(here(fused(*there(tensors))), expected, ulp=16)


def test_programs_of_devices_are_their_own() -> None:
    fused: Any = suanzi.fuse(lambda x: x * 2 + 1)
    x = x_of(5)
    assert fused(x).device == "cpu"
    assert fused(there(x)).device == GPU
    assert fused(x).device == "cpu"
    assert_same(here(fused(there(x))), x * 2 + 1)


def test_floats_may_change() -> None:
    runs = []

    def function(x: Any, a: float, b: float) -> Any:
        runs.append(a)
        return x * a + (2 * b - a)

    fused: Any = suanzi.fuse(function)
    x = x_of(9)
    for a, b in ((1.5, 2.0), (-0.0, 3.0), (float("inf"), 1.0)):
        assert_same(here(fused(there(x), a, b)), x * a + (2 * b - a))
    assert len(runs) == 1


def test_operators_between_passes() -> None:
    def function(x: Any, y: Any) -> Any:
        z = sz.matmul(sz.abs(x) + 1, y.T)
        return sz.sort(z * 2, axis=0)[1:] - sz.cumulative_sum(z, axis=0)[:-1], z[..., ::-1]

    x, y = x_of(6, 4), x_of(5, 4, seed=2)
    fused: Any = suanzi.fuse(function)
    for _ in range(2):
        for a, b in zip(fused(*there((x, y))), function(*there((x, y))), strict=True):
            assert_same(here(a), here(b))


def test_captured_tensors() -> None:
    constant = there(x_of(4))
    fused: Any = suanzi.fuse(lambda x: sz.exp(x * constant) + constant)
    x = there(x_of(3, 4, seed=2))
    for _ in range(2):
        assert_same(here(fused(x)), here(sz.exp(x * constant) + constant))
    alone: Any = suanzi.fuse(lambda: constant * 2 + 1)
    for _ in range(2):
        assert_same(here(alone()), here(constant * 2 + 1))


def test_tensors_on_two_devices() -> None:
    x, y = x_of(4), there(x_of(4, seed=2))
    fused: Any = suanzi.fuse(lambda x, y: x + y)
    assert outcome(lambda: fused(x, y)) == outcome(lambda: x + y)
    apart: Any = suanzi.fuse(lambda x, y: (x + 1, y + 1))
    for _ in range(2):
        a, b = apart(x, y)
        assert (a.device, b.device) == ("cpu", GPU)
    moves: Any = suanzi.fuse(lambda y: (y * 2).to_device("cpu") + x)
    for _ in range(2):
        assert_same(moves(y), (y * 2).to_device("cpu") + x)
    with pytest.raises(suanzi.InvalidArgumentError, match="operands on"):
        suanzi.fuse(lambda y: y * x)(y)


def test_out() -> None:
    x = there(x_of(3, 4))
    fused: Any = suanzi.fuse(lambda x: (sz.exp(x), sz.sum(x, axis=0)))
    for _ in range(2):
        a, b = sz.zeros((3, 4), device=GPU), sz.zeros(4, dtype="float64", device=GPU)
        assert fused(x, out=(a, b)) == (a, b)
        assert_same(here(a), here(sz.exp(x)))
        assert_same(here(b), here(sz.astype(sz.sum(x, axis=0), "float64")))
    one: Any = suanzi.fuse(lambda x: x + 1)
    for _ in range(2):
        for out, status in (
            (sz.zeros(4, device=GPU), Status.DIMENSIONS_MISMATCH),
            (sz.zeros((3, 4), dtype="int32", device=GPU), Status.TYPE_MISMATCH),
            (sz.zeros((3, 4)), Status.INVALID_ARGUMENT),
            (sz.broadcast_to(sz.zeros(4, device=GPU), (3, 4)), Status.INVALID_ARGUMENT),
        ):
            before = out.tolist()
            found, message = outcome(lambda out=out: one(x, out=out))
            assert found is status
            assert message.startswith("fuse: ")
            assert out.tolist() == before
        with pytest.raises(suanzi.InvalidArgumentError, match="fuse: out is on gpu:0"):
            one(x_of(3, 4), out=sz.zeros((3, 4), device=GPU))


def test_what_a_traced_function_may_not_do() -> None:
    x = there(x_of(4))

    def writes(x: Any) -> Any:
        x[0] = 1
        return x

    for function in (lambda x: x if x.sum() > 0 else -x, lambda x: float(x[0]) + x, writes):
        with pytest.raises(suanzi.TraceError, match="test_device_fusion"):
            suanzi.fuse(function)(x)
    with pytest.raises(suanzi.DimensionsMismatchError):
        suanzi.fuse(lambda x, y: x + y)(x, there(x_of(3)))


def test_creation_inside() -> None:
    def function(x: Any) -> Any:
        return x + sz.arange(4, device=x.device) * sz.ones_like(x) + sz.zeros(4, device=GPU)

    x = there(x_of(4))
    fused: Any = suanzi.fuse(function)
    for _ in range(2):
        assert_same(here(fused(x)), here(function(x)))


@pytest.mark.parametrize("first", ["cpu", GPU])
def test_the_default_device_changes(first: str) -> None:
    """Each default device has its own trace, also if the core recognises the calls of one trace."""
    beside: Any = suanzi.fuse(lambda x: (x * 2, sz.zeros(2)))
    alone: Any = suanzi.fuse(lambda: sz.ones(2) * 3)
    x = x_of(4)
    for default in (first, "cpu", GPU, "cpu", GPU):
        with suanzi.set_default_device(default):
            doubled, zeros = beside(x)
            assert (doubled.device, zeros.device, alone().device) == ("cpu", default, default)
            assert (zeros.tolist(), alone().tolist()) == ([0, 0], [3, 3])


@pytest.mark.parametrize("size", [1e-20, 1.0, 2e19])
def test_squares_that_leave_the_range(size: float) -> None:
    x = there(sz.tensor([[size, 2 * size, 4 * size, 8 * size], [1.0, 2.0, 4.0, 8.0]]))
    fused: Any = suanzi.fuse(lambda x: (nn.layer_norm(x, 4, eps=0.0), nn.rms_norm(x, 4, eps=0.0)))
    layer = [(v - 3.75) / 2.680951323690902 for v in (1, 2, 4, 8)]
    root = [v / 4.6097722286464435 for v in (1, 2, 4, 8)]
    for found in (fused(x), fused(x), (nn.layer_norm(x, 4, eps=0.0), nn.rms_norm(x, 4, eps=0.0))):
        for rows, exact in zip(found, (layer, root), strict=True):
            assert rows.tolist() == [pytest.approx(exact, rel=1e-6)] * 2


def test_orders_of_dimensions() -> None:
    x = sz.tensor(x_of(3, 4, 5), layout=(1, 0, 2))
    fused: Any = suanzi.fuse(lambda x: (sz.exp(x) * 2, x.T + 1, (x + 1)[:, :1] * 2))
    for a, b in zip(fused(there(x)), fused(x), strict=True):
        assert a.layout == b.layout
        assert_same(here(a), b, ulp=4)
