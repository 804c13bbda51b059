"""One function for each operator that small calls use: operands of one type on one device go to PyTorch at once.

All other calls, and those that fail here, take the way of the table, which knows what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suanzi import tuning
from suanzi.devices import elementwise
from suanzi.devices.errors import again
from suanzi.devices.reductions import extreme_of
from suanzi.devices.state import last
from suanzi.devices.tensor import DeviceTensor
from suanzi.tensor import dtypes
from suanzi.tensor.dtypes import DTYPES, DType, bool_, float64

Slow = Callable[..., Any]
Types = frozenset[DType]

_new = DeviceTensor.__new__
_FEW = tuning.FEW_SUMMED
_WIDE = torch.float64
note = last.append

SINGLE = frozenset((dtypes.float32, dtypes.float64))
FLOATING = SINGLE | {dtypes.float16, dtypes.bfloat16}
SIGNED = frozenset((dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))  # with PyTorch's own
COMPLEX = frozenset((dtypes.complex64, dtypes.complex128))


def _by_code(types: Types) -> tuple[bool, ...]:
    """The answers, by the codes of element types, whether a type is among some: a hash would be slower."""
    return tuple([dtype in types for dtype in DTYPES])


_single = _by_code(SINGLE)


def unary(function: Callable[..., Any], types: Types) -> Callable[[Slow], Slow]:
    direct = _by_code(types)

    def make(slow: Slow) -> Slow:
        name = slow.__name__

        def fast(x: Any, out: Any = None) -> Any:
            if type(x) is DeviceTensor and out is None and direct[(dtype := x.dtype).code]:
                try:
                    t = function(x.data)
                except Exception as error:
                    return again(error, slow, x, out)
                note(name)
                result = _new(DeviceTensor)
                result.data, result.dtype, result.device = t, dtype, x.device
                return result
            return slow(x, out)

        return fast

    return make


def binary(
    function: Callable[..., Any],
    types: Types,
    *,
    truth: bool = False,
    numbers: bool = False,
    writes: bool = False,
) -> Callable[[Slow], Slow]:
    """`truth`: the result is bool. `numbers`: of PyTorch's function a number is an element of the tensor's type.

    `writes`: PyTorch's function takes ``out``.
    """
    direct, written = _by_code(types), _by_code(types if writes else frozenset())
    scalars = (float, int) if numbers else ()

    def make(slow: Slow) -> Slow:
        name = slow.__name__

        def fast(x1: Any, x2: Any, out: Any = None) -> Any:
            if out is None and type(x1) is DeviceTensor:
                dtype = x1.dtype
                if type(x2) is DeviceTensor:
                    if dtype is x2.dtype and (device := x1.device) is x2.device and direct[dtype.code]:
                        try:
                            t = function(x1.data, x2.data)
                        except Exception as error:
                            return again(error, slow, x1, x2, out)
                        note(name)
                        result = _new(DeviceTensor)
                        result.data, result.dtype, result.device = t, bool_ if truth else dtype, device
                        return result
                elif type(x2) in scalars and _single[dtype.code] and -6e4 < x2 < 6e4:
                    try:
                        t = function(x1.data, x2)
                    except Exception as error:
                        return again(error, slow, x1, x2, out)
                    note(name)
                    result = _new(DeviceTensor)
                    result.data, result.dtype, result.device = t, bool_ if truth else dtype, x1.device
                    return result
            elif out is x1 and not truth and type(x1) is DeviceTensor is type(x2):
                # In place; where memory overlaps in another way, PyTorch refuses, and the other way is taken.
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

        return fast

    return make


def product(slow: Slow) -> Slow:
    """`matmul` without a type for the sums."""
    name = slow.__name__

    def fast(x1: Any, x2: Any, dtype: Any = None, out: Any = None) -> Any:
        if dtype is None is out and type(x1) is DeviceTensor is type(x2):
            kind = x1.dtype
            if kind is x2.dtype and _single[kind.code] and (device := x1.device) is x2.device:
                try:
                    t = torch.matmul(x1.data, x2.data)
                except Exception as error:
                    return again(error, slow, x1, x2, dtype, out)
                note(name)
                result = _new(DeviceTensor)
                result.data, result.dtype, result.device = t, kind, device
                return result
        return slow(x1, x2, dtype, out)

    return fast


def extreme(name: str) -> Callable[[Slow], Slow]:
    """The greatest or the least of all elements or along one axis."""

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
                result = _new(DeviceTensor)
                result.data, result.dtype, result.device = t, x.dtype, x.device
                return result
            return slow(x, axis, keepdims, out)

        return fast

    return make


def choice(slow: Slow) -> Slow:
    """`where` by truth, of tensors of one type."""
    name = slow.__name__

    def fast(condition: Any, x1: Any, x2: Any, out: Any = None) -> Any:
        if out is None and type(condition) is DeviceTensor and type(x1) is DeviceTensor is type(x2):
            dtype, device = x1.dtype, x1.device
            if dtype is x2.dtype and device is x2.device is condition.device and condition.dtype is bool_:
                try:
                    t = torch.where(condition.data, x1.data, x2.data)
                except Exception as error:
                    return again(error, slow, condition, x1, x2, out)
                note(name)
                result = _new(DeviceTensor)
                result.data, result.dtype, result.device = t, dtype, device
                return result
        return slow(condition, x1, x2, out)

    return fast


def fold(function: Callable[..., Any]) -> Callable[[Slow], Slow]:
    """A reduction of all elements or along one axis. Long sums of float32 are computed in float64."""

    def make(slow: Slow) -> Slow:
        name = slow.__name__

        def fast(x: Any, axis: Any, keepdims: Any, dtype: Any = None, out: Any = None) -> Any:
            if keepdims is False and dtype is None and out is None and type(x) is DeviceTensor:
                kind, data = x.dtype, x.data
                # The result of more dimensions may lie otherwise than the CPU's.
                plain = axis is None or (type(axis) is int and (n := data.ndim) > 0 and (n < 3 or data.is_contiguous()))
                if plain and _single[kind.code]:
                    try:
                        if kind is not float64 and data.numel() > _FEW:
                            wide = function(data, dtype=_WIDE) if axis is None else function(data, axis, dtype=_WIDE)
                            t = wide.float()
                        else:
                            t = function(data) if axis is None else function(data, axis)
                    except Exception as error:
                        return again(error, slow, x, axis, keepdims, dtype, out)
                    note(name)
                    result = _new(DeviceTensor)
                    result.data, result.dtype, result.device = t, kind, x.device
                    return result
            return slow(x, axis, keepdims, dtype, out)

        return fast

    return make


def parts(slow: Slow) -> Slow:
    """The fast way to index by an integer or a slice, or by a tuple of them."""
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
            if t.ndim < 2 or (t.numel() > 1 and 1 not in t.shape):  # strides tell the order
                note(name)
                result = _new(DeviceTensor)
                result.data, result.dtype, result.device = t, x.dtype, x.device
                return result
        return slow(x, key)

    return fast


_FUNCTIONS = ("exp", "expm1", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "rsqrt")
_HYPERBOLIC = ("tanh", "asinh", "acosh", "atanh")

FAST: dict[str, Callable[[Slow], Slow]] = {
    "add": binary(torch.add, FLOATING | SIGNED, numbers=True, writes=True),
    "subtract": binary(torch.sub, FLOATING | SIGNED, numbers=True, writes=True),
    "multiply": binary(torch.mul, FLOATING | SIGNED, numbers=True, writes=True),
    "true_divide": binary(torch.true_divide, FLOATING, writes=True),
    "less": binary(torch.lt, FLOATING | SIGNED, truth=True, numbers=True),
    "less_equal": binary(torch.le, FLOATING | SIGNED, truth=True, numbers=True),
    "greater": binary(torch.gt, FLOATING | SIGNED, truth=True, numbers=True),
    "greater_equal": binary(torch.ge, FLOATING | SIGNED, truth=True, numbers=True),
    "equal": binary(torch.eq, FLOATING | SIGNED | COMPLEX, truth=True, numbers=True),
    "not_equal": binary(torch.ne, FLOATING | SIGNED | COMPLEX, truth=True, numbers=True),
    "bitwise_and": binary(torch.bitwise_and, SIGNED | {bool_}),
    "bitwise_or": binary(torch.bitwise_or, SIGNED | {bool_}),
    "bitwise_xor": binary(torch.bitwise_xor, SIGNED | {bool_}),
    "negative": unary(torch.neg, FLOATING | SIGNED),
    "abs": unary(torch.abs, FLOATING | SIGNED),
    "reciprocal": unary(torch.reciprocal, SINGLE),
    "floor": unary(torch.floor, FLOATING),
    "ceil": unary(torch.ceil, FLOATING),
    "trunc": unary(torch.trunc, FLOATING),
    "rint": unary(torch.round, FLOATING),
    **{name: unary(getattr(torch, name), FLOATING) for name in (*_FUNCTIONS, *_HYPERBOLIC)},
    "sum": fold(torch.sum),
    "matmul": product,
    "maximum": binary(elementwise.greater, FLOATING | SIGNED),
    "minimum": binary(elementwise.lesser, FLOATING | SIGNED),
    "sqrt": unary(elementwise.sqrt, FLOATING),
    "max": extreme("max"),
    "min": extreme("min"),
    "where": choice,
    "__getitem__": parts,
}
