"""SciPy as a timed library whose tensors are NumPy arrays."""

from __future__ import annotations

import scipy

from suanzi.conformance.providers.numpy import NumPy


class SciPy(NumPy):
    """The provider of SciPy. SciPy is timed only in cases that have a call of SciPy."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "scipy"

    def version(self) -> str:
        return str(scipy.__version__)
