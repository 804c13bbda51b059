"""Normalisations: elements of mean 0 and variance 1, over a batch, a channel, a group or the last axes.

Each normalisation needs a few passes over memory. A fused function merges the passes with the operators around the
normalisation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.kinds.devices import kind_of_device
from suanzi.operators.arithmetic import multiply_add
from suanzi.operators.composition import (
    floating_type,
    into,
    is_false,
    lies_in_rows,
    real_number,
    real_operand,
    tensor_operand,
    working_type,
)
from suanzi.operators.creation.filled import full, zeros_like
from suanzi.operators.logical import logical_not
from suanzi.operators.power import pow, rsqrt, sqrt, square
from suanzi.operators.query import isfinite
from suanzi.operators.reduction.folds import any
from suanzi.operators.reduction.statistics import mean
from suanzi.operators.registry import operator
from suanzi.operators.transform.elements import astype, where
from suanzi.operators.transform.rearranging import pad, slice
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import DType, bfloat16, float16, float32, float64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

_EPSILON = {float16: 2.0**-10, bfloat16: 2.0**-7, float32: 2.0**-23, float64: 2.0**-52}
_STATUSES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT")
_COUNTED = (*_STATUSES, "OUT_OF_RANGE")
_PARAMETERS = {
    "weight": ("weight : Tensor, optional\n    The factor of each channel, of shape (C,)."),
    "bias": ("bias : Tensor, optional\n    The summand of each channel, of shape (C,)."),
    "eps": ("eps : float, optional\n    A number that is added to the variance, so that no division by 0 occurs."),
}


# For each type, a power of two for large numbers, a power of two for small numbers, and a bound. The square of a large
# or a small number, multiplied by its power of two first, stays in the range of the type. A mean of squares below the
# bound may contain squares that underflowed.
_RANGES = {float32: (2.0**-66, 2.0**86, 2.0**-103), float64: (2.0**-514, 2.0**598, 2.0**-970)}


def standardised(x: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return `x` scaled to mean 0 and variance 1 along `axes`, the mean, and the reciprocal standard deviation."""
    centre = mean(x, axes, True)
    normal, scale = _over_root(x - centre, axes, eps, lambda power: _centred(x * power, axes))
    return normal, centre, scale


