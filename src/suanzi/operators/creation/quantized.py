"""Quantized tensors, and conversions between real numbers and codes (7.2.1.15)."""

from __future__ import annotations

import math
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike, LayoutLike, Shape
from suanzi.operators.creation.initialisers import copied, filled_from
from suanzi.operators.registry import operator
from suanzi.operators.scratch import size
from suanzi.quantized.parameters import Parameters, channel_axis, finest, is_real, parameters_of
from suanzi.quantized.tensor import QuantizedTensor
from suanzi.quantized.types import QuantizedType, QuantizedTypeLike, as_quantized_type, qint16
from suanzi.tensor.exchange import source
from suanzi.tensor.layout import dense_order
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, TypeMismatchError

_STATUSES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_PARAMETERS = {
    "scale": "scale : float or array_like, optional\n"
    "    A positive number, rounded to float32. For per-channel types, a vector with a scale for each position\n"
    "    along `axis`. By default the function selects the smallest scale that covers the values, and the zero\n"
    "    point of this scale.",
    "zero_point": "zero_point : int, optional\n"
    "    The code that represents 0, for asymmetric types. If `zero_point` is given, `scale` is required.",
    "axis": "axis : int, optional\n    The axis of the channels, for per-channel types, by default the first axis.",
    "dtype": "dtype : QuantizedType or str, optional\n"
    "    ``qint8``, ``qint16``, ``quint8``, ``qint8_asymmetric``, ``quint16``,\n"
    "    ``qint16_asymmetric``, ``qint8_per_channel`` or ``qint16_per_channel``.",
}


