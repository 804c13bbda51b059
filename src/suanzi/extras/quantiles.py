"""Quantiles and medians by sorting. Some functions return NaN if an element is NaN, and other functions ignore NaN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import nan, prod
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.devices import placed
from suanzi.operators.arguments import Axes
from suanzi.operators.arithmetic import positive
from suanzi.operators.comparison import equal
from suanzi.operators.composition import floating_type, real_operand, widest
from suanzi.operators.creation.data import from_reference
from suanzi.operators.creation.filled import full
from suanzi.operators.index.sorting import sort
from suanzi.operators.query import isnan
from suanzi.operators.reduction.folds import sum
from suanzi.operators.rounding import ceil, floor, rint
from suanzi.operators.transform.elements import astype, clip, where
from suanzi.operators.transform.gathering import take_along_axis
from suanzi.operators.transform.rearranging import moveaxis
from suanzi.operators.transform.shape import broadcast_to, permute_dims, reshape
from suanzi.tensor.dtypes import float64, int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    AllocFailedError,
    InternalError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    UninitializedObjectError,
)


class Method(NamedTuple):
    """A rule for the position of quantile q among n sorted elements. The first element has position 0, and the quantile
    has position ``alpha - 1 + q (n + 1 - alpha - beta)``.
    """

    alpha: Fraction
    beta: Fraction
    place: Callable[[Tensor], Tensor] = positive  # a function that rounds a position between two elements


def _middle(place: Tensor) -> Tensor:
    return (floor(place) + ceil(place)) / 2


# Methods of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996),
# 361-365, under NumPy's names, and methods that round the position of the usual method, "linear".
METHODS = {
    "linear": Method(Fraction(1), Fraction(1)),
    "lower": Method(Fraction(1), Fraction(1), floor),
    "higher": Method(Fraction(1), Fraction(1), ceil),
    "nearest": Method(Fraction(1), Fraction(1), rint),
    "midpoint": Method(Fraction(1), Fraction(1), _middle),
    "interpolated_inverted_cdf": Method(Fraction(0), Fraction(1)),
    "hazen": Method(Fraction(1, 2), Fraction(1, 2)),
    "weibull": Method(Fraction(0), Fraction(0)),
    "median_unbiased": Method(Fraction(1, 3), Fraction(1, 3)),
    "normal_unbiased": Method(Fraction(3, 8), Fraction(3, 8)),
}
_NAMES = tuple(METHODS)


def quantile(
    x: Tensor,
    /,
    q: float | Sequence[float] | Tensor,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    method: str = "linear",
) -> Tensor:
    """Quantiles: the values that are greater than given shares of the elements along axes (分位数).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.
    q : float, sequence of float or Tensor
        The shares of the elements that are below the quantiles, from 0 to 1.
    axis : int or tuple of int, optional
        The axes, by default all axes.
    keepdims : bool, optional
        Keep the reduced axes with size 1.
    method : str, optional
        The rule for a quantile between two elements: "linear", "lower", "higher", "nearest", "midpoint",
        "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" or "normal_unbiased", as in `numpy.quantile`.

    Returns
    -------
    Tensor
        The quantiles. The shape is the shape of `q`, followed by the kept axes of `x`. The type is the type of `x`, or
        float32 for integers and bool. The function computes in float64. The quantiles are NaN if an element is NaN, or
        if `x` has no elements.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor, or `q` is not made of numbers.
    OutOfRangeError
        A share is outside [0, 1], or `axis` is not an axis of `x`.
    InvalidArgumentError
        `method` is not the name of a method.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.quantile(suanzi.tensor([3.0, 1.0, 4.0, 2.0]), [0.0, 0.5, 0.9])
    tensor([1. , 2.5, 3.7])
    """
    return _quantile("quantile", x, q, axis, keepdims, method, False)


def median(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The middle of the sorted elements along axes, or the mean of the two elements in the middle (中位数).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.
    axis : int or tuple of int, optional
        The axes, by default all axes.
    keepdims : bool, optional
        Keep the reduced axes with size 1.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The median is NaN if an element is NaN, or if
        `x` has no elements.

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.median(suanzi.tensor([3.0, 1.0, 4.0, 2.0])))
    2.5
    """
    return _quantile("median", x, 0.5, axis, keepdims, "linear", False)


def nanquantile(
    x: Tensor,
    /,
    q: float | Sequence[float] | Tensor,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    method: str = "linear",
) -> Tensor:
    """The result of `quantile` for the elements that are not NaN. The quantile of no elements is NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.
    q : float, sequence of float or Tensor
        The shares of the elements that are below the quantiles, from 0 to 1.
    axis, keepdims, method : optional
        The parameters of `quantile`.

    Returns
    -------
    Tensor

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor, or `q` is not made of numbers.
    OutOfRangeError
        A share is outside [0, 1], or `axis` is not an axis of `x`.
    InvalidArgumentError
        `method` is not the name of a method.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanquantile(suanzi.tensor([float("nan"), 1.0, 3.0]), 0.25))
    1.5
    """
    return _quantile("nanquantile", x, q, axis, keepdims, method, True)


