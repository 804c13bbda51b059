"""The probes of Fourier transforms: results are compared with the sum by which the transform is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import accepted
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import ELEMENT_TYPES, Array, ElementType, as_extended, exact
from ..probe import Probe, Refusal, Value
from ..status import Status

# Lengths that may be treated differently: powers of 2, products of small primes, large primes, products of those.
_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 17, 30, 49, 60, 64, 67, 97, 128, 134, 135, 211, 240, 256)
_INVERSE = {"fft.ifft", "fft.irfft", "fft.ihfft", "fft.ifftn", "fft.irfftn"}
_TO_HALF = {"fft.rfft", "fft.ihfft", "fft.rfftn"}
_FROM_HALF = {"fft.irfft", "fft.hfft", "fft.irfftn"}


def _roots(n: int, sign: int) -> Array:
    """exp(sign 2πi jk / n) for all j and k, in extended precision."""
    turns = np.outer(np.arange(n), np.arange(n)) % n
    angle = np.arange(n, dtype=np.longdouble) * (8 * np.arctan(np.longdouble(1)) / n)
    return np.asarray((np.cos(angle) + sign * 1j * np.sin(angle))[turns])


def _transform(x: Array, n: int, axis: int, inverse: bool, norm: str = "backward") -> Array:
    moved = np.moveaxis(x.astype(np.clongdouble), axis, -1)[..., :n]
    padded = np.concatenate([moved, np.zeros((*moved.shape[:-1], n - moved.shape[-1]))], axis=-1)
    divisor = {"backward": n if inverse else 1, "ortho": np.sqrt(np.longdouble(n)), "forward": 1 if inverse else n}
    return np.moveaxis(padded @ _roots(n, 1 if inverse else -1) / divisor[norm], -1, axis)


def _completed(x: Array, n: int) -> Array:
    """All numbers of a transform whose result is real, from the first half of them along the last axis."""
    half = np.zeros((*x.shape[:-1], n // 2 + 1), np.clongdouble)
    used = min(x.shape[-1], half.shape[-1])
    half[..., :used] = x[..., :used]
    half[..., 0] = half[..., 0].real
    if n % 2 == 0:
        half[..., -1] = half[..., -1].real
    rest = n - half.shape[-1]
    return np.concatenate([half, half[..., 1 : 1 + rest][..., ::-1].conj()], axis=-1)


def _elements(t: ElementType, shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(list(shape))
    if t.kind in "BUS":
        return rng.integers(0, 2 if t.kind == "B" else 100, shape).astype(t.numpy)
    imaginary = 1j * rng.uniform(-1, 1, shape) if t.kind == "C" else 0
    return np.asarray(rng.uniform(-1, 1, shape) + imaginary).astype(t.numpy)


def _expected(t: ElementType, reference: Array, x: Array, real: bool) -> Expected:
    twice = t.name in ("float64", "complex128")
    name = ("float64" if twice else "float32") if real else ("complex128" if twice else "complex64")
    values = reference.real if real else reference
    # The error of each element is measured against the length of the result as a vector, spread evenly.
    spread = np.sqrt(np.mean(np.abs(reference) ** 2)) if reference.size else np.longdouble(0)
    magnitude = np.full(reference.shape, np.maximum(spread, np.longdouble(1e-30)))
    return Expected(ELEMENT_TYPES[name], values, 40.0, magnitude, signed_zero=False)


def _reference(operator: str, x: Array, n: int, axis: int, norm: str = "backward") -> Array:
    """Of exact values."""
    inverse = operator in _INVERSE
    if operator in _FROM_HALF:
        x = np.moveaxis(_completed(np.moveaxis(x, axis, -1), n), -1, axis)
    result = _transform(x, n, axis, inverse, norm)
    if operator in _TO_HALF:
        result = np.moveaxis(np.moveaxis(result, axis, -1)[..., : n // 2 + 1], -1, axis)
    return result


def _line(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    real = operator in _FROM_HALF
    for t in accepted("BIF" if operator in _TO_HALF else "BIFC", available):
        wide = t.name in ("float64", "complex64", "complex128", "float32")
        for n in _LENGTHS if wide else (8, 30):
            x = _elements(t, (2, n // 2 + 1 if real else n))
            options = {"n": n} if real else {}
            expected = _expected(t, _reference(operator, as_extended(exact(x)), n, -1), x, real)
            yield Value(operator, f"{t.name} of length {n}", (x,), expected, options)
        x = _elements(t, (4, 3, 6)).transpose(2, 0, 1)
        for n, axis, norm in ((4, 0, "backward"), (9, 1, "ortho"), (6, -1, "forward")):
            expected = _expected(t, _reference(operator, as_extended(exact(x)), n, axis, norm), x, real)
            given: dict[str, Any] = {"n": n, "axis": axis, "norm": norm}
            yield Value(operator, f"{t.name} {given}", (x,), expected, given)
    yield from _refusals(operator, {"axis": 2}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"n": 0}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"norm": "none"}, Status.INVALID_ARGUMENT)


def _box(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    real, inverse = operator in _FROM_HALF, operator in _INVERSE
    for t in accepted("BIF" if operator in _TO_HALF else "BIFC", available):
        for s, axes in (((5, 6), (0, 1)), ((3, 4), (2, 0)), ((8, 3, 2), (0, 1, 2))):
            x = _elements(t, (4, 6, 5))
            # Real numbers come in first, or go out last, along the last axis.
            order = list(zip(s, axes, strict=True))
            wide = as_extended(exact(x))
            if operator in _TO_HALF:
                wide = _reference("fft.rfft", wide, *order.pop())
            last = order.pop() if real else None
            for n, axis in order:
                wide = _transform(wide, n, axis, inverse)
            if last:
                wide = _reference("fft.irfft", wide, *last)
            yield Value(
                operator, f"{t.name} s={s} axes={axes}", (x,), _expected(t, wide, x, real), {"s": s, "axes": axes}
            )
    yield from _refusals(operator, {"axes": (0, 0)}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"axes": (0, 2)}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"s": (3, 3, 3)}, Status.DIMENSIONS_MISMATCH)


def _refusals(operator: str, options: dict[str, Any], status: Status) -> Iterator[Probe]:
    yield Refusal(operator, f"{options}", (np.ones((2, 3), np.float32),), status, options)


def _frequencies(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in accepted("F", available):
        for n in (1, 2, 5, 8):
            numbers = np.fft.rfftfreq(n, 1 / n) if operator == "fft.rfftfreq" else np.fft.fftfreq(n, 1 / n)
            values = np.rint(numbers).astype(np.longdouble) / (n * np.longdouble(0.25))
            yield Value(operator, f"{t.name}, n={n}", (n,), Expected(t, values, 1.0), {"d": 0.25, "dtype": t})
    yield Refusal(operator, "no samples", (0,), Status.INVALID_ARGUMENT)


def _shift(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    sign = 1 if operator == "fft.fftshift" else -1
    for t in accepted("BIFC", available):
        x = _elements(t, (3, 4))
        for axes in ((0, 1), (0,), (1,)):
            moved = np.roll(x, [sign * (x.shape[axis] // 2) for axis in axes], axes)
            yield Value(operator, f"{t.name} {axes}", (x,), exactly(moved), {"axes": axes})
    yield from _refusals(operator, {"axes": 2}, Status.OUT_OF_RANGE)


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft"), _line),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _box),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), _frequencies),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift"), _shift),
}
