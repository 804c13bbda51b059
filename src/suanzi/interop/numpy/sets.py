"""NumPy's sets in one dimension on tensors: sorted vectors without repetitions.

Elements of different types are compared in the type to which NumPy would convert the operands. The module `functions`
contains the table of NumPy's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor
from suanzi.interop.numpy.elements import rounded
from suanzi.tensor.dtypes import as_dtype, bfloat16
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError


def _vectors(name: str, *operands: Any) -> list[Tensor]:
    """Return all elements of each operand as a vector, in a common type."""
    flat = [suanzi.flatten(as_tensor(x, None, name)) for x in operands]
    types = {x.dtype for x in flat}
    if len(types) < 2 or any(x.dtype is bfloat16 or x.dtype.kind == "T" for x in flat):
        return flat
    common = as_dtype(np.result_type(*(x.dtype.numpy for x in flat)), name)
    return [rounded(x, common) for x in flat]


def union1d(ar1: Any, ar2: Any) -> Tensor:
    return _distinct(suanzi.concat(_vectors("numpy.union1d", ar1, ar2), 0))


def _distinct(x: Tensor) -> Tensor:
    found: Tensor = suanzi.unique(x)
    return found


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """Return the values that both tensors contain. If `return_indices` is True, also return the values' first positions
    in each tensor.
    """
    name = "numpy.intersect1d"
    vectors = _vectors(name, ar1, ar2)
    if not return_indices:
        first, second = vectors if assume_unique else map(_distinct, vectors)
        return _repeated(suanzi.sort(suanzi.concat([first, second], 0)))
    parts, places = [], []
    for x in vectors:
        values, index = (x, None) if assume_unique else suanzi.unique(x, return_index=True)
        parts.append(values)
        places.append(index)
    joined = suanzi.concat(parts, 0)
    order = suanzi.argsort(joined)
    ordered = suanzi.take(joined, order, 0)
    at = suanzi.nonzero(ordered[1:] == ordered[:-1])[0]
    in_first, in_second = suanzi.take(order, at, 0), suanzi.take(order, at + 1, 0) - parts[0].size
    found = suanzi.take(ordered, at, 0)
    indices = [i if p is None else suanzi.take(p, i, 0) for p, i in zip(places, (in_first, in_second), strict=True)]
    return (found, *indices)


def _repeated(ordered: Tensor) -> Tensor:
    found: Tensor = ordered[:-1][ordered[1:] == ordered[:-1]]
    return found


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the values of the first tensor that the second tensor does not contain, in the first tensor's type."""
    name = "numpy.setdiff1d"
    values = suanzi.flatten(as_tensor(ar1, None, name))
    values = values if assume_unique else _distinct(values)
    first, second = _vectors(name, values, ar2)
    found: Tensor = values[suanzi.array_api.isin(first, second, invert=True)]
    return found


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """Return the values that exactly one of the two tensors contains."""
    vectors = _vectors("numpy.setxor1d", ar1, ar2)
    ordered = suanzi.sort(suanzi.concat(vectors if assume_unique else list(map(_distinct, vectors)), 0))
    if ordered.size < 2:
        return ordered
    differs = ordered[1:] != ordered[:-1]
    end = suanzi.ones(1, dtype=suanzi.bool, device=ordered.device)
    found: Tensor = ordered[suanzi.logical_and(suanzi.concat([end, differs], 0), suanzi.concat([differs, end], 0))]
    return found


def isin(x: Any, among: Any, invert: bool = False, assume_unique: bool = False, kind: str | None = None) -> Tensor:
    """Return whether each element of `x` is in `among`. The parameters `assume_unique` and `kind` have no effect."""
    if kind not in (None, "sort", "table"):
        raise InvalidArgumentError(f"numpy.isin: kind = {shown(kind)} is not one of None, sort, table")
    own, others = _vectors("numpy.isin", x, among)
    return suanzi.reshape(suanzi.array_api.isin(own, others, invert=invert), np.shape(x))


def in1d(x: Any, among: Any, assume_unique: bool = False, invert: bool = False, kind: str | None = None) -> Tensor:
    return suanzi.flatten(isin(x, among, invert, assume_unique, kind))


ROWS: dict[str, tuple[Callable[..., Any], str]] = {
    "union1d": (union1d, "ar1/ ar2/"),
    "intersect1d": (intersect1d, "ar1/ ar2/ assume_unique return_indices"),
    "setdiff1d": (setdiff1d, "ar1/ ar2/ assume_unique"),
    "setxor1d": (setxor1d, "ar1/ ar2/ assume_unique"),
    "isin": (isin, "element/ test_elements/ assume_unique invert kind"),
    "in1d": (in1d, "ar1/ ar2/ assume_unique invert kind"),  # the function's name before NumPy 2.4
}
