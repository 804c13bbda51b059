"""The types of operands, for annotations."""

from __future__ import annotations

from typing import TypeAlias

from suanzi._core import Tensor

Scalar: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Tensor | Scalar  # at least one of several operands is a Tensor
AnyOperand: TypeAlias = Operand | str  # where strings are taken too
