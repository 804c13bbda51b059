"""The table of sparse tensors, and the checks of its rows' operands."""

from __future__ import annotations

from typing import Any, NoReturn, TypeAlias

import numpy as np

from suanzi._core import Tensor
from suanzi.kinds.table import Check, Table
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.status import DimensionsMismatchError, TypeMismatchError

Result: TypeAlias = SparseTensor | Tensor
TENSORS = (SparseTensor, Tensor)
NUMBERS = (bool, int, float, complex, np.generic)
OPERANDS = (*TENSORS, *NUMBERS)
of = SparseTensor._of


def _admits(name: str, several: bool) -> Check | None:
    return None if several else lambda arguments: isinstance(arguments[0], SparseTensor)


def refuse_out(name: str) -> NoReturn:
    """Raise an error about `out`, because every sparse result is a new tensor."""
    raise TypeMismatchError(f"{name}: sparse operands do not support out")


TABLE = Table(_admits, refuse_out)


def require_sparse(name: str, x: Any) -> SparseTensor:
    """Return the operand `x`, or raise TYPE_MISMATCH if `x` is not sparse."""
    if not isinstance(x, SparseTensor):
        raise TypeMismatchError(f"{name}: {x.__class__.__name__} is not a sparse tensor")
    return x


def check_shapes(name: str, x1: SparseTensor, x2: SparseTensor) -> None:
    """Raise DIMENSIONS_MISMATCH if two sparse tensors differ in shape."""
    if x1.shape != x2.shape or x1.pattern.shape != x2.pattern.shape:
        raise DimensionsMismatchError(f"{name}: shapes {x1.shape} and {x2.shape} of sparse tensors must be equal")


def check_plain(name: str, x: SparseTensor) -> None:
    """Raise TYPE_MISMATCH if the elements of a sparse tensor are blocks of numbers."""
    if x.values.ndim != 1:
        raise TypeMismatchError(f"{name}: elements are blocks of shape {x.values.shape[1:]}, not numbers")
