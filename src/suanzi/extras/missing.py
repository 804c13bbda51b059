"""Reductions that ignore NaN.

The functions accept one or several axes (by default all) and `keepdims`, like the standard's reductions.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.scaling import exponents, may_overflow, rescued, times_power
from suanzi.operators.arguments import Axes
from suanzi.operators.bitwise import bitwise_and, bitwise_right_shift
from suanzi.operators.comparison import equal
from suanzi.operators.complex_numbers import imag, real
from suanzi.operators.composition import (
    apart,
    floating_type,
    fold_of,
    numeric_operand,
    real_number,
    real_operand,
    widest,
)
from suanzi.operators.creation.filled import ones_like
from suanzi.operators.index.search import argmax, argmin
from suanzi.operators.logical import logical_and, logical_not
from suanzi.operators.power import sqrt, square
from suanzi.operators.query import isnan
from suanzi.operators.reduction import folds
from suanzi.operators.transform.elements import astype, where
from suanzi.tensor.dtypes import (
    DType,
    DTypeLike,
    as_dtype,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int64,
    string,
    uint64,
)
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError

# A variance below _LEAST_VARIANCE may be inaccurate, because squares of the deviations may underflow.
_LEAST_VARIANCE = 1e-280


def _filled(x: Tensor, value: float) -> Tensor:
    """Return the elements with `value` in place of NaN."""
    return _core.filled(x, value) if _has_nan(x) else x


def _has_nan(x: Tensor) -> bool:
    """Return whether the element type has NaN."""
    return x.dtype.kind_name.endswith("floating")


def _checked(operator: str, x: Tensor, axis: Axes, keepdims: bool, dtype: DTypeLike | None = None) -> Tensor:
    """Check a reduction's arguments and return the operand. Errors name the called function."""
    _folded(operator, x, axis)
    _core.read_truth(operator, "keepdims", keepdims)
    if dtype is not None and as_dtype(dtype, operator) is string:
        raise TypeMismatchError(f"{operator}: {x.dtype} cannot become string")
    return x


def _folded(operator: str, x: Tensor, axis: Axes) -> tuple[int, ...]:
    """Return the sizes of `x` along the axes of a reduction."""
    return x.shape if axis is None else tuple([x.shape[i] for i in _core.read_axes(operator, axis, x.ndim)])


def nansum(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, dtype: DTypeLike | None = None) -> Tensor:
    """Sum of the elements that are not NaN. The sum of no elements is 0.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, and of any type except string.
    axis, keepdims, dtype : optional
        The parameters of `suanzi.sum`.

    Returns
    -------
    Tensor
        A tensor of the type that `suanzi.sum` returns.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nansum(suanzi.tensor([1.0, float("nan"), 2.0])))
    3.0
    """
    x = _checked("nansum", numeric_operand("nansum", x), axis, keepdims, dtype)
    if not _has_nan(x):
        return folds.sum(x, axis, keepdims, dtype=dtype)
    return fold_of("sum", "filled", (x,), axis, keepdims, number=0, dtype=dtype)


def nanprod(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, dtype: DTypeLike | None = None) -> Tensor:
    """Product of the elements that are not NaN. The product of no elements is 1.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, and of any type except string.
    axis, keepdims, dtype : optional
        The parameters of `suanzi.prod`.

    Returns
    -------
    Tensor
        A tensor of the type that `suanzi.prod` returns.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanprod(suanzi.tensor([3.0, float("nan"), 2.0])))
    6.0
    """
    x = _checked("nanprod", numeric_operand("nanprod", x), axis, keepdims, dtype)
    if not _has_nan(x):
        return folds.prod(x, axis, keepdims, dtype=dtype)
    return fold_of("prod", "filled", (x,), axis, keepdims, number=1, dtype=dtype)


def _extreme(x: Any, operator: str, axis: Axes, keepdims: bool) -> Tensor:
    x = _checked(operator, real_operand(operator, x), axis, keepdims)
    if 0 in _folded(operator, x, axis):
        raise InvalidArgumentError(f"{operator}: there is no element along axis {axis} of shape {x.shape}")
    fold, least = ("max", -inf) if operator == "nanmax" else ("min", inf)
    if not _has_nan(x):
        return folds.reduce(x, fold, axis, keepdims)
    found = fold_of(fold, "filled", (x,), axis, keepdims, number=least)
    return where(fold_of("all", "missing", (x,), axis, keepdims), nan, found)


