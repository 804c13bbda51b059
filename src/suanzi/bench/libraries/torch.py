"""PyTorch's functions for Suanzi's operators: functions of the conformance kit, and faster functions that do less than
the standard requires.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from suanzi.bench.cases import Call
from suanzi.conformance.providers import pytorch


def _uniform(shape: Any, low: Any, high: Any, seed: int = 0, *, dtype: Any) -> Call:
    if dtype.is_floating_point:
        return partial(torch.rand, shape, dtype=dtype)
    return partial(torch.randint, low, high + 1, (shape,), dtype=dtype)


def _multinomial(p: Any, draws: int, replacement: bool = True, seed: int = 0, output: str = "counts") -> Call:
    if output == "counts":
        raise NotImplementedError("draws indices alone")
    return partial(torch.multinomial, p, draws, replacement)


def _linspace(start: Any, stop: Any, count: int, *, dtype: Any) -> Call:
    return partial(torch.linspace, start, stop, count, dtype=dtype)


_FUNCTIONS = """
    arange atan2 clip count_nonzero divide einsum empty eye flatten fmod from_reference masked_fill masked_select
    moveaxis negative reshape rot90 searchsorted swapaxes tril triu unique zeros
    cholesky det eig eigh expand inv lu lstsq qr solve svd svdvals fft.fftn fft.rfftn fft.fftshift
"""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: pytorch.function_of(name) for name in _FUNCTIONS.split()},
    "dot": torch.dot,
    "trace": torch.trace,
    "conj": lambda x: torch.conj(x).resolve_conj(),
    "tensor": lambda data, dtype=None: torch.tensor(data, dtype=dtype),
    "astype": lambda x, dtype: x.to(dtype),
    "full": lambda shape, value, dtype: torch.full((shape,), value, dtype=dtype),
    "diag": lambda x: torch.diag(x).clone() if x.ndim == 2 else torch.diag(x),
    "transpose": lambda x: x.T,
    "bernoulli": lambda p, seed=0: torch.bernoulli(p),
    "shape": lambda x: x.shape,
    "rank": lambda x: x.ndim,
    "nn.conv": functional.conv2d,
    "nn.max_pool": functional.max_pool2d,
    "nn.global_avg_pool": lambda x: functional.adaptive_avg_pool2d(x, 1),
    "nn.batch_norm": functional.batch_norm,
    "nn.layer_norm": lambda x, normalized_shape: functional.layer_norm(x, (normalized_shape,)),
    "nn.scaled_dot_product_attention": functional.scaled_dot_product_attention,
}
CALLS: dict[str, Callable[..., Call] | None] = {
    **{name: make for name, make in {**pytorch.CALLS, **pytorch.PARTIAL}.items() if name not in FUNCTIONS},
    "uniform": _uniform,
    "normal": lambda shape, mean, std, seed=0, *, dtype: partial(torch.randn, shape, dtype=dtype),
    "randperm": lambda n, dtype, seed=0: partial(torch.randperm, n, dtype=dtype),
    "multinomial": _multinomial,
    "linspace": _linspace,
    "reduce": lambda x, op: partial(getattr(torch, op), x),
    "sort": None,  # PyTorch also returns the indices, as in the case "values and indices"
    "argsort": partial(pytorch.CALLS["argsort"], stable=False),
}
