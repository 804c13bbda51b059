"""Counts of elements, histograms, and covariances."""

from __future__ import annotations

from math import isfinite, nan
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.edges import around, compared, rise, shares_per_width, thresholds
from suanzi.extras.scaling import exponents, may_overflow, power_of_two, times_power
from suanzi.kinds.devices import placed
from suanzi.operators.complex_numbers import complex, conj, imag, real
from suanzi.operators.composition import apart, floating_type, numeric_operand, real_number, real_operand, widest
from suanzi.operators.creation.data import from_reference
from suanzi.operators.creation.filled import zeros
from suanzi.operators.creation.matrices import diagonal, eye
from suanzi.operators.creation.sequences import linspace
from suanzi.operators.index.sorting import searchsorted
from suanzi.operators.linalg.products import matmul
from suanzi.operators.logical import logical_and
from suanzi.operators.power import sqrt
from suanzi.operators.reduction.folds import all, any, max, min, sum
from suanzi.operators.rounding import floor
from suanzi.operators.transform.elements import astype, clip, where
from suanzi.operators.transform.masking import masked_select
from suanzi.operators.transform.scattering import scatter
from suanzi.operators.transform.shape import expand_dims, flatten, matrix_transpose, reshape
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType, bfloat16, bool_, complex128, float16, float32, float64, int64, uint64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)


class Histogram(NamedTuple):
    """The result of `histogram`: the number of elements in each bin, and the edges of the bins.

    Attributes
    ----------
    counts : Tensor
        The number of elements in each bin.
    edges : Tensor
        The edges of the bins, one edge more than bins.
    """

    counts: Tensor
    edges: Tensor


