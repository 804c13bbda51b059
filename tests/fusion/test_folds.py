"""Fused reductions of computed values return the same bits as separate operators, and do not store computed values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi

REDUCTIONS = ("sum", "prod", "mean", "max", "min", "all", "any", "var", "std", "norm1", "norm2", "logsumexp")
ORDERED = {"max", "min", "logsumexp"}  # complex numbers have no order
# Shapes and axes for each path through the kernels: all elements, whole rows, long rows, columns, few columns,
# dimensions in the middle, and axes that are not neighbours.
FOLDED = (
    ((70_001,), None),
    ((301, 400), None),
    ((401, 300), 1),
    ((7, 20_000), -1),
    ((2100, 61), 0),
    ((9001, 13), 0),
    ((40, 51, 60), 1),
    ((40, 51, 60), (0, 1)),
    ((40, 51, 60), (1, 2)),
    ((40, 51, 60), (0, 2)),
    ((11, 12, 13, 40), (0, 2)),
    ((5, 9000, 3), 1),
    ((40_000, 1), 0),
    ((1, 40_000), 1),
    ((0, 5), 0),
    ((3, 1, 20_001), (0, 2)),
)


def bits(x: suanzi.Tensor) -> bytes:
    return x.numpy().tobytes()


def operand(shape: tuple[int, ...], dtype: str) -> suanzi.Tensor:
    numbers = np.random.default_rng(3).normal(0, 2, shape)
    if dtype.startswith("u"):
        numbers = np.abs(numbers)
    if dtype.startswith(("float", "bfloat", "complex")) and numbers.size > 9:
        numbers.reshape(-1)[[3, numbers.size // 2]] = np.inf, -0.0
    return suanzi.astype(suanzi.tensor(numbers), dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "uint8", "int32", "int64", "complex64"])
@pytest.mark.parametrize(("shape", "axis"), FOLDED)
def test_all_reductions(shape: tuple[int, ...], axis: Any, dtype: str) -> None:
    x = operand(shape, dtype)
    column = x[..., :1]
    for name in REDUCTIONS:
        if (dtype == "complex64" and name in ORDERED) or (x.size == 0 and name in ("max", "min")):
            continue
        reduction = getattr(suanzi, name)

        def folded(x: Any, column: Any, reduction: Callable[..., Any] = reduction) -> Any:
            return reduction(x * 3 + column, axis=axis)

        fused = suanzi.fuse(folded)
        assert bits(fused(x, column)) == bits(folded(x, column)), name
        assert bits(fused(x, column)) == bits(folded(x, column)), name


@pytest.mark.parametrize("name", ["sum", "var", "logsumexp", "norm2"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("row", [8193, 20_000, 32_768, 40_001])
def test_long_rows_by_blocks(row: int, dtype: str, name: str) -> None:
    """Fused reductions of rows that fill a block or several blocks return the same bits as separate operators."""
    reduction = getattr(suanzi, name)

    def scaled(x: Any) -> Any:
        return (x * 2 - reduction(x * 2, axis=-1, keepdims=True)) * reduction(suanzi.sin(x) * x, axis=-1, keepdims=True)

    x = operand((5, row), dtype)
    assert bits(suanzi.fuse(scaled)(x)) == bits(scaled(x))


def forces(x: Any, m: Any) -> Any:
    d = x[None, :, :] - x[:, None, :]
    squares = suanzi.sum(d * d, axis=-1, keepdims=True) + 0.01
    return suanzi.sum(m[None, :, None] / (squares * suanzi.sqrt(squares)) * d, axis=1)


def normal_columns(x: Any) -> Any:
    return (x - suanzi.mean(x, axis=1, keepdims=True)) / suanzi.std(x, axis=1, keepdims=True)


def weighed(x: Any, m: Any) -> Any:
    """Use a computed vector `w` in a reduction along rows, and add `w` to the reduction's result."""
    w = suanzi.exp(m)
    return suanzi.sum(suanzi.sum(x, axis=-1) * w, axis=-1) + w


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (forces, [(300, 3), (300,)]),
        (normal_columns, [(30, 200, 5)]),
        (normal_columns, [(3, 1, 5)]),
        (weighed, [(40, 40, 40), (40,)]),
        (lambda x, y: (suanzi.sum(x, axis=1), suanzi.max(y - 1, axis=-1)), [(50, 60), (50, 7)]),
        (lambda x, y: suanzi.sum(suanzi.exp(x) * suanzi.max(y, axis=1), axis=0), [(300, 40), (40, 30)]),
    ],
)
def test_reductions_of_several_shapes(function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> None:
    operands = [operand(shape, "float32")[...] for shape in shapes]
    fused, eager = suanzi.fuse(function)(*operands), function(*operands)
    for a, b in zip(fused, eager, strict=True) if isinstance(eager, tuple) else [(fused, eager)]:
        assert bits(a) == bits(b)


@pytest.mark.parametrize("coordinates", [1, 2, 3, 4, 7, 8])
def test_distances_of_points(coordinates: int) -> None:
    """Distances of points with few coordinates equal NumPy's results, though a tile may begin and end within a row."""
    x, y = (np.random.default_rng(count).normal(0, 2, (count, coordinates)).astype("f4") for count in (301, 773))
    function = suanzi.fuse(lambda x, y: suanzi.sum(suanzi.square(x[:, None] - y[None]), axis=-1))
    squares = np.square(x[:, None] - y[None]).astype("f8")
    expected = squares[..., 0]
    for i in range(1, coordinates):
        expected = expected + squares[..., i]
    np.testing.assert_array_equal(function(suanzi.tensor(x), suanzi.tensor(y)), expected.astype("f4"))
    np.testing.assert_array_equal(suanzi.tensor(x)[:, None] - suanzi.tensor(y), x[:, None] - y)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, y: suanzi.sum(suanzi.exp(x[:, None] - y[None, :])), [(5000,), (5000,)]),
        (lambda x, y: suanzi.mean(suanzi.abs(x[:, None] - y[None, :]), axis=0), [(5000,), (5000,)]),
        (forces, [(3000, 3), (3000,)]),
    ],
)
def test_no_product_in_memory(function: Callable[..., Any], shapes: list[tuple[int, ...]]) -> None:
    operands = [suanzi.zeros(shape) for shape in shapes]
    fused = suanzi.fuse(function)
    suanzi._core.reset_peak()
    before = suanzi._core.memory_statistics()["in_use"]
    fused(*operands)
    peak = suanzi._core.memory_statistics()["peak"] - before
    assert peak < sum(x.nbytes for x in operands) + suanzi.get_num_threads() * 2 * 2**20
