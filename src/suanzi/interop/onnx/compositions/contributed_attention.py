"""Attention of the domain com.microsoft, with projections, packed operands and several forms of masks."""

from __future__ import annotations

from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, Tensor
from suanzi.interop.onnx.compositions.attention import rotary_embedding, with_heads
from suanzi.interop.onnx.compositions.contributed import matmul_integer_to_float
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.nn.attention import attend
from suanzi.tensor.messages import shown

_FILTERED = -10000.0  # the default of the number that attention adds to a score where a mask is 0


def attention(
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    past: Tensor | None = None,
    added: Tensor | None = None,
    past_length: Tensor | None = None,
    *,
    outputs: int,
    num_heads: int,
    unidirectional: int = 0,
    qkv_hidden_sizes: tuple[int, ...] = (),
    mask_filter_value: float = _FILTERED,
    scale: float = 0.0,
    do_rotary: int = 0,
    rotary_embedding_dim: int = 0,
    past_present_share_buffer: int = 0,
) -> tuple[Tensor, ...]:
    """Return the weighted means in the shape (batch, rows, heads * elements), and on request the keys and values
    including the past.
    """
    if do_rotary or past_present_share_buffer or past_length is not None:
        raise UnsupportedError("Attention: do_rotary and past_present_share_buffer are not supported")
    projected = suanzi.matmul(x, weights)
    if bias is not None:
        projected = projected + bias
    return _projected(
        projected,
        qkv_hidden_sizes,
        _Call(num_heads, unidirectional, mask, mask_filter_value, scale, added),
        past,
        outputs,
    )


def quantized_attention(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    x_scale: Tensor,
    weight_scale: Tensor,
    mask: Tensor | None = None,
    x_zero: Tensor | None = None,
    weight_zero: Tensor | None = None,
    past: Tensor | None = None,
    *,
    outputs: int,
    num_heads: int,
    unidirectional: int = 0,
    mask_filter_value: float = _FILTERED,
    scale: float = 0.0,
    do_rotary: int = 0,
    past_present_share_buffer: int = 0,
) -> tuple[Tensor, ...]:
    """Return the results of `attention` for quantized inputs and weights."""
    if do_rotary or past_present_share_buffer:
        raise UnsupportedError("QAttention: do_rotary and past_present_share_buffer are not supported")
    projected = matmul_integer_to_float(x, weight, x_scale, weight_scale, x_zero, weight_zero, bias)
    return _projected(
        projected, (), _Call(num_heads, unidirectional, mask, mask_filter_value, scale, None), past, outputs
    )


class _Call:
    """A call of attention, with the parameters that all forms of attention share."""

    def __init__(
        self, heads: int, causal: int, mask: Tensor | None, filtered: float, scale: float, added: Tensor | None
    ) -> None:
        self.heads, self.causal, self.mask, self.filtered, self.added = heads, bool(causal), mask, filtered, added
        self.scale = scale or None

    def means(self, q: Tensor, k: Tensor, v: Tensor, past: int) -> Tensor:
        """Return the weighted means, in the shape (batch, rows, heads * elements)."""
        mask = self.added
        if self.mask is not None:
            shown_keys = self._as_numbers(self.mask, q, k, past)
            mask = shown_keys if mask is None else mask + shown_keys
        window = (None, 0) if self.causal else (None, None)
        y = attend(q, k, v, mask, scale=self.scale, softcap=0.0, offset=past, window=window, rows_first=True)
        return suanzi.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3]))

    def _as_numbers(self, mask: Tensor, q: Tensor, k: Tensor, past: int) -> Tensor:
        """Return the numbers that the mask adds to the scores: 0 for a key that a query may see, `filtered` for other
        keys.
        """
        batch, keys = q.shape[0], k.shape[2]
        places = suanzi.arange(keys, dtype=suanzi.int64)
        if mask.shape in ((batch,), (2 * batch,)):  # the ends of the keys, followed by the beginnings of the keys
            ends = suanzi.reshape(suanzi.astype(mask[:batch], suanzi.int64), (-1, 1, 1, 1))
            seen = suanzi.less(places, ends)
            if mask.shape[0] == 2 * batch and batch:
                starts = suanzi.reshape(suanzi.astype(mask[batch:], suanzi.int64), (-1, 1, 1, 1))
                seen = suanzi.logical_and(seen, suanzi.greater_equal(places, starts))
        elif mask.shape == (batch, keys):
            seen = suanzi.reshape(suanzi.not_equal(mask, 0), (batch, 1, 1, keys))
        elif mask.shape == (batch, q.shape[2], keys):
            seen = suanzi.expand_dims(suanzi.not_equal(mask, 0), 1)
        elif mask.ndim == 4 and mask.shape[:2] == (batch, 1) and min(mask.shape[2:]) >= keys:
            part = mask[:, :, past : past + q.shape[2], :keys]
            seen = suanzi.not_equal(part, 0)
        else:
            raise DimensionsMismatchError(
                f"Attention: a mask of shape {shown(mask.shape)} does not fit {batch} x {q.shape[2]} x {keys} scores"
            )
        return suanzi.where(seen, suanzi.zeros((), dtype=q.dtype), self.filtered)


