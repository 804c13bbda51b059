"""Quantized tensors: integers that stand for real numbers by a scale and a zero point (7.2.1.15).

`types` has the eight element types, `parameters` the arithmetic of scales and zero points, `tensor` the class. The
operators for it are in `suanzi.kinds.quantized`, its creation in `suanzi.operators.creation.quantized`.
"""

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

__all__ = [
    "QUANTIZED_TYPES",
    "QuantizedTensor",
    "QuantizedType",
    "qint8",
    "qint8_asymmetric",
    "qint8_per_channel",
    "qint16",
    "qint16_asymmetric",
    "qint16_per_channel",
    "quint8",
    "quint16",
]
