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
from suanzi.interop.onnx.compositions import activations
from suanzi.interop.onnx.rows import Row, Rows

DOMAIN = "com.microsoft"

_FLOATS = ("float", "double", "float16", "bfloat16")


class _Operator(NamedTuple):
    """One operator, all of whose opsets are the same."""

    # Operands and results, a word each: ``A:T``, with ``?`` behind an optional one and ``*`` behind the last, of which
    # there may be any number. A type is a variable of `types` or an element type; ``any`` variables are written ``~T``
    # where operands of one variable may differ in type.
    inputs: str
    outputs: str
    types: Mapping[str, tuple[str, ...]]
    # The attributes: the default, or the type of one without default (int, float, str, tuple for ints), which is
    # optional, and required where its name is in `required`.
    attributes: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()


_OPERATORS: dict[str, _Operator] = {
    "FusedMatMul": _Operator(
        "A:T B:T",
        "Y:T",
        {"T": _FLOATS},
        {"alpha": 1.0, "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0},
    ),
    "Gelu": _Operator("X:T", "Y:T", {"T": _FLOATS}),
}


def fused_matmul(
    a: Tensor, b: Tensor, *, alpha: float, transpose_a: int, transpose_b: int, batches_a: int, batches_b: int
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
    "FusedMatMul": (Row(fused_matmul, _TRANSPOSED, family="product"),),
    "Gelu": (Row(gelu, family="blockwise"),),
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


_KINDS = {int: "INT", float: "FLOAT", str: "STRING", tuple: "INTS"}


def _attribute(name: str, value: Any, is_required: bool) -> defs.OpSchema.Attribute:
    if isinstance(value, type):
        kind = getattr(defs.OpSchema.AttrType, _KINDS[value])
        return defs.OpSchema.Attribute(name, kind, required=is_required)
    return defs.OpSchema.Attribute(name, helper.make_attribute(name, value))


SCHEMAS: Mapping[str, defs.OpSchema] = {name: _schema(name, operator) for name, operator in _OPERATORS.items()}
"""The schema of each operator by its name."""
