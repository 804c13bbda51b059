"""Arithmetic and comparison of quantized tensors, computed from their codes.

A number ``scale * (code - zero_point)`` has at most 41 bits, so float64 represents the number exactly. Sums and
products of two numbers are rounded once to 53 bits. The quotient of a sum or product by the result's scale is rounded
once more. As a code has at most 17 bits, the error of the quotient is less than 2^-33. Rounding the quotient to a code
leaves an error of at most half a step plus 2^-33, which is less than one step, unless the result saturates. For matrix
products the integers ``sum(A * B)`` are exact, where ``A`` and ``B`` are ``code - zero_point`` of the two operands. The
product of the two scales is also exact in float64. The product of an integer with the product of the scales is rounded
once, and the quotient by the result's scale once more.

The parameters of a result are the finest parameters that cover the result, or the parameters of `out`, in whose range
the result saturates. To find the finest parameters, an operator reads the elements twice. The operator writes only
codes. Comparisons compare exact real numbers. Comparisons, matrix products, and scales that differ between channels
need at most 24 bytes of scratch per element.
"""

from __future__ import annotations

from math import inf, isfinite, isnan, nextafter, ulp
from numbers import Integral, Number, Real
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call, call_of
from suanzi.kinds.quantized.operands import TABLE
from suanzi.operators.registry import COMPARISONS
from suanzi.quantized.parameters import Parameters, finest
from suanzi.quantized.tensor import QuantizedTensor, quantized
from suanzi.quantized.types import QuantizedType, common_type
from suanzi.tensor.dtypes import as_dtype, float32, float64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError


def real_of(operator: str, operand: Any) -> Any:
    """Return the exact real numbers of an operand in float64. A number is returned unchanged."""
    if isinstance(operand, QuantizedTensor):
        return operand._parameters.decoded(operand._codes, float64)
    if isinstance(operand, Real) and not isinstance(operand, np.timedelta64):  # NumPy registers durations as integers
        try:
            return float(operand)
        except OverflowError:
            raise OutOfRangeError(f"{operator}: {shown(operand)} is beyond the range of float64") from None
    raise TypeMismatchError(f"{operator}: {operand.__class__.__name__} is neither a quantized tensor nor a real number")


def _operand(operator: str, x: Any) -> tuple[Tensor | float, Tensor | None, int]:
    """Return an operand in the core's form: the codes, scale and zero point of a quantized tensor, or a number, None
    and 0.
    """
    if isinstance(x, QuantizedTensor):
        return x._parameters.operand(x._codes)
    number = real_of(operator, x)
    if not isfinite(number):
        raise InvalidArgumentError(f"{operator}: {shown(x)} is not finite, so the result has no code")
    return number, None, 0


def _target(operator: str, out: Any) -> QuantizedTensor:
    if not isinstance(out, QuantizedTensor):
        raise TypeMismatchError(f"{operator}: out is a {type(out).__name__}, not a quantized tensor")
    return out


def finished(operator: str, real: Tensor, kind: QuantizedType, axis: int | None, out: Any) -> QuantizedTensor:
    """Write `real` into `out` with the parameters of `out`, and return `out`. Without `out`, return a new tensor of
    type `kind` with the finest parameters.
    """
    if out is None:
        return QuantizedTensor(*finest(operator, real, kind, axis))
    _core.quantized_encode(operator, real, None, 0, *_target(operator, out)._parameters.result(out.ndim), out._codes)
    return out  # type: ignore[no-any-return]


def kind_of(operands: tuple[Any, ...], axis: int | None) -> QuantizedType:
    """Return the quantized type of a result of given operands. `axis` is the axis of the result's channels, or None."""
    return common_type([x.dtype for x in operands if isinstance(x, QuantizedTensor)], axis is not None)


