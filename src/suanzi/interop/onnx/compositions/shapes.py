"""Operators that move elements or return shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor
from suanzi.interop.onnx.compositions.reading import Integers, positive_axes, positive_axis, single
from suanzi.tensor.messages import shown


def identity(x: Tensor) -> Tensor:
    return x


def shape(x: Tensor, *, start: int = 0, end: int | None = None) -> Tensor:
    return suanzi.tensor(x.shape[start:end], dtype=suanzi.int64)


def size(x: Tensor) -> Tensor:
    return suanzi.full((), x.size, dtype=suanzi.int64)


def reshape(x: Tensor, shape: Integers, *, allowzero: int = 0) -> Tensor:
    if not allowzero and 0 in shape:  # a size of 0 keeps the size of the axis
        if 0 in shape[x.ndim :]:
            raise DimensionsMismatchError(f"Reshape: shape {shape} keeps an axis that {x.shape} does not have")
        shape = tuple(size or x.shape[axis] for axis, size in enumerate(shape))
    return suanzi.reshape(x, shape)


def flatten(x: Tensor, *, axis: int) -> Tensor:
    if not -x.ndim <= axis <= x.ndim:
        raise OutOfRangeError(f"Flatten: axis {axis} is outside [{-x.ndim}, {x.ndim}]")
    cut = axis + x.ndim if axis < 0 else axis
    return suanzi.reshape(x, (math.prod(x.shape[:cut]), math.prod(x.shape[cut:])))


def expand(x: Tensor, shape: Integers) -> Tensor:
    """Broadcast a tensor and a shape to each other. A size of 1 in `shape` keeps the size of `x`."""
    if min(shape, default=0) < 0:
        raise InvalidArgumentError(f"Expand: shape {shown(shape)} has a negative size")
    rank = max(x.ndim, len(shape))
    own, wanted = (1,) * (rank - x.ndim) + x.shape, (1,) * (rank - len(shape)) + tuple(shape)
    return suanzi.expand(x, tuple(a if b == 1 else b for a, b in zip(own, wanted, strict=True)))


def concat(*tensors: Tensor, axis: int = 1) -> Tensor:
    return suanzi.concat(tensors, axis=axis)


def split(
    x: Tensor, split: Integers | None = None, *, axis: int, outputs: int, num_outputs: int | None = None
) -> Sequence[Tensor]:
    along = positive_axis(axis, x.ndim, "Split")
    if split is not None and num_outputs is not None:
        raise InvalidArgumentError(f"Split: the node has both sizes {shown(split)} and num_outputs {num_outputs}")
    if split is None:
        parts, length = outputs if num_outputs is None else num_outputs, x.shape[along]
        if num_outputs is None:
            return suanzi.split(x, parts, axis=along)
        if num_outputs != outputs:
            raise InvalidArgumentError(f"Split: num_outputs is {num_outputs}, but the node has {outputs} results")
        size = -(-length // parts)  # the last part may be smaller
        split = tuple(max(0, min(size, length - i * size)) for i in range(parts))
    return suanzi.split(x, split, axis=along)


def transposition(*, perm: Integers | None = None) -> Callable[[Tensor], Tensor]:
    """Return a function that computes Transpose. ONNX counts axes only from the first axis."""
    if perm is None:
        return suanzi.transpose
    if min(perm, default=0) < 0:
        raise InvalidArgumentError(f"Transpose: perm {shown(perm)} has a negative number")
    return partial(suanzi.transpose, axes=perm)


def tile(x: Tensor, repeats: int | Integers) -> Tensor:
    if not isinstance(repeats, tuple) or len(repeats) != x.ndim:
        raise DimensionsMismatchError(
            f"Tile: repeats {shown(repeats)} are not a vector with one number for each axis of shape {x.shape}"
        )
    return suanzi.tile(x, repeats)


def slice(
    x: Tensor, starts: Integers, ends: Integers, axes: Integers | None = None, steps: Integers | None = None
) -> Tensor:
    along = tuple(range(len(starts))) if axes is None else axes
    if steps is None:
        return suanzi.slice(x, starts, ends, (1,) * len(along), axis=along)
    if len(starts) == len(steps) == len(along) and all(type(each) is int for each in (*starts, *steps)):
        # Python's slices with a start before the first element are empty if the step is negative. ONNX's slices start
        # at the first element.
        lengths = [x.shape[positive_axis(axis, x.ndim, "Slice")] for axis in along]
        bounds = zip(starts, steps, lengths, strict=True)
        starts = tuple(max(start, -length) if step < 0 else start for start, step, length in bounds)
    return suanzi.slice(x, starts, ends, steps, axis=along)


def pad(
    x: Tensor,
    pads: Integers,
    constant_value: Tensor | None = None,
    axes: Integers | None = None,
    *,
    mode: str,
    value: float = 0.0,
) -> Tensor:
    """Add elements at the ends of axes. Negative numbers remove elements."""
    if not isinstance(pads, tuple) or any(isinstance(each, list) for each in pads):
        raise DimensionsMismatchError(f"Pad: pads of shape {np.shape(pads)} are not a vector")
    widths, takes_away = _widths(pads, axes, x.ndim)
    fill: Any = value if constant_value is None or constant_value.size == 0 else constant_value.item()
    if x.dtype is suanzi.string and fill == 0:
        fill = ""
    if takes_away:
        added = [(max(0, before), max(0, after)) for before, after in widths]
        begin = tuple(max(0, -before) for before, _ in widths)
        left = [n - first - max(0, -after) for n, first, (_, after) in zip(x.shape, begin, widths, strict=True)]
        # If one end of an axis loses more elements than `x` has, the loss includes elements that the other end adds.
        if min(left) < 0:
            sizes = [size + sum(pair) for size, pair in zip(left, added, strict=True)]
            if min(sizes) < 0:
                raise DimensionsMismatchError(f"Pad: pads {shown(pads)} remove more elements than shape {x.shape} has")
            x = _padded(x, added, mode, fill)
            return suanzi.slice(x, begin, [first + size for first, size in zip(begin, sizes, strict=True)])
        x = suanzi.slice(x, begin, [first + size for first, size in zip(begin, left, strict=True)])
        widths = added
    return _padded(x, widths, mode, fill)


@lru_cache
def _widths(pads: Integers, axes: Integers | None, ndim: int) -> tuple[list[tuple[int, int]], bool]:
    """Return the numbers of elements that are added before and after each axis, and whether a number is negative."""
    along = positive_axes(axes, ndim, "Pad")
    if len(pads) != 2 * len(along):
        raise DimensionsMismatchError(f"Pad: {len(pads)} pads are not two numbers for each of {len(along)} axes")
    widths = [(0, 0)] * ndim
    for axis, before, after in zip(along, pads[: len(along)], pads[len(along) :], strict=True):
        widths[axis] = before, after
    return widths, min(pads, default=0) < 0


def _padded(x: Tensor, widths: list[tuple[int, int]], mode: str, fill: Any) -> Tensor:
    return suanzi.pad(x, widths, mode, fill) if mode == "constant" else suanzi.pad(x, widths, mode)


def gather_elements(x: Tensor, indices: Tensor, *, axis: int) -> Tensor:
    """Return an element along an axis for each position of `indices`. Along other axes, `indices` may be smaller than
    `x`.
    """
    along = positive_axis(axis, x.ndim, "GatherElements")
    if indices.ndim != x.ndim:
        raise DimensionsMismatchError(f"GatherElements: shapes {x.shape} and {indices.shape} differ in rank")
    others = [i for i in range(x.ndim) if i != along]
    if any(indices.shape[i] > x.shape[i] for i in others):
        raise DimensionsMismatchError(f"GatherElements: indices of shape {indices.shape} exceed shape {x.shape}")
    if any(indices.shape[i] != x.shape[i] for i in others):
        x = suanzi.crop(x, (0,) * x.ndim, [n if i == along else indices.shape[i] for i, n in enumerate(x.shape)])
    return suanzi.take_along_axis(x, indices, along)


_MODES = {"none": "update", "add": "add", "mul": "mul", "max": "max", "min": "min"}


def scatter_elements(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int, reduction: str = "none") -> Tensor:
    return suanzi.scatter(x, indices, updates, axis, _mode("ScatterElements", reduction))


def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Tensor:
    return suanzi.scatter_nd(x, indices, updates, _mode("ScatterND", reduction))


def tensor_scatter(
    cache: Tensor, update: Tensor, write_indices: Tensor | None = None, *, mode: str, axis: int
) -> Tensor:
    """Write an update into the cache of each batch member, at the member's own position."""
    along = positive_axis(axis, cache.ndim, "TensorScatter")
    if along == 0:
        raise InvalidArgumentError("TensorScatter: axis 0 is the axis of the batch")
    batch, most = cache.shape[0], cache.shape[along]
    expected = tuple(n for i, n in enumerate(cache.shape) if i != along)
    found = tuple(n for i, n in enumerate(update.shape) if i != along)
    if update.ndim != cache.ndim or found != expected or update.shape[along] > most:
        raise DimensionsMismatchError(
            f"TensorScatter: an update of shape {update.shape} does not fit into a cache of shape {cache.shape}"
        )
    if write_indices is None:
        write_indices = suanzi.zeros((batch,), dtype=suanzi.int64)
    if write_indices.shape != (batch,):
        raise DimensionsMismatchError(
            f"TensorScatter: write_indices of shape {write_indices.shape} do not fit a batch of {batch}"
        )
    if not update.size:
        return cache
    places = suanzi.expand_dims(write_indices, 1) + suanzi.arange(update.shape[along], dtype=suanzi.int64)
    if mode == "circular":
        places = suanzi.remainder(places, most)
    elif bool(suanzi.any(suanzi.logical_or(suanzi.less(places, 0), suanzi.greater_equal(places, most))).item()):
        raise OutOfRangeError(
            f"TensorScatter: an update of {update.shape[along]} rows passes the ends of a cache of {most} rows"
        )
    places = suanzi.reshape(places, [n if i in (0, along) else 1 for i, n in enumerate(update.shape)])
    return suanzi.scatter(cache, suanzi.expand(places, update.shape), update, along, "update")


