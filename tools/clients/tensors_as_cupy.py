"""A replacement for the package cupy. The arrays of the replacement are Suanzi's tensors.

The functions of the replacement call NumPy's functions and convert the resulting arrays to tensors. chunk_tests.py
copies this file to conftest.py of Dask's tests.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi.interop.dask.backend import RandomState
from suanzi.tensor.exchange import as_tensor


def tensors(x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x)(map(tensors, x))
    return as_tensor(x, None, "cupy") if isinstance(x, np.ndarray | np.generic) else x


class Names(ModuleType):
    """A NumPy module or object whose functions return tensors instead of arrays."""

    def __init__(self, name: str, of: Any) -> None:
        super().__init__(name)
        self._of = of

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if isinstance(found, type) or not callable(found):
            return found
        return lambda *args, **kwargs: tensors(found(*args, **kwargs))


def default_rng(*args: Any) -> Names:
    return Names("default_rng", np.random.default_rng(*args))


cupy: Any = Names("cupy", np)
cupy.__version__ = "13.0.0"  # some tests require a recent version
cupy.ndarray = suanzi.Tensor
cupy.asnumpy = np.asarray
cupy.linalg = Names("cupy.linalg", np.linalg)
cupy.random = Names("cupy.random", np.random)
cupy.random.RandomState = RandomState
cupy.random.default_rng = default_rng
sys.modules["cupy"] = cupy


# --- the rest of Dask's own conftest.py ---


@pytest.fixture
def xfail(request: pytest.FixtureRequest) -> Callable[[str], None]:
    return lambda reason: request.node.add_marker(pytest.mark.xfail(reason=reason))


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("gpu", "flaky"):
        config.addinivalue_line("markers", marker)
