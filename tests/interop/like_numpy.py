"""Results of tensors beside NumPy's of the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from suanzi import Tensor


def plain(value: Any) -> Any:
    """Tensors as NumPy's arrays, in tuples and lists too."""
    if isinstance(value, Tensor):
        return value.numpy()
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value


def tensors_in(value: Any) -> list[Any]:
    return [part for item in value for part in tensors_in(item)] if isinstance(value, tuple | list) else [value]


def assert_like_numpy(found: Any, expected: Any) -> None:
    """Tensors, of NumPy's shapes and numbers."""
    parts, wanted = tensors_in(found), tensors_in(expected)
    assert len(parts) == len(wanted)
    for part, array in zip(parts, wanted, strict=True):
        if isinstance(array, np.ndarray | np.generic):
            assert isinstance(part, Tensor | bool)
            np.testing.assert_allclose(plain(part), array, rtol=1e-12, atol=1e-14)
            assert np.shape(plain(part)) == array.shape
        else:
            assert part == array
