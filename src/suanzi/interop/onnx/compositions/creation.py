"""Operators that make tensors from shapes and numbers: constants, sequences, random numbers."""

from __future__ import annotations

import math
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axis, single
from suanzi.interop.onnx.types import dtype_of


def constant_of_shape(shape: Integers, *, value: Tensor | None = None) -> Tensor:
    if value is None:
        return suanzi.zeros(shape, dtype=suanzi.float32)
    return suanzi.full(shape, value.item(), dtype=value.dtype)


def eye_like(x: Tensor, *, k: int, dtype: int | None = None) -> Tensor:
    if x.ndim != 2:
        raise DimensionsMismatchError(f"EyeLike: x of shape {x.shape} is not a matrix")
    rows, columns = x.shape
    return suanzi.eye(rows, columns, k, dtype=_dtype(dtype, x.dtype, "EyeLike"))


def sequence(start: Tensor, limit: Tensor, delta: Tensor, *, stash_type: int = 1) -> Tensor:
    """Return the numbers from `start` up to `limit`, without `limit` itself."""
    numbers: list[Any] = [x.item() for x in (start, limit, delta)]
    first, last, step = numbers
    if step == 0:
        raise InvalidArgumentError("Range: delta is 0")
    return suanzi.arange(first, last, step, dtype=start.dtype)


def one_hot(indices: Tensor, depth: int | Integers, values: Tensor, *, axis: int) -> Tensor:
    """Return one-hot vectors. A vector has ``values[1]`` at the index's position, and ``values[0]`` at all other
    positions. For an index outside [-`depth`, `depth`), all positions have ``values[0]``.
    """
    if values.shape != (2,):
        raise DimensionsMismatchError(f"OneHot: values has shape {values.shape}, not (2,)")
    count, rank = int(single(depth, "OneHot")), indices.ndim + 1
    along = positive_axis(axis, rank, "OneHot")
    indices = suanzi.expand_dims(suanzi.astype(indices, suanzi.int64), along)
    indices = suanzi.where(suanzi.less(indices, 0), indices + count, indices)
    places = suanzi.reshape(suanzi.arange(count, dtype=suanzi.int64), (-1,) + (1,) * (rank - 1 - along))
    off, on = suanzi.unstack(values)
    return suanzi.where(suanzi.equal(indices, places), on, off)


def random_uniform(*, shape: Integers, low: float, high: float, dtype: int = 1, seed: float | None = None) -> Tensor:
    return suanzi.uniform(shape, low, high, _seed(seed), dtype=dtype_of(dtype, "RandomUniform"))


def random_normal(*, shape: Integers, mean: float, scale: float, dtype: int = 1, seed: float | None = None) -> Tensor:
    return suanzi.normal(shape, mean, scale, _seed(seed), dtype=dtype_of(dtype, "RandomNormal"))


def random_uniform_like(
    x: Tensor, *, low: float, high: float, dtype: int | None = None, seed: float | None = None
) -> Tensor:
    return suanzi.uniform_like(x, low, high, _seed(seed), dtype=_dtype(dtype, x.dtype, "RandomUniformLike"))


def random_normal_like(
    x: Tensor, *, mean: float, scale: float, dtype: int | None = None, seed: float | None = None
) -> Tensor:
    return suanzi.normal_like(x, mean, scale, _seed(seed), dtype=_dtype(dtype, x.dtype, "RandomNormalLike"))


def bernoulli(x: Tensor, *, dtype: int | None = None, seed: float | None = None) -> Tensor:
    draws = suanzi.bernoulli(x, _seed(seed))
    return suanzi.astype(draws, _dtype(dtype, x.dtype, "Bernoulli"), copy=False)


def multinomial(x: Tensor, *, sample_size: int, dtype: int, seed: float | None = None) -> Tensor:
    """Return random class indices for given logarithms of probabilities."""
    weights = suanzi.exp(x - suanzi.max(x, -1, True))
    draws = suanzi.multinomial(weights, sample_size, seed=_seed(seed), output="indices")
    return suanzi.astype(draws, dtype_of(dtype, "Multinomial"), copy=False)


def _dtype(code: int | None, default: DType, operator: str) -> DType:
    return default if code is None else dtype_of(code, operator)


def _seed(seed: float | None) -> int:
    """Return suanzi's seed for a seed of ONNX. The result for None is 0, for which suanzi chooses a seed."""
    if seed is None:
        return 0
    if not math.isfinite(seed):
        raise InvalidArgumentError(f"seed {seed} is not finite")
    return hash(float(seed)) % 2**64 or 1
