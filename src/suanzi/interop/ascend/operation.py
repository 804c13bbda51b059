"""The base of every Ascend operation. An operation checks its parameters once and its input tensors at each call.

The class of an operation has a `param_type`, the `inputs` that the parameters require, and a method `compute`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import deepcopy
from itertools import islice
from numbers import Real
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.called import called
from suanzi.tensor.dtypes import DType
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError

RESERVED_BYTES = 8
_MOST = 1024  # the greatest number of elements of a member


class Param(ABC):
    """The parameters of an operation: a dataclass with the members and defaults of the C++ structure, and no other
    members.
    """

    __slots__ = ()

    @abstractmethod
    def checked(self, operation: str) -> Any:
        """Return a copy of the parameters whose members have the structure's types. An error names the operation."""


class Input(NamedTuple):
    """An input tensor: its name in the documentation, and its allowed element types."""

    name: str
    dtypes: tuple[DType, ...]


P = TypeVar("P", bound=Param)


class Operation(ABC, Generic[P]):
    """An operation made from its parameters, to be called with its input tensors.

    Parameters
    ----------
    param : Param
        The parameters, which are checked and copied. Later changes to `param` have no effect.
    """

    param_type: ClassVar[type[Param]]

    def __init__(self, param: P, /) -> None:
        self.name = type(self).__name__
        if type(param) is not self.param_type:
            raise TypeMismatchError(f"{self.name}: {type(param).__name__} is not a {self.param_type.__name__}")
        self._param: P = param.checked(self.name)

    @property
    def param(self) -> P:
        """A copy of the operation's parameters."""
        return deepcopy(self._param)

    @property
    @abstractmethod
    def inputs(self) -> tuple[Input, ...]:
        """Return the input tensors that the operation's parameters require, in order."""

    @abstractmethod
    def compute(self, *tensors: Tensor) -> Tensor:
        """Return the operation's output for inputs whose number and types have been checked."""

    def __call__(self, *tensors: Tensor) -> Tensor:
        """Return the output tensor for given input tensors."""
        expected = self.inputs
        if len(tensors) != len(expected):
            raise InvalidArgumentError(
                f"{self.name}: {len(tensors)} input tensors given, these parameters require {len(expected)}"
            )
        for x, (name, dtypes) in zip(tensors, expected, strict=True):
            if _core.read_tensor(self.name, x).dtype not in dtypes:
                allowed = ", ".join(map(str, dtypes))
                raise TypeMismatchError(f"{self.name}: {name} has element type {x.dtype}, not one of {allowed}")
        with called(self.name):
            return self.compute(*tensors)

    def __repr__(self) -> str:
        return f"{self.name}({self._param!r})"


def flag(value: Any, member: str, operation: str) -> bool:
    """Return `value` as a member of C++ type bool, or raise an error."""
    if not isinstance(value, bool):
        raise TypeMismatchError(f"{operation}: {member} {shown(value)} is not a bool")
    return value


def floats(values: Any, member: str, operation: str) -> list[float]:
    """Return `values` as a member of C++ type SVector<float>, or raise an error. Each number is rounded to 32 bits, as
    in C++.
    """
    numbers = _sequence(values, member, "real numbers", operation)
    if not all(isinstance(v, Real) for v in numbers):
        raise TypeMismatchError(f"{operation}: {member} {shown(values)} is not a sequence of real numbers")
    return [_rounded(v, member, operation) for v in numbers]


def _rounded(number: Any, member: str, operation: str) -> float:
    try:
        exact = float(number)
        with np.errstate(over="ignore"):
            rounded = float(np.float32(exact))
    except OverflowError:
        exact, rounded = 0.0, math.inf
    if math.isinf(rounded) and not math.isinf(exact):
        raise OutOfRangeError(f"{operation}: {member} {shown(number)} does not fit float32")
    return rounded


def integers(values: Any, member: str, operation: str) -> list[int]:
    """Return `values` as a member of C++ type SVector<int64_t>, or raise an error."""
    return [_core.read_integer(operation, member, v) for v in _sequence(values, member, "integers", operation)]


def _sequence(values: Any, member: str, kind: str, operation: str) -> tuple[Any, ...]:
    try:
        found = None if isinstance(values, str) else tuple(islice(values, _MOST + 1))  # an iterable may be endless
    except TypeError:  # an array without dimensions claims to be iterable
        found = None
    if found is None:
        raise TypeMismatchError(f"{operation}: {member} {shown(values)} is not a sequence of {kind}")
    if len(found) > _MOST:
        raise InvalidArgumentError(f"{operation}: {member} has more than {_MOST} elements")
    return found


def reserved(values: Any, operation: str) -> list[int]:
    """Return `values` as the reserved member of C++ type uint8_t[8], or raise an error. The eight bytes have no
    meaning.
    """
    try:
        checked = integers(values, "rsv", operation)
    except TypeMismatchError:
        raise TypeMismatchError(f"{operation}: rsv {shown(values)} is not bytes, nor integers") from None
    if wrong := [number for number in checked if not 0 <= number < 256]:
        raise OutOfRangeError(f"{operation}: rsv holds {wrong[0]}, which does not fit uint8")
    if len(checked) != RESERVED_BYTES:
        raise InvalidArgumentError(f"{operation}: rsv has {len(checked)} bytes, not {RESERVED_BYTES}")
    return checked
