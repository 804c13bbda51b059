"""Scales and zero points: reading, choice for given values, and conversion.

A scale is a float32. Therefore both conversions round only once:

- decoding: code - zero_point has at most 17 bits, and the product with a scale has at most 41 bits. The product is
  exact in float64, and rounded once in float32.
- encoding: values are divided by the scale as if in float64. Consider the quotient of a number of 24 bits, or of a
  decoded number of 41 bits, by a scale of 24 bits. A midpoint is half an odd number of at most 18 bits. Unless the
  quotient equals a midpoint, the quotient differs from every midpoint by more than 2^-43 of its own size. The error of
  float64 is only 2^-53 of that size. Therefore float32 values and codes are rounded half to even as their exact
  quotients would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from suanzi import _core
from suanzi._core import Tensor
from suanzi.quantized.types import QuantizedType
from suanzi.tensor.dtypes import DType, float32, int32
from suanzi.tensor.exchange import source
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

LEAST_SCALE = 2.0**-126  # the least scale chosen for values: the least normal float32
_GREATEST_SCALE = 2.0**128 - 2.0**104
_PLAIN = None, None  # neither a device nor a layout is requested


@dataclass(slots=True, eq=False)
class Parameters:
    """The parameters that map codes to real numbers. The parameters are immutable, because tensors share parameters."""

    dtype: QuantizedType
    scale: Tensor  # float32, of shape () or (channels,)
    zero_point: int
    axis: int | None  # the axis of the channels

    def __reduce__(self) -> tuple[Any, ...]:
        return Parameters, (self.dtype, self.scale, self.zero_point, self.axis)

    def agrees(self, other: Parameters) -> bool:
        """Return whether every code represents the same number with the parameters `self` and with `other`."""
        if (self.dtype, self.zero_point, self.axis) != (other.dtype, other.zero_point, other.axis):
            return False
        return self.scale is other.scale or bool(_core.array_equal(self.scale, other.scale))

    def scales(self, ndim: int) -> Tensor:
        """Return the scale in a shape that broadcasts to the shape of a tensor with `ndim` dimensions."""
        return self.scale if self.axis is None else _core.reshape(self.scale, (-1, *(1,) * (ndim - self.axis - 1)))

    def operand(self, codes: Tensor) -> tuple[Tensor, Tensor, int]:
        """Return codes and their parameters in the form that the core accepts."""
        return codes, self.scales(codes.ndim), self.zero_point

    def result(self, ndim: int) -> tuple[Tensor, int, DType, bool]:
        """Return the core's parameters for making codes: scale, zero point, element type, symmetry."""
        return self.scales(ndim), self.zero_point, self.dtype.storage, self.dtype.symmetric

    def centred(self, codes: Tensor) -> Tensor:
        """Return ``code - zero_point`` as int32, or the codes themselves if the zero point is 0."""
        if self.zero_point == 0:
            return codes
        return _core.subtract(_core.astype(codes, int32, True), self.zero_point)

    def beside(self, codes: Tensor) -> Parameters:
        """Return the parameters with the scale on the device of the codes."""
        if type(codes) is type(self.scale) is Tensor or self.scale.device == codes.device:
            return self
        return Parameters(self.dtype, self.scale.to_device(codes.device), self.zero_point, self.axis)

    def decoded(self, codes: Tensor, dtype: DType = float32) -> Tensor:
        """Return the real numbers that codes represent, rounded once in float32 and exact in float64."""
        return _core.quantized_decode(*self.operand(codes), dtype)

    def encoded(self, operator: str, x: Tensor, scale: Tensor | float | None = None, zero_point: int = 0) -> Tensor:
        """Return the codes nearest to real numbers. Ties are rounded to the even code, and codes saturate. Raise
        INVALID_ARGUMENT for NaN.

        If `scale` and `zero_point` are given, `x` contains codes with these parameters. The function encodes the real
        numbers that the codes represent.
        """
        return _core.quantized_encode(operator, x, scale, zero_point, *self.result(x.ndim), None)


