"""Factorisations, solvers and eigenvalues of single matrices and of batches of small ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]
ORDERS = (8, 64, 512)
BATCH = 1000


def _matrices(shape: tuple[int, ...], dtype: str) -> Any:
    """Hermitian and positive definite: every operator takes them."""
    a = np.random.default_rng(shape[-1]).standard_normal(shape)
    return (a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def _calls(name: str, dtype: str, batch: int, order: int) -> Calls:
    a = _matrices((batch, order, order) if batch else (order, order), dtype)
    x, t = suanzi.tensor(a), torch.from_numpy(a.copy())
    calls: Calls = {
        "suanzi": lambda: getattr(suanzi, name)(x),
        "torch": lambda: getattr(torch.linalg, name)(t),
    }
    if hasattr(np.linalg, name):
        calls["numpy"] = lambda: getattr(np.linalg, name)(a)
    return calls


def _solve(dtype: str, batch: int, order: int) -> Calls:
    a = _matrices((batch, order, order) if batch else (order, order), dtype)
    b = np.ones((*a.shape[:-1], 4), dtype)
    x, y, t, u = suanzi.tensor(a), suanzi.tensor(b), torch.from_numpy(a.copy()), torch.from_numpy(b.copy())
    return {
        "suanzi": lambda: suanzi.solve(x, y),
        "numpy": lambda: np.linalg.solve(a, b),
        "torch": lambda: torch.linalg.solve(t, u),
    }


_SINGLE = {8: 0.5, 512: 1.0}
_CALLS: dict[str, Callable[..., Calls]] = {
    "solve": _solve,
    **{name: partial(_calls, name) for name in ("inv", "det", "lu", "cholesky", "qr", "svd", "svdvals", "eigh", "eig")},
}

CASES = [
    case
    for name, calls in _CALLS.items()
    for dtype in ("float32", "float64")
    for case in (
        Comparison(name, partial(calls, dtype, 0), dtype, ORDERS, _SINGLE),
        Comparison(f"{name}, {BATCH} matrices", partial(calls, dtype, BATCH), dtype, (8,), {8: 0.5}),
    )
]
