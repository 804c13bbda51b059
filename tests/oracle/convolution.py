"""Convolutions as direct loops in NumPy, for any of its types."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Pairs = list[tuple[int, int]]


def convolved(
    x: Array, weight: Array, bias: Array | None, stride: Any, padding: Pairs, dilation: Any, groups: int
) -> Array:
    """Compute each result as a sum over its window."""
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    inner = weight.shape[1]
    sizes = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], weight.shape[2:], stride, dilation, strict=True)
    ]
    result = np.zeros((len(x), len(weight), *sizes), x.dtype)
    for m, place in product(range(len(weight)), np.ndindex(*sizes)):
        group = m * groups // len(weight)
        window = tuple(
            slice(p * s, p * s + d * (k - 1) + 1, d)
            for p, s, d, k in zip(place, stride, dilation, weight.shape[2:], strict=True)
        )
        below = x[(slice(None), slice(group * inner, (group + 1) * inner), *window)]
        result[(slice(None), m, *place)] = (below * weight[m]).reshape(len(x), -1).sum(1)
    return result if bias is None else result + bias.reshape(-1, *[1] * len(sizes))


def transposed(
    x: Array, weight: Array, bias: Array | None, stride: Any, padding: Pairs, more: Any, dilation: Any, groups: int
) -> Array:
    """Add each input element times the kernel to the results that it reaches."""
    inner, outer, kernel = len(weight) // groups, weight.shape[1], weight.shape[2:]
    whole = [
        s * (n - 1) + d * (k - 1) + 1 + a
        for n, k, s, d, a in zip(x.shape[2:], kernel, stride, dilation, more, strict=True)
    ]
    result = np.zeros((len(x), groups * outer, *whole), x.dtype)
    for c, place in product(range(x.shape[1]), np.ndindex(*x.shape[2:])):
        group = c // inner
        window = tuple(
            slice(p * s, p * s + d * (k - 1) + 1, d) for p, s, d, k in zip(place, stride, dilation, kernel, strict=True)
        )
        element = x[(slice(None), c, *place)].reshape(-1, *[1] * (weight.ndim - 1))
        result[(slice(None), slice(group * outer, (group + 1) * outer), *window)] += element * weight[c]
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * len(whole))
    cut = tuple(slice(before, n - after) for n, (before, after) in zip(whole, padding, strict=True))
    return result[(slice(None), slice(None), *cut)]
