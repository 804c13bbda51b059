"""Attention in language models: plain attention, rotary embeddings, caches and recurrent forms."""

from __future__ import annotations

from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, nn
from suanzi.interop.onnx.types import dtype_of
from suanzi.nn.attention import attend
from suanzi.tensor.messages import shown


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    outputs: int,
    q_num_heads: int = 0,
    kv_num_heads: int = 0,
    is_causal: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int = 0,
    qk_matmul_output_mode: int = 0,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Tensor, ...]:
    """Return the weighted means of the values, and the keys and the values including the past. If four outputs are
    requested, also return the scores.
    """
    if (past_key is None) != (past_value is None) or (past_key is not None and lengths is not None):
        raise InvalidArgumentError("Attention: past_key needs past_value, and both exclude nonpad_kv_seqlen")
    packed = q.ndim == 3
    q = with_heads("Attention", q, q_num_heads)
    k, v = (with_heads("Attention", each, kv_num_heads) for each in (k, v))
    if past_key is not None and past_value is not None:
        k, v = suanzi.concat([past_key, k], 2), suanzi.concat([past_value, v], 2)
    before, after = (None if size < 0 else size for size in (left_window_size, right_window_size))
    offset: Any = 0 if past_key is None else past_key.shape[2]
    ends = None
    if lengths is not None:
        ends = _lengths(lengths, q.shape[0])
        offset = [end - q.shape[2] for end in ends]
    seen_k, seen_v = k, v
    if mask is not None and mask.ndim and mask.shape[-1] < k.shape[2]:  # queries do not see keys past the mask
        count = mask.shape[-1]
        seen_k, seen_v = (suanzi.slice(each, 0, count, axis=2) for each in (k, v))
        ends = None if ends is None else [min(end, count) for end in ends]
    wide = dtype_of(softmax_precision, "Attention") if softmax_precision else q.dtype
    wide = wide if wide.itemsize > q.dtype.itemsize else q.dtype
    queries, seen_k, seen_v = (suanzi.astype(each, wide, copy=False) for each in (q, seen_k, seen_v))
    means = attend(
        queries,
        seen_k,
        seen_v,
        _as_wide(mask, wide),
        scale=scale,
        softcap=softcap,
        offset=offset,
        window=(before, 0 if is_causal else after),
        lengths=ends,
        rows_first=packed,
    )
    y = suanzi.astype(means, q.dtype, copy=False)
    y = suanzi.reshape(y, (*y.shape[:2], y.shape[2] * y.shape[3])) if packed else y
    if outputs < 4:
        return y, k, v
    scores = _Scores(q, k, mask, scale, softcap)
    seen = _seen(q, k, offset, before, 0 if is_causal else after, ends)
    return y, k, v, suanzi.astype(scores.stage(qk_matmul_output_mode, seen), q.dtype, copy=False)


