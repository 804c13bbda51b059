"""Attention: means of values, weighted by the products of queries and keys.

The core computes the scores of a few queries at a time (native/ops/attention), so the whole matrix of scores never
exists in memory.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf, isnan, prod, sqrt
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.nn.activations import softmax
from suanzi.operators.composition import floating_operand, into, real_number, tensor_operand, working_type
from suanzi.operators.creation.filled import empty
from suanzi.operators.creation.sequences import arange
from suanzi.operators.hyperbolic import tanh
from suanzi.operators.linalg.products import matmul
from suanzi.operators.query import isfinite
from suanzi.operators.reduction.folds import any
from suanzi.operators.reduction.scans import cumulative_sum
from suanzi.operators.registry import operator
from suanzi.operators.shapes import common, shape_of
from suanzi.operators.transform.elements import astype, clip, where
from suanzi.operators.transform.gathering import take
from suanzi.operators.transform.joining import repeat
from suanzi.operators.transform.rearranging import swapaxes
from suanzi.operators.transform.shape import broadcast_to, reshape
from suanzi.tensor.dtypes import bool_, int64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

_NAME = "scaled_dot_product_attention"


def _shape(call: Any) -> tuple[int, ...] | None:
    """Return the shape of the result of the attention, or None if the operands do not fit each other. The shape
    consists of the broadcast batch, the heads and rows of `query`, and the last size of `value`.
    """
    query, key, value = (shape_of(x) for x in (call.query, call.key, call.value))
    if min(map(len, (query, key, value))) < 2:
        return None
    batch = common((query[:-3], key[:-3], value[:-3]))
    return None if batch is None else (*batch, *query[-3:-1], value[-1])


@operator(
    "F",
    ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    name="nn.scaled_dot_product_attention",
    family="transform",
    operands=("query", "key", "value", "attn_mask"),
    shape=_shape,
)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    /,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    *,
    softcap: float = 0.0,
    past: int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """Means of values, weighted by the softmax of the products of queries and keys (缩放点积注意力).

    Parameters
    ----------
    query : Tensor
        A floating tensor of shape (…, H, L, E): L queries of E elements for each of H heads. A tensor of shape (L, E)
        suffices.
    key : Tensor
        A tensor of shape (…, G, S, E). G divides H: H / G consecutive heads share the same keys and values.
    value : Tensor
        A tensor of shape (…, G, S, V).
    attn_mask : Tensor, optional
        A tensor that broadcasts to (…, H, L, S): bools, which are False where a query does not see a key, or floating
        numbers, which are added to the scores.
    is_causal : bool, optional
        If True, query i sees only the keys from 0 to i + `past`.
    scale : float, optional
        The factor of the products of queries and keys, ``1 / sqrt(E)`` by default.
    softcap : float, optional
        A number c above 0 that bounds the scores: a score s becomes ``c tanh(s / c)``, before the mask is applied.
    past : int, optional
        The number of keys before the key of the first query. Only `is_causal` uses the number.

    Returns
    -------
    Tensor
        A tensor of shape (…, H, L, V) and of the type of `query`. The function computes in float32 at least, and in the
        widest type of the operands. The result of a query that sees no key is 0.

    Source
    ------
    A. Vaswani et al., "Attention is all you need", arXiv:1706.03762.

    Examples
    --------
    >>> import suanzi
    >>> query, key = suanzi.tensor([[[1.0, 0.0]]]), suanzi.tensor([[[50.0, 0.0], [0.0, 50.0]]])
    >>> suanzi.nn.scaled_dot_product_attention(query, key, suanzi.tensor([[[1.0], [2.0]]]))
    tensor([[[1.]]])
    """
    offset = _core.read_integer(_NAME, "past", past)
    window = (None, 0) if _core.read_truth(_NAME, "is_causal", is_causal) else (None, None)
    return attend(query, key, value, attn_mask, scale=scale, softcap=softcap, offset=offset, window=window, out=out)


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    *,
    scale: float | None,
    softcap: float,
    offset: int | Sequence[int] = 0,
    window: tuple[int | None, int | None] = (None, None),
    lengths: Sequence[int] | None = None,
    rows_first: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Call the core's attention with all options. Query i has the position offset + i among the keys.

    `window` contains two distances. A query sees only keys within these distances before and after the query's
    position, and only the first `lengths` keys. A distance of None means no limit. Offsets and lengths are numbers, or
    sequences with one number per batch member. If `rows_first` is True, the axes of the result are (batch, queries,
    heads, elements).
    """
    cap = float(real_number(_NAME, "softcap", softcap))
    if cap < 0 or isnan(cap):
        raise InvalidArgumentError(f"{_NAME}: softcap {cap} is negative or NaN")
    given = [floating_operand(_NAME, what, x) for what, x in (("query", query), ("key", key), ("value", value))]
    masks = [] if attn_mask is None else [_mask(attn_mask)]
    wide = max((working_type(x) for x in (*given, *masks) if x.dtype is not bool_), key=lambda dtype: dtype.itemsize)
    for what, x in zip(("query", "key", "value"), given, strict=True):
        if x.ndim < 2:
            raise DimensionsMismatchError(f"{_NAME}: {what} of shape {shown(x.shape)} has fewer than 2 dimensions")
    factor = 1 / sqrt(query.shape[-1] or 1) if scale is None else float(real_number(_NAME, "scale", scale))
    q, k, v = _with_batch([astype(x, wide, copy=False) for x in given])

    def finished(means: Tensor) -> Tensor:
        has_batch = max(x.ndim for x in given) > 2
        return into(out, means if has_batch else reshape(means, means.shape[-2:]), query.dtype)

    if type(q) is not Tensor:
        if window[0] is not None or lengths is not None or rows_first:
            raise TypeMismatchError(f"{_NAME}: the CPU supports windows and lengths, devices do not")
        return finished(_whole(q, k, v, masks, factor, cap, offset if window[1] is not None else None))
    *batch, heads, queries, _ = q.shape
    rows = (queries, heads) if rows_first else (heads, queries)
    made = empty((*batch, *rows, v.shape[-1]), dtype=wide)
    by_heads = swapaxes(made, -3, -2) if rows_first else made
    mask = None
    if masks:
        mask = masks[0] if masks[0].dtype is bool_ else astype(masks[0], wide, copy=False)
        mask = _flat(broadcast_to(mask, (*q.shape[:-1], k.shape[-2])))
    count = prod(q.shape[:-3])
    offsets = [offset] * count if isinstance(offset, int) else offset
    _core.attention(_NAME, _flat(q), _flat(k), _flat(v), mask, factor, cap, offsets, *window, lengths, _flat(by_heads))
    return finished(made)


