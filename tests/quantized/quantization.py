"""Helpers of the tests of quantized tensors: types, random tensors, their exact real values, and the error bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import suanzi
from suanzi import (
    QuantizedTensor,
)

# Table 17 of the standard. The columns are the type's name, NumPy's type of the codes, True if the type is symmetric,
# and True if the type has a scale for each channel.
TYPES = {
    "qint8": (np.int8, True, False),
    "qint16": (np.int16, True, False),
    "quint8": (np.uint8, False, False),
    "qint8_asymmetric": (np.int8, False, False),
    "quint16": (np.uint16, False, False),
    "qint16_asymmetric": (np.int16, False, False),
    "qint8_per_channel": (np.int8, True, True),
    "qint16_per_channel": (np.int16, True, True),
}
PER_TENSOR = tuple(name for name, (_, _, channels) in TYPES.items() if not channels)
SCALED = [*((name, 0) for name in PER_TENSOR), ("qint8_per_channel", 0), ("qint16_per_channel", 1)]
SHAPES = [(), (0,), (1,), (7,), (3, 4), (0, 3), (1, 500), (500, 1), (2, 3, 4)]


def limits(name: str) -> tuple[int, int]:
    storage, symmetric, _ = TYPES[name]
    info = np.iinfo(storage)
    return (-int(info.max) if symmetric else int(info.min)), int(info.max)


def exact(x: QuantizedTensor) -> np.ndarray:
    """Return the real values of a quantized tensor as fractions."""
    codes = x.codes.numpy().astype(object)
    scale = np.vectorize(Fraction, otypes=[object])(x.scale.numpy().astype(np.float64))
    if x.axis is not None:
        scale = scale.reshape(-1, *(1,) * (x.ndim - x.axis - 1))
    return np.asarray((codes - x.zero_point) * scale, object)


def made(
    rng: np.random.Generator, shape: tuple[int, ...], name: str, scale: float | None = None, axis: int = 0
) -> QuantizedTensor:
    """Make a quantized tensor of type `name` with random codes, a random zero point, and random scales by default."""
    storage, symmetric, channels = TYPES[name]
    least, greatest = limits(name)
    codes = rng.integers(least, greatest, shape, endpoint=True).astype(storage)
    zero = None if symmetric else int(rng.integers(least, greatest, endpoint=True))
    scales: Any = float(2.0 ** rng.uniform(-8, 4)) if scale is None else scale
    if channels:
        scales = (2.0 ** rng.uniform(-8, 4, shape[axis])).astype(np.float32)
    return suanzi.quantized_tensor(
        shape, codes, scale=scales, zero_point=zero, axis=axis if channels else None, dtype=name
    )


# The greatest error that the tests allow, in steps. Suanzi guarantees one step. Rounding contributes half a step. If
# Suanzi computes the scale, the rounding of the scale moves the ends of the range as well, by up to 65,535 times half a
# unit in float32's last place.
BOUND = Fraction(51, 100)


def within_one_step(result: QuantizedTensor, expected: Any, saturating: bool = False) -> None:
    expected = np.asarray(expected, object)
    assert result.shape == expected.shape
    steps = np.vectorize(Fraction, otypes=[object])(result.scale.numpy().astype(np.float64))
    if result.axis is not None:
        steps = steps.reshape(-1, *(1,) * (result.ndim - result.axis - 1))
    if saturating:
        bounds = [(code - result.zero_point) * steps for code in limits(str(result.dtype))]
        expected = np.minimum(np.maximum(expected, bounds[0]), bounds[1])
    error = np.abs(exact(result) - expected)
    assert np.all(error <= steps * BOUND), np.max(error / steps)


@st.composite
def operands(draw: st.DrawFn, names: tuple[str, ...] = tuple(TYPES)) -> tuple[QuantizedTensor, QuantizedTensor]:
    """Make two random quantized tensors whose shapes broadcast to one shape."""
    shapes = draw(arrays.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=3, max_side=4, min_side=0))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    first, second = (
        made(rng, shape, draw(st.sampled_from(names)), axis=draw(st.integers(0, len(shape) - 1)))
        for shape in shapes.input_shapes
    )
    return first, second
