"""Further operators of com.microsoft: convolutions and pooling in other layouts, quantized tables, distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor
from suanzi.interop.onnx.compositions import activations, creation, numbers, pooling, reductions, shapes
from suanzi.interop.onnx.compositions.contributed import activated, embed_layer_normalization, with_codes
from suanzi.interop.onnx.compositions.convolutions import convolution, quantized_convolution
from suanzi.interop.onnx.compositions.matrices import squared_distances
from suanzi.interop.onnx.compositions.narrow import opened
from suanzi.interop.onnx.compositions.quantization import dequantize_linear, of_all, stored
from suanzi.interop.onnx.compositions.reading import positive_axis, single
from suanzi.interop.onnx.types import AnyType, Stored
from suanzi.nn.packed import fields
from suanzi.tensor.messages import shown

# --- convolutions and pools ---


def fused_conv(
    *, activation: str = "", activation_params: tuple[float, ...] = (), **attributes: Any
) -> Callable[..., Tensor]:
    """Make a function that convolves, adds another tensor, and applies an activation."""
    return partial(_fused_conv, convolution(**attributes), activation, activation_params)


def _fused_conv(
    convolve: Callable[..., Tensor],
    activation: str,
    parameters: tuple[float, ...],
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    added: Tensor | None = None,
) -> Tensor:
    y = convolve(x, weight, bias)
    if added is not None:
        if added.shape != y.shape:
            raise DimensionsMismatchError(f"FusedConv: Z has shape {shown(added.shape)}, the result {shown(y.shape)}")
        y = y + added
    return activated("FusedConv", y, activation, parameters)


def qlinear_conv(*, channels_last: int, **attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes `QLinearConv`. If `channels_last` is set, the channels of images are last.
    Weights have ONNX's layout.
    """
    convolve = quantized_convolution(**attributes)
    return partial(_of_channels_last, convolve) if channels_last else convolve


def _of_channels_last(function: Callable[..., Tensor], x: Tensor, *operands: Any) -> Tensor:
    if x.ndim < 3:
        raise DimensionsMismatchError(f"channels_last: shape {shown(x.shape)} has no places beside batch and channels")
    return suanzi.contiguous(suanzi.moveaxis(function(suanzi.moveaxis(x, -1, 1), *operands), 1, -1))


def qlinear_average_pool(
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor | None,
    y_scale: Tensor,
    y_zero: Tensor | None = None,
    *,
    channels_last: int,
    **attributes: Any,
) -> Tensor:
    pool: Callable[..., Tensor] = partial(pooling.average_pool, **attributes)
    values = dequantize_linear(x, x_scale, x_zero)
    return with_codes(_of_channels_last(pool, values) if channels_last else pool(values), y_scale, y_zero, x)


def nhwc_max_pool(x: Tensor, **attributes: Any) -> Tensor:
    """Return the greatest element of each window, as `MaxPool` does, for images whose channels are last."""

    def pool(pictures: Tensor) -> Tensor:
        return pooling.max_pool(pictures, outputs=1, storage_order=0, **attributes)[0]

    return _of_channels_last(pool, x)


# --- codes ---


def qgemm(
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    c: Tensor | None = None,
    y_scale: Tensor | None = None,
    y_zero: Tensor | None = None,
    *,
    alpha: float,
    transpose_a: int,
    transpose_b: int,
) -> Tensor:
    """Return the product of two matrices of codes, plus `c`. The codes `c` have the product's scale. The result
    consists of codes, or of real numbers if `y_scale` is None.
    """
    if a.ndim != 2 or b.ndim != 2:
        raise DimensionsMismatchError(
            f"QGemm: operands of shapes {shown(a.shape)} and {shown(b.shape)} are not matrices"
        )
    sums = numbers.matmul_integer(a.T if transpose_a else a, b.T if transpose_b else b, of_all(a_zero), of_all(b_zero))
    if c is not None:
        total = sums + c
        if total.shape != sums.shape:
            raise DimensionsMismatchError(f"QGemm: shape {shown(c.shape)} of C does not broadcast to {sums.shape}")
        sums = total
    scales = [suanzi.astype(of_all(each), suanzi.float64) for each in (a_scale, b_scale)]
    values = suanzi.astype(sums, suanzi.float64) * (scales[0] * scales[1] * alpha)
    if y_scale is None:
        return suanzi.astype(values, suanzi.float32)
    steps = values / suanzi.astype(of_all(y_scale), suanzi.float64)
    zero = suanzi.zeros((), dtype=a.dtype) if y_zero is None else of_all(y_zero)
    return stored(steps, suanzi.astype(zero, suanzi.float32), zero.dtype)


