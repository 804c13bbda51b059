"""Estimates of a call's work from its operands. The size of the results is at most a small multiple of the estimate.

An estimate is a number of elements, and also counts the elements of intermediate values. Only operators whose work is
in proportion to the counted elements have an estimate, so products of matrices and sorting have no estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from suanzi import Tensor


def elements(shape: Iterable[int]) -> int:
    """Return a bound on the number of elements of a shape, and of a reduction of that shape. A size of 0 counts as
    1.
    """
    return math.prod(max(size, 1) for size in shape)


def of_first(x: Tensor, *others: Any) -> int:
    """Return the number of elements of the first operand. A size of 0 counts as 1."""
    return elements(x.shape)


def broadcast(*operands: Any) -> int:
    """Return an upper bound of the number of elements of the shape to which the operands broadcast."""
    return together(*(x.shape for x in operands if isinstance(x, Tensor)))


def together(*shapes: tuple[int, ...]) -> int:
    """Return an upper bound of the number of elements of the shape to which the given shapes broadcast."""
    rank = max(map(len, shapes))
    return math.prod(max(1, *sizes) for sizes in zip(*((1,) * (rank - len(s)) + s for s in shapes), strict=True))


def one_by_one(*operands: Any) -> int:
    """Return an upper bound of the sum of the numbers of elements of all operands, each broadcast to the common
    shape.
    """
    return broadcast(*operands) * len(operands)


def sequence(start: Tensor, limit: Tensor, delta: Tensor) -> float:
    """Return an upper bound of the number of elements from `start` to `limit` in steps of `delta`."""
    numbers: list[Any] = [x.item() for x in (start, limit, delta)]
    first, last, step = numbers
    return float(abs((last - first) / step)) + 1


def parts(*operands: Any) -> int:
    """Return the number of elements of all operands. A size of 0 counts as 1."""
    return sum(elements(x.shape) for x in operands)


def filled(shape: Any) -> int:
    """Return the number of elements of a shape that is given as numbers. A size of 0 counts as 1."""
    return elements(shape)


def expanded(x: Tensor, shape: tuple[int, ...]) -> int:
    """Return an upper bound of the number of elements of the shape to which the operand and `shape` broadcast."""
    return together(x.shape, shape)


def chosen(x: Tensor, indices: Tensor) -> int:
    """Return a bound of the number of elements that `indices` select. An index selects at most all elements of `x`."""
    return elements(x.shape) * elements(indices.shape)


def of_indices(x: Tensor, indices: Tensor) -> int:
    """Return the number of elements of `indices`. A size of 0 counts as 1."""
    return elements(indices.shape)


def repeated(x: Tensor, times: Any) -> int:
    """Return the number of elements of the operand repeated `times` along each axis. A size or a factor of 0 counts as
    1.
    """
    return elements(x.shape) * elements(times)


def rank(x: Tensor) -> int:
    """Return the number of axes of the operand, for a result with one element per axis."""
    return x.ndim


def one(x: Tensor) -> int:
    """Return 1, for a result of one element."""
    return 1


BY_FAMILY: Mapping[str, Callable[..., float]] = {
    "elementwise": broadcast,
    **dict.fromkeys(("reduction", "scan", "view", "conversion", "reading"), of_first),
}
"""Estimates, by family, for operators whose row in the table has no estimate."""