def rms_standardised(x: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
    """Return `x` divided by the root of the mean of the squares along `axes`, and the reciprocal root."""
    return _over_root(x, axes, eps, lambda power: x * power)


def _centred(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return x - mean(x, axes, True)


def _over_root(x: Tensor, axes: tuple[int, ...], eps: float, times: Callable[[float], Tensor]) -> tuple[Tensor, Tensor]:
    """Return `x` divided by the root of the mean of the squares along `axes`, and the reciprocal root.

    If squares leave the range of float32 or float64, the function squares the products of the elements and a power of
    two, as the core does. `times` returns the products. For elements from which a mean is subtracted, `times`
    multiplies before the subtraction, which may overflow.
    """
    squares = mean(square(x), axes, True)
    scale = rsqrt(squares + eps)
    normal = x * scale
    for power, leaves in _powers(squares, squares == inf, eps):
        if _none(leaves):
            continue
        product = times(power)
        wide = astype(mean(square(product), axes, True), float64, copy=False)
        again = astype(1 / sqrt(wide + eps * power * power), x.dtype, copy=False)
        normal = where(leaves, product * again, normal)
        scale = where(leaves, again * power, scale)
    return normal, scale


def _none(leaves: Tensor) -> bool:
    """Return whether all elements of `leaves` are False, without waiting for a device. For a tensor on a device, return
    False.
    """
    return kind_of_device(leaves.device, "normalisation") is None and is_false(any(leaves))


def _powers(squares: Tensor, too_large: Tensor, eps: float) -> list[tuple[float, Tensor]]:
    """Return powers of two, and for each power whether a mean or sum of squares needs the power.

    `too_large` is True where a mean or a sum needs the power that makes numbers smaller.
    """
    if squares.dtype not in _RANGES:
        return []
    for_large, for_small, least = _RANGES[squares.dtype]
    powers = [(for_large, too_large)]
    return [*powers, (for_small, squares + eps < least)] if eps < least else powers


def scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Return ``x * weight + bias``. The function omits the factor or the summand if `weight` or `bias` is None."""
    if weight is None:
        return x if bias is None else x + bias
    return x * weight if bias is None else multiply_add(x, weight, bias)


def normalised(
    name: str, x: Tensor, axes: tuple[int, ...], eps: float, weight: Tensor | None, bias: Tensor | None, *,
    centres: bool = True,
) -> Tensor:  # fmt: skip
    """Normalise the last axes of `x`, multiply by `weight` and add `bias`.

    The mean is subtracted only if `centres` is True. For short contiguous rows outside traced functions, one pass of
    the core computes the same bits.
    """
    # The core sums a longer row in pieces. If a tensor is not contiguous, the core sums the elements in the order of
    # memory. A sum of pieces or a sum in the order of memory has other bits than the sum of a whole row.
    length = prod(x.shape[x.ndim - len(axes) :]) if lies_in_rows(x) else 0
    if not 0 < length <= tuning.WHOLE_ROW:
        normal = standardised(x, axes, eps)[0] if centres else rms_standardised(x, axes, eps)[0]
        return scaled(normal, weight, bias)
    return _core.normalise_rows(name, x, len(axes), centres, float(eps), weight, bias)


def scaled_channels(name: str, x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Return ``x * weight + bias`` with one weight and one bias per channel. The function omits the factor or the
    summand if `weight` or `bias` is None.
    """
    if _are_rows(x, weight, bias):
        return _core.scale_channels(name, x, None, None, 0.0, weight, bias)
    weight, bias = (_per_channel(name, part, x) for part in (weight, bias))
    return scaled(x, weight, bias)


def shifted_channels(
    name: str, x: Tensor, centre: Tensor, variance: Tensor, eps: float, weight: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Return ``(x - centre) / sqrt(variance + eps) * weight + bias``, where each parameter has one element per channel.

    The function subtracts `centre` first, because a centre far from 0 would cost digits later. For contiguous operands
    of float32 or float64 outside traced functions, the core computes the same bits in one pass.
    """
    if _are_rows(x, centre, variance, weight, bias):
        return _core.scale_channels(name, x, centre, variance, eps, weight, bias)
    parts: list[Any] = [_per_channel(name, part, x) for part in (centre, variance, weight, bias)]
    return scaled(x - parts[0], scaled(rsqrt(parts[1] + eps), parts[2], None), parts[3])


def _are_rows(x: Tensor, *parameters: Tensor | None) -> bool:
    """Return whether the core can scale the channels of `x` by the vectors `parameters`, some of which may be None."""
    if not lies_in_rows(x) or x.ndim < 2:
        return False
    dtype, shape = x.dtype, x.shape[1:2]
    return (dtype is float32 or dtype is float64) and all(
        part is None or (type(part) is Tensor and part.dtype is dtype and part.shape == shape) for part in parameters
    )


def computed(operator: str, *operands: Tensor | None) -> tuple[DType, list[Any]]:
    """Return the type of the result, and the operands in the type of the computation, which is the widest of the
    operands' types.
    """
    first, *others = operands
    dtype = tensor_operand(operator, first).dtype
    alike = (x is None or tensor_operand(operator, x).dtype is dtype for x in others)
    if (dtype is float32 or dtype is float64) and all(alike):
        return dtype, list(operands)
    given = [real_operand(operator, first), *(real_operand(operator, x) for x in others if x is not None)]
    wide = max((working_type(x) for x in given), key=lambda dtype: dtype.itemsize)
    return floating_type(given[0]), [None if x is None else astype(x, wide, copy=False) for x in operands]


def _per_channel(operator: str, parameter: Tensor | None, x: Tensor) -> Tensor | None:
    """Return the vector `parameter`, which has one element per channel, in a shape that broadcasts to `x`. The result
    is None if `parameter` is None.
    """
    if parameter is None:
        return None
    channels = x.shape[1] if x.ndim > 1 else 1
    if parameter.shape != (channels,):
        raise DimensionsMismatchError(
            f"{operator}: shape {parameter.shape} of a parameter is not ({channels},), an element for each channel of "
            f"shape {shown(x.shape)}"
        )
    return reshape(parameter, (channels,) + (1,) * (x.ndim - 2)) if x.ndim > 1 else parameter


def _places(x: Tensor) -> tuple[int, ...]:
    """Return the axes of `x` after the axes of the batch and the channels."""
    return tuple(range(2, x.ndim))


@operator(
    "BIF",
    _STATUSES,
    name="nn.batch_norm",
    family="blockwise",
    operands=("x", "running_mean", "running_var", "weight", "bias"),
    parameters=_PARAMETERS,
)
def batch_norm(
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    /,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    eps: float = 1e-5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Subtract a mean from each channel and divide by a standard deviation (批归一化).

    By default the function uses the means and variances of earlier batches.

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …).
    running_mean, running_var : Tensor or None
        The mean and the variance of each channel, of shape (C,). The function does not change `running_mean` and
        `running_var`, which may be None for training.
    training : bool, optional
        If True, the mean and the variance of each channel are computed from `x`, over all other axes.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least, and
        in the widest type of the operands.

    Source
    ------
    S. Ioffe and C. Szegedy, "Batch normalization", arXiv:1502.03167.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([[[1.0, 3.0], [10.0, 20.0]]])
    >>> mean, variance = suanzi.tensor([2.0, 10.0]), suanzi.tensor([1.0, 25.0])
    >>> suanzi.nn.batch_norm(x, mean, variance, eps=0)
    tensor([[[-1.,  1.],
             [ 0.,  2.]]])
    """
    name = "batch_norm"
    dtype, (x, centre, variance, weight, bias) = computed(name, x, running_mean, running_var, weight, bias)
    eps = real_number(name, "eps", eps)
    if x.ndim == 0:
        raise DimensionsMismatchError(f"{name}: shape () of x has no axis of the batch")
    if _core.read_truth(name, "training", training):
        for part in (centre, variance):
            _per_channel(name, part, x)  # checks the shape
        normal = standardised(x, (0, *_places(x)), eps)[0]
        return into(out, scaled_channels(name, normal, weight, bias), dtype)
    if centre is None or variance is None:
        raise InvalidArgumentError(f"{name}: running_mean and running_var are None, but training is False")
    return into(out, shifted_channels(name, x, centre, variance, eps, weight, bias), dtype)


@operator(
    "BIF",
    _STATUSES,
    name="nn.instance_norm",
    family="blockwise",
    operands=("x", "weight", "bias"),
    parameters=_PARAMETERS,
)
def instance_norm(
    x: Tensor,
    /,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Scale each channel of each element of a batch to mean 0 and variance 1 (实例归一化).

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …).

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least.

    Source
    ------
    D. Ulyanov et al., "Instance normalization", arXiv:1607.08022.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.instance_norm(suanzi.tensor([[[1.0, 3.0], [10.0, 30.0]]]), eps=0)
    tensor([[[-1.,  1.],
             [-1.,  1.]]])
    """
    name = "instance_norm"
    dtype, (x, weight, bias) = computed(name, x, weight, bias)
    if x.ndim < 2:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} has no batch and channels")
    normal = normalised(name, x, _places(x), real_number(name, "eps", eps), None, None)
    return into(out, scaled_channels(name, normal, weight, bias), dtype)


@operator(
    "BIF",
    _COUNTED,
    name="nn.group_norm",
    family="blockwise",
    operands=("x", "weight", "bias"),
    parameters=_PARAMETERS,
)
def group_norm(
    x: Tensor,
    /,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Scale each group of channels to mean 0 and variance 1 (组归一化).

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …).
    num_groups : int
        The number of groups, a divisor of C. Consecutive channels form a group.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least.

    Source
    ------
    Y. Wu and K. He, "Group normalization", arXiv:1803.08494.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.group_norm(suanzi.tensor([[[1.0], [3.0], [10.0], [30.0]]]), 2, eps=0)
    tensor([[[-1.],
             [ 1.],
             [-1.],
             [ 1.]]])
    """
    name = "group_norm"
    dtype, (x, weight, bias) = computed(name, x, weight, bias)
    groups = _core.read_integer(name, "num_groups", num_groups)
    if x.ndim < 2:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} has no batch and channels")
    if groups < 1:
        raise InvalidArgumentError(f"{name}: num_groups {shown(groups)} is less than 1")
    if x.shape[1] % groups:
        raise DimensionsMismatchError(
            f"{name}: {x.shape[1]} channels of shape {x.shape} do not divide into {groups} groups"
        )
    count, channels = x.shape[:2]
    grouped = reshape(x, (count, groups, channels // groups, *x.shape[2:]))
    axes = tuple(range(2, grouped.ndim))
    normal = reshape(normalised(name, grouped, axes, real_number(name, "eps", eps), None, None), x.shape)
    return into(out, scaled_channels(name, normal, weight, bias), dtype)


def _last_axes(
    name: str, x: Tensor, normalized_shape: int | Sequence[int], *parameters: Tensor | None
) -> tuple[int, ...]:
    """Return the last axes of `x`, whose sizes must be `normalized_shape`. Each tensor of `parameters` must have the
    shape `normalized_shape`.
    """
    shape = tuple(_core.read_shape(name, normalized_shape, 0))
    if not shape or x.shape[-len(shape) :] != shape:
        raise DimensionsMismatchError(f"{name}: shape {shown(x.shape)} does not end with {shown(shape)}")
    for parameter in parameters:
        if parameter is not None and parameter.shape != shape:
            raise DimensionsMismatchError(
                f"{name}: shape {shown(parameter.shape)} of a parameter is not {shown(shape)}"
            )
    return tuple(range(x.ndim - len(shape), x.ndim))


_LAST = {
    "normalized_shape": (
        "normalized_shape : int or sequence of int\n    The sizes of the last axes, which are normalised together."
    ),
    "weight": ("weight : Tensor, optional\n    The factor of each element, of shape `normalized_shape`."),
    "bias": ("bias : Tensor, optional\n    The summand of each element, of shape `normalized_shape`."),
    "eps": _PARAMETERS["eps"],
}


@operator(
    "BIF",
    _STATUSES,
    name="nn.layer_norm",
    family="blockwise",
    operands=("x", "weight", "bias"),
    parameters=_LAST,
)
def layer_norm(
    x: Tensor,
    /,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Scale the elements of the last axes together to mean 0 and variance 1 (层归一化).

    Parameters
    ----------
    x : Tensor
        A real tensor whose shape ends with `normalized_shape`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least.

    Source
    ------
    J. L. Ba et al., "Layer normalization", arXiv:1607.06450.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.layer_norm(suanzi.tensor([[1.0, 3.0], [10.0, 30.0]]), 2, eps=0)
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """
    name = "layer_norm"
    dtype, (x, weight, bias) = computed(name, x, weight, bias)
    axes = _last_axes(name, x, normalized_shape, weight, bias)
    return into(out, normalised(name, x, axes, real_number(name, "eps", eps), weight, bias), dtype)


@operator(
    "BIF",
    _STATUSES,
    name="nn.rms_norm",
    family="blockwise",
    operands=("x", "weight"),
    parameters=_LAST,
)
def rms_norm(
    x: Tensor,
    /,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Divide the elements by the root of the mean square over the last axes (均方根归一化).

    Parameters
    ----------
    x : Tensor
        A real tensor whose shape ends with `normalized_shape`.
    eps : float, optional
        A number that is added to the mean of the squares, by default the distance from 1 to the next number of the type
        of `x`.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least.

    Source
    ------
    B. Zhang and R. Sennrich, "Root mean square layer normalization", arXiv:1910.07467.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.rms_norm(suanzi.tensor([[1.0, 7.0], [5.0, 5.0]]), 2)
    tensor([[0.2, 1.4],
            [1. , 1. ]])
    """
    name = "rms_norm"
    dtype, (x, weight) = computed(name, x, weight)
    axes = _last_axes(name, x, normalized_shape, weight)
    number = _EPSILON[dtype] if eps is None else real_number(name, "eps", eps)
    return into(out, normalised(name, x, axes, number, weight, None, centres=False), dtype)


@operator("BIF", _COUNTED, name="nn.lrn", family="blockwise")
def lrn(
    x: Tensor, /, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0, *, out: Tensor | None = None
) -> Tensor:
    """Divide each element by a power of the sum of squares in a window of channels (局部响应归一化).

    Parameters
    ----------
    x : Tensor
        A real tensor of shape (N, C, …).
    size : int
        The number of channels in a window. The window contains as many channels before the central channel as after.
        If `size` is even, the window contains one more channel after the central channel, as in ONNX. PyTorch's window
        contains one more channel before the central channel.
    alpha, beta, k : float, optional
        The divisor is ``(k + alpha / size * sum) ** beta``.

    Returns
    -------
    Tensor
        A tensor of the type of `x`, or of float32 for integers and bool. The function computes in float32 at least.

    Source
    ------
    A. Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", NIPS 2012.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.nn.lrn(suanzi.tensor([[[3.0], [4.0]]]), 3, alpha=3.0, beta=0.5, k=0.0)
    tensor([[[0.6],
             [0.8]]])
    """
    name = "lrn"
    dtype, (x,) = computed(name, x)
    window = _core.read_integer(name, "size", size)
    numbers = [real_number(name, what, n) for what, n in (("alpha", alpha), ("beta", beta), ("k", k))]
    if x.ndim < 2:
        raise DimensionsMismatchError(f"{name}: shape {x.shape} has no batch and channels")
    if window < 1:
        raise InvalidArgumentError(f"{name}: size {shown(window)} is less than 1")
    return into(out, _divided(x, window, numbers[0] / window, numbers[1], numbers[2]), dtype)


def _divided(x: Tensor, window: int, factor: float, beta: float, k: float) -> Tensor:
    """Return ``x / (k + factor * sum) ** beta``, where `sum` is the sum of squares in a window of channels.

    If squares leave the range of float32 or float64, the function squares the products of the elements and a power of
    two, as `rms_standardised` does.
    """
    squares = _window_sums(square(x), window)
    base = squares * factor + k
    result = x / pow(base, beta)
    for power, leaves in _powers(squares, logical_not(isfinite(base)), abs(k / factor) if factor else inf):
        if _none(leaves):
            continue
        near = x * power
        wide = astype(_window_sums(square(near), window), float64, copy=False)
        # The quotient lacks the factor power^(2 beta - 1). The root of the factor is within the range of float64.
        half = pow(full((), power, dtype=float64, device=beside(x)), beta - 0.5)
        again = near * half / pow(wide * factor + k * power * power, beta) * half
        result = where(leaves, astype(again, x.dtype, copy=False), result)
    return result


def _window_sums(x: Tensor, size: int) -> Tensor:
    """Return, for each channel, the sum of the `size` channels around the channel. Channels outside `x` count as 0."""
    channels = x.shape[1]
    before, after = min((size - 1) // 2, channels), min(size // 2, channels)  # a window spans at most all channels
    padded = pad(x, [(0, 0), (before, after)] + [(0, 0)] * (x.ndim - 2))
    windows = zeros_like(x)
    for shift in range(before + 1 + after):
        windows = windows + slice(padded, shift, shift + channels, axis=1)
    return windows
