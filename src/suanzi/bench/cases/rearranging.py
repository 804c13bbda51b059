"""Cases of joining and rearranging: operators that copy, and operators that return views.

The other libraries return a view wherever a view is possible, but torch.flip copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi.bench.cases.case import LARGE_SIZES, Call, Case, Make, Operands, each
from suanzi.bench.cases.operands import Shape, line, numbers, shaped, square, transposed

_LARGE = LARGE_SIZES[-1]
_GOAL = {_LARGE: 0.6}
_VIEW = (1_000,)  # the size of operands for views, which take the same time for all sizes


def _half(n: int) -> tuple[int]:
    return (max(1, n // 2),)


def _pair(shape: Shape, axis: int = 0) -> Make:
    """Return a function that makes a list of two tensors of equal shape, followed by an axis."""
    return lambda n, t, rng: Operands(([numbers("real", shape(n), t, rng) for _ in range(2)], axis))


def _counted(at_random: bool) -> Make:
    """Return a function that makes a vector and the number of repetitions of each element, from 0 to 3."""

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        x = numbers("real", _half(n), t, rng)
        return Operands((x, rng.integers(0, 4, x.size) if at_random else np.arange(x.size) % 4))

    return make


def _grid(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands(tuple(numbers("real", square(n)[:1], t, rng) for _ in range(2)))


def _column(n: int) -> tuple[int, int]:
    return (square(n)[0], 1)


def _expanded(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("real", _column(n), t, rng), square(n)))


def _reshaped(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((numbers("real", n, t, rng), (1, n)))


def _flip_suanzi(x: Any, axis: Any = None) -> Call:
    import suanzi

    return lambda: suanzi.contiguous(suanzi.flip(x, axis))


_FLIP_COPIED = {
    "suanzi": _flip_suanzi,
    "numpy": lambda x, axis=None: lambda: np.ascontiguousarray(np.flip(x, axis)),
    "torch": lambda x, axis=None: lambda: x.flip((axis or 0,)),
}


def _along(axis: int) -> list[Case]:
    end = ((0, 0), (3, 3)) if axis else ((3, 3), (0, 0))
    remark = f"matrix, axis {axis}"
    return [
        Case("concat", _pair(square, axis), remark, LARGE_SIZES, goals=_GOAL),
        Case("stack", _pair(square, axis), remark, LARGE_SIZES),
        Case("roll", shaped(square, further=(3, axis)), remark, LARGE_SIZES, goals=_GOAL),
        Case("repeat", shaped(square, further=(2, axis)), remark, LARGE_SIZES),
        Case("pad", shaped(square, further=(end,)), remark, LARGE_SIZES, goals=_GOAL),
        Case("flip", shaped(square, axis=axis), f"{remark}, copied", LARGE_SIZES, goals=_GOAL, own=_FLIP_COPIED),
        Case("unstack", shaped(square, further=(axis,)), remark, (10_000,)),
    ]


CASES: list[Case] = [
    Case("concat", _pair(_half), sizes=LARGE_SIZES, goals=_GOAL),
    Case("stack", _pair(_half), sizes=LARGE_SIZES),
    Case("tile", shaped(_half, further=(2,)), sizes=LARGE_SIZES),
    Case("repeat", shaped(_half, further=(2,)), sizes=LARGE_SIZES),
    Case("repeat", _counted(at_random=False), "each its own count, in turn", LARGE_SIZES),
    Case("repeat", _counted(at_random=True), "each its own count, at random", LARGE_SIZES),
    Case("pad", shaped(line, further=(3,)), sizes=LARGE_SIZES, goals=_GOAL),
    Case("pad", shaped(square, further=(3, "reflect")), "reflect", LARGE_SIZES, goals=_GOAL),
    Case("roll", shaped(line, further=(3,)), sizes=LARGE_SIZES, goals=_GOAL),
    *each("flip reverse", shaped(line), sizes=LARGE_SIZES, goals=_GOAL),
    Case("flip", shaped(line), "copied", LARGE_SIZES, goals=_GOAL, own=_FLIP_COPIED),
    *_along(0),
    *_along(1),
    *each("flatten squeeze expand_dims", shaped(line), sizes=_VIEW),
    Case("flatten", transposed(), "transposed", LARGE_SIZES),
    Case("reshape", _reshaped, sizes=_VIEW),
    Case("expand", _expanded, sizes=_VIEW),
    Case("transpose", shaped(square), sizes=_VIEW),
    Case("transpose", shaped(square), "x.T", _VIEW, way=lambda x: x.T),
    Case("split", shaped(line, further=(4,)), sizes=LARGE_SIZES),
    # The other libraries have `slice` and `crop` only as indexing, which needs no call of a function.
    Case("slice", shaped(line, further=(1, -1, 2)), sizes=LARGE_SIZES),
    Case("crop", shaped(line, further=((3,), (20,))), sizes=LARGE_SIZES),
    Case("slice", shaped(line), "x[1:-1:2]", LARGE_SIZES, way=lambda x: x[1:-1:2]),
    Case("rot90", shaped(square), sizes=LARGE_SIZES),
    *each("moveaxis swapaxes", shaped(square, further=(0, 1)), sizes=LARGE_SIZES),
    Case("meshgrid", _grid, sizes=LARGE_SIZES),
]
