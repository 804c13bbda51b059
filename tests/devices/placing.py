"""Helpers that move operands to a device, move results to the CPU, and compare results with the CPU's results."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import SuanziError, Tensor

sz: Any = suanzi
GPU = "gpu:0"
# A mark for tests that need a device with the host's memory, or that start programs which do not load the accelerator.
not_simulated = pytest.mark.skipif(os.environ.get("SUANZI_GPU") == "sim", reason="the device is simulated")


def there(x: Any) -> Any:
    """Return arguments with their tensors moved to the device."""
    if type(x) is Tensor:
        return x.to_device(GPU)
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)(map(there, x))
    return x


def here(x: Any) -> Any:
    """Return results with their tensors moved to the CPU. A result that is already on the CPU is an error."""
    if type(x) is Tensor:
        raise AssertionError("a result on the CPU")
    if isinstance(x, Tensor):
        assert x.device == GPU
        return x.to_device("cpu")
    if isinstance(x, (list, tuple)):
        return [here(item) for item in x]
    return x


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the status and the text of the call's error."""
    try:
        return call()
    except SuanziError as error:
        return error.status, str(error)


def assert_same(found: Any, expected: Any, ulp: float | None = None) -> None:
    """Check that types, shapes and elements are equal.

    With `ulp`, floating elements may differ by this number of ulps.
    """
    if isinstance(expected, Tensor):
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        a, b = found.numpy(), expected.numpy()
        if ulp is None or a.dtype.kind not in "fcV":
            if a.dtype.kind in "fcV":
                a, b = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (a, b))
                assert np.array_equal(np.signbit(a.real)[~np.isnan(a.real)], np.signbit(b.real)[~np.isnan(b.real)])
            assert np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        else:
            wide = [x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (a, b)]
            kind = {"float16": 2**-10, "bfloat16": 2**-7, "float64": 2**-52, "complex128": 2**-52}
            step = kind.get(expected.dtype.name, 2**-23)
            np.testing.assert_allclose(wide[0], wide[1], rtol=ulp * step, atol=ulp * step * 1e-3)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b, ulp)
    else:
        assert found == expected
