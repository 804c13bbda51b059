"""Dask's creation functions with tensors as chunks: the backend of ``dask.config.set({"array.backend": "suanzi"})``."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.array.backends import ArrayBackendEntrypoint

import suanzi
from suanzi import Tensor
from suanzi.tensor.exchange import as_tensor


def to_suanzi(chunk: Any, **options: Any) -> Tensor:
    """Return a chunk of any kind as a tensor, on the same memory if possible."""
    return as_tensor(chunk, None, "to_backend")


class RandomState:
    """NumPy's RandomState with tensors in place of arrays: ``dask.array.random`` draws the same numbers as with NumPy.

    The drawn numbers depend on the chunks of the Dask array. The numbers of `suanzi.interop.dask.uniform` and similar
    functions do not depend on the chunks.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._state = np.random.RandomState(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._state, name)

        def draw(*args: Any, **kwargs: Any) -> Any:
            drawn = method(*args, **kwargs)
            return as_tensor(drawn, None, name) if isinstance(drawn, np.ndarray | np.generic) else drawn

        return draw


def _creation(name: str) -> staticmethod[..., Any]:
    def create(*args: Any, meta: Any = None, **kwargs: Any) -> Any:
        like = suanzi.empty(0) if meta is None else meta
        kind = {"like": kwargs.pop("like", None) or like} if name == "arange" else {"meta": like}
        with dask.config.set({"array.backend": "numpy"}):
            return getattr(da, name)(*args, **kind, **kwargs)

    create.__name__ = name
    return staticmethod(create)


class Backend(ArrayBackendEntrypoint):  # type: ignore[misc]
    """The backend that Dask finds by the entry point "suanzi" in the group ``dask.array.backends``."""

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return to_suanzi

    @classmethod
    def to_backend(cls, data: Any, **options: Any) -> Any:
        """Return the Dask array `data` with tensors as chunks."""
        return data if isinstance(data._meta, Tensor) else data.map_blocks(to_suanzi, **options)

    @property
    def RandomState(self) -> type:  # the name that Dask uses
        return RandomState

    @property
    def default_bit_generator(self) -> type:
        return np.random.PCG64

    ones, zeros, empty, full, arange = map(_creation, ("ones", "zeros", "empty", "full", "arange"))