@operator("", (*_STATUSES, "INTERNAL_ERROR"), parameters=_PARAMETERS, scratch=8 * size("result"), family="creation")
def quantized_tensor(
    shape: Shape | None,
    data: Any = None,
    *,
    scale: Any = None,
    zero_point: int | None = None,
    axis: int | None = None,
    dtype: QuantizedTypeLike = qint16,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> QuantizedTensor:
    """A tensor of integers that represent real numbers (创建量化张量).

    A code represents the number ``scale * (code - zero_point)``.

    Parameters
    ----------
    shape : int or sequence of int or None
        The shape. If `shape` is None, the tensor has the shape of `data`. If `data` have at most one dimension and
        another shape than `shape`, the tensor contains the elements of `data` in order. Elements of the tensor that
        `data` does not cover are 0, and further elements of `data` are left out. Data of more dimensions must have the
        shape `shape`.
    data : array_like, optional
        Real numbers or codes. Real numbers are rounded to the nearest code (half to even, saturating at the least and
        the greatest code). Data with an integer element type are codes. Python's numbers count as real numbers. If
        `data` is None, every element is 0.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory.

    Returns
    -------
    QuantizedTensor
        A quantized tensor that owns its memory. If `scale` is not given, the scale is 1 for data that are codes and for
        a tensor without data.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.quantized_tensor(None, [[0.5, -1.0], [0.3, 2.0]], scale=0.25)
    quantized_tensor([[ 0.5 , -1.  ],
                      [ 0.25,  2.  ]], scale=0.25, dtype=qint16)
    >>> suanzi.quantized_tensor((2, 2), [0.5, 1.0, 1.1], scale=0.25, zero_point=128, dtype="quint8").codes
    tensor([[130, 132],
            [132, 128]], dtype=uint8)
    """
    made = _made("quantized_tensor", shape, data, scale, zero_point, axis, dtype, layout)
    return made if device is None else made.to_device(device)


def _made(
    name: str, shape: Any, data: Any, scale: Any, zero_point: Any, axis: Any, dtype: Any, layout: Any
) -> QuantizedTensor:
    """Make the result of `quantized_tensor` on the device of `data`."""
    kind = as_quantized_type(dtype, name)
    if data is None and shape is None:
        raise InvalidArgumentError(f"{name}: shape is required where data is None")
    values, typed = source(0.0 if data is None else data, name)
    check_real(name, values)
    sizes = values.shape if shape is None else _core.read_shape(name, shape, 0)
    order = dense_order(layout, len(sizes), name)
    if data is None or (typed and values.dtype.is_integer):
        parameters = given_parameters(name, kind, values, sizes, scale, zero_point, axis)
        return QuantizedTensor(_codes(name, None if data is None else values, sizes, parameters, order), parameters)
    if sizes != values.shape or order is not None:
        values = filled_from(values, sizes, values.dtype, order, name)
    return quantized_as(name, values, kind, scale, zero_point, axis)


def check_real(name: str, values: Tensor) -> None:
    if not is_real(values.dtype) and values.size > 0:
        raise TypeMismatchError(f"{name}: {values.dtype} elements are not real numbers")


def given_parameters(
    name: str,
    kind: QuantizedType,
    beside: Tensor,
    shape: tuple[int, ...],
    scale: Any,
    zero_point: Any,
    axis: int | None,
) -> Parameters:
    """Return the parameters of a quantized tensor from the arguments of a call.

    The parameters are on the device of `scale` if `scale` is a tensor, and otherwise on the device of `beside`.
    """
    if scale is None and zero_point is not None:
        raise InvalidArgumentError(f"{name}: zero_point {shown(zero_point)} is given without a scale")
    found = parameters_of(name, kind, shape, scale, zero_point, axis)
    return found if type(beside) is Tensor or isinstance(scale, Tensor) else found.beside(beside)


def quantized_as(
    name: str, values: Tensor, kind: QuantizedType, scale: Any, zero_point: Any, axis: int | None
) -> QuantizedTensor:
    """Quantize real numbers with `scale` and `zero_point`.

    If `scale` and `zero_point` are None, the function selects the smallest scale that covers the numbers.
    """
    if scale is None and zero_point is None:
        return QuantizedTensor(*finest(name, values, kind, channel_axis(name, kind, values.ndim, axis)))
    parameters = given_parameters(name, kind, values, values.shape, scale, zero_point, axis)
    return QuantizedTensor(parameters.encoded(name, values), parameters)


def _codes(
    name: str, values: Tensor | None, shape: tuple[int, ...], parameters: Parameters, order: tuple[int, ...] | None
) -> Tensor:
    """Check the codes `values`, and return a tensor of `shape` with the codes.

    Elements that `values` do not cover have the code of the number 0. If `values` is None, all elements have the code
    of 0.
    """
    storage, zero = parameters.dtype.storage, parameters.zero_point
    if values is None:
        codes, given = _core.allocate(name, shape, storage, order, zero == 0), 0
    else:
        check_codes(name, values, parameters)
        if order is None and values.shape == shape:
            return copied(name, values, storage, None)
        codes, given = filled_from(values, shape, storage, order, name), values.size
    if zero != 0 and given < math.prod(shape):
        _core.in_memory(codes)[given:] = zero
    return codes


def check_codes(name: str, values: Tensor, parameters: Parameters) -> None:
    kind = parameters.dtype
    own = values.dtype is kind.storage
    if values.size == 0 or (own and not kind.symmetric):
        return
    least, greatest = kind.codes
    # The integer type of symmetric codes contains only one number that is not a code, the least number.
    for extreme in (_core.min,) if own else (_core.min, _core.max):
        code = int(extreme(values, None, False, None))
        if not least <= code <= greatest:
            raise OutOfRangeError(f"{name}: code {code} is outside [{least}, {greatest}] of {kind}")


@operator("IF", _STATUSES, of="quantized_tensor", parameters=_PARAMETERS, family="conversion")
def quantize(
    x: Tensor,
    /,
    scale: Any = None,
    zero_point: int | None = None,
    *,
    axis: int | None = None,
    dtype: QuantizedTypeLike = qint16,
) -> QuantizedTensor:
    """A quantized tensor that represents the real numbers of a tensor (创建量化张量).

    Parameters
    ----------
    x : Tensor
        A tensor of any shape. Integers count as real numbers.

    Returns
    -------
    QuantizedTensor
        A quantized tensor with the codes ``x / scale + zero_point``. The quotient is rounded half to even. Codes
        saturate at the least and the greatest code. The codes are exact if an element of `x` has at most 32 bits.
        Otherwise the quotient is first rounded to float64. The status is INVALID_ARGUMENT for NaN, and, if `scale` is
        not given, for infinities.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.tensor([-1.0, 0.0, 0.125, 0.375, 100.0])
    >>> print(suanzi.quantize(x, 0.25, 10, dtype="quint8").codes)
    [  6  10  10  12 255]
    """
    kind = as_quantized_type(dtype, "quantize")
    check_real("quantize", _core.read_tensor("quantize", x))
    return quantized_as("quantize", x, kind, scale, zero_point, axis)


@operator("", ("TYPE_MISMATCH",), of="quantized_tensor", family="conversion")
def dequantize(x: QuantizedTensor, /) -> Tensor:
    """The real numbers that a quantized tensor represents (创建量化张量).

    Parameters
    ----------
    x : QuantizedTensor
        A quantized tensor of any shape and type.

    Returns
    -------
    Tensor
        ``scale * (code - zero_point)`` in float32, correctly rounded.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.quantized_tensor(None, [0.5, 1.1], scale=0.25)
    >>> print(suanzi.dequantize(x))
    [0.5 1. ]
    """
    return _quantized_argument("dequantize", x).dequantize()


@operator("", _STATUSES, of="quantized_tensor", parameters=_PARAMETERS, scratch=8 * size("x"), family="conversion")
def requantize(
    x: QuantizedTensor,
    /,
    scale: Any = None,
    zero_point: int | None = None,
    *,
    axis: int | None = None,
    dtype: QuantizedTypeLike | None = None,
) -> QuantizedTensor:
    """The numbers of a quantized tensor, quantized again with other parameters (创建量化张量).

    Parameters
    ----------
    x : QuantizedTensor
        A quantized tensor of any shape and type.
    dtype : QuantizedType or str, optional
        The quantized type, by default the type of `x`. If `axis` is not given and the type is per-channel, the channels
        run along the same axis as the channels of `x`.

    Returns
    -------
    QuantizedTensor
        A quantized tensor whose codes are nearest to the real numbers of `x`, rounded half to even.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.quantized_tensor(None, [0.5, 1.0, -2.0], scale=0.25)
    >>> print(suanzi.requantize(x, 0.5, dtype="qint8").codes)
    [ 1  2 -4]
    """
    name = "requantize"
    known = _quantized_argument(name, x)
    kind = known.dtype if dtype is None else as_quantized_type(dtype, name)
    along = known.axis if axis is None and kind.per_channel else axis
    if scale is None and zero_point is None:
        channels = channel_axis(name, kind, known.ndim, along)
        return QuantizedTensor(*finest(name, known.codes, kind, channels, *known.parameters.operand(known.codes)[1:]))
    parameters = given_parameters(name, kind, known.codes, known.shape, scale, zero_point, along)
    return QuantizedTensor(parameters.encoded(name, *known.parameters.operand(known.codes)), parameters)


def _quantized_argument(name: str, x: Any) -> QuantizedTensor:
    if not isinstance(x, QuantizedTensor):
        raise TypeMismatchError(f"{name}: {type(x).__name__} is not a quantized tensor")
    _core.read_tensor(name, x._codes)
    return x
