"""Parts of the tensors that `suanzi.uniform`, `suanzi.normal` and `suanzi.bernoulli` draw: elements from any one on.

Each has the bits that it has in the whole, which nobody needs to draw: processes that share out a tensor draw their
parts alone. The core draws from a multiple of a block on; elements before the first one are cut off.
"""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.creation.filled import zeros
from suanzi.operators.operands import Scalar
from suanzi.operators.transform.joining import concat
from suanzi.tensor.dtypes import DType

_BLOCK = 32  # elements, random_step of the core, which refuses what is no multiple


def uniform(
    first: int, n: int, low: Scalar | Tensor | None, high: Scalar | Tensor | None, seed: int, dtype: DType
) -> Tensor:
    """Elements `first` to ``first + n`` of ``suanzi.uniform(…, low, high, seed, dtype=dtype)``, flat."""
    skip = first % _BLOCK
    return _core.uniform_from(first - skip, n + skip, low, high, seed, dtype)[skip:]


def normal(first: int, n: int, mean: Scalar | Tensor, std: Scalar | Tensor, seed: int, dtype: DType) -> Tensor:
    """Elements of ``suanzi.normal(…, mean, std, seed, dtype=dtype)``."""
    skip = first % _BLOCK
    return _core.normal_from(first - skip, n + skip, mean, std, seed, dtype)[skip:]


def bernoulli(first: int, p: Tensor, seed: int) -> Tensor:
    """Return elements from number `first` on of a whole ``suanzi.bernoulli(…, seed)``; `p` has their probabilities,
    flat.
    """
    skip = first % _BLOCK
    return _core.bernoulli_from(first - skip, concat([zeros(skip, dtype=p.dtype), p]) if skip else p, seed)[skip:]
