"""Broadcasting before opset 7: only the second operand broadcasts, and only if the attribute `broadcast` is set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import suanzi
from suanzi import DimensionsMismatchError, OutOfRangeError, Tensor

Binary = Callable[[Tensor, Tensor], Tensor]


def aligned(a: Tensor, b: Tensor, broadcast: int, axis: int | None, operator: str) -> Tensor:
    """Return `b` in a shape that broadcasts to the shape of `a` by the rules of later opsets.

    If `broadcast` is 0, the shapes must be equal. Otherwise `b` has one element and no more dimensions than `a`, or the
    shape of `b` equals neighbouring sizes of `a`: the last sizes, or the sizes that begin at `axis`. A size of 1 in `b`
    fits any size of `a`. ONNX's text excludes sizes of 1, but PyTorch's exporter wrote sizes of 1, and ONNX's tests
    expect this rule.
    """
    if a.shape == b.shape:
        return b
    if not broadcast:
        raise DimensionsMismatchError(f"{operator}: shapes {a.shape} and {b.shape} differ and broadcast is not set")
    if b.size == 1 and b.ndim <= a.ndim:
        return suanzi.reshape(b, ())
    if axis is not None and not 0 <= axis < max(a.ndim, 1):
        raise OutOfRangeError(f"{operator}: axis {axis} is outside [0, {a.ndim})")
    start = a.ndim - b.ndim if axis is None else axis
    sizes = a.shape[start : start + b.ndim] if start >= 0 else ()
    if len(sizes) < b.ndim or any(size not in (1, wanted) for size, wanted in zip(b.shape, sizes, strict=True)):
        place = "the end" if axis is None else f"axis {axis}"
        raise DimensionsMismatchError(
            f"{operator}: shape {b.shape} does not fit the sizes of shape {a.shape} at {place}"
        )
    return suanzi.reshape(b, b.shape + (1,) * (a.ndim - start - b.ndim))


def limited(function: Binary, name: str) -> Callable[..., Tensor]:
    """Make a function that also accepts the attributes `broadcast` and `axis` for an operator of two operands."""

    return partial(_limited, function, name)


def _limited(
    function: Binary, name: str, a: Tensor, b: Tensor, /, *, broadcast: int = 0, axis: int | None = None
) -> Tensor:
    return function(a, aligned(a, b, broadcast, axis, name))