_GREATEST = {4: (2 - 2**-23) * 2.0**127, 8: sys.float_info.max}
"""The greatest numbers of float32 and float64, by the bytes of the type."""


def _whole(q: Tensor, k: Tensor, v: Tensor, masks: list[Tensor], factor: float, cap: float, offset: Any) -> Tensor:
    """Compute the attention from the whole matrix of scores, for tensors outside the core, such as device tensors."""
    groups = q.shape[-3] // k.shape[-3] if k.shape[-3] else 1
    k, v = repeat(k, groups, axis=-3), repeat(v, groups, axis=-3)
    scores = matmul(q, swapaxes(k, -2, -1)) * factor
    most = _GREATEST[scores.dtype.itemsize]
    if 0 < cap <= most:  # a bound beyond the range of the type changes no score
        scores = tanh(scores * min(1 / cap, most)) * cap
    for mask in masks:
        scores = where(mask, scores, -inf) if mask.dtype is bool_ else scores + astype(mask, scores.dtype, copy=False)
    last = None
    if offset is not None:
        last = reshape(arange(q.shape[-2], dtype=int64, device=q.device) + offset, (-1, 1))
        scores = where(arange(k.shape[-2], dtype=int64, device=q.device) <= last, scores, -inf)
    sees = any(scores != -inf, -1, True)  # True for NaN, so that NaN reaches the result
    shares = softmax(where(sees, scores, 0.0), -1) if k.shape[-2] else scores
    return where(sees, _means(shares, v, last), 0.0)


def _means(shares: Tensor, v: Tensor, last: Tensor | None) -> Tensor:
    """Return the products of shares and values. A query sees the values from the first value to the value whose index
    is the query's element of `last`. A value that a query does not see is left out, even if the value is NaN or
    infinite.
    """
    if last is None:
        return matmul(shares, v)
    fine = isfinite(v)
    # The sums of the first values that are not finite. A sum of infinities of both signs is NaN.
    others = cumulative_sum(where(fine, 0.0, v), axis=-2, include_initial=True)
    counts = clip(reshape(last, (-1,)) + 1, 0, v.shape[-2])
    return matmul(shares, where(fine, v, 0.0)) + take(others, counts, axis=-2)


def _mask(x: Any) -> Tensor:
    if tensor_operand(_NAME, x).dtype is not bool_:
        return floating_operand(_NAME, "attn_mask", x)
    return x  # type: ignore[no-any-return]


def _with_batch(operands: list[Tensor]) -> list[Tensor]:
    """Return the operands broadcast to the same batch axes. The last three axes are (heads, rows, elements)."""
    operands = [reshape(x, (1, *x.shape)) if x.ndim == 2 else x for x in operands]
    batch = common([x.shape[:-3] for x in operands])
    q, k, v = (x.shape for x in operands)
    groups = max(k[-3], v[-3])
    fit = (
        q[-1] == k[-1]
        and k[-2] == v[-2]
        and {k[-3], v[-3]} <= {1, groups}
        and (q[-3] % groups == 0 if groups else q[-3] == 0)
    )
    if batch is None or not fit:
        raise DimensionsMismatchError(
            f"{_NAME}: shapes {shown(q)}, {shown(k)} and {shown(v)} of query, key and value do not fit"
        )
    heads = (q[-3], groups, groups)
    return [broadcast_to(x, (*batch, n, *x.shape[-2:])) for x, n in zip(operands, heads, strict=True)]


def _flat(x: Tensor) -> Tensor:
    """Return a tensor with a single batch axis before the last three axes, as a view if the tensor has at most one
    batch axis.
    """
    return reshape(x, (prod(x.shape[:-3]), *x.shape[-3:]))
