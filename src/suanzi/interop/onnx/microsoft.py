"""Schemas and rows for operators of the domain com.microsoft. The operators occur in models that onnxruntime's tools
optimised.

The package onnx does not contain schemas of these operators. `SCHEMAS` has a schema for each operator, made from one
entry of `_OPERATORS`, in the form of onnx's own schemas. The module does not register the schemas with the package
onnx. The source of the schemas is onnxruntime's documentation, docs/ContribOperators.md. A new operator needs an entry
in `_OPERATORS` and a row in `TABLE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from onnx import defs, helper

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.compositions import (
    activations,
    contributed,
    contributed_attention,
    contributed_others,
    normalisations,
    sampling,
    shapes,
    texts,
)
from suanzi.interop.onnx.compositions.quantization import dequantize_linear, quantize_linear
from suanzi.interop.onnx.precision import AS_GIVEN
from suanzi.interop.onnx.rows import Prepared, Row, Rows

DOMAIN = "com.microsoft"

# Operators that onnxruntime also defines in ONNX's own domain, although ONNX defines these operators in later opsets
# or not at all.
ALSO_DEFAULT = ("LayerNormalization", "SimplifiedLayerNormalization")

_FLOATS = ("float", "double", "float16", "bfloat16")


class Strings(tuple[str, ...]):
    """The type of an attribute of several texts."""


class Floats(tuple[float, ...]):
    """The type of an attribute of several numbers."""


class _Operator(NamedTuple):
    """The operands, results, types and attributes of an operator. All opsets share the entry."""

    # The names and types of operands and results, such as ``A:T B:T``. ``?`` marks an optional operand, and ``*`` marks
    # a last operand that occurs one or more times. A type is a variable of `types` or an element type. A variable is
    # written ``~T`` if the operands of this variable may differ in type.
    inputs: str
    outputs: str
    types: Mapping[str, tuple[str, ...]]
    # The default of each attribute, or the type of an attribute without a default (int, float, str, tuple for ints,
    # Strings, Floats). An attribute is optional unless `required` names the attribute.
    attributes: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()


_CODES = ("int8", "uint8")
_ALL_CODES = (*_CODES, "int16", "uint16", "int4", "uint4")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_ALL = (*_FLOATS, *_INTEGERS, "bool", "string", "complex64", "complex128")
_WINDOWS = {"auto_pad": "NOTSET", "pads": tuple, "strides": tuple}
_KERNELS = {**_WINDOWS, "dilations": tuple, "group": 1, "kernel_shape": tuple}
_LENGTHS = ("int32",)
_EPSILON = 1e-12
_ATTENTION = {"num_heads": int, "unidirectional": 0, "mask_filter_value": -10000.0, "scale": 0.0}
_ONE_CODE = "X:T X_scale:float X_zero_point:T? Y_scale:float Y_zero_point:T?"
_TWO_CODES = "A:T A_scale:float A_zero_point:T? B:T B_scale:float B_zero_point:T? C_scale:float C_zero_point:T?"

_OPERATORS: dict[str, _Operator] = {
    "Attention": _Operator(
        "input:T weights:T bias:T? mask_index:M? past:T? attention_bias:T? past_sequence_length:M?",
        "output:T present:T?",
        {"T": _FLOATS, "M": _LENGTHS},
        {
            **_ATTENTION,
            "qkv_hidden_sizes": tuple,
            "do_rotary": 0,
            "rotary_embedding_dim": 0,
            "past_present_share_buffer": 0,
        },
        ("num_heads",),
    ),
    "BiasAdd": _Operator("X:T bias:T skip:T", "Y:T", {"T": _FLOATS}),
    "BiasGelu": _Operator("A:T B:T", "C:T", {"T": _FLOATS}),
    "BiasSoftmax": _Operator(
        "data:T bias:T",
        "output:T",
        {"T": _FLOATS},
        {"axis": 1, "is_inner_broadcast": int},
        ("is_inner_broadcast",),
    ),
    "BiasSplitGelu": _Operator("X:T bias:T", "Y:T", {"T": _FLOATS}),
    "CDist": _Operator("A:T B:T", "C:T", {"T": ("float", "double")}, {"metric": "sqeuclidean"}),
    "DequantizeLinear": _Operator(
        "x:T1 x_scale:T2 x_zero_point:T1?",
        "y:T2",
        {"T1": (*_ALL_CODES, "int32"), "T2": ("float16", "float")},
        {"axis": int, "block_size": 0},
    ),
    "DynamicQuantizeLSTM": _Operator(
        "X:T W:T2 R:~T2 B:T? sequence_lens:M? initial_h:T? initial_c:T? P:T? W_scale:T W_zero_point:~T2 R_scale:T "
        "R_zero_point:~T2",
        "Y:T? Y_h:T? Y_c:T?",
        {"T": ("float",), "T2": _CODES, "M": _LENGTHS},
        {
            "direction": "forward",
            "input_forget": 0,
            "hidden_size": int,
            "activations": Strings,
            "activation_alpha": Floats,
            "activation_beta": Floats,
            "clip": float,
        },
    ),
    "DynamicQuantizeMatMul": _Operator(
        "A:T1 B:T2 b_scale:T1 b_zero_point:T2? bias:T1?", "Y:T1", {"T1": ("float",), "T2": _CODES}
    ),
    "EmbedLayerNormalization": _Operator(
        "input_ids:M segment_ids:M? word_embedding:T position_embedding:T segment_embedding:T? gamma:T beta:T mask:M? "
        "position_ids:M?",
        "output:T mask_index:M? embedding_sum:T?",
        {"T": _FLOATS, "M": _LENGTHS},
        {"epsilon": _EPSILON, "mask_index_type": int},
    ),
    "ExpandDims": _Operator("X:T axis:int32", "Y:T", {"T": _ALL}),
    "FastGelu": _Operator("X:T bias:T?", "Y:T", {"T": _FLOATS}),
    "FusedConv": _Operator(
        "X:T W:T B:T? Z:T?",
        "Y:T",
        {"T": _FLOATS},
        {**_KERNELS, "activation": str, "activation_params": Floats},
    ),
    "FusedGemm": _Operator(
        "A:T B:T C:T?",
        "Y:T",
        {"T": _FLOATS},
        {
            "alpha": 1.0,
            "beta": 1.0,
            "transA": 0,
            "transB": 0,
            "activation": str,
            "activation_alpha": float,
            "activation_beta": float,
            "activation_gamma": float,
        },
    ),
    "FusedMatMul": _Operator(
        "A:T B:T",
        "Y:T",
        {"T": _FLOATS},
        {"alpha": 1.0, "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0},
    ),
    "GatherBlockQuantized": _Operator(
        "data:T1 indices:I scales:T2 zero_points:T1?",
        "output:T2",
        {"T1": ("int4", "uint4", "uint8"), "T2": _FLOATS, "I": ("int32", "int64")},
        {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1},
    ),
    "GatherND": _Operator("data:T indices:I", "output:T", {"T": _ALL, "I": ("int32", "int64")}),
    "Gelu": _Operator("X:T", "Y:T", {"T": _FLOATS}),
    "GridSample": _Operator(
        "X:T Grid:T", "Y:T", {"T": _FLOATS}, {"align_corners": 0, "mode": "bilinear", "padding_mode": "zeros"}
    ),
    "GroupNorm": _Operator(
        "X:T gamma:M beta:M",
        "Y:T",
        {"T": _FLOATS, "M": _FLOATS},
        {"activation": int, "channels_last": 1, "epsilon": 1e-5, "groups": int},
        ("activation", "groups"),
    ),
    "GroupQueryAttention": _Operator(
        "query:T key:T? value:T? past_key:T? past_value:T? seqlens_k:M total_sequence_length:M cos_cache:T? "
        "sin_cache:T? position_ids:int64? attention_bias:T? head_sink:T?",
        "output:T present_key:T? present_value:T? output_qk:T?",
        {"T": _FLOATS, "M": _LENGTHS},
        {
            "num_heads": int,
            "kv_num_heads": int,
            "causal": 1,
            "do_rotary": 0,
            "rotary_interleaved": 0,
            "scale": 0.0,
            "softcap": 0.0,
            "local_window_size": -1,
            "smooth_softmax": -1,
            "qk_output": 0,
        },
        ("num_heads", "kv_num_heads"),
    ),
    "Inverse": _Operator("X:T", "Y:T", {"T": _FLOATS}),
    "LayerNormalization": _Operator(
        "X:T Scale:~V B:~V?",
        "Y:V Mean:U? InvStdDev:U?",
        {"T": _FLOATS, "V": _FLOATS, "U": ("float",)},
        {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
    ),
    "MatMulIntegerToFloat": _Operator(
        "A:T1 B:T2 a_scale:T3 b_scale:T3 a_zero_point:T1? b_zero_point:T2? bias:T3?",
        "Y:T3",
        {"T1": _CODES, "T2": _CODES, "T3": _FLOATS},
    ),
    "MatMulNBits": _Operator(
        "A:T1 B:uint8 scales:T1 zero_points:T3? g_idx:int32? bias:T1?",
        "Y:T1",
        {"T1": _FLOATS, "T3": ("uint8", *_FLOATS)},
        {"K": int, "N": int, "bits": 4, "block_size": int, "accuracy_level": 0, "weight_prepacked": 0},
        ("K", "N", "block_size"),
    ),
    "MultiHeadAttention": _Operator(
        "query:T key:T? value:T? bias:T? key_padding_mask:M? attention_bias:T? past_key:T? past_value:T? "
        "past_sequence_length:M? cache_indirection:M?",
        "output:T present_key:T? present_value:T?",
        {"T": _FLOATS, "M": _LENGTHS},
        _ATTENTION,
        ("num_heads",),
    ),
    "MurmurHash3": _Operator(
        "X:T1",
        "Y:T2",
        {
            "T1": ("uint32", "int32", "uint64", "int64", "float", "double", "string"),
            "T2": ("uint32", "int32"),
        },
        {"positive": 1, "seed": 0},
    ),
    "NhwcMaxPool": _Operator(
        "x:T",
        "y:T",
        {"T": _CODES},
        {**_WINDOWS, "ceil_mode": 0, "dilations": tuple, "kernel_shape": tuple},
        ("kernel_shape",),
    ),
    "Pad": _Operator("data:T pads:int64 value:T?", "output:T", {"T": _FLOATS}, {"mode": "constant"}),
    "QAttention": _Operator(
        "input:T1 weight:T2 bias:T3 input_scale:T3 weight_scale:T3 mask_index:M? input_zero_point:T1? "
        "weight_zero_point:T2? past:T3?",
        "output:T3 present:T3?",
        {"T1": _CODES, "T2": _CODES, "T3": _FLOATS, "M": _LENGTHS},
        {**_ATTENTION, "do_rotary": 0, "past_present_share_buffer": 0},
        ("num_heads",),
    ),
    "QEmbedLayerNormalization": _Operator(
        "input_ids:M segment_ids:M? word_embedding_quant:T2 position_embedding_quant:T2 segment_embedding:T2? "
        "gamma_quant:T2 beta_quant:T2 mask:M? word_embedding_scale:T position_embedding_scale:T "
        "segment_embedding_scale:T? gamma_scale:T beta_scale:T word_embedding_zero_point:T2 "
        "position_embedding_zero_point:T2 segment_embedding_zero_point:T2? gamma_zero_point:T2 beta_zero_point:T2",
        "layernorm_out:T mask_index_out:M",
        {"T": ("float",), "T2": _CODES, "M": _LENGTHS},
        {"epsilon": _EPSILON},
    ),
    "QGemm": _Operator(
        "A:TA a_scale:T a_zero_point:TA B:TB b_scale:T b_zero_point:TB C:int32? y_scale:T? y_zero_point:TZ?",
        "Y:TY",
        {"T": ("float",), "TA": _CODES, "TB": _CODES, "TZ": _CODES, "TY": ("float", *_CODES)},
        {"alpha": 1.0, "transA": 0, "transB": 0},
    ),
    "QLinearAdd": _Operator(_TWO_CODES, "C:T", {"T": _CODES}),
    "QLinearAveragePool": _Operator(
        _ONE_CODE,
        "Y:T",
        {"T": _CODES},
        {**_WINDOWS, "ceil_mode": 0, "channels_last": 0, "count_include_pad": 0, "kernel_shape": tuple},
        ("kernel_shape",),
    ),
    "QLinearConcat": _Operator(
        "Y_scale:float Y_zero_point:T inputs:~V*",
        "Y:T",
        {"T": _CODES, "V": (*_CODES, "float")},
        {"axis": int},
        ("axis",),
    ),
    "QLinearConv": _Operator(
        "x:T1 x_scale:float x_zero_point:T1 w:T2 w_scale:float w_zero_point:T2 y_scale:float y_zero_point:T3 B:int32?",
        "y:T3",
        {"T1": _CODES, "T2": _CODES, "T3": _CODES},
        {**_KERNELS, "channels_last": 0},
    ),
    "QLinearGlobalAveragePool": _Operator(_ONE_CODE, "Y:T", {"T": _CODES}, {"channels_last": 0}),
    "QLinearLeakyRelu": _Operator(_ONE_CODE, "Y:T", {"T": _CODES}, {"alpha": 0.01}),
    "QLinearMul": _Operator(_TWO_CODES, "C:T", {"T": _CODES}),
    "QLinearReduceMean": _Operator(
        _ONE_CODE, "Y:T", {"T": _CODES}, {"axes": tuple, "keepdims": int}, ("axes", "keepdims")
    ),
    "QLinearSigmoid": _Operator(_ONE_CODE, "Y:T", {"T": _CODES}),
    "QLinearSoftmax": _Operator(_ONE_CODE, "Y:T", {"T": _CODES}, {"axis": -1, "opset": int}, ("opset",)),
    "QLinearWhere": _Operator(
        "condition:bool X:T x_scale:float x_zero_point:T Y:T y_scale:float y_zero_point:T z_scale:float z_zero_point:T",
        "Z:T",
        {"T": _CODES},
    ),
    "QuantizeLinear": _Operator(
        "x:T1 y_scale:T1 y_zero_point:T2?",
        "y:T2",
        {"T1": ("float16", "float"), "T2": _ALL_CODES},
        {"axis": int, "block_size": 0},
    ),
    "QuickGelu": _Operator("X:T", "Y:T", {"T": _FLOATS}, {"alpha": 1.702}),
    "Range": _Operator("start:T limit:T delta:T?", "Y:T", {"T": ("float", "double", "int16", "int32", "int64")}),
    "RotaryEmbedding": _Operator(
        "input:T position_ids:int64 cos_cache:T sin_cache:T",
        "output:T",
        {"T": _FLOATS},
        {"interleaved": 0, "num_heads": 0, "rotary_embedding_dim": 0, "scale": 1.0, "is_packed_batching": 0},
    ),
    "SimplifiedLayerNormalization": _Operator(
        "X:T scale:~V",
        "Y:V inv_std_var:float?",
        {"T": _FLOATS, "V": _FLOATS},
        {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
    ),
    "SkipLayerNormalization": _Operator(
        "input:T skip:T gamma:T beta:T? bias:T?",
        "output:T mean:float? inv_std_var:float? input_skip_bias_sum:T?",
        {"T": _FLOATS},
        {"epsilon": _EPSILON},
    ),
    "SkipSimplifiedLayerNormalization": _Operator(
        "input:T skip:T gamma:T bias:T?",
        "output:T mean:float? inv_std_var:float? input_skip_bias_sum:T?",
        {"T": _FLOATS},
        {"epsilon": _EPSILON},
    ),
    "Tokenizer": _Operator(
        "X:T",
        "Y:T",
        {"T": ("string",)},
        {"mark": int, "mincharnum": int, "pad_value": str, "separators": Strings, "tokenexp": str},
        ("mark", "mincharnum", "pad_value"),
    ),
    "TransposeMatMul": _Operator("A:T B:T", "Y:T", {"T": _FLOATS}, {"alpha": 1.0, "transA": 0, "transB": 0}),
    "Trilu": _Operator("X:T k:int64?", "Y:T", {"T": (*_FLOATS, *_INTEGERS, "bool")}, {"upper": 1}),
    "Unique": _Operator("x:T", "y:T idx:int64 counts:int64", {"T": _ALL}),
}


def fused_matmul(
    a: Tensor, b: Tensor, *, alpha: float, transpose_a: int, transpose_b: int, batches_a: int = 0, batches_b: int = 0
) -> Tensor:
    """Return `alpha` times the product of two operands. The matrices of an operand may be transposed first."""
    product = suanzi.matmul(_transposed(a, transpose_a, batches_a), _transposed(b, transpose_b, batches_b))
    return product if alpha == 1 else product * alpha


def _transposed(x: Tensor, matrices: int, batches: int) -> Tensor:
    """Return an operand with dimensions exchanged. If `batches` is set, the first dimension moves to the place before
    the last dimension. If `matrices` is set, the last two dimensions are then exchanged.
    """
    if batches and x.ndim > 2:
        x = suanzi.transpose(x, (*range(1, x.ndim - 1), 0, x.ndim - 1))
    return suanzi.matrix_transpose(x) if matrices and x.ndim > 1 else x


def gelu(x: Tensor) -> Tensor:
    return activations.gelu(x, approximate="none")


_TRANSPOSED = {
    "transA": "transpose_a",
    "transB": "transpose_b",
    "transBatchA": "batches_a",
    "transBatchB": "batches_b",
}

TABLE: Rows = {
    "Attention": (Row(contributed_attention.attention, outputs=True, family="transform"),),
    "BiasAdd": (Row(contributed.bias_add, family="blockwise"),),
    "BiasGelu": (Row(contributed.bias_gelu, family="blockwise"),),
    "BiasSoftmax": (Row(contributed_others.bias_softmax, family="blockwise"),),
    "BiasSplitGelu": (Row(contributed.bias_split_gelu, family="composed"),),
    "CDist": (Row(contributed_others.cdist, family="product"),),
    "DequantizeLinear": (Row(dequantize_linear, widths=AS_GIVEN, kinds=True, family="conversion"),),
    "DynamicQuantizeLSTM": (
        Row(
            contributed.dynamic_quantize_lstm,
            widths=AS_GIVEN,
            family="transform",
        ),
    ),
    "DynamicQuantizeMatMul": (Row(contributed.dynamic_quantize_matmul, family="product"),),
    "EmbedLayerNormalization": (Row(contributed.embed_layer_normalization, family="composed"),),
    "ExpandDims": (Row(contributed_others.expand_dims, numbers=(1,), widths=AS_GIVEN, family="view"),),
    "FastGelu": (Row(contributed.fast_gelu, family="blockwise"),),
    "FusedConv": (Row(contributed_others.fused_conv, is_maker=True, family="product"),),
    "FusedGemm": (Row(contributed.fused_gemm, _TRANSPOSED, family="product"),),
    "FusedMatMul": (Row(fused_matmul, _TRANSPOSED, family="product"),),
    "GatherBlockQuantized": (Row(contributed_others.gather_block_quantized, kinds=True, family="values"),),
    "GatherND": (Row(suanzi.gather_nd, widths=AS_GIVEN),),
    "Gelu": (Row(gelu, family="blockwise"),),
    "GridSample": (Row(sampling.grid_sample, widths=AS_GIVEN, family="transform"),),
    "GroupNorm": (Row(contributed.group_norm, family="composed"),),
    # The length of the present keys depends on the values of seqlens_k.
    "GroupQueryAttention": (Row(contributed_attention.group_query_attention, outputs=True, family="values"),),
    "Inverse": (Row(suanzi.inv, family="matrix"),),
    "LayerNormalization": (Row(normalisations.layer_normalization, outputs=True, family="blockwise"),),
    "MatMulIntegerToFloat": (Row(contributed.matmul_integer_to_float, family="product"),),
    "MatMulNBits": (
        Row(
            Prepared((1, 2, 3, 4), contributed.packed_weights, contributed.matmul_of_few_bits),
            widths=AS_GIVEN,
            family="product",
        ),
    ),
    "MultiHeadAttention": (Row(contributed_attention.multi_head_attention, outputs=True, family="transform"),),
    "MurmurHash3": (
        Row(contributed_others.murmur_hash, widths=AS_GIVEN, types=contributed_others.hash_type, family="values"),
    ),
    "NhwcMaxPool": (Row(contributed_others.nhwc_max_pool, family="transform"),),
    "Pad": (Row(contributed_others.pad, numbers=(1,), widths=AS_GIVEN, family="movement"),),
    "QAttention": (Row(contributed_attention.quantized_attention, outputs=True, family="transform"),),
    "QEmbedLayerNormalization": (Row(contributed_others.q_embed_layer_normalization, family="composed"),),
    "QGemm": (Row(contributed_others.qgemm, _TRANSPOSED, types=contributed_others.qgemm_type, family="product"),),
    "QLinearAdd": (Row(contributed.qlinear_add, family="composed"),),
    "QLinearAveragePool": (Row(contributed_others.qlinear_average_pool, family="transform"),),
    "QLinearConcat": (Row(contributed.qlinear_concat, family="composed"),),
    "QLinearConv": (Row(contributed_others.qlinear_conv, is_maker=True, family="product"),),
    "QLinearGlobalAveragePool": (Row(contributed.qlinear_global_average_pool, family="composed"),),
    "QLinearLeakyRelu": (Row(contributed.qlinear_leaky_relu, family="composed"),),
    "QLinearMul": (Row(contributed.qlinear_mul, family="composed"),),
    "QLinearReduceMean": (Row(contributed.qlinear_reduce_mean, family="composed"),),
    "QLinearSigmoid": (Row(contributed.qlinear_sigmoid, family="composed"),),
    "QLinearSoftmax": (Row(contributed.qlinear_softmax, family="composed"),),
    "QLinearWhere": (Row(contributed.qlinear_where, family="composed"),),
    "QuantizeLinear": (
        Row(
            quantize_linear,
            widths=AS_GIVEN,
            kinds=True,
            types=contributed_others.quantized_type,
            family="conversion",
        ),
    ),
    "QuickGelu": (Row(activations.swish, family="blockwise"),),
    "Range": (Row(contributed_others.sequence, widths=AS_GIVEN, family="values"),),
    "RotaryEmbedding": (Row(contributed_attention.rotated, family="composed"),),
    "SimplifiedLayerNormalization": (Row(contributed.simplified_layer_normalization, family="blockwise"),),
    "SkipLayerNormalization": (Row(contributed.skip_layer_normalization, outputs=True, family="blockwise"),),
    "SkipSimplifiedLayerNormalization": (Row(contributed.skip_simplified_layer_normalization, family="blockwise"),),
    "Tokenizer": (Row(texts.tokenizer, is_maker=True, family="values"),),
    "TransposeMatMul": (Row(fused_matmul, _TRANSPOSED, family="product"),),
    "Trilu": (Row(shapes.trilu, numbers=(1,), widths=AS_GIVEN, family="movement"),),
    "Unique": (Row(contributed_others.unique, widths=AS_GIVEN, family="values"),),
}
"""The rows of the operators by the operators' names."""