def with_heads(name: str, x: Tensor, heads: int) -> Tensor:
    """Return the operand in the shape (batch, heads, rows, elements). Operands of three axes hold all heads in the last
    axis.
    """
    if x.ndim == 4:
        return x
    if x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise DimensionsMismatchError(
            f"{name}: the last axis of shape {shown(x.shape)} does not consist of {heads} heads"
        )
    return suanzi.swapaxes(suanzi.reshape(x, (*x.shape[:2], heads, x.shape[2] // heads)), 1, 2)


def _as_wide(mask: Tensor | None, wide: Any) -> Tensor | None:
    return mask if mask is None or mask.dtype is suanzi.bool else suanzi.astype(mask, wide, copy=False)


def _lengths(lengths: Tensor, batch: int) -> list[int]:
    if lengths.shape != (batch,):
        raise DimensionsMismatchError(f"Attention: nonpad_kv_seqlen has shape {lengths.shape} for a batch of {batch}")
    return [int(each) for each in lengths.tolist()]


def _seen(
    q: Tensor, k: Tensor, offset: Any, before: int | None, after: int | None, ends: list[int] | None
) -> Tensor | None:
    """Return a mask that is True where a query (row) sees a key (column), or None if every query sees all keys."""
    if before is None and after is None and ends is None:
        return None
    batch = len(ends) if ends is not None else 1
    keys = suanzi.arange(k.shape[2], dtype=suanzi.int64)
    offsets = suanzi.tensor(offset if isinstance(offset, list) else [offset], dtype=suanzi.int64)
    rows = suanzi.reshape(suanzi.arange(q.shape[2], dtype=suanzi.int64), (-1, 1))
    places = suanzi.reshape(offsets, (-1, 1, 1, 1)) + rows
    seen = suanzi.ones((batch, 1, q.shape[2], k.shape[2]), dtype=suanzi.bool)
    if before is not None:
        seen = suanzi.logical_and(seen, suanzi.greater_equal(keys, places - before))
    if after is not None:
        seen = suanzi.logical_and(seen, suanzi.less_equal(keys, places + after))
    if ends is not None:
        bounds = suanzi.reshape(suanzi.tensor(ends, dtype=suanzi.int64), (-1, 1, 1, 1))
        seen = suanzi.logical_and(seen, suanzi.less(keys, bounds))
    return seen


class _Scores:
    """The whole matrix of attention scores, for models that output the scores."""

    def __init__(self, q: Tensor, k: Tensor, mask: Tensor | None, scale: float | None, softcap: float) -> None:
        wide = suanzi.float64 if q.dtype is suanzi.float64 else suanzi.float32
        q, k = (suanzi.astype(each, wide, copy=False) for each in (q, k))
        repeated = suanzi.repeat(k, q.shape[1] // k.shape[1], 1)
        factor = (q.shape[3] or 1) ** -0.5 if scale is None else scale
        self.products = suanzi.matmul(q * factor, suanzi.matrix_transpose(repeated))
        self.mask, self.softcap = mask, softcap

    def stage(self, mode: int, seen: Tensor | None) -> Tensor:
        """Return the scores after the stage `mode`: the products, the capped products, the masked products, or the
        weights.
        """
        if mode == 0:
            return self.products
        capped = self.products
        if self.softcap > 0:
            capped = suanzi.tanh(capped / self.softcap) * self.softcap
        if mode == 1:
            return capped
        masked = capped if self.mask is None else self._masked(capped, self.mask)
        if seen is not None:
            masked = suanzi.where(seen, masked, -float("inf"))
        if mode == 2:
            return masked
        if mode != 3:
            raise InvalidArgumentError(f"Attention: qk_matmul_output_mode {mode} is not 0, 1, 2 or 3")
        nothing = suanzi.equal(suanzi.max(masked, -1, True), -float("inf"))
        return suanzi.where(nothing, 0.0, nn.softmax(suanzi.where(nothing, 0.0, masked)))

    def _masked(self, scores: Tensor, mask: Tensor) -> Tensor:
        count = scores.shape[-1] - mask.shape[-1]
        if mask.dtype is suanzi.bool:
            if count:
                mask = suanzi.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, count)], value=False)
            return suanzi.where(mask, scores, -float("inf"))
        if count:
            mask = suanzi.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, count)], value=-float("inf"))
        return scores + suanzi.astype(mask, scores.dtype, copy=False)


