"""The values that enter and leave a run: tensors, lists of tensors for sequences, and None for absent optional values.

Elements of narrow types, such as float8, are arrays of ml_dtypes. Maps are mappings, such as dictionaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import suanzi
from suanzi import DType, Tensor, TypeMismatchError
from suanzi.interop.onnx.types import NARROW, AnyType, Kind, Pairs, Stored, element_of, listed, map_types, text_of
from suanzi.tensor.exchange import taken
from suanzi.tensor.messages import shown


def as_value(x: Any, dtype: AnyType, what: str) -> Any:
    """Convert a user's value to the form that a run needs for a type, or raise an error. `what` begins the error
    message.
    """
    if isinstance(dtype, DType):
        if x is None or isinstance(x, Mapping):
            raise TypeMismatchError(f"{what} is {type(x).__name__}, not a tensor")
        if not isinstance(x, Tensor):
            x = _as_tensor(x, dtype)
        if x.dtype is not dtype:
            raise TypeMismatchError(f"{what} is {listed([x.dtype])}, not {listed([dtype])}")
        return x
    if dtype in NARROW:
        if isinstance(x, np.ndarray) and x.dtype == NARROW[dtype].numpy:
            return Stored(x, dtype)
        raise TypeMismatchError(f"{what} is {getattr(x, 'dtype', type(x).__name__)}, not an array of {dtype}")
    if map_types(dtype) is not None:
        return _as_pairs(x, dtype, what)
    inner = element_of(dtype)
    assert inner is not None
    if text_of(dtype).startswith("optional("):
        return None if x is None else as_value(x, inner, what)
    if not isinstance(x, list | tuple):
        raise TypeMismatchError(f"{what} is {type(x).__name__}, not a list or a tuple of tensors")
    return tuple([as_value(each, inner, f"{what}, element {i},") for i, each in enumerate(x)])


def as_given(x: Any) -> Any:
    """Convert a value of a run to the form that users receive."""
    if isinstance(x, Stored):
        return x.array
    if isinstance(x, Pairs):
        return dict(x)
    return [as_given(each) for each in x] if isinstance(x, tuple) else x


def shape_of(x: Any) -> Any:
    """Return the shape of a tensor, or a substitute for the shape of a value that is not a tensor."""
    if isinstance(x, tuple | list):
        return tuple([shape_of(each) for each in x])
    return None if x is None else (len(x),) if isinstance(x, Pairs) else x.shape


def _as_pairs(x: Any, dtype: Kind, what: str) -> Pairs:
    """Convert a mapping to a map of a given type."""
    if not isinstance(x, Mapping):
        raise TypeMismatchError(f"{what} is {type(x).__name__}, not a mapping")
    types = map_types(dtype)
    assert types is not None
    columns = []
    for part, values, element in zip(("keys", "values"), (list(x), list(x.values())), types, strict=True):
        plain = [value.item() if isinstance(value, np.generic | Tensor) else value for value in values]
        if element is suanzi.string or not plain:
            if strange := [value for value in plain if not isinstance(value, str)]:
                raise TypeMismatchError(f"{what} has the {part} {shown(strange)}, which are not texts")
            columns.append(plain)
            continue
        allowed = int if element is suanzi.int64 else int | float
        if strange := [value for value in plain if not isinstance(value, allowed)]:
            raise TypeMismatchError(f"{what} has the {part} {shown(strange)}, which are not {listed([element])}")
        columns.append(suanzi.tensor(plain, dtype=element).tolist())
    return Pairs(dict(zip(*columns, strict=True)), dtype)


def _as_tensor(value: Any, dtype: DType) -> Tensor:
    """Convert a value to a tensor. Python numbers receive the declared type."""
    if isinstance(value, np.ndarray) and value.dtype == dtype.numpy:
        return taken(value, dtype, "run")
    if dtype is suanzi.string and isinstance(value, np.ndarray) and value.dtype == object:  # the array may be empty
        return suanzi.reshape(suanzi.tensor(list(value.flat), dtype=dtype), value.shape)
    return suanzi.tensor(value, dtype=None if isinstance(value, np.ndarray | np.generic) else dtype)
