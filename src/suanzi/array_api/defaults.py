"""The default types of Python's numbers, and of floating-point results of integers.

The default types in the namespace `suanzi.array_api` are float64, complex128 and int64. `suanzi` has the default types
of T/AI 137.1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, bool_, complex128, float64, int64

# Default types by kind, from the lowest kind up.
DEFAULTS = {"bool": bool_, "signed integer": int64, "real floating": float64, "complex floating": complex128}
INTEGER, FLOATING, COMPLEX = (DEFAULTS[kind] for kind in ("signed integer", "real floating", "complex floating"))

P = ParamSpec("P")
R = TypeVar("R")


@overload
def named(dtype: None) -> None: ...
@overload
def named(dtype: DTypeLike) -> DTypeLike: ...
def named(dtype: DTypeLike | None) -> DTypeLike | None:
    """Return the default types for Python's float and complex, and any other `dtype` unchanged."""
    return FLOATING if dtype is float else COMPLEX if dtype is complex else dtype


def read(dtype: DTypeLike, operator: str) -> DType:
    """Return the DType that `dtype` names. Python's float and complex name the default types."""
    return as_dtype(named(dtype), operator)


def floating(dtype: DTypeLike | None) -> DTypeLike:
    """Return `dtype` as `named` does, or the default type of real numbers if `dtype` is None."""
    return FLOATING if dtype is None else named(dtype)


def is_of_integers(x: object) -> bool:
    """Return whether `x` is a tensor of integers or bools."""
    return isinstance(x, Tensor) and x.dtype.kind in "bui"


def in_default_type(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function of `suanzi`, so that results for integers and bools have the default floating type. The wrapper
    converts the operands if all tensors among the operands contain integers or bools.
    """

    def call(*operands: P.args, **options: P.kwargs) -> R:
        for x in operands:
            if isinstance(x, Tensor) and x.dtype.kind not in "bui":
                return function(*operands, **options)
        converted: Any = [_core.astype(x, FLOATING, True) if isinstance(x, Tensor) else x for x in operands]
        return function(*converted, **options)

    return _at_home(call, function, f"in {FLOATING.name} for integers and bools")


def naming_types(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function of `suanzi` so that ``dtype`` may be Python's float or complex."""

    def call(*operands: P.args, **options: P.kwargs) -> R:
        dtype: Any = options.get("dtype")
        if dtype is float or dtype is complex:
            options["dtype"] = named(dtype)
        return function(*operands, **options)

    return _at_home(call, function, f"``dtype=float`` means {FLOATING.name} and ``dtype=complex`` means {COMPLEX.name}")


def giving_default_type(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function of `suanzi`, so that results for integers and bools have the default floating type. If a call
    names `dtype` or `out`, the wrapper does not change the type.
    """

    def call(*operands: P.args, **options: P.kwargs) -> R:
        dtype: Any = options.get("dtype")
        if dtype is not None:
            options["dtype"] = named(dtype)
        elif operands and is_of_integers(operands[0]) and options.get("out") is None:
            options["dtype"] = FLOATING
        return function(*operands, **options)

    return _at_home(call, function, f"with results of {FLOATING.name} for integers")


def _at_home(call: Callable[P, R], function: Callable[P, R], difference: str) -> Callable[P, R]:
    """Return the wrapper `call` with the name and signature of `function`. The module of the result is the module that
    makes the wrapper, so that pickling finds the result.
    """
    found = wraps(function)(call)
    # The frame of the caller's caller names the module. namedtuple also reads the frame of a caller.
    found.__module__ = str(sys._getframe(2).f_globals["__name__"])
    found.__doc__ = f"Return the same as `suanzi.{function.__name__}`, but {difference}."
    return found
