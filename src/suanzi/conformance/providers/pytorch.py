"""PyTorch's functions by Suanzi's operator names: one table for all modules of Suanzi that compute with PyTorch.

`function_of` finds functions with Suanzi's signatures. `CALLS` and `PARTIAL` have the other functions. Each function
accepts Suanzi's arguments and returns a prepared call of PyTorch's function, so that the options are already evaluated.
The modules that use the table implement creation, random numbers and devices.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

import torch

Call: TypeAlias = Callable[[], Any]
Maker: TypeAlias = Callable[..., Call]

# The paths below `torch` of functions that have another name in PyTorch or are in a submodule of `torch`.
NAMES = {
    "bilinear": "nn.functional.bilinear",
    "bitwise_invert": "bitwise_not",
    "concat": "cat",
    "cumulative_prod": "cumprod",
    "cumulative_sum": "cumsum",
    "divide": "div",
    "dot": "linalg.vecdot",
    "equal": "eq",
    "expand": "broadcast_to",
    "expand_dims": "unsqueeze",
    "from_reference": "from_numpy",
    "gather": "index_select",
    "interpolate": "nn.functional.interpolate",
    "linear": "nn.functional.linear",
    "max": "amax",
    "min": "amin",
    "multiply_add": "addcmul",
    "not_equal": "ne",
    "pad": "nn.functional.pad",
    "repeat": "repeat_interleave",
    "reverse": "flip",
    "rint": "round",
    "take": "index_select",
    "take_along_axis": "gather",
    "transpose": "permute",
    "unstack": "unbind",
    **{name: f"linalg.{name}" for name in ("cholesky", "det", "eig", "eigh", "inv", "lstsq", "lu", "matrix_norm")},
    **{name: f"linalg.{name}" for name in ("qr", "solve", "svd", "svdvals")},
}


def function_of(name: str) -> Callable[..., Any]:
    """Return PyTorch's function for an operator. Raise AttributeError if no function exists."""
    found: Callable[..., Any] = attrgetter(NAMES.get(name, name))(torch)
    return found


