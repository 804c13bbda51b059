"""NumPy's functions for Suanzi's operators: direct calls, which replace the conformance kit's wrappers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from suanzi.bench.cases import Call
from suanzi.bench.libraries.alike import alike

_GENERATOR = np.random.default_rng(1)
_UPDATES: dict[str, Any] = {"add": np.add, "max": np.maximum}


def _uniform(shape: Any, low: Any, high: Any, seed: int = 0, *, dtype: Any) -> Call:
    if np.dtype(dtype).kind in "iu":
        return partial(_GENERATOR.integers, low, high + 1, shape, dtype=dtype)
    return partial(_GENERATOR.random, shape, dtype=dtype)


def _bernoulli(p: Any, seed: int = 0) -> Call:
    return lambda: (_GENERATOR.random(p.shape, dtype=p.dtype) < p).astype(p.dtype)


def _multinomial(p: Any, draws: int, replacement: bool = True, seed: int = 0, output: str = "counts") -> Call:
    if output == "counts":
        return partial(_GENERATOR.multinomial, draws, p)
    return partial(_GENERATOR.choice, len(p), draws, replacement, p)


def _randperm(n: int, dtype: Any, seed: int = 0) -> Call:
    if np.dtype(dtype) == np.int64:
        return partial(_GENERATOR.permutation, n)
    return lambda: _GENERATOR.permutation(n).astype(dtype)


def _scatter(x: Any, index: Any, updates: Any, axis: int = 0, mode: str = "update") -> Call:
    def updated() -> Any:
        result = x.copy()
        if mode != "update":
            _UPDATES[mode].at(result, index, updates)
        elif x.ndim == 1:
            result[index] = updates
        else:
            np.put_along_axis(result, index, updates, axis)
        return result

    return updated


def _norm1(x: Any, axis: int | None = None) -> Call:
    return partial(np.linalg.norm, x, 1, axis or 0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **alike(np, "all any argmax argmin argsort clip count_nonzero divide einsum eye flip fmod linspace max mean min"),
    **alike(
        np, "moveaxis negative nonzero pad prod repeat reshape rot90 searchsorted sort squeeze stack std sum swapaxes"
    ),
    **alike(np, "take take_along_axis tile trace transpose tril triu unique var arange dot empty full zeros"),
    **alike(np.linalg, "det eigh svdvals"),
    **alike(np.fft, "fft ifft rfft irfft fftn rfftn fftshift", "fft."),
    "multiply_add": lambda x, y, z: x * y + z,
    "atan2": np.arctan2,
    "cumulative_sum": np.cumsum,
    "cumulative_prod": np.cumprod,
    "norm2": np.linalg.norm,
    "bilinear": lambda x, y, weight, bias: np.einsum("bi,oij,bj->bo", x, weight, y, optimize=True) + bias,
    "lstsq": lambda a, b: np.linalg.lstsq(a, b, None),
    "tensor": lambda data, dtype=None: np.array(data, dtype),
    "astype": lambda x, dtype: x.astype(dtype),
    "clone": lambda x: x.copy(),
    "concat": np.concatenate,
    "reverse": np.flip,
    "flatten": lambda x: x.reshape(-1),
    "expand": np.broadcast_to,
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "unstack": lambda x, axis: list(np.moveaxis(x, axis, 0)),
    "meshgrid": partial(np.meshgrid, copy=False),
    "gather": np.take,
    "index_select": np.take,
    "gather_nd": lambda x, index: x[index[:, 0], index[:, 1]],
    "masked_select": lambda x, mask: x[mask],
    "masked_fill": lambda x, mask, value: np.where(mask, value, x),
    "shape": lambda x: x.shape,
    "size": lambda x: x.size,
    "rank": lambda x: x.ndim,
    "diag": lambda x: np.diag(x).copy() if x.ndim == 2 else np.diag(x),
}
CALLS: dict[str, Callable[..., Call]] = {
    "uniform": _uniform,
    "normal": lambda shape, mean, std, seed=0, *, dtype: partial(_GENERATOR.standard_normal, shape, dtype=dtype),
    "bernoulli": _bernoulli,
    "multinomial": _multinomial,
    "randperm": _randperm,
    "reduce": lambda x, op: partial(getattr(np, op), x),
    "scatter": _scatter,
    "norm1": _norm1,
    "slice": lambda x, *bounds: partial(operator.getitem, x, slice(*bounds)),
    "crop": lambda x, offsets, shape: partial(operator.getitem, x, slice(offsets[0], offsets[0] + shape[0])),
}
