"""Quantized tensors: integers that stand for real numbers by a scale and a zero point (7.2.1.15).

`types` has the eight element types, `parameters` the arithmetic of scales and zero points, `tensor` the class,
`arithmetic` and `movement` what the operators do with it. Creation is in `suanzi.operators.creation.quantized`.
"""

from suanzi import _core
from suanzi.quantized import arithmetic, movement
from suanzi.quantized.tensor import QuantizedTensor
from suanzi.quantized.types import (
    QUANTIZED_TYPES,
    QuantizedType,
    qint8,
    qint8_asymmetric,
    qint8_per_channel,
    qint16,
    qint16_asymmetric,
    qint16_per_channel,
    quint8,
    quint16,
)

_core.register_kind(QuantizedTensor, 2, arithmetic.TABLE | movement.TABLE)

__all__ = [
    "QUANTIZED_TYPES",
    "QuantizedTensor",
    "QuantizedType",
    "arithmetic",
    "movement",
    "qint8",
    "qint8_asymmetric",
    "qint8_per_channel",
    "qint16",
    "qint16_asymmetric",
    "qint16_per_channel",
    "quint8",
    "quint16",
]
