"""Arithmetic and comparison of quantized tensors, computed from their codes.

A number ``scale * (code - zero_point)`` has at most 41 bits, so float64 holds it exactly. Sums and products of two are
rounded once to 53 bits, their quotient by the scale of the result once more; as a code has at most 17 bits, it is off
by less than 2^-33. Rounding it to a code leaves an error of at most half a step and 2^-33: always within one step,
unless the result saturates. Of matrix products the integers ``sum(A * B)``, with ``A = code - zero_point`` of the one
and ``B`` of the other operand, are exact; their products with both scales are rounded twice.

The parameters of a result are the finest that cover it, or those of `out`, in whose range it then saturates: elements
are read twice for the former, and nothing is written but codes. Comparisons are of exact real numbers. At most 24 bytes
for each element are needed where scales differ between channels, for comparisons and for matrix products.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.parameters import Parameters, covering
from suanzi.quantized.tensor import QuantizedTensor, quantized, table_of
from suanzi.quantized.types import QuantizedType, common_type
from suanzi.tensor.dtypes import DTypeLike, as_dtype, float32, float64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError


def real_of(operator: str, operand: Any) -> Any:
    """The exact real numbers of an operand: float64, or a number as it is."""
    if isinstance(operand, QuantizedTensor):
        return operand.parameters.decoded(operand.codes, float64)
    if isinstance(operand, Real):
        try:
            return float(operand)
        except OverflowError:
            raise OutOfRangeError(f"{operator}: {shown(operand)} is past float64") from None
    raise TypeMismatchError(
        f"{operator}: {type(operand).__name__} beside a quantized tensor is neither one nor a real number"
    )


def _operand(operator: str, x: Any) -> tuple[Tensor | float, Tensor | None, int]:
    """An operand as the core takes it: elements, scale and zero point, or a number."""
    if isinstance(x, QuantizedTensor):
        return x.parameters.operand(x.codes)
    number = real_of(operator, x)
    if not isfinite(number):
        raise InvalidArgumentError(f"{operator}: {shown(x)} is not finite, no code stands for the result")
    return number, None, 0


def _target(operator: str, out: Any) -> QuantizedTensor:
    if not isinstance(out, QuantizedTensor):
        raise TypeMismatchError(f"{operator}: out is a {type(out).__name__}, not a quantized tensor")
    return out


def _finished(
    operator: str, real: Tensor, operands: tuple[Any, ...], out: Any, axis: int | None, factor: float | None = None
) -> QuantizedTensor:
    """Numbers, or their products with a factor, as a quantized tensor: in the parameters of `out`, or the finest."""
    if out is None:
        kind = _kind(operands, axis)
        parameters = covering(operator, real, kind, axis if kind.per_channel else None, factor or 1.0)
        return QuantizedTensor(parameters.encoded(operator, real, factor), parameters)
    parameters = _target(operator, out).parameters
    _core.quantize(operator, real, factor, 0, *parameters.result(out.ndim), out.codes)
    return out  # type: ignore[no-any-return]


def _kind(operands: tuple[Any, ...], axis: int | None) -> QuantizedType:
    return common_type([x.dtype for x in operands if isinstance(x, QuantizedTensor)], axis is not None)


def _channels(shape: tuple[int, ...], operands: tuple[Any, ...]) -> int | None:
    """The axis of a broadcast result that is the axis of channels of every operand that has one."""
    axes = {
        (x.axis - x.ndim, x.shape[x.axis]) for x in operands if isinstance(x, QuantizedTensor) and x.axis is not None
    }
    if len(axes) != 1:
        return None
    ((from_end, channels),) = axes
    return from_end + len(shape) if shape[from_end] == channels else None


def _elementwise(operator: str, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
    return _combined(operator, operator, x1, x2, out)


def _clip(operator: str, x: Any, least: Any, greatest: Any, out: Any) -> QuantizedTensor:
    """By one bound, or by none, as the lesser of each element and itself."""
    if (least is not None and greatest is not None) or not _any_quantized(x, least, greatest):
        return NotImplemented  # type: ignore[no-any-return]
    if least is not None:
        return _combined(operator, "maximum", x, least, out)
    return _combined(operator, "minimum", x, x if greatest is None else greatest, out)


def _any_quantized(*operands: Any) -> bool:
    return any(isinstance(x, QuantizedTensor) for x in operands)


def _combined(operator: str, operation: str, x1: Any, x2: Any, out: Any) -> QuantizedTensor:
    """What the operator does with two operands: one of the operations of the core."""
    operands = (*_operand(operator, x1), *_operand(operator, x2))
    if out is not None:
        parameters = _target(operator, out).parameters
        _core.quantized_combine_into(operator, operation, *operands, *parameters.result(out.ndim), out.codes)
        return out  # type: ignore[no-any-return]
    if any(isinstance(x, QuantizedTensor) and x.axis is not None for x in (x1, x2)):
        real = getattr(_core, operation)(real_of(operator, x1), real_of(operator, x2))
        return _finished(operator, real, (x1, x2), None, _channels(real.shape, (x1, x2)))
    kind = _kind((x1, x2), None)
    codes, scale, zero_point = _core.quantized_combine(operator, operation, *operands, kind.storage, kind.symmetric)
    return QuantizedTensor(codes, Parameters(kind, scale, zero_point, None))


def _compare(operator: str, x1: Any, x2: Any, out: Tensor | None = None) -> Tensor:
    return getattr(_core, operator)(real_of(operator, x1), real_of(operator, x2), out)  # type: ignore[no-any-return]


def _array_equal(operator: str, x1: Any, x2: Any) -> bool:
    first, second = (x.shape if isinstance(x, QuantizedTensor | Tensor) else () for x in (x1, x2))
    return first == second and _core.array_equal(real_of(operator, x1), real_of(operator, x2))


def _matmul(operator: str, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
    x1, x2 = quantized(operator, x1), quantized(operator, x2)
    if x1.axis is None and x2.axis is None:
        sums = _core.quantized_sums(x1.codes, x1.zero_point, x2.codes, x2.zero_point)
        return _finished(operator, sums, (x1, x2), out, None, x1.scale.item() * x2.scale.item())
    left, right = _factor(operator, x1, x1.ndim - 1), _factor(operator, x2, max(x2.ndim - 2, 0))
    sums = _core.quantized_sums(x1.codes, x1.zero_point, x2.codes, x2.zero_point)
    if x2.ndim == 1 and left.ndim > 1:  # the result has no columns
        left = left[..., 0]
    if x1.ndim == 1 and right.ndim > 1:  # nor rows
        right = right[..., 0, :]
    real = _core.multiply(_core.astype(sums, float64, False), _core.multiply(left, right))
    return _finished(operator, real, (x1, x2), out, None)


def _factor(operator: str, x: QuantizedTensor, summed: int) -> Tensor:
    """The scales of an operand of matmul: one, or of the rank of `x` with size 1 along the axis that is summed."""
    scales = _core.astype(x.parameters.scales(x.ndim), float64, False)
    if x.axis is None:
        return scales
    if x.axis == summed:
        raise InvalidArgumentError(f"{operator}: channels along axis {x.axis}, which is summed; requantize per tensor")
    return _core.reshape(scales, (*(1,) * (x.ndim - scales.ndim), *scales.shape))


def _negative(operator: str, x: QuantizedTensor, out: Any = None) -> QuantizedTensor:
    """Of symmetric types the codes have negatives and absolute values; others are encoded anew."""
    function = getattr(_core, operator)
    if x.dtype.symmetric and out is None:
        return QuantizedTensor(function(x.codes), x.parameters)
    return _finished(operator, function(real_of(operator, x)), (x,), out, x.axis)


def _positive(operator: str, x: QuantizedTensor, out: Any = None) -> QuantizedTensor:
    if out is None:
        return QuantizedTensor(_core.clone(x.codes), x.parameters)
    return _finished(operator, x.parameters.decoded(x.codes, float64), (x,), out, x.axis)


def _astype(operator: str, x: QuantizedTensor, dtype: DTypeLike, copy: bool) -> Tensor:
    wanted = as_dtype(dtype, operator)
    if wanted is float32:
        return x.dequantize()
    return _core.astype(x.parameters.decoded(x.codes, float64), wanted, True)


def _finite(operator: str, x: QuantizedTensor, out: Tensor | None = None) -> Tensor:
    return getattr(_core, operator)(x.codes, out)  # type: ignore[no-any-return]


_OF_ONE_TENSOR: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("negative", "abs"), _negative),
    "positive": _positive,
    **dict.fromkeys(("isfinite", "isinf", "isnan"), _finite),
    "astype": _astype,
}
_OF_MANY: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_core.quantized_operations, _elementwise),
    "clip": _clip,
    "array_equal": _array_equal,
    "matmul": _matmul,
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), _compare),
}
TABLE = table_of(_OF_ONE_TENSOR, _OF_MANY)
