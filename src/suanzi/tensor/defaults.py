"""The default element type, which a user may set. The module `suanzi.devices` has the default device."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

from suanzi import _core
from suanzi.tensor import guard
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, float32

Value = TypeVar("Value")


class Setting(Generic[Value]):
    """A value of the process. A function changes the value for all threads, until the end of a ``with`` block or
    permanently.

    Blocks of several threads or tasks may overlap. The end of a block restores the value before the block only if no
    running block began later. Otherwise the next later block restores that value at its own end.
    """

    def __init__(self, read: Callable[[], Value], write: Callable[[Value], object]) -> None:
        self._read, self._write = read, write
        self._changes = 0
        self._running: list[Before[Value]] = []

    def change(self, value: Value) -> Before[Value]:
        with guard.lock:
            before = Before(self, self._read(), self._changes)
            self._write(value)
            self._changes += 1
            return before

    def begin(self, block: Before[Value]) -> None:
        with guard.lock:
            self._running.append(block)

    def end(self, block: Before[Value]) -> None:
        with guard.lock:
            if block in self._running:
                self._running.remove(block)
            later = [other for other in self._running if other.number > block.number]
            if later:
                min(later, key=lambda other: other.number).value = block.value
            else:
                self._write(block.value)


class Before(Generic[Value]):
    """The value of a setting before change `number`. The end of a ``with`` block restores the value."""

    def __init__(self, setting: Setting[Value], value: Value, number: int) -> None:
        self.setting, self.value, self.number = setting, value, number

    def __enter__(self) -> None:
        self.setting.begin(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.setting.end(self)


_dtype = Setting[DType](_core.default_dtype, _core.set_default_dtype)


def set_default_dtype(dtype: DTypeLike | None) -> Before[DType]:
    """Set the element type of new tensors if neither the call nor the data have an element type (默认元素类型).

    Creation functions use the default type: `zeros`, `full`, `arange`, `tensor` of Python's numbers, `random.uniform`
    and similar functions. Complex numbers become complex128 if the default is float64, and complex64 otherwise. The
    types of operators' results do not depend on the default.

    The default type applies to all threads and tasks of the process, also during a ``with`` block. If blocks of several
    threads or tasks overlap, the block that began last sets the type.

    Parameters
    ----------
    dtype : DType or None
        A real floating type. None restores float32, the standard's default.

    Returns
    -------
    context manager
        The end of a ``with`` block restores the previous type. Without ``with`` the type stays set.

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
    return _dtype.change(float32 if dtype is None else as_dtype(dtype, "set_default_dtype"))
