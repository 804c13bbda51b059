"""Operators of the domain com.microsoft: operators that onnxruntime's tools fuse from several nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, nn
from suanzi.interop.onnx.compositions import activations, numbers, recurrent
from suanzi.interop.onnx.compositions.quantization import dequantize_linear, dynamic_quantize_linear, quantize_linear
from suanzi.interop.onnx.compositions.reading import positive_axis
from suanzi.interop.onnx.rows import Prepared
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.nn import recurrent as nn_recurrent
from suanzi.nn.normalisation import normalised, rms_standardised, scaled, standardised
from suanzi.nn.packed import fields
from suanzi.tensor.messages import shown

# --- normalisations ---


def skip_layer_normalization(
    x: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    epsilon: float,
    outputs: int = 4,
) -> tuple[Tensor, ...]:
    """Return the normalised sum of the operands, the mean and the reciprocal deviation of the sum, and the sum."""
    total = _sum(x, skip, bias)
    if outputs == 1 and gamma.shape == total.shape[-1:] == (gamma if beta is None else beta).shape:
        return (normalised("SkipLayerNormalization", total, (total.ndim - 1,), epsilon, gamma, beta),)
    normal, mean, scale = standardised(total, (total.ndim - 1,), epsilon)
    return scaled(normal, gamma, beta), mean, scale, total


def skip_simplified_layer_normalization(
    x: Tensor, skip: Tensor, gamma: Tensor, bias: Tensor | None = None, *, epsilon: float
) -> tuple[Tensor, None, Tensor, Tensor]:
    """Return the results of `skip_layer_normalization` for a normalisation that subtracts no mean. The second result is
    None.
    """
    total = _sum(x, skip, bias)
    normal, scale = rms_standardised(total, (total.ndim - 1,), epsilon)
    return normal * gamma, None, scale, total


def _sum(x: Tensor, skip: Tensor, bias: Tensor | None) -> Tensor:
    total = x + skip
    if total.shape != x.shape:
        raise DimensionsMismatchError(f"SkipLayerNormalization: shapes {shown(x.shape)} and {shown(skip.shape)} differ")
    return total if bias is None else total + bias


def simplified_layer_normalization(
    x: Tensor, scale: Tensor, *, axis: int, epsilon: float, stash_type: int
) -> tuple[Tensor, Tensor]:
    axes = tuple(range(positive_axis(axis, x.ndim, "SimplifiedLayerNormalization"), x.ndim))
    normal, reciprocal = rms_standardised(x, axes, epsilon)
    return normal * scale, reciprocal


def embed_layer_normalization(
    words: Tensor,
    segments: Tensor | None,
    word_table: Tensor,
    position_table: Tensor,
    segment_table: Tensor | None,
    gamma: Tensor,
    beta: Tensor,
    mask: Tensor | None = None,
    positions: Tensor | None = None,
    *,
    epsilon: float,
    mask_index_type: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the normalised sum, the number of words that each row of the mask keeps, and the sum. The sum adds the
    rows that words, positions and segments select from three tables. As in ONNX Runtime, the attribute
    `mask_index_type` changes no result.
    """
    if words.ndim != 2:
        raise DimensionsMismatchError(f"EmbedLayerNormalization: input_ids have shape {shown(words.shape)}")
    if positions is None:
        positions = suanzi.arange(words.shape[1], dtype=suanzi.int64)
    total = suanzi.gather(word_table, words, axis=0) + suanzi.gather(position_table, positions, axis=0)
    if segments is not None and segment_table is not None:
        total = total + suanzi.gather(segment_table, segments, axis=0)
    counted = suanzi.zeros((words.shape[0],), dtype=suanzi.int32)
    if mask is not None:
        counted = suanzi.sum(mask, 1, dtype=suanzi.int32)
    return scaled(standardised(total, (2,), epsilon)[0], gamma, beta), counted, total


def group_norm(
    x: Tensor, gamma: Tensor, beta: Tensor, *, groups: int, epsilon: float, channels_last: int, activation: int
) -> Tensor:
    by_channels = suanzi.moveaxis(x, -1, 1) if channels_last else x
    y = nn.group_norm(by_channels, groups, gamma, beta, epsilon)
    y = nn.silu(y) if activation else y
    return suanzi.contiguous(suanzi.moveaxis(y, 1, -1)) if channels_last else y


