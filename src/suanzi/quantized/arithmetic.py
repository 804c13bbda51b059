"""Arithmetic and comparison of quantized tensors, computed from their codes.

With ``A = code - zero_point`` of the one and ``B`` of the other operand,

- a product is ``(A * B) * (scale_a * scale_b)``, a matrix product ``sum(A * B) * (scale_a * scale_b)``, and a sum under
  one scale ``(A + B) * scale``. The integers in front are exact: int32, or int64 where they could pass 32 bits. Where
  the factor behind is one number, no real result is made: the integers are divided by ``scale / factor``.
- a sum under two scales is ``A * scale_a + B * scale_b`` in float64, where each product, of at most 41 bits, is exact.

So the real result in units of its scale is found with at most five roundings to 53 bits; as a code has at most 17 bits,
it is off by less than 2^-33. Rounding it to a code leaves an error of at most half a step (one scale) and 2^-33: always
within one step, unless the result saturates.

The parameters of a result are the finest that cover it, or those of `out`, in whose range it then saturates.
Comparisons are of exact real numbers. At most 24 bytes for each element are needed while an operator runs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.parameters import Parameters, covering
from suanzi.quantized.tensor import IMPLEMENTATIONS, QuantizedTensor, first_quantized, quantized
from suanzi.quantized.types import common_type
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, float32, float64, int32, int64
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

_Reals = Tensor | float


def real_of(operator: str, operand: Any) -> _Reals:
    """The exact real numbers of an operand: float64, or a number as it is."""
    if isinstance(operand, QuantizedTensor):
        return operand.parameters.decoded(operand.codes, float64)
    if isinstance(operand, Real):
        try:
            return float(operand)
        except OverflowError:
            raise OutOfRangeError(f"{operator}: {operand} is past float64") from None
    raise TypeMismatchError(
        f"{operator}: {type(operand).__name__} beside a quantized tensor is neither one nor a real number"
    )


class _Result(NamedTuple):
    """The numbers ``whole * factor``."""

    whole: Tensor
    factor: Tensor | None = None  # a positive scalar; None is 1


def _scaled(whole: Tensor, factor: Tensor) -> _Result:
    """Integers with a factor of float64: multiplied out where it differs among them."""
    return _Result(whole, factor) if factor.ndim == 0 else _Result(_core.multiply(whole, factor))


def _finished(operator: str, result: _Result, operands: tuple[Any, ...], out: Any, axis: int | None) -> QuantizedTensor:
    """A result as a quantized tensor: in the parameters of `out`, or the finest that cover it."""
    if out is None:
        kinds = [x.dtype for x in operands if isinstance(x, QuantizedTensor)]
        kind = common_type(kinds, axis is not None)
        parameters = covering(operator, result.whole, kind, axis if kind.per_channel else None, result.factor)
        return QuantizedTensor(parameters.encoded(*result), parameters)
    if not isinstance(out, QuantizedTensor):
        raise TypeMismatchError(f"{operator}: out is a {type(out).__name__}, not a quantized tensor")
    if out.shape != result.whole.shape:
        raise DimensionsMismatchError(f"{operator}: out has shape {out.shape}, the result {result.whole.shape}")
    _core.copy_into(out.codes, out.parameters.encoded(*result))
    return out


def _channels(shape: tuple[int, ...], operands: tuple[Any, ...]) -> int | None:
    """The axis of a broadcast result that is the axis of channels of every operand that has one."""
    axes = {
        (x.axis - x.ndim, x.shape[x.axis]) for x in operands if isinstance(x, QuantizedTensor) and x.axis is not None
    }
    if len(axes) != 1:
        return None
    ((from_end, channels),) = axes
    return from_end + len(shape) if shape[from_end] == channels else None


def _whole_type(operator: str, p1: Parameters, p2: Parameters, terms: int) -> DType:
    """The integer type that holds a sum of so many products."""
    greatest = max(terms, 1)
    for p in (p1, p2):
        greatest *= max(abs(code - p.zero_point) for code in p.dtype.codes)
    if greatest >= 2**63:
        raise InvalidArgumentError(f"{operator}: the sum of {terms} products may pass 64 bits")
    return int32 if greatest < 2**31 else int64


def _whole(x: QuantizedTensor, dtype: DType = int32) -> Tensor:
    return _core.astype(x.parameters.centred(x.codes), dtype, False)


def _product(operator: str, x1: Any, x2: Any) -> _Result:
    if not (isinstance(x1, QuantizedTensor) and isinstance(x2, QuantizedTensor)):
        return _Result(_core.multiply(real_of(operator, x1), real_of(operator, x2)))
    whole = _whole_type(operator, x1.parameters, x2.parameters, 1)
    factor = _core.multiply(x1.parameters.scales(x1.ndim, float64), x2.parameters.scales(x2.ndim, float64))
    return _scaled(_core.multiply(_whole(x1, whole), _whole(x2, whole)), factor)


def _sum(operator: str, x1: Any, x2: Any) -> _Result:
    """What moves with a common scale: sums, differences and extremes."""
    function = getattr(_core, operator)
    if isinstance(x1, QuantizedTensor) and isinstance(x2, QuantizedTensor) and x1.axis is None and x2.axis is None:
        scale = x1.parameters.scales(x1.ndim, float64)
        if scale.item() == x2.scale.item():
            return _Result(function(_whole(x1), _whole(x2)), scale)
    return _Result(function(real_of(operator, x1), real_of(operator, x2)))


def _elementwise(compute: Callable[[str, Any, Any], _Result]) -> Callable[..., QuantizedTensor]:
    def implementation(operator: str, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
        for x in (x1, x2):
            if isinstance(x, Real) and not isfinite(real_of(operator, x)):
                raise InvalidArgumentError(f"{operator}: {x} is not finite, no code stands for the result")
        result = compute(operator, x1, x2)
        return _finished(operator, result, (x1, x2), out, _channels(result.whole.shape, (x1, x2)))

    return implementation


def _compare(operator: str, x1: Any, x2: Any, out: Tensor | None = None) -> Tensor:
    return getattr(_core, operator)(real_of(operator, x1), real_of(operator, x2), out)  # type: ignore[no-any-return]


def _matmul(operator: str, x1: Any, x2: Any, out: Any = None) -> QuantizedTensor:
    x1, x2 = quantized(operator, x1), quantized(operator, x2)
    left, right = _factor(operator, x1, x1.ndim - 1), _factor(operator, x2, max(x2.ndim - 2, 0))
    whole = _whole_type(operator, x1.parameters, x2.parameters, x1.shape[-1] if x1.ndim else 1)
    sums = _core.matmul(_whole(x1, whole), _whole(x2, whole), None)
    if x2.ndim == 1 and left.ndim > 1:  # the result has no columns
        left = left[..., 0]
    if x1.ndim == 1 and right.ndim > 1:  # nor rows
        right = right[..., 0, :]
    return _finished(operator, _scaled(sums, _core.multiply(left, right)), (x1, x2), out, None)


def _factor(operator: str, x: QuantizedTensor, summed: int) -> Tensor:
    """The scales of an operand of matmul: one, or of the rank of `x` with size 1 along the axis that is summed."""
    scales = x.parameters.scales(x.ndim, float64)
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
    return _finished(operator, _Result(function(real_of(operator, x))), (x,), out, x.axis)


def _positive(operator: str, x: QuantizedTensor, out: Any = None) -> QuantizedTensor:
    if out is None:
        return QuantizedTensor(_core.clone(x.codes), x.parameters)
    return _finished(operator, _Result(x.parameters.decoded(x.codes, float64)), (x,), out, x.axis)


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
IMPLEMENTATIONS.update({name: first_quantized(function) for name, function in _OF_ONE_TENSOR.items()})
IMPLEMENTATIONS.update(
    {
        **dict.fromkeys(("add", "subtract", "maximum", "minimum"), _elementwise(_sum)),
        "multiply": _elementwise(_product),
        "matmul": _matmul,
        **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), _compare),
    }
)
