"""Reductions of sparse tensors compute in the wide types of dense reductions, and round once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import suanzi

BEYOND: dict[str, tuple[str, list[Any], str, dict[str, Any], Any]] = {
    "mean of wide integers": ("mean", [16777217, -16777216], "int32", {}, 0.5),
    "mean of a great sum": ("mean", [3e38, 3e38], "float32", {}, float(np.float32(3e38))),
    "mean of a sum beyond float64": ("mean", [1.7e308, 1.7e308, 1.7e308], "float64", {}, 1.7e308),
    "mean of infinity": ("mean", [math.inf, 1.0], "float64", {}, math.inf),
    "mean of a complex sum": ("mean", [1e308 + 1.5e308j] * 4, "complex128", {}, 1e308 + 1.5e308j),
    "complex mean of infinity": ("mean", [-math.inf, 1.0], "float64", {"dtype": "complex64"}, complex(-math.inf, 0)),
    "complex mean of infinities": ("mean", [math.inf], "float32", {"dtype": "complex128"}, complex(math.inf, 0)),
    "complex mean in halves": ("mean", [math.inf], "float16", {"dtype": "complex64"}, complex(math.inf, 0)),
    "narrow sum of great numbers": ("sum", [1e308, -1e308], "float64", {"dtype": "float32"}, 0.0),
    "narrow mean of digits": ("mean", [2049.0, -2048.0], "float32", {"dtype": "float16"}, 0.5),
    "narrow product of great numbers": ("prod", [2.0**900, 2.0**-900], "float64", {"dtype": "float32"}, 1.0),
    "complex sum of digits": ("sum", [16777217.0, -16777216.0], "float64", {"dtype": "complex64"}, 1 + 0j),
    "complex mean of a great sum": ("mean", [1.7e308] * 3, "float64", {"dtype": "complex128"}, 1.7e308 + 0j),
    "complex mean of digits": ("mean", [16777217.0, -16777216.0], "float64", {"dtype": "complex64"}, 0.5 + 0j),
    "complex mean of integers": ("mean", [16777217, -16777216], "int32", {"dtype": "complex64"}, 0.5 + 0j),
    "product by way of infinity": ("prod", [1e200, 1e200, 1e-200, 1e-200], "float64", {}, 1.0),
    "product by way of zero": ("prod", [1e-200, 1e-200, 1e200, 1e200], "float64", {}, 1.0),
    "product with a zero": ("prod", [1e30, 1e30, 0.0], "float32", {}, 0.0),
    "product beyond float64 with a zero": ("prod", [1e200, 1e200, 0.0], "float64", {}, 0.0),
    "product of infinity with a zero": ("prod", [math.inf, 2.0, 0.0], "float64", {}, math.nan),
    "product of integers in float32": ("prod", [2**31 - 1] * 5 + [0], "int32", {"dtype": "float32"}, 0.0),
    "product of integers in float16": ("prod", [300] * 20 + [0], "int32", {"dtype": "float16"}, 0.0),
    "product of complex numbers": ("prod", [1e200 + 0j, 1e200 * 1j, 1e-200 + 0j, 1e-200 + 0j], "complex128", {}, 1j),
    "sum of digits": ("sum", [1e8, 1.0, -1e8], "float32", {}, 1.0),
    "sum by way of infinity": ("sum", [3e38, 3e38, -3e38], "float32", {}, float(np.float32(3e38))),
}


@pytest.mark.parametrize("name", BEYOND)
def test_reductions_compute_in_wide_types(name: str) -> None:
    """Sums, means and products are right if the result is in the range of the type, for every axis and format."""
    called, values, dtype, options, expected = BEYOND[name]
    column = np.array(values, dtype)
    one = np.ones_like(column)
    for array, axis, picked in (
        (np.stack([column, one], 1), 0, 0),
        (np.stack([one, column], 0), 1, 1),
        (column, None, ()),
        (column.reshape(-1, 1), (0, 1), ()),
    ):
        dense = suanzi.tensor(array)
        forms = [dense.to_sparse("coo"), *([dense.to_sparse("csr")] if array.ndim == 2 else [])]
        if array.ndim == 2:
            forms.append(suanzi.sparse_tensor(array.shape[:1], np.arange(len(array))[:, None], array))
        for x in forms:
            found = getattr(suanzi, called)(x, axis, **options)[picked].item()
            assert found == pytest.approx(expected, rel=1e-15, nan_ok=True)
    fused = suanzi.fuse(lambda x: getattr(suanzi, called)(x, 0, **options))
    x = suanzi.tensor(np.stack([column, one], 1)).to_sparse()
    for _ in range(2):
        assert fused(x)[0].item() == pytest.approx(expected, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("result", ["complex64", "complex128"])
def test_complex_means_agree_with_dense_means(dtype: str, result: Any) -> None:
    """Means in a complex type have the parts of the dense means, also if elements are infinite or NaN."""
    parts = [-math.inf, math.inf, math.nan, 0.0, 1.5]
    values = [complex(a, b) for a in parts for b in parts] if dtype.startswith("complex") else parts
    for value in values:
        dense = suanzi.tensor(np.array([[value, 0], [0, 2]], dtype))
        for form in ("coo", "csr"):
            for axis in (None, 0, 1):
                found = suanzi.mean(dense.to_sparse(form), axis, dtype=result).numpy()
                expected = suanzi.mean(dense, axis, dtype=result).numpy()
                assert found.dtype == expected.dtype == result
                np.testing.assert_array_equal(found.real, expected.real)
                np.testing.assert_array_equal(found.imag, expected.imag)


def test_products_of_groups_of_many_sizes() -> None:
    """Products whose partial products leave the range of float64 are right for each row, whatever the row stores."""
    draw = np.random.default_rng(3)
    powers = draw.integers(-900, 900, (40, 30)) * (draw.random((40, 30)) < draw.random((40, 1)) * 1.2)
    powers[:, -1] = 0
    powers[:, -2] -= powers.sum(1)
    powers[:, -2] = np.clip(powers[:, -2], -1000, 1000)
    dense = np.where((powers == 0) & (draw.random((40, 1)) < 0.5), 0.0, 2.0 ** np.clip(powers, -1000, 1000))
    expected = []
    for row in dense:
        power = sum(math.frexp(v)[1] - 1 for v in row)
        expected.append(0.0 if 0.0 in row else math.inf if power > 1023 else 2.0**power)
    for x in (suanzi.tensor(dense).to_sparse("coo"), suanzi.tensor(dense).to_sparse("csr")):
        assert suanzi.prod(x, 1).tolist() == expected
        assert suanzi.prod(x.T, 0).tolist() == expected
