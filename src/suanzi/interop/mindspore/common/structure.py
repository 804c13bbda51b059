"""The parts of MindSpore's sparse tensors: checks that suanzi lacks, and copies."""

from __future__ import annotations

from typing import Any

from suanzi import _core
from suanzi.interop.mindspore.common.tensor import Tensor, tensor_of
from suanzi.operators.comparison import not_equal
from suanzi.operators.creation.data import clone
from suanzi.operators.index.search import argmax
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.dtypes import int16, int32, int64
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError

_INDEX_TYPES = (int16, int32, int64)


def require_all(parts: dict[str, Any], operator: str) -> None:
    """Raise an error if a part of a sparse tensor is missing."""
    if missing := [name for name, part in parts.items() if part is None]:
        raise InvalidArgumentError(f"{operator}: a tensor needs {' and '.join(missing)}")


def refuse_beside(source: str, parts: dict[str, Any], operator: str) -> None:
    """Raise an error if a call passes a part of a sparse tensor together with a tensor to copy."""
    if given := [name for name, part in parts.items() if part is not None]:
        raise InvalidArgumentError(f"{operator}: a {source} has its own {' and '.join(given)}")


def index_tensor(x: Any, what: str, operator: str) -> _core.Tensor:
    """Return the suanzi.Tensor in an argument that must be a Tensor of indices."""
    data = tensor_of(x, what, operator)
    if data.dtype not in _INDEX_TYPES:
        raise TypeMismatchError(f"{operator}: {what} of element type {data.dtype}, not int16, int32 or int64")
    return data


def sizes_of(shape: Any, places: int, values: _core.Tensor, operator: str) -> tuple[int, ...]:
    """Return a shape as a tuple. The sizes after the first `places` must be the feature dimensions of `values`."""
    sizes = _core.read_shape(operator, shape, 0)
    if len(sizes) < places:
        raise DimensionsMismatchError(f"{operator}: shape {sizes} has less than {places} dimensions")
    if values.ndim == 0 or values.shape[1:] != sizes[places:]:
        raise DimensionsMismatchError(
            f"{operator}: values of shape {values.shape} do not have the feature dimensions {sizes[places:]} of {sizes}"
        )
    return sizes


def check_columns(x: SparseTensor, operator: str) -> None:
    """Raise an error if a row of a sparse tensor names a column twice."""
    if x.is_coalesced or (merged := x.coalesce()).nnz == x.nnz:
        return
    row = int(argmax(not_equal(merged.indptr, x.indptr))) - 1
    raise InvalidArgumentError(f"{operator}: indices name a column of row {row} twice")


def copy_of(x: SparseTensor, values: Tensor | None, operator: str) -> SparseTensor:
    """Return a copy of a sparse tensor, with other values if `values` is given."""
    if values is None:
        return x.__copy__()
    numbers = tensor_of(values, "values", operator)
    if numbers.shape != x.values.shape:
        raise DimensionsMismatchError(
            f"{operator}: values of shape {numbers.shape} do not fit the shape {x.values.shape}"
        )
    return SparseTensor._of(x.pattern, clone(numbers))
