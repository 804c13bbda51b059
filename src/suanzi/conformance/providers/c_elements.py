"""Python data (numbers and nested lists) converted to elements in memory, which C's `tensor` requires.

By the kit's reading of chapter 7.2.1.1, data that a type cannot represent are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..oracle.element_types import ELEMENT_TYPES, EXTENDED, Array, ElementType, exact, round_to, typed
from ..status import Status, StatusError

_NUMBERS = (bool, int, float, complex, np.generic)


def elements(data: Any, dtype: str | None = None) -> tuple[Array, str]:
    """Return the elements of data and the name of the element type. Strings are returned as an array of str."""
    if isinstance(data, np.ndarray):
        shape, leaves = data.shape, [*data.ravel().tolist()] if data.dtype.kind in "U" else [*_exactly(data)]
        name = dtype or ("string" if data.dtype.kind == "U" else data.dtype.name)
    else:
        shape, leaves = _shape(data), [*_leaves(data)]
        name = dtype or _default(leaves)
    if name == "string":
        if not all(isinstance(leaf, str) for leaf in leaves):
            raise StatusError(Status.TYPE_MISMATCH, "tensor: a number is among strings")
        return np.array(leaves, "U").reshape(shape), name
    if any(isinstance(leaf, str) for leaf in leaves):
        raise StatusError(Status.TYPE_MISMATCH, "tensor: a string is among numbers")
    t = ELEMENT_TYPES[name]
    return _converted(leaves, t).reshape(shape), name


def _exactly(array: Array) -> Iterator[Any]:
    return iter(exact(array).ravel()) if array.dtype.name in ELEMENT_TYPES else iter(array.ravel().tolist())


def _shape(data: Any) -> tuple[int, ...]:
    """Return the sizes of nested lists, which must be regular."""
    if not isinstance(data, list | tuple):
        return np.shape(data) if isinstance(data, np.ndarray) else ()
    shapes = {_shape(item) for item in data}
    if len(shapes) > 1:
        raise StatusError(Status.DIMENSIONS_MISMATCH, "tensor: lists have different lengths")
    return (len(data), *next(iter(shapes), ()))


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, list | tuple):
        for item in data:
            yield from _leaves(item)
    elif isinstance(data, np.ndarray):
        yield from _exactly(data)
    elif isinstance(data, str):
        yield data
    elif isinstance(data, _NUMBERS):
        yield exact(np.asarray(data))[()] if isinstance(data, np.generic) else data
    else:
        raise StatusError(Status.TYPE_MISMATCH, f"tensor: {type(data).__name__} where C accepts numbers or strings")


def _default(leaves: list[Any]) -> str:
    """Return the element type of numbers, bools or strings for which no type is given."""
    if leaves and isinstance(leaves[0], str):
        return "string"
    if leaves and all(isinstance(leaf, bool | np.bool_) for leaf in leaves):
        return "bool"
    return "complex64" if any(isinstance(leaf, complex | np.complexfloating) for leaf in leaves) else "float32"


def _converted(leaves: list[Any], t: ElementType) -> Array:
    if t.kind == "B":
        return np.array([bool(leaf != 0) for leaf in leaves], bool)
    if t.kind == "C":
        found = np.empty(len(leaves), t.numpy)
        part = ELEMENT_TYPES["float32" if t.bits == 64 else "float64"]
        found.real = _rounded([getattr(leaf, "real", leaf) for leaf in leaves], part)
        found.imag = _rounded([getattr(leaf, "imag", 0) for leaf in leaves], part)
        return found
    if any(isinstance(leaf, complex | np.complexfloating) for leaf in leaves):
        raise StatusError(Status.TYPE_MISMATCH, f"tensor: a complex number does not fit {t.name}")
    return _rounded(leaves, t) if t.kind == "F" else _whole(leaves, t)


def _rounded(leaves: list[Any], t: ElementType) -> Array:
    values = np.array([_extended(leaf) for leaf in leaves], EXTENDED)
    rounded = round_to(values, t)
    if np.any(np.isfinite(values) & np.isinf(rounded)):
        raise StatusError(Status.OUT_OF_RANGE, f"tensor: a number is beyond the range of {t.name}")
    return typed(rounded, t)


def _extended(leaf: Any) -> Any:
    try:
        return EXTENDED(int(leaf)) if isinstance(leaf, int) and not isinstance(leaf, bool) else EXTENDED(leaf)
    except OverflowError:
        raise StatusError(Status.OUT_OF_RANGE, "tensor: a number is beyond every floating type") from None


def _whole(leaves: list[Any], t: ElementType) -> Array:
    low, high = t.range
    whole = []
    for leaf in leaves:
        if not isinstance(leaf, int | np.integer | np.bool_) and not np.isfinite(leaf):
            raise StatusError(Status.OUT_OF_RANGE, f"tensor: {leaf} does not fit {t.name}")
        if leaf != int(leaf):
            raise StatusError(Status.TYPE_MISMATCH, f"tensor: a fraction does not fit {t.name}")
        whole.append(int(leaf))
    if any(not low <= number <= high for number in whole):
        raise StatusError(Status.OUT_OF_RANGE, f"tensor: a number is beyond the range of {t.name}")
    return np.array(whole, t.numpy)
