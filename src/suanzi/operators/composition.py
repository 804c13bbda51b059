"""Checks of operands, results and types for functions that are composed of operators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from numbers import Rational, Real
from sys import float_info
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes
from suanzi.operators.bitwise import bitwise_and, bitwise_right_shift
from suanzi.operators.reduction.folds import max, min, reduce
from suanzi.operators.transform.elements import astype, where
from suanzi.tensor.dtypes import DType, DTypeLike, bfloat16, complex128, float16, float32, float64, int64, uint64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError

_REAL = ("bool", "unsigned integer", "signed integer", "real floating")


def tensor_operand(operator: str, x: Any) -> Tensor:
    """Return `x` if `x` is a tensor, or the stand-in of a tensor in a traced function. Otherwise raise an error."""
    return x if _core.is_tracing() and isinstance(x, Tensor) else _core.read_tensor(operator, x)


def real_operand(operator: str, x: Any) -> Tensor:
    """Return `x` if `x` is a tensor of bools, integers or real floating numbers. Otherwise raise an error."""
    if tensor_operand(operator, x).dtype.kind_name not in _REAL:
        raise TypeMismatchError(f"{operator}: element type {x.dtype} is not one of bool, integer, floating")
    return x  # type: ignore[no-any-return]


def floating_operand(operator: str, what: str, x: Any) -> Tensor:
    """Return `x` if `x` is a tensor of real floating numbers. Otherwise raise an error that names `x` by `what`."""
    if tensor_operand(operator, x).dtype.kind_name != "real floating":
        raise TypeMismatchError(f"{operator}: {what} has element type {x.dtype}, which is not floating")
    return x  # type: ignore[no-any-return]


def numeric_operand(operator: str, x: Any) -> Tensor:
    """Return `x` if `x` is a tensor of numbers or bools. Otherwise raise an error."""
    if tensor_operand(operator, x).dtype.kind_name == "string":
        raise TypeMismatchError(f"{operator}: element type string is not one of bool, integer, floating, complex")
    return x  # type: ignore[no-any-return]


def real_number(operator: str, what: str, value: Any) -> float:
    """Return `value` if `value` is a real number, or the stand-in of a float in a traced function, or raise an error.

    As in the core, a number beyond the range of float64 becomes an infinity. A number that is neither an int nor a
    float of Python, such as a Fraction, becomes a float.
    """
    if not isinstance(value, Real) or isinstance(value, np.timedelta64):  # NumPy registers durations as integers
        raise TypeMismatchError(f"{operator}: {what} {shown(value)} is not a real number")
    number: Any = value  # type checkers do not accept a comparison of a Rational
    if isinstance(value, Rational) and not -float_info.max <= number <= float_info.max:
        return inf if number > 0 else -inf
    return value if isinstance(value, int | float) else float(value)  # the class of a stand-in is float


@contextmanager
def named(operator: str) -> Iterator[None]:
    """Make a context in which messages of errors begin with `operator` instead of the name of the called operator."""
    try:
        yield
    except SuanziError as error:
        raise type(error)(f"{operator}: {str(error).partition(': ')[2]}") from None


def into(out: Tensor | None, result: Tensor, dtype: DType | None = None) -> Tensor:
    """Write `result` to `out` and return `out`. If `out` is None, return `result`, converted to `dtype` if given.

    The function checks `out` as every operator does. The result is complete before `out` is written, so `out` may share
    memory with the operands. The result is converted only once, to the type of `out`.
    """
    if out is not None:
        return where(True, result, result, out=out)  # `where` copies elements of every type
    return result if dtype is None else astype(result, dtype, copy=False)


def into_each(operator: str, out: Any, results: tuple[Any, ...], dtype: DType | None = None) -> tuple[Tensor, ...]:
    """Write each of `results` to a tensor of `out`, and return these tensors.

    If `out` is None, return the results, converted to `dtype` if `dtype` is given. The function checks all tensors of
    `out` before the function changes the first tensor.
    """
    if out is None:
        return tuple([into(None, result, dtype) for result in results])
    if not isinstance(out, (list, tuple)) or len(out) != len(results):
        given = f"{len(out)} tensors" if isinstance(out, (list, tuple)) else type(out).__name__
        raise TypeMismatchError(f"{operator}: out is {given}, not {len(results)} tensors for the results")
    for place, result in zip(out, results, strict=True):
        _core.check_out(operator, place, result.shape, dtype or result.dtype)
        if place.device != result.device:
            raise InvalidArgumentError(f"{operator}: out is on {place.device}, and operands are on {result.device}")
    for place, result in zip(out, results, strict=True):
        into(place, result)
    return tuple(out)


def widened(x: Tensor, out: Tensor | None) -> Tensor:
    """Return `x`, converted to `working_type(x)` if `out` has another type than `floating_type(x)`.

    A function that computes with the converted `x` rounds only once, from the working type to the type of `out`.
    """
    if out is None or getattr(out, "dtype", None) is floating_type(x):
        return x
    return astype(x, working_type(x), copy=False)


def floating_type(x: Tensor) -> DType:
    """Return the type of floating results for `x`: the type of a floating or complex `x`, otherwise float32."""
    return x.dtype if x.dtype.kind_name.endswith("floating") else float32


def working_type(x: Tensor) -> DType:
    """Return the type for computations on a real `x`: float32 for float16, bfloat16 and float32, otherwise float64."""
    if x.dtype in (float16, bfloat16):
        return float32
    return x.dtype if x.dtype.kind_name == "real floating" else float64


def widest(x: Tensor) -> Tensor:
    """Return `x` in float64, or in complex128 if `x` is complex, without a copy if possible."""
    return astype(x, complex128 if x.dtype.kind_name == "complex floating" else float64, copy=False)


def lies_in_rows(x: Tensor) -> bool:
    """Return whether `x` is dense and contiguous, and no function is being traced. The core can then read the rows of
    `x` in place.
    """
    return type(x) is Tensor and not _core.is_tracing() and x.is_contiguous()


def is_false(condition: Tensor) -> bool:
    """Return whether a condition, a bool without dimensions, is False. A traced function assumes that the condition is
    False. Calls whose condition is true run without fusion.
    """
    if type(condition) is Tensor:
        return not condition
    condition.recording.assumed_false.append(condition)
    return True


def apart(x: Tensor, reference: Tensor) -> Tensor:
    """Return ``x - reference`` in float64 or complex128, rounded only once even if float64 cannot hold the integers."""
    if x.dtype not in (int64, uint64) or _is_held(x):
        return widest(x) - widest(reference)
    high = widest(bitwise_right_shift(x, 32)) - widest(bitwise_right_shift(reference, 32))
    low = widest(bitwise_and(x, _LOW_HALF)) - widest(bitwise_and(reference, _LOW_HALF))
    return high * (_LOW_HALF + 1.0) + low


def _is_held(x: Tensor) -> bool:
    """Return whether all integers of `x` are within ±2^53. While tracing, return False for an `x` with elements."""
    return x.size == 0 or (not _core.is_tracing() and int(min(x)) >= -(2**53) and int(max(x)) <= 2**53)


_LOW_HALF = 2**32 - 1


def fold_of(
    reduction: str,
    formula: str,
    operands: tuple[Tensor, ...],
    axis: Axes,
    keepdims: bool,
    *,
    number: float | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Reduce the values of the core's formula `formula` along axes, without storing all values at once."""
    if not _core.is_tracing():
        return _core.fold_formula(reduction, formula, operands, number, axis, keepdims, dtype)
    made = getattr(_core, formula)(*operands, *(() if number is None else (number,)))
    return reduce(made, reduction, axis, keepdims, dtype=dtype)
