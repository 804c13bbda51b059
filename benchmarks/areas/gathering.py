"""Gathering and scattering by index against NumPy and PyTorch: random indices in one dimension and along each axis."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Call = Callable[[], object]
Calls = dict[str, Call]
TEN_MILLION = 10_000_000


def drawn(shape: tuple[int, ...], limit: int, index_shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Elements, indices below the limit, and as many updates."""
    rng = np.random.default_rng(20251121)
    index = rng.integers(0, limit, index_shape)
    return rng.random(shape, np.float32), index, rng.random(index_shape, np.float32)


def rivals(arrays: tuple[Any, ...], suanzi_call: Any, numpy_call: Any, torch_call: Any) -> Calls:
    """Each call on its own copies of the arrays."""
    ours = [suanzi.tensor(a) for a in arrays]
    theirs = [torch.from_numpy(a.copy()) for a in arrays]
    return {
        "suanzi": lambda: suanzi_call(*ours),
        "numpy": lambda: numpy_call(*arrays),
        "torch": lambda: torch_call(*theirs),
    }


def take(size: int) -> Calls:
    x, index, _ = drawn((size,), size, (size,))
    return rivals((x, index), suanzi.take, np.take, lambda x, i: x.index_select(0, i))


def indexed(size: int) -> Calls:
    x, index, _ = drawn((size,), size, (size,))
    return rivals((x, index), lambda x, i: x[i], lambda x, i: x[i], lambda x, i: x[i])


def assigned(size: int) -> Calls:
    def assign(x: Any, index: Any, updates: Any) -> None:
        x[index] = updates

    return rivals(drawn((size,), size, (size,)), assign, assign, assign)


def masked(size: int) -> Calls:
    x, _, updates = drawn((size,), size, (size,))
    return rivals((x, updates < 0.5), lambda x, m: x[m], lambda x, m: x[m], lambda x, m: x[m])


def scatter(mode: str, combine: Any, reduction: str | None) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        def with_numpy(x: Any, index: Any, updates: Any) -> object:
            result = x.copy()
            if combine is None:
                result[index] = updates
            else:
                combine.at(result, index, updates)
            return result

        def with_torch(x: Any, index: Any, updates: Any) -> object:
            if reduction is None:
                return x.scatter(0, index, updates)
            return x.scatter_reduce(0, index, updates, reduction)

        return rivals(
            drawn((size,), size, (size,)), lambda x, i, u: suanzi.scatter(x, i, u, mode=mode), with_numpy, with_torch
        )

    return make


def rows(axis: int) -> Callable[[int], Calls]:
    """Whole rows or columns of a square."""

    def make(size: int) -> Calls:
        side = isqrt(size)
        x, index, _ = drawn((side, side), side, (side,))
        return rivals(
            (x, index),
            lambda x, i: suanzi.gather(x, i, axis),
            lambda x, i: np.take(x, i, axis),
            lambda x, i: x.index_select(axis, i),
        )

    return make


def along(axis: int) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        side = isqrt(size)
        x, index, _ = drawn((side, side), side, (side, side))
        return rivals(
            (x, index),
            lambda x, i: suanzi.take_along_axis(x, i, axis),
            lambda x, i: np.take_along_axis(x, i, axis),
            lambda x, i: x.gather(axis, i),
        )

    return make


def scatter_along(axis: int) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        def with_numpy(x: Any, index: Any, updates: Any) -> object:
            result = x.copy()
            np.put_along_axis(result, index, updates, axis)
            return result

        side = isqrt(size)
        return rivals(
            drawn((side, side), side, (side, side)),
            lambda x, i, u: suanzi.scatter(x, i, u, axis),
            with_numpy,
            lambda x, i, u: x.scatter(axis, i, u),
        )

    return make


def gather_nd(size: int) -> Calls:
    side = isqrt(size)
    x, index, _ = drawn((side, side), side, (size, 2))
    return rivals((x, index), suanzi.gather_nd, lambda x, i: x[i[:, 0], i[:, 1]], lambda x, i: x[i[:, 0], i[:, 1]])


CASES: list[Comparison] = [
    Comparison("take", take, goals={TEN_MILLION: 0.6}),
    Comparison("take x[index]", indexed, goals={TEN_MILLION: 0.6}),
    Comparison("take x[mask]", masked),
    Comparison("scatter", scatter("update", None, None), goals={TEN_MILLION: 0.6}),
    Comparison("scatter x[index] = y", assigned, goals={TEN_MILLION: 0.6}),
    Comparison("scatter add", scatter("add", np.add, "sum"), goals={TEN_MILLION: 0.6}),
    Comparison("scatter max", scatter("max", np.maximum, "amax"), goals={TEN_MILLION: 0.6}),
    *(
        Comparison(f"{name}, axis {axis}", make(axis))
        for name, make in (("gather", rows), ("take_along_axis", along), ("scatter", scatter_along))
        for axis in (0, 1)
    ),
    Comparison("gather_nd", gather_nd),
]
