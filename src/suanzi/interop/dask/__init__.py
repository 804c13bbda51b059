"""Dask arrays whose chunks are tensors: registrations, and random arrays that do not depend on their chunks.

    import dask.array as da
    import suanzi

    x = da.from_array(suanzi.zeros((1000, 1000)), chunks=(100, 1000))
    with dask.config.set({"array.backend": "suanzi"}):
        y = da.ones((1000, 1000), chunks=(100, 1000))
    (x + y).mean(axis=0).compute()  # a tensor

Programs need not import this package (`suanzi.interop.dask_entry` says how Dask finds the package). The package dask is
an extra: ``pip install 'suanzi[dask]'``.
"""

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError("suanzi.interop.dask: the package dask is missing; pip install 'suanzi[dask]'") from error

from suanzi.interop.dask.backend import Backend, to_suanzi
from suanzi.interop.dask.random import bernoulli, normal, uniform
from suanzi.interop.dask.registrations import register, token

register()

__all__ = ["Backend", "bernoulli", "normal", "to_suanzi", "token", "uniform"]
