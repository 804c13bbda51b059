"""Fast functions for small calls, one per operator: a fast function passes operands of the same type and device to
PyTorch.

The general functions in `table`, which report errors, handle all other calls and calls that fail in fast functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suanzi import _core, tuning
from suanzi.devices import elementwise
from suanzi.devices.errors import again
from suanzi.devices.reductions import extreme_of
from suanzi.devices.state import last
from suanzi.devices.tensor import DeviceTensor, is_irregular
from suanzi.tensor import dtypes
from suanzi.tensor.dtypes import DTYPES, DType, bool_, float64

Slow = Callable[..., Any]
Types = frozenset[DType]

_FEW = tuning.FEW_SUMMED
_WIDE = torch.float64
note = last.append

SINGLE = frozenset((dtypes.float32, dtypes.float64))
FLOATING = SINGLE | {dtypes.float16, dtypes.bfloat16}
# The integer types for which PyTorch supports all operators: the signed types, and uint8.
SIGNED = frozenset((dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
COMPLEX = frozenset((dtypes.complex64, dtypes.complex128))


def _by_code(types: Types) -> tuple[bool, ...]:
    """Return, for each element type's code, whether the type is among `types`. A set would be slower."""
    return tuple([dtype in types for dtype in DTYPES])


_single = _by_code(SINGLE)


def direct(
    function: Callable[..., Any],
    types: Types,
    operands: int = 2,
    *,
    truth: bool = False,
    numbers: bool = False,
    writes: bool = False,
    defaults: tuple[Any, ...] = (),
) -> Callable[[Slow], Slow]:
    """Return a decorator that makes a fast function from the general function of an operator. The fast function only
    calls PyTorch's `function`.

    If `truth` is True, the result is bool.

    If `numbers` is True, a Python number counts as an element of the tensor's type. If `writes` is True, the function
    accepts ``out``. `defaults` has the values, other than None, that the arguments after the operands must have.
    """
    served = tuple(sorted(types, key=lambda dtype: dtype.code))
    scalars = tuple(SINGLE) if numbers else ()

    def make(slow: Slow) -> Slow:
        otherwise = in_place(function, types, slow) if writes else slow
        result = bool_ if truth else None
        shortcut: Slow = _core.Shortcut(
            DeviceTensor, function, operands, served, scalars, result, last.append, again, otherwise, defaults
        )
        return shortcut

    return make


def in_place(function: Callable[..., Any], types: Types, slow: Slow) -> Slow:
    """Return a fast function for calls with two tensors whose `out` is the first tensor. `slow` computes all other
    calls.
    """
    name, written = slow.__name__, _by_code(types)

    def fast(x1: Any, x2: Any, out: Any = None) -> Any:
        if out is x1 and type(x1) is DeviceTensor is type(x2):
            # PyTorch raises an error if `x1` and `x2` overlap in part, or if elements of `x1` share memory. The general
            # function then computes the call.
            dtype = x1.dtype
            if dtype is x2.dtype and x1.device is x2.device and written[dtype.code]:
                a, b = x1.data, x2.data
                if a.shape == b.shape:
                    try:
                        function(a, b, out=a)
                    except Exception as error:
                        return again(error, slow, x1, x2, out)
                    note(name)
                    return x1
        return slow(x1, x2, out)

    fast.__name__ = name
    return fast


def extreme(name: str) -> Callable[[Slow], Slow]:
    """Return a decorator that makes a fast function for the greatest or the least element, of a tensor or along one
    axis.
    """

    def make(slow: Slow) -> Slow:
        def fast(x: Any, axis: Any, keepdims: Any, out: Any = None) -> Any:
            if keepdims is False and out is None and type(x) is DeviceTensor and _single[x.dtype.code]:
                data = x.data
                if not data.numel() or not (axis is None or (type(axis) is int and data.ndim)):
                    return slow(x, axis, keepdims, out)
                try:
                    t = extreme_of(data, tuple(range(data.ndim)) if axis is None else (axis,), False, name)
                except Exception as error:
                    return again(error, slow, x, axis, keepdims, out)
                note(name)
                result = DeviceTensor()
                result.data, result.dtype, result.device = t, x.dtype, x.device
                return result
            return slow(x, axis, keepdims, out)

        return fast

    return make


def choice(slow: Slow) -> Slow:
    """Return a fast function for `where` with a bool condition and tensors of the same type."""
    name = slow.__name__

    def fast(condition: Any, x1: Any, x2: Any, out: Any = None) -> Any:
        if out is None and type(condition) is DeviceTensor and type(x1) is DeviceTensor is type(x2):
            dtype, device = x1.dtype, x1.device
            if dtype is x2.dtype and device is x2.device is condition.device and condition.dtype is bool_:
                try:
                    t = torch.where(condition.data, x1.data, x2.data)
                except Exception as error:
                    return again(error, slow, condition, x1, x2, out)
                if t.is_contiguous() or not any(is_irregular(x.data) for x in (condition, x1, x2)):
                    note(name)
                    result = DeviceTensor()
                    result.data, result.dtype, result.device = t, dtype, device
                    return result
        return slow(condition, x1, x2, out)

    return fast