def bincount(x: Tensor, /, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each of the integers 0, 1, 2, … occurs among the elements.

    Parameters
    ----------
    x : Tensor, shape (n,)
        A vector of integers that are not negative.
    weights : Tensor, shape (n,), optional
        The weight of each element, a real number. The default is 1.
    minlength : int, optional
        The least length of the result. By default the greatest element is the last integer that is counted.

    Returns
    -------
    Tensor
        A tensor of int64, or, if `weights` is given, of the weights' floating type, or of float32 for integer weights.
        The function adds the weights of each integer in float64.

    Raises
    ------
    TypeMismatchError
        `x` does not have an integer type, or the weights are not real.
    DimensionsMismatchError
        `x` does not have one dimension, or the weights do not have the shape of `x`.
    OutOfRangeError
        An element or `minlength` is negative.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.bincount(suanzi.tensor([0, 2, 2], dtype="int64"))
    tensor([1, 0, 2], dtype=int64)
    """
    if not _core.read_tensor("bincount", x).dtype.is_integer:
        raise TypeMismatchError(f"bincount: element type {x.dtype} is not an integer type")
    least = _core.read_integer("bincount", "minlength", minlength)
    if x.ndim != 1:
        raise DimensionsMismatchError(f"bincount: shape {x.shape} does not have one dimension")
    if least < 0 or (x.size and min(x).item() < 0):
        raise OutOfRangeError("bincount: an element or minlength is negative")
    length = least
    if x.size and (greatest := int(max(x))) >= least:
        length = greatest + 1
    return _rounded(_counted("bincount", astype(x, int64, copy=False), weights, length), weights)


def _rounded(counts: Tensor, weights: Tensor | None) -> Tensor:
    return counts if weights is None else astype(counts, floating_type(weights), copy=False)


def _counted(operator: str, bins: Tensor, weights: Tensor | None, length: int, dtype: DType = float64) -> Tensor:
    """Sum the weights of each bin in the type `dtype`, or count the elements of each bin in int64 if `weights` is None.
    `bins` contains the number of the bin for each element.
    """
    if weights is None:
        return scatter(zeros(length, dtype=int64, device=bins.device), bins, 1, mode="add")
    if real_operand(operator, weights).shape != bins.shape:
        raise DimensionsMismatchError(f"{operator}: weights of shape {weights.shape} do not fit shape {bins.shape}")
    sums = zeros(length, dtype=dtype, device=bins.device)
    return scatter(sums, bins, astype(weights, dtype, copy=False), mode="add")


def histogram(
    x: Tensor,
    /,
    bins: int | Tensor = 10,
    range: tuple[float, float] | None = None,
    *,
    weights: Tensor | None = None,
    density: bool = False,
) -> Histogram:
    """Count the elements in each of several bins (直方图).

    Parameters
    ----------
    x : Tensor
        A real tensor of any shape.
    bins : int or Tensor, shape (n + 1,), optional
        The number of bins of equal width, 10 by default, or the edges of the bins: real numbers, each above the
        previous edge.
    range : (float, float), optional
        The limits of bins of equal width, by default the least and the greatest element.
    weights : Tensor, optional
        The weight of each element, as a real tensor of the shape of `x`.
    density : bool, optional
        If True, divide the counts so that the area of the histogram is 1.

    Returns
    -------
    Histogram
        `counts` has the type int64, or the weights' floating type if `weights` is given. If `density` is True, `counts`
        is float32 if the elements are float32 or shorter and the edges are not float64, and otherwise float64. `edges`
        contains the given edges, or floating edges of bins of equal width. A bin includes the lower edge, and the last
        bin also includes the upper edge. Elements outside of all bins, and NaN, are not counted. Elements and edges of
        any types are compared exactly.

    Raises
    ------
    TypeMismatchError
        `x`, the weights or the edges are complex tensors or string tensors, `bins` is neither an integer nor a tensor,
        or `range` is not a pair of numbers.
    DimensionsMismatchError
        The weights do not have the shape of `x`, or the edges do not have one dimension.
    InvalidArgumentError
        The number of bins is not positive, there are fewer than two edges, an edge is not above the previous edge, or
        bins of equal width are too narrow for the type of the edges. The error is also raised if the range ends below
        its beginning, or is not finite, for example because an element is NaN.
    OutOfRangeError
        `bins` does not fit 64 bits.

    Examples
    --------
    >>> import suanzi
    >>> counts, edges = suanzi.extras.histogram(suanzi.tensor([0.0, 1.0, 1.5, 4.0]), 2)
    >>> counts, edges
    (tensor([3, 1], dtype=int64), tensor([0., 2., 4.]))
    """
    counts, edges = unrounded(x, bins, range, weights)
    if not _core.read_truth("histogram", "density", density):
        return Histogram(_rounded(counts, weights), edges)
    dense = shares_per_width(astype(counts, float64, copy=False).numpy(), edges)
    narrow = edges.dtype is not float64 and _edge_type(x) is float32
    return Histogram(
        astype(placed(from_reference(dense), edges.device, "histogram"), float32 if narrow else float64, copy=False),
        edges,
    )


def unrounded(
    x: Tensor,
    bins: int | Tensor,
    range: tuple[float, float] | None,
    weights: Tensor | None,
    dtype: DType = float64,
) -> Histogram:
    """Return a histogram whose sums of weights have the type `dtype`."""
    x = real_operand("histogram", x)
    if weights is not None and real_operand("histogram", weights).shape != x.shape:
        raise DimensionsMismatchError(f"histogram: weights of shape {weights.shape} do not fit shape {x.shape}")
    edges = _edges(x, bins, range)
    number = edges.size - 1
    return Histogram(
        _in_bins(compared(flatten(x)), edges, None if weights is None else flatten(weights), number, dtype), edges
    )


def _in_bins(x: Tensor, edges: Tensor, weights: Tensor | None, number: int, dtype: DType = float64) -> Tensor:
    """Sum the weights of each bin in the type `dtype`, or count the elements in int64 if `weights` is None."""
    if (found := thresholds(edges, x.dtype)) is None:
        return zeros(number, dtype=int64 if weights is None else dtype, device=x.device)
    inside = logical_and(x >= found.least[0], x <= found.last)
    places = clip(searchsorted(found.least, masked_select(x, inside), "right") - 1, 0, number - 1)
    return _counted("histogram", places, None if weights is None else masked_select(weights, inside), number, dtype)


def _edge_type(x: Tensor) -> DType:
    """Return the type of computed edges: float32 for elements of float32, float16 and bfloat16, otherwise float64."""
    return float32 if x.dtype in (float16, bfloat16, float32) else float64


def _edges(x: Tensor, bins: Any, range: Any) -> Tensor:
    """Return the given edges of bins, or the computed edges of bins of equal width."""
    if isinstance(bins, Tensor):
        edges = real_operand("histogram", bins)
        if edges.ndim != 1:
            raise DimensionsMismatchError(f"histogram: edges of shape {edges.shape} do not have one dimension")
        if edges.size < 2 or not rise(edges):
            raise InvalidArgumentError(f"histogram: {edges.size} edges do not rise, or leave a bin without width")
        return edges
    number = _core.read_integer("histogram", "bins", bins)
    if number < 1:
        raise InvalidArgumentError(f"histogram: bins = {number} is not positive")
    low, high = _range(x, range)
    if not (isfinite(low) and isfinite(high) and low <= high):
        raise InvalidArgumentError(f"histogram: the range from {low} to {high} is not finite and rising")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = astype(linspace(low, high, number + 1, dtype=float64, device=x.device), _edge_type(x))
    if not rise(edges):
        raise InvalidArgumentError(f"histogram: {number} bins from {low} to {high} have no width in {edges.dtype}")
    return edges


def _range(x: Tensor, range: Any) -> tuple[float, float]:
    if range is None:
        return around(min(x).item(), max(x).item()) if x.size else (0.0, 1.0)
    try:
        low, high = range
        if isinstance(low, str) or isinstance(high, str):
            raise TypeError
        return around(*(x.item() if hasattr(x, "item") else x for x in (low, high)))
    except (TypeError, ValueError):
        raise TypeMismatchError(f"histogram: range {shown(range)} is not a pair of numbers") from None
    except OverflowError:
        raise InvalidArgumentError(f"histogram: range {shown(range)} is beyond the range of float64") from None


def cov(
    x: Tensor,
    /,
    *,
    correction: float = 1.0,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariances of variables (协方差矩阵).

    Parameters
    ----------
    x : Tensor, shape (variables, observations) or (observations,)
        A tensor of numbers.
    correction : float, optional
        The number that is subtracted from the number of observations before the division, 1 by default.
    fweights : Tensor, shape (observations,), optional
        The number of times that each observation was made: nonnegative integers.
    aweights : Tensor, shape (observations,), optional
        The weight of each observation: nonnegative real numbers.

    Returns
    -------
    Tensor, shape (variables, variables) or ()
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float64. A product
        overflows or underflows only if the covariance overflows or underflows. For at most `correction` observations
        the covariance is NaN.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor, `fweights` are not integers, `aweights` are not real, or `correction` is not a real
        number.
    DimensionsMismatchError
        `x` does not have one or two dimensions, or the number of weights differs from the number of observations.
    InvalidArgumentError
        A weight is negative.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.cov(suanzi.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x = numeric_operand("cov", x)
    correction = real_number("cov", "correction", correction)
    found, scale = _covariances("cov", x, correction, fweights, aweights)
    if scale is not None:  # 2^(sum of two exponents) may be out of range, so the factor is split
        both = expand_dims(scale, -1) + scale
        half = floor(both / 2)
        found = times_power(times_power(found, half), both - half)
    return astype(_of_rank(x, found), floating_type(x), copy=False)


def _of_rank(x: Tensor, found: Tensor) -> Tensor:
    return found[0, 0] if x.ndim == 1 else found


def _covariances(
    operator: str, x: Tensor, correction: float, fweights: Any, aweights: Any
) -> tuple[Tensor, Tensor | None]:
    """Return covariances in float64 or complex128, and a vector with an exponent e for each variable, or None. If the
    exponents are not None, the covariances are computed from each variable times 2^-e.
    """
    if not 1 <= x.ndim <= 2:
        raise DimensionsMismatchError(f"{operator}: shape {x.shape} does not have one or two dimensions")
    rows = reshape(x, (1, x.size)) if x.ndim == 1 else x
    given = _weights(operator, rows.shape[-1], rows.device, correction, fweights, aweights)
    if rows.size == 0 or not may_overflow(rows):
        # A covariance does not change if a constant is subtracted from a variable.
        return _products(apart(rows, rows[:, :1]) if rows.dtype in (int64, uint64) else widest(rows), *given), None
    if not _core.is_tracing():
        found = _products(rows, *given)
        variances = real(diagonal(found))
        if all(logical_and(variances > _LEAST, variances < 1 / _LEAST)):
            return found, None
    scale = exponents(rows, -1)
    # The scaling is one elementwise product, which keeps the memory order of the rows. The order of the sums in the
    # covariances depends on the memory order.
    return _products(rows * power_of_two(-scale), *given), reshape(scale, rows.shape[0])


# Products and squares of variances from _LEAST to 1 / _LEAST, and sums of the squares, are within float64's range.
_LEAST = 2.0**-500


def _products(rows: Tensor, weights: Tensor, number: Tensor) -> Tensor:
    distances = rows - expand_dims(sum(rows * weights, -1) / sum(weights), -1)
    products = matmul(distances * weights, conj(matrix_transpose(distances)))
    if products.dtype is complex128:  # rounding may give variances an imaginary part
        products = where(eye(rows.shape[0], dtype=bool_, device=rows.device), real(products), products)
    return where(number > 0, products / number, nan)


def _weights(
    operator: str, length: int, device: Device, correction: float, fweights: Any, aweights: Any
) -> tuple[Tensor, Tensor]:
    """Return the weight of each observation, and the divisor of the sums of weighted products."""
    weights = zeros(length, dtype=float64, device=device) + 1
    times, shares = (
        _weight(operator, name, given, length) for name, given in (("fweights", fweights), ("aweights", aweights))
    )
    if times is not None:
        weights = weights * times
    if shares is None:
        return weights, sum(weights) - correction
    if length:  # the result depends only on the ratios of weights
        shares = times_power(shares, -exponents(shares, -1))
    observations = sum(where(shares > 0, weights, 0))
    weights = weights * shares
    total = sum(weights)
    # For at most `correction` observations the divisor is not positive, but rounding may give a small positive number.
    return weights, where(observations > correction, total - sum(weights * shares) / total * correction, 0)


def _weight(operator: str, name: str, given: Any, length: int) -> Tensor | None:
    if given is None:
        return None
    # The checks need the values of the weights. A traced tensor has no values, so the function runs without fusion.
    if real_operand(operator, _core.read_tensor(operator, given)).shape != (length,):
        raise DimensionsMismatchError(f"{operator}: {name} of shape {given.shape} do not have {length} elements")
    if name == "fweights" and not given.dtype.is_integer:
        raise TypeMismatchError(f"{operator}: fweights of type {given.dtype} are not integers")
    if any(given < 0):
        raise InvalidArgumentError(f"{operator}: {name} {shown(given)} are negative")
    return astype(given, float64)


def corrcoef(x: Tensor, /) -> Tensor:
    """Pearson's correlation coefficients of variables (相关系数).

    Parameters
    ----------
    x : Tensor, shape (variables, observations) or (observations,)
        A tensor of numbers.

    Returns
    -------
    Tensor, shape (variables, variables) or ()
        Coefficients from -1 to 1, of the type of `x`, or of float32 for integers and bool. The function computes in
        float64, without overflow for numbers of any size. The coefficients of a constant variable are NaN.

    Raises
    ------
    TypeMismatchError
        `x` is a string tensor.
    DimensionsMismatchError
        `x` does not have one or two dimensions.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.corrcoef(suanzi.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x = numeric_operand("corrcoef", x)
    found, _ = _covariances("corrcoef", x, 1, None, None)
    rows = reshape(x, (1, x.size)) if x.ndim == 1 else x
    variances = where(all(rows == rows[:, :1], -1), nan, real(diagonal(found)))  # NaN for constant variables
    shares = found / sqrt(expand_dims(variances, -1) * variances)
    return astype(_of_rank(x, _within_one(shares)), floating_type(x), copy=False)


def _within_one(x: Tensor) -> Tensor:
    """Return coefficients with real and imaginary parts limited to [-1, 1]. Because of rounding errors, coefficients
    may be outside this range.
    """
    if x.dtype.kind_name != "complex floating":
        return clip(x, -1, 1)
    return complex(clip(real(x), -1, 1), clip(imag(x), -1, 1))
