"""Functions that draw a part of a tensor of `suanzi.uniform`, `suanzi.normal` or `suanzi.bernoulli`. A part may begin
at any element.

A part has the bits of the corresponding elements of the whole tensor. Processes that share a tensor draw only their own
parts, and no process needs to draw the whole tensor. The core draws whole blocks, and the functions cut off the
elements before the first requested element.
"""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.creation.filled import zeros
from suanzi.operators.operands import Scalar
from suanzi.operators.transform.joining import concat
from suanzi.tensor.dtypes import DType

_BLOCK = 32  # the core's `random_step`: a draw of the core begins at a multiple of this number


def uniform(
    first: int, n: int, low: Scalar | Tensor | None, high: Scalar | Tensor | None, seed: int, dtype: DType
) -> Tensor:
    """Return the elements first, …, first + n - 1 of the flat ``suanzi.uniform(…, low, high, seed, dtype=dtype)``."""
    skip = first % _BLOCK
    return _core.uniform_from(first - skip, n + skip, low, high, seed, dtype)[skip:]


def normal(first: int, n: int, mean: Scalar | Tensor, std: Scalar | Tensor, seed: int, dtype: DType) -> Tensor:
    """Return the elements first, …, first + n - 1 of the flat ``suanzi.normal(…, mean, std, seed, dtype=dtype)``."""
    skip = first % _BLOCK
    return _core.normal_from(first - skip, n + skip, mean, std, seed, dtype)[skip:]


def bernoulli(first: int, p: Tensor, seed: int) -> Tensor:
    """Return consecutive elements of the flat ``suanzi.bernoulli(…, seed)``. The first returned element has the flat
    index `first`.

    `p` is a vector of the probabilities of the returned elements.
    """
    skip = first % _BLOCK
    return _core.bernoulli_from(first - skip, concat([zeros(skip, dtype=p.dtype), p]) if skip else p, seed)[skip:]