def nanmax(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Greatest element among the elements that are not NaN. The result is NaN if all elements are NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor with at least one element along the axes.
    axis, keepdims : optional
        The parameters of `suanzi.max`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.
    InvalidArgumentError
        The tensor has no element along the axes.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanmax(suanzi.tensor([1.0, float("nan"), 2.0])))
    2.0
    """
    return _extreme(x, "nanmax", axis, keepdims)


def nanmin(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Least element among the elements that are not NaN. The result is NaN if all elements are NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor with at least one element along the axes.
    axis, keepdims : optional
        The parameters of `suanzi.min`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.
    InvalidArgumentError
        The tensor has no element along the axes.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanmin(suanzi.tensor([1.0, float("nan"), 2.0])))
    1.0
    """
    return _extreme(x, "nanmin", axis, keepdims)


def _place(operator: str, x: Any, axis: int | None, keepdims: bool) -> Tensor:
    x = _checked(operator, real_operand(operator, x), axis, keepdims)
    if 0 in _folded(operator, x, axis):
        raise InvalidArgumentError(f"{operator}: there is no element along axis {axis} of shape {x.shape}")
    if axis is not None:
        axis = _core.read_axis(operator, axis, x.ndim)
    search, fold, least = (argmax, folds.max, -inf) if operator == "nanargmax" else (argmin, folds.min, inf)
    if not _has_nan(x):
        return search(x, axis, keepdims)
    missing = isnan(x)
    if folds.any(folds.all(missing, axis)):
        raise InvalidArgumentError(f"{operator}: all elements along axis {axis} are NaN")
    # An index of the extreme in the filled tensor would be wrong, because a replaced NaN may come before an infinite
    # element.
    extremes = fold(_filled(x, least), axis, True)
    return argmax(astype(logical_and(equal(x, extremes), logical_not(missing)), int8), axis, keepdims)


def nanargmax(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the first greatest element among the elements that are not NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor. Each slice along the axis needs at least one element that is not NaN.
    axis, keepdims : optional
        The parameters of `suanzi.argmax`.

    Returns
    -------
    Tensor
        An int64 tensor.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.
    InvalidArgumentError
        A slice along the axis has no element, or all elements of a slice are NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanargmax(suanzi.tensor([1.0, float("nan"), 2.0])))
    2
    """
    return _place("nanargmax", x, axis, keepdims)


def nanargmin(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Index of the first least element among the elements that are not NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor. Each slice along the axis needs at least one element that is not NaN.
    axis, keepdims : optional
        The parameters of `suanzi.argmin`.

    Returns
    -------
    Tensor
        An int64 tensor.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.
    InvalidArgumentError
        A slice along the axis has no element, or all elements of a slice are NaN.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanargmin(suanzi.tensor([float("nan"), 3.0, 2.0])))
    2
    """
    return _place("nanargmin", x, axis, keepdims)


def _count(x: Tensor, axis: Axes, keepdims: bool = True) -> Tensor:
    """Return the number of elements that are not NaN, in float64."""
    return fold_of("sum", "present", (x,), axis, keepdims, dtype=float64)


def _total(x: Tensor, axis: Axes, keepdims: bool = True) -> Tensor:
    """Return the sum of the elements that are not NaN, in float64 or complex128."""
    return fold_of("sum", "filled_wide", (x,), axis, keepdims, number=0)


