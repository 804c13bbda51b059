"""The table of suanzi's functions for ONNX operators, with at least one row for each operator, and the tables of all
domains.

Versions, defaults of attributes and accepted element types are in the schemas of the package onnx. Operators that
combine several operators of suanzi are in compositions/. The rows of other domains are in their own modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import suanzi
from suanzi import nn
from suanzi.interop.onnx import classical, control, growth, microsoft
from suanzi.interop.onnx.compositions import (
    activations,
    attention,
    convolutions,
    creation,
    deformable,
    earlier,
    normalisations,
    numbers,
    pictures,
    pooling,
    quantization,
    recurrent,
    reductions,
    resizing,
    sampling,
    sequences,
    shapes,
    spectra,
    texts,
)
from suanzi.interop.onnx.compositions.special import erf
from suanzi.interop.onnx.domains import MICROSOFT, ML
from suanzi.interop.onnx.legacy import limited
from suanzi.interop.onnx.precision import AS_GIVEN, HALVES, REALS, SUMS, Widths
from suanzi.interop.onnx.rows import Prepared, Row, Rows
from suanzi.operators.registry import neural_records, records

_AXES = MappingProxyType({"axes": "axis"})
_EPSILON = MappingProxyType({"epsilon": "eps"})
_TRANSPOSED = MappingProxyType({"transA": "transpose_a", "transB": "transpose_b"})

# Operators that are one call of a function without options. The function may have another name.
_NAMED_ALIKE = """
    Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Det Exp Floor IsNaN Log MatMul Reciprocal Sign
    Sin Sinh Sqrt Tan Tanh Where
