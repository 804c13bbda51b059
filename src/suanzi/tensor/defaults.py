"""The default element type, which a user may set. The module `suanzi.devices` has the default device."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

from suanzi import _core
from suanzi.tensor.dtypes import DType, DTypeLike

Value = TypeVar("Value")


class Before(Generic[Value]):
    """The value of a setting before a function changed the setting. The end of a ``with`` block restores the value."""

    def __init__(self, put_back: Callable[[Value], object], value: Value) -> None:
        self.put_back, self.value = put_back, value

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.put_back(self.value)


def set_default_dtype(dtype: DTypeLike | None) -> Before[DType]:
    """Set the element type of new tensors if neither the call nor the data have an element type (默认元素类型).

    Creation functions use the default type: `zeros`, `full`, `arange`, `tensor` of Python's numbers, `random.uniform`
    and similar functions. Complex numbers become complex128 if the default is float64, and complex64 otherwise. The
    types of operators' results do not depend on the default.

    Parameters
    ----------
    dtype : DType or None
        A real floating type. None restores float32, the standard's default.

    Returns
    -------
    context manager
        The end of a ``with`` block restores the previous type. Without ``with`` the type stays set for all threads.

    Raises
    ------
    TypeMismatchError
        `dtype` is not an element type, or not a real floating type.

    Examples
    --------
    >>> import suanzi
    >>> with suanzi.set_default_dtype("float64"):
    ...     suanzi.tensor([1, 2.5])
    ...     suanzi.zeros(2).dtype
    tensor([1. , 2.5])
    suanzi.float64
    >>> suanzi.zeros(2).dtype
    suanzi.float32
    """
    before = Before(_core.set_default_dtype, _core.default_dtype())
    _core.set_default_dtype(dtype)
    return before
