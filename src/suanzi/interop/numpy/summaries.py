"""NumPy's summaries that differ from Suanzi's functions, on tensors: weighted means, covariances, norms, traces,
histograms.

Each function computes in a type that can hold its intermediate values. The module `functions` contains the table of
NumPy's functions.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, extras
from suanzi.extras.statistics import unrounded
from suanzi.interop.numpy.arguments import operand
from suanzi.interop.numpy.elements import beside
from suanzi.interop.numpy.indices import digitize
from suanzi.interop.numpy.picking import numpys_errors
from suanzi.operators.composition import widest
from suanzi.tensor.dtypes import DType
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    TypeMismatchError,
    ZeroWeightsError,
)

# --- integers ---

# Functions that NumPy computes in float64 for integers. Suanzi's own functions use float32, which cannot represent all
# integers.
IN_DOUBLE = (
    *("mean", "average", "std", "var", "median", "quantile", "percentile", "cov", "corrcoef"),
    *("nanmean", "nanstd", "nanvar", "nanmedian", "nanquantile", "nanpercentile"),
)


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that converts integer and bool operands to float64, and then calls `function`."""

    def call(*operands: Any, **options: Any) -> Any:
        return function(*map(_widened, operands), **options)

    return call


def _widened(x: Any) -> Any:
    return suanzi.astype(x, suanzi.float64) if isinstance(x, Tensor) and x.dtype.kind in "biu" else x


