"""NumPy's functions of indices and of bounds on tensors, such as `unravel_index` and `digitize`. The module `functions`
contains the table of NumPy's functions.

The functions compute with indices in int64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

_MODES = ("raise", "wrap", "clip")
_ORDERS = ("C", "F")


def unravel_index(indices: Any, shape: int | Sequence[int], order: str = "C") -> tuple[Tensor, ...]:
    """Convert indices in a flat tensor to indices along the axes of a shape."""
    name = "numpy.unravel_index"
    sizes = _sizes(name, shape)
    backwards = _is_backwards(name, order)
    rest = _indices(name, indices, math.prod(sizes))
    if not sizes and rest.ndim:
        raise DimensionsMismatchError(f"{name}: a shape () has no axes for indices of shape {rest.shape}")
    places = []
    for size in sizes if backwards else reversed(sizes):
        places.append(suanzi.remainder(rest, size))
        rest = suanzi.floor_divide(rest, size)
    return tuple(places if backwards else reversed(places))


def ravel_multi_index(indices: Any, dims: int | Sequence[int], mode: Any = "raise", order: str = "C") -> Tensor:
    """Convert indices along the axes of a shape to indices in a flat tensor."""
    name = "numpy.ravel_multi_index"
    sizes = _sizes(name, dims)
    given = list(indices)
    modes = list(mode) if isinstance(mode, tuple | list) else [mode] * len(sizes)
    if len(given) != len(sizes) or len(modes) != len(sizes):
        raise DimensionsMismatchError(
            f"{name}: {len(given)} tensors of indices and {len(modes)} modes do not fit the axes of {shown(sizes)}"
        )
    place = as_tensor(0)
    axes = list(zip(given, sizes, modes, strict=True))
    for index, size, how in reversed(axes) if _is_backwards(name, order) else axes:
        place = place * size + _within(name, index, size, how)
    return place


def _within(name: str, index: Any, size: int, mode: Any) -> Tensor:
    """Return indices in [0, size). The modes "wrap" and "clip" move indices into the range. The mode "raise" raises an
    error for an index outside the range.
    """
    how = _MODES[_core.read_choice(name, "mode", mode, _MODES)]
    found = _indices(name, index, size if how == "raise" else None)
    if how == "wrap":
        return suanzi.remainder(found, size)
    return suanzi.clip(found, 0, size - 1) if how == "clip" else found


def _sizes(name: str, shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple. Raise an error if a size is negative, or if the product of the sizes does not fit
    int64.
    """
    given = np.atleast_1d(np.asarray(shape)) if isinstance(shape, Tensor | np.ndarray) else shape
    given = given if isinstance(given, tuple | list | np.ndarray) else (given,)
    sizes = tuple(_core.read_integer(name, "shape", size) for size in given)
    if min(sizes, default=0) < 0:
        raise InvalidArgumentError(f"{name}: shape {shown(sizes)} has a negative size")
    if math.prod(sizes) >= 2**63:
        raise OutOfRangeError(f"{name}: shape {shown(sizes)} has more places than int64 can count")
    return sizes


def _is_backwards(name: str, order: str) -> bool:
    return _ORDERS[_core.read_choice(name, "order", order, _ORDERS)] == "F"


def _indices(name: str, given: Any, bound: int | None) -> Tensor:
    """Return indices in int64. Raise an error if `bound` is given and an index is outside [0, bound)."""
    indices = as_tensor(given, None, name)
    if not indices.dtype.is_integer and indices.dtype is not suanzi.bool:
        raise TypeMismatchError(f"{name}: indices of type {indices.dtype} are not integers")
    if bound is not None and indices.size:
        for index in (int(suanzi.min(indices)), int(suanzi.max(indices))):
            if not 0 <= index < bound:
                raise InvalidArgumentError(f"{name}: index {index} is outside [0, {bound})")
    return suanzi.astype(indices, suanzi.int64, copy=False)


