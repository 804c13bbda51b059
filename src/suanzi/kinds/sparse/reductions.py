"""Reductions of sparse tensors, over stored elements and the zeros that are not stored."""

from __future__ import annotations

import math

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call
from suanzi.kinds.sparse.operands import TABLE
from suanzi.operators.arithmetic import maximum, minimum, multiply, true_divide
from suanzi.operators.complex_numbers import complex, imag, real
from suanzi.operators.creation.filled import ones, zeros, zeros_like
from suanzi.operators.creation.sequences import arange
from suanzi.operators.exponential import log2
from suanzi.operators.index.search import nonzero
from suanzi.operators.index.sorting import argsort
from suanzi.operators.query import isfinite
from suanzi.operators.reduction.folds import all, reduce
from suanzi.operators.reduction.scans import cumulative_sum
from suanzi.operators.registry import ZEROS
from suanzi.operators.transform.elements import astype, where
from suanzi.operators.transform.gathering import take
from suanzi.operators.transform.joining import concat
from suanzi.operators.transform.shape import expand_dims, reshape
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import DType, bfloat16, bool_, complex128, float16, float32, float64, int64

# The operators that combine a zero with the result for the stored elements, by the names of reductions.
_JOINED = {"prod": multiply, "max": maximum, "min": minimum}

# Products of factors stay in the range of float64 if the absolute values of the factors' binary logarithms have a sum
# below this number.
_SAFE_POWERS = 1000.0
# The types in which sums and products are computed, by the kinds of results. Sums and products of integers are computed
# in the type of the result.
_WIDE = {"f": float64, "c": complex128}


@TABLE.rows(family="reduction", zero=tuple(ZEROS))
def reduced(call: Call) -> Tensor:
    """Reduce a sparse tensor along axes to a dense tensor."""
    x = call.x
    kept = _core.read_truth(call.name, "keepdims", call.keepdims)
    gone = _core.read_axes(call.name, range(x.ndim) if call.axis is None else call.axis, x.ndim)
    shape = tuple(n for i, n in enumerate(x.shape) if i not in gone)
    group = math.prod(x.shape[i] for i in gone)
    if group == 0:
        return call.replaced(axis=gone, keepdims=kept).on(  # type: ignore[no-any-return]
            zeros(x.shape, dtype=x.dtype, device=beside(x._values))
        )
    whole = call if call.axis is None and not kept else call.replaced(axis=None, keepdims=False)
    kind = whole.on(zeros(1, dtype=x.dtype)).dtype
    within = bool_ if call.record.called in ("all", "any") else kind  # other types may turn a fraction into 0
    result = astype(_grouped(call, gone, group, within), kind, copy=False)
    return reshape(result, tuple(1 if i in gone else n for i, n in enumerate(x.shape)) if kept else shape)


def _grouped(call: Call, gone: tuple[int, ...], group: int, kind: DType) -> Tensor:
    """Reduce each group of elements that differ only in their coordinates along the axes `gone`. A group has `group`
    elements, stored or not. Floating sums, means and products have the widest type, and the caller rounds once.
    """
    zero = call.record.zero
    assert zero is not None
    merged = call.x.coalesce()  # in the original type, in which integers may wrap and the sum of bools is `or`
    groups = _Groups(merged, gone)
    values, wide = merged.values, _WIDE.get(kind.kind, kind)
    if zero == "mean" and kind.kind == "c" and merged.dtype.kind != "c":
        kind = wide = float64  # the mean of real numbers is real, and the caller makes the mean complex
    if zero in ("max", "min"):
        wide = float32 if kind in (float16, bfloat16) else kind
    # As for a dense tensor, other elements than floating numbers are converted to the result's type first, except the
    # integers of a mean.
    if merged.dtype.kind not in _WIDE and zero != "mean":
        values = astype(values, kind, copy=False)
    values = astype(values, wide, copy=False)
    if zero == "mean":
        return _mean(groups, values, group, merged.dtype is wide)
    return _product(groups, values) if zero == "prod" and kind.kind in _WIDE else groups.fold(zero, values)


