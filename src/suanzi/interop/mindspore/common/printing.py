"""Tensors in MindSpore's text form: ``Tensor(shape=[2], dtype=Int32, value= [0, 1])``.

This module writes the text of ``repr``. NumPy writes the text of ``str`` for a dense tensor. The limits and widths
equal the numbers in MindSpore's TensorStringifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi._core import Tensor
from suanzi.interop.mindspore.common.dtype import DType
from suanzi.operators.transform.elements import astype
from suanzi.tensor.dtypes import bfloat16, float16, float32, string
from suanzi.tensor.exchange import array_of

_SMALL = 30  # `abbreviated` writes a part of a sparse tensor with at least 30 elements without the elements
_EDGE = 3  # the number of elements written at either end of an axis with more than 6 elements
_LONG_VECTOR = 1000
_PER_LINE = {"f": 12, "b": 12}  # numbers of a vector per line, by NumPy's kind
_PER_LINE_ELSE = 24
_ENDLESS = 2**31 - 1


def represented(x: Tensor) -> str:
    """Return the text that `repr` shows for a dense tensor, with commas between the elements."""
    return _labelled(x, (" " if x.ndim <= 1 else "\n") + _elements(x, ", "))


def abbreviated(x: Tensor) -> str:
    """Return the text of a part of a sparse tensor, without commas. If the part has 30 elements or more, the text has
    "[...]" in place of the elements.
    """
    return _labelled(x, ("" if x.ndim <= 1 else "\n") + _elements(x, " ") if x.size < _SMALL else "[...]")


def _labelled(x: Tensor, value: str) -> str:
    return f"Tensor(shape={list(x.shape)}, dtype={DType(x.dtype)}, value={value})"


def _elements(x: Tensor, separator: str) -> str:
    if x.size == 0:
        return ""
    array = array_of(astype(x, float32) if x.dtype is bfloat16 else x)
    write = _writer(x, array)
    if array.ndim == 0:
        value = array.item()
        return f"{value:g}" if array.dtype.kind == "f" else repr(value) if x.dtype is string else str(value)
    if array.ndim == 1 and array.size <= _LONG_VECTOR:
        width = _PER_LINE.get(array.dtype.kind, _PER_LINE_ELSE)
        last = array.size - 1
        words = (
            write(v) + (separator if i < last else "") + ("\n " if (i + 1) % width == 0 else "")
            for i, v in enumerate(array)
        )
        return f"[{''.join(words)}]"
    text = np.array2string(
        array,
        separator=separator,
        formatter={"all": write},
        threshold=2 * _EDGE,
        edgeitems=_EDGE,
        max_line_width=_ENDLESS,
    )
    return re.sub("\n+", "\n", text)  # NumPy writes empty lines between matrices


def _writer(x: Tensor, array: Any) -> Callable[[Any], str]:
    """Return a function that writes an element at a fixed width. The width of integers is the width of the longest
    integer.
    """
    if array.dtype.kind == "f":
        width, digits = (11, 4) if x.dtype is float16 else (15, 8)
        return lambda v: f"{v:{width}.{digits}e}"
    if array.dtype.kind == "b":
        return lambda v: f"{v!s:>5}"
    if array.dtype.kind in "iu":
        width = max(len(str(array.min())), len(str(array.max())))
        return lambda v: f"{v:{width}d}"
    return repr if x.dtype is string else str
