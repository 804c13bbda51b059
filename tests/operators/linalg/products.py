"""The oracle of products: NumPy's products in a wider type, and an error bound that holds for any order of the sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import suanzi
from suanzi import Tensor
from suanzi.tensor.dtypes import DTYPES

Array = Any
NAMES = tuple(dtype.name for dtype in DTYPES if dtype.name != "string")
_HALVES = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


def numbers(shape: tuple[int, ...], name: str, seed: int = 0) -> Array:
    """Make random elements of a type. Integers are from the type's whole range, and one in five bools is true."""
    generator = np.random.default_rng([seed, *shape])
    dtype = suanzi.as_dtype(name).numpy
    if name == "bool":
        return generator.random(shape) < 0.2
    if dtype.kind in "iu":
        return generator.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    values = generator.standard_normal(shape)
    if name.startswith("complex"):
        values = values + 1j * generator.standard_normal(shape)
    return np.asarray(values).astype(dtype)


# The error of a product in float64 is below 2**-30 of the bound for float32. NumPy computes products far faster in
# float64 than in long double.
_WIDER = {"e": np.float64, "f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}


def _widened(a: Array) -> Array:
    a = a.astype(np.float32) if a.dtype == _HALVES["bfloat16"] else a
    return a.astype(_WIDER.get(a.dtype.char, a.dtype))


def _sizes(a: Array) -> Array:
    """Return the elements' absolute values for an error bound. Float64 is exact enough for the bound."""
    return np.asarray(abs(_widened(a)).astype(np.float64))


def check(result: Tensor, function: Callable[..., Array], *operands: Array, k: int) -> None:
    """Check that `result` is `function(*operands)` within the error of elements that are sums of about `k` products."""
    exact = np.asarray(function(*map(_widened, operands)))
    found = result.numpy()
    name = result.dtype.name
    assert result.shape == exact.shape
    if exact.dtype.kind not in "fc":
        assert found.dtype == exact.dtype
        np.testing.assert_array_equal(found, exact)
        return
    assert name == operands[0].dtype.name
    magnitude = np.asarray(function(*map(_sizes, operands)))
    # Higham, Accuracy and Stability of Numerical Algorithms, 3.5. The error of complex products is larger by a factor
    # of at most 2 sqrt 2.
    bound = 3.0 * (k + 2) * np.finfo("float64" if name in ("float64", "complex128") else "float32").eps * magnitude
    if name in _HALVES:
        bound = bound + float(ml_dtypes.finfo(_HALVES[name]).eps) * (abs(exact) + bound) + 1e-7
    assert np.all(abs(_widened(found) - exact) <= bound)
