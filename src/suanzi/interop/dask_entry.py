"""Entry point for Dask. Dask loads it during its own import, so it must not import Dask.

Two things lead Dask to `suanzi.interop.dask`, which registers all else: the name that it asks of a tensor
(``__dask_tokenize__``) before it makes chunks of one, and in worker processes, where tensors arrive ready-made, the
number of their bytes. A third entry point, ``dask.array.backends``, names the class `suanzi.interop.dask.Backend`.
"""

from __future__ import annotations

from typing import Any


def register_sizeof(sizeof: Any) -> None:
    """The entry point in the group ``dask.sizeof``, which Dask loads when it first meets a tensor."""

    @sizeof.register_lazy("suanzi")  # type: ignore[untyped-decorator]
    def register() -> None:
        import suanzi.interop.dask  # noqa: F401
