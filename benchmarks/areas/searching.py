"""argmax, nonzero, selection by a mask, and the truth of a whole tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]
LARGE = 10_000_000
HALF = 0.0  # half of the elements are above it
RARE = 2.326  # one in a hundred is


def _numbers(size: int) -> Any:
    return np.random.default_rng(size).standard_normal(size).astype(np.float32)


def _box(size: int, columns: int | None = None) -> Any:
    """The numbers as a matrix, about as wide as it is tall or of so many columns."""
    columns = columns or math.isqrt(size)
    return _numbers(size // columns * columns).reshape(-1, columns)


def _argmax(axis: int | None, columns: int | None, size: int) -> Calls:
    a = _box(size, columns) if axis is not None else _numbers(size)
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {
        "suanzi": lambda: suanzi.argmax(x, axis),
        "numpy": lambda: np.argmax(a, axis),
        "torch": lambda: torch.argmax(t, axis),
    }


def _argmax_of(dtype: str, size: int) -> Calls:
    a = (_numbers(size) * 30).astype(dtype)
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {"suanzi": lambda: suanzi.argmax(x), "numpy": lambda: np.argmax(a), "torch": lambda: torch.argmax(t)}


def _nonzero(rank: int, above: float, size: int) -> Calls:
    a = _numbers(size) if rank == 1 else _box(size)
    a[a <= above] = 0
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {
        "suanzi": lambda: suanzi.nonzero(x),
        "numpy": lambda: np.nonzero(a),
        "torch": lambda: torch.nonzero(t, as_tuple=True),
    }


def _count_nonzero(size: int) -> Calls:
    a = np.maximum(_numbers(size), 0)
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {
        "suanzi": lambda: suanzi.count_nonzero(x),
        "numpy": lambda: np.count_nonzero(a),
        "torch": lambda: torch.count_nonzero(t),
    }


def _masked_select(above: float, size: int) -> Calls:
    a = _numbers(size)
    m = a > above
    x, mask, t, condition = suanzi.tensor(a), suanzi.tensor(m), torch.from_numpy(a), torch.from_numpy(m)
    return {
        "suanzi": lambda: suanzi.masked_select(x, mask),
        "numpy": lambda: a[m],
        "torch": lambda: torch.masked_select(t, condition),
    }


def _masked_fill(in_place: bool, size: int) -> Calls:
    a = _numbers(size)
    m = a > HALF
    x, mask, t, condition = suanzi.tensor(a), suanzi.tensor(m), torch.from_numpy(a.copy()), torch.from_numpy(m)
    if in_place:
        return {
            "suanzi": lambda: suanzi.masked_fill(x, mask, 2.0, out=x),
            "numpy": lambda: np.putmask(a, m, 2.0),
            "torch": lambda: t.masked_fill_(condition, 2.0),
        }
    two = np.float32(2)
    return {
        "suanzi": lambda: suanzi.masked_fill(x, mask, 2.0),
        "numpy": lambda: np.where(m, two, a),
        "torch": lambda: torch.masked_fill(t, condition, 2.0),
    }


def _truth(name: str, decided: bool, size: int) -> Calls:
    """One element in the middle decides, or nothing does."""
    a = np.full(size, name == "all")
    if decided:
        a[size // 2] = name != "all"
    x, t = suanzi.tensor(a), torch.from_numpy(a)
    return {
        "suanzi": lambda: getattr(suanzi, name)(x),
        "numpy": lambda: getattr(np, name)(a),
        "torch": lambda: getattr(torch, name)(t),
    }


CASES = [
    Comparison("argmax", partial(_argmax, None, None), goals={LARGE: 0.8}),
    Comparison("argmax along the rows", partial(_argmax, 1, None)),
    Comparison("argmax along the columns", partial(_argmax, 0, None)),
    Comparison("argmax of rows of 10", partial(_argmax, 1, 10)),
    Comparison("argmax of 10 columns", partial(_argmax, 0, 10)),
    Comparison("argmax", partial(_argmax_of, "int8"), "int8"),
    Comparison("argmax", partial(_argmax_of, "int64"), "int64"),
    Comparison("argmax", partial(_argmax_of, "float16"), "float16"),
    Comparison("nonzero, half", partial(_nonzero, 1, HALF), goals={LARGE: 0.3}),
    Comparison("nonzero, one in 100", partial(_nonzero, 1, RARE)),
    Comparison("nonzero of a matrix, half", partial(_nonzero, 2, HALF)),
    Comparison("nonzero of a matrix, one in 100", partial(_nonzero, 2, RARE)),
    Comparison("count_nonzero", _count_nonzero),
    Comparison("masked_select, half", partial(_masked_select, HALF)),
    Comparison("masked_select, one in 100", partial(_masked_select, RARE)),
    Comparison("masked_fill", partial(_masked_fill, False)),
    Comparison("masked_fill in place", partial(_masked_fill, True)),
    Comparison("all, true", partial(_truth, "all", False), "bool"),
    Comparison("all, false in the middle", partial(_truth, "all", True), "bool"),
    Comparison("any, true in the middle", partial(_truth, "any", True), "bool"),
]