def qgemm_type(dtypes: Sequence[AnyType | None], _: Mapping[str, Any]) -> AnyType | None:
    """Return the type of QGemm's result: float32 if Y has no scale, or else the type of Y's zero point, or the type of
    A if Y has no zero point.
    """
    if len(dtypes) < 8 or dtypes[7] is None:
        return suanzi.float32
    return dtypes[8] if len(dtypes) > 8 and dtypes[8] is not None else dtypes[0]


def quantized_type(dtypes: Sequence[AnyType | None], _: Mapping[str, Any]) -> AnyType | None:
    """Return the type of QuantizeLinear's result: the type of the zero point, or uint8 if the zero point is missing."""
    return dtypes[2] if len(dtypes) > 2 and dtypes[2] is not None else suanzi.uint8


def gather_block_quantized(
    data: Tensor | Stored,
    indices: Tensor,
    scales: Tensor,
    zero_points: Tensor | Stored | None = None,
    *,
    bits: int,
    block_size: int,
    quantize_axis: int,
    gather_axis: int,
) -> Tensor:
    """Return the rows of a quantized table at `indices` as real numbers. The function unpacks all codes, but computes
    real numbers only for the rows at `indices`.
    """
    operator = "GatherBlockQuantized"
    is_packed = isinstance(data, Tensor)  # each byte holds one or more codes, in the order of the last axis
    codes, zeros = opened(data), None if zero_points is None else opened(zero_points)
    if is_packed and bits not in (2, 4, 8):
        raise InvalidArgumentError(f"{operator}: bits is {bits}, not 2, 4 or 8")
    along, across = (positive_axis(axis, codes.ndim, operator) for axis in (gather_axis, quantize_axis))
    if along == across or block_size < 1:
        raise InvalidArgumentError(
            f"{operator}: rows along axis {along} in blocks of {block_size} along axis {across} are not supported"
        )
    if is_packed and bits < 8:
        codes, zeros = fields(codes, bits), None if zeros is None else fields(zeros, bits)
    if zeros is None and is_packed:
        zeros = suanzi.full(scales.shape, 2 ** (bits - 1), dtype=suanzi.uint8)
    elif zeros is not None:
        zeros = suanzi.slice(zeros, 0, scales.shape[-1], axis=-1)  # the last byte may hold unused codes
    codes, scales = (suanzi.gather(each, indices, along) for each in (codes, scales))
    zeros = None if zeros is None else suanzi.gather(zeros, indices, along)
    across += indices.ndim - 1 if along < across else 0
    return dequantize_linear(codes, scales, zeros, axis=across, block_size=block_size)


def q_embed_layer_normalization(
    words: Tensor,
    segments: Tensor | None,
    word_codes: Tensor,
    position_codes: Tensor,
    segment_codes: Tensor | None,
    gamma_codes: Tensor,
    beta_codes: Tensor,
    mask: Tensor | None,
    *parameters: Any,
    epsilon: float,
) -> tuple[Tensor, Tensor]:
    """Return the first two results of `embed_layer_normalization` for codes. `parameters` contains five scales, and
    then five zero points.
    """
    codes = (word_codes, position_codes, segment_codes, gamma_codes, beta_codes)
    if len(parameters) != 2 * len(codes):
        raise InvalidArgumentError(
            f"QEmbedLayerNormalization: the node has {len(parameters)} scales and zero points, not 10"
        )
    tables: list[Any] = [
        None if each is None else dequantize_linear(each, scale, zero)
        for each, scale, zero in zip(codes, parameters[:5], parameters[5:], strict=True)
    ]
    word, position, segment, gamma, beta = tables
    y, counted, _ = embed_layer_normalization(
        words, segments, word, position, segment, gamma, beta, mask, epsilon=epsilon
    )
    return y, counted


