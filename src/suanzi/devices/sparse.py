"""Sparse tensors on devices: device versions of the core's functions for patterns and values.

`suanzi.kinds.sparse` defines the operators for the CPU and for devices alike. A call waits for the device if the number
of elements in the result depends on the coordinates of the operands' elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.devices import front
from suanzi.devices.parts import PARTS, part
from suanzi.devices.patterns import (
    Derived,
    DevicePattern,
    added,
    ascending,
    carry,
    changes,
    coalesced,
    compressed,
    coordinates,
    is_wide,
    linear,
    narrow,
    picked,
    row_major,
    rows_of_elements,
    shown_type,
    to_coordinates,
    to_rows,
    wide,
)
from suanzi.devices.tensor import DeviceTensor, made, to_cpu
from suanzi.devices.types import LEAST_INT64, TORCH, as_bits, carried, converted, flipped
from suanzi.operators.creation.filled import zeros
from suanzi.tensor.device import CPU
from suanzi.tensor.dtypes import DType, int32, int64
from suanzi.tensor.status import OutOfRangeError

Pair = tuple[DevicePattern, DeviceTensor]


# --- patterns of given coordinates ---


@part("sparse_coordinates", "sparse_tensor")
def from_coordinates(shape: tuple[int, ...], indices: DeviceTensor) -> DevicePattern:
    """Make a pattern of coordinates. The function waits for the device, because the pattern records whether the
    coordinates are canonical.
    """
    if not indices.dtype.is_integer or indices.ndim != 2 or indices.shape[1] != len(shape):
        _core.sparse_coordinates(shape, front.spread(indices))  # the call raises the CPU's error
    places = _as_int64(indices).T.contiguous()
    if not places.shape[1]:
        return DevicePattern(indices.device, shape, places, True, indices.dtype)
    sizes = torch.tensor(shape, dtype=torch.int64, device=places.device).reshape(-1, 1)
    wrong, canonical = torch.stack((((places < 0) | (places >= sizes)).any(), ascending(places))).tolist()
    if wrong:
        _core.sparse_coordinates(shape, to_cpu(indices, "sparse_tensor"))  # the call names the wrong coordinates
    return DevicePattern(indices.device, shape, places, canonical, indices.dtype)


def _as_int64(x: DeviceTensor) -> torch.Tensor:
    return carried(x.data).to(torch.int64)


@part("sparse_rows", "sparse_tensor")
def from_rows(shape: tuple[int, ...], indptr: DeviceTensor, indices: DeviceTensor) -> DevicePattern:
    """Make a pattern of compressed rows."""
    given = (indptr, indices)
    sizes = len(shape) == 2 and indices.ndim == 1 and indptr.shape == (shape[0] + 1,)
    if not sizes or not all(x.dtype.is_integer for x in given):
        _core.sparse_rows(shape, *map(front.spread, given))  # the call raises the CPU's error
    starts, columns = (_as_int64(x).clone() for x in given)
    n = columns.shape[0]
    wrong = (starts[1:] < starts[:-1]).any() | (starts[0] != 0) | (starts[-1] != n)
    wrong |= ((columns < 0) | (columns >= shape[1])).any()
    if bool(wrong):
        _core.sparse_rows(shape, *(to_cpu(x, "sparse_tensor") for x in given))  # the call names the wrong indices
    p = DevicePattern(indices.device, shape, columns, False, indices.dtype, starts, indptr.dtype)
    p.canonical = bool(ascending(coordinates(p))) if n > 1 else True
    return p


@part("sparse_values", "sparse_tensor")
def values_of(p: DevicePattern, values: DeviceTensor) -> DeviceTensor:
    """Check that values fit a pattern, and return a copy of the values."""
    if values.ndim == 0 or values.shape[0] != p.count:
        empty = _core.sparse_coordinates((1,), zeros((p.count, 1), dtype=int64, device=CPU))
        _core.sparse_values(empty, front.spread(values))  # the call raises the CPU's error
    found: Any = as_bits(values.data).clone(memory_format=torch.contiguous_format).view(values.data.dtype)
    return made(found, values.device, values.dtype)


# --- formats ---


def _pair(derived: Derived, values: DeviceTensor) -> Pair:
    return derived.pattern, carry(values, derived)


@part("sparse_coalesce", "coalesce")
def coalesce(p: DevicePattern, values: DeviceTensor) -> Pair:
    return _pair(coalesced(p), values)


@part("sparse_to_rows", "to_csr")
def compress(p: DevicePattern, values: DeviceTensor) -> Pair:
    if len(p.shape) != 2:
        _like(p, lambda image: _core.sparse_to_rows(image, _no_values(values)))
    return _pair(to_rows(p), values)


@part("sparse_to_coordinates", "to_coo")
def write_out(p: DevicePattern) -> DevicePattern:
    return to_coordinates(p)


def _like(p: DevicePattern, ask: Callable[[Any], Any], in_rows: bool = False) -> Any:
    """Return the result of the CPU's function `ask` for an empty pattern with the shape of `p`, in coordinates or in
    compressed rows.
    """
    if p.starts is None or not in_rows:
        return ask(_core.sparse_coordinates(p.shape, zeros((0, len(p.shape)), dtype=int64, device=CPU)))
    starts = zeros((p.shape[0] + 1,), dtype=int64, device=CPU)
    return ask(_core.sparse_rows(p.shape, starts, zeros((0,), dtype=int64, device=CPU)))


def _no_values(values: DeviceTensor) -> Tensor:
    return zeros((0, *values.shape[1:]), dtype=values.dtype, device=CPU)


@part("sparse_to_dense", "to_dense")
def to_dense(p: DevicePattern, values: DeviceTensor) -> DeviceTensor:
    """Return a dense tensor with the values at their coordinates and zeros elsewhere."""
    if not p.canonical:
        p, values = _pair(coalesced(p), values)
    block = values.shape[1:]
    if len(p.shape) + len(block) > _core.max_rank:
        _like(p, lambda image: _core.sparse_to_dense(image, _no_values(values)))
    t = as_bits(values.data)
    found = t.new_zeros((math.prod(p.shape), *block))
    found[linear(coordinates(p), p.shape)] = t
    return made(found.reshape((*p.shape, *block)).view(values.data.dtype), values.device, values.dtype)


@part("sparse_from_dense", "to_sparse")
def from_dense(x: DeviceTensor) -> Pair:
    """Return the coordinates of nonzero elements, and the elements."""
    if x.ndim == 0:
        _core.sparse_from_dense(front.spread(x))  # the call raises the CPU's error
    places = torch.nonzero(carried(x.data) != 0).T.contiguous()
    found: Any = as_bits(x.data)[tuple(places)].view(x.data.dtype)
    return DevicePattern(x.device, x.shape, places, True, int64), made(found, x.device, x.dtype)


@part("sparse_gather", "gather")
def gather(p: DevicePattern, x: DeviceTensor) -> DeviceTensor:
    """Return the elements of a dense tensor at the coordinates of a pattern."""
    t = as_bits(x.data)
    places = coordinates(p)
    found = t[tuple(places)] if len(places) else t.expand((p.count, *t.shape)).clone()
    return made(found.contiguous().view(x.data.dtype), x.device, x.dtype)


# --- arrangements ---


@part("sparse_permute")
def permute(operator: str, p: DevicePattern, values: DeviceTensor, axes: Any) -> Pair:
    """Return the pattern and the values of a sparse tensor with the dimensions in another order. Compressed rows stay
    compressed and become canonical.
    """
    _like(p, lambda image: _core.sparse_permute(operator, image, _no_values(values), axes))  # the call checks the axes
    rank = len(p.shape)
    order = [axis % rank for axis in _core.read_shape(operator, axes, -rank)] if rank else []
    if order == list(range(rank)):
        return p, values
    shape = tuple(p.shape[axis] for axis in order)
    swapped = DevicePattern(p.device, shape, coordinates(p)[order], False, p.index_type)
    if p.starts is None:
        return swapped, values
    at_once = p.canonical and values.ndim == 1 and not is_wide(p.shape) and p.count <= int32.limits[1]
    rows, carried_values = _pair(to_rows(swapped), values)
    rows.starts_type = shown_type(p.starts_type if at_once else rows.starts_type, (), rows.count)
    return rows, carried_values


@part("sparse_reshape", "reshape")
def reshape(p: DevicePattern, shape: Any) -> DevicePattern:
    """Return a pattern of coordinates for the same elements in another shape of equal size."""
    sizes: tuple[int, ...] = _like(p, lambda image: _core.sparse_reshape(image, shape)).shape
    number = linear(coordinates(p), p.shape)
    places = []
    for size in reversed(sizes):
        places.append(number % max(size, 1))
        number = torch.div(number, max(size, 1), rounding_mode="floor")
    stacked = torch.stack(places[::-1]) if places else number.new_zeros((0, p.count))
    return DevicePattern(p.device, sizes, stacked, p.canonical, p.index_type)


@part("sparse_slice", "slice")
def slices(p: DevicePattern, values: DeviceTensor, start: list[int], step: list[int], count: list[int]) -> Pair:
    """Return the elements whose indices lie in a slice along each axis. The slices are within bounds."""
    places = coordinates(p)
    kept = torch.ones(p.count, dtype=torch.bool, device=places.device)
    moved = []
    for row, first, stride, n in zip(places, start, step, count, strict=True):
        at = torch.div(row - first, stride, rounding_mode="floor")
        kept &= (row - first == at * stride) & (at >= 0) & (at < n)
        moved.append(at)
    source = kept.nonzero().reshape(-1)
    shape = tuple(count)
    placed = torch.stack(moved)[:, source] if moved else places[:, source]
    if p.starts is None:
        canonical = p.canonical and all(stride > 0 for stride in step)
        return DevicePattern(p.device, shape, placed, canonical, p.index_type), picked(values, source)
    if step[1] < 0:  # a negative step reverses the columns, so the elements are reversed as well
        source, placed = source.flip(0), placed.flip(1)
    return _in_rows(p, shape, placed, source, values, p.canonical)


def _in_rows(
    p: DevicePattern,
    shape: tuple[int, ...],
    places: torch.Tensor,
    source: torch.Tensor,
    values: DeviceTensor,
    canonical: bool,
) -> Pair:
    """Return compressed rows for elements whose rows are in any order. The elements of a row keep their order."""
    order = torch.argsort(places[0], stable=True)
    frame = DevicePattern(p.device, shape, places[:, :0], canonical, p.index_type)
    return compressed(frame, places[:, order], p.starts_type, canonical), picked(values, source[order])


@part("sparse_select", "index_select")
def select(p: DevicePattern, values: DeviceTensor, index: DeviceTensor, axis: Any) -> Pair:
    """Return the elements at the indices in a list along an axis, in the order of the list."""
    asked = zeros((0,) * index.ndim, dtype=index.dtype, device=CPU)
    _like(p, lambda image: _core.sparse_select(image, _no_values(values), asked, axis))  # the call checks the operands
    along = _core.read_axis("index_select", axis, len(p.shape))
    size, chosen = p.shape[along], index.shape[0]
    wanted = _as_int64(index)
    wrong = (wanted >= size) | (wanted < -size)
    if index.dtype.name == "uint64":
        wrong |= wanted < 0
    if bool(wrong.any()):
        bad = int(wanted[wrong][0])
        raise OutOfRangeError(f"index_select: index {bad} is outside [{-size}, {size}) along axis {along}")
    wanted = torch.where(wanted < 0, wanted + size, wanted)
    shape = (*p.shape[:along], chosen, *p.shape[along + 1 :])
    places = coordinates(p)
    order = torch.argsort(wanted, stable=True)
    ordered, named = wanted[order], places[along].contiguous()
    first = torch.searchsorted(ordered, named)
    source, number = _repeated(torch.searchsorted(ordered, named, right=True) - first)
    at = order[first[source] + number]
    placed = places[:, source]
    placed[along] = at
    rises = bool((wanted[1:] > wanted[:-1]).all())
    if p.starts is None:
        return DevicePattern(p.device, shape, placed, p.canonical and rises, p.index_type), picked(values, source)
    return _in_rows(p, shape, placed, source, values, p.canonical and (rises or along == 0))


def _repeated(counts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return each index i of `counts`, repeated ``counts[i]`` times, and the number of each repetition, from 0."""
    total = int(counts.sum())
    source = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts, output_size=total)
    before = counts.cumsum(0) - counts
    return source, torch.arange(total, device=counts.device) - before[source]


