"""Operators that normalise, and operators that pool over all spatial axes."""

from __future__ import annotations

import suanzi
from suanzi import DimensionsMismatchError, DType, OutOfRangeError, Tensor, nn
from suanzi.interop.onnx.compositions.reading import of_same_shape, positive_axis
from suanzi.interop.onnx.precision import HALVES
from suanzi.interop.onnx.types import dtype_of
from suanzi.nn.normalisation import normalised, rms_standardised, scaled, shifted_channels, standardised

Axes = tuple[int, ...]


def places(x: Tensor) -> Axes:
    """Return the axes after the axes of batch and channels."""
    return tuple(range(2, x.ndim))


def per_channel(parameter: Tensor, x: Tensor) -> Tensor:
    """Return a vector with one element per channel in a shape that broadcasts along the other axes of `x`."""
    return suanzi.reshape(parameter, (-1,) + (1,) * (x.ndim - 2))


def check_channels(name: str, x: Tensor, *parameters: Tensor) -> None:
    """Raise an error unless each parameter has one element per channel of `x`."""
    channels = x.shape[1] if x.ndim > 1 else 1
    for parameter in parameters:
        if parameter.shape != (channels,):
            raise DimensionsMismatchError(
                f"{name}: a parameter of shape {parameter.shape} does not fit {channels} channels"
            )


def batch_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float,
    momentum: float,
    training_mode: int = 0,
    spatial: int = 1,
) -> tuple[Tensor, ...]:
    """Return the normalised elements and, for training, the new running mean and variance."""
    if spatial:
        check_channels("BatchNormalization", x, scale, bias, mean, variance)
    running: tuple[Tensor, ...] = ()
    if training_mode:
        axes = (0, *places(x))
        batch = suanzi.mean(x, axes), suanzi.var(x, axes)
        running = tuple(
            suanzi.astype(old * momentum + new * (1 - momentum), old.dtype, copy=False)
            for old, new in zip((mean, variance), batch, strict=True)
        )
        mean, variance = batch
    if spatial:
        result = shifted_channels("BatchNormalization", x, mean, variance, epsilon, scale, bias)
    else:
        result = scaled(x - mean, suanzi.rsqrt(variance + epsilon) * scale, bias)
    return suanzi.astype(result, x.dtype, copy=False), *running


def group_normalization_18(x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float, num_groups: int) -> Tensor:
    """Normalise groups of channels. In version 18 of the operator, each group has a factor and a summand. In later
    versions, each channel has a factor and a summand.
    """
    if num_groups < 1 or x.ndim < 2 or x.shape[1] % num_groups:
        raise DimensionsMismatchError(
            f"GroupNormalization: shape {x.shape} does not divide into {num_groups} groups of channels"
        )
    scale, bias = (suanzi.repeat(each, x.shape[1] // num_groups, 0) for each in (scale, bias))
    return nn.group_norm(x, num_groups, scale, bias, epsilon)


def group_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float, num_groups: int, stash_type: int
) -> Tensor:
    wide = _stashed(x, dtype_of(stash_type, "GroupNormalization"))
    return suanzi.astype(nn.group_norm(wide, num_groups, scale, bias, epsilon), x.dtype, copy=False)


def layer_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    axis: int,
    epsilon: float,
    stash_type: int,
    outputs: int = 3,
) -> tuple[Tensor, ...]:
    name = "LayerNormalization"
    axes = tuple(range(positive_axis(axis, x.ndim, name), x.ndim))
    stash = dtype_of(stash_type, name)
    wide = _stashed(x, stash)
    if outputs == 1 and _fit(wide, axes, scale, bias):
        return (suanzi.astype(normalised(name, wide, axes, epsilon, scale, bias), x.dtype, copy=False),)
    normal, mean, deviation = standardised(wide, axes, epsilon)
    result = suanzi.astype(scaled(normal, scale, bias), x.dtype, copy=False)
    mean, deviation = (suanzi.astype(each, stash, copy=False) for each in (mean, deviation))
    return of_same_shape(name, result, x), mean, deviation


def _fit(x: Tensor, axes: Axes, *parameters: Tensor | None) -> bool:
    """Return whether each parameter has the type of `x` and the shape of the normalised axes."""
    given = [each for each in parameters if each is not None]
    return all(each.dtype is x.dtype and each.shape == x.shape[x.ndim - len(axes) :] for each in given)


def _stashed(x: Tensor, stash: DType) -> Tensor:
    """Return `x` in the type of a normalisation's first stage: the requested type, or float32 for a requested type of
    16 bits. If the type of `x` is not narrower, return `x` unchanged.
    """
    stash = HALVES.get(stash, stash)
    return suanzi.astype(x, stash, copy=False) if stash.itemsize > x.dtype.itemsize else x


def rms_normalization(x: Tensor, scale: Tensor, *, axis: int, epsilon: float, stash_type: int) -> Tensor:
    axes = tuple(range(positive_axis(axis, x.ndim, "RMSNormalization"), x.ndim))
    wide = _stashed(x, dtype_of(stash_type, "RMSNormalization"))
    if _fit(wide, axes, scale):
        return normalised("RMSNormalization", wide, axes, epsilon, scale, None, centres=False)
    normal, _ = rms_standardised(wide, axes, epsilon)
    return of_same_shape("RMSNormalization", suanzi.astype(normal * scale, scale.dtype, copy=False), x)


def mean_variance_normalization(x: Tensor, *, axes: Axes) -> Tensor:
    centred = x - suanzi.mean(x, axes, True)
    return centred / (suanzi.sqrt(suanzi.mean(suanzi.square(centred), axes, True)) + 1e-9)


def lp_normalization(x: Tensor, *, axis: int, p: int) -> Tensor:
    norm = suanzi.vector_norm(x, axis=axis, keepdims=True, ord=p)
    return suanzi.where(suanzi.equal(norm, 0), 0, x / norm)


def global_average_pool(x: Tensor) -> Tensor:
    return suanzi.mean(x, places(x), True)


def global_max_pool(x: Tensor) -> Tensor:
    return suanzi.max(x, places(x), True)


def global_lp_pool(x: Tensor, *, p: int) -> Tensor:
    return suanzi.vector_norm(x, axis=places(x), keepdims=True, ord=p)


def dropout(
    x: Tensor,
    ratio: Tensor | float = 0.5,
    training_mode: Tensor | None = None,
    *,
    outputs: int = 1,
    seed: int = 0,
) -> tuple[Tensor, ...]:
    """Return `x` itself, or in training `x` with random elements set to 0 and the other elements scaled. Also return
    the mask of the kept elements in training or on request.
    """
    share = 0.5 if ratio is None else float(ratio)
    if training_mode is None or not training_mode.item() or not share:
        return (x, suanzi.ones(x.shape, dtype=suanzi.bool)) if outputs > 1 else (x,)
    if not 0 <= share < 1:
        raise OutOfRangeError(f"Dropout: ratio {share} is outside [0, 1)")
    keep = 1 - share
    mask = suanzi.bernoulli(suanzi.full(x.shape, keep, dtype=suanzi.float32), seed)
    return suanzi.astype(x * (mask / keep), x.dtype, copy=False), suanzi.astype(mask, suanzi.bool)


def dropout_7(x: Tensor, *, outputs: int, ratio: float) -> tuple[Tensor, ...]:
    """Return `x` itself, and on request a mask of ones in the type of `x`. Version 7 of Dropout is only for
    inference.
    """
    return (x, suanzi.ones(x.shape, dtype=x.dtype)) if outputs > 1 else (x,)
