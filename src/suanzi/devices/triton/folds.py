"""Reductions in Triton's language. A kernel folds each row of a tile to one element."""

from __future__ import annotations

import torch

from suanzi.devices.triton.expressions import in_registers, is_floating, rounded
from suanzi.devices.types import OURS, TORCH, folded_type
from suanzi.tensor.dtypes import DType, bool_, float64

OF_OPERANDS = ("max", "min", "all", "any")  # reductions whose results have the operand's type
VARIANCES = ("var", "std")


def element_type(name: str, operand: DType, result: DType) -> DType:
    """Return the type to which elements are converted before a reduction folds the elements."""
    if name in OF_OPERANDS:
        return operand
    if name in ("mean", *VARIANCES) and not is_floating(operand):
        return float64
    return OURS[folded_type(TORCH[operand], TORCH[result])]


def of_variance(name: str, text: str) -> str:
    """Return the expression of the final result: the variance `text`, or the square root of the variance for "std"."""
    return text if name == "var" else f"tl.sqrt({text})"


def accumulated(name: str, dtype: DType, *, long: bool) -> str | None:
    """Return the type in which a reduction accumulates elements of a type, or None if kernels do not support the
    reduction.

    If `long` is True, float32 sums are accumulated in float64.
    """
    if name in ("max", "min"):
        if is_floating(dtype):
            return "tl.int64" if dtype is float64 else "tl.int32"
        return "tl.int32" if dtype is bool_ else in_registers(dtype)
    if name in ("all", "any"):
        return "tl.int32"
    if name not in ("sum", "mean", "norm1"):
        return None
    return "tl.float64" if long and is_floating(dtype) else in_registers(dtype)


def entered(name: str, dtype: DType, text: str) -> str:
    """Return the expression of an element that is converted for accumulation."""
    if name in ("max", "min"):
        return f"key({text})" if is_floating(dtype) else f"{text}.to({accumulated(name, dtype, long=False)})"
    if name in ("all", "any"):
        return f"({text} != 0).to(tl.int32)"
    return f"tl.abs({text})" if name == "norm1" else text


def neutral(name: str, kind: str) -> str:
    """Return the expression of the neutral element of a reduction, in the type of the accumulation."""
    if name not in ("max", "min"):
        return f"tl.full([1, 1], {1 if name == 'all' else 0}, {kind})"
    info = torch.iinfo(getattr(torch, kind.removeprefix("tl.")))
    return f"tl.full([1, 1], {info.min if name == 'max' else info.max}, {kind})"


def combined(name: str, a: str, b: str) -> str:
    """Return the expression that combines two elements or tiles."""
    if name in ("max", "any"):
        return f"tl.where({a} > {b}, {a}, {b})"
    return f"tl.where({a} < {b}, {a}, {b})" if name in ("min", "all") else f"{a} + {b}"


def folded(name: str, text: str, kind: str) -> str:
    """Return the expression that folds a tile along its second dimension, which then has size 1."""
    function = "max" if name in ("max", "any") else "min" if name in ("min", "all") else "sum"
    return f"tl.expand_dims(tl.{function}({text}, 1), 1).to({kind})"


def left(name: str, dtype: DType, result: DType, text: str, kind: str, count: str) -> str:
    """Return the expression of a reduction's result in the type `result`, made from the accumulated value and the
    number of elements.
    """
    if name in ("max", "min"):
        text = f"of_key({text})" if is_floating(dtype) else f"({text} != 0)" if dtype is bool_ else text
        return f"{text}.to({in_registers(result)})"
    if name in ("all", "any"):
        return f"({text} != 0)"
    if name == "mean":
        text = f"({text} / {count}.to({kind}))" if kind == "tl.float64" else f"tl.div_rn({text}, {count}.to({kind}))"
    return rounded(f"{text}.to({in_registers(result)})", result)