def _channels(operands: tuple[Any, ...]) -> int | None:
    """Return the axis of the channels in the broadcast result of operands. The axis is None unless all operands with
    channels have the channels along this axis.
    """
    tensors = [x for x in operands if isinstance(x, QuantizedTensor)]
    axes = {(x.axis - x.ndim, x.shape[x.axis]) for x in tensors if x.axis is not None}
    if len(axes) != 1:
        return None
    ((from_end, channels),) = axes
    ndim = max(x.ndim for x in tensors)
    sizes = {x.shape[from_end] for x in tensors if x.ndim >= -from_end}
    return ndim + from_end if sizes <= {1, channels} else None


@TABLE.rows(*_core.quantized_operations, several=True, out=True)
def combined(call: Call) -> QuantizedTensor:
    """Return the result of an operator that the core implements on codes."""
    return _combined(call.name, call.name, call.x1, call.x2, call.out)


@TABLE.rows("clip", several=True, out=True)
def clip(call: Call) -> QuantizedTensor:
    """Clip by one bound, or return NotImplemented for two bounds. Without bounds, the operand itself is the bound, so
    the numbers do not change.
    """
    x, least, greatest = call.x, call.min, call.max
    any_quantized = any(isinstance(operand, QuantizedTensor) for operand in (x, least, greatest))
    if (least is not None and greatest is not None) or not any_quantized:
        return NotImplemented  # type: ignore[no-any-return]
    if least is not None:
        return _combined(call.name, "maximum", x, least, call.out)
    return _combined(call.name, "minimum", x, x if greatest is None else greatest, call.out)


def _combined(operator: str, operation: str, x1: Any, x2: Any, out: Any) -> QuantizedTensor:
    """Compute an operation of the core on the codes of two operands, and return a new tensor or `out`."""
    operands = (*_operand(operator, x1), *_operand(operator, x2))
    if out is not None:
        parameters = _target(operator, out)._parameters
        _core.quantized_combine_into(operator, operation, *operands, *parameters.result(out.ndim), out._codes)
        return out  # type: ignore[no-any-return]
    axis = _channels((x1, x2))
    kind = kind_of((x1, x2), axis)
    along = axis if kind.per_channel else None
    codes, scale, zero = _core.quantized_combine(operator, operation, *operands, kind.storage, kind.symmetric, along)
    return QuantizedTensor(codes, Parameters(kind, scale, zero, along))


@TABLE.rows(*COMPARISONS.values(), several=True, out=True)
def compared(call: Call) -> Tensor:
    """Compare the exact real numbers of two operands."""
    if not all(isinstance(x, (QuantizedTensor, Real)) or _holds_numbers(x) for x in (call.x1, call.x2)):
        return NotImplemented  # type: ignore[no-any-return]  # Python regards the operands as unequal
    operands = (comparable(call.name, x) for x in (call.x1, call.x2))
    return call.on(*operands, out=call.out)  # type: ignore[no-any-return]


def comparable(operator: str, operand: Any) -> Any:
    """Return the exact real numbers of an operand in float64. For a number that float64 cannot represent, return a
    number whose comparisons with the real numbers of quantized tensors have the same results.

    The returned number is the adjacent number of float64 with an odd significand of 53 bits. No real number of a
    quantized tensor equals the returned number, because real numbers of quantized tensors have at most 41 bits.
    """
    if not isinstance(operand, Real):
        return real_of(operator, operand)
    number: Any = int(operand) if isinstance(operand, Integral) else operand  # NumPy's integers compare as float64
    try:
        nearest = float(number)
    except OverflowError:
        nearest = inf if number > 0 else -inf
    if nearest == number or isnan(nearest) or nearest / ulp(nearest) % 2 == 1:
        return nearest
    return nextafter(nearest, inf if nearest < number else -inf)


def _holds_numbers(x: Any) -> bool:
    """Return whether an object is a tensor, or data for a tensor."""
    return isinstance(x, (Tensor, Number, str)) or hasattr(type(x), "__suanzi_call__") or _core.holds_elements(x)


@TABLE.rows("array_equal", several=True)
def array_equal(call: Call) -> bool:
    """Return whether the shapes and the real numbers of two operands are equal. Operands of any shape must be
    quantized tensors or real numbers.
    """
    return call.on(*(comparable(call.name, x) for x in (call.x1, call.x2)))  # type: ignore[no-any-return]