# --- activations ---


def bias_gelu(a: Tensor, b: Tensor) -> Tensor:
    return activations.gelu(a + b, approximate="none")


def fast_gelu(x: Tensor, bias: Tensor | None = None) -> Tensor:
    return activations.gelu(x if bias is None else x + bias, approximate="tanh")


def bias_split_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """Return the first half of ``x + bias`` along the last axis times the GELU of the second half."""
    total = x + bias
    half = total.shape[-1] // 2
    first, second = (suanzi.slice(total, start, start + half, axis=-1) for start in (0, half))
    return first * activations.gelu(second, approximate="none")


def bias_add(x: Tensor, bias: Tensor, skip: Tensor) -> Tensor:
    return x + bias + skip


class _Activation(NamedTuple):
    """A function of a tensor and of parameters, and the default values of the parameters in their order. The value None
    means that a node must set the parameter.
    """

    function: Callable[..., Tensor]
    defaults: Mapping[str, float | None] = MappingProxyType({})


_FUSED = {
    "Relu": _Activation(nn.relu),
    "Sigmoid": _Activation(nn.sigmoid),
    "Tanh": _Activation(suanzi.tanh),
    "LeakyRelu": _Activation(nn.leaky_relu, {"alpha": 0.01}),
    "Clip": _Activation(suanzi.clip, {"alpha": None, "beta": None}),
    "HardSigmoid": _Activation(nn.hardsigmoid, {"alpha": 0.2, "beta": 0.5}),
    "HardSwish": _Activation(nn.hardswish),
    "Elu": _Activation(nn.elu, {"alpha": 1.0}),
    "Selu": _Activation(nn.selu, {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}),
    "Softplus": _Activation(activations.softplus),
    "Softsign": _Activation(nn.softsign),
    "ThresholdedRelu": _Activation(lambda x, alpha: activations.thresholded_relu(x, alpha=alpha), {"alpha": 1.0}),
}


def activated(operator: str, x: Tensor, activation: str, given: Mapping[str, float] | Sequence[float]) -> Tensor:
    """Apply the activation of a fused operator to `x`, the result of the operator's other parts. `given` contains the
    parameters of the activation, by name or in the order of the defaults.
    """
    if not activation:
        return x
    known = _FUSED.get(activation)
    if known is None:
        raise UnsupportedError(f"{operator}: activation {shown(activation)} is not one of {', '.join(_FUSED)}")
    named = given if isinstance(given, Mapping) else dict(zip(known.defaults, given, strict=False))
    parameters = {name: named.get(name, default) for name, default in known.defaults.items()}
    if None in parameters.values():
        raise InvalidArgumentError(f"{operator}: {len(given)} parameters do not fit {activation}")
    return known.function(x, *parameters.values())


def fused_gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float,
    beta: float,
    transpose_a: int,
    transpose_b: int,
    activation: str = "",
    activation_alpha: float | None = None,
    activation_beta: float | None = None,
    activation_gamma: float | None = None,
) -> Tensor:
    product = numbers.gemm(alpha=alpha, beta=beta, transpose_a=transpose_a, transpose_b=transpose_b)(a, b, c)
    parameters = {"alpha": activation_alpha, "beta": activation_beta, "gamma": activation_gamma}
    given = {name: value for name, value in parameters.items() if value is not None}
    return activated("FusedGemm", product, activation, given)


# --- products of integers, and of numbers that are quantized during the run ---


def _coded_matrix(b: Tensor, b_zero: Tensor | None = None) -> numbers.CodedMatrix:
    return numbers.CodedMatrix(b, _single(b_zero))


def _quantized_product(b: numbers.CodedMatrix, a: Tensor, b_scale: Tensor, bias: Tensor | None = None) -> Tensor:
    codes, step, zero = dynamic_quantize_linear(a)
    return _scaled_product(b, codes, step, b_scale, zero, bias)


def _scaled_product(
    b: numbers.CodedMatrix,
    a: Tensor,
    a_scale: Tensor,
    b_scale: Tensor,
    a_zero: Tensor | None = None,
    bias: Tensor | None = None,
) -> Tensor:
    if a_scale.size == 1:
        a_scale = suanzi.reshape(a_scale, ())
    elif a_scale.ndim == 1:
        a_scale = suanzi.reshape(a_scale, (-1, 1))
    y = suanzi.astype(b(a, _single(a_zero)), suanzi.float32) * (a_scale * _single_scale(b_scale))
    return y if bias is None else y + bias


