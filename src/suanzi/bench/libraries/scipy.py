"""SciPy as a library on NumPy arrays, and its functions for cases of sparse matrices."""

from __future__ import annotations

import scipy

from suanzi.conformance.providers.numpy import NumPy


class SciPy(NumPy):
    """The library SciPy, which is timed in the cases that have a call of SciPy."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "scipy"

    def version(self) -> str:
        return str(scipy.__version__)