def take(x: Tensor, indices: Any, axis: int | None = None, mode: str = "raise") -> Tensor:
    """Return elements or slices along an axis. An empty list, which has no type, selects nothing."""
    if isinstance(indices, list | tuple | np.ndarray):
        given = as_tensor(indices, None, "numpy.take")
        indices = suanzi.astype(given, suanzi.int64) if given.size == 0 else given
    return x.take(indices, axis, mode)


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """Return the number of the bin of each element. The bounds `bins` ascend or descend. A bin contains its left bound,
    or its right bound if `right` is True.

    Elements and bounds are compared by their exact values, even if no type can represent both values.
    """
    name = "numpy.digitize"
    x, bins = (as_tensor(v, None, name) for v in (x, bins))
    for operand in (x, bins):
        if operand.dtype.kind not in "buif":
            raise TypeMismatchError(f"{name}: element type {operand.dtype} is not real")
    if bins.ndim != 1:
        raise DimensionsMismatchError(f"{name}: bounds of shape {bins.shape} do not have one dimension")
    before, after = bins[:-1], bins[1:]
    side = "left" if right else "right"
    if not bool(suanzi.any(after < before)):
        return places(x, bins, side)
    if not bool(suanzi.any(after > before)):
        found: Tensor = bins.size - places(x, suanzi.flip(bins), side)
        return found
    raise InvalidArgumentError(f"{name}: the bounds of bins neither ascend nor descend")


def searchsorted(bounds: Any, x: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Return the positions before which the elements of `x` must be inserted to keep `bounds` sorted. Elements of
    different types are compared by their exact values.
    """
    name = "numpy.searchsorted"
    bounds, x = (as_tensor(v, None, name) for v in (bounds, x))
    if bounds.dtype is x.dtype or bounds.ndim != 1 or any(v.dtype.kind not in "buif" for v in (bounds, x)):
        return suanzi.searchsorted(bounds, x, side=side, sorter=sorter)
    if sorter is not None:
        bounds = suanzi.take(bounds, as_tensor(sorter, None, name), 0)
    return places(x, bounds, side)


_WIDE = (suanzi.int64, suanzi.uint64)  # integer types of which float64 cannot represent every number


def places(x: Tensor, bounds: Tensor, side: str) -> Tensor:
    """Return the number of ascending bounds that are less than each element, or not greater if `side` is "right"."""
    kinds = {v.dtype.kind for v in (x, bounds)}
    if "f" not in kinds:
        return _among_integers(x, bounds, side)
    if x.dtype in _WIDE:
        return _integers_among_floats(x, bounds, side)
    if bounds.dtype in _WIDE:
        return _floats_among_integers(x, bounds, side)
    in_double = [suanzi.astype(v, suanzi.float64, copy=False) for v in (bounds, x)]
    return suanzi.searchsorted(in_double[0], in_double[1], side=side)


def _among_integers(x: Tensor, bounds: Tensor, side: str) -> Tensor:
    kinds = {v.dtype.kind for v in (x, bounds)}
    if suanzi.uint64 not in (x.dtype, bounds.dtype) or "i" not in kinds:
        return suanzi.searchsorted(bounds, x, side=side)
    x, bounds = (suanzi.astype(v, suanzi.int64, copy=False) if v.dtype.kind == "i" else v for v in (x, bounds))
    below = _count(bounds < 0) if bounds.dtype is suanzi.int64 else 0
    positive = [suanzi.astype(v, suanzi.uint64, copy=False) for v in (bounds[below:], suanzi.maximum(x, 0))]
    found = suanzi.searchsorted(positive[0], positive[1], side=side) + below
    return suanzi.where(x < 0, 0, found) if x.dtype is suanzi.int64 else found


def _integers_among_floats(x: Tensor, bounds: Tensor, side: str) -> Tensor:
    """Return the number of floating bounds below each integer element. The function rounds the bounds to integers in
    the direction that does not change the comparison.
    """
    wide = suanzi.astype(bounds, suanzi.float64, copy=False)
    least, past = _range(x)
    first, last = _count(wide < least), _count(wide < past)
    whole = (suanzi.ceil if side == "right" else suanzi.floor)(wide[first:last])
    # A bound that is rounded up may be the first number beyond the type's range. No element equals a bound beyond the
    # range.
    last = first + _count(whole < past)
    return suanzi.searchsorted(suanzi.astype(whole[: last - first], x.dtype), x, side=side) + first


def _floats_among_integers(x: Tensor, bounds: Tensor, side: str) -> Tensor:
    wide = suanzi.astype(x, suanzi.float64, copy=False)
    least, past = _range(bounds)
    whole = (suanzi.floor if side == "right" else suanzi.ceil)(wide)
    found = suanzi.searchsorted(bounds, suanzi.astype(whole, bounds.dtype), side=side)
    found = suanzi.where(whole < least, 0, found)
    return suanzi.where(suanzi.logical_or(whole >= past, suanzi.isnan(whole)), bounds.size, found)


def _range(x: Tensor) -> tuple[float, float]:
    """Return the least integer of the type, and the first integer above the type's range."""
    least, greatest = x.dtype.limits
    return float(least), float(greatest + 1)


def _count(condition: Tensor) -> int:
    return int(suanzi.count_nonzero(condition))