def parameters_of(
    operator: str, dtype: QuantizedType, shape: tuple[int, ...], scale: Any, zero_point: Any, axis: int | None
) -> Parameters:
    """Check and return the parameters that a caller passes. By default the scale is 1 and the zero point is 0."""
    along = channel_axis(operator, dtype, len(shape), axis)
    channels = () if along is None else (shape[along],)
    scales = _core.full(channels, 1.0, float32, *_PLAIN) if scale is None else _scale_of(operator, scale, channels)
    return Parameters(dtype, scales, _zero_point_of(operator, zero_point, dtype), along)


def channel_axis(operator: str, dtype: QuantizedType, ndim: int, axis: Any) -> int | None:
    """Return the axis of the channels, counted from the front. The default is the first axis. The result is None for a
    type without channels.
    """
    if not dtype.per_channel:
        if axis is not None:
            raise InvalidArgumentError(
                f"{operator}: axis {shown(axis)} is given, but {dtype} has one scale for all elements"
            )
        return None
    number = _core.read_integer(operator, "axis", 0 if axis is None else axis)
    if not -ndim <= number < ndim:
        raise OutOfRangeError(f"{operator}: axis {shown(number)} is outside [{-ndim}, {ndim})")
    return number % ndim


def _scale_of(operator: str, scale: Any, channels: tuple[int, ...]) -> Tensor:
    if type(scale) is float and channels == () and LEAST_SCALE <= scale <= _GREATEST_SCALE:  # as in most calls
        return _core.full((), scale, float32, *_PLAIN)
    values, _ = source(scale, operator)
    if not is_real(values.dtype):
        raise TypeMismatchError(
            f"{operator}: scale has element type {values.dtype}, which is not a type of real numbers"
        )
    if values.shape != channels:
        raise DimensionsMismatchError(f"{operator}: scale has shape {values.shape}, not {channels}")
    rounded = _core.astype(values, float32, True)
    if rounded.size > 0 and not (_least(rounded) > 0 and _greatest(rounded) < inf):
        raise OutOfRangeError(f"{operator}: scale {shown(values.tolist())} is not positive and finite in float32")
    return rounded


def _zero_point_of(operator: str, zero_point: Any, dtype: QuantizedType) -> int:
    code = 0 if zero_point is None else _core.read_integer(operator, "zero_point", zero_point)
    if dtype.symmetric and code != 0:
        raise InvalidArgumentError(f"{operator}: zero_point {shown(code)} is not 0, but {dtype} is symmetric")
    least, greatest = dtype.codes
    if not least <= code <= greatest:
        raise OutOfRangeError(f"{operator}: zero_point {shown(code)} is outside [{least}, {greatest}] of {dtype}")
    return code


def is_real(dtype: DType) -> bool:
    """Return whether the elements of a type are real numbers: integers or real floating numbers."""
    return dtype.is_integer or dtype.kind_name == "real floating"


def _least(x: Tensor) -> Any:
    return _core.min(x, None, False, None).item()


def _greatest(x: Tensor) -> Any:
    return _core.max(x, None, False, None).item()


def encoded(operator: str, parameters: Parameters, real: Any) -> Tensor:
    """Return the codes of `real`, a tensor or data from a caller. Raise INVALID_ARGUMENT if a number is NaN."""
    values, _ = source(real, operator)
    if not is_real(values.dtype):
        raise TypeMismatchError(
            f"{operator}: the values have element type {values.dtype}, which is not a type of real numbers"
        )
    if values is not real and type(parameters.scale) is not Tensor:  # host data and a scale on a device
        values = values.to_device(parameters.scale.device)
    return parameters.encoded(operator, values)


def finest(
    operator: str,
    x: Tensor,
    dtype: QuantizedType,
    axis: int | None,
    scale: Tensor | float | None = None,
    zero_point: int = 0,
) -> tuple[Tensor, Parameters]:
    """Return codes of real numbers, and the finest parameters that cover the numbers, except for rounding errors.

    If `scale` and `zero_point` are given, `x` contains codes with these parameters. The function encodes the real
    numbers that the codes represent.
    """
    kind = (dtype.storage, dtype.symmetric, axis)
    codes, scales, zero = _core.quantize_finest(operator, x, scale, zero_point, *kind)
    return codes, Parameters(dtype, scales, zero, axis)
