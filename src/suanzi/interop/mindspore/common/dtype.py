"""MindSpore's element types, with MindSpore's names and printed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from suanzi.tensor import dtypes
from suanzi.tensor.dtypes import DTypeLike


@dataclass(frozen=True, repr=False)
class DType:
    """An element type of MindSpore (mindspore.dtype).

    Parameters
    ----------
    suanzi : suanzi.DType
        The corresponding element type of Suanzi.

    Examples
    --------
    >>> import suanzi.interop.mindspore as mindspore
    >>> print(mindspore.float32, mindspore.uint8)
    Float32 UInt8
    >>> mindspore.float32
    mindspore.float32
    """

    suanzi: dtypes.DType

    def __str__(self) -> str:
        name = self.suanzi.name
        for prefix, shown in (("uint", "UInt"), ("bfloat", "BFloat")):
            if name.startswith(prefix):
                return shown + name.removeprefix(prefix)
        return name.capitalize()

    def __repr__(self) -> str:
        return f"mindspore.{'bool_' if self.suanzi is dtypes.bool_ else self.suanzi.name}"


TypeLike: TypeAlias = "DType | DTypeLike"


def element_type(value: TypeLike, operator: str) -> dtypes.DType:
    """Return the element type for a type of MindSpore or NumPy, or for a name.

    Raises
    ------
    TypeMismatchError
        `value` does not name an element type.
    """
    return value.suanzi if isinstance(value, DType) else dtypes.as_dtype(value, operator)


bool_ = DType(dtypes.bool_)
int8 = DType(dtypes.int8)
int16 = DType(dtypes.int16)
int32 = DType(dtypes.int32)
int64 = DType(dtypes.int64)
uint8 = DType(dtypes.uint8)
uint16 = DType(dtypes.uint16)
uint32 = DType(dtypes.uint32)
uint64 = DType(dtypes.uint64)
float16 = DType(dtypes.float16)
bfloat16 = DType(dtypes.bfloat16)
float32 = DType(dtypes.float32)
float64 = DType(dtypes.float64)
complex64 = DType(dtypes.complex64)
complex128 = DType(dtypes.complex128)
string = DType(dtypes.string)
