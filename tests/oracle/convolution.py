"""Convolutions in NumPy for any of NumPy's types, by loops over the elements of the kernel or of the input."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Pairs = list[tuple[int, int]]


def convolved(
    x: Array, weight: Array, bias: Array | None, stride: Any, padding: Pairs, dilation: Any, groups: int
) -> Array:
    """Compute a convolution. A loop adds the contribution of each kernel element to all elements of the result."""
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    outer, inner, kernel = len(weight) // groups, weight.shape[1], weight.shape[2:]
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    result = np.zeros((len(x), groups, outer, *sizes), x.dtype)
    for element in np.ndindex(*kernel):
        reached = tuple(
            slice(e * d, e * d + s * (n - 1) + 1, s)
            for e, d, s, n in zip(element, dilation, stride, sizes, strict=True)
        )
        below = x[(slice(None), slice(None), *reached)].reshape(len(x), groups, inner, *sizes)
        result += np.einsum("bgi...,goi->bgo...", below, weight[(..., *element)].reshape(groups, outer, inner))
    result = result.reshape(len(x), len(weight), *sizes)
    return result if bias is None else result + bias.reshape(-1, *[1] * len(sizes))


def transposed(
    x: Array, weight: Array, bias: Array | None, stride: Any, padding: Pairs, more: Any, dilation: Any, groups: int
) -> Array:
    """Compute a transposed convolution. A loop adds each input element times the kernel to a window of the result."""
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
