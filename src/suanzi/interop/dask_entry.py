"""The entry point for Dask. Dask loads this module during its own import, so the module must not import Dask.

`suanzi.interop.dask` makes the other registrations. Two requests load `suanzi.interop.dask`. Dask asks a tensor for the
tensor's token (``__dask_tokenize__``) before the tensor becomes chunks. Worker processes, which receive ready-made
tensors, ask for the size of a tensor in bytes. A third entry point, ``dask.array.backends``, names the class
`suanzi.interop.dask.Backend`.
"""

from __future__ import annotations

from typing import Any


def register_sizeof(sizeof: Any) -> None:
    """Register a function that imports `suanzi.interop.dask` when Dask first asks for the size of a tensor. Dask finds
    `register_sizeof` by an entry point of the group ``dask.sizeof``.
    """

    @sizeof.register_lazy("suanzi")  # type: ignore[untyped-decorator]
    def register() -> None:
        import suanzi.interop.dask  # noqa: F401
