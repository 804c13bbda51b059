"""Changes of shape, selection and joining: operators that move the elements of sparse tensors."""

from __future__ import annotations

import math
from collections.abc import Sized
from operator import index
from typing import Any

from suanzi import _core
from suanzi.kinds.call import Call
from suanzi.kinds.sparse.operands import TABLE, check_plain, check_shapes, of, require_sparse
from suanzi.operators.transform import joining
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)


def _permuted(name: str, x: SparseTensor, order: Any) -> SparseTensor:
    check_plain(name, x)
    return of(*_core.sparse_permute(name, x.pattern, x.values, order))


@TABLE.rows("permute_dims")
def permute_dims(call: Call) -> SparseTensor:
    """Permute the axes of a sparse tensor."""
    return _permuted(call.name, call.x, call.axes)


@TABLE.rows("transpose")
def transpose(call: Call) -> SparseTensor:
    """Permute the axes of a sparse tensor, by default into reverse order."""
    return _permuted(call.name, call.x, tuple(reversed(range(call.x.ndim))) if call.axes is None else call.axes)


@TABLE.rows("matrix_transpose")
def matrix_transpose(call: Call) -> SparseTensor:
    """Swap the last two axes of a sparse tensor."""
    rank = call.x.ndim
    if rank < 2:
        raise DimensionsMismatchError(f"{call.name}: shape {call.x.shape} has fewer than 2 dimensions")
    return _permuted(call.name, call.x, (*range(rank - 2), rank - 1, rank - 2))


@TABLE.rows("reshape")
def reshape(call: Call) -> SparseTensor:
    """Return the elements of a sparse tensor in the same order, in another shape."""
    return reshaped(call.name, call.x, call.shape)


def reshaped(name: str, x: SparseTensor, shape: Any) -> SparseTensor:
    """Return `x` in another shape."""
    check_plain(name, x)
    return of(_core.sparse_reshape(x.pattern, shape), x.values)


@TABLE.rows("expand_dims")
def expand_dims(call: Call) -> SparseTensor:
    """Insert axes of size 1 into a sparse tensor."""
    return _expanded(call.name, call.x, call.axis)


def _expanded(name: str, x: SparseTensor, axis: Any) -> SparseTensor:
    rank = x.ndim + (len(axis) if isinstance(axis, Sized) and getattr(axis, "shape", None) != () else 1)
    new, sizes = _core.read_axes(name, axis, rank), iter(x.shape)
    if rank - len(new) != x.ndim:  # a list whose length is wrong
        raise TypeMismatchError(f"{name}: axis {shown(axis)} is neither an integer nor a sequence of integers")
    return reshaped(name, x.to_coo(), tuple(1 if i in new else next(sizes) for i in range(rank)))


@TABLE.rows("squeeze")
def squeeze(call: Call) -> SparseTensor:
    """Remove axes of size 1 from a sparse tensor."""
    name, x, axis = call.name, call.x, call.axis
    gone = _core.read_axes(name, [i for i, n in enumerate(x.shape) if n == 1] if axis is None else axis, x.ndim)
    for i in gone:
        if x.shape[i] != 1:
            raise DimensionsMismatchError(f"{name}: axis {i} of shape {x.shape} has size {x.shape[i]}, not 1")
    return reshaped(name, x.to_coo(), tuple(n for i, n in enumerate(x.shape) if i not in gone))


@TABLE.rows("flatten")
def flatten(call: Call) -> SparseTensor:
    """Merge several axes of a sparse tensor into one axis."""
    return _flattened(call.name, call.x, call.start_axis, call.stop_axis)