def rotary_embedding(
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    """Return `x` with pairs of elements rotated as complex numbers, by angles that depend on the positions of the
    rows.
    """
    name = "RotaryEmbedding"
    packed = x.ndim == 3
    if packed:
        if num_heads < 1 or x.shape[2] % num_heads:
            raise DimensionsMismatchError(
                f"{name}: the last axis of shape {shown(x.shape)} does not consist of {num_heads} heads"
            )
        by_rows = suanzi.reshape(x, (*x.shape[:2], num_heads, x.shape[2] // num_heads))
    elif x.ndim == 4:
        by_rows = suanzi.swapaxes(x, 1, 2)
    else:
        raise DimensionsMismatchError(f"{name}: shape {shown(x.shape)} has neither 3 nor 4 dimensions")
    size = rotary_embedding_dim or by_rows.shape[3]
    if size % 2 or not 0 < size <= by_rows.shape[3]:
        raise InvalidArgumentError(f"{name}: {size} of {by_rows.shape[3]} elements cannot be rotated in pairs")
    axes = 3 if positions is None else 2
    if cos.ndim != axes:
        raise DimensionsMismatchError(f"{name}: cosines of shape {shown(cos.shape)} have not {axes} dimensions")
    if positions is not None:
        cos, sin = (suanzi.gather(each, positions, axis=0) for each in (cos, sin))
    if cos.shape != sin.shape or cos.shape[-1] != size // 2:
        raise DimensionsMismatchError(
            f"{name}: cosines of shape {shown(cos.shape)} and sines of {shown(sin.shape)} do not fit {size // 2} angles"
        )
    cos, sin = (suanzi.expand_dims(each, -2) for each in (cos, sin))
    if interleaved:
        first, second = (suanzi.slice(by_rows, start, size, 2, axis=3) for start in (0, 1))
    else:
        first, second = (suanzi.slice(by_rows, start, start + size // 2, axis=3) for start in (0, size // 2))
    turned = [first * cos - second * sin, first * sin + second * cos]
    if interleaved:
        turned = [suanzi.reshape(suanzi.stack(turned, -1), (*by_rows.shape[:3], size))]
    if size < by_rows.shape[3]:
        turned.append(suanzi.slice(by_rows, size, by_rows.shape[3], axis=3))
    y = suanzi.concat(turned, 3)
    return suanzi.reshape(y, x.shape) if packed else suanzi.swapaxes(y, 1, 2)


def linear_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    scale: float,
    update_rule: str,
    chunk_size: int,
) -> tuple[Tensor, Tensor]:
    """Return the results of linear attention, and the last state. Each key and value updates the state, and each query
    reads the state.

    The function ignores `chunk_size`, a hint for other hardware.
    """
    name = "LinearAttention"
    if update_rule not in ("linear", "gated", "delta", "gated_delta"):
        raise InvalidArgumentError(f"{name}: update_rule {shown(update_rule)} is not known")
    gated, corrected = "gated" in update_rule, "delta" in update_rule
    if gated != (decay is not None) or corrected != (beta is not None):
        raise InvalidArgumentError(f"{name}: update_rule {update_rule} does not fit the given decay and beta")
    if kv_num_heads < 1 or q_num_heads < 1 or q_num_heads % kv_num_heads:
        raise InvalidArgumentError(
            f"{name}: {q_num_heads} heads of queries are not a multiple of {kv_num_heads} heads of keys"
        )
    if q.ndim != 3:
        raise DimensionsMismatchError(f"{name}: query has shape {shown(q.shape)}, which does not have three dimensions")
    dtype, kept = q.dtype, (q if past is None else past).dtype
    wide = suanzi.float64 if q.dtype is suanzi.float64 else suanzi.float32
    given = [None if each is None else suanzi.astype(each, wide, copy=False) for each in (q, k, v, past, decay, beta)]
    q, k, v = (with_heads(name, each, h) for each, h in zip(given, (q_num_heads, *(kv_num_heads,) * 2), strict=False))  # type: ignore[arg-type]
    past, decay, beta = given[3:]
    batch, heads, steps, size = k.shape
    if v.shape[:3] != k.shape[:3] or q.shape != (batch, q_num_heads, steps, size):
        raise DimensionsMismatchError(
            f"{name}: queries {shown(q.shape)}, keys {shown(k.shape)} and values {shown(v.shape)} do not fit together"
        )
    shape = (batch, heads, size, v.shape[3])
    state = suanzi.zeros(shape, dtype=wide) if past is None else past
    if state.shape != shape:
        raise DimensionsMismatchError(f"{name}: past_state has shape {shown(state.shape)}, not {shown(shape)}")
    gates = None if decay is None else suanzi.exp(with_heads(name, decay, heads))
    if beta is not None:
        beta = with_heads(name, suanzi.expand(beta, (batch, steps, heads)), heads)
    group = q_num_heads // heads
    queries = suanzi.reshape(q, (batch, heads, group, steps, size))
    read = []
    for i in range(steps):
        key, value = (suanzi.expand_dims(each[:, :, i], -2) for each in (k, v))
        if gates is not None:
            state = state * suanzi.expand_dims(gates[:, :, i], -1)
        if beta is not None:
            value = (value - suanzi.matmul(key, state)) * suanzi.expand_dims(beta[:, :, i], -1)
        state = state + suanzi.matmul(suanzi.matrix_transpose(key), value)
        read.append(suanzi.matmul(queries[:, :, :, i], state))
    factor = size**-0.5 if scale == 0 else scale
    if read:
        y = suanzi.reshape(suanzi.stack(read, 1) * factor, (batch, steps, q_num_heads * v.shape[3]))
    else:
        y = suanzi.zeros((batch, 0, q_num_heads * v.shape[3]), dtype=wide)
    return suanzi.astype(y, dtype, copy=False), suanzi.astype(state, kept, copy=False)


def causal_conv_with_state(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, past: Tensor | None = None, *, activation: str
) -> tuple[Tensor, Tensor]:
    """Convolve each channel causally with the channel's own kernel, and apply the activation. Return the result, and
    the last elements as the state for the next call.
    """
    name = "CausalConvWithState"
    if activation not in ("none", "silu", "swish"):
        raise InvalidArgumentError(f"{name}: activation {shown(activation)} is not known")
    if x.ndim != 3 or weight.ndim != 3 or weight.shape[:2] != (x.shape[1], 1) or not weight.shape[2]:
        raise DimensionsMismatchError(
            f"{name}: weight of shape {shown(weight.shape)} has no kernel for each channel of shape {shown(x.shape)}"
        )
    batch, channels, length = x.shape
    taps = weight.shape[2]
    before = suanzi.zeros((batch, channels, taps - 1), dtype=x.dtype) if past is None else past
    if before.shape != (batch, channels, taps - 1):
        raise DimensionsMismatchError(
            f"{name}: past_state of shape {shown(before.shape)} does not fit kernels of {taps} elements"
        )
    padded = suanzi.concat([before, x], 2)
    factors = suanzi.reshape(weight, (channels, taps))
    y = suanzi.zeros_like(x)
    for tap in range(taps):
        shifted = suanzi.slice(padded, tap, tap + length, axis=2)
        y = suanzi.multiply_add(shifted, suanzi.expand_dims(factors[:, tap], -1), y)
    if bias is not None:
        y = y + suanzi.expand_dims(bias, -1)
    return y if activation == "none" else nn.silu(y), suanzi.slice(padded, length, length + taps - 1, axis=2)