@part("sparse_merge", "merge")
def merge(
    a: DevicePattern, a_values: DeviceTensor, b: DevicePattern, b_values: DeviceTensor, both: bool
) -> tuple[DevicePattern, DeviceTensor, DeviceTensor]:
    """Return the coordinates at which both operands have elements, and the operands' values at these coordinates.

    If `both` is False, return the coordinates at which at least one operand has an element.
    """
    n = a.count
    places = torch.cat((coordinates(a), coordinates(b)), 1)
    order = row_major(places, a.shape)
    order = torch.arange(places.shape[1], device=places.device) if order is None else order
    places = places[:, order]
    begins = changes(places)
    group = torch.empty_like(order)  # the group of each element of a, then of each element of b
    group[order] = begins.cumsum(0) - 1
    kept, count = places[:, begins], int(begins.sum())
    sides = [_spread(a_values, group[:n], count), _spread(b_values, group[n:], count)]
    if both:
        shared = torch.bincount(group, minlength=count) == 2
        kept, sides = kept[:, shared], [picked(x, shared.nonzero().reshape(-1)) for x in sides]
    frame = DevicePattern(a.device, a.shape, kept, True, a.index_type)
    pattern = frame if a.starts is None else compressed(frame, kept, a.starts_type)
    return pattern, sides[0], sides[1]


