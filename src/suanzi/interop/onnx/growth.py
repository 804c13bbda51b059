"""The size of a call's work, by its operands: at least the elements of its results, up to a small factor.

Elements of intermediate values count as well. Only operators whose work is in proportion to that have a size: not
products of matrices, nor sorting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from suanzi import Tensor


def elements(shape: Iterable[int]) -> int:
    """Return at least the elements of the shape, and of a reduction's result: not 0 even along an axis of size 0."""
    return math.prod(max(size, 1) for size in shape)


def of_first(x: Tensor, *others: Any) -> int:
    """The number of elements of the first operand."""
    return elements(x.shape)


def broadcast(*operands: Any) -> int:
    """Return the number of elements to which the operands broadcast."""
    return together(*(x.shape for x in operands if isinstance(x, Tensor)))


def together(*shapes: tuple[int, ...]) -> int:
    """A number no less than that of the elements of the shape to which these broadcast."""
    rank = max(map(len, shapes))
    return math.prod(max(1, *sizes) for sizes in zip(*((1,) * (rank - len(s)) + s for s in shapes), strict=True))


def one_by_one(*operands: Any) -> int:
    """Return the elements of repeated broadcasts, one for each operand."""
    return broadcast(*operands) * len(operands)


def sequence(start: Tensor, limit: Tensor, delta: Tensor) -> float:
    """The number of elements from a start to a limit."""
    numbers: list[Any] = [x.item() for x in (start, limit, delta)]
    first, last, step = numbers
    return float(abs((last - first) / step)) + 1


def parts(*operands: Any) -> int:
    """All elements of all operands."""
    return sum(elements(x.shape) for x in operands)


def filled(shape: Any) -> int:
    """The elements of a shape that is given as numbers."""
    return elements(shape)


def expanded(x: Tensor, shape: tuple[int, ...]) -> int:
    """Return the number of elements to which an operand and a shape broadcast."""
    return together(x.shape, shape)


def chosen(x: Tensor, indices: Tensor) -> int:
    """The greatest number of chosen elements: everything along the other axes for each index."""
    return elements(x.shape) * elements(indices.shape)


def of_indices(x: Tensor, indices: Tensor) -> int:
    """One element for each index."""
    return elements(indices.shape)


def repeated(x: Tensor, times: Any) -> int:
    """Copies of the operand, so many along each axis."""
    return elements(x.shape) * elements(times)


def rank(x: Tensor) -> int:
    """A number for each axis."""
    return x.ndim


def one(x: Tensor) -> int:
    """One number."""
    return 1


BY_FAMILY: Mapping[str, Callable[..., float]] = {
    "elementwise": broadcast,
    **dict.fromkeys(("reduction", "scan", "view", "conversion", "reading"), of_first),
}
"""Of operators whose row says nothing else."""