dynamic_quantize_matmul = Prepared((1, 3), _coded_matrix, _quantized_product)
matmul_integer_to_float = Prepared((1, 5), _coded_matrix, _scaled_product)


def _single(zero: Tensor | None) -> Tensor | None:
    return suanzi.reshape(zero, ()) if zero is not None and zero.size == 1 else zero


def _single_scale(scale: Tensor) -> Tensor:
    return suanzi.reshape(scale, ()) if scale.size == 1 else scale


# --- operators of codes: computed on the real numbers, and rounded to codes once ---


def qlinear_add(
    a: Tensor, a_scale: Tensor, a_zero: Any, b: Tensor, b_scale: Tensor, b_zero: Any, c_scale: Tensor,
    c_zero: Tensor | None = None,
) -> Tensor:  # fmt: skip
    total = dequantize_linear(a, a_scale, a_zero) + dequantize_linear(b, b_scale, b_zero)
    return with_codes(total, c_scale, c_zero, a)


def qlinear_mul(
    a: Tensor, a_scale: Tensor, a_zero: Any, b: Tensor, b_scale: Tensor, b_zero: Any, c_scale: Tensor,
    c_zero: Tensor | None = None,
) -> Tensor:  # fmt: skip
    product = dequantize_linear(a, a_scale, a_zero) * dequantize_linear(b, b_scale, b_zero)
    return with_codes(product, c_scale, c_zero, a)


def qlinear_sigmoid(x: Tensor, x_scale: Tensor, x_zero: Any, y_scale: Tensor, y_zero: Tensor | None = None) -> Tensor:
    return with_codes(nn.sigmoid(dequantize_linear(x, x_scale, x_zero)), y_scale, y_zero, x)


def qlinear_leaky_relu(
    x: Tensor, x_scale: Tensor, x_zero: Any, y_scale: Tensor, y_zero: Tensor | None = None, *, alpha: float
) -> Tensor:
    return with_codes(nn.leaky_relu(dequantize_linear(x, x_scale, x_zero), alpha), y_scale, y_zero, x)


def qlinear_softmax(
    x: Tensor, x_scale: Tensor, x_zero: Any, y_scale: Tensor, y_zero: Tensor, *, axis: int, opset: int
) -> Tensor:
    values = dequantize_linear(x, x_scale, x_zero)
    function: Any = activations.softmax if opset >= 13 else activations.flattened(activations.softmax)
    return with_codes(function(values, axis=axis), y_scale, y_zero, x)


def qlinear_where(
    condition: Tensor, x: Tensor, x_scale: Tensor, x_zero: Tensor, y: Tensor, y_scale: Tensor, y_zero: Tensor,
    z_scale: Tensor, z_zero: Tensor,
) -> Tensor:  # fmt: skip
    values = (dequantize_linear(x, x_scale, x_zero), dequantize_linear(y, y_scale, y_zero))
    return with_codes(suanzi.where(condition, *values), z_scale, z_zero, x)


def qlinear_reduce_mean(
    x: Tensor, x_scale: Tensor, x_zero: Any, y_scale: Tensor, y_zero: Tensor | None = None, *, axes: tuple[int, ...],
    keepdims: int,
) -> Tensor:  # fmt: skip
    return with_codes(suanzi.mean(dequantize_linear(x, x_scale, x_zero), axes, bool(keepdims)), y_scale, y_zero, x)


def qlinear_global_average_pool(
    x: Tensor, x_scale: Tensor, x_zero: Tensor, y_scale: Tensor, y_zero: Tensor, *, channels_last: int
) -> Tensor:
    axes = tuple(range(1, x.ndim - 1)) if channels_last else tuple(range(2, x.ndim))
    return with_codes(suanzi.mean(dequantize_linear(x, x_scale, x_zero), axes, True), y_scale, y_zero, x)


