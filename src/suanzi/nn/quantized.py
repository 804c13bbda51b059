"""Operators of neural networks on quantized tensors: convolutions in integers, and pooling.

The sums of products of ``code - zero_point`` in a convolution are exact, except for sums of more than 2^21 codes of 16
bits, which float64 may round. The product of the two scales is exact in float64. The product of a sum and the product
of the scales is rounded once to 53 bits, and a bias is added in float64. The result is then encoded once, with the
finest parameters that cover the result or with the parameters of `out`. Besides the result, a convolution needs at most
17 bytes for each element of the result. If codes have 16 bits, a convolution also needs at most 8 bytes for each
element of the operands.
"""

from __future__ import annotations

from math import prod
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.call import Call
from suanzi.kinds.quantized.arithmetic import finished, kind_of, real_of
from suanzi.kinds.quantized.movement import moved
from suanzi.kinds.quantized.operands import TABLE
from suanzi.nn import activations, convolution, pooling, selection  # noqa: F401
from suanzi.operators.composition import tensor_operand
from suanzi.quantized.parameters import Parameters
from suanzi.quantized.tensor import QuantizedTensor, quantized
from suanzi.tensor.dtypes import float64, int32
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

# The imports from suanzi.nn declare the operators. The table accepts rows only for operators with records.


@TABLE.rows("conv", several=True, out=True)
def conv(call: Call) -> QuantizedTensor:
    """Convolve a quantized tensor with a quantized weight. The weight may have a scale for each output channel."""
    x, weight = quantized(call.name, call.x), quantized(call.name, call.weight)
    for operand, title in ((x, "x"), (weight, "weight")):
        if operand.axis not in (None, 0):
            raise InvalidArgumentError(
                f"{call.name}: {title} has channels along axis {operand.axis}, which is summed; requantize per tensor"
            )
    real = _core.multiply(_core.astype(_sums(call, x, weight), float64, True), _scales(x, weight))
    if call.bias is not None:
        real = _core.add(real, _per_channel(call.name, real_of_bias(call.name, call.bias), weight))
    return finished(call.name, real, kind_of((x, weight), None), None, call.out)


def real_of_bias(operator: str, bias: Any) -> Tensor:
    """Return the numbers of a bias in float64. The bias may be a quantized tensor."""
    if isinstance(bias, QuantizedTensor):
        return real_of(operator, bias)  # type: ignore[no-any-return]
    return _core.astype(tensor_operand(operator, bias), float64, True)


def _per_channel(operator: str, bias: Tensor, weight: QuantizedTensor) -> Tensor:
    """Return a bias in a shape that broadcasts to the shape of the convolution's result."""
    channels = weight.shape[0]
    if bias.shape != (channels,):
        raise DimensionsMismatchError(f"{operator}: bias has shape {bias.shape}, not {(channels,)}")
    return _core.reshape(bias, (channels, *(1,) * (weight.ndim - 2)))


def _scales(x: QuantizedTensor, weight: QuantizedTensor) -> Tensor:
    """Return the products of the scales of `x` and `weight`, exact in float64, in a shape that broadcasts to the shape
    of the convolution's result.
    """
    of_x = _core.astype(x._parameters.scales(x.ndim), float64, True)
    of_weight = _core.astype(weight._parameters.scale, float64, True)
    if weight.axis is not None:
        of_weight = _core.reshape(of_weight, (-1, *(1,) * (weight.ndim - 2)))
    return _core.multiply(of_x, of_weight)


def _sums(call: Call, x: QuantizedTensor, weight: QuantizedTensor) -> Tensor:
    """Return the convolution of the codes of `x` with the codes of `weight`, each code minus its zero point, as
    integers or in float64.
    """
    options = (call.stride, call.padding, call.dilation, call.groups)
    codes = x._codes, weight._codes
    in_bytes = all(type(each) is Tensor and each.dtype.itemsize == 1 for each in codes)
    if in_bytes and prod(weight.shape[1:]) * 255**2 <= int32.limits[1]:
        return _core.conv_integers(codes[0], x.zero_point, codes[1], weight.zero_point, *options)
    centred = [_core.astype(each._parameters.centred(each._codes), float64, True) for each in (x, weight)]
    return call.replaced(bias=None).on(*centred, None)  # type: ignore[no-any-return]


def _check_channels(operator: str, x: QuantizedTensor) -> None:
    """Raise INVALID_ARGUMENT if scales vary along a spatial dimension, because a window would then cover several
    scales.
    """
    if x.axis is not None and x.axis > 1:
        raise InvalidArgumentError(
            f"{operator}: windows cover several scales along axis {x.axis}; requantize per tensor"
        )


@TABLE.rows("max_pool", "adaptive_max_pool", "global_max_pool")
def greatest(call: Call) -> Any:
    """Return the greatest code of each window, because within a channel a greater code represents a greater number."""
    x = call.x
    _check_channels(call.name, x)
    found = call.on(x._codes)
    codes, *places = found if isinstance(found, tuple) else (found,)
    if x.dtype.symmetric:
        codes = _core.maximum(codes, x.dtype.codes[0])
    result = QuantizedTensor(codes, x._parameters)
    return (result, *places) if places else result


@TABLE.rows("avg_pool", "adaptive_avg_pool", "global_avg_pool")
def averages(call: Call) -> QuantizedTensor:
    """Average real numbers in float64, and encode the averages with the operand's parameters, which cover the averages.
    If `divisor_override` is given, the quotients may be greater than all elements, and have the finest parameters that
    cover the quotients.
    """
    x = call.x
    _check_channels(call.name, x)
    real = call.on(real_of(call.name, x))
    if "divisor_override" in call.places and call.divisor_override is not None:
        return finished(call.name, real, x.dtype, x.axis, None)
    parameters: Parameters = x._parameters
    return QuantizedTensor(parameters.encoded(call.name, real), parameters)


@TABLE.rows("relu", out=True)
def relu(call: Call) -> QuantizedTensor:
    """Replace negative numbers by 0. Without `out`, the parameters and the codes of other numbers do not change."""
    x = call.x
    if call.out is not None:
        return _core.maximum(x, 0, call.out)  # type: ignore[return-value]
    return QuantizedTensor(_core.maximum(x._codes, x.zero_point), x._parameters)


@TABLE.rows("pixel_shuffle", "pixel_unshuffle")
def rearranged(call: Call) -> QuantizedTensor:
    """Move the codes of a quantized tensor between channels and spatial dimensions."""
    return moved(call.name, call.x, call.on)  # type: ignore[no-any-return]