def _projected(
    projected: Tensor, sizes: tuple[int, ...], call: _Call, past: Tensor | None, outputs: int
) -> tuple[Tensor, ...]:
    """Return the results of attention for queries, keys and values that are concatenated along the last axis."""
    if projected.ndim != 3:
        raise DimensionsMismatchError(f"Attention: shape {shown(projected.shape)} is not (batch, rows, elements)")
    sizes = sizes or (projected.shape[2] // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != projected.shape[2] or min(sizes) < 0:
        raise DimensionsMismatchError(
            f"Attention: {projected.shape[2]} elements do not divide into parts of sizes {shown(sizes)}"
        )
    starts = (0, sizes[0], sizes[0] + sizes[1])
    parts = [suanzi.slice(projected, s, s + n, axis=2) for s, n in zip(starts, sizes, strict=True)]
    q, k, v = (with_heads("Attention", part, call.heads) for part in parts)
    before = 0
    if past is not None:
        if past.ndim != 5 or past.shape[0] != 2:
            raise DimensionsMismatchError(
                f"Attention: past of shape {shown(past.shape)} is not a pair of keys and values"
            )
        before = past.shape[3]
        k, v = suanzi.concat([past[0], k], 2), suanzi.concat([past[1], v], 2)
    y = call.means(q, k, v, before)
    if outputs == 1:
        return (y,)
    if k.shape != v.shape:
        raise DimensionsMismatchError(
            f"Attention: present holds keys of shape {k.shape} and values of shape {v.shape}, which must be equal"
        )
    return y, suanzi.stack([k, v])


def multi_head_attention(
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    bias: Tensor | None = None,
    padding: Tensor | None = None,
    added: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    past_length: Tensor | None = None,
    indirection: Tensor | None = None,
    *,
    outputs: int,
    num_heads: int,
    unidirectional: int = 0,
    mask_filter_value: float = _FILTERED,
    scale: float = 0.0,
) -> tuple[Tensor, ...]:
    """Return the weighted means, the keys and the values, for separate operands or for operands packed as (batch, rows,
    heads, 2 or 3, elements). Keys and values of four axes (batch, heads, rows, elements) already include a bias, so
    that the bias is added only to the query.
    """
    name = "MultiHeadAttention"
    has_projected_keys = key is not None and key.ndim == 4
    if past_length is not None or indirection is not None:
        raise UnsupportedError(f"{name}: past_sequence_length and cache_indirection are not supported")
    if query.ndim == 5 and key is None:
        query, key, value = (suanzi.swapaxes(query[:, :, :, i], 1, 2) for i in range(3))
    elif key is not None and key.ndim == 5 and value is None:
        key, value = (suanzi.swapaxes(key[:, :, :, i], 1, 2) for i in range(2))
    if key is None or value is None:
        raise InvalidArgumentError(f"{name}: key and value are missing, and neither query nor key is packed")
    if key.ndim != value.ndim:
        raise DimensionsMismatchError(
            f"{name}: key of shape {shown(key.shape)} and value of shape {shown(value.shape)} differ in rank"
        )
    _check_past(name, past_key, past_value)
    given = [query, key, value]
    if bias is not None:
        given = _with_bias(name, given, bias, 1 if has_projected_keys else 3)
    q, k, v = (with_heads(name, each, num_heads) for each in given)
    before = 0
    if past_key is not None and past_value is not None:
        before = past_key.shape[2]
        k, v = suanzi.concat([past_key, k], 2), suanzi.concat([past_value, v], 2)
    call = _Call(num_heads, unidirectional, padding, mask_filter_value, scale, added)
    return (call.means(q, k, v, before), k, v)[: max(outputs, 1)]


def _check_past(name: str, past_key: Tensor | None, past_value: Tensor | None) -> None:
    if (past_key is None) != (past_value is None):
        raise InvalidArgumentError(f"{name}: past_key and past_value must both be given, or both be missing")


def _check_lengths(name: str, ends: list[int], batch: int, total: int, most: int) -> None:
    """Raise an error unless `total` is at most `most`, and the keys of each batch member end within `total` keys."""
    if len(ends) != batch:
        raise DimensionsMismatchError(f"{name}: seqlens_k has {len(ends)} elements for a batch of {batch}")
    if not 0 < total <= most:
        raise OutOfRangeError(f"{name}: total_sequence_length {total} is outside [1, {most}]")
    for end in ends:
        if not 0 < end <= total:
            raise OutOfRangeError(f"{name}: {end - 1} in seqlens_k is outside [0, {total})")


def _with_bias(name: str, given: list[Tensor], bias: Tensor, count: int) -> list[Tensor]:
    """Return the operands. The first `count` operands are the sums of an operand and the operand's part of `bias`."""
    rows = [suanzi.reshape(suanzi.swapaxes(x, 1, 2), (x.shape[0], x.shape[2], -1)) if x.ndim == 4 else x for x in given]
    sizes = [x.shape[2] for x in rows]
    if bias.shape != (sum(sizes),):
        raise DimensionsMismatchError(f"{name}: bias has shape {shown(bias.shape)}, not {sum(sizes)} elements")
    starts = (0, sizes[0], sizes[0] + sizes[1])
    sums = [x + bias[s : s + n] for x, s, n in zip(rows[:count], starts, sizes, strict=False)]
    return [*sums, *given[count:]]


def group_query_attention(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    last: Tensor,
    total: Tensor,
    cos: Tensor | None = None,
    sin: Tensor | None = None,
    positions: Tensor | None = None,
    added: Tensor | None = None,
    *unsupported: Any,
    outputs: int,
    num_heads: int,
    kv_num_heads: int,
    do_rotary: int = 0,
    rotary_interleaved: int = 0,
    scale: float = 0.0,
    softcap: float = 0.0,
    local_window_size: int = -1,
    causal: int = 1,
    **options: Any,
) -> tuple[Tensor, ...]:
    """Return the weighted means, the keys and the values of attention in which a group of query heads shares a key
    head. `last` contains the position of the last key of each batch member.
    """
    name = "GroupQueryAttention"
    if any(each is not None for each in unsupported) or outputs > 3:
        raise UnsupportedError(f"{name}: some operands or results are not supported")
    if options.get("smooth_softmax", -1) not in (-1, 0) or options.get("qk_output", 0):
        raise UnsupportedError(f"{name}: smooth_softmax and qk_output are not supported")
    if key is None or value is None:
        query, key, value = _unpacked(name, query, num_heads, kv_num_heads)
    q = with_heads(name, query, num_heads)
    k, v = (with_heads(name, each, kv_num_heads) for each in (key, value))
    batch, rows = q.shape[0], q.shape[2]
    ends = [int(each) + 1 for each in suanzi.reshape(last, (-1,)).tolist()]
    _check_past(name, past_key, past_value)
    before = 0 if past_key is None else past_key.shape[2]
    _check_lengths(name, ends, batch, int(total.item()), before + k.shape[2])
    # The rows of a first call begin at position 0, with or without padding. The rows of later calls continue the past.
    offsets = [max(end - rows, 0) for end in ends] if before else [0] * batch
    if do_rotary:
        if cos is None or sin is None:
            raise InvalidArgumentError(f"{name}: do_rotary is set, and cos_cache or sin_cache is missing")
        q, k = _turned(q, k, cos, sin, positions, offsets, rotary_interleaved)
    if past_key is not None and past_value is not None and before:
        k, v = (_continued(past, each, offsets) for past, each in ((past_key, k), (past_value, v)))
    window = (local_window_size - 1 if local_window_size > 0 else None, 0 if causal else None)
    y = attend(
        q,
        k,
        v,
        None if added is None else suanzi.slice(added, 0, k.shape[2], axis=-1),
        scale=scale or None,
        softcap=softcap,
        offset=offsets,
        window=window,
        lengths=ends,
        rows_first=True,
    )
    return suanzi.reshape(y, (batch, rows, y.shape[2] * y.shape[3])), k, v


def _turned(
    q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, positions: Tensor | None, offsets: list[int], interleaved: int
) -> list[Tensor]:
    """Return queries and keys rotated by the angles of the positions. By default, positions count from the offsets."""
    if positions is None:
        starts = suanzi.reshape(suanzi.tensor(offsets, dtype=suanzi.int64), (-1, 1))
        positions = starts + suanzi.arange(q.shape[2], dtype=suanzi.int64)
    size = 2 * cos.shape[1]
    return [
        rotary_embedding(each, cos, sin, positions, interleaved=interleaved, rotary_embedding_dim=size)
        for each in (q, k)
    ]


def _unpacked(name: str, packed: Tensor, heads: int, groups: int) -> list[Tensor]:
    """Return the queries, the keys and the values that one operand concatenates along the last axis."""
    if packed.ndim != 3 or packed.shape[2] % (heads + 2 * groups):
        raise DimensionsMismatchError(
            f"{name}: the last axis of shape {shown(packed.shape)} does not consist of {heads} + 2 x {groups} heads"
        )
    size = packed.shape[2] // (heads + 2 * groups)
    bounds = (0, heads * size, (heads + groups) * size, (heads + 2 * groups) * size)
    return [suanzi.slice(packed, bounds[i], bounds[i + 1], axis=2) for i in range(3)]


def rotated(
    x: Tensor,
    positions: Tensor,
    cos: Tensor,
    sin: Tensor,
    *,
    interleaved: int,
    num_heads: int,
    rotary_embedding_dim: int,
    scale: float,
    is_packed_batching: int,
) -> Tensor:
    """Return `x` rotated by `rotary_embedding`. A single position is the position of the first row in every batch
    member.
    """
    if is_packed_batching or scale != 1:
        raise UnsupportedError("RotaryEmbedding: is_packed_batching and scale are not supported")
    if x.ndim not in (3, 4):
        raise DimensionsMismatchError(f"RotaryEmbedding: shape {shown(x.shape)} has neither 3 nor 4 dimensions")
    rows = x.shape[1] if x.ndim == 3 else x.shape[2]
    if positions.size == 1 and positions.ndim < 2:
        positions = suanzi.reshape(positions, (1, 1)) + suanzi.arange(rows, dtype=suanzi.int64)
        positions = suanzi.expand(positions, (x.shape[0], rows))
    size = rotary_embedding_dim or 2 * cos.shape[-1]
    heads = num_heads or (x.shape[2] // size if x.ndim == 3 and size else 0)
    return rotary_embedding(x, cos, sin, positions, interleaved=interleaved, num_heads=heads, rotary_embedding_dim=size)


def _continued(past: Tensor, new: Tensor, offsets: list[int]) -> Tensor:
    """Return the past keys or values of each batch member, with the new rows written from the member's offset on."""
    if all(offset == past.shape[2] for offset in offsets):
        return suanzi.concat([past, new], 2)
    length = max(past.shape[2], max(offset + new.shape[2] for offset in offsets))
    whole = suanzi.pad(past, [(0, 0), (0, 0), (0, length - past.shape[2]), (0, 0)])
    for i, offset in enumerate(offsets):
        whole[i, :, offset : offset + new.shape[2]] = new[i]
    return whole