"""
_SAME: dict[str, Callable[..., Any]] = {
    **{name: getattr(suanzi, name.lower()) for name in _NAMED_ALIKE.split()},
    "BitwiseAnd": suanzi.bitwise_and,
    "BitwiseNot": suanzi.bitwise_invert,
    "BitwiseOr": suanzi.bitwise_or,
    "BitwiseXor": suanzi.bitwise_xor,
    "GreaterOrEqual": suanzi.greater_equal,
    "LessOrEqual": suanzi.less_equal,
    "Neg": suanzi.negative,
    "Not": suanzi.logical_not,
    "Round": suanzi.rint,
}

BINARY: dict[str, Callable[..., Any]] = {
    "Add": suanzi.add,
    "And": suanzi.logical_and,
    "Div": numbers.divide,
    "Equal": suanzi.equal,
    "Greater": suanzi.greater,
    "Less": suanzi.less,
    "Mul": suanzi.multiply,
    "Or": suanzi.logical_or,
    "Pow": numbers.power,
    "Sub": suanzi.subtract,
    "Xor": suanzi.logical_xor,
}
"""Operators with legacy broadcasting before opset 7."""

_REDUCTIONS: dict[str, tuple[Callable[..., Any], Widths]] = {
    "ReduceL1": (reductions.norm1, HALVES),
    "ReduceL2": (suanzi.norm2, REALS),
    "ReduceLogSum": (reductions.log_sum, REALS),
    "ReduceLogSumExp": (suanzi.logsumexp, REALS),
    "ReduceMax": (reductions.extreme("max"), AS_GIVEN),
    "ReduceMean": (reductions.mean, AS_GIVEN),
    "ReduceMin": (reductions.extreme("min"), AS_GIVEN),
    "ReduceProd": (suanzi.prod, AS_GIVEN),
    "ReduceSum": (suanzi.sum, AS_GIVEN),
    "ReduceSumSquare": (reductions.sum_of_squares, HALVES),
}

# Operators of any number of operands, which have one shape before opset 8.
_VARIADIC: dict[str, tuple[Callable[..., Any], Widths]] = {
    "Max": (numbers.folded(suanzi.maximum), AS_GIVEN),
    "Mean": (numbers.mean, SUMS),
    "Min": (numbers.folded(suanzi.minimum), AS_GIVEN),
    "Sum": (numbers.total, SUMS),
}

# Operators that work along one axis since opset 13. Before opset 13, the operators treat the axis and all later axes
# as one axis.
_SOFTMAXES: dict[str, Callable[..., Any]] = {
    "LogSoftmax": activations.log_softmax,
    "Softmax": activations.softmax,
}

# Operators that are a single operator of suanzi, and functions that move, create or compare elements.
_AS_GIVEN: dict[str, tuple[Row, ...]] = {
    "ArgMax": (Row(reductions.arg_search(suanzi.argmax), is_maker=True, family="order", growth=growth.of_first),),
    "ArgMin": (Row(reductions.arg_search(suanzi.argmin), is_maker=True, family="order", growth=growth.of_first),),
    "Bernoulli": (Row(creation.bernoulli, family="random"),),
    "AveragePool": (Row(pooling.average_pool, family="transform"),),
    "BitCast": (Row(numbers.bit_cast, family="movement", growth=growth.of_first),),
    "BitShift": (Row(numbers.bit_shift, family="elementwise"),),
    "Cast": (
        Row(earlier.cast, family="conversion", may_view=True, types=earlier.cast_type),
        Row(numbers.cast, since=6, kinds=True, family="conversion", may_view=True),
    ),
    "CastLike": (Row(numbers.cast_like, kinds=True, family="conversion", may_view=True),),
    "CenterCropPad": (Row(shapes.center_crop_pad, numbers=(1,), family="movement", may_view=True),),
    "Clip": (Row(numbers.clip, family="elementwise", may_view=True),),
    "Compress": (Row(shapes.compress, family="values"),),
    "Concat": (Row(shapes.concat, family="movement", growth=growth.parts),),
    "ImageDecoder": (Row(pictures.decode, family="values"),),
    "MelWeightMatrix": (Row(spectra.mel_weight_matrix, numbers=(0, 1, 2, 3, 4), family="creation"),),
    "RegexFullMatch": (Row(texts.full_match, family="movement"),),
    "StringConcat": (Row(texts.concat, family="movement"),),
    "StringNormalizer": (Row(texts.normalize, family="values"),),
    "StringSplit": (Row(texts.split, family="values"),),
    "TfIdfVectorizer": (Row(texts.tf_idf, family="values"),),
    "ConstantOfShape": (Row(creation.constant_of_shape, numbers=(0,), family="creation", growth=growth.filled),),
    "Conv": (Row(convolutions.convolution, is_maker=True, family="product"),),
    "ConvInteger": (Row(convolutions.integer_convolution, is_maker=True, family="product"),),
    "ConvTranspose": (Row(convolutions.transposed_convolution, is_maker=True, family="product"),),
    "CumProd": (Row(reductions.scan(suanzi.cumulative_prod), numbers=(1,), family="scan"),),
    "CumSum": (Row(reductions.scan(suanzi.cumulative_sum), numbers=(1,), family="scan"),),
    "DepthToSpace": (Row(shapes.depth_to_space, family="movement"),),
    "DequantizeLinear": (Row(quantization.dequantize_linear, kinds=True, family="conversion"),),
    "Dropout": (
        Row(earlier.dropout, is_maker=True, outputs=True, family="random", may_view=True),
        Row(normalisations.dropout_7, outputs=True, since=7, family="random", may_view=True),
        Row(normalisations.dropout, outputs=True, since=10, family="random", may_view=True),
    ),
    "Expand": (Row(shapes.expand, numbers=(1,), family="view", growth=growth.expanded),),
    "EyeLike": (Row(creation.eye_like, family="creation", growth=growth.of_first),),
    "Flatten": (Row(shapes.flatten, family="view"),),
    "Gather": (Row(suanzi.gather, growth=growth.chosen),),
    "GatherElements": (Row(shapes.gather_elements, family="gather", growth=growth.of_indices),),
    "GatherND": (Row(suanzi.gather_nd),),
    "GlobalAveragePool": (Row(normalisations.global_average_pool, family="blockwise"),),
    "GlobalLpPool": (Row(normalisations.global_lp_pool, family="blockwise"),),
    "GlobalMaxPool": (Row(normalisations.global_max_pool, family="blockwise"),),
    "GridSample": (Row(sampling.grid_sample, family="transform"),),
    "Identity": (Row(shapes.identity, family="view", kinds=True),),
    "IsInf": (Row(numbers.is_inf, family="elementwise"),),
    "LpPool": (Row(pooling.lp_pool, family="transform"),),
    "MatMulInteger": (Row(numbers.matmul_of_codes, family="product"),),
    "MaxPool": (
        Row(pooling.max_pool_1, family="transform"),
        Row(pooling.max_pool, outputs=True, since=8, family="transform"),
    ),
    "MaxRoiPool": (Row(pooling.max_roi_pool, family="transform"),),
    "MaxUnpool": (Row(pooling.max_unpool, numbers=(2,), family="movement"),),
    "Mod": (Row(numbers.modulo_10, family="elementwise"), Row(numbers.modulo, since=28, family="elementwise")),
    "NonMaxSuppression": (Row(sampling.non_max_suppression, numbers=(2, 3, 4), family="values"),),
    "NonZero": (Row(shapes.nonzero, family="values"),),
    "OneHot": (Row(creation.one_hot, numbers=(1,), family="creation"),),
    "PRelu": (Row(earlier.prelu, family="blockwise"), Row(activations.prelu, since=7, family="blockwise")),
    "Pad": (
        Row(shapes.pad, MappingProxyType({"paddings": "pads"}), family="movement"),
        Row(shapes.pad, numbers=(1, 3), since=2, family="movement"),
    ),
    "QLinearConv": (Row(convolutions.quantized_convolution, is_maker=True, family="product"),),
    "QLinearMatMul": (Row(quantization.qlinear_matmul, family="product"),),
    "RandomNormal": (Row(creation.random_normal, family="random"),),
    "RandomNormalLike": (Row(creation.random_normal_like, family="random"),),
    "RandomUniform": (Row(creation.random_uniform, family="random"),),
    "RandomUniformLike": (Row(creation.random_uniform_like, family="random"),),
    "Range": (Row(creation.sequence, family="values", growth=growth.sequence),),
    "Relu": (Row(activations.relu, family="elementwise"),),
    "Reshape": (Row(shapes.reshape, numbers=(1,), family="view"),),
    "ReverseSequence": (Row(shapes.reverse_sequence, family="movement", growth=growth.of_first),),
    "RoiAlign": (Row(sampling.roi_align, family="transform"),),
    "Scatter": (Row(shapes.scatter_elements, family="movement"),),
    "ScatterElements": (Row(shapes.scatter_elements, family="movement"),),
    "ScatterND": (Row(shapes.scatter_nd, family="movement"),),
    "Shape": (Row(shapes.shape, family="query", growth=growth.rank),),
    "Size": (Row(shapes.size, family="query", growth=growth.one),),
    "Slice": (Row(shapes.slice, numbers=(1, 2, 3, 4), family="view"),),
    "SpaceToDepth": (Row(shapes.space_to_depth, family="movement"),),
    "Split": (
        Row(earlier.split, numbers=(1,), outputs=True, family="view"),
        Row(shapes.split, numbers=(1,), outputs=True, since=2, family="view"),
    ),
    "Squeeze": (Row(suanzi.squeeze, _AXES, numbers=(1,)),),
    "TensorScatter": (Row(shapes.tensor_scatter, family="movement"),),
    "Tile": (
        Row(earlier.tile, numbers=(1, 2), family="values"),
        Row(shapes.tile, numbers=(1,), since=6, family="movement", growth=growth.repeated),
    ),
    "TopK": (Row(reductions.topk, numbers=(1,), family="order"),),
    "Transpose": (Row(shapes.transposition, is_maker=True, family="view"),),
    "Trilu": (Row(shapes.trilu, numbers=(1,), family="movement", growth=growth.of_first),),
    "Unique": (Row(reductions.unique, family="values"),),
    "Unsqueeze": (Row(suanzi.expand_dims, _AXES, numbers=(1,)),),
}

_COMPOSED: dict[str, tuple[Row, ...]] = {
    "AffineGrid": (Row(sampling.affine_grid, numbers=(1,), family="composed"),),
    "Attention": (Row(attention.attention, outputs=True, widths=AS_GIVEN, family="transform"),),
    "BatchNormalization": (
        Row(earlier.batch_normalization, is_maker=True, family="composed"),
        Row(normalisations.batch_normalization, since=7, family="composed"),
    ),
    "CausalConvWithState": (Row(attention.causal_conv_with_state, family="composed"),),
    "Celu": (Row(nn.celu),),
    "Col2Im": (Row(pooling.col2im, numbers=(1, 2), family="composed"),),
    "DeformConv": (Row(deformable.deform_conv, is_maker=True, family="product"),),
    "DFT": (
        Row(spectra.dft_17, numbers=(1,), family="transform"),
        Row(spectra.dft, numbers=(1, 2), since=20, family="transform"),
    ),
    "STFT": (Row(spectra.stft, numbers=(1, 3), family="transform"),),
    "DynamicQuantizeLinear": (Row(quantization.dynamic_quantize_linear, family="transform"),),
    "Einsum": (Row(numbers.einsum, family="product"),),
    "Elu": (Row(nn.elu),),
    "Erf": (Row(erf, widths=REALS, family="elementwise"),),
    "Gelu": (Row(activations.gelu, family="blockwise"),),
    "GRU": (Row(recurrent.gru, family="transform"),),
    "Gemm": (
        Row(earlier.gemm, _TRANSPOSED, is_maker=True, family="product"),
        Row(numbers.gemm, _TRANSPOSED, is_maker=True, since=7, family="product"),
    ),
    "HardSigmoid": (Row(nn.hardsigmoid),),
    "HardSwish": (Row(activations.hard_swish, family="blockwise"),),
    "GroupNormalization": (
        Row(normalisations.group_normalization_18, since=18, family="blockwise"),
        Row(normalisations.group_normalization, since=21, family="blockwise"),
    ),
    "InstanceNormalization": (Row(nn.instance_norm, _EPSILON),),
    "LRN": (Row(nn.lrn, MappingProxyType({"bias": "k"})),),
    "LSTM": (Row(recurrent.lstm, family="transform"),),
    "LayerNormalization": (Row(normalisations.layer_normalization, outputs=True, family="blockwise"),),
    "LeakyRelu": (Row(nn.leaky_relu, MappingProxyType({"alpha": "negative_slope"})),),
    "LinearAttention": (Row(attention.linear_attention, widths=AS_GIVEN, family="composed"),),
    "LpNormalization": (Row(normalisations.lp_normalization, family="blockwise"),),
    "MeanVarianceNormalization": (Row(normalisations.mean_variance_normalization, family="blockwise"),),
    "Mish": (Row(activations.mish, family="blockwise"),),
    "Multinomial": (Row(creation.multinomial, family="random"),),
    "QuantizeLinear": (Row(quantization.quantize_linear, kinds=True, family="conversion"),),
    "RNN": (Row(recurrent.rnn, family="transform"),),
    "RMSNormalization": (Row(normalisations.rms_normalization, family="blockwise"),),
    "Resize": (
        Row(resizing.resize_10, numbers=(1,), family="transform", may_view=True),
        Row(resizing.resize, numbers=(1, 2, 3), since=11, family="transform", may_view=True),
    ),
    "RotaryEmbedding": (Row(attention.rotary_embedding, family="composed"),),
    "Selu": (Row(nn.selu, MappingProxyType({"gamma": "scale"})),),
    "Shrink": (Row(activations.shrink, widths=REALS, family="blockwise"),),
    "Sigmoid": (Row(nn.sigmoid),),
    "Softplus": (Row(activations.softplus, family="elementwise"),),
    "Softsign": (Row(nn.softsign),),
    "SwiGLU": (Row(activations.swiglu, family="blockwise"),),
    "Swish": (Row(activations.swish, family="blockwise"),),
    "ThresholdedRelu": (Row(activations.thresholded_relu, family="blockwise"),),
    "Upsample": (
        Row(earlier.upsample, family="transform", may_view=True),
        Row(resizing.upsample, numbers=(1,), since=7, family="transform", may_view=True),
    ),
    "Hardmax": (
        Row(activations.flattened(activations.hardmax), family="composed"),
        Row(activations.hardmax, since=13, family="composed"),
    ),
}

# Operators with graphs, sequences and optional values.
_KEPT: dict[str, tuple[Row, ...]] = {
    "If": (Row(control.branches, family="control", has_graphs=True),),
    "Loop": (Row(control.loop, family="control", has_graphs=True),),
    "Scan": (
        Row(control.scan_8, family="control", has_graphs=True),
        Row(control.scan, family="control", has_graphs=True, since=9),
    ),
    "SequenceMap": (Row(control.sequence_map, family="control", has_graphs=True),),
    "ConcatFromSequence": (Row(sequences.concat, types=sequences.element_type),),
    "Optional": (Row(sequences.optional, MappingProxyType({"type": "kind"}), types=sequences.optional_type),),
    "OptionalGetElement": (Row(sequences.get_element, types=sequences.inner_type),),
    "OptionalHasElement": (Row(sequences.has_element),),
    "SequenceAt": (Row(sequences.at, numbers=(1,), types=sequences.element_type),),
    "SequenceConstruct": (Row(sequences.construct, types=sequences.sequence_type),),
    "SequenceEmpty": (Row(sequences.empty, types=sequences.empty_type),),
    "SequenceErase": (Row(sequences.erase, numbers=(1,), types=sequences.same_sequence),),
    "SequenceInsert": (Row(sequences.insert, numbers=(2,), types=sequences.same_sequence),),
    "SequenceLength": (Row(sequences.length),),
    "SplitToSequence": (Row(sequences.split, numbers=(1,), types=sequences.sequence_type),),
}

TABLE: Rows = {
    **{name: (Row(function, widths=AS_GIVEN),) for name, function in _SAME.items()},
    **{
        name: (
            Row(limited(f, name), widths=AS_GIVEN, family="elementwise"),
            Row(f, since=7, widths=AS_GIVEN, family="elementwise"),
        )
        for name, f in BINARY.items()
    },
    **{
        name: (Row(reductions.reduction(f), numbers=(1,), widths=w, family="reduction"),)
        for name, (f, w) in _REDUCTIONS.items()
    },
    **{
        name: tuple(
            Row(each, since=since, widths=w, family="blockwise", may_view=True, growth=growth.one_by_one)
            for since, each in ((1, earlier.of_one_shape(name, f)), (8, f))
        )
        for name, (f, w) in _VARIADIC.items()
    },
    **{
        name: (Row(activations.flattened(f), family="blockwise"), Row(f, since=13, family="blockwise"))
        for name, f in _SOFTMAXES.items()
    },
    **{name: tuple(row._replace(widths=AS_GIVEN) for row in rows) for name, rows in _AS_GIVEN.items()},
    **{
        name: tuple(
            row._replace(widths=AS_GIVEN, kinds=True, may_view=True, family=row.family or "sequence") for row in rows
        )
        for name, rows in _KEPT.items()
    },
    **_COMPOSED,
}
"""Rows of the default domain."""

TABLES: Mapping[str, Rows] = {"": TABLE, ML: classical.TABLE, MICROSOFT: microsoft.TABLE}
"""The rows of each domain."""

PREPARED = frozenset(
    name
    for rows in TABLES.values()
    for name, versions in rows.items()
    if any(isinstance(row.function, Prepared) for row in versions)
)
"""The names of the operators whose functions first convert some operands (`Prepared`)."""


def row_for(domain: str, name: str, version: int) -> Row | None:
    """Return the table's row for a version of an operator, or None if the table has no such row."""
    return next((row for row in reversed(TABLES.get(domain, {}).get(name, ())) if row.since <= version), None)


_OURS = {record.function: record.family for record in (*records(), *neural_records())}


def family_of(row: Row) -> str:
    """Return the family that a row names, or else the family in the record of the row's function."""
    return row.family or _OURS[row.function]
