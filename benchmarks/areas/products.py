"""Matrix products and what is made of them, against NumPy and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]


def operands(dtype: str, *shapes: tuple[int, ...]) -> tuple[list[suanzi.Tensor], list[np.ndarray], list[torch.Tensor]]:
    rng = np.random.default_rng(0)
    kind = torch.bfloat16 if dtype == "bfloat16" else None
    arrays = [(rng.standard_normal(shape) * 10).astype("float32" if kind else dtype) for shape in shapes]
    return (
        [suanzi.tensor(a, dtype=dtype) for a in arrays],
        arrays,
        [torch.from_numpy(a).to(kind) if kind else torch.from_numpy(a) for a in arrays],
    )


def product(dtype: str, shapes: Callable[[int], tuple[tuple[int, ...], ...]]) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        (x, y), (a, b), (s, t) = operands(dtype, *shapes(n))
        calls: Calls = {"suanzi": lambda: x @ y, "torch": lambda: s @ t}
        # NumPy has no bfloat16 of its own, and minutes of integers.
        if dtype != "bfloat16" and not (dtype == "int32" and n > 512):
            calls["numpy"] = lambda: a @ b
        return calls

    return make


def transposed(n: int) -> Calls:
    (x, y), (a, b), (s, t) = operands("float32", (n, n), (n, n))
    return {"suanzi": lambda: x.T @ y.T, "numpy": lambda: a.T @ b.T, "torch": lambda: s.T @ t.T}


def inner(n: int) -> Calls:
    (x, y), (a, b), (s, t) = operands("float32", (n,), (n,))
    return {"suanzi": lambda: suanzi.dot(x, y), "numpy": lambda: np.dot(a, b), "torch": lambda: torch.dot(s, t)}


def layer(dtype: str, n: int) -> Calls:
    (x, w, c), (a, v, d), (s, u, e) = operands(dtype, (64, n), (n, n), (n,))
    calls: Calls = {
        "suanzi": lambda: suanzi.linear(x, w, c),
        "torch": lambda: torch.nn.functional.linear(s, u, e),
    }
    if dtype != "bfloat16":
        calls["numpy"] = lambda: a @ v.T + d
    return calls


def sums(subscripts: str, *sizes: tuple[int, ...]) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        tensors, arrays, others = operands("float32", *((n, *size) for size in sizes))
        return {
            "suanzi": lambda: suanzi.einsum(subscripts, *tensors),
            "numpy": lambda: np.einsum(subscripts, *arrays, optimize=True),
            "torch": lambda: torch.einsum(subscripts, *others),
        }

    return make


CASES: list[Comparison] = [
    *(
        Comparison(
            "matmul",
            product(dtype, lambda n: ((n, n), (n, n))),
            dtype,
            (64, 512, 2048),
            {64: 0.5} if dtype in ("float32", "float64") else {64: 0.5, 512: 1.0, 2048: 1.0},
        )
        for dtype in ("float32", "float64", "bfloat16", "int32")
    ),
    Comparison(
        "matmul batched 16 x 16", product("float32", lambda n: ((n, 16, 16),) * 2), sizes=(1000,), goals={1000: 0.5}
    ),
    Comparison("matmul batched 4 x 4", product("float64", lambda n: ((n, 4, 4),) * 2), "float64", (1000,), {1000: 0.5}),
    Comparison("matmul vector", product("float32", lambda n: ((n, n), (n,))), sizes=(64, 2048)),
    Comparison("matmul transposed", transposed, sizes=(64, 512)),
    Comparison("dot", inner),
    *(Comparison("linear", partial(layer, dtype), dtype, (64, 1024)) for dtype in ("float32", "bfloat16")),
    Comparison("einsum bij,bjk->bik", sums("bij,bjk->bik", (8, 8), (8, 8)), sizes=(1000,)),
    Comparison("einsum bi,bi->b", sums("bi,bi->b", (64,), (64,)), sizes=(1000,)),
]
