"""Which ONNX operators are which of suanzi's: a row for each, as data.

Versions, attributes' defaults and accepted element types are in the schemas that the package onnx brings; what is more
than one operator of suanzi is in compositions/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import suanzi
from suanzi.interop.onnx.compositions import (
    activations,
    creation,
    normalisations,
    numbers,
    quantization,
    reductions,
    resizing,
    shapes,
    spectra,
)
from suanzi.interop.onnx.compositions.special import erf
from suanzi.interop.onnx.legacy import limited
from suanzi.interop.onnx.precision import AS_GIVEN, HALVES, REALS, SUMS, Widths


class Row(NamedTuple):
    """How an ONNX operator is called here, from one of its versions on."""

    function: Callable[..., Any]
    keywords: Mapping[str, str] = MappingProxyType({})  # its attributes, where the function calls them otherwise
    numbers: tuple[int, ...] = ()  # inputs that the function takes as Python's numbers: shapes, axes, counts
    outputs: bool = False  # whether the function is told, by the keyword `outputs`, how many are wanted
    is_maker: bool = False  # whether the function takes the attributes alone and gives what takes the inputs
    since: int = 1
    widths: Widths = HALVES  # the types that are too narrow for what it computes on the way


_AXES = MappingProxyType({"axes": "axis"})

# One call without attributes: of the name that it has here, or of another.
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

# Before opset 7 with a broadcast of their own.
_BINARY: dict[str, Callable[..., Any]] = {
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

# Over an axis since opset 13, before over all axes from one on.
_SOFTMAXES: dict[str, Callable[..., Any]] = {
    "Hardmax": activations.hardmax,
    "LogSoftmax": activations.log_softmax,
    "Softmax": activations.softmax,
}

# Single operators of ours, and functions that move, make or compare elements.
_AS_GIVEN: dict[str, tuple[Row, ...]] = {
    "ArgMax": (Row(reductions.arg_search(suanzi.argmax), is_maker=True),),
    "ArgMin": (Row(reductions.arg_search(suanzi.argmin), is_maker=True),),
    "Bernoulli": (Row(creation.bernoulli),),
    "BitCast": (Row(numbers.bit_cast),),
    "BitShift": (Row(numbers.bit_shift),),
    "Cast": (Row(numbers.cast, since=6),),
    "CastLike": (Row(numbers.cast_like),),
    "CenterCropPad": (Row(shapes.center_crop_pad, numbers=(1,)),),
    "Clip": (Row(numbers.clip),),
    "Compress": (Row(shapes.compress),),
    "Concat": (Row(shapes.concat),),
    "ConstantOfShape": (Row(creation.constant_of_shape, numbers=(0,)),),
    "CumProd": (Row(reductions.scan(suanzi.cumulative_prod), numbers=(1,)),),
    "CumSum": (Row(reductions.scan(suanzi.cumulative_sum), numbers=(1,)),),
    "DepthToSpace": (Row(shapes.depth_to_space),),
    "DequantizeLinear": (Row(quantization.dequantize_linear),),
    "Dropout": (
        Row(normalisations.dropout_7, outputs=True, since=7),
        Row(normalisations.dropout, outputs=True, since=10),
    ),
    "Expand": (Row(shapes.expand, numbers=(1,)),),
    "EyeLike": (Row(creation.eye_like),),
    "Flatten": (Row(shapes.flatten),),
    "Gather": (Row(suanzi.gather),),
    "GatherElements": (Row(shapes.gather_elements),),
    "GatherND": (Row(suanzi.gather_nd),),
    "GlobalAveragePool": (Row(normalisations.global_average_pool),),
    "GlobalLpPool": (Row(normalisations.global_lp_pool, since=2),),
    "GlobalMaxPool": (Row(normalisations.global_max_pool),),
    "Identity": (Row(shapes.identity),),
    "IsInf": (Row(numbers.is_inf),),
    "MatMulInteger": (Row(numbers.matmul_integer),),
    "Max": (Row(numbers.folded(suanzi.maximum)),),
    "Min": (Row(numbers.folded(suanzi.minimum)),),
    "Mod": (Row(numbers.modulo),),
    "NonZero": (Row(shapes.nonzero),),
    "OneHot": (Row(creation.one_hot, numbers=(1,)),),
    "PRelu": (Row(activations.prelu, since=7),),
    "Pad": (Row(shapes.pad, numbers=(1, 3), since=2),),
    "QLinearMatMul": (Row(quantization.qlinear_matmul),),
    "RandomNormal": (Row(creation.random_normal),),
    "RandomNormalLike": (Row(creation.random_normal_like),),
    "RandomUniform": (Row(creation.random_uniform),),
    "RandomUniformLike": (Row(creation.random_uniform_like),),
    "Range": (Row(creation.sequence),),
    "Relu": (Row(activations.relu),),
    "Reshape": (Row(shapes.reshape, numbers=(1,)),),
    "ReverseSequence": (Row(shapes.reverse_sequence),),
    "Scatter": (Row(shapes.scatter_elements),),
    "ScatterElements": (Row(shapes.scatter_elements),),
    "ScatterND": (Row(shapes.scatter_nd),),
    "Shape": (Row(shapes.shape),),
    "Size": (Row(shapes.size),),
    "Slice": (Row(shapes.slice, numbers=(1, 2, 3, 4)),),
    "SpaceToDepth": (Row(shapes.space_to_depth),),
    "Split": (Row(shapes.split, numbers=(1,), outputs=True, since=2),),
    "Squeeze": (Row(suanzi.squeeze, _AXES, numbers=(1,)),),
    "Tile": (Row(suanzi.tile, numbers=(1,), since=6),),
    "TopK": (Row(reductions.topk, numbers=(1,)),),
    "Transpose": (Row(suanzi.transpose, MappingProxyType({"perm": "axes"})),),
    "Trilu": (Row(shapes.trilu, numbers=(1,)),),
    "Unique": (Row(reductions.unique),),
    "Unsqueeze": (Row(suanzi.expand_dims, _AXES, numbers=(1,)),),
}

_COMPOSED: dict[str, tuple[Row, ...]] = {
    "BatchNormalization": (Row(normalisations.batch_normalization, since=7),),
    "Celu": (Row(activations.celu),),
    "DFT": (Row(spectra.dft_17, numbers=(1,)), Row(spectra.dft, numbers=(1, 2), since=20)),
    "Einsum": (Row(numbers.einsum),),
    "Elu": (Row(activations.elu),),
    "Erf": (Row(erf, widths=REALS),),
    "Gelu": (Row(activations.gelu),),
    "Gemm": (
        Row(numbers.gemm, MappingProxyType({"transA": "transpose_a", "transB": "transpose_b"}), is_maker=True, since=7),
    ),
    "HardSigmoid": (Row(activations.hard_sigmoid),),
    "HardSwish": (Row(activations.hard_swish),),
    "InstanceNormalization": (Row(normalisations.instance_normalization, since=6),),
    "LRN": (Row(normalisations.local_response_normalization),),
    "LayerNormalization": (Row(normalisations.layer_normalization),),
    "LeakyRelu": (Row(activations.leaky_relu),),
    "LpNormalization": (Row(normalisations.lp_normalization),),
    "Mean": (Row(numbers.mean, widths=SUMS),),
    "MeanVarianceNormalization": (Row(normalisations.mean_variance_normalization),),
    "Mish": (Row(activations.mish),),
    "Multinomial": (Row(creation.multinomial),),
    "QuantizeLinear": (Row(quantization.quantize_linear),),
    "RMSNormalization": (Row(normalisations.rms_normalization),),
    "Resize": (Row(resizing.upsample, numbers=(1,)), Row(resizing.resize, numbers=(1, 2, 3), since=11)),
    "Selu": (Row(activations.selu),),
    "Shrink": (Row(activations.shrink, widths=REALS),),
    "Sigmoid": (Row(activations.sigmoid),),
    "Softplus": (Row(activations.softplus),),
    "Softsign": (Row(activations.softsign),),
    "Sum": (Row(numbers.folded(suanzi.add), widths=SUMS),),
    "SwiGLU": (Row(activations.swiglu),),
    "Swish": (Row(activations.swish),),
    "ThresholdedRelu": (Row(activations.thresholded_relu),),
    "Upsample": (Row(resizing.upsample, numbers=(1,), since=7),),
}

TABLE: Mapping[str, tuple[Row, ...]] = {
    **{name: (Row(function, widths=AS_GIVEN),) for name, function in _SAME.items()},
    **{name: (Row(limited(f, name), widths=AS_GIVEN), Row(f, since=7, widths=AS_GIVEN)) for name, f in _BINARY.items()},
    **{name: (Row(reductions.reduction(f), numbers=(1,), widths=w),) for name, (f, w) in _REDUCTIONS.items()},
    **{name: (Row(activations.flattened(f)), Row(f, since=13)) for name, f in _SOFTMAXES.items()},
    **{name: tuple(row._replace(widths=AS_GIVEN) for row in rows) for name, rows in _AS_GIVEN.items()},
    **_COMPOSED,
}
"""Rows by ONNX's name, later versions last; of the default domain."""


def row_for(name: str, version: int) -> Row | None:
    """The row that says a version of an operator; None where none does."""
    return next((row for row in reversed(TABLE.get(name, ())) if row.since <= version), None)
