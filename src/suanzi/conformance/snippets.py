"""Calls as text that can be pasted into Python, where `provider` is the one that was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .oracle.element_types import Array, ElementType

_LONGEST = 40  # elements that are written out


def call_text(operator: str, operands: tuple[Any, ...], options: Mapping[str, Any]) -> str:
    """The call of an operator on these operands."""
    arguments = [*map(_text, operands), *(f"{key}={_text(value)}" for key, value in options.items())]
    return f'provider.find("{operator}")({", ".join(arguments)})'


def _text(x: Any) -> str:
    if isinstance(x, ElementType):
        return f'provider.element_type("{x.name}")'
    return f"provider.from_numpy({_array_text(x)})" if isinstance(x, np.ndarray) else repr(x)


def _array_text(x: Array) -> str:
    if x.size > _LONGEST:
        return f"<{x.dtype} of shape {x.shape}>"
    kind = "str" if x.dtype.kind == "U" else x.dtype.name
    wide = x.astype(np.float32) if kind == "bfloat16" else x
    text = "".join(np.array2string(wide, separator=", ", floatmode="unique", threshold=_LONGEST + 1).split("\n"))
    strides = "" if x.flags.c_contiguous else f"  # strides {x.strides}"
    return f'numpy.array({text.replace("nan", "numpy.nan").replace("inf", "numpy.inf")}, "{kind}"){strides}'
