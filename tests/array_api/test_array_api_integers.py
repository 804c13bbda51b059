"""In the array API all linear algebra of integers, except plain products, computes in float64."""

from __future__ import annotations

import pytest

from suanzi import array_api as xp


def test_integers_are_taken_as_float64() -> None:
    large = 2**24 + 1
    x = xp.asarray([[large, 4097], [4097, 1]])
    assert xp.linalg.det(x).dtype is xp.float64
    assert float(xp.linalg.det(x)) == pytest.approx(large - 4097**2, rel=1e-9)
    assert int(xp.linalg.matrix_rank(x)) == 2
    inverse = xp.linalg.matrix_power(x, -1)
    assert inverse.dtype is xp.float64
    assert bool(xp.all(inverse == xp.linalg.inv(x)))
    assert xp.linalg.matrix_power(x, 2).dtype is xp.int64
