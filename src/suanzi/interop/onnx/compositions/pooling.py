"""Pooling with the windows that ONNX's attributes describe, and Col2Im, which sums overlapping blocks to images."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, _core, nn
from suanzi.interop.onnx.compositions.reading import Integers
from suanzi.nn.pooling import unpooled
from suanzi.tensor.messages import shown

_AUTOMATIC = {"VALID": "valid", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower"}


def _pairs(operator: str, pads: Integers | None, count: int) -> list[tuple[int, int]]:
    """Return a pair for each axis: the padding at the beginning and the padding at the end of the axis."""
    pads = (0,) * (2 * count) if pads is None else pads
    if len(pads) != 2 * count:
        raise DimensionsMismatchError(f"{operator}: pads {shown(pads)} are not two numbers for each of {count} axes")
    return list(zip(pads[:count], pads[count:], strict=True))


def _windows(
    operator: str,
    kernel_shape: Integers | None,
    auto_pad: str,
    pads: Integers | None,
    strides: Integers | None,
) -> dict[str, Any]:
    """Return the windows that attributes describe, as options of `suanzi.nn`."""
    if kernel_shape is None:
        raise InvalidArgumentError(f"{operator}: kernel_shape is missing")
    count = len(kernel_shape)
    if auto_pad not in (*_AUTOMATIC, "NOTSET"):
        raise InvalidArgumentError(
            f"{operator}: auto_pad {shown(auto_pad)} is not one of NOTSET, {', '.join(_AUTOMATIC)}"
        )
    padding = _AUTOMATIC.get(auto_pad) or _pairs(operator, pads, count)
    return {"kernel_size": kernel_shape, "stride": strides or (1,) * count, "padding": padding}


def max_pool_1(
    x: Tensor,
    *,
    kernel_shape: Integers,
    auto_pad: str,
    pads: Integers | None = None,
    strides: Integers | None = None,
) -> Tensor:
    """Return the greatest element of each window, as MaxPool does before version 8. Version 8 adds a result of
    indices.
    """
    result = nn.max_pool(x, **_windows("MaxPool", kernel_shape, auto_pad, pads, strides))
    assert isinstance(result, Tensor)
    return result


def max_pool(
    x: Tensor,
    *,
    outputs: int,
    kernel_shape: Integers,
    auto_pad: str,
    storage_order: int,
    pads: Integers | None = None,
    strides: Integers | None = None,
    dilations: Integers | None = None,
    ceil_mode: int = 0,
) -> tuple[Tensor, ...]:
    """Return the greatest element of each window and, on request, the elements' indices in the whole tensor."""
    windows = _windows("MaxPool", kernel_shape, auto_pad, pads, strides)
    windows |= {"dilation": dilations or 1, "ceil_mode": bool(ceil_mode)}
    if outputs < 2:
        result = nn.max_pool(x, **windows)
        assert isinstance(result, Tensor)
        return (result,)
    values, places = nn.max_pool(x, **windows, return_indices=True)
    return values, _in_the_whole(places, x.shape, columns_first=storage_order == 1)


def _in_the_whole(places: Tensor, shape: Integers, *, columns_first: bool) -> Tensor:
    """Convert indices within planes to indices within the whole tensor, counted in row-major or column-major order."""
    planes, plane = math.prod(shape[:2]), math.prod(shape[2:])
    start = suanzi.reshape(suanzi.arange(planes, dtype=suanzi.int64) * plane, (*shape[:2], *(1,) * (len(shape) - 2)))
    if columns_first:
        rest, found = places, suanzi.zeros_like(places)
        weights = [math.prod(shape[2:axis]) for axis in range(2, len(shape))]
        for size, weight in zip(reversed(shape[2:]), reversed(weights), strict=True):
            found = found + suanzi.remainder(rest, size) * weight
            rest = suanzi.floor_divide(rest, size)
        places = suanzi.where(suanzi.less(places, 0), places, found)  # -1 marks a window without elements
    return suanzi.where(suanzi.less(places, 0), places, places + start)


def average_pool(
    x: Tensor,
    *,
    kernel_shape: Integers,
    auto_pad: str,
    pads: Integers | None = None,
    strides: Integers | None = None,
    dilations: Integers | None = None,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
) -> Tensor:
    windows = _windows("AveragePool", kernel_shape, auto_pad, pads, strides)
    return nn.avg_pool(
        x,
        **windows,
        dilation=dilations or 1,
        ceil_mode=bool(ceil_mode),
        count_include_pad=bool(count_include_pad),
    )


