"""The eight quantized element types of 7.2.1.15, as data."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from suanzi.tensor.dtypes import DType, int8, int16, uint8, uint16
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import TypeMismatchError


class QuantizedType(NamedTuple):
    """A quantized type: ``real = scale * (code - zero_point)`` (量化类型).

    A quantized type equals its name, such as ``"qint16"``, and has the hash of the name.

    Attributes
    ----------
    name : str
        The name, such as ``"qint16"``.
    storage : DType
        The element type of the codes.
    symmetric : bool
        True if the zero point is 0 and the least code is the negative of the greatest code. The negative of every code
        is then a code (-128 is not a code of qint8).
    per_channel : bool
        True if every position along one axis has a scale of its own.
    codes : tuple of int
        The least and the greatest code.
    """

    name: str
    storage: DType
    symmetric: bool
    per_channel: bool
    codes: tuple[int, int]

    def __eq__(self, other: object) -> bool:
        return self is other or self.name == (other.name if isinstance(other, QuantizedType) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"suanzi.{self.name}"

    def __str__(self) -> str:
        return self.name


def _kind(name: str, storage: DType, symmetric: bool, per_channel: bool) -> QuantizedType:
    least, greatest = storage.limits
    return QuantizedType(name, storage, symmetric, per_channel, (-greatest if symmetric else least, greatest))


# The types in the order of Table 17.
QUANTIZED_TYPES = (
    _kind("qint8", int8, True, False),
    _kind("qint16", int16, True, False),
    _kind("quint8", uint8, False, False),
    _kind("qint8_asymmetric", int8, False, False),
    _kind("quint16", uint16, False, False),
    _kind("qint16_asymmetric", int16, False, False),
    _kind("qint8_per_channel", int8, True, True),
    _kind("qint16_per_channel", int16, True, True),
)
(
    qint8,
    qint16,
    quint8,
    qint8_asymmetric,
    quint16,
    qint16_asymmetric,
    qint8_per_channel,
    qint16_per_channel,
) = QUANTIZED_TYPES

QuantizedTypeName: TypeAlias = Literal[
    "qint8",
    "qint16",
    "quint8",
    "qint8_asymmetric",
    "quint16",
    "qint16_asymmetric",
    "qint8_per_channel",
    "qint16_per_channel",
]
QuantizedTypeLike: TypeAlias = QuantizedType | QuantizedTypeName

_BY_NAME = {kind.name: kind for kind in QUANTIZED_TYPES}
_BY_PROPERTIES = {kind[1:4]: kind for kind in QUANTIZED_TYPES}


def as_quantized_type(value: Any, operator: str) -> QuantizedType:
    """Return `value` if `value` is a quantized type, or the quantized type with the name `value`."""
    if isinstance(value, QuantizedType):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    raise TypeMismatchError(f"{operator}: {shown(value)} is not a quantized type{hint('quantized type', value)}")


def common_type(kinds: list[QuantizedType], per_channel: bool) -> QuantizedType:
    """Return the type of a result computed from tensors of given types.

    The result has the widest storage of the given types. The result is unsigned only if all types are unsigned. The
    result is symmetric only if all types are symmetric. Only a symmetric result can have a scale for each channel.
    """
    itemsize = max(kind.storage.itemsize for kind in kinds)
    if all(kind.storage in (uint8, uint16) for kind in kinds):
        return _BY_PROPERTIES[uint8 if itemsize == 1 else uint16, False, False]
    symmetric = all(kind.symmetric for kind in kinds)
    return _BY_PROPERTIES[int8 if itemsize == 1 else int16, symmetric, symmetric and per_channel]