def _schema(name: str, operator: _Operator) -> defs.OpSchema:
    attributes = [_attribute(key, value, key in operator.required) for key, value in operator.attributes.items()]
    constraints = [(variable, [f"tensor({t})" for t in texts], "") for variable, texts in operator.types.items()]
    inputs, outputs = (
        [_formal(word, operator.types) for word in words.split()] for words in (operator.inputs, operator.outputs)
    )
    return defs.OpSchema(
        name, DOMAIN, 1, inputs=inputs, outputs=outputs, type_constraints=constraints, attributes=attributes
    )


def _formal(word: str, types: Mapping[str, Any]) -> defs.OpSchema.FormalParameter:
    options = defs.OpSchema.FormalParameterOption
    name, _, text = word.partition(":")
    option = {"?": options.Optional, "*": options.Variadic}.get(text[-1:], options.Single)
    text = text.rstrip("?*")
    variable = text.lstrip("~")
    return defs.OpSchema.FormalParameter(
        name,
        variable if variable in types else f"tensor({variable})",
        param_option=option,
        is_homogeneous=not text.startswith("~"),
        min_arity=0 if option is options.Optional else 1,
    )


_KINDS = {int: "INT", float: "FLOAT", str: "STRING", tuple: "INTS", Strings: "STRINGS", Floats: "FLOATS"}


def _attribute(name: str, value: Any, is_required: bool) -> defs.OpSchema.Attribute:
    if isinstance(value, type):
        kind = getattr(defs.OpSchema.AttrType, _KINDS[value])
        return defs.OpSchema.Attribute(name, kind, required=is_required)
    return defs.OpSchema.Attribute(name, helper.make_attribute(name, value))


SCHEMAS: Mapping[str, defs.OpSchema] = {name: _schema(name, operator) for name, operator in _OPERATORS.items()}
"""The schema of each operator by its name."""
