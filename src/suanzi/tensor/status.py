"""Status codes (5.5, Table 1), the exception that carries each, and the calling form without exceptions."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Status(IntEnum):
    """The outcome of an operator (状态码, Table 1)."""

    STATUS_SUCCESS = 0
    TYPE_MISMATCH = 1
    DIMENSIONS_MISMATCH = 2
    UNINITIALIZED_OBJECT = 3
    INVALID_ARGUMENT = 4
    ALLOC_FAILED = 5
    OUT_OF_RANGE = 6
    INTERNAL_ERROR = 7

    @property
    def chinese(self) -> str:
        """The name in Table 1, such as 类型不匹配."""
        return _CHINESE[self]

    @property
    def standard(self) -> str:
        """The code as Table 1 spells it, such as ``STATUS_TYPE_MISMATCH``."""
        return self.name if self is Status.STATUS_SUCCESS else f"STATUS_{self.name}"


_CHINESE = (
    "操作成功",
    "类型不匹配",
    "维度不匹配",
    "对象未初始化",
    "非法参数",
    "内存不足",
    "超出范围",
    "其它内部错误",
)


class SuanziError(Exception):
    """What every unsuccessful operator raises; `status` is its code."""

    status = Status.INTERNAL_ERROR


class TypeMismatchError(SuanziError, TypeError):
    """类型不匹配: an element type or a Python type is not accepted."""

    status = Status.TYPE_MISMATCH


class DimensionsMismatchError(SuanziError, ValueError):
    """维度不匹配: shapes do not fit each other."""

    status = Status.DIMENSIONS_MISMATCH


class UninitializedObjectError(SuanziError, RuntimeError):
    """对象未初始化: the tensor has been destroyed."""

    status = Status.UNINITIALIZED_OBJECT


class InvalidArgumentError(SuanziError, ValueError):
    """非法参数: an argument has a value that is not allowed."""

    status = Status.INVALID_ARGUMENT


class AllocFailedError(SuanziError, MemoryError):
    """内存不足: there is no memory for the result."""

    status = Status.ALLOC_FAILED


class OutOfRangeError(SuanziError, IndexError):
    """超出范围: an index, an axis or a value lies outside its range."""

    status = Status.OUT_OF_RANGE


class InternalError(SuanziError, RuntimeError):
    """其它内部错误: something else failed inside."""

    status = Status.INTERNAL_ERROR


def renamed(error: SuanziError, operator: str) -> SuanziError:
    """The error of an operator that did another's work, as one of the operator that was called."""
    return type(error)(f"{operator}: {str(error).partition(': ')[2]}")


# Indexed by status, for the native core.
ERRORS: tuple[type[SuanziError] | None, ...] = (
    None,
    TypeMismatchError,
    DimensionsMismatchError,
    UninitializedObjectError,
    InvalidArgumentError,
    AllocFailedError,
    OutOfRangeError,
    InternalError,
)

# Built-in exceptions that no operator raised itself, such as the TypeError of a wrong signature.
_BUILT_IN = (
    (TypeError, Status.INVALID_ARGUMENT),
    (ValueError, Status.INVALID_ARGUMENT),
    (MemoryError, Status.ALLOC_FAILED),
    (LookupError, Status.OUT_OF_RANGE),
)


def attempt(operator: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[Status, R | None]:
    """Call an operator and return its status instead of raising (5.5).

    Parameters
    ----------
    operator : callable
        An operator of this library.
    *args, **kwargs
        What it is called with.

    Returns
    -------
    status : Status
        ``STATUS_SUCCESS``, or the code of the failure.
    result : object or None
        What the operator returned; None when it failed.

    Examples
    --------
    >>> import suanzi
    >>> status, y = suanzi.attempt(suanzi.add, suanzi.zeros((2, 3)), suanzi.zeros(4))
    >>> status.standard, y
    ('STATUS_DIMENSIONS_MISMATCH', None)
    """
    try:
        return Status.STATUS_SUCCESS, operator(*args, **kwargs)
    except Exception as error:
        return _status_of(error), None


def _status_of(error: Any) -> Status:
    if isinstance(error, SuanziError):
        return error.status
    return next((s for kind, s in _BUILT_IN if isinstance(error, kind)), Status.INTERNAL_ERROR)
