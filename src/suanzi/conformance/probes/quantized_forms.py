"""Quantized tensors as plain data: numbers that codes represent exactly, for every type, scale and zero point.

The checks read a provider's quantized tensor by the provider's `dequantize`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..oracle.element_types import Array
from ..provider import BlockedError, Provider, needed

CLAIM = "quantized operands"


@dataclass(frozen=True, slots=True, eq=False)
class Quantized:
    """A quantized tensor as plain data."""

    array: Array  # the real numbers that the codes represent
    type: str
    scale: float | tuple[float, ...] = 0.5
    zero: int | None = None
    axis: int | None = None

    def made(self, provider: Provider, data: Array | None = None) -> Any:
        options: dict[str, Any] = {"dtype": self.type}
        options["scale"] = list(self.scale) if isinstance(self.scale, tuple) else self.scale
        options |= {} if self.zero is None else {"zero_point": self.zero}
        options |= {} if self.axis is None else {"axis": self.axis}
        create = needed(provider, "quantized_tensor")
        numbers = self.array if data is None else data
        return create(numbers.shape, provider.from_numpy(numbers), **options)

    @property
    def steps(self) -> int:
        """Return the number of steps on each side of 0 for a result of the type."""
        return 32767 if "16" in self.type else 127


# Types with one scale and one zero point, and types with scales of channels along an axis.
_KINDS: tuple[tuple[str, float, int | None], ...] = (
    ("qint8", 0.5, None),
    ("qint16", 0.25, None),
    ("quint8", 0.5, 128),
    ("quint8", 0.5, 60),
    ("qint8_asymmetric", 0.25, -20),
    ("quint16", 0.125, 1000),
    ("qint16_asymmetric", 0.5, -32768 + 500),
)
_CHANNELS: tuple[tuple[str, int], ...] = (
    ("qint8_per_channel", 0),
    ("qint8_per_channel", 1),
    ("qint16_per_channel", -1),
    ("qint16_per_channel", 0),
)
SHAPE = (4, 6)


def _numbers(place: int, scale: Any) -> Array:
    """Return multiples of the scale, from -20 to 20 times the scale. Some places have the same number in all
    operands.
    """
    codes = (7 * np.arange(24) + 11 * place) % 41 - 20
    numbers = np.array(codes.reshape(SHAPE) * scale, np.float32)
    numbers.flat[[3, 9, 15]] = 0, 4, -4
    return numbers


def operands(place: int) -> Iterator[tuple[str, Quantized]]:
    """Yield names and quantized tensors of every kind. `place` distinguishes the operands of one call."""
    for name, scale, zero in _KINDS:
        yield f"{name}, zero point {zero}" if zero else name, Quantized(_numbers(place, scale), name, scale, zero)
    for name, axis in _CHANNELS:
        scales = tuple(0.25 * 2.0 ** (i % 3) for i in range(SHAPE[axis]))
        column = np.array(scales).reshape((-1, 1) if axis % 2 == 0 else (1, -1))
        yield f"{name} along {axis}", Quantized(_numbers(place, column), name, scales, None, axis)


def asked(provider: Provider, function: str, *args: Any, **options: Any) -> Any:
    """Return the result of a provider's function on quantized tensors. If the provider does not claim quantized
    operands, an error of the function becomes BlockedError.
    """
    operate = needed(provider, function)
    given = [provider.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args]
    try:
        return operate(*given, **options)
    except Exception as error:
        if CLAIM in provider.claims:
            raise
        raise BlockedError(f"does not accept quantized tensors: {error}") from None


def real_of(provider: Provider, x: Any) -> Array:
    return np.asarray(provider.to_numpy(needed(provider, "dequantize")(x)))


def unequal(found: Array, wanted: Array, what: str = "") -> str | None:
    if found.shape != wanted.shape:
        return f"{what}returned shape {found.shape}, not {wanted.shape}"
    return None if np.array_equal(found, wanted) else f"{what}returned {found.tolist()}, not {wanted.tolist()}"