def _refuse_dtype(call: Call) -> None:
    if call.dtype is not None:
        raise TypeMismatchError(f"{call.name}: dtype {call.dtype}; a product of quantized tensors is quantized")


@TABLE.rows("matmul", several=True, out=True)
def matmul(call: Call) -> QuantizedTensor:
    """Return the matrix product of two quantized tensors, computed from sums of products of codes."""
    operator, out = call.name, call.out
    _refuse_dtype(call)
    a, b = quantized(operator, call.x1), quantized(operator, call.x2)
    for x, summed in ((a, a.ndim - 1), (b, max(b.ndim - 2, 0))):
        if x.axis is not None and x.axis == summed:
            raise InvalidArgumentError(
                f"{operator}: channels along axis {x.axis}, which is summed; requantize per tensor"
            )
    operands = (*a._parameters.operand(a._codes), *b._parameters.operand(b._codes))
    if out is not None:
        parameters = _target(operator, out)._parameters
        _core.quantized_matmul_into(operator, *operands, *parameters.result(out.ndim), out._codes)
        return out  # type: ignore[no-any-return]
    kind = kind_of((a, b), None)
    codes, scale, zero = _core.quantized_matmul(operator, *operands, kind.storage, kind.symmetric)
    return QuantizedTensor(codes, Parameters(kind, scale, zero, None))


@TABLE.rows("linear", several=True)
def linear(call: Call) -> QuantizedTensor:
    """Return the product of `x` and the transposed weight. A bias is added in float64, before the result is encoded."""
    _refuse_dtype(call)
    x, weight = quantized(call.name, call.x), quantized(call.name, call.weight)
    for operand in (x, weight):
        if operand.axis is not None and operand.axis == operand.ndim - 1:
            raise InvalidArgumentError(
                f"{call.name}: channels along axis {operand.axis}, which is summed; requantize per tensor"
            )
    if call.bias is None and weight.ndim == 2:
        return matmul(call_of("matmul", (x, weight.T, None, None)))
    bias = real_of(call.name, call.bias) if isinstance(call.bias, QuantizedTensor) else call.bias
    real = call.on(real_of(call.name, x), real_of(call.name, weight), bias)
    return finished(call.name, real, kind_of((x, weight), None), None, None)


@TABLE.rows("negative", "abs", out=True)
def negative(call: Call) -> QuantizedTensor:
    """Return negatives or absolute values. For a symmetric type without `out`, the operator is applied to the codes. In
    all other cases the operator is applied to the real numbers, and the results are encoded anew.
    """
    x = call.x
    if x.dtype.symmetric and call.out is None:
        return QuantizedTensor(call.on(x._codes), x._parameters)
    return finished(call.name, call.on(real_of(call.name, x)), x.dtype, x.axis, call.out)


@TABLE.rows("positive", out=True)
def positive(call: Call) -> QuantizedTensor:
    """Copy the tensor, or requantize its numbers with the parameters of `out`."""
    x: QuantizedTensor = call.x
    out = call.out
    if out is None:
        return QuantizedTensor(_core.clone(x._codes), x._parameters)
    arguments = (*x._parameters.operand(x._codes), *_target(call.name, out)._parameters.result(out.ndim))
    _core.quantized_encode(call.name, *arguments, out._codes)
    return out  # type: ignore[no-any-return]


@TABLE.rows("astype")
def astype(call: Call) -> Tensor:
    """Convert the real numbers to another type."""
    x, wanted = call.x, as_dtype(call.dtype, call.name)
    _core.read_truth(call.name, "copy", call.copy)
    if wanted is float32:
        return x.dequantize()  # type: ignore[no-any-return]
    return _core.astype(x._parameters.decoded(x._codes, float64), wanted, True)


@TABLE.rows("isfinite", "isinf", "isnan", out=True)
def finite(call: Call) -> Tensor:
    """Return the operator's results for finite numbers, because every code represents a finite number."""
    return call.on(call.x._codes, out=call.out)  # type: ignore[no-any-return]
