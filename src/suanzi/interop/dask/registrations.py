"""The registration of tensors as chunks of Dask arrays: functions that Dask calls on tensors, and tokens for the
contents of tensors.
"""

from __future__ import annotations

import math
import os
import sys
from operator import attrgetter, methodcaller
from typing import Any

import numpy as np
from dask.array import register_chunk_type
from dask.array.backends import array_creation_dispatch, percentile
from dask.array.dispatch import (
    concatenate_lookup,
    divide_lookup,
    einsum_lookup,
    empty_lookup,
    nannumel_lookup,
    numel_lookup,
    percentile_lookup,
    take_lookup,
    tensordot_lookup,
    to_numpy_dispatch,
)
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import suanzi
from suanzi import Tensor, tuning
from suanzi.interop.dask.backend import Backend
from suanzi.kinds import devices
from suanzi.tensor import memory

_CACHE_LIMIT = "SUANZI_CACHE_LIMIT"


def _numel(x: Tensor, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64) -> Tensor:
    """Return a tensor in the shape of a reduction's result. Each element is the number of elements that the reduction
    combines.
    """
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    summed = {n % x.ndim for n in axes}
    sizes = [1 if n in summed else size for n, size in enumerate(x.shape) if keepdims or n not in summed]
    return suanzi.full(sizes, math.prod(x.shape[n] for n in summed), dtype=dtype, device=x.device)


def _numel_without_nan(x: Tensor, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64) -> Tensor:
    return suanzi.sum(suanzi.logical_not(suanzi.isnan(x)), axis, keepdims, dtype=dtype)


def _empty(shape: Any, dtype: Any = np.float64) -> Tensor:
    return suanzi.empty(shape, dtype=dtype)


_TABLE = {
    concatenate_lookup: np.concatenate,
    divide_lookup: np.divide,
    einsum_lookup: np.einsum,
    empty_lookup: _empty,
    nannumel_lookup: _numel_without_nan,
    numel_lookup: _numel,
    percentile_lookup: percentile,
    take_lookup: np.take,
    tensordot_lookup: np.tensordot,
    to_numpy_dispatch: methodcaller("numpy"),
}


def token(x: Tensor) -> tuple[Any, ...]:
    """Return the parts of a tensor's token, from which Dask makes the name of a chunk. Tensors with equal device,
    elements and layout have the same token in every process.
    """
    contents = suanzi.flatten(x).tolist() if x.dtype is suanzi.string else x.numpy()
    return f"suanzi.Tensor on {x.device}", x.dtype.name, x.shape, x.layout.order, normalize_token(contents)


def share_memory() -> None:
    """Limit the memory that the process of a Dask worker keeps for reuse to an eighth of the worker's memory.

    Without this limit each worker on a machine would keep as much memory as a single process may keep. A limit that the
    environment sets, or that is already lower, does not change.
    """
    module = sys.modules.get("distributed.worker")
    if module is None or os.environ.get(_CACHE_LIMIT):
        return
    limits = [worker.memory_manager.memory_limit for worker in list(module.Worker._instances)]  # no public list exists
    if limits and all(limits):  # 0 or None if the worker has no limit
        share = sum(limits) // tuning.CACHE_SHARE
        if share < memory.statistics()["cache_limit"]:
            memory.set_cache_limit(share)


def _register_class(kind: type[Any]) -> None:
    """Register a class of chunks with Dask."""
    register_chunk_type(kind)
    for lookup, function in _TABLE.items():
        lookup.register(kind, function)
    sizeof.register(kind, attrgetter("nbytes"))


def register() -> None:
    """Register the classes of tensors and the backend "suanzi" with Dask. An import of `suanzi.interop.dask` calls
    `register`.
    """
    share_memory()
    _register_class(Tensor)
    devices.tell_classes(_register_class)
    array_creation_dispatch.register_backend("suanzi", Backend())
