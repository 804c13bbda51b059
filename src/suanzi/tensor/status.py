"""Status codes (5.5, Table 1), the exception that carries each, and the calling form without exceptions."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from suanzi.tensor.messages import cut, shown

P = ParamSpec("P")
R = TypeVar("R")


class Status(IntEnum):
    """The outcome of an operator (状态码, Table 1).

    Each code has two names: `Status.TYPE_MISMATCH` is also `Status.STATUS_TYPE_MISMATCH`, as in Table 1. A code prints
    as its first name. ``int(status)`` and number formats, such as ``f"{status:d}"``, return the number.

    Examples
    --------
    >>> import suanzi
    >>> print(suanzi.Status.TYPE_MISMATCH, int(suanzi.Status.TYPE_MISMATCH))
    TYPE_MISMATCH 1
    """

    STATUS_SUCCESS = 0
    TYPE_MISMATCH = 1
    DIMENSIONS_MISMATCH = 2
    UNINITIALIZED_OBJECT = 3
    INVALID_ARGUMENT = 4
    ALLOC_FAILED = 5
    OUT_OF_RANGE = 6
    INTERNAL_ERROR = 7

    # The standard's spelling.
    STATUS_TYPE_MISMATCH = TYPE_MISMATCH
    STATUS_DIMENSIONS_MISMATCH = DIMENSIONS_MISMATCH
    STATUS_UNINITIALIZED_OBJECT = UNINITIALIZED_OBJECT
    STATUS_INVALID_ARGUMENT = INVALID_ARGUMENT
    STATUS_ALLOC_FAILED = ALLOC_FAILED
    STATUS_OUT_OF_RANGE = OUT_OF_RANGE
    STATUS_INTERNAL_ERROR = INTERNAL_ERROR

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec[-1:] in _OF_NUMBERS else self.name, spec)

    @property
    def chinese(self) -> str:
        """The name in Table 1, such as 类型不匹配."""
        return _CHINESE[self]

    @property
    def standard(self) -> str:
        """The code as Table 1 spells it, such as ``STATUS_TYPE_MISMATCH``."""
        return self.name if self is Status.STATUS_SUCCESS else f"STATUS_{self.name}"


_OF_NUMBERS = tuple("bcdoxXneEfFgG%,_")  # the ends of formats that Python has for numbers alone

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
    """The error of every unsuccessful operator; `status` is its code.

    A long message is cut short, because parts of it may come from the caller or from other libraries.
    """

    status = Status.INTERNAL_ERROR
    _of_attribute: type[SuanziError]  # the class of errors of attributes, where it has one
    # True if the message names the function that the user called, also where a function in between called another one
    # for it; otherwise the core puts the name of the outermost function at the start (native/python/errors.h).
    speaks_for_its_caller = False

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(cut(a) if isinstance(a, str) else a for a in arguments))


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


class KeyMismatchError(DimensionsMismatchError, IndexError):
    """维度不匹配 of a key and the tensor that it indexes: an IndexError, as from NumPy and PyTorch, besides."""


class NotExportedError(InvalidArgumentError, BufferError):
    """非法参数 to a protocol that exports memory, whose consumers expect a BufferError."""


class ZeroWeightsError(InvalidArgumentError, ZeroDivisionError):
    """非法参数 to a mean whose weights sum to 0, for which NumPy has a ZeroDivisionError."""


class TypeMismatchAttributeError(TypeMismatchError, AttributeError):
    """类型不匹配 of an attribute that tensors of this type do not have, as a string's `imag`."""


class DimensionsMismatchAttributeError(DimensionsMismatchError, AttributeError):
    """维度不匹配 of an attribute that tensors of this shape do not have, as a vector's `mT`."""


class InvalidArgumentAttributeError(InvalidArgumentError, AttributeError):
    """非法参数 of an attribute that such tensors do not have."""


class UninitializedObjectAttributeError(UninitializedObjectError, AttributeError):
    """对象未初始化 of an attribute of a destroyed tensor."""


# The names of the errors above that are not public: users read them, and pickles have them, below `suanzi`.
TWOFOLD = tuple(kind.__name__ for status in SuanziError.__subclasses__() for kind in status.__subclasses__())
for _status in SuanziError.__subclasses__():
    for _kind in _status.__subclasses__():
        _kind.__module__ = "suanzi"

TypeMismatchError._of_attribute = TypeMismatchAttributeError
DimensionsMismatchError._of_attribute = DimensionsMismatchAttributeError
InvalidArgumentError._of_attribute = InvalidArgumentAttributeError
UninitializedObjectError._of_attribute = UninitializedObjectAttributeError


def _failing(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(get)
    def attribute(x: Any) -> Any:
        try:
            return get(x)
        except SuanziError as error:
            raise getattr(error, "_of_attribute", type(error))(*error.args) from None

    return attribute


def attributes_that_may_fail(tensor: type[Any], *names: str) -> None:
    """Makes errors of these properties AttributeErrors too, which `hasattr`, completion and the like expect.

    Properties that only pass on another attribute's error need not be named; native attributes do it themselves.
    """
    for name in names:
        attribute = vars(tensor)[name]
        setattr(tensor, name, property(_failing(attribute.fget), attribute.fset, attribute.fdel, attribute.__doc__))


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

# The beginnings of Python's messages about operands that no class takes: a TypeError of the operands' types, while
# other messages are about a call that does not fit a signature.
_OF_OPERANDS = (
    "unsupported operand type",
    "bad operand type",
    "can only concatenate",
    "can't concat",
    "can't multiply sequence",
)
_OF_COMPARISONS = "not supported between instances"

# Built-in exceptions that no operator raised itself, such as the TypeError of a wrong signature.
_BUILT_IN = (
    (TypeError, Status.INVALID_ARGUMENT),
    (ValueError, Status.INVALID_ARGUMENT),
    (BufferError, Status.INVALID_ARGUMENT),
    (MemoryError, Status.ALLOC_FAILED),
    (LookupError, Status.OUT_OF_RANGE),
)


def attempt(operator: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[Status, R | SuanziError]:
    """Call an operator and return its status instead of raising (5.5).

    Parameters
    ----------
    operator : callable
        An operator of this library.
    *args, **kwargs
        The arguments of the operator.

    Returns
    -------
    status : Status
        ``STATUS_SUCCESS``, or the code of the failure.
    result : object or SuanziError
        The operator's result; if it failed, the exception that it would have raised. The exception keeps no reference
        to the operands.

    Examples
    --------
    >>> import suanzi
    >>> status, result = suanzi.attempt(suanzi.add, suanzi.zeros((2, 3)), suanzi.zeros(4))
    >>> status is suanzi.Status.STATUS_DIMENSIONS_MISMATCH
    True
    >>> print(result)
    add: shapes (2, 3) and (4,) do not broadcast
    """
    try:
        return Status.STATUS_SUCCESS, operator(*args, **kwargs)
    except Exception as error:
        failure = _failure(error, operator)
        return failure.status, failure


def _failure(error: Exception, operator: Any) -> SuanziError:
    """Return an error of ours for an exception, without its frames and the objects that these hold."""
    if isinstance(error, SuanziError):
        error.__cause__ = error.__context__ = error.__traceback__ = None
        return error
    status = next((s for kind, s in _BUILT_IN if isinstance(error, kind)), Status.INTERNAL_ERROR)
    text = str(error)
    if isinstance(error, TypeError) and (text.startswith(_OF_OPERANDS) or _OF_COMPARISONS in text):
        status = Status.TYPE_MISMATCH
    return (ERRORS[status] or InternalError)(f"{getattr(operator, '__name__', 'attempt')}: {shown(error)}")