def lp_pool(
    x: Tensor,
    *,
    p: float,
    kernel_shape: Integers | None = None,
    auto_pad: str,
    pads: Integers | None = None,
    strides: Integers | None = None,
    dilations: Integers | None = None,
    ceil_mode: int = 0,
) -> Tensor:
    windows = _windows("LpPool", kernel_shape, auto_pad, pads, strides)
    return nn.lp_pool(x, p, **windows, dilation=dilations or 1, ceil_mode=bool(ceil_mode))


def max_unpool(
    x: Tensor,
    indices: Tensor,
    output_shape: Integers | None = None,
    *,
    kernel_shape: Integers,
    pads: Integers | None = None,
    strides: Integers | None = None,
) -> Tensor:
    """Return a tensor with the pooled elements at `indices`, the positions of the elements before the pooling. All
    other elements are 0.
    """
    count = len(kernel_shape)
    edges, steps = _pairs("MaxUnpool", pads, count), strides or (1,) * count
    if x.ndim != count + 2 or indices.shape != x.shape or len(steps) != count:
        raise DimensionsMismatchError(
            f"MaxUnpool: shapes {x.shape} and {indices.shape} do not fit windows {shown(kernel_shape)}, {shown(steps)}"
        )
    rows = zip(x.shape[2:], kernel_shape, steps, edges, strict=True)
    sizes = [(n - 1) * step - sum(edge) + k for n, k, step, edge in rows]
    if any(size < 0 for size in sizes):
        raise InvalidArgumentError(f"MaxUnpool: the result has negative sizes {shown(tuple(sizes))}")
    shape = (*x.shape[:2], *sizes)
    result = unpooled(x, indices, shape, 1)
    if output_shape is None or output_shape == shape:
        return result
    if len(output_shape) != len(shape) or any(a < b for a, b in zip(output_shape, shape, strict=True)):
        raise InvalidArgumentError(
            f"MaxUnpool: output_shape {shown(output_shape)} is too small for the shape {shown(shape)}"
        )
    return suanzi.pad(result, [(0, a - b) for a, b in zip(output_shape, shape, strict=True)])


def max_roi_pool(x: Tensor, rois: Tensor, *, pooled_shape: Integers, spatial_scale: float) -> Tensor:
    if len(pooled_shape) != 2:
        raise DimensionsMismatchError(f"MaxRoiPool: pooled_shape {shown(pooled_shape)} is not a height and a width")
    return _core.pool_regions("MaxRoiPool", x, rois, *pooled_shape, spatial_scale)


def col2im(
    x: Tensor,
    image_shape: Integers,
    block_shape: Integers,
    *,
    dilations: Integers | None = None,
    pads: Integers | None = None,
    strides: Integers | None = None,
) -> Tensor:
    """Return images that consist of the blocks in the columns. Where blocks overlap, the elements are added."""
    count = len(image_shape)
    steps, apart = strides or (1,) * count, dilations or (1,) * count
    edges = _pairs("Col2Im", pads, count)
    if x.ndim != 3 or not count == len(block_shape) == len(steps) == len(apart):
        raise DimensionsMismatchError(
            f"Col2Im: shape {x.shape} does not fit images {shown(image_shape)}, blocks {shown(block_shape)}, strides "
            f"{shown(steps)} and dilations {shown(apart)}"
        )
    if min((*image_shape, *block_shape, *steps, *apart, 1)) < 1 or min(map(min, edges), default=0) < 0:
        raise InvalidArgumentError(
            f"Col2Im: a size of {shown((image_shape, block_shape, steps, apart, edges))} is too small"
        )
    whole = [size + sum(edge) for size, edge in zip(image_shape, edges, strict=True)]
    spans = [(k - 1) * d + 1 for k, d in zip(block_shape, apart, strict=True)]
    counts = [(n - span) // step + 1 for n, span, step in zip(whole, spans, steps, strict=True)]
    channels, rest = divmod(x.shape[1], math.prod(block_shape))
    if rest or min(counts, default=1) < 1 or x.shape[2] != math.prod(counts):
        raise DimensionsMismatchError(
            f"Col2Im: shape {x.shape} does not hold {shown(tuple(counts))} blocks of {shown(block_shape)}"
        )
    result = suanzi.zeros((x.shape[0], channels, *whole), dtype=x.dtype)
    if x.size:
        blocks = suanzi.reshape(x, (x.shape[0], channels, *block_shape, *counts))
        for place in product(*map(range, block_shape)):
            bounds = zip(place, apart, counts, steps, strict=True)
            ends = [slice(k * d, k * d + (n - 1) * step + 1, step) for k, d, n, step in bounds]
            target = result[(slice(None), slice(None), *ends)]
            suanzi.add(target, blocks[(slice(None), slice(None), *place)], out=target)
    return result[(slice(None), slice(None), *[slice(a, a + n) for (a, _), n in zip(edges, image_shape, strict=True)])]
