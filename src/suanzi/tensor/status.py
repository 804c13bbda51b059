"""Status codes (5.5, Table 1), an exception for each code, and calls without exceptions."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from suanzi.tensor.messages import cut, shown

P = ParamSpec("P")
R = TypeVar("R")


class Status(IntEnum):
    """The outcome of an operator (状态码, Table 1).

    Each code has two names: `Status.TYPE_MISMATCH` is also `Status.STATUS_TYPE_MISMATCH`, as in Table 1. The text of a
    code is the first name. ``int(status)`` and number formats, such as ``f"{status:d}"``, return the number.

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

    # The standard's spelling of the codes.
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
        """Return the name in Table 1, such as 类型不匹配."""
        return _CHINESE[self]

    @property
    def standard(self) -> str:
        """Return the code in Table 1's spelling, such as ``STATUS_TYPE_MISMATCH``."""
        return self.name if self is Status.STATUS_SUCCESS else f"STATUS_{self.name}"


_OF_NUMBERS = tuple("bcdoxXneEfFgG%,_")  # the last letters of formats that Python has only for numbers

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
    """The base of the errors of unsuccessful operators. The attribute `status` is the status code.

    A long message is cut short, because parts of the message may come from the caller or from other libraries.
    """

    status = Status.INTERNAL_ERROR
    _of_attribute: type[SuanziError]  # the class for errors of attributes, if such a class exists
    # True if the message already begins with the name of the function that the user called. Otherwise the core puts the
    # name of the outermost function at the start (native/python/errors.h).
    speaks_for_its_caller = False

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(cut(a) if isinstance(a, str) else a for a in arguments))


class TypeMismatchError(SuanziError, TypeError):
    """类型不匹配: the function does not accept an element type or a Python type."""

    status = Status.TYPE_MISMATCH


class DimensionsMismatchError(SuanziError, ValueError):
    """维度不匹配: shapes do not fit each other."""

    status = Status.DIMENSIONS_MISMATCH


class UninitializedObjectError(SuanziError, RuntimeError):
    """对象未初始化: the tensor has been destroyed."""

    status = Status.UNINITIALIZED_OBJECT


class InvalidArgumentError(SuanziError, ValueError):
    """非法参数: the function does not accept the value of an argument."""

    status = Status.INVALID_ARGUMENT


class AllocFailedError(SuanziError, MemoryError):
    """内存不足: the memory for the result could not be allocated."""

    status = Status.ALLOC_FAILED


class OutOfRangeError(SuanziError, IndexError):
    """超出范围: an index, an axis or a value lies outside the permitted range."""

    status = Status.OUT_OF_RANGE


class InternalError(SuanziError, RuntimeError):
    """其它内部错误: the function failed for another reason."""

    status = Status.INTERNAL_ERROR


class KeyMismatchError(DimensionsMismatchError, IndexError):
    """The IndexError for a key that does not fit the tensor (维度不匹配), as in NumPy and PyTorch."""


class NotExportedError(InvalidArgumentError, BufferError):
    """The BufferError (非法参数) that consumers of memory expect from an exporting protocol."""


class ZeroWeightsError(InvalidArgumentError, ZeroDivisionError):
    """The ZeroDivisionError (非法参数) of a mean whose weights have the sum 0, as in NumPy."""


class MatrixError(InvalidArgumentError, np.linalg.LinAlgError):
    """The LinAlgError (非法参数) of NumPy's functions for the elements of a matrix, such as a singular one."""


class MatrixShapeError(DimensionsMismatchError, np.linalg.LinAlgError):
    """The LinAlgError (维度不匹配) of NumPy's functions for the shape of a matrix."""


class AxisError(OutOfRangeError, np.exceptions.AxisError):
    """NumPy's AxisError (超出范围) of NumPy's functions for an axis that a tensor lacks."""

    __str__ = OutOfRangeError.__str__  # NumPy's class returns a message that is independent of `args`


class TypeMismatchAttributeError(TypeMismatchError, AttributeError):
    """The AttributeError (类型不匹配) of an attribute that tensors of some types lack, such as `imag` of strings."""


class DimensionsMismatchAttributeError(DimensionsMismatchError, AttributeError):
    """The AttributeError (维度不匹配) of an attribute that tensors of some shapes lack, such as `mT` of a vector."""


class InvalidArgumentAttributeError(InvalidArgumentError, AttributeError):
    """The AttributeError (非法参数) of an attribute that a tensor lacks for a reason other than type and shape."""


class UninitializedObjectAttributeError(UninitializedObjectError, AttributeError):
    """The AttributeError (对象未初始化) of an attribute of a destroyed tensor."""


# The names of the errors above that are not public. Users and pickles see these errors as members of `suanzi`.
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
    """Turn the errors of the named properties into AttributeErrors, which `hasattr`, completion and similar tools
    expect.

    Properties that only pass on another attribute's error need not be named. Native attributes already raise
    AttributeErrors.
    """
    for name in names:
        attribute = vars(tensor)[name]
        setattr(tensor, name, property(_failing(attribute.fget), attribute.fset, attribute.fdel, attribute.__doc__))


# The class of errors for each status. The native core raises errors of these classes.
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

# The beginnings of Python's messages about operands that no class accepts. Errors with these messages concern the
# operands' types, and other TypeErrors concern a call's signature.
_OF_OPERANDS = (
    "unsupported operand type",
    "bad operand type",
    "can only concatenate",
    "can't concat",
    "can't multiply sequence",
)
_OF_COMPARISONS = "not supported between instances"

# Built-in exceptions of errors outside operators, such as the TypeError of a wrong signature.
_BUILT_IN = (
    (TypeError, Status.INVALID_ARGUMENT),
    (ValueError, Status.INVALID_ARGUMENT),
    (BufferError, Status.INVALID_ARGUMENT),
    (MemoryError, Status.ALLOC_FAILED),
    (LookupError, Status.OUT_OF_RANGE),
)


def attempt(operator: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[Status, R | SuanziError]:
    """Call an operator, and return the operator's status instead of raising an error (5.5).

    Parameters
    ----------
    operator : callable
        An operator of Suanzi.
    *args, **kwargs
        The arguments of the operator.

    Returns
    -------
    status : Status
        ``STATUS_SUCCESS``, or the code of the failure.
    result : object or SuanziError
        The operator's result, or, if the operator failed, the exception that the operator would have raised. The
        exception keeps no reference to the operands.

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
    """Return a Suanzi error for an exception, without the exception's frames and the objects in these frames."""
    if isinstance(error, SuanziError):
        error.__cause__ = error.__context__ = error.__traceback__ = None
        return error
    status = next((s for kind, s in _BUILT_IN if isinstance(error, kind)), Status.INTERNAL_ERROR)
    text = str(error)
    if isinstance(error, TypeError) and (text.startswith(_OF_OPERANDS) or _OF_COMPARISONS in text):
        status = Status.TYPE_MISMATCH
    return (ERRORS[status] or InternalError)(f"{getattr(operator, '__name__', 'attempt')}: {shown(error)}")