def _spread(values: DeviceTensor, places: torch.Tensor, count: int) -> DeviceTensor:
    t = as_bits(values.data)
    found = t.new_zeros((count, *t.shape[1:]))
    found[places] = t
    return made(found.view(values.data.dtype), values.device, values.dtype)


@part("sparse_join", "concat")
def join(patterns: tuple[DevicePattern, ...], values: DeviceTensor, axis: int) -> Pair:
    """Join patterns one after the other along an axis. The caller has already joined the values."""
    first = patterns[0]
    sizes = [p.shape[axis] for p in patterns]
    shape = (*first.shape[:axis], sum(sizes), *first.shape[axis + 1 :])
    parts = []
    for p, before in zip(patterns, torch.tensor([0, *sizes]).cumsum(0).tolist(), strict=False):
        places = coordinates(p).clone()
        places[axis] += before
        parts.append(places)
    index_type = max((p.index_type for p in patterns), key=lambda t: t.itemsize)
    canonical = (axis == 0 or first.starts is not None) and all(p.canonical for p in patterns)
    joined = DevicePattern(first.device, shape, torch.cat(parts, 1), canonical, index_type)
    if first.starts is None:
        return joined, values
    starts_type = max((p.starts_type for p in patterns), key=lambda t: t.itemsize)
    if axis == 0:
        return compressed(joined, joined.places, starts_type, canonical), values
    order = torch.argsort(joined.places[0], stable=True)
    return compressed(joined, joined.places[:, order], starts_type, canonical), picked(values, order)


