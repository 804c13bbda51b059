"""Operators in Triton's language: an expression of operands in registers for each operator.

float16 and bfloat16 are held in registers as float32 and rounded after each operator, as on the CPU. If an operator has
no expression for its types, PyTorch computes the operator between kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, isnan
from typing import Any

import torch

from suanzi.devices.types import TORCH, limits, stored
from suanzi.tensor import dtypes
from suanzi.tensor.dtypes import DType, bool_, float32, float64

HALVES = (dtypes.float16, dtypes.bfloat16)
# Types that kernels compute: all except complex numbers, strings, and uint64, which cannot be converted to floating
# numbers.
TYPES = frozenset((
    bool_, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    *HALVES, float32, float64,
))  # fmt: skip


def in_registers(dtype: DType) -> str:
    """Return Triton's name of the type in which registers hold elements of a type."""
    return "tl.int1" if dtype is bool_ else "tl.float32" if dtype in HALVES else f"tl.{dtype.name}"


def in_memory(kind: str) -> str:
    """Return Triton's name for a pointer to elements of a type."""
    if kind == "bfloat16":
        return "*bf16"
    name = "i1" if kind == "bool" else kind.replace("float", "fp").replace("uint", "u").replace("int", "i")
    return f"*{name}"


def is_floating(dtype: DType) -> bool:
    return dtype.kind == "f" or dtype in HALVES


def constant(value: Any, dtype: DType) -> str | None:
    """Return the expression of a Python number as an element of a type, or None if the type cannot represent the
    number.
    """
    if isinstance(value, complex):
        return None
    if is_floating(dtype):
        try:
            there = float(stored(torch.tensor(float(value), dtype=torch.float64), TORCH[dtype]))
        except OverflowError:
            return None
        text = repr(there) if isfinite(there) else 'float("nan")' if isnan(there) else f'float("{there}")'
        return f"tl.full([1], {text}, {in_registers(dtype)})"
    if isinstance(value, float):
        return None
    if dtype is bool_:
        return f"(tl.full([1], {int(value != 0)}, tl.int32) != 0)" if value in (0, 1) else None
    least, most = limits(TORCH[dtype])
    return f"tl.full([1], {int(value)}, {in_registers(dtype)})" if least <= value <= most else None


def rounded(text: str, dtype: DType) -> str:
    """Return the expression `text` rounded to the element type `dtype`. The value in registers keeps its type."""
    return f"({text}).to(tl.{dtype.name}).to(tl.float32)" if dtype in HALVES else text


# --- conversions ---


def converted(text: str, source: DType, target: DType) -> str | None:
    """Return the expression of an element converted as by `suanzi.astype`, or None if the conversion needs several
    steps.
    """
    if source is target:
        return text
    if target is bool_:
        return f"({text} != 0)"
    to = in_registers(target)
    if is_floating(source):
        if not is_floating(target):
            return _to_integer(text, target)
        if target in HALVES:  # float64 would be rounded twice
            return None if source is float64 else rounded(text, target)
        return f"{text}.to({to})"
    if target in HALVES:
        return rounded(f"{text}.to(tl.float32)", target) if source.itemsize <= 2 else None
    if source is bool_:
        return f"{text}.to(tl.int32).to({to})"
    return f"{text}.to({to})"


def _to_integer(text: str, target: DType) -> str:
    least, most = limits(TORCH[target])
    return f"saturated({text}, {least}, {most}).to({in_registers(target)})"


# --- operators ---

Writer = Callable[..., str | None]


def _plain(template: str) -> Writer:
    """Return a function that writes an operator by the same template for all types of operands."""
    return lambda dtype, *operands: template.format(*operands)


def _by_type(floating: str | None = None, integer: str | None = None, truth: str | None = None) -> Writer:
    def write(dtype: DType, *operands: str) -> str | None:
        template = floating if is_floating(dtype) else truth if dtype is bool_ else integer
        return None if template is None else template.format(*operands)

    return write


def _single(single: str, double: str) -> Writer:
    """Return a function that writes an operator by the template `double` for float64 operands, and by `single` for
    operands of narrower floating types. The function returns None for other types.
    """

    def write(dtype: DType, *operands: str) -> str | None:
        if not is_floating(dtype):
            return None
        return (double if dtype is float64 else single).format(*operands)

    return write


