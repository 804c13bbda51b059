"""Sorting and what rests on it: one long row, and the rows and columns of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import SIZES, Comparison

Rivals = dict[str, Callable[[], object]]
COLUMNS = 100
LARGE = 10_000_000


def elements(size: int, dtype: str) -> Any:
    rng = np.random.default_rng(0)
    if dtype.startswith("float"):
        return rng.standard_normal(size).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)


def along(name: str, axis: int | None, dtype: str) -> Callable[[int], Rivals]:
    """`sort` or `argsort` of a vector, or along an axis of a matrix."""

    def make(size: int) -> Rivals:
        a = elements(size, dtype)
        a = a if axis is None else a.reshape(-1, COLUMNS)
        x, t, last = suanzi.tensor(a), torch.from_numpy(a), -1 if axis is None else axis
        ours, numpy, theirs = getattr(suanzi, name), getattr(np, name), getattr(torch, name)
        return {
            "suanzi": lambda: ours(x, last),
            "numpy": lambda: numpy(a, axis=last),
            "torch": lambda: theirs(t, dim=last),
        }

    return make


def topk(k: int, axis: int | None = None) -> Callable[[int], Rivals]:
    def make(size: int) -> Rivals:
        a = elements(size, "float32")
        a = a if axis is None else a.reshape(-1, COLUMNS)
        x, t, last = suanzi.tensor(a), torch.from_numpy(a), -1 if axis is None else axis
        n = min(k, a.shape[last])
        return {"suanzi": lambda: suanzi.topk(x, n, axis=last), "torch": lambda: torch.topk(t, n, dim=last)}

    return make


def unique(size: int) -> Rivals:
    a = elements(size, "float32")
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {"suanzi": lambda: suanzi.unique(x), "numpy": lambda: np.unique(a), "torch": lambda: torch.unique(t)}


def searchsorted(size: int) -> Rivals:
    """As many values as sorted elements, in no order."""
    a, v = np.sort(elements(size, "float32")), elements(size, "float32")[::-1].copy()
    x, y, t, w = suanzi.tensor(a), suanzi.tensor(v), torch.from_numpy(a), torch.from_numpy(v)
    return {
        "suanzi": lambda: suanzi.searchsorted(x, y),
        "numpy": lambda: np.searchsorted(a, v),
        "torch": lambda: torch.searchsorted(t, w),
    }


def _cases(name: str, goal: float) -> list[Comparison]:
    matrices = [
        Comparison(f"{name} axis={axis}", along(name, axis, "float32"), sizes=(100_000, LARGE)) for axis in (0, 1)
    ]
    others = [Comparison(name, along(name, None, dtype), dtype) for dtype in ("int64", "float64", "float16", "uint8")]
    return [Comparison(name, along(name, None, "float32"), goals={LARGE: goal}), *matrices, *others]


CASES = [
    *_cases("sort", 0.6),
    *_cases("argsort", 0.5),
    Comparison("topk k=50", topk(50), goals={LARGE: 0.5}),
    Comparison("topk k=1000", topk(1000), sizes=SIZES[1:]),
    *(Comparison(f"topk k=10 axis={axis}", topk(10, axis), sizes=(100_000, LARGE)) for axis in (0, 1)),
    Comparison("unique", unique),
    Comparison("searchsorted", searchsorted),
]
