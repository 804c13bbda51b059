"""What the extras take, and in which type they compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any, Concatenate, ParamSpec

from suanzi import _core
from suanzi._core import Tensor
from suanzi.extras.repetition import LARGE, fused_if_repeated
from suanzi.operators.creation.filled import empty
from suanzi.operators.query import is_contiguous
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.dtypes import DType, bfloat16, complex128, float16, float32, float64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import TypeMismatchError

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


def floating_type(x: Tensor) -> DType:
    """Of results of numbers: that of floating ones, of integers and bool float32, the rule of the operators."""
    return x.dtype if x.dtype.kind_name.endswith("floating") else float32


def floating(x: Tensor) -> Tensor:
    """Numbers as floating ones of that type."""
    return astype(x, floating_type(x), copy=False)


def widest(x: Tensor) -> Tensor:
    """In float64 or complex128."""
    return astype(x, complex128 if x.dtype.kind_name == "complex floating" else float64, copy=False)


# Elements of float64 that are taken at a time: few enough for what is made of them to stay in the caches.
_PIECE = 2**15


def real_function(in_float64: bool = False, fuses: bool = True) -> Callable[[Function[P]], Function[P]]:
    """For elementwise functions of real x, or of an axis: they give its floating type.

    They are computed in float32 at least, then rounded once; those that are `in_float64` element by element, in pieces.
    Large operands that come again have them fused; those that fold an axis win too little by it.
    """

    def decorate(function: Function[P]) -> Function[P]:
        name = function.__name__

        @wraps(function)
        def call(x: Tensor, /, *args: P.args, **kwargs: P.kwargs) -> Tensor:
            x = floating(real_operand(name, x))
            wide = float64 if in_float64 else float32 if x.dtype in (float16, bfloat16) else x.dtype
            if wide is x.dtype:
                return function(x, *args, **kwargs)

            def rounded(part: Tensor) -> Tensor:
                return astype(function(astype(part, wide, copy=False), *args, **kwargs), x.dtype, copy=False)

            # A traced function takes pieces of its own.
            in_pieces = x.size > _PIECE and in_float64 and not _core.is_tracing() and is_contiguous(x)
            return _in_pieces(rounded, x) if in_pieces else rounded(x)

        return fused_if_repeated(LARGE)(call) if fuses else call

    return decorate


def _in_pieces(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    result, flat = empty(x.size, dtype=x.dtype), reshape(x, x.size)
    for begin in range(0, x.size, _PIECE):
        piece = slice(begin, begin + _PIECE)
        result[piece] = function(flat[piece])
    return reshape(result, x.shape)
