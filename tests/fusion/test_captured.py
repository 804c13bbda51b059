"""Tensors that are not arguments: later calls see what the program has written into the tensors since the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import Tensor, nn

X = suanzi.tensor(np.linspace(-2, 3, 12).reshape(3, 4).astype("float32"))

# Functions of an argument `x` and of a matrix `w` that is no argument.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "reduction": lambda x, w: x * w.sum(),
    "function": lambda x, w: x * suanzi.exp(w),
    "beside the tensor": lambda x, w: x * w + suanzi.sum(w, axis=0),
    "operators": lambda x, w: x * -(w * 2 + 1),
    "comparison": lambda x, w: suanzi.where(w > 1, x, 0),
    "product": lambda x, w: x @ (w.T @ w),
    "view": lambda x, w: x * (w[0] * 2),
    "indices": lambda x, w: x * w[[1, 1, 0]],
    "mask": lambda x, w: x * w[w > 1].sum(),
    "sort": lambda x, w: x + suanzi.sort(w, axis=0),
    "list": lambda x, w: suanzi.concat([x, suanzi.concat([w, w])]),
    "formula": lambda x, w: x * suanzi.extras.sigmoid(w),
    "body": lambda x, w: x - suanzi.extras.softmax(w, axis=-1),
    "reduce": lambda x, w: x - suanzi.reduce(w, "max", axis=0),
    "cast": lambda x, w: x * w.astype("int32"),
    "scan": lambda x, w: x + w.cumulative_sum(axis=1),
    "normalisation": lambda x, w: nn.batch_norm(x, w[0], w[1] + 1, w[2], w[0] * 2),
    "result": lambda x, w: (x, w * 2),
    "in place": lambda x, w: _added(w * 2, x),
    "views of results": lambda x, w: x + (w * 2).T.reshape(3, 4),
}


def _added(total: Any, x: Any) -> Any:
    total += x
    return total


def bits(x: Any) -> Any:
    return [bits(item) for item in x] if isinstance(x, tuple) else (x.dtype, x.shape, x.tobytes())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_later_calls_read_the_tensor_anew(name: str) -> None:
    function = FUNCTIONS[name]
    w = suanzi.tensor(np.linspace(0, 2, 12).reshape(3, 4).astype("float32"))
    fused = suanzi.fuse(lambda x: function(x, w))
    for seed in range(4):
        assert bits(fused(X)) == bits(function(X, w))
        w[...] = suanzi.uniform((3, 4), 0.5, 3, seed=seed)
        assert bits(fused(X)) == bits(function(X, w))


def test_methods_read_the_tensors_of_the_object() -> None:
    class Layer:
        def __init__(self) -> None:
            self.scale, self.calls = suanzi.tensor([1.0, 1.0, 1.0, 1.0]), 0

        @suanzi.fuse
        def __call__(self, x: Tensor) -> Tensor:
            self.calls += 1
            return x * self.scale.sum() / suanzi.sqrt(suanzi.square(self.scale) + 1)

    layer = Layer()
    layer(X)
    layer.scale[...] = 5.0
    found = layer(X)
    assert layer.calls == 1
    np.testing.assert_allclose(found.numpy(), X.numpy() * 20 / np.sqrt(26), rtol=1e-6)


def test_a_destroyed_tensor_is_refused_and_its_memory_is_free() -> None:
    x, w = suanzi.ones(1), suanzi.ones(1_000_000)
    fused = suanzi.fuse(lambda x: x * w + 1)
    for _ in range(2):
        fused(x)
    used = suanzi.memory.statistics()["in_use"]
    w.destroy()
    assert used - suanzi.memory.statistics()["in_use"] >= 4_000_000
    with pytest.raises(suanzi.UninitializedObjectError):
        fused(x)


def test_tensors_of_the_function_itself_are_constants() -> None:
    calls = []

    def function(x: Tensor) -> Tensor:
        calls.append(1)
        return x * suanzi.exp(suanzi.arange(4, dtype="float32")) + suanzi.zeros(4).sum()

    fused = suanzi.fuse(function)
    assert bits(fused(X)) == bits(function(X))
    assert "exp" not in fused.explain(X)
    assert bits(fused(X)) == bits(function(X))
    assert len(calls) == 3


def test_numbers_that_the_function_reads_are_constants() -> None:
    """A function may read Python's numbers from tensors that do not depend on an argument."""
    w = suanzi.tensor([1.0, 2.0, 3.0, 4.0])
    for read in (
        lambda: float(w.sum()),
        lambda: int(suanzi.max(w)),
        lambda: (w * 2).tolist()[1],
        lambda: np.asarray(w + 1).sum(),
        lambda: 2.0 if suanzi.any(w > 3) else 3.0,
        lambda: float(suanzi.array_equal(w, w)),
        lambda: (w * 2).sum().item(),
    ):
        fused = suanzi.fuse(lambda x: x * read())  # noqa: B023
        assert bits(fused(X)) == bits(X * read())
        assert "not traced" not in fused.explain(X)


def test_functions_that_cannot_be_recorded_run_as_they_are() -> None:
    w = suanzi.tensor([1.0, 2.0, 3.0, 4.0])

    def function(x: Tensor) -> Tensor:
        total = suanzi.zeros(4)
        suanzi.add(w, w, out=total)
        return x * total

    fused = suanzi.fuse(function)
    for _ in range(2):
        assert bits(fused(X)) == bits(function(X))
        w[...] = 3.0
    with pytest.raises(suanzi.TraceError):  # the values of an argument
        suanzi.fuse(lambda x: x * float(x.sum()) * w.sum())(X)
