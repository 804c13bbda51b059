"""Means and variances: those of integers are float64, as the array API asks. The functions are those of `suanzi`."""

from __future__ import annotations

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.data_types import FLOATING
from suanzi.operators.arguments import Axes
from suanzi.tensor.dtypes import DTypeLike


def _type_for(x: Tensor, dtype: DTypeLike | None, out: Tensor | None) -> DTypeLike | None:
    """The type to ask for: the default where integers leave it open."""
    integers = isinstance(x, Tensor) and (x.dtype.is_integer or x.dtype.kind_name == "bool")
    return FLOATING if integers and dtype is None and out is None else dtype


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