def _mode(operator: str, reduction: str) -> str:
    if reduction not in _MODES:
        raise InvalidArgumentError(f"{operator}: reduction {reduction!r} is not one of {', '.join(_MODES)}")
    return _MODES[reduction]


def compress(x: Tensor, condition: Tensor, *, axis: int | None = None) -> Tensor:
    (places,) = suanzi.nonzero(condition)
    if axis is None:
        x, axis = suanzi.reshape(x, (x.size,)), 0
    return suanzi.gather(x, places, axis)


def nonzero(x: Tensor) -> Tensor:
    """Return the indices of nonzero elements, one row per axis. A scalar has no rows."""
    if not x.ndim:
        return suanzi.zeros((0, int(bool(x.item()))), dtype=suanzi.int64)
    places = suanzi.nonzero(x, as_tuple=False)
    assert isinstance(places, Tensor)
    return suanzi.transpose(places)


def trilu(x: Tensor, k: int | Integers = 0, *, upper: int) -> Tensor:
    return (suanzi.triu if upper else suanzi.tril)(x, single(k, "Trilu"))


def depth_to_space(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = four_dimensions(x, "DepthToSpace")
    b = blocksize
    if b < 1 or c % (b * b):
        raise InvalidArgumentError(f"DepthToSpace: {c} channels are not a multiple of the square of blocksize {b}")
    if mode == "CRD":
        blocks = suanzi.transpose(suanzi.reshape(x, (n, c // b**2, b, b, h, w)), (0, 1, 4, 2, 5, 3))
    else:
        blocks = suanzi.transpose(suanzi.reshape(x, (n, b, b, c // b**2, h, w)), (0, 3, 4, 1, 5, 2))
    return suanzi.reshape(blocks, (n, c // b**2, h * b, w * b))


def space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    n, c, h, w = four_dimensions(x, "SpaceToDepth")
    b = blocksize
    if b < 1 or h % b or w % b:
        raise InvalidArgumentError(f"SpaceToDepth: sizes {h} and {w} are not multiples of blocksize {b}")
    order = (0, 1, 3, 5, 2, 4) if mode == "CRD" else (0, 3, 5, 1, 2, 4)
    blocks = suanzi.transpose(suanzi.reshape(x, (n, c, h // b, b, w // b, b)), order)
    return suanzi.reshape(blocks, (n, c * b * b, h // b, w // b))


def four_dimensions(x: Tensor, operator: str) -> Integers:
    """Return the shape of a batch of images. Raise an error unless the shape has four dimensions."""
    if x.ndim != 4:
        raise DimensionsMismatchError(f"{operator}: shape {x.shape} does not have four dimensions")
    return x.shape


def reverse_sequence(x: Tensor, sequence_lens: Tensor, *, batch_axis: int, time_axis: int) -> Tensor:
    return suanzi.reverse(x, time_axis, lengths=sequence_lens, batch_axis=batch_axis)


def center_crop_pad(x: Tensor, shape: Integers, *, axes: Integers | None = None) -> Tensor:
    along = positive_axes(axes, x.ndim, "CenterCropPad")
    if len(along) != len(shape):
        raise DimensionsMismatchError(f"CenterCropPad: {len(shape)} sizes do not fit {len(along)} axes")
    for axis, wanted in zip(along, shape, strict=True):
        missing = wanted - x.shape[axis]
        if missing < 0:
            begin = -missing // 2
            x = suanzi.slice(x, begin, begin + wanted, axis=axis)
        elif missing:
            widths = [(0, 0)] * x.ndim
            widths[axis] = missing // 2, missing - missing // 2
            x = suanzi.pad(x, widths)
    return x
