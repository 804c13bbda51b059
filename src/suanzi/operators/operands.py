"""The types of operands, for annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from suanzi._core import Tensor

Scalar: TypeAlias = bool | int | float | complex
Number: TypeAlias = Scalar | np.number[Any] | np.bool_
Operand: TypeAlias = Tensor | Number  # at least one of several operands is a Tensor
AnyOperand: TypeAlias = Operand | str  # an operand of functions that also accept strings
