"""Sums, and means and variances, which of integers are float64, as the array API asks."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.defaults import FLOATING, is_of_integers, named, naming_types
from suanzi.operators.arguments import Axes
from suanzi.operators.reduction import folds, scans
from suanzi.tensor.dtypes import DTypeLike

cumulative_prod = naming_types(scans.cumulative_prod)
cumulative_sum = naming_types(scans.cumulative_sum)
prod = naming_types(folds.prod)
sum = naming_types(folds.sum)


def _type_for(x: Tensor, dtype: DTypeLike | None, out: Tensor | None) -> DTypeLike | None:
    """The type to ask for: the default where integers leave it open."""
    return FLOATING if is_of_integers(x) and dtype is None and out is None else named(dtype)


def mean(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """As `suanzi.mean`, but of integers float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.mean(xp.asarray([1, 2]))
    tensor(1.5, dtype=float64)
    """
    return _core.mean(x, axis, keepdims, _type_for(x, dtype, out), out)


def std(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """As `suanzi.std`, but of integers float64."""
    return _core.std(x, axis, keepdims, correction, _type_for(x, dtype, out), out)


def var(
    x: Tensor,
    /,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """As `suanzi.var`, but of integers float64.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.var(xp.asarray([1, 2]))
    tensor(0.25, dtype=float64)
    """
    return _core.var(x, axis, keepdims, correction, _type_for(x, dtype, out), out)