def _clip(dtype: DType, x: str, least: str | None, most: str | None) -> str | None:
    lower, upper = WRITERS["maximum"], WRITERS["minimum"]
    if least is not None:
        x = f"({lower(dtype, x, least)})"
    return x if most is None else upper(dtype, x, most)


WRITERS: dict[str, Writer] = {
    "add": _by_type("{0} + {1}", "{0} + {1}", "{0} | {1}"),
    "subtract": _by_type("{0} - {1}", "{0} - {1}"),
    "multiply": _by_type("{0} * {1}", "{0} * {1}", "{0} & {1}"),
    "true_divide": _single("tl.div_rn({0}, {1})", "{0} / {1}"),
    "reciprocal": _single("tl.div_rn(tl.full([1], 1.0, tl.float32), {0})", "1.0 / {0}"),
    "maximum": _by_type("greater({0}, {1})", "tl.where({0} > {1}, {0}, {1})", "{0} | {1}"),
    "minimum": _by_type("lesser({0}, {1})", "tl.where({0} < {1}, {0}, {1})", "{0} & {1}"),
    "clip": _clip,
    "positive": _plain("{0}"),
    "conj": _plain("{0}"),
    "sign": _by_type("sign({0})", "({0} > 0).to(tl.int32) - ({0} < 0).to(tl.int32)", "{0}"),
    "copysign": _by_type("with_sign({0}, {1})"),
    "negative": _by_type("{0} * -1.0", "0 - {0}"),
    "abs": _by_type("tl.abs({0})", "tl.abs({0})", "{0}"),
    "square": _by_type("{0} * {0}", "{0} * {0}", "{0}"),
    "sqrt": _single("tl.sqrt_rn({0})", "tl.sqrt({0})"),
    "rsqrt": _single("(1.0 / tl.sqrt({0}.to(tl.float64))).to(tl.float32)", "1.0 / tl.sqrt({0})"),
    "floor": _by_type("tl.floor({0})", "{0}", "{0}"),
    "ceil": _by_type("tl.ceil({0})", "{0}", "{0}"),
    "trunc": _by_type("tl.where({0} < 0, tl.ceil({0}), tl.floor({0}))", "{0}", "{0}"),
    "rint": _single("whole({0}, 8388608.0)", "whole({0}, 4503599627370496.0)"),
    "signbit": _by_type("signed({0})", "{0} < 0", "{0} != {0}"),
    "isnan": _plain("{0} != {0}"),
    "isinf": _by_type("tl.abs({0}) == float('inf')", "{0} != {0}", "{0} != {0}"),
    "isfinite": _by_type("tl.abs({0}) < float('inf')", "{0} == {0}", "{0} == {0}"),
    "equal": _plain("{0} == {1}"),
    "not_equal": _plain("{0} != {1}"),
    "less": _plain("{0} < {1}"),
    "less_equal": _plain("{0} <= {1}"),
    "greater": _plain("{0} > {1}"),
    "greater_equal": _plain("{0} >= {1}"),
    "logical_and": _plain("({0} != 0) & ({1} != 0)"),
    "logical_or": _plain("({0} != 0) | ({1} != 0)"),
    "logical_xor": _plain("({0} != 0) ^ ({1} != 0)"),
    "logical_not": _plain("{0} == 0"),
    "bitwise_and": _by_type(None, "{0} & {1}", "{0} & {1}"),
    "bitwise_or": _by_type(None, "{0} | {1}", "{0} | {1}"),
    "bitwise_xor": _by_type(None, "{0} ^ {1}", "{0} ^ {1}"),
    "bitwise_invert": _by_type(None, "~{0}", "{0} == 0"),
}

# Functions under their names in the libraries of CUDA and ROCm.
LIBRARY: dict[str, str] = {name: name for name in (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "hypot", "atan2", "pow",
)}  # fmt: skip


def written(name: str, dtype: DType, operands: Sequence[str | None], *, correct: bool) -> str | None:
    """Return the expression of an operator for operands of the same type in registers, or None for an operator without
    an expression.

    If `correct` is True, functions of float32 are computed in float64 and rounded.
    """
    if name in WRITERS:
        return WRITERS[name](dtype, *operands)
    if name not in LIBRARY or not is_floating(dtype):
        return None
    function = f"libdevice.{LIBRARY[name]}"
    if dtype is float64 or not correct:
        return f"{function}({', '.join(filter(None, operands))})"
    return f"{function}({', '.join(f'{x}.to(tl.float64)' for x in operands)}).to(tl.float32)"