# --- means with weights ---


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    """Return the weighted mean, as `numpy.average` does. `weights` has the shape of `x`, or the sizes of `x` along
    `axis`. If `returned` is True, the result is a pair of the mean and the sum of weights.
    """
    x = as_tensor(x, None, "numpy.average")
    axes = tuple(range(x.ndim)) if axis is None else _axes("numpy.average", axis, x.ndim)
    if weights is None:
        found = suanzi.mean(x, axes, keepdims)
        dtype = found.dtype
        weights = suanzi.broadcast_to(suanzi.ones((), dtype=suanzi.float64, device=x.device), x.shape)
        if x.size == 0:  # a mean of no elements is NaN
            if found.size == 0:  # NumPy divides by the number of means, 0
                raise ZeroWeightsError(f"numpy.average: shape {shown(x.shape)} has no mean along axis {shown(axis)}")
            count = suanzi.full_like(found, prod(x.shape[a] for a in axes))
            return (found, count) if returned else found
        if not returned and (dtype.itemsize <= 4 or bool(suanzi.all(suanzi.isfinite(found)))):
            return found
    else:
        weights = as_tensor(weights, None, "numpy.average")
        dtype = _floating_type(x, weights)
        weights = _beside(x, weights, axis, axes)
        if x.size == 0 and bool(suanzi.any(suanzi.sum(weights, axes) == 0)):  # NumPy checks weights first
            raise ZeroWeightsError("numpy.average: the weights sum to 0")
        weights = suanzi.broadcast_to(weights, x.shape)
    found, total = _weighted_mean(widest(x), widest(weights), axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    found, total = (suanzi.reshape(suanzi.astype(v, dtype, copy=False), shape) for v in (found, total))
    return (found, total) if returned else found


def _beside(x: Tensor, weights: Tensor, axis: Any, axes: tuple[int, ...]) -> Tensor:
    """Return the weights with as many dimensions as `x`. Weights for `axis` have size 1 along the other dimensions."""
    if weights.shape == x.shape:
        return weights
    if axis is None or weights.shape != tuple(x.shape[a] for a in axes):
        raise DimensionsMismatchError(
            f"numpy.average: weights of shape {weights.shape} are neither for all of {x.shape} nor for axis {axis}"
        )
    ordered = suanzi.permute_dims(weights, tuple(np.argsort(axes).tolist()))
    return suanzi.reshape(ordered, tuple(n if a in axes else 1 for a, n in enumerate(x.shape)))


_SAFE = 2.0**-900, 2.0**900  # sums of numbers in this range neither overflow nor lose digits


def _weighted_mean(x: Tensor, weights: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Return the weighted mean and the sum of weights along axes. The reduced axes have size 1. If no weight is
    negative, the mean of real elements is within the range of the elements.
    """
    products = x * weights
    total = suanzi.sum(weights, axes, True)
    found = suanzi.sum(products, axes, True) / total
    zero = total == 0
    if x.size:
        within = suanzi.logical_and(_is_safe(products, axes), _is_safe(weights, axes))
        if not bool(suanzi.all(within)):
            x_scale, weight_scale = _power_of_two(x, axes), _power_of_two(weights, axes)
            shares = weights / weight_scale
            sums = suanzi.sum(shares, axes, True)
            scaled = suanzi.sum(x / x_scale * shares, axes, True) / sums * x_scale
            found, zero = suanzi.where(within, found, scaled), suanzi.where(within, zero, sums == 0)
    if bool(suanzi.any(zero)):
        raise ZeroWeightsError("numpy.average: the weights sum to 0")
    if x.size and x.dtype.kind == weights.dtype.kind == "f" and bool(suanzi.all(weights >= 0)):
        found = suanzi.clip(found, suanzi.min(x, axes, True), suanzi.max(x, axes, True))
    return found, total


def _size(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the greatest absolute value along axes. For complex elements, return the greatest absolute value of the
    real and imaginary parts.
    """
    parts = (suanzi.real(x), suanzi.imag(x)) if x.dtype.kind == "c" else (x,)
    sizes = [suanzi.max(suanzi.abs(part), axes, True) for part in parts]
    return suanzi.maximum(*sizes) if len(sizes) > 1 else sizes[0]


def _is_safe(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    size = _size(x, axes)
    return suanzi.logical_and(size >= _SAFE[0], size <= _SAFE[1])


def _power_of_two(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the greatest power of two that is at most the greatest absolute value along axes. A division by a power of
    two does not round.
    """
    bits = suanzi.contiguous(_size(x, axes)).view(suanzi.int64)
    power = suanzi.bitwise_and(bits, 0x7FF0000000000000).view(suanzi.float64)
    return suanzi.clip(power, 2.0**-1022, 2.0**1023)


def _floating_type(*tensors: Tensor) -> DType:
    """Return the type of a mean: the common type of floating operands, or float32 if all operands are integers."""
    floating = [x.dtype for x in tensors if x.dtype.kind in "fc"]
    return suanzi.array_api.result_type(*floating) if floating else suanzi.float32


# --- quantiles ---


def percentiles(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make a function that accepts quantiles in percent, as in NumPy, from a function that accepts fractions."""

    def call(x: Tensor, q: Any, **options: Any) -> Tensor:
        percents = as_tensor(q, None, name)
        if percents.dtype.kind not in "buif":
            raise TypeMismatchError(f"{name}: q {shown(q)} is not made of real numbers")
        return function(x, percents.numpy().astype(np.float64) / 100, **options)

    return call


# --- covariances and histograms ---


def bincount(x: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    name = "numpy.bincount"
    weights = None if weights is None else _widened(beside([x], as_tensor(weights, None, name)))
    return extras.bincount(suanzi.astype(x, suanzi.int64) if x.dtype is suanzi.bool else x, weights, minlength)


def cov(
    x: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Tensor:
    """Return the covariances of the variables of `x` and `y`. Each row is a variable, or each column if `rowvar` is
    False.
    """
    rows, dtype = _variables("numpy.cov", x, y, rowvar)
    weights = {
        name: None if given is None else as_tensor(given, None, "numpy.cov")
        for name, given in (("fweights", fweights), ("aweights", aweights))
    }
    found = extras.cov(rows, correction=(0 if bias else 1) if ddof is None else ddof, **weights)
    return _squeezed(found, dtype)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Tensor:
    rows, dtype = _variables("numpy.corrcoef", x, y, rowvar)
    return _squeezed(extras.corrcoef(rows), dtype)


def _squeezed(found: Tensor, dtype: DType) -> Tensor:
    """Return a matrix in the type `dtype`. As in NumPy, a matrix of one element becomes a tensor of shape ()."""
    return suanzi.astype(suanzi.reshape(found, ()) if found.size == 1 else found, dtype, copy=False)


def _variables(name: str, x: Any, y: Any, rowvar: bool) -> tuple[Tensor, DType]:
    """Return the variables of `x` and `y` as the rows of one matrix, and the type of the result."""
    given = [as_tensor(v, None, name) for v in (x, y) if v is not None]
    dtype = _floating_type(*given)
    rows = []
    for part in given:
        if part.ndim > 2:
            raise DimensionsMismatchError(f"{name}: shape {part.shape} has more than two dimensions")
        if part.ndim < 2:
            rows.append(suanzi.reshape(part, (1, -1) if part.size else (1, 0)))
        else:
            rows.append(part if rowvar or (rows and part.shape[0] == 1) else suanzi.matrix_transpose(part))
    # A single operand keeps its type, because `extras.cov` and `extras.corrcoef` choose the computing type.
    return (suanzi.concat([widest(part) for part in rows], 0) if len(rows) > 1 else rows[0]), dtype


def histogram(x: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    name = "numpy.histogram"
    values = as_tensor(x, None, name)
    bins = _by_rule(name, values, bins, range, weights) if isinstance(bins, str) else operand(name, bins)
    weights = None if weights is None else as_tensor(weights, None, name)
    if weights is not None and weights.dtype.kind in "biu" and not density:  # sums of integers do not round
        counts, edges = unrounded(values, bins, range, weights, weights.dtype)
    else:
        counts, edges = extras.histogram(values, bins, range, weights=weights, density=bool(density))
    return extras.Histogram(counts, bins if isinstance(bins, Tensor) else edges)


def _by_rule(name: str, x: Tensor, rule: str, range: Any, weights: Any) -> Tensor:
    """Return the edges of bins by a rule of NumPy, such as "auto". NumPy reads the elements and applies the rule."""
    if weights is not None:
        raise TypeMismatchError(f"{name}: bins = {shown(rule)} counts elements, and accepts no weights")
    if x.dtype is suanzi.bool:
        x = suanzi.astype(x, suanzi.uint8)  # as NumPy does with a warning
    # A bin of integers is at least 1 wide, so integers stay integers.
    values = x if x.dtype.is_integer else widest(x)
    with numpys_errors(name):
        edges = suanzi.tensor(np.histogram_bin_edges(values.numpy(), rule, range))
    # Without a rule, edges also have float64 or float32.
    return edges if values.dtype.is_integer or x.dtype is suanzi.float64 else suanzi.astype(edges, suanzi.float32)


def histogram_bin_edges(x: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    edges: Tensor = histogram(x, bins, range, weights=weights).edges
    return edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the number of pairs in each two-dimensional bin, and the edges of the bins along both axes."""
    name = "numpy.histogram2d"
    first, second = as_tensor(x, None, name), as_tensor(y, None, name)
    if first.shape != second.shape or first.ndim != 1:
        raise DimensionsMismatchError(
            f"{name}: operands of shapes {first.shape} and {second.shape} are not vectors of one length"
        )
    both = not isinstance(bins, int | np.integer) and len(bins) not in (1, 2)  # one sequence of edges, for both axes
    counts, (rows, columns) = _counted(name, [first, second], [bins, bins] if both else bins, range, density, weights)
    return counts, rows, columns


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the number of points (rows) in each multidimensional bin, and the edges of the bins along each axis."""
    name = "numpy.histogramdd"
    if isinstance(sample, Tensor | np.ndarray):
        points = as_tensor(sample, None, name)
        points = suanzi.reshape(points, (-1, 1)) if points.ndim == 1 else points
        columns = list(suanzi.unstack(points, 1))
    else:
        columns = [as_tensor(column, None, name) for column in sample]
    return _counted(name, columns, bins, range, density, weights)


def _counted(
    name: str, columns: list[Tensor], bins: Any, range: Any, density: Any, weights: Any
) -> tuple[Tensor, tuple[Tensor, ...]]:
    each = [bins] * len(columns) if isinstance(bins, int | np.integer) else list(bins)
    each = each * len(columns) if len(each) == 1 else each
    ranges = [None] * len(columns) if range is None else list(range)
    if len(each) != len(columns) or len(ranges) != len(columns):
        raise DimensionsMismatchError(
            f"{name}: {len(each)} bins and {len(ranges)} ranges do not fit {len(columns)} axes"
        )
    floats = [column.dtype for column in columns]
    common = suanzi.array_api.result_type(*floats) if all(t.kind == "f" for t in floats) else suanzi.float64
    device = columns[0].device
    places, inside = (
        suanzi.zeros((), dtype=suanzi.int64, device=device),
        suanzi.ones((), dtype=suanzi.bool, device=device),
    )
    edges: list[Tensor] = []
    for column, of, ends in zip(columns, each, ranges, strict=True):
        bounds = histogram_bin_edges(column if column.dtype.kind in "iu" else widest(column), of, ends)
        if isinstance(of, int | np.integer):
            bounds = suanzi.astype(bounds, common, copy=False)
        count = bounds.size - 1
        at = digitize(column, bounds) - 1
        # The last bin contains its upper edge. `digitize` compares integers with edges without rounding.
        is_last = suanzi.logical_and(at == count, digitize(column, bounds[-1:], right=True) == 0)
        at = suanzi.where(is_last, count - 1, at)
        inside = suanzi.logical_and(inside, suanzi.logical_and(at >= 0, at < count))
        places = places * count + suanzi.clip(at, 0, count - 1)
        edges.append(bounds)
    shape = tuple(bounds.size - 1 for bounds in edges)
    weight = None if weights is None else suanzi.masked_select(widest(as_tensor(weights, None, name)), inside)
    chosen = suanzi.masked_select(places, inside)
    counts = extras.bincount(chosen, weights=weight, minlength=prod(shape))
    found = suanzi.astype(suanzi.reshape(counts, shape), suanzi.float64, copy=False)
    if density:
        found = found / suanzi.sum(found)
        for axis, bounds in enumerate(edges):
            found = found / suanzi.reshape(
                extras.diff(bounds), tuple(-1 if i == axis else 1 for i in builtins.range(len(shape)))
            )
    return found, tuple(edges)


# --- norms and traces ---


def norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the norms of the vectors along one axis, or of the matrices along two axes. If `axis` is None, the
    function uses all axes. If `ord` is None as well, the result is the norm of all elements as one vector.
    """
    name = "numpy.linalg.norm"
    ord = "fro" if ord == "f" else ord
    if axis is None and (ord is None or (ord == "fro" and x.ndim == 2) or (ord == 2 and x.ndim == 1)):
        return suanzi.linalg.vector_norm(x, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axis is None else _axes(name, axis, x.ndim)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise InvalidArgumentError(f"{name}: ord = {shown(ord)} is not an order of vectors")
        return suanzi.linalg.vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} along axis {axis} is neither a vector nor a matrix")
    found = suanzi.linalg.matrix_norm(suanzi.moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return suanzi.expand_dims(found, tuple(sorted(axes))) if keepdims else found


def _axes(name: str, axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes as numbers that are not negative, in the given order. Raise an error if an axis occurs twice."""
    given = axis if isinstance(axis, tuple | list) else (axis,)
    axes = tuple(_core.read_axis(name, a, rank) for a in given)
    if len(set(axes)) < len(axes):
        raise InvalidArgumentError(f"{name}: axis = {shown(axis)} names an axis twice")
    return axes


def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Tensor:
    """Return the sum of a diagonal, by default of the first two axes. The diagonal is converted to `dtype` before the
    sum.
    """
    return suanzi.sum(suanzi.diagonal(x, offset, axis1, axis2), -1, dtype=dtype, out=out)
