"""Quantized tensors: integers that represent real numbers by a scale and a zero point (7.2.1.15).

`types` contains the eight element types, `parameters` contains the arithmetic of scales and zero points, and `tensor`
contains the class.
`suanzi.kinds.quantized` has the operators on the class, and `suanzi.operators.creation.quantized` creates quantized
tensors.
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