def qlinear_concat(y_scale: Tensor, y_zero: Tensor, *operands: Tensor, axis: int) -> Tensor:
    """Concatenate codes along an axis. Each group of three operands consists of codes, a scale and a zero point."""
    if not operands or len(operands) % 3:
        raise InvalidArgumentError(
            f"QLinearConcat: {len(operands)} operands are not triples of codes, scale and zero point"
        )
    parts = [dequantize_linear(*operands[i : i + 3]) for i in range(0, len(operands), 3)]
    return with_codes(suanzi.concat(parts, axis), y_scale, y_zero, operands[0])


def with_codes(values: Tensor, scale: Tensor, zero: Tensor | None, like: Tensor) -> Tensor:
    found: Any = quantize_linear(values, scale, suanzi.zeros((), dtype=like.dtype) if zero is None else zero)
    return found  # type: ignore[no-any-return]


# --- recurrent ---


class CodedLayer(nn_recurrent.Layer):
    """An LSTM with quantized weights. The input and the states are rounded to 256 values before the products."""

    rounds_states = True

    def __init__(
        self, w: Tensor, r: Tensor, b: Tensor | None, p: Tensor | None, w_scale: Tensor, w_zero: Tensor,
        r_scale: Tensor, r_zero: Tensor, **attributes: Any,
    ) -> None:  # fmt: skip
        self.w_scale, w_zero = _columns("W", w, w_scale, w_zero)
        self.r_scale, self.r_zero = _columns("R", r, r_scale, r_zero)
        self.products = [numbers.CodedMatrix(w[d], w_zero[d]) for d in range(w.shape[0])]
        self.r = suanzi.contiguous(suanzi.matrix_transpose(r))
        nothing = suanzi.zeros((1, 1, 1), dtype=suanzi.float32)
        shapes = [suanzi.expand(nothing, (x.shape[0], x.shape[2], x.shape[1])) for x in (w, r)]
        options = recurrent.options_of("DynamicQuantizeLSTM", shapes[1], attributes)
        halves = recurrent.halves("DynamicQuantizeLSTM", b, shapes[1])
        super().__init__(
            nn_recurrent.LSTM,
            suanzi.float32,
            shapes[0],
            shapes[1],
            halves[0],
            halves[1],
            gates="iofg",
            coupled=bool(attributes.get("input_forget", 0)),
            peepholes=p,
            **options,
        )

    def projections(self, x: Tensor) -> list[Tensor]:
        codes, step, zero = dynamic_quantize_linear(x)
        scaled = [
            suanzi.astype(product(codes, zero), suanzi.float32) * (scale * step)
            for product, scale in zip(self.products, self.w_scale, strict=True)
        ]
        return [y if bias is None else y + bias for y, bias in zip(scaled, self.biases, strict=True)]

    def parameters(self, batch: int) -> tuple[nn_recurrent.Parameters, ...]:
        if batch > nn_recurrent.MOST_CODED or self.size > nn_recurrent.MOST_CODED_SIZE:
            return self.of_numbers
        return self.of_codes

    @cached_property
    def of_codes(self) -> tuple[nn_recurrent.Parameters, ...]:
        """Return the parameters of the directions of a layer whose weights are codes."""
        return self._each(self.weight_hh, list(zip(self.r, self.r_scale, self.r_zero, strict=True)))

    @cached_property
    def of_numbers(self) -> tuple[nn_recurrent.Parameters, ...]:
        zero = suanzi.astype(suanzi.expand_dims(self.r_zero, 2), suanzi.float32)
        values = (suanzi.astype(self.r, suanzi.float32) - zero) * suanzi.expand_dims(self.r_scale, 2)
        return self._each([values[d] for d in range(self.directions)], (None,) * self.directions)


dynamic_quantize_lstm = Prepared((1, 2, 3, 7, 8, 9, 10, 11), CodedLayer, recurrent.called)


def _columns(what: str, codes: Tensor, scale: Tensor, zero: Tensor) -> tuple[Tensor, Tensor]:
    """Return the scale and the zero point (in int32) of each column of a matrix of codes."""
    if codes.ndim != 3 or scale.ndim not in (1, 2) or scale.shape != zero.shape or codes.shape[:1] != scale.shape[:1]:
        raise DimensionsMismatchError(
            f"DynamicQuantizeLSTM: shapes {shown(codes.shape)}, {shown(scale.shape)} and {shown(zero.shape)} do not "
            f"fit {what}"
        )
    shape = (codes.shape[0], codes.shape[2])
    scale, zero = (suanzi.reshape(each, (codes.shape[0], -1 if codes.shape[0] else 1)) for each in (scale, zero))
    scale, zero = (suanzi.contiguous(suanzi.expand(each, shape)) for each in (scale, zero))
    return scale, suanzi.astype(zero, suanzi.int32)