class _Groups:
    """The groups of elements that a reduction of a coalesced tensor along the axes `gone` combines."""

    def __init__(self, x: SparseTensor, gone: tuple[int, ...]) -> None:
        self.x, self.pattern = x, x.pattern
        rank = len(self.pattern.shape)
        self.kept = tuple(i for i in range(rank) if i not in gone)
        self.within = tuple(i - rank + 1 for i in gone if i >= rank)  # the axes of the values that are reduced
        self.places = math.prod(self.pattern.shape[i] for i in gone if i < rank)

    def fold(self, op: str, values: Tensor) -> Tensor:
        """Fold the values of each group, and the zeros that are not stored, in the type of the values."""
        working = values.dtype
        # The numbers of a block are folded first, because a pattern stores all numbers of a block or none.
        if self.within:
            values = astype(reduce(values, op, self.within), working, copy=False)
        if self.kept or values.shape[0] == 0:
            return _core.sparse_fold(op, self.pattern, values, self.kept)
        result = astype(reduce(values, op, 0), working, copy=False)
        if (joined := _JOINED.get(op)) is not None and values.shape[0] < self.places:
            result = joined(result, zeros((), dtype=working, device=beside(values)))
        return result

    def stored(self, values: Tensor) -> Tensor:
        """Return the number of stored elements of each group, a vector."""
        one = ones((values.shape[0],), dtype=int64, device=beside(values))
        return reshape(_core.sparse_fold("sum", self.pattern, one, self.kept), (-1,))

    def numbers(self, values: Tensor) -> Tensor:
        """Return the index of the group of each stored element."""
        indices, found = self.x.to_coo().indices, zeros((values.shape[0],), dtype=int64, device=beside(values))
        for axis in self.kept:
            found = found * self.pattern.shape[axis] + indices[:, axis]
        return found


def _mean(groups: _Groups, values: Tensor, group: int, widest: bool) -> Tensor:
    """Return the means of groups of `group` elements. `widest` is True if the elements themselves have the type of
    `values`, in which sums may overflow.
    """
    if not widest:
        return true_divide(groups.fold("sum", values), float(group))
    if values.dtype.kind == "c":
        return complex(*(_mean(groups, part(values), group, widest) for part in (real, imag)))
    _record_whole(groups, values)
    total = groups.fold("sum", values)
    found, finite = true_divide(total, float(group)), isfinite(total)
    if bool(all(finite)):
        return found
    scale = 2.0 ** -group.bit_length()  # sums of scaled elements stay in the range of the type
    scaled = true_divide(groups.fold("sum", multiply(values, scale)), float(group))
    return where(finite, found, true_divide(scaled, scale))


def _product(groups: _Groups, values: Tensor) -> Tensor:
    """Return the products of groups of floating numbers. Products whose factors may lead out of the range of the type
    are computed as products of dense tensors.
    """
    _record_whole(groups, values)
    sizes = abs(values)
    powers = abs(log2(where(sizes == 0, 1, sizes)))
    if bool(all(groups.fold("sum", powers) < _SAFE_POWERS)):  # False for NaN
        return groups.fold("prod", values)
    within = tuple(axis + 1 for axis in groups.within)

    def product(factors: Tensor) -> Tensor:
        """Multiply the factors along axis 1, and a zero if an element of a group is not stored."""
        if factors.shape[1] < groups.places:
            factors = concat([factors, zeros_like(factors[:, :1])], 1)
        return reduce(factors, "prod", (1, *within))

    if not groups.kept:
        return product(expand_dims(values, 0))[0]
    shape = tuple(groups.pattern.shape[axis] for axis in groups.kept)
    block = tuple(n for axis, n in enumerate(values.shape) if axis and axis not in groups.within)
    stored = groups.stored(values)
    found = zeros((stored.size, *block), dtype=values.dtype, device=beside(values))
    # Groups with the same number of stored elements form a dense tensor.
    begins, order = cumulative_sum(stored) - stored, argsort(groups.numbers(values))
    for count in sorted({*stored.tolist()} - {0}):
        (rows,) = nonzero(stored == count)
        columns = arange(count, dtype=int64, device=beside(values))
        places = expand_dims(take(begins, rows, 0), 1) + columns
        found[rows] = product(take(values, take(order, places, 0), 0))
    return reshape(found, (*shape, *block))


def _record_whole(groups: _Groups, values: Tensor) -> None:
    """Let `fuse` record the reduction as one step, because the next steps depend on values."""
    if _core.is_tracing():
        _core.sparse_fold("sum", groups.pattern, values, groups.kept)
