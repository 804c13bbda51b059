"""PyTorch: what the standard does not name, and its own functions where the conformance kit puts others before them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import torch

from suanzi.bench.cases import Call
from suanzi.bench.libraries.alike import alike

_UPDATES = {"add": "sum", "max": "amax"}


def _uniform(shape: Any, low: Any, high: Any, seed: int = 0, *, dtype: Any) -> Call:
    if dtype.is_floating_point:
        return partial(torch.rand, shape, dtype=dtype)
    return partial(torch.randint, low, high + 1, (shape,), dtype=dtype)


def _multinomial(p: Any, draws: int, replacement: bool = True, seed: int = 0, output: str = "counts") -> Call:
    if output == "counts":
        raise NotImplementedError("draws indices alone")
    return partial(torch.multinomial, p, draws, replacement)


def _scatter(x: Any, index: Any, updates: Any, axis: int = 0, mode: str = "update") -> Call:
    if mode == "update":
        return partial(x.scatter, axis, index, updates)
    return partial(x.scatter_reduce, axis, index, updates, _UPDATES[mode])


def _pad(x: Any, width: Any, mode: str = "constant") -> Call:
    """Its widths begin at the last dimension, and it reflects only what has a dimension more."""
    widths = [(width, width)] * x.ndim if isinstance(width, int) else width
    function = torch.nn.functional.pad
    flat = tuple(chain.from_iterable(reversed(widths)))
    return partial(function, x, flat) if mode == "constant" else lambda: function(x[None], flat, mode)


def _dims(function: Callable[..., Any], **further: Any) -> Callable[..., Call]:
    """A reduction, whose `dim` is left out where all is reduced."""

    def call(x: Any, axis: int | None = None) -> Call:
        return partial(function, x, **further) if axis is None else partial(function, x, dim=axis, **further)

    return call


def _along(function: Callable[..., Any], default: int) -> Callable[..., Call]:
    """What takes one axis, by default that."""
    return lambda x, axis=default: partial(function, x, dim=axis)


def _norm(order: int) -> Callable[..., Call]:
    return lambda x, axis=None: partial(torch.linalg.vector_norm, x, order, axis)


def _extreme(whole: Callable[..., Any], along: Callable[..., Any]) -> Callable[..., Call]:
    return lambda x, axis=None: partial(whole, x) if axis is None else partial(along, x, axis)


def _flip(x: Any, axis: int | None = None) -> Call:
    return partial(torch.flip, x, tuple(range(x.ndim)) if axis is None else (axis,))


def _repeat(x: Any, repeats: Any, axis: int | None = None) -> Call:
    return partial(torch.repeat_interleave, x, repeats, dim=axis)


def _selected(x: Any, index: Any, axis: int = 0) -> Call:
    return partial(torch.index_select, x, axis, index)


def _linspace(start: Any, stop: Any, count: int, *, dtype: Any) -> Call:
    return partial(torch.linspace, start, stop, count, dtype=dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **alike(
        torch, "arange atan2 clip count_nonzero dot einsum empty eye flatten fmod masked_fill masked_select moveaxis"
    ),
    **alike(torch, "negative reshape roll rot90 searchsorted squeeze swapaxes trace tril triu unique zeros"),
    **alike(torch.linalg, "cholesky det eig eigh inv lstsq lu qr solve svd svdvals"),
    **alike(torch.fft, "fftn rfftn fftshift", "fft."),
    "divide": torch.div,
    "conj": lambda x: torch.conj(x).resolve_conj(),
    "tensor": lambda data, dtype=None: torch.tensor(data, dtype=dtype),
    "from_reference": torch.from_numpy,
    "astype": lambda x, dtype: x.to(dtype),
    "full": lambda shape, value, dtype: torch.full((shape,), value, dtype=dtype),
    "diag": lambda x: torch.diag(x).clone() if x.ndim == 2 else torch.diag(x),
    "transpose": lambda x: x.T,
    "expand": torch.broadcast_to,
    "expand_dims": lambda x: torch.unsqueeze(x, 0),
    "unstack": torch.unbind,
    "split": torch.tensor_split,
    "concat": torch.cat,
    "tile": lambda x, repetitions: x.tile(repetitions),
    "bernoulli": lambda p, seed=0: torch.bernoulli(p),
    "gather_nd": lambda x, index: x[index[:, 0], index[:, 1]],
    "shape": lambda x: x.shape,
    "rank": lambda x: x.ndim,
}
CALLS: dict[str, Callable[..., Call] | None] = {
    "uniform": _uniform,
    "normal": lambda shape, mean, std, seed=0, *, dtype: partial(torch.randn, shape, dtype=dtype),
    "multinomial": _multinomial,
    "randperm": lambda n, dtype, seed=0: partial(torch.randperm, n, dtype=dtype),
    "linspace": _linspace,
    **{name: _dims(getattr(torch, name)) for name in ("sum", "mean", "prod", "all", "any", "argmax", "argmin")},
    **{name: _dims(getattr(torch, name), correction=0) for name in ("var", "std")},
    "max": _extreme(torch.max, torch.amax),
    "min": _extreme(torch.min, torch.amin),
    "norm1": _norm(1),
    "norm2": _norm(2),
    "reduce": lambda x, op: partial(getattr(torch, op), x),
    "logsumexp": lambda x, axis=0: partial(torch.logsumexp, x, axis),
    "cumulative_sum": _along(torch.cumsum, 0),
    "cumulative_prod": _along(torch.cumprod, 0),
    "sort": None,  # gives the indices too: see the case "values and indices"
    "argsort": _along(torch.argsort, -1),
    "topk": lambda x, k, axis=-1: partial(torch.topk, x, k, dim=axis),
    **{f"fft.{name}": _along(getattr(torch.fft, name), -1) for name in ("fft", "ifft", "rfft", "irfft")},
    "flip": _flip,
    "reverse": _flip,
    "repeat": _repeat,
    "gather": _selected,
    "index_select": _selected,
    "take": _selected,
    "take_along_axis": lambda x, index, axis: partial(torch.gather, x, axis, index),
    "scatter": _scatter,
    "pad": _pad,
    "interpolate": lambda x, **options: partial(torch.nn.functional.interpolate, x, **options),
    "slice": lambda x, *bounds: partial(operator.getitem, x, slice(*bounds)),
    "crop": lambda x, offsets, shape: partial(operator.getitem, x, slice(offsets[0], offsets[0] + shape[0])),
}
