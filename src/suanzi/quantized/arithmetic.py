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
from numbers import Number, Real
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.parameters import Parameters, finest
from suanzi.quantized.tensor import QuantizedTensor, quantized, table_of
from suanzi.quantized.types import QuantizedType, common_type
from suanzi.tensor.dtypes import DTypeLike, as_dtype, float32, float64
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def real_of(operator: str, operand: Any) -> Any:
    """The exact real numbers of an operand: float64, or a number as it is."""
    if isinstance(operand, QuantizedTensor):
        return operand._parameters.decoded(operand._codes, float64)
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
        return x._parameters.operand(x._codes)
    number = real_of(operator, x)
    if not isfinite(number):
        raise InvalidArgumentError(f"{operator}: {shown(x)} is not finite, no code stands for the result")
    return number, None, 0


def _target(operator: str, out: Any) -> QuantizedTensor:
    if not isinstance(out, QuantizedTensor):
        raise TypeMismatchError(f"{operator}: out is a {type(out).__name__}, not a quantized tensor")
    return out


def _finished(operator: str, real: Tensor, x: QuantizedTensor, out: Any) -> QuantizedTensor:
    """Numbers as a quantized tensor: in the parameters of `out`, or the finest of the type of the operand."""
    if out is None:
        return QuantizedTensor(*finest(operator, real, x.dtype, x.axis))
    _core.quantize(operator, real, None, 0, *_target(operator, out)._parameters.result(out.ndim), out._codes)
    return out  # type: ignore[no-any-return]


def _kind(operands: tuple[Any, ...], axis: int | None) -> QuantizedType:
    return common_type([x.dtype for x in operands if isinstance(x, QuantizedTensor)], axis is not None)


def _channels(operands: tuple[Any, ...]) -> int | None:
    """The axis of a broadcast result that is the axis of channels of every operand that has one."""
    tensors = [x for x in operands if isinstance(x, QuantizedTensor)]
    axes = {(x.axis - x.ndim, x.shape[x.axis]) for x in tensors if x.axis is not None}
    if len(axes) != 1:
        return None
    ((from_end, channels),) = axes
    ndim = max(x.ndim for x in tensors)
    sizes = {x.shape[from_end] for x in tensors if x.ndim >= -from_end}
    return ndim + from_end if sizes <= {1, channels} else None


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
        parameters = _target(operator, out)._parameters
        _core.quantized_combine_into(operator, operation, *operands, *parameters.result(out.ndim), out._codes)
        return out  # type: ignore[no-any-return]
    axis = _channels((x1, x2))
    kind = _kind((x1, x2), axis)
    along = axis if kind.per_channel else None
    codes, scale, zero = _core.quantized_combine(operator, operation, *operands, kind.storage, kind.symmetric, along)
    return QuantizedTensor(codes, Parameters(kind, scale, zero, along))


def _compare(operator: str, x1: Any, x2: Any, out: Tensor | None = None) -> Tensor:
    for x in (x1, x2):
        if not isinstance(x, (QuantizedTensor, Real)) and not _holds_numbers(x):
            return NotImplemented  # type: ignore[no-any-return]  # to Python such an object is unequal
    return getattr(_core, operator)(real_of(operator, x1), real_of(operator, x2), out)  # type: ignore[no-any-return]


def _holds_numbers(x: Any) -> bool:
    """Whether an object is a tensor, or data of which one can be made."""
    return isinstance(x, (Tensor, Number, str)) or hasattr(type(x), "__suanzi_call__") or _core.holds_elements(x)


def _array_equal(operator: str, x1: Any, x2: Any) -> bool:
    first, second = (x.shape if isinstance(x, QuantizedTensor | Tensor) else () for x in (x1, x2))
    return first == second and _core.array_equal(real_of(operator, x1), real_of(operator, x2))


def _matmul(operator: str, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
    a, b = quantized(operator, x1), quantized(operator, x2)
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
    kind = _kind((a, b), None)
    codes, scale, zero = _core.quantized_matmul(operator, *operands, kind.storage, kind.symmetric)
    return QuantizedTensor(codes, Parameters(kind, scale, zero, None))


def _negative(operator: str, x: QuantizedTensor, out: Any = None) -> QuantizedTensor:
    """Of symmetric types the codes have negatives and absolute values; others are encoded anew."""
    function = getattr(_core, operator)
    if x.dtype.symmetric and out is None:
        return QuantizedTensor(function(x._codes), x._parameters)
    return _finished(operator, function(real_of(operator, x)), x, out)


def _positive(operator: str, x: QuantizedTensor, out: Any = None) -> QuantizedTensor:
    if out is None:
        return QuantizedTensor(_core.clone(x._codes), x._parameters)
    arguments = (*x._parameters.operand(x._codes), *_target(operator, out)._parameters.result(out.ndim))
    _core.quantize(operator, *arguments, out._codes)
    return out  # type: ignore[no-any-return]


def _astype(operator: str, x: QuantizedTensor, dtype: DTypeLike, copy: bool) -> Tensor:
    wanted = as_dtype(dtype, operator)
    if wanted is float32:
        return x.dequantize()
    return _core.astype(x._parameters.decoded(x._codes, float64), wanted, True)


def _finite(operator: str, x: QuantizedTensor, out: Tensor | None = None) -> Tensor:
    return getattr(_core, operator)(x._codes, out)  # type: ignore[no-any-return]


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
    **dict.fromkeys(COMPARISONS, _compare),
}
TABLE = table_of(_OF_ONE_TENSOR, _OF_MANY)
