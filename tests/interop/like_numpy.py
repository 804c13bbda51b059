"""Comparisons of functions' results for tensors with NumPy's results for the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import Tensor


def plain(value: Any) -> Any:
    """Convert tensors to NumPy arrays, also within tuples and lists."""
    if isinstance(value, Tensor):
        return value.numpy()
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value


def tensors_in(value: Any) -> list[Any]:
    return [part for item in value for part in tensors_in(item)] if isinstance(value, tuple | list) else [value]


def assert_like_numpy(found: Any, expected: Any) -> None:
    """Check that results are tensors or bools with NumPy's shapes and numbers, or equal other objects."""
    parts, wanted = tensors_in(found), tensors_in(expected)
    assert len(parts) == len(wanted)
    for part, array in zip(parts, wanted, strict=True):
        if isinstance(array, np.ndarray | np.generic):
            assert isinstance(part, Tensor | bool)
            np.testing.assert_allclose(plain(part), array, rtol=1e-12, atol=1e-14)
            assert np.shape(plain(part)) == array.shape
        else:
            assert part == array
