"""Deformable convolutions. An operand moves the positions at which the kernel reads the input. A position may be
between two elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions.convolutions import Options, options_of
from suanzi.tensor.messages import shown

Integers = tuple[int, ...]


def deform_conv(*, offset_group: int, **attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes `DeformConv` with the given attributes."""
    return partial(_deformed, options_of("DeformConv", **attributes), offset_group)


def _deformed(
    options: Options,
    parts: int,
    x: Tensor,
    weight: Tensor,
    offset: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the products of the weight and patches of `x`. `offset` moves the positions at which a patch reads
    elements.
    """
    starts, steps, apart, sizes = _places(options, parts, x, weight, offset, mask)
    patches = _patches(x, offset, mask, parts, weight.shape[2:], starts, steps, apart)
    batch, groups, outputs = x.shape[0], options.groups, weight.shape[0]
    rows = suanzi.reshape(patches, (batch, groups, math.prod(weight.shape[1:]), math.prod(sizes)))
    matrices = suanzi.reshape(weight, (groups, outputs // groups, math.prod(weight.shape[1:])))
    y = suanzi.reshape(suanzi.matmul(matrices, rows), (batch, outputs, *sizes))
    return y if bias is None else y + suanzi.reshape(bias, (-1,) + (1,) * len(sizes))


def _places(
    options: Options, parts: int, x: Tensor, weight: Tensor, offset: Tensor, mask: Tensor | None
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return the first position, the stride and the dilation along each axis, and the sizes of the result."""
    options.check("DeformConv", weight)
    spatial, kernel = x.ndim - 2, weight.shape[2:]
    if spatial < 1 or weight.ndim != x.ndim or offset.ndim != x.ndim:
        raise DimensionsMismatchError(
            f"DeformConv: shapes {shown(x.shape)}, {shown(weight.shape)} and {shown(offset.shape)} differ in rank"
        )
    groups, channels = options.groups, x.shape[1]
    if parts < 1 or groups < 1 or channels % parts or weight.shape[1] * groups != channels or weight.shape[0] % groups:
        raise DimensionsMismatchError(
            f"DeformConv: {channels} channels and weight of shape {shown(weight.shape)} do not fit {groups} groups and "
            f"{parts} groups of offsets"
        )
    steps, apart = (
        (each,) * spatial if isinstance(each, int) else tuple(each) for each in (options.stride, options.dilation)
    )
    pads = ((0, 0),) * spatial if options.padding == 0 else options.padding
    if isinstance(pads, str | int) or not len(steps) == len(apart) == len(pads) == spatial:
        raise InvalidArgumentError(f"DeformConv: strides, dilations or pads do not fit {spatial} axes")
    if min((*steps, *apart)) < 1:
        raise InvalidArgumentError(f"DeformConv: strides {steps} and dilations {apart} are not all positive")
    sizes = tuple(
        (n + sum(pad) - d * (k - 1) - 1) // step + 1
        for n, k, step, d, pad in zip(x.shape[2:], kernel, steps, apart, pads, strict=True)
    )
    cells = math.prod(kernel)
    expected = (x.shape[0], parts * cells * spatial, *sizes)
    if min(sizes) < 0 or offset.shape != expected:
        raise DimensionsMismatchError(f"DeformConv: offset has shape {shown(offset.shape)}, not {shown(expected)}")
    if mask is not None and mask.shape != (x.shape[0], parts * cells, *sizes):
        raise DimensionsMismatchError(
            f"DeformConv: mask of shape {shown(mask.shape)} does not fit offset of shape {shown(offset.shape)}"
        )
    return tuple(-before for before, _ in pads), steps, apart, sizes


def _patches(
    x: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    parts: int,
    kernel: Integers,
    starts: Integers,
    steps: Integers,
    apart: Integers,
) -> Tensor:
    """Return the elements that the taps read: (batch, groups of offsets, channels of a group, taps * positions)."""
    batch, channels, *spatial = x.shape
    sizes, cells = offset.shape[2:], math.prod(kernel)
    moved = suanzi.reshape(offset, (batch, parts, cells, len(spatial), *sizes))
    floors, shares = [], []
    for axis in range(len(spatial)):
        along = suanzi.arange(sizes[axis], dtype=offset.dtype) * float(steps[axis]) + float(starts[axis])
        base = suanzi.reshape(along, (-1,) + (1,) * (len(sizes) - 1 - axis))
        places = suanzi.arange(kernel[axis], dtype=offset.dtype) * float(apart[axis])
        shape = tuple(k if i == axis else 1 for i, k in enumerate(kernel))
        cell = suanzi.reshape(suanzi.expand(suanzi.reshape(places, shape), kernel), (cells,) + (1,) * len(sizes))
        where = moved[:, :, :, axis] + cell + base
        floors.append(suanzi.floor(where))
        shares.append(where - floors[-1])
    planes = suanzi.reshape(x, (batch, parts, channels // parts, math.prod(spatial)))
    count = cells * math.prod(sizes)
    total: Tensor | None = None
    for corner in product((0, 1), repeat=len(spatial)):
        index, share, inside = _corner(corner, floors, shares, spatial)
        index, share, inside = (suanzi.reshape(each, (batch, parts, 1, count)) for each in (index, share, inside))
        wide = suanzi.expand(index, (batch, parts, channels // parts, count))
        found = suanzi.take_along_axis(planes, wide, -1) if math.prod(spatial) else suanzi.zeros(wide.shape)
        part = suanzi.where(inside, found * share, 0.0)
        total = part if total is None else total + part
    assert total is not None
    if mask is not None:
        total = total * suanzi.reshape(mask, (batch, parts, 1, count))
    return total


def _corner(
    corner: Integers, floors: list[Tensor], shares: list[Tensor], spatial: list[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """For each position, return the index of one neighbour within a plane, the neighbour's weight, and whether the
    neighbour exists and has a weight other than 0.
    """
    index: Any = 0
    share: Any = 1.0
    inside: Any = True
    for up, first, rest, size in zip(corner, floors, shares, spatial, strict=True):
        place = first + float(up)
        fits = suanzi.logical_and(suanzi.greater_equal(place, 0.0), suanzi.less_equal(place, float(size - 1)))
        whole = suanzi.astype(suanzi.where(fits, place, 0.0), suanzi.int64)
        index, share = whole + index * size, (rest if up else 1.0 - rest) * share
        inside = suanzi.logical_and(fits, inside)
    # The product of an infinite element and a weight of 0 would be NaN.
    return index, share, suanzi.logical_and(inside, suanzi.not_equal(share, 0.0))