def without_nones(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {key: value for key, value in options.items() if value is not None}


def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis


def _along(name: str, default: int) -> Maker:
    """Return a function that prepares calls of a PyTorch function along one axis. The default axis is `default`."""

    def make(x: Any, axis: int | None = None, **options: Any) -> Call:
        return partial(function_of(name), x, default if axis is None else axis, **without_nones(**options))

    return make


def _reduction(name: str, **further: Any) -> Maker:
    """Return a function that prepares calls of a reduction. A call omits the axis if all axes are reduced."""

    def make(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
        options = {**further, **({"keepdim": True} if keepdims else {})}
        return partial(function_of(name), x, **({} if axis is None else {"dim": axis}), **options)

    return make


def _norm(order: int) -> Maker:
    return lambda x, axis=None, keepdims=False: partial(torch.linalg.vector_norm, x, order, axis, keepdims)


def _extreme(name: str) -> Maker:
    """Return a function that prepares calls of a maximum or minimum. PyTorch has one function for all elements, and
    another function for axes.
    """

    def make(x: Any, axis: Any = None, keepdims: bool = False) -> Call:
        return partial(getattr(torch, name), x) if axis is None else partial(function_of(name), x, axis, keepdims)

    return make


def _fft(name: str) -> Maker:
    return lambda x, n=None, axis=-1, norm="backward": partial(function_of(name), x, n, axis, norm)


def _split(x: Any, sections: Any, axis: int = 0) -> Call:
    if isinstance(sections, int):
        return partial(torch.tensor_split, x, sections, axis)
    return partial(torch.split, x, list(sections), axis)


def _flip(x: Any, axis: Any = None) -> Call:
    return partial(torch.flip, x, _axes(x, axis))


def _select(x: Any, index: Any, axis: int = 0) -> Call:
    """Return the call that selects slices of `x` by an index of any shape. PyTorch's own function accepts only vectors
    as the index.
    """
    along = axis % x.ndim
    if index.ndim == 1:
        return partial(torch.index_select, x, along, index)
    shape = (*x.shape[:along], *index.shape, *x.shape[along + 1 :])
    return lambda: torch.index_select(x, along, index.flatten()).reshape(shape)


def _reduce(x: Any, op: str, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Call:
    axes = _axes(x, axis)
    if op in ("all", "any"):
        return partial(function_of(op), x, axes, keepdims)
    if op in ("var", "std"):
        return partial(function_of(op), x, axes, correction=0, keepdim=keepdims)
    if op in ("norm1", "norm2"):
        return partial(torch.linalg.vector_norm, x, int(op[-1]), axes, keepdims)
    if op == "prod":
        return partial(_product, x, axes, keepdims)
    if op not in ("sum", "mean", "max", "min", "logsumexp"):
        raise KeyError(op)
    return partial(function_of(op), x, axes, keepdims, **without_nones(dtype=dtype))


def _product(x: Any, axes: Any, keepdims: bool) -> Any:
    for axis in sorted((range(x.ndim)[a] for a in axes), reverse=True):  # IndexError for an axis that does not exist
        x = torch.prod(x, axis, keepdims)
    return x


def _interpolate(x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", **options: Any) -> Call:
    """Return the call of `interpolate`. The call omits `align_corners` for modes for which PyTorch refuses the
    option.
    """
    if mode not in ("linear", "bilinear", "bicubic", "trilinear"):
        options = without_nones(**{**options, "align_corners": None})
    return partial(function_of("interpolate"), x, size, scale_factor, mode, **options)


CALLS: dict[str, Maker] = {
    # Arrangement.
    "expand_dims": lambda x, axis=0: partial(torch.unsqueeze, x, axis),
    "squeeze": lambda x, axis=None: partial(torch.squeeze, x) if axis is None else partial(torch.squeeze, x, axis),
    "transpose": lambda x, axes=None: partial(torch.permute, x, _axes(x, None)[::-1] if axes is None else axes),
    "split": _split,
    "concat": lambda tensors, axis=0: partial(torch.cat, tensors, axis),
    "unstack": lambda x, axis=0: partial(torch.unbind, x, axis),
    "roll": lambda x, shift, axis=None: partial(torch.roll, x, shift, axis),
    "tile": lambda x, repetitions: partial(
        torch.tile, x, (repetitions,) if isinstance(repetitions, int) else repetitions
    ),
    "flip": _flip,
    "reverse": _flip,
    "gather": _select,
    "index_select": _select,
    "meshgrid": lambda *tensors, indexing="xy": partial(torch.meshgrid, *tensors, indexing=indexing),
    "nonzero": lambda x: partial(torch.nonzero, x, as_tuple=True),
    # Elements, order and sums.
    "multiply_add": lambda x, y, z: partial(torch.addcmul, z, x, y),
    "divide": lambda x, y, rounding=None: partial(torch.div, x, y, rounding_mode=rounding),
    "round": lambda x, decimals=0: partial(torch.round, x, decimals=decimals),
    "trace": lambda x, offset=0: lambda: torch.diagonal(x, offset, -2, -1).sum(-1),
    "reduce": _reduce,
    "cumulative_sum": _along("cumulative_sum", 0),
    "argmax": lambda x, axis=None, keepdims=False: partial(torch.argmax, x, axis, keepdims),
    "argmin": lambda x, axis=None, keepdims=False: partial(torch.argmin, x, axis, keepdims),
    "argsort": lambda x, axis=-1, descending=False, stable=True: partial(
        torch.argsort, x, dim=axis, descending=descending, stable=stable
    ),
    "topk": lambda x, k, axis=-1, largest=True, sorted=True: partial(torch.topk, x, k, axis, largest, sorted),
    # Transforms and matrices.
    "fft.fft": _fft("fft.fft"),
    "fft.ifft": _fft("fft.ifft"),
    "cholesky": lambda x, upper=False: partial(torch.linalg.cholesky, x, upper=upper),
    "qr": lambda x, mode="reduced": partial(torch.linalg.qr, x, mode),
    "svd": lambda x, full_matrices=True: partial(torch.linalg.svd, x, full_matrices),
    "lstsq": lambda a, b, rtol=None: partial(torch.linalg.lstsq, a, b, rcond=rtol),
    "matrix_norm": lambda x, keepdims=False, ord="fro": partial(torch.linalg.matrix_norm, x, ord, keepdim=keepdims),
    "interpolate": _interpolate,
}


def _scatter(x: Any, index: Any, updates: Any, axis: int = 0, mode: str = "update") -> Call:
    if mode == "update":
        return partial(x.scatter, axis, index, updates)
    return partial(x.scatter_reduce, axis, index, updates, {"add": "sum", "max": "amax"}[mode])


def _pad(x: Any, width: Any, mode: str = "constant") -> Call:
    """Return the call that pads a tensor. PyTorch's widths begin at the last dimension, and reflection needs one more
    dimension.
    """
    widths = [(width, width)] * x.ndim if isinstance(width, int) else width
    flat = tuple(chain.from_iterable(reversed(widths)))
    function = function_of("pad")
    return partial(function, x, flat) if mode == "constant" else lambda: function(x[None], flat, mode)


# Calls that implement only a part of one of Suanzi's functions, and calls of functions beyond the standard.
PARTIAL: dict[str, Maker] = {
    **{name: _reduction(name) for name in ("sum", "mean", "prod", "all", "any")},
    **{name: _reduction(name, correction=0) for name in ("var", "std")},
    "max": _extreme("max"),
    "min": _extreme("min"),
    "norm1": _norm(1),
    "norm2": _norm(2),
    "logsumexp": _along("logsumexp", 0),
    "cumulative_prod": _along("cumulative_prod", 0),
    "fft.rfft": _fft("fft.rfft"),
    "fft.irfft": _fft("fft.irfft"),
    "take": _select,
    "take_along_axis": lambda x, index, axis: partial(torch.gather, x, axis, index),
    "repeat": lambda x, repeats, axis=None: partial(torch.repeat_interleave, x, repeats, dim=axis),
    "scatter": _scatter,
    "pad": _pad,
    "slice": lambda x, *bounds: partial(operator.getitem, x, slice(*bounds)),
    "crop": lambda x, offsets, shape: partial(operator.getitem, x, slice(offsets[0], offsets[0] + shape[0])),
    "gather_nd": lambda x, index: lambda: x[index[:, 0], index[:, 1]],
}
