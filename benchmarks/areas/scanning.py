"""Reductions and prefix sums: whole tensors of each size, square matrices along each axis, and many short rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Rivals = dict[str, Callable[[], object]]
Options = dict[str, Any]

# An operator with its counterparts, each taking an array of its own library and an axis.
REDUCTIONS: dict[str, tuple[Callable[..., object] | None, Callable[..., object]]] = {
    "sum": (np.sum, torch.sum),
    "mean": (np.mean, torch.mean),
    "max": (np.max, torch.amax),
    "var": (np.var, lambda x, **axis: torch.var(x, correction=0, **axis)),
    "std": (np.std, lambda x, **axis: torch.std(x, correction=0, **axis)),
    "norm1": (
        lambda x, axis=0: np.linalg.norm(x, 1, axis),
        lambda x, dim=None: torch.linalg.vector_norm(x, 1, dim),
    ),
    "norm2": (
        lambda x, axis=None: np.linalg.norm(x, axis=axis),
        lambda x, dim=None: torch.linalg.vector_norm(x, 2, dim),
    ),
    "logsumexp": (None, lambda x, dim=0: torch.logsumexp(x, dim)),
}
SCANS: dict[str, tuple[Callable[..., object], Callable[..., object]]] = {
    "cumulative_sum": (np.cumsum, lambda x, dim=0: torch.cumsum(x, dim)),
    "cumulative_prod": (np.cumprod, lambda x, dim=0: torch.cumprod(x, dim)),
}


def _array(size: int, dtype: str, shape: tuple[int, ...], near_one: bool = False) -> Any:
    rng = np.random.default_rng(1)
    a = rng.uniform(-2, 2, size) if not near_one else 1 + rng.uniform(-1e-6, 1e-6, size)
    a = (a * 100 if dtype.startswith("int") else a).astype(dtype)
    return a[: math.prod(shape)].reshape(shape)


def _case(name: str, dtype: str, axis: int | None, goals: dict[int, float], columns: int | None = None) -> Comparison:
    ours = getattr(suanzi, name)
    numpy, other = {**REDUCTIONS, **SCANS}[name]

    def make(size: int) -> Rivals:
        width = columns or math.isqrt(size)
        shape = (size,) if axis is None else (size // width if columns else width, width)
        a = _array(size, dtype, shape, name == "cumulative_prod")
        x, t = suanzi.tensor(a), torch.tensor(a)
        along: Options = {} if axis is None else {"axis": axis}
        along_torch: Options = {} if axis is None else {"dim": axis}
        rivals: Rivals = {"suanzi": lambda: ours(x, **along), "torch": lambda: other(t, **along_torch)}
        if numpy is not None:
            rivals["numpy"] = lambda: numpy(a, **along)
        return rivals

    remark = "" if axis is None else f" of rows of {columns}" if columns else f" matrix, axis={axis}"
    return Comparison(name + remark, make, dtype, goals=goals)


_TEN_MILLION = 10_000_000
_NOT_SLOWER = dict.fromkeys((1_000, 100_000, _TEN_MILLION), 1.0)

CASES: list[Comparison] = [
    _case(name, "float32", axis, {**_NOT_SLOWER, _TEN_MILLION: 0.3} if name == "cumulative_sum" else _NOT_SLOWER)
    for name in (*REDUCTIONS, *SCANS)
    for axis in (None, 0, 1)
] + [
    _case(name, dtype, None, {})
    for dtype in ("float64", "float16", "int32")
    for name in ("sum", "max", "cumulative_sum")
]
CASES += [_case(name, "float32", 1, {}, columns) for name in ("sum", "max") for columns in (8, 49)]
