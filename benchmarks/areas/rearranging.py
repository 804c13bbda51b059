"""Joining and rearranging: what copies, with flips made contiguous and transposes copied, and what gives views.

The peers make views too where they can; torch.flip copies always.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import SIZES, Comparison

Calls = dict[str, Callable[[], object]]
LARGE = SIZES[-1]


def rivals(a: Any) -> tuple[suanzi.Tensor, Any, torch.Tensor]:
    return suanzi.tensor(a), a, torch.from_numpy(a.copy())


def vector(size: int) -> tuple[suanzi.Tensor, Any, torch.Tensor]:
    return rivals(np.arange(size, dtype=np.float32))


def halves(size: int) -> tuple[suanzi.Tensor, Any, torch.Tensor]:
    return vector(size // 2)


def square(size: int, dtype: str = "float32") -> tuple[suanzi.Tensor, Any, torch.Tensor]:
    side = isqrt(size)
    return rivals(np.ones((side, side), dtype))


def case(
    name: str,
    make: Callable[[int], tuple[Any, Any, Any]],
    ours: Callable[[Any], object],
    numpy: Callable[[Any], object],
    pytorch: Callable[[Any], object] | None = None,
    goal: float | None = None,
    dtype: str = "float32",
) -> Comparison:
    """Three functions of one operand each, on the operands that `make` gives for a size."""

    def calls(size: int) -> Calls:
        x, a, t = make(size)
        found: Calls = {"suanzi": lambda: ours(x), "numpy": lambda: numpy(a)}
        return found | ({"torch": lambda: pytorch(t)} if pytorch else {})

    return Comparison(name, calls, dtype, goals={LARGE: goal} if goal else {})


def along(axis: int) -> list[Comparison]:
    """The cases of a matrix along one axis."""
    end = [(0, 0), (0, 0)]
    end[axis] = (3, 3)
    torch_end = (3, 3, 0, 0) if axis == 1 else (0, 0, 3, 3)

    def named(operator: str) -> str:
        return f"{operator} of a matrix, axis {axis}"

    return [
        case(
            named("concat"), square, lambda x: suanzi.concat([x, x], axis), lambda a: np.concatenate([a, a], axis),
            lambda t: torch.cat([t, t], axis), 0.6,
        ),
        case(
            named("stack"), square, lambda x: suanzi.stack([x, x], axis), lambda a: np.stack([a, a], axis),
            lambda t: torch.stack([t, t], axis),
        ),
        case(
            named("roll"), square, lambda x: suanzi.roll(x, 3, axis), lambda a: np.roll(a, 3, axis),
            lambda t: torch.roll(t, 3, axis), 0.6,
        ),
        case(
            named("repeat"), square, lambda x: suanzi.repeat(x, 2, axis), lambda a: np.repeat(a, 2, axis),
            lambda t: t.repeat_interleave(2, axis),
        ),
        case(
            named("pad"), square, lambda x: suanzi.pad(x, end), lambda a: np.pad(a, end),
            lambda t: torch.nn.functional.pad(t, torch_end), 0.6,
        ),
        case(
            named("flip (made contiguous)"), square, lambda x: suanzi.contiguous(suanzi.flip(x, axis)),
            lambda a: np.ascontiguousarray(np.flip(a, axis)), lambda t: torch.flip(t, (axis,)), 0.6,
        ),
        case(
            named("unstack"), lambda size: rivals(np.ones((100, 100), np.float32)), lambda x: suanzi.unstack(x, axis),
            lambda a: list(np.moveaxis(a, axis, 0)), lambda t: torch.unbind(t, axis),
        ),
    ]  # fmt: skip


def transposed(dtype: str) -> Comparison:
    return case(
        "contiguous (transposed matrix)", lambda size: square(size, dtype), lambda x: suanzi.contiguous(x.T),
        lambda a: np.ascontiguousarray(a.T), lambda t: t.T.contiguous(), dtype=dtype,
    )  # fmt: skip


def counted(size: int, *, at_random: bool) -> tuple[Any, Any, Any]:
    """A vector and how often each of its elements is repeated: 0 to 3 times, in turn or at random."""
    x, a, t = halves(size)
    counts = np.random.default_rng(20251121).integers(0, 4, a.size) if at_random else np.arange(a.size) % 4
    return (x, suanzi.tensor(counts)), (a, counts), (t, torch.from_numpy(counts))


CASES = [
    case(
        "concat", halves, lambda x: suanzi.concat([x, x]), lambda a: np.concatenate([a, a]),
        lambda t: torch.cat([t, t]), 0.6,
    ),
    case("stack", halves, lambda x: suanzi.stack([x, x]), lambda a: np.stack([a, a]), lambda t: torch.stack([t, t])),
    case("tile", halves, lambda x: suanzi.tile(x, 2), lambda a: np.tile(a, 2), lambda t: t.tile(2)),
    case("repeat", halves, lambda x: suanzi.repeat(x, 2), lambda a: np.repeat(a, 2), lambda t: t.repeat_interleave(2)),
    *(
        case(
            f"repeat (each its own count, {order})", partial(counted, at_random=order == "at random"),
            lambda x: suanzi.repeat(*x), lambda a: np.repeat(*a), lambda t: torch.repeat_interleave(*t),
        )
        for order in ("in turn", "at random")
    ),
    case(
        "pad", vector, lambda x: suanzi.pad(x, 3), lambda a: np.pad(a, 3),
        lambda t: torch.nn.functional.pad(t, (3, 3)), 0.6,
    ),
    case(
        "pad (reflect)", square, lambda x: suanzi.pad(x, 3, "reflect"), lambda a: np.pad(a, 3, "reflect"),
        lambda t: torch.nn.functional.pad(t[None], (3, 3, 3, 3), "reflect"), 0.6,
    ),
    case("roll", vector, lambda x: suanzi.roll(x, 3), lambda a: np.roll(a, 3), lambda t: torch.roll(t, 3), 0.6),
    case("flip", vector, suanzi.flip, np.flip, lambda t: torch.flip(t, (0,)), 0.6),
    case(
        "flip (made contiguous)", vector, lambda x: suanzi.contiguous(suanzi.flip(x)),
        lambda a: np.ascontiguousarray(np.flip(a)), lambda t: torch.flip(t, (0,)), 0.6,
    ),
    case("split", vector, lambda x: suanzi.split(x, 4), lambda a: np.split(a, 4), lambda t: torch.tensor_split(t, 4)),
    # The peers have these two as syntax only, which saves the call of a function.
    case("slice", vector, lambda x: suanzi.slice(x, 1, -1, 2), lambda a: a[1:-1:2], lambda t: t[1:-1:2]),
    case("slice x[1:-1:2]", vector, lambda x: x[1:-1:2], lambda a: a[1:-1:2], lambda t: t[1:-1:2]),
    case("crop", vector, lambda x: suanzi.crop(x, 3, 20), lambda a: a[3:23], lambda t: t[3:23]),
    case("rot90", square, suanzi.rot90, np.rot90, torch.rot90),
    case(
        "moveaxis", square, lambda x: suanzi.moveaxis(x, 0, 1), lambda a: np.moveaxis(a, 0, 1),
        lambda t: torch.moveaxis(t, 0, 1),
    ),
    case(
        "swapaxes", square, lambda x: suanzi.swapaxes(x, 0, 1), lambda a: np.swapaxes(a, 0, 1),
        lambda t: torch.swapaxes(t, 0, 1),
    ),
    case(
        "meshgrid", lambda size: vector(isqrt(size)), lambda x: suanzi.meshgrid(x, x),
        lambda a: np.meshgrid(a, a, copy=False), lambda t: torch.meshgrid(t, t, indexing="xy"),
    ),
    *along(0),
    *along(1),
    *(transposed(dtype) for dtype in ("int8", "int16", "float32", "float64", "complex128")),
]  # fmt: skip
