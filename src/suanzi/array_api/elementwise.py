"""Elementwise functions that have several operands and no operator in Python. Python's numbers have default types.

The functions of `suanzi` return float32 for a number with a fraction beside integers. `in_default_type` makes the
functions of one operand (`exp`, `sqrt` …).
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.creation import asarray
from suanzi.array_api.defaults import is_of_integers
from suanzi.operators.operands import AnyOperand, Operand

Value = TypeVar("Value")


def _typed(x: Value, other: object) -> Value | Tensor:
    """Return the number `x` as a tensor of the default type if `other` is a number or a tensor of integers that cannot
    hold the kind of `x`. Otherwise return `x`. A number of NumPy counts as the Python number of the same value.
    """
    x, other = _plain(x), _plain(other)
    is_open = isinstance(other, int | float | complex) or (is_of_integers(other) and not isinstance(x, int))
    if not is_open or not isinstance(x, int | float | complex):
        return x
    return asarray(x, device=other.device if isinstance(other, Tensor) else None)


def _plain(x: Any) -> Any:
    """Return a number of NumPy as a number of Python, and any other object unchanged."""
    return x.item() if isinstance(x, np.generic) and x.dtype.kind in "biufc" else x


def maximum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Compute as `suanzi.maximum` does, but in float64 for integers and a number with a fraction."""
    return _core.maximum(_typed(x1, x2), _typed(x2, x1), out)


def minimum(x1: Operand, x2: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Compute as `suanzi.minimum` does, but in float64 for integers and a number with a fraction."""
    return _core.minimum(_typed(x1, x2), _typed(x2, x1), out)


def where(condition: Operand, x1: AnyOperand, x2: AnyOperand, /, *, out: Tensor | None = None) -> Tensor:
    """Select as `suanzi.where` does, but with the default types for two numbers, or for integers and a number.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> x = xp.asarray([1, 2])
    >>> xp.where(x > 1, x, 0.5)
    tensor([0.5, 2. ], dtype=float64)
    """
    return _core.where(condition, _typed(x1, x2), _typed(x2, x1), out)
