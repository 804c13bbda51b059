"""Ufuncs that Suanzi lacks, which NumPy itself computes with the memory of tensors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from like_numpy import assert_like_numpy

import suanzi
from samples import fails
from suanzi import TypeMismatchError

pytestmark = pytest.mark.one_level

A = np.array([[0.25, 0.5, 0.75], [0.125, 0.625, 0.875]])
B = np.array([[0.5, 0.25, 2.0], [1.5, 0.75, 0.5]])
X, Y = suanzi.tensor(A), suanzi.tensor(B)


def test_ufuncs_that_numpy_computes() -> None:
    """Numbers in the results of a ufunc without a counterpart become tensors. Objects stay NumPy's."""
    assert_like_numpy(scipy.special.gamma(X), scipy.special.gamma(A))
    assert_like_numpy(scipy.special.beta(A, Y), scipy.special.beta(A, B))
    assert_like_numpy(list(scipy.special.sici(X)), list(scipy.special.sici(A)))
    assert_like_numpy(scipy.special.gamma(X[0, 0]), scipy.special.gamma(A[:1, 0])[0])
    integers = suanzi.tensor([3, 4], dtype="int32")
    assert scipy.special.gamma(integers).dtype is suanzi.float64
    assert scipy.special.gamma(suanzi.astype(X, "float32")).dtype is suanzi.float32
    target, array = suanzi.zeros((2, 3), dtype="float64"), np.zeros((2, 3))
    assert scipy.special.gamma(X, out=target) is target
    assert scipy.special.gamma(X, out=array) is array
    assert target.tolist() == array.tolist() == scipy.special.gamma(A).tolist()
    doubled = np.frompyfunc(lambda x: 2 * x, 1, 1)(X)
    assert (type(doubled), doubled.dtype, doubled.tolist()) == (np.ndarray, object, (2 * A).tolist())
    with pytest.raises(KeyError, match=r"7\.0"):
        np.frompyfunc({}.pop, 1, 1)(suanzi.tensor([7.0]))
    with fails(TypeMismatchError, "numpy.gammaln"):
        scipy.special.gammaln(X + 1j)


def test_bfloat16_in_ufuncs_that_numpy_computes() -> None:
    """NumPy computes in float32, and the result is rounded once."""
    x = suanzi.tensor([1.5, 2.5, 40.25], dtype="bfloat16")
    wide = x.numpy().astype("float32")
    for found, expected in (
        (scipy.special.gammaln(x), scipy.special.gammaln(wide)),
        (np.add.reduceat(x, [0, 2]), np.add.reduceat(wide, [0, 2])),
    ):
        assert found.dtype is suanzi.bfloat16
        assert found.tolist() == suanzi.tensor(expected, dtype="bfloat16").tolist()
    assert np.spacing(x).tolist() == [2.0**-7, 2.0**-6, 2.0**-2]
    assert scipy.special.beta(x, suanzi.ones(3)).dtype is suanzi.float32
