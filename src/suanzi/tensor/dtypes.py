"""The element types (6.2): one object for each, and reading one from what a user writes.

How two of them promote is decided by the native core.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from suanzi.tensor.messages import shown
from suanzi.tensor.status import TypeMismatchError


class DType:
    """An element type, one of `suanzi.float32` and its siblings.

    Attributes
    ----------
    name : str
        Such as ``"float32"``.
    kind : str
        ``"bool"``, ``"unsigned integer"``, ``"signed integer"``, ``"real floating"``, ``"complex floating"`` or
        ``"string"``.
    itemsize : int
        Bytes of one element.
    code : int
        Its number in the native core.
    """

    def __init__(self, name: str, kind: str, itemsize: int, code: int) -> None:
        self.name = name
        self.kind = kind
        self.itemsize = itemsize
        self.code = code

    @cached_property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy type; ml_dtypes provides bfloat16 and is imported for it alone.

        Strings are NumPy's ``StringDType``, or before NumPy 2 Python objects.
        """
        if self.name == "string":
            return np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else np.dtype(object)
        if self.name != "bfloat16":
            return np.dtype(self.name)
        import ml_dtypes

        bfloat: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat

    @property
    def is_integer(self) -> bool:
        """Whether it is a signed or unsigned integer."""
        return self.kind.endswith("integer")

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type."""
        bits = 8 * self.itemsize
        if self.kind == "unsigned integer":
            return 0, 2**bits - 1
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def __repr__(self) -> str:
        return f"suanzi.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


# The order is that of native/base/dtype.h: the position is the code.
_TABLE = (
    ("bool", "bool", 1),
    ("uint8", "unsigned integer", 1),
    ("uint16", "unsigned integer", 2),
    ("uint32", "unsigned integer", 4),
    ("uint64", "unsigned integer", 8),
    ("int8", "signed integer", 1),
    ("int16", "signed integer", 2),
    ("int32", "signed integer", 4),
    ("int64", "signed integer", 8),
    ("float16", "real floating", 2),
    ("bfloat16", "real floating", 2),
    ("float32", "real floating", 4),
    ("float64", "real floating", 8),
    ("complex64", "complex floating", 8),
    ("complex128", "complex floating", 16),
    ("string", "string", 16),
)
DTYPES = tuple(DType(*row, code) for code, row in enumerate(_TABLE))
(
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    string,
) = DTYPES
NUMBERS = DTYPES[: string.code]  # bool among them

_BY_NAME = {dtype.name: dtype for dtype in DTYPES}
# NumPy has several names for one type (long, longlong): kind and size say which it is.
_BY_NUMPY = {(dtype.numpy.kind, dtype.itemsize): dtype for dtype in NUMBERS if dtype is not bfloat16}
_NUMPY_STRINGS = "UT"  # the kinds of NumPy's types of fixed and of any length
# What a Python value becomes beside a tensor that has no type of its kind.
_BY_PYTHON = {bool: bool_, int: int64, float: float32, complex: complex64, str: string}

DTypeLike: TypeAlias = "DType | str | type | np.dtype[Any]"


def as_dtype(value: DTypeLike, operator: str = "as_dtype") -> DType:
    """The element type that a value names.

    Parameters
    ----------
    value : DType, str, type or numpy.dtype
        An element type, its name, a NumPy type, or a Python type: ``bool``, ``int`` (int64),
        ``float`` (float32), ``complex`` (complex64), ``str`` (string).
    operator : str, optional
        On whose behalf, for the message.

    Returns
    -------
    DType

    Raises
    ------
    TypeMismatchError
        There is no such element type.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.as_dtype("bfloat16")
    suanzi.bfloat16
    """
    if isinstance(value, DType):
        return value
    found = None
    if isinstance(value, np.dtype):
        found = _from_numpy(value)
    elif isinstance(value, str):
        found = _BY_NAME.get(value)
    elif isinstance(value, type):
        found = _from_numpy(_concrete(value)) if issubclass(value, np.generic) else _BY_PYTHON.get(value)
    if found is None:
        raise TypeMismatchError(f"{operator}: {shown(value)} is not an element type")
    return found


def _concrete(scalar: type[np.generic]) -> np.dtype[Any]:
    try:
        return np.dtype(scalar)
    except TypeError:  # an abstract type such as numpy.floating
        return np.dtype(object)


def _from_numpy(dtype: np.dtype[Any]) -> DType | None:
    # NumPy composes a type's name at each call: it is asked only of types from outside.
    if dtype.kind == "V":
        return bfloat16 if dtype.name == "bfloat16" else None
    if dtype.kind in _NUMPY_STRINGS:
        return string
    return _BY_NUMPY.get((dtype.kind, dtype.itemsize))
