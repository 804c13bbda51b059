"""What the extras take, and in which type they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from numbers import Real
from typing import Any, Concatenate, ParamSpec

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.repetition import LARGE, fused_if_repeated
from suanzi.operators.bitwise import bitwise_and, bitwise_right_shift
from suanzi.operators.creation.filled import empty
from suanzi.operators.query import is_contiguous
from suanzi.operators.reduction.folds import max, min
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.dtypes import DType, bfloat16, complex128, float16, float32, float64, int64, uint64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import SuanziError, TypeMismatchError

P = ParamSpec("P")
Function = Callable[Concatenate[Tensor, P], Tensor]

_REAL = ("bool", "unsigned integer", "signed integer", "real floating")


def tensor_operand(operator: str, x: Any) -> Tensor:
    """A tensor, or what stands for one in a function that is being traced."""
    return x if _core.is_tracing() and isinstance(x, Tensor) else _core.read_tensor(operator, x)


def real_operand(operator: str, x: Any) -> Tensor:
    """An operand that must be real."""
    if tensor_operand(operator, x).dtype.kind_name not in _REAL:
        raise TypeMismatchError(f"{operator}: element type {x.dtype} is not one of bool, integer, floating")
    return x  # type: ignore[no-any-return]


def numeric_operand(operator: str, x: Any) -> Tensor:
    """An operand that must be made of numbers, or bools."""
    if tensor_operand(operator, x).dtype.kind_name == "string":
        raise TypeMismatchError(f"{operator}: element type string is not one of bool, integer, floating, complex")
    return x  # type: ignore[no-any-return]


def real_number(operator: str, what: str, value: Any) -> float:
    """A parameter that must be a number of Python or NumPy, or what stands for a float in a function that is traced."""
    if not isinstance(value, Real):
        raise TypeMismatchError(f"{operator}: {what} {shown(value)} is not a real number")
    return value  # type: ignore[return-value]


@contextmanager
def named(operator: str) -> Iterator[None]:
    """Errors of the operators inside begin with the name of the function that was called."""
    try:
        yield
    except SuanziError as error:
        raise type(error)(f"{operator}: {str(error).partition(': ')[2]}") from None


def floating_type(x: Tensor) -> DType:
    """Of results of numbers: that of floating ones, of integers and bool float32, the rule of the operators."""
    return x.dtype if x.dtype.kind_name.endswith("floating") else float32


def working_type(x: Tensor) -> DType:
    """The type in which a function of real elements computes: float32 for halves, float64 for integers and bool."""
    if x.dtype in (float16, bfloat16):
        return float32
    return x.dtype if x.dtype.kind_name == "real floating" else float64


def widest(x: Tensor) -> Tensor:
    """In float64 or complex128."""
    return astype(x, complex128 if x.dtype.kind_name == "complex floating" else float64, copy=False)


def apart(x: Tensor, reference: Tensor) -> Tensor:
    """``x - reference`` in float64 or complex128, rounded once. Float64 does not hold all integers of 64 bits."""
    if x.dtype not in (int64, uint64) or _is_held(x):
        return widest(x) - widest(reference)
    high = widest(bitwise_right_shift(x, 32)) - widest(bitwise_right_shift(reference, 32))
    low = widest(bitwise_and(x, _LOW_HALF)) - widest(bitwise_and(reference, _LOW_HALF))
    return high * (_LOW_HALF + 1.0) + low


def _is_held(x: Tensor) -> bool:
    """Whether float64 holds integers, as far as their values are known."""
    return x.size == 0 or (not _core.is_tracing() and int(min(x)) >= -(2**53) and int(max(x)) <= 2**53)


_LOW_HALF = 2**32 - 1
# Elements of float64 that are taken at a time: few enough for what is made of them to stay in the caches.
_PIECE = 2**15


def real_function(in_float64: bool = False) -> Callable[[Function[P]], Function[P]]:
    """For elementwise functions of real x: they give its floating type.

    They compute in float32 at least, of integers in float64, then round once; functions that are `in_float64`, and
    those of integers, take large operands in pieces. Large operands that come again have them fused.
    """

    def decorate(function: Function[P]) -> Function[P]:
        name = function.__name__

        @wraps(function)
        def call(x: Tensor, /, *args: P.args, **kwargs: P.kwargs) -> Tensor:
            x = real_operand(name, x)
            dtype, wide = floating_type(x), float64 if in_float64 else working_type(x)
            if wide is x.dtype:
                return function(x, *args, **kwargs)

            def rounded(part: Tensor) -> Tensor:
                return astype(function(astype(part, wide, copy=False), *args, **kwargs), dtype, copy=False)

            # A traced function takes pieces of its own.
            in_pieces = x.size > _PIECE and wide is float64 and not _core.is_tracing() and is_contiguous(x)
            return _in_pieces(rounded, x, dtype) if in_pieces else rounded(x)

        return fused_if_repeated(LARGE)(call)

    return decorate


def _in_pieces(function: Callable[[Tensor], Tensor], x: Tensor, dtype: DType) -> Tensor:
    result, flat = empty(x.size, dtype=dtype), reshape(x, x.size)
    for begin in range(0, x.size, _PIECE):
        piece = slice(begin, begin + _PIECE)
        result[piece] = function(flat[piece])
    return reshape(result, x.shape)