def nanmedian(x: Tensor, /, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The result of `median` for the elements that are not NaN. The median of no elements is NaN.

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.
    axis, keepdims : optional
        The parameters of `median`.

    Returns
    -------
    Tensor

    Raises
    ------
    TypeMismatchError
        `x` is a complex tensor or a string tensor.
    OutOfRangeError
        `axis` is not an axis of `x`.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.extras.nanmedian(suanzi.tensor([float("nan"), 1.0, 3.0])))
    2.0
    """
    return _quantile("nanmedian", x, 0.5, axis, keepdims, "linear", True)


def _quantile(operator: str, x: Any, q: Any, axis: Axes, keepdims: bool, method: str, without_nan: bool) -> Tensor:
    dtype = floating_type(real_operand(operator, x))
    x = x if x.dtype is dtype else widest(x)  # float32 cannot represent all integers
    axes = tuple(range(x.ndim)) if axis is None else _core.read_axes(operator, axis, x.ndim)
    keepdims = _core.read_truth(operator, "keepdims", keepdims)
    chosen = METHODS[_NAMES[_core.read_choice(operator, "method", method, _NAMES)]]
    shares = placed(_shares(operator, q), x.device, operator)
    kept = [i for i in range(x.ndim) if i not in axes]
    left = tuple(x.shape[i] for i in kept)
    rows = reshape(permute_dims(x, (*kept, *axes)), (*left, prod(x.shape[i] for i in axes)))
    found = _of_rows(rows, reshape(shares, shares.size), chosen, without_nan)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keepdims else left
    return astype(reshape(moveaxis(found, -1, 0), shares.shape + shape), dtype, copy=False)


def _shares(operator: str, q: Any) -> Tensor:
    try:
        given = astype(q, float64).numpy() if isinstance(q, Tensor) else np.asarray(q)
        if given.dtype.kind not in "biuf" and not all(isinstance(x, Real) for x in given.ravel()):
            raise TypeError
        shares = np.array(given, np.float64)
    except OverflowError:  # integers beyond the range of float64 are outside [0, 1]
        shares = np.array(np.inf)
    except (AllocFailedError, InternalError, UninitializedObjectError):
        raise
    except MemoryError as error:
        raise AllocFailedError(f"{operator}: q {shown(q)} has more elements than the memory can hold") from error
    except (BufferError, RuntimeError) as error:  # such as a tensor of PyTorch with a gradient
        raise InvalidArgumentError(f"{operator}: the memory of q {shown(q)} cannot be read: {error}") from error
    except (TypeError, ValueError):
        raise TypeMismatchError(f"{operator}: q {shown(q)} is not made of numbers") from None
    if not ((shares >= 0) & (shares <= 1)).all():
        raise OutOfRangeError(f"{operator}: q {shown(q)} is not in [0, 1]")
    return from_reference(shares)


def _of_rows(rows: Tensor, shares: Tensor, method: Method, without_nan: bool) -> Tensor:
    """Return the quantiles of each row along the last axis, in float64 and in the order of the shares."""
    length = rows.shape[-1]
    shape = (*rows.shape[:-1], shares.size)
    if length == 0:
        return full(shape, nan, dtype=float64, device=rows.device)
    ordered = sort(rows)  # NaNs come last
    if without_nan:
        count = astype(sum(astype(isnan(rows) == False, int64), -1, True), float64)  # noqa: E712
    else:
        count = full((*rows.shape[:-1], 1), length, dtype=float64, device=rows.device)
    alpha, beta, place = method
    # The factors below are integers, so that thirds cause no rounding that moves a position away from an element.
    unit = alpha.denominator
    position = (shares * (count * unit + int(unit * (1 - alpha - beta))) + int(unit * (alpha - 1))) / unit
    at = clip(place(position), 0, where(count > 0, count - 1, 0))
    below = floor(at)
    lower, upper = (
        astype(take_along_axis(ordered, astype(broadcast_to(i, shape), int64), -1), float64) for i in (below, ceil(at))
    )
    share = at - below
    # For equal elements and integer positions the result is the element itself, even if the element is infinite.
    between = lower * (1 - share) + upper * share
    found = where(equal(lower, upper), lower, where(equal(share, 0), lower, between))
    last = ordered[..., -1:]
    return where(equal(count, 0), nan, found) if without_nan else where(isnan(last), nan, found)