# --- weights of few bits ---


class PackedWeights(NamedTuple):
    """Codes, scales and zero points in the shapes that `nn.linear_packed` accepts."""

    codes: Tensor
    scales: Tensor
    zeros: Tensor | None
    bits: int


def packed_weights(
    codes: Tensor,
    scales: Tensor,
    zeros: Tensor | None = None,
    order: Tensor | None = None,
    *,
    bits: int,
    block_size: int,
    N: int,  # noqa: N803 - ONNX's name
    K: int,  # noqa: N803
    **_: Any,
) -> PackedWeights | Tensor:
    """Return the packed weights, or the decoded matrix of shape (K, N) if `nn.linear_packed` does not accept the block
    size, the type of the scales, or an `order`.
    """
    if bits not in (2, 4, 8) or block_size < 1 or N < 0 or K < 0:
        raise InvalidArgumentError(
            f"MatMulNBits: {bits} bits in blocks of {block_size} do not fit a matrix of {K} x {N}"
        )
    blocks, block_bytes = -(-K // block_size), block_size * bits // 8
    if codes.size != N * blocks * block_bytes or scales.size != N * blocks:
        raise DimensionsMismatchError(
            f"MatMulNBits: shapes {shown(codes.shape)} and {shown(scales.shape)} do not fit {N} x {blocks} blocks"
        )
    if zeros is not None:
        each = -(-blocks * bits // 8) if zeros.dtype is suanzi.uint8 else blocks
        if zeros.size != N * each:
            raise DimensionsMismatchError(
                f"MatMulNBits: zero_points of shape {shown(zeros.shape)} do not fit the weight"
            )
        zeros = suanzi.reshape(zeros, (N, each))
    codes, scales = suanzi.reshape(codes, (N, blocks, block_bytes)), suanzi.reshape(scales, (N, blocks))
    if order is None and block_size % 16 == 0 and scales.dtype is not suanzi.float64:
        return PackedWeights(codes, scales, zeros, bits)
    wide = suanzi.float64 if scales.dtype is suanzi.float64 else suanzi.float32
    return suanzi.contiguous(suanzi.matrix_transpose(_decoded(codes, scales, zeros, order, bits, K, wide)))


def _decoded(
    codes: Tensor, scales: Tensor, zeros: Tensor | None, order: Tensor | None, bits: int, terms: int, wide: Any
) -> Tensor:
    """Return the decoded rows of the weight. `order` contains the index of each term's block."""
    blocks = suanzi.arange(terms) // (codes.shape[2] * 8 // bits) if order is None else order[:terms]
    if blocks.shape != (terms,):
        raise DimensionsMismatchError(f"MatMulNBits: g_idx of shape {shown(blocks.shape)} does not fit {terms} terms")
    numbers = suanzi.astype(suanzi.reshape(fields(codes, bits), (codes.shape[0], -1))[:, :terms], wide)
    if zeros is None:
        points: Any = float(2 ** (bits - 1))
    else:
        points = suanzi.astype(fields(zeros, bits) if zeros.dtype is suanzi.uint8 else zeros, wide, copy=False)
        points = suanzi.gather(points, blocks, 1)
    rows: Tensor = (numbers - points) * suanzi.gather(suanzi.astype(scales, wide, copy=False), blocks, 1)
    return rows


def matmul_of_few_bits(weights: PackedWeights | Tensor, a: Tensor, bias: Tensor | None = None, **_: Any) -> Tensor:
    """Return the product of `a` and weights of a few bits, plus the vector `bias`."""
    if isinstance(weights, PackedWeights):
        bias = None if bias is None else suanzi.astype(bias, a.dtype, copy=False)
        found: Tensor = nn.linear_packed(a, weights.codes, weights.scales, weights.zeros, bias, bits=weights.bits)
        return found
    y: Tensor = suanzi.matmul(suanzi.astype(a, weights.dtype, copy=False), weights)
    y = y if bias is None else y + suanzi.astype(bias, y.dtype, copy=False)
    return suanzi.astype(y, a.dtype, copy=False)
