"""The entry point for Dask. Dask loads this module during its own import, so the module must not import Dask.

`suanzi.interop.dask` makes the other registrations. Two calls import `suanzi.interop.dask`. Before a tensor becomes
chunks, Dask calls the tensor's ``__dask_tokenize__``. A worker process, which receives ready-made tensors, calls
`sizeof` for the size of a tensor in bytes. A third entry point, ``dask.array.backends``, names the class
`suanzi.interop.dask.Backend`.
"""

from __future__ import annotations

from typing import Any


def register_sizeof(sizeof: Any) -> None:
    """Register a function that imports `suanzi.interop.dask` when Dask first calls `sizeof` for a tensor. Dask finds
    `register_sizeof` by an entry point of the group ``dask.sizeof``.
    """

    @sizeof.register_lazy("suanzi")  # type: ignore[untyped-decorator]
    def register() -> None:
        import suanzi.interop.dask  # noqa: F401