# --- others ---


def cdist(a: Tensor, b: Tensor, *, metric: str) -> Tensor:
    """Return the distance (or the squared distance) of each row of `a` to each row of `b`."""
    if metric not in ("euclidean", "sqeuclidean"):
        raise InvalidArgumentError(f"CDist: metric {shown(metric)} is not euclidean or sqeuclidean")
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise DimensionsMismatchError(
            f"CDist: operands of shapes {shown(a.shape)} and {shown(b.shape)} do not have rows of one length"
        )
    wide = [suanzi.astype(each, suanzi.float64, copy=False) for each in (a, b)]
    total = squared_distances(*wide)
    return suanzi.astype(suanzi.sqrt(total) if metric == "euclidean" else total, a.dtype, copy=False)


def bias_softmax(x: Tensor, bias: Tensor, *, axis: int, is_inner_broadcast: int) -> Tensor:
    total = x + bias
    if total.shape != x.shape:
        raise DimensionsMismatchError(f"BiasSoftmax: shape {shown(bias.shape)} does not broadcast to {shown(x.shape)}")
    found: Tensor = activations.flattened(activations.softmax)(total, axis=axis)
    return found


def sequence(start: Tensor, limit: Tensor, delta: Tensor | None = None) -> Tensor:
    return creation.sequence(start, limit, suanzi.ones((), dtype=start.dtype) if delta is None else delta)


def expand_dims(x: Tensor, axis: Any) -> Tensor:
    return suanzi.expand_dims(x, int(single(axis, "ExpandDims")))


def pad(x: Tensor, pads: tuple[Any, ...], value: Tensor | None = None, *, mode: str) -> Tensor:
    """Pad a tensor by numbers that are a vector or a matrix of one row."""
    is_row = np.shape(pads)[:-1] == (1,)
    return shapes.pad(x, tuple(pads[0]) if is_row else pads, value, mode=mode)


def unique(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct elements in the order of first occurrence, the index of each element among the distinct
    elements, and the count of each distinct element.
    """
    if x.ndim != 1:
        raise DimensionsMismatchError(f"Unique: x of shape {shown(x.shape)} is not a vector")
    values, _, inverse, counts = reductions.unique(x, sorted=0)
    return values, inverse, counts


_FACTORS = 0xCC9E2D51, 0x1B873593
_WORD = 0xFFFFFFFF


def murmur_hash(x: Tensor, *, seed: int, positive: int) -> Tensor:
    """Return a 32-bit hash of the bytes of each element, by MurmurHash3 (x86, 32 bits) of Austin Appleby."""
    flat = suanzi.reshape(suanzi.contiguous(x), (x.size,))
    if x.dtype is suanzi.string:
        pieces = [str(text).encode() for text in flat.tolist()]
    else:
        data, size = flat.numpy().tobytes(), x.dtype.itemsize
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
    hashes = suanzi.tensor([_murmur(piece, seed & _WORD) for piece in pieces], dtype=suanzi.uint32)
    return suanzi.reshape(hashes if positive else suanzi.astype(hashes, suanzi.int32), x.shape)


def _murmur(data: bytes, seed: int) -> int:
    found, whole = seed, len(data) // 4 * 4
    for start in range(0, whole, 4):
        found ^= _mixed(int.from_bytes(data[start : start + 4], "little"))
        found = (_rotated(found, 13) * 5 + 0xE6546B64) & _WORD
    found ^= _mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found = ((found ^ (found >> shift)) * factor) & _WORD
    return found ^ (found >> 16)


def _mixed(word: int) -> int:
    return (_rotated((word * _FACTORS[0]) & _WORD, 15) * _FACTORS[1]) & _WORD


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & _WORD


def hash_type(_: Sequence[AnyType | None], attributes: Mapping[str, Any]) -> AnyType | None:
    return suanzi.uint32 if attributes["positive"] else suanzi.int32
