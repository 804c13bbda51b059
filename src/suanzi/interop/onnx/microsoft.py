"""Operators of the domain com.microsoft, which models have that onnxruntime's tools optimised: schemas and rows.

The package onnx does not know these operators. `SCHEMAS` has a schema of each, made from one entry of `_OPERATORS`, in
the form that onnx's own schemas have; nothing is registered with the package. The facts are those of onnxruntime's
documentation, docs/ContribOperators.md. A new operator is an entry of `_OPERATORS` and a row of `TABLE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from onnx import defs, helper

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.compositions import activations, contributed, contributed_attention
from suanzi.interop.onnx.precision import AS_GIVEN
from suanzi.interop.onnx.rows import Prepared, Row, Rows

DOMAIN = "com.microsoft"

_FLOATS = ("float", "double", "float16", "bfloat16")


class Strings(tuple[str, ...]):
    """The type of an attribute of several texts."""


class Floats(tuple[float, ...]):
    """The type of an attribute of several numbers."""


class _Operator(NamedTuple):
    """One operator, all of whose opsets are the same."""

    # Operands and results, a word each: ``A:T``, with ``?`` behind an optional one and ``*`` behind the last, of which
    # there may be any number. A type is a variable of `types` or an element type; ``any`` variables are written ``~T``
    # where operands of one variable may differ in type.
    inputs: str
    outputs: str
    types: Mapping[str, tuple[str, ...]]
    # The attributes: the default, or the type of one without (int, float, str, tuple for ints, Strings, Floats), which
    # is optional, and required where its name is in `required`.
    attributes: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()


_CODES = ("int8", "uint8")
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
    "BiasSplitGelu": _Operator("X:T bias:T", "Y:T", {"T": _FLOATS}),
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
    "FastGelu": _Operator("X:T bias:T?", "Y:T", {"T": _FLOATS}),
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
    "Gelu": _Operator("X:T", "Y:T", {"T": _FLOATS}),
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
    "QAttention": _Operator(
        "input:T1 weight:T2 bias:T3 input_scale:T3 weight_scale:T3 mask_index:M? input_zero_point:T1? "
        "weight_zero_point:T2? past:T3?",
        "output:T3 present:T3?",
        {"T1": _CODES, "T2": _CODES, "T3": _FLOATS, "M": _LENGTHS},
        {**_ATTENTION, "do_rotary": 0, "past_present_share_buffer": 0},
        ("num_heads",),
    ),
    "QLinearAdd": _Operator(_TWO_CODES, "C:T", {"T": _CODES}),
    "QLinearConcat": _Operator(
        "Y_scale:float Y_zero_point:T inputs:~V*",
        "Y:T",
        {"T": _CODES, "V": (*_CODES, "float")},
        {"axis": int},
        ("axis",),
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
    "QuickGelu": _Operator("X:T", "Y:T", {"T": _FLOATS}, {"alpha": 1.702}),
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
    "TransposeMatMul": _Operator("A:T B:T", "Y:T", {"T": _FLOATS}, {"alpha": 1.0, "transA": 0, "transB": 0}),
}


def fused_matmul(
    a: Tensor, b: Tensor, *, alpha: float, transpose_a: int, transpose_b: int, batches_a: int = 0, batches_b: int = 0
) -> Tensor:
    """The product of matrices that are transposed before, times a number."""
    product = suanzi.matmul(_transposed(a, transpose_a, batches_a), _transposed(b, transpose_b, batches_b))
    return product if alpha == 1 else product * alpha


def _transposed(x: Tensor, matrices: int, batches: int) -> Tensor:
    """The operand with its first dimension moved behind the batches', and its last two exchanged, where asked for."""
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
    "BiasSplitGelu": (Row(contributed.bias_split_gelu, family="composed"),),
    "DynamicQuantizeLSTM": (
        Row(
            Prepared((1, 2, 8, 9, 10, 11), contributed.coded_weights, contributed.dynamic_quantize_lstm),
            widths=AS_GIVEN,
            family="transform",
        ),
    ),
    "DynamicQuantizeMatMul": (Row(contributed.dynamic_quantize_matmul, family="product"),),
    "EmbedLayerNormalization": (Row(contributed.embed_layer_normalization, family="composed"),),
    "FastGelu": (Row(contributed.fast_gelu, family="blockwise"),),
    "FusedGemm": (Row(contributed.fused_gemm, _TRANSPOSED, family="product"),),
    "FusedMatMul": (Row(fused_matmul, _TRANSPOSED, family="product"),),
    "Gelu": (Row(gelu, family="blockwise"),),
    "GroupNorm": (Row(contributed.group_norm, family="composed"),),
    "GroupQueryAttention": (Row(contributed_attention.group_query_attention, outputs=True, family="transform"),),
    "Inverse": (Row(suanzi.inv, family="matrix"),),
    "MatMulIntegerToFloat": (Row(contributed.matmul_integer_to_float, family="product"),),
    "MatMulNBits": (
        Row(
            Prepared((1, 2, 3, 4), contributed.packed_weights, contributed.matmul_of_few_bits),
            widths=AS_GIVEN,
            family="product",
        ),
    ),
    "MultiHeadAttention": (Row(contributed_attention.multi_head_attention, outputs=True, family="transform"),),
    "QAttention": (Row(contributed_attention.quantized_attention, outputs=True, family="transform"),),
    "QLinearAdd": (Row(contributed.qlinear_add, family="composed"),),
    "QLinearConcat": (Row(contributed.qlinear_concat, family="composed"),),
    "QLinearGlobalAveragePool": (Row(contributed.qlinear_global_average_pool, family="composed"),),
    "QLinearLeakyRelu": (Row(contributed.qlinear_leaky_relu, family="composed"),),
    "QLinearMul": (Row(contributed.qlinear_mul, family="composed"),),
    "QLinearReduceMean": (Row(contributed.qlinear_reduce_mean, family="composed"),),
    "QLinearSigmoid": (Row(contributed.qlinear_sigmoid, family="composed"),),
    "QLinearSoftmax": (Row(contributed.qlinear_softmax, family="composed"),),
    "QLinearWhere": (Row(contributed.qlinear_where, family="composed"),),
    "QuickGelu": (Row(activations.swish, family="blockwise"),),
    "RotaryEmbedding": (Row(contributed_attention.rotated, family="composed"),),
    "SimplifiedLayerNormalization": (Row(contributed.simplified_layer_normalization, family="blockwise"),),
    "SkipLayerNormalization": (Row(contributed.skip_layer_normalization, outputs=True, family="blockwise"),),
    "SkipSimplifiedLayerNormalization": (Row(contributed.skip_simplified_layer_normalization, family="blockwise"),),
    "TransposeMatMul": (Row(fused_matmul, _TRANSPOSED, family="product"),),
}
"""Rows by the operators' names."""


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