# --- reductions ---


def _greater(sign: int) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Return a function that returns the greater of two elements, or the lesser for a negative `sign`. The function
    returns the first of equal elements, and NaN if an element is NaN.
    """

    def function(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.where(((b > a) if sign > 0 else (b < a)) | (b != b), b, a)

    return function


_ORDERED = ("max", "min")
_FOLDS: dict[str, Any] = {"prod": torch.mul, "max": _greater(1), "min": _greater(-1)}


@part("sparse_fold")
def fold(name: str, p: DevicePattern, values: DeviceTensor, kept: Any) -> DeviceTensor:
    """Reduce the elements that agree in the coordinates of the axes `kept`, together with the zeros that are not
    stored.
    """
    axes = [axis for axis in range(len(p.shape)) if axis in kept]
    _like(p, lambda image: _core.sparse_fold(name, image, _no_values(values), kept))  # the call checks the type
    shape = tuple(p.shape[axis] for axis in axes)
    count = math.prod(shape)
    group = linear(coordinates(p)[axes], shape)
    t = wide(values.data)
    if name == "sum":
        found = added(t, group, count)
    elif values.dtype.name == "uint64" and name in _ORDERED:
        found = flipped(_folded(_FOLDS[name], flipped(t), group, count, math.prod(p.shape), LEAST_INT64))
    else:
        found = _folded(_FOLDS[name], t, group, count, math.prod(p.shape), 0)
    found = narrow(found, values.data.dtype).reshape((*shape, *values.shape[1:]))
    return made(found, values.device, values.dtype)


def _folded(function: Any, t: torch.Tensor, group: torch.Tensor, count: int, places: int, zero: int) -> torch.Tensor:
    """Reduce the elements of each group in order, together with `zero` if the group stores fewer elements than the
    group has coordinates. `places` is the number of coordinates of all groups together.

    Elements are combined in pairs, then pairs of pairs, in as many steps as the length of the longest group has bits.
    """
    stored = torch.bincount(group, minlength=count)
    longest = int(stored.max()) if len(group) else 0
    order = torch.argsort(group, stable=True)
    ordered, x = group[order], t[order]
    one = (-1, *(1,) * (t.ndim - 1))
    step = 1
    while step < longest:
        same = (ordered[:-step] == ordered[step:]).reshape(one)
        x = torch.cat((torch.where(same, function(x[:-step], x[step:]), x[:-step]), x[-step:]))
        step *= 2
    begins = changes(ordered.unsqueeze(0))
    found = t.new_full((count, *t.shape[1:]), zero)
    found[ordered[begins]] = x[begins]
    partly = ((stored > 0) & (stored < min(places // max(count, 1), 2**62))).reshape(one)
    return torch.where(partly, function(found, found.new_full((), zero)), found)


# --- products ---


@cache
def _type_of_product(a: DType, b: DType) -> DType:
    """Return the type of a product of tensors of two types. Raise the CPU's error for types that cannot be added."""
    none = zeros((0,), dtype=int64, device=CPU)
    rows = _core.sparse_rows((0, 0), zeros((1,), dtype=int64, device=CPU), none)
    return _core.sparse_times_dense(rows, front.empty_of(a), front.empty_of(b)).dtype


