"""Reductions, and searches along an axis. The axes of a reduction are an attribute or, in later versions, an input."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axes, positive_axis, single

Axes = int | tuple[int, ...] | None


def log_sum(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    return suanzi.log(suanzi.sum(x, axis, keepdims))


def norm1(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the sum of absolute values. Integers are summed as integers."""
    return suanzi.sum(suanzi.abs(x), axis, keepdims) if x.dtype.is_integer else suanzi.norm1(x, axis, keepdims)


def mean(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the arithmetic mean. The mean of integers is computed exactly and then truncated.

    The sum of integers may not fit the type of the integers. The function therefore divides each integer by the number
    of elements, and sums quotients and remainders separately. Both sums fit the type.
    """
    if not x.dtype.is_integer or not x.size:
        return suanzi.mean(x, axis, keepdims)
    axes = positive_axes(axis if isinstance(axis, tuple | None) else (axis,), x.ndim, "ReduceMean")
    wide = suanzi.astype(x, suanzi.uint64 if x.dtype is suanzi.uint64 else suanzi.int64, copy=False)
    count = suanzi.full((), math.prod(x.shape[axis] for axis in axes), dtype=wide.dtype)
    quotients = suanzi.floor_divide(wide, count)
    left = suanzi.sum(wide - quotients * count, axes, keepdims)
    whole = suanzi.sum(quotients, axes, keepdims) + suanzi.floor_divide(left, count)
    if wide.dtype is suanzi.uint64:
        return whole
    is_cut = suanzi.logical_and(suanzi.less(whole, 0), suanzi.not_equal(suanzi.remainder(left, count), 0))
    return whole + suanzi.astype(is_cut, suanzi.int64)


def sum_of_squares(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    return suanzi.sum(suanzi.square(x), axis, keepdims)


def extreme(name: str) -> Callable[..., Tensor]:
    """Make a function from `suanzi.max` or `suanzi.min`. For an empty tensor, the function returns the least (max) or
    the greatest (min) number of the type.
    """
    return partial(_extreme, getattr(suanzi, name), name == "min")


def _extreme(function: Callable[..., Tensor], is_least: bool, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    if x.size:
        return function(x, axis, keepdims)
    ends: tuple[float, float] = (-math.inf, math.inf)
    if x.dtype is suanzi.bool or x.dtype.is_integer:
        ends = (False, True) if x.dtype is suanzi.bool else x.dtype.limits
    shape = suanzi.sum(x, axis, keepdims).shape
    return suanzi.full(shape, ends[is_least], dtype=x.dtype)


def reduction(function: Callable[[Tensor, Axes, bool], Tensor]) -> Callable[..., Tensor]:
    """Make a reduction from `function`. The reduction accepts ONNX's attributes. The result has the type of the
    input.
    """

    return partial(_reduced, function)


def _reduced(
    function: Callable[[Tensor, Axes, bool], Tensor],
    x: Tensor,
    axes: Integers | None = None,
    *,
    keepdims: int,
    noop_with_empty_axes: int = 0,
) -> Tensor:
    if not axes:  # an empty list means all axes, unless noop_with_empty_axes is set
        axes = () if noop_with_empty_axes else None
    return suanzi.astype(function(x, axes, bool(keepdims)), x.dtype, copy=False)


def arg_search(function: Callable[..., Tensor]) -> Callable[..., Callable[[Tensor], Tensor]]:
    """Make a function that accepts the attributes of ArgMax or ArgMin, and returns a function of the tensor. If the
    attribute `select_last_index` is set, the result is the index of the last of equal elements.
    """

    return partial(_arg_search, function)


def _arg_search(
    function: Callable[..., Tensor], *, axis: int, keepdims: int, select_last_index: int = 0
) -> Callable[[Tensor], Tensor]:
    forward = partial(function, axis=axis, keepdims=bool(keepdims))
    return partial(_last_index, forward, axis) if select_last_index else forward


def _last_index(forward: Callable[[Tensor], Tensor], axis: int, x: Tensor) -> Tensor:
    last = x.shape[positive_axis(axis, x.ndim, "ArgMax")] - 1
    return last - forward(suanzi.flip(x, axis))


def scan(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make a function that calls `cumulative_sum` or `cumulative_prod`. The result has the type of the input. The axis
    may be a vector of one element.
    """

    return partial(_scanned, function)


def _scanned(
    function: Callable[..., Tensor], x: Tensor, axis: int | Integers, *, exclusive: int, reverse: int
) -> Tensor:
    along = single(axis, "CumSum")
    return function(x, axis=along, dtype=x.dtype, exclusive=bool(exclusive), reverse=bool(reverse))


def topk(x: Tensor, k: int | Integers, *, axis: int, largest: int = 1, sorted: int = 1) -> tuple[Tensor, Tensor]:
    return suanzi.topk(x, single(k, "TopK"), axis, bool(largest), bool(sorted))


def unique(x: Tensor, *, sorted: int, axis: int | None = None) -> tuple[Tensor, ...]:
    asked = {"return_index": True, "return_inverse": True, "return_counts": True}
    values, first, inverse, counts = suanzi.unique(x, axis=axis, **asked)
    inverse = suanzi.reshape(inverse, (inverse.size,))
    if not sorted:  # the values must keep the order of first occurrence
        order = suanzi.argsort(first)
        along = 0 if axis is None else axis
        values, first = suanzi.gather(values, order, along), suanzi.gather(first, order)
        inverse, counts = suanzi.gather(suanzi.argsort(order), inverse), suanzi.gather(counts, order)
    return values, first, inverse, counts
