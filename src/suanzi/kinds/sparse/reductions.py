"""Reductions of sparse tensors, over stored elements and the zeros that are not stored."""

from __future__ import annotations

import math

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call
from suanzi.kinds.sparse.operands import TABLE
from suanzi.operators.arithmetic import maximum, minimum, multiply, true_divide
from suanzi.operators.creation.filled import zeros
from suanzi.operators.reduction.folds import reduce
from suanzi.operators.registry import ZEROS
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.device import beside
from suanzi.tensor.dtypes import DType, bfloat16, bool_, float16, float32

# The operators that combine a zero with the result for the stored elements, by the names of reductions.
_JOINED = {"prod": multiply, "max": maximum, "min": minimum}


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
    elements, stored or not. The result has the type `kind`.
    """
    zero = call.record.zero
    assert zero is not None
    fold, joined = "sum" if zero == "mean" else zero, _JOINED.get(zero)
    merged = call.x.coalesce()  # in the original type, in which integers may wrap and the sum of bools is `or`
    rank = len(merged.pattern.shape)
    working = float32 if kind in (float16, bfloat16) else kind  # float16 and bfloat16 are rounded once at the end
    values = astype(merged.values, working, copy=False)
    # The numbers of a block are folded first, because a pattern stores all numbers of a block or none.
    if within := tuple(i - rank + 1 for i in gone if i >= rank):
        values = astype(reduce(values, fold, within), working, copy=False)
    kept = tuple(i for i in range(rank) if i not in gone)
    if kept or values.shape[0] == 0:
        result = _core.sparse_fold(fold, merged.pattern, values, kept)
    else:
        result = astype(reduce(values, fold, 0), working, copy=False)
        if joined is not None and merged.nnz < math.prod(merged.pattern.shape):
            result = joined(result, zeros((), dtype=working, device=beside(values)))
    return true_divide(result, float(group)) if zero == "mean" else result