def _operands(dtype: DType, p: DevicePattern, values: DeviceTensor) -> tuple[DevicePattern, torch.Tensor]:
    """Return a pattern and its values, converted for a product of type `dtype`. If the values have another type,
    elements with the same coordinates are summed first.
    """
    if not p.canonical and values.dtype is not dtype:
        p, values = _pair(coalesced(p), values)
    return p, wide(converted(values.data, TORCH[dtype]))


def _check_rows(p: DevicePattern, values: DeviceTensor, shape: tuple[int, ...]) -> None:
    if p.starts is None or values.ndim != 1 or not 0 < len(shape) < 3 or shape[0] != p.shape[1]:
        stand_in = _core.expand(front.one_of(values.dtype), shape)
        _like(p, lambda image: _core.sparse_times_dense(image, _no_values(values), stand_in), True)


@part("sparse_times_dense", "matmul")
def times_dense(p: DevicePattern, values: DeviceTensor, x: DeviceTensor) -> DeviceTensor:
    """Multiply compressed rows by a vector, or by a matrix. The function multiplies by some columns of the matrix at a
    time.
    """
    dtype = _type_of_product(values.dtype, x.dtype)
    _check_rows(p, values, x.shape)
    p, numbers = _operands(dtype, p, values)
    dense = wide(converted(x.data, TORCH[dtype])).reshape(x.shape[0], -1)
    rows, width = rows_of_elements(p), dense.shape[1]
    step = max(1, tuning.MOST_PRODUCTS // max(p.count, 1))
    found = numbers.new_zeros((p.shape[0], width))
    for first in range(0, width, step):
        picked_rows = dense[:, first : first + step][p.places]
        found[:, first : first + step] = added(numbers.unsqueeze(1) * picked_rows, rows, p.shape[0])
    return made(narrow(found, TORCH[dtype]).reshape((p.shape[0], *x.shape[1:])), x.device, dtype)


@part("sparse_times_sparse", "matmul")
def times_sparse(a: DevicePattern, a_values: DeviceTensor, b: DevicePattern, b_values: DeviceTensor) -> Pair:
    """Multiply compressed rows by compressed rows. The result is canonical and has an element at all coordinates at
    which two elements are multiplied.
    """
    dtype = _type_of_product(a_values.dtype, b_values.dtype)
    _check_rows(a, a_values, b.shape)
    a, x = _operands(dtype, a, a_values)
    b, y = _operands(dtype, b, b_values)
    assert b.starts is not None
    source, number = _repeated(b.starts.diff()[a.places])
    met = b.starts[a.places[source]] + number
    places = torch.stack((rows_of_elements(a)[source], b.places[met]))
    shape = (a.shape[0], b.shape[1])
    order = row_major(places, shape)
    assert order is not None
    places = places[:, order]
    begins = changes(places)
    products = (x[source] * y[met])[order]
    found = narrow(added(products, begins.cumsum(0) - 1, int(begins.sum())), TORCH[dtype])
    frame = DevicePattern(b.device, shape, places[:, :0], True, b.index_type)
    return compressed(frame, places[:, begins], a.starts_type), made(found, b.device, dtype)


__all__ = ["PARTS", "DevicePattern"]