def fold(function: Callable[..., Any]) -> Callable[[Slow], Slow]:
    """Return a decorator that makes a fast function for a reduction of all elements or along one axis. Long float32
    sums are computed in float64.
    """

    def whole(data: Any) -> Any:  # with the axis as an optional argument, the call would take 0.2 µs longer
        if data.numel() <= _FEW or data.dtype is _WIDE:
            return function(data)
        return function(data, dtype=_WIDE).float()

    def make(slow: Slow) -> Slow:
        name = slow.__name__

        def fast(x: Any, axis: Any, keepdims: Any, dtype: Any = None, out: Any = None) -> Any:
            if keepdims is False and dtype is None and out is None and type(x) is DeviceTensor and type(axis) is int:
                kind, data = x.dtype, x.data
                # For an operand of more than two dimensions that is not contiguous, the memory order of PyTorch's
                # result may differ from the memory order of the CPU's result.
                if _single[kind.code] and (n := data.ndim) > 0 and (n < 3 or data.is_contiguous()):
                    try:
                        if kind is not float64 and data.numel() > _FEW:
                            t = function(data, axis, dtype=_WIDE).float()
                        else:
                            t = function(data, axis)
                    except Exception as error:
                        return again(error, slow, x, axis, keepdims, dtype, out)
                    note(name)
                    result = DeviceTensor()
                    result.data, result.dtype, result.device = t, kind, x.device
                    return result
            return slow(x, axis, keepdims, dtype, out)

        fast.__name__ = name
        return direct(whole, SINGLE, 1, defaults=(None, False))(fast)

    return make


def parts(slow: Slow) -> Slow:
    """Return a fast function for indexing by an integer, a slice, or a tuple of integers and slices."""
    name = slow.__name__

    def fast(x: Any, key: Any) -> Any:
        kind = type(key)
        if kind is tuple:
            for part in key:
                if type(part) is not int and type(part) is not slice:
                    return slow(x, key)
        elif kind is not int and kind is not slice:
            return slow(x, key)
        if type(x) is DeviceTensor:
            try:
                t = x.data[key]
            except Exception as error:
                return again(error, slow, x, key)
            if t.ndim < 2 or (t.numel() > 1 and 1 not in t.shape):  # strides show the order of the dimensions
                note(name)
                result = DeviceTensor()
                result.data, result.dtype, result.device = t, x.dtype, x.device
                if t.ndim > 1 and is_irregular(t):
                    result._is_irregular = True
                return result
        return slow(x, key)

    return fast


_FUNCTIONS = ("exp", "expm1", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "rsqrt")
_HYPERBOLIC = ("tanh", "asinh", "acosh", "atanh")

FAST: dict[str, Callable[[Slow], Slow]] = {
    "add": direct(torch.add, FLOATING | SIGNED, numbers=True, writes=True),
    "subtract": direct(torch.sub, FLOATING | SIGNED, numbers=True, writes=True),
    "multiply": direct(torch.mul, FLOATING | SIGNED, numbers=True, writes=True),
    "true_divide": direct(torch.true_divide, FLOATING, writes=True),
    "less": direct(torch.lt, FLOATING | SIGNED, truth=True, numbers=True),
    "less_equal": direct(torch.le, FLOATING | SIGNED, truth=True, numbers=True),
    "greater": direct(torch.gt, FLOATING | SIGNED, truth=True, numbers=True),
    "greater_equal": direct(torch.ge, FLOATING | SIGNED, truth=True, numbers=True),
    "equal": direct(torch.eq, FLOATING | SIGNED | COMPLEX, truth=True, numbers=True),
    "not_equal": direct(torch.ne, FLOATING | SIGNED | COMPLEX, truth=True, numbers=True),
    "bitwise_and": direct(torch.bitwise_and, SIGNED | {bool_}),
    "bitwise_or": direct(torch.bitwise_or, SIGNED | {bool_}),
    "bitwise_xor": direct(torch.bitwise_xor, SIGNED | {bool_}),
    "negative": direct(torch.neg, FLOATING | SIGNED, 1),
    "abs": direct(torch.abs, FLOATING | SIGNED, 1),
    "reciprocal": direct(torch.reciprocal, SINGLE, 1),
    "floor": direct(torch.floor, FLOATING, 1),
    "ceil": direct(torch.ceil, FLOATING, 1),
    "trunc": direct(torch.trunc, FLOATING, 1),
    "rint": direct(torch.round, FLOATING, 1),
    **{name: direct(getattr(torch, name), FLOATING, 1) for name in (*_FUNCTIONS, *_HYPERBOLIC)},
    "sum": fold(torch.sum),
    "matmul": direct(torch.matmul, SINGLE),
    "maximum": direct(elementwise.greater, FLOATING | SIGNED),
    "minimum": direct(elementwise.lesser, FLOATING | SIGNED),
    "sqrt": direct(elementwise.sqrt, FLOATING, 1),
    "max": extreme("max"),
    "min": extreme("min"),
    "where": choice,
    "__getitem__": parts,
}