def _flattened(name: str, x: SparseTensor, start: Any, stop: Any) -> SparseTensor:
    shape = x.shape or (1,)
    first, last = (_core.read_axis(name, i, len(shape)) for i in (start, stop))
    if first > last:
        raise DimensionsMismatchError(f"{name}: start_axis {start} is after stop_axis {stop}")
    return reshaped(name, x.to_coo(), (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def _operands(name: str, tensors: Any) -> list[SparseTensor]:
    """Return the tensors of a list. Raise TYPE_MISMATCH unless all of these tensors are sparse."""
    if not isinstance(tensors, list | tuple):
        raise TypeMismatchError(f"{name}: a sparse tensor is not a sequence of tensors")
    return [require_sparse(name, x) for x in tensors]


@TABLE.rows("concat", several=True)
def concat(call: Call) -> Any:
    """Join sparse tensors along an existing axis."""
    name, parts = call.name, _operands(call.name, call.tensors)
    if not parts:
        return NotImplemented
    if call.axis is None:
        return _joined(name, [_flattened(name, x, 0, -1) for x in parts], 0)
    return _joined(name, parts, _core.read_axis(name, call.axis, parts[0].ndim))


@TABLE.rows("stack", several=True)
def stack(call: Call) -> Any:
    """Join sparse tensors along a new axis."""
    name, parts = call.name, _operands(call.name, call.tensors)
    if not parts:
        return NotImplemented
    for x in parts:
        check_shapes(name, parts[0], x)
    new = [_expanded(name, x, call.axis) for x in parts]
    return _joined(name, new, _core.read_axis(name, call.axis, parts[0].ndim + 1))


def _joined(name: str, parts: list[SparseTensor], axis: int) -> SparseTensor:
    first = parts[0]
    for x in parts:
        rank = len(x.pattern.shape)
        if axis >= rank:
            raise TypeMismatchError(f"{name}: axis {axis} is an axis of blocks, which cannot be joined")
        if x.shape[:axis] + x.shape[axis + 1 :] != first.shape[:axis] + first.shape[axis + 1 :] or rank != len(
            first.pattern.shape
        ):
            raise DimensionsMismatchError(f"{name}: shapes {first.shape} and {x.shape} differ in more than axis {axis}")
    parts = [x.to_format(first.format) for x in parts]
    if any(x.dtype != first.dtype for x in parts):  # elements with equal coordinates are summed in the original type
        parts = [x.coalesce() for x in parts]
    values = joining.concat([x.values for x in parts])
    return of(*_core.sparse_join(tuple(x.pattern for x in parts), values, axis))


def _sliced(x: SparseTensor, slices: list[slice]) -> SparseTensor:
    bounds = [part.indices(size) for part, size in zip(slices, x.shape, strict=True)]
    counts = [len(range(*bound)) for bound in bounds]
    steps = [bound[2] if count > 1 else 1 for bound, count in zip(bounds, counts, strict=True)]
    return of(*_core.sparse_slice(x.pattern, x.values, [bound[0] for bound in bounds], steps, counts))


def _as_list(name: str, what: str, value: Any, count: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise DimensionsMismatchError(f"{name}: {len(value)} numbers of {what} do not fit {count} axes")
    return list(value)


@TABLE.rows("slice")
def slices(call: Call) -> SparseTensor:
    """Return the part of a sparse tensor that has given bounds and steps along some axes."""
    name, x, begin, end, stride, axis = call.name, call.x, call.begin, call.end, call.stride, call.axis
    check_plain(name, x)
    if axis is None:
        lengths = [len(v) for v in (begin, end, stride) if isinstance(v, list | tuple)]
        axis = range(max(lengths, default=1))
    axes = _core.read_axes(name, axis, x.ndim)
    along = [slice(None)] * x.ndim
    bounds = (_as_list(name, what, v, len(axes)) for what, v in (("begin", begin), ("end", end), ("stride", stride)))
    for i, *bound in zip(axes, *bounds, strict=True):
        along[i] = _checked_slice(name, slice(*bound))
    return _sliced(x, along)


def _checked_slice(name: str, part: slice) -> slice:
    try:
        numbers = [None if v is None else index(v) for v in (part.start, part.stop, part.step)]
    except (TypeError, TypeMismatchError):
        raise TypeMismatchError(f"{name}: {shown(part)} is not made of integers") from None
    if numbers[2] == 0:
        raise InvalidArgumentError(f"{name}: a step is 0")
    return slice(*numbers)


@TABLE.rows("index_select")
def index_select(call: Call) -> SparseTensor:
    """Select slices of a sparse tensor along an axis by a list of indices."""
    check_plain(call.name, call.x)
    wanted: Any = call.index
    return of(*_core.sparse_select(call.x.pattern, call.x.values, wanted, call.axis))


def _key(part: Any) -> Any:
    """Check a part of a key and return the part as None, ``...``, a slice of integers, or an integer."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return _checked_slice("index", part)
    if isinstance(part, bool) or not hasattr(part, "__index__"):
        why = hint("sparse index") if isinstance(part, list | tuple) or hasattr(part, "ndim") else ""
        raise TypeMismatchError(f"index: {type(part).__name__} is not an integer, a slice, ... or None{why}")
    return _core.read_integer("index", "an index", part)


@TABLE.rows("__getitem__")
def getitem(call: Call) -> SparseTensor:
    """Return ``x[key]`` for integers, slices, ``...`` and None, as a sparse copy."""
    x, key = call.x, call.key
    keys = [_key(part) for part in key] if isinstance(key, tuple) else [_key(key)]
    if sum(part is Ellipsis for part in keys) > 1:
        raise InvalidArgumentError("index: more than one ...")
    used = sum(part is not None and part is not Ellipsis for part in keys)
    if used > x.ndim:
        raise OutOfRangeError(f"index: {used} indices are too many for shape {x.shape}")
    if Ellipsis not in keys:
        keys.append(Ellipsis)
    at = keys.index(Ellipsis)
    keys[at : at + 1] = [slice(None)] * (x.ndim - used)
    slices: list[slice] = []
    shape: list[int | None] = []  # 1 for None in the key, None for a slice, -1 for an integer
    for part in keys:
        if part is None:
            shape.append(1)
        elif isinstance(part, slice):
            slices.append(part)
            shape.append(None)
        else:
            i, size = part, x.shape[len(slices)]
            if not -size <= i < size:
                raise OutOfRangeError(f"index: {shown(i)} is outside [{-size}, {size}) along axis {len(slices)}")
            slices.append(slice(i % size, i % size + 1))
            shape.append(-1)
    check_plain("index", x)
    result = _sliced(x, slices)
    if all(size is None for size in shape):
        return result
    sizes = iter(result.shape)
    kept = [(1 if size == 1 else next(sizes), size) for size in shape]
    return reshaped("index", result.to_coo(), tuple(n for n, size in kept if size != -1))