def _wide_mean(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the mean of the elements that are not NaN, in float64 or complex128."""
    return _total(x, axis, keepdims) / _count(x, axis, keepdims)


def _scaled_mean(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the mean of the elements that are not NaN, even if the sum exceeds the range of float64."""
    scale = exponents(x, axis)
    small = times_power(x, -scale)
    mean = times_power(_wide_mean(small, axis, True), scale)
    return mean if keepdims else folds.max(mean, axis) if mean.dtype is float64 else folds.sum(mean, axis)


def _mean_of_words(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """Return the mean of 64-bit integers. The upper and the lower 32 bits are summed separately, without rounding."""
    low = bitwise_and(x, 2**32 - 1)
    high = bitwise_right_shift(x, 32)
    sums = [folds.sum(astype(part, int64, copy=False), axis, keepdims, dtype=int64) for part in (high, low)]
    total = astype(sums[0], float64) * 2.0**32 + astype(sums[1], float64)
    return total / folds.sum(ones_like(x, dtype=int64), axis, keepdims, dtype=float64)


def nanmean(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Arithmetic mean of the elements that are not NaN. The mean of no elements is NaN.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, and of any type except string.
    axis, keepdims : optional
        The parameters of `suanzi.mean`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float64.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanmean(suanzi.tensor([1.0, float("nan"), 2.0])))
    1.5
    """
    x = _checked("nanmean", numeric_operand("nanmean", x), axis, keepdims)
    if x.dtype in (int64, uint64):
        return astype(_mean_of_words(x, axis, keepdims), float32)
    mean = _wide_mean(x, axis, keepdims)
    if may_overflow(x) and x.size:
        mean = rescued(mean, lambda: _scaled_mean(x, axis, keepdims))
    return astype(mean, floating_type(x), copy=False)


def _variance(x: Tensor, axis: Axes, keepdims: bool, correction: float) -> Tensor:
    """Return the variance in float64 of the elements that are not NaN. The mean is subtracted before the squaring."""
    if x.dtype in (int64, uint64) and x.size:
        x = apart(x, folds.min(x, axis, True))
    count = _count(x, axis)
    mean = _total(x, axis) / count
    if x.dtype.kind_name == "complex floating":
        x = widest(x)
        total = folds.sum(where(isnan(x), 0, _size_squared(x - mean)), axis, keepdims)
    else:
        total = fold_of("sum", "squared_deviation", (x, mean), axis, keepdims)
    if not keepdims:
        count = folds.max(count, axis)  # `count` has size 1 along `axis`, so `max` only removes the axes
    return where(count > correction, total / (count - correction), nan)


def _size_squared(x: Tensor) -> Tensor:
    return square(real(x)) + square(imag(x))


def _deviation(x: Tensor, axis: Axes, keepdims: bool, correction: float) -> Tensor:
    """Return the standard deviation of the elements that are not NaN, even if squares exceed the range of float64."""
    scale = exponents(x, axis)
    root = times_power(sqrt(_variance(times_power(x, -scale), axis, True, correction)), scale)
    return root if keepdims else folds.max(root, axis)


def nanvar(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, correction: float = 0.0) -> Tensor:
    """Variance of the elements that are not NaN. The variance of at most `correction` elements is NaN.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, and of any type except string.
    axis, keepdims, correction : optional
        The parameters of `suanzi.var`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, of the type of the parts for complex numbers, or of float32 for integers and bool.
        The function computes in float64.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor, or `correction` is not a real number.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanvar(suanzi.tensor([1.0, float("nan"), 2.0])))
    0.25
    """
    x = _checked("nanvar", numeric_operand("nanvar", x), axis, keepdims)
    correction = real_number("nanvar", "correction", correction)
    variance = _variance(x, axis, keepdims, correction)
    if may_overflow(x) and x.size:
        variance = rescued(variance, lambda: square(_deviation(x, axis, keepdims, correction)))
    return astype(variance, _real_type(x), copy=False)


def nanstd(x: Tensor, /, axis: Axes = None, keepdims: bool = False, *, correction: float = 0.0) -> Tensor:
    """Standard deviation of the elements that are not NaN. For at most `correction` elements the result is NaN.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape, and of any type except string.
    axis, keepdims, correction : optional
        The parameters of `suanzi.std`.

    Returns
    -------
    Tensor
        A tensor of the type that `nanvar` returns.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor, or `correction` is not a real number.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanstd(suanzi.tensor([1.0, float("nan"), 2.0])))
    0.5
    """
    x = _checked("nanstd", numeric_operand("nanstd", x), axis, keepdims)
    correction = real_number("nanstd", "correction", correction)
    variance = _variance(x, axis, keepdims, correction)
    deviation = sqrt(variance)
    if may_overflow(x) and x.size:
        deviation = where(variance > _LEAST_VARIANCE, deviation, nan)
        deviation = rescued(deviation, lambda: _deviation(x, axis, keepdims, correction))
    return astype(deviation, _real_type(x), copy=False)


def _real_type(x: Tensor) -> DType:
    """Return the floating type of a real result for `x`. For a complex `x`, the type is the type of the parts."""
    dtype = floating_type(x)
    return {complex64: float32, complex128: float64}.get(dtype, dtype)
