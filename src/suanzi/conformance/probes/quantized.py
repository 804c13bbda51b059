"""Probes of quantized tensors (chapter 7.2.1.15): eight types, rounding half to even, saturation, integer arithmetic.

Expected codes are computed from fractions. The probes read a provider's quantized tensors by the provider's
`dequantize`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..inputs import ORDERS, SEED, in_memory
from ..oracle.element_types import Array
from ..probe import Probe, Refusal, Scenario
from ..provider import Provider, needed
from ..status import Status

# Table 17 of the standard: the least code, the greatest code, True for types with a zero point, and True for types with
# channels.
_TYPES: dict[str, tuple[int, int, bool, bool]] = {
    "qint8": (-127, 127, False, False),
    "qint16": (-32767, 32767, False, False),
    "quint8": (0, 255, True, False),
    "qint8_asymmetric": (-128, 127, True, False),
    "quint16": (0, 65535, True, False),
    "qint16_asymmetric": (-32768, 32767, True, False),
    "qint8_per_channel": (-127, 127, False, True),
    "qint16_per_channel": (-32767, 32767, False, True),
}
_SHAPE = (3, 5)
_SCALES = (0.25, 0.75, 3.0)  # scales of channels; types without channels use the first scale


def _values(seed: int) -> Array:
    """Return three rows of numbers: ties between multiples of the first scale, neighbours of the ties, and numbers of
    every size.
    """
    rng = np.random.default_rng((SEED, seed))
    ties = rng.integers(-300, 300, _SHAPE[1]) * np.float32(0.125)
    sizes = rng.normal(size=_SHAPE[1]) * 10.0 ** rng.uniform(-3, 6, _SHAPE[1])
    return np.stack([ties, np.nextafter(ties, 9e9), sizes]).astype(np.float32)


def _parameters(name: str) -> dict[str, Any]:
    least, greatest, shifted, channels = _TYPES[name]
    options: dict[str, Any] = {"scale": list(_SCALES) if channels else _SCALES[0], "dtype": name}
    if shifted:
        options["zero_point"] = (least + greatest + 1) // 2 + 3
    return options | ({"axis": 0} if channels else {})


def _steps(name: str, row: int) -> Fraction:
    return Fraction(_SCALES[row] if _TYPES[name][3] else _SCALES[0])


def _nearest(name: str, values: Array) -> Array:
    """Return the expected real numbers of a quantized tensor: the nearest multiples of the scale, half to even, within
    the range of the codes.
    """
    least, greatest, *_ = _TYPES[name]
    zero = _parameters(name).get("zero_point", 0)
    result = np.empty(values.shape)
    for row, column in np.ndindex(values.shape):
        step = _steps(name, row)
        code = min(max(round(Fraction(float(values[row, column])) / step) + zero, least), greatest)
        result[row, column] = float((code - zero) * step)
    return result.astype(np.float32)


def _calls(provider: Provider, *names: str) -> list[Callable[..., Any]]:
    return [needed(provider, name) for name in names]


def _made(provider: Provider, name: str, seed: int) -> tuple[Any, Array]:
    (create,) = _calls(provider, "quantized_tensor")
    values = _values(seed)
    return create(_SHAPE, values, **_parameters(name)), _nearest(name, values)


def _differs(provider: Provider, tensor: Any, expected: Array) -> str | None:
    (dequantize,) = _calls(provider, "dequantize")
    actual = provider.to_numpy(dequantize(tensor))
    return None if np.array_equal(actual, expected) else f"returned {actual.tolist()}, not {expected.tolist()}"


def _creates(name: str) -> Callable[[Provider], str | None]:
    return lambda provider: _differs(provider, *_made(provider, name, 0))


def _empties(name: str) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        (create,) = _calls(provider, "quantized_tensor")
        for shape in ((0, 3), (2, 3)):
            fault = _differs(provider, create(shape, dtype=name), np.zeros(shape, np.float32))
            if fault:
                return fault
        return None

    return play


def _lies_in_order(name: str) -> Callable[[Provider], str | None]:
    """Return a check of every logical order. Flat data fill the memory in the logical order, and the tensor keeps the
    logical order.
    """

    def play(provider: Provider) -> str | None:
        (create,) = _calls(provider, "quantized_tensor")
        for shape, order in ORDERS:
            expected = in_memory(shape, order)
            options: dict[str, Any] = {"scale": 1.0, "dtype": name, "layout": order}
            if _TYPES[name][3]:
                if not shape:
                    continue  # a tensor without dimensions has no channels
                options |= {"scale": [1.0] * shape[0], "axis": 0}
            x = create(shape, [float(i) for i in range(expected.size)], **options)
            fault = _differs(provider, x, expected)
            if fault or provider.order(x) != order:
                return f"{shape} in order {order}: {fault or f'has order {provider.order(x)}'}"
        return None

    return play


def _quantizes(name: str) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        (quantize,) = _calls(provider, "quantize")
        values = _values(1)
        return _differs(provider, quantize(provider.from_numpy(values), **_parameters(name)), _nearest(name, values))

    return play


def _requantizes(name: str) -> Callable[[Provider], str | None]:
    def play(provider: Provider) -> str | None:
        (requantize,) = _calls(provider, "requantize")
        x, stored = _made(provider, "qint16", 2)
        return _differs(provider, requantize(x, **_parameters(name)), _nearest(name, stored))

    return play


_EXACT: dict[str, Callable[[Array, Array], Array]] = {"add": np.add, "multiply": np.multiply, "matmul": np.dot}


def _computes(operator: str, name: str) -> Callable[[Provider], str | None]:
    """Return a check of an operator that receives the scale of the result. Elements must be within one step of the
    exact result.
    """

    def play(provider: Provider) -> str | None:
        compute, transpose, dequantize, create = _calls(
            provider, operator, "transpose", "dequantize", "quantized_tensor"
        )
        x, real = _made(provider, name, 3)
        y, other = _made(provider, "qint16", 4)
        a, b = (np.vectorize(Fraction, otypes=[object])(v.astype(np.float64)) for v in (real, other))
        if operator == "matmul":
            y, b = transpose(y), b.T
        exact = _EXACT[operator](a, b)
        scale = 2.0 ** np.ceil(np.log2(max(float(np.abs(exact).max()), 1.0) / 127))
        out = create(exact.shape, scale=scale, dtype="qint8")
        actual = provider.to_numpy(dequantize(compute(x, y, out=out)))
        error = max(abs(Fraction(float(v)) - e) / Fraction(scale) for v, e in zip(actual.flat, exact.flat, strict=True))
        return None if error <= 1 else f"off by {float(error):.3} steps"

    return play


def _created(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for name in _TYPES:
        yield Scenario(operator, name, _creates(name))
        yield Scenario(operator, f"{name} without data", _empties(name))
        yield Scenario(operator, f"{name} in every logical order", _lies_in_order(name), "layouts")
        for other in _EXACT:
            yield Scenario(operator, f"{other} of {name}", _computes(other, name), "output")
    for label, operands, options, status in (
        ("no such type", (2,), {"dtype": "qint4"}, Status.TYPE_MISMATCH),
        ("a scale of zero", (2,), {"scale": 0.0}, Status.OUT_OF_RANGE),
        ("a scale too many", (2,), {"scale": [1.0, 1.0]}, Status.DIMENSIONS_MISMATCH),
        ("a zero point of a symmetric type", (2,), {"scale": 1.0, "zero_point": 1}, Status.INVALID_ARGUMENT),
        ("no such axis", (2,), {"axis": 1, "dtype": "qint8_per_channel"}, Status.OUT_OF_RANGE),
        ("a negative size", (-1,), {}, Status.INVALID_ARGUMENT),
    ):
        yield Refusal(operator, label, operands, status, options)


def _each_type(play: Callable[[str], Callable[[Provider], str | None]]) -> Callable[..., Iterator[Probe]]:
    def probes(operator: str, available: frozenset[str]) -> Iterator[Probe]:
        for name in _TYPES:
            yield Scenario(operator, name, play(name))

    return probes


def _dequantized(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    yield from _each_type(_creates)(operator, available)
    yield Refusal(operator, "a dense tensor", (np.ones(2, np.float32),), Status.TYPE_MISMATCH)


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    "quantized_tensor": _created,
    "quantize": _each_type(_quantizes),
    "dequantize": _dequantized,
    "requantize": _each_type(_requantizes),
}
