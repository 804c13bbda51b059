"""The provider of libsuanzi, the library with the C interface in Suanzi's package."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import suanzi
from suanzi import _core

from .c_calls import CallError
from .c_library import INTERFACE, CLibrary

LIBRARY = Path(suanzi.__file__).parent / "lib" / "libsuanzi.so"


class LibSuanzi(CLibrary):
    """The provider that calls libsuanzi. libsuanzi uses the BLAS library that the package suanzi has found."""

    claims = frozenset(("repetition", "correct rounding", "negative strides", INTERFACE))

    def __init__(self, device: str = "") -> None:
        super().__init__(LIBRARY, device)
        self.name = "libsuanzi"
        with suppress(CallError):  # no BLAS library was found, or a BLAS library is loaded already
            self.calls.call("set_blas", _core.blas()["path"].encode())
