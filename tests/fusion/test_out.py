"""Fused functions accept the parameter `out`, and write results to existing tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from formulas import softmax

import suanzi
from suanzi import Tensor, TraceError
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError


def x_of(*shape: int) -> Tensor:
    return suanzi.normal(shape=shape, seed=3)


def parts(x: Any, y: Any) -> Any:
    return {"sum": x + y, "norms": (suanzi.norm2(x, axis=0), suanzi.sort(x * y))}


@pytest.mark.parametrize("times", [1, 3])
def test_a_result(times: int) -> None:
    x, out = x_of(300, 400), suanzi.zeros((300, 400))
    fused = suanzi.fuse(softmax)
    for _ in range(times):
        out[...] = 0
        assert fused(x, out=out) is out  # type: ignore[call-arg]
        assert suanzi.array_equal(out, softmax(x))


def test_no_memory_beside_it() -> None:
    x, out = suanzi.zeros((2000, 2000)), suanzi.zeros((2000, 2000))
    fused = suanzi.fuse(softmax)
    fused(x)
    suanzi._core.reset_peak()
    before = suanzi._core.memory_statistics()["in_use"]
    fused(x, out=out)  # type: ignore[call-arg]
    assert suanzi._core.memory_statistics()["peak"] - before < suanzi.get_num_threads() * 2 * 2**20


@pytest.mark.parametrize("times", [1, 2])
def test_several_results(times: int) -> None:
    x, y = x_of(20, 30), x_of(20, 30)
    out = {"sum": suanzi.zeros((20, 30)), "norms": (suanzi.zeros(30), suanzi.zeros((20, 30), dtype="float64"))}
    fused, eager = suanzi.fuse(parts), parts(x, y)
    for _ in range(times):
        assert fused(x, y, out=out) is out  # type: ignore[call-arg]
    assert suanzi.array_equal(out["sum"], eager["sum"])  # type: ignore[arg-type]
    for a, b in zip(out["norms"], eager["norms"], strict=True):
        assert suanzi.array_equal(a, b)


def test_an_operand_may_be_one() -> None:
    fused = suanzi.fuse(lambda x, y: (x + y, x - y))
    x, y = x_of(50, 60), x_of(50, 60)
    total, difference = x + y, x - y
    for _ in range(2):
        a, b = suanzi.clone(x), suanzi.clone(y)
        fused(a, b, out=(b, a))  # type: ignore[call-arg]
        assert suanzi.array_equal(b, total)
        assert suanzi.array_equal(a, difference)


def test_an_operand_that_is_a_result() -> None:
    fused = suanzi.fuse(lambda x: (x + 1, x))
    for _ in range(2):
        x, other = x_of(7), suanzi.zeros(7)
        before = suanzi.clone(x)
        fused(x, out=(x, other))  # type: ignore[call-arg]
        assert suanzi.array_equal(x, before + 1)
        assert suanzi.array_equal(other, before)


def test_overlapping_views() -> None:
    fused = suanzi.fuse(lambda x: x * 2 + 1)
    memory = x_of(101)
    wanted = memory[:-1] * 2 + 1
    fused(memory[:-1])
    fused(memory[:-1], out=memory[1:])  # type: ignore[call-arg]
    assert suanzi.array_equal(memory[1:], wanted)


def test_a_tensor_that_is_returned_twice() -> None:
    def twice(x: Any) -> Any:
        y = suanzi.abs(x)
        return y, y

    def sums(x: Any) -> Any:
        s = suanzi.sum(x, keepdims=True)
        return x + s, s, x - s, s

    x = suanzi.tensor([-1.0, 2.0, -3.0])
    fused, fused_sums = suanzi.fuse(twice), suanzi.fuse(sums)
    for _ in range(3):
        a, b = suanzi.zeros(3), suanzi.zeros(3)
        fused(x, out=(a, b))  # type: ignore[call-arg]
        assert a.tolist() == b.tolist() == [1, 2, 3]
        memory = suanzi.tensor([-1.0, 2.0, -3.0, 0.0])
        fused(memory[:3], out=(memory[1:], memory[:3]))  # type: ignore[call-arg]
        assert memory.tolist() == [1, 2, 3, 3]
        out = suanzi.zeros(3), suanzi.zeros(1), suanzi.zeros(3), suanzi.zeros(1)
        fused_sums(x, out=out)  # type: ignore[call-arg]
        assert [place.tolist() for place in out] == [[-3, 0, -5], [-2], [1, 4, -1], [-2]]


def test_other_strides_do_not_change_sums() -> None:
    def function(x: Any) -> Any:
        y = x * 1.7
        return y, suanzi.sum(y, axis=-1)

    x = suanzi.normal(shape=(40, 5000), seed=1)
    fused = suanzi.fuse(function)
    fused(x)
    out = suanzi.zeros((5000, 40)).T, suanzi.zeros(40)
    fused(x, out=out)  # type: ignore[call-arg]
    for a, b in zip(out, function(x), strict=True):
        assert suanzi.array_equal(a, b)


@pytest.mark.parametrize("traced", [False, True])
def test_refusals_change_nothing(traced: bool) -> None:
    x, fused = x_of(4, 5), suanzi.fuse(lambda x: (x + 1, suanzi.sum(x, axis=0)))
    if traced:
        fused(x)
    first = suanzi.zeros((4, 5))
    for wrong, error in (
        ((first, suanzi.zeros(4)), DimensionsMismatchError),
        ((first, suanzi.zeros(5, dtype="int32")), TypeMismatchError),
        ((first,), TypeMismatchError),
        ((first, suanzi.expand(suanzi.zeros(1), (5,))), InvalidArgumentError),
    ):
        with pytest.raises(error, match="fuse: "):
            fused(x, out=wrong)  # type: ignore[call-arg]
        assert not suanzi.any(first)


def test_a_parameter_of_the_function() -> None:
    """If the function to be fused itself has a parameter `out`, a write to `out` raises a TraceError."""

    def own(x: Any, out: Any) -> Any:
        return suanzi.add(x, 1, out=out)

    with pytest.raises(
        TraceError, match=r"out is given, .*; fuse a function without out, as in fuse\(lambda x: f\(x\)\)"
    ):
        suanzi.fuse(own)(x_of(3), out=suanzi.zeros(3))
    for function in (suanzi.exp, suanzi.nn.sigmoid):
        with pytest.raises(TraceError, match="fuse a function without out"):
            suanzi.fuse(function)(x_of(3), out=suanzi.zeros(3))


def test_within_another() -> None:
    inner = suanzi.fuse(lambda x: x + 1)

    @suanzi.fuse
    def outer(x: Any) -> Any:
        return inner(x, out=x)  # type: ignore[call-arg]

    with pytest.raises(TraceError, match="out is given"):
        outer(x_of(3))


def test_arrays_that_overlap() -> None:
    """`out` and an operand have storages of their own on the memory of one array."""
    fused = suanzi.fuse(lambda x: x * 2)
    array = np.arange(3200.0)
    expected = array[:2400] * 2
    x, out = suanzi.from_reference(array[:2400]), suanzi.from_reference(array[800:])
    fused(x)
    fused(x, out=out)  # type: ignore[call-arg]
    np.testing.assert_array_equal(array[800:], expected)
    np.testing.assert_array_equal(array[:800], np.arange(800.0))


def test_results_of_another_size_than_in_the_first_call() -> None:
    x = suanzi.tensor([1.0, 2.0, 3.0])
    fused = suanzi.fuse(lambda x, mask: x[mask] * 2)
    fused(x, x > 2)
    out = suanzi.zeros(2)
    assert fused(x, x > 1, out=out) is out  # type: ignore[call-arg]
    assert out.tolist() == [4, 6]
    with pytest.raises(DimensionsMismatchError, match=r"out has shape \(2,\), but the result has shape \(3,\)"):
        fused(x, x > 0, out=out)  # type: ignore[call-arg]
