"""Probes of Fourier transforms against the sum that defines the transform."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import accepted
from ..oracle.compare import Expected
from ..oracle.element_types import Array, ElementType, as_extended, exact
from ..oracle.models.fourier import FROM_HALF, TO_HALF, expected, line
from ..probe import Probe, Refusal, Scenario, Value
from ..provider import Provider, needed
from ..status import Status

# Lengths for which implementations may use different methods: powers of 2, products of small primes, large primes, and
# their products.
_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 17, 30, 49, 60, 64, 67, 97, 128, 134, 135, 211, 240, 256)


def _elements(t: ElementType, shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(list(shape))
    if t.kind in "BUS":
        return rng.integers(0, 2 if t.kind == "B" else 100, shape).astype(t.numpy)
    imaginary = 1j * rng.uniform(-1, 1, shape) if t.kind == "C" else 0
    return np.asarray(rng.uniform(-1, 1, shape) + imaginary).astype(t.numpy)


def _line(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test a transform for every length at which implementations may change the method. Other probes follow from the
    model.
    """
    real = operator in FROM_HALF
    for t in accepted("BIF" if operator in TO_HALF else "BIFC", available):
        wide = t.name in ("float64", "complex64", "complex128", "float32")
        for n in _LENGTHS if wide else (8, 30):
            x = _elements(t, (2, n // 2 + 1 if real else n))

            def wanted(t: ElementType = t, x: Array = x, n: int = n) -> Expected:
                return expected(t, line(operator, as_extended(exact(x)), n), real)

            yield Value(operator, f"{t.name} of length {n}", (x,), wanted, {"n": n} if real else {})
    for t in accepted("F" if operator in TO_HALF else "FC", available):
        for value in (np.nan, np.inf):
            play = _spreading(operator, t, value)
            yield Scenario(operator, f"{t.name}, {value} in a row", play, "boundary values", t.name)
    yield from _refusals(operator, {"axis": 2}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"axis": -3}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"n": 0}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"n": -2}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"norm": "none"}, Status.INVALID_ARGUMENT)


def _spreading(operator: str, t: ElementType, value: float) -> Callable[[Provider], str | None]:
    """Return a check: a NaN or an infinity in a row must reach every sum of the row, and no sum of another row."""

    def play(provider: Provider) -> str | None:
        for n in (7, 8, 30, 67):
            x = _elements(t, (3, n))
            x[1, n // 3] = value
            options = {"n": n} if operator in FROM_HALF else {}
            found = np.asarray(provider.to_numpy(needed(provider, operator)(provider.from_numpy(x), **options)))
            if np.isfinite(found[1]).any():
                return f"of {n} elements, one of which is {value}, returned finite sums: {found[1]}"
            others = expected(t, line(operator, as_extended(exact(x[::2])), n), operator in FROM_HALF)
            fault = others.fault(found[::2])
            if fault is not None:
                return f"the rows beside one with {value}: {fault}"
        return None

    return play


def _box(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    yield from _refusals(operator, {"axes": (0, 0)}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"axes": (0, -2)}, Status.INVALID_ARGUMENT)
    yield from _refusals(operator, {"axes": (0, 2)}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"s": (3, 3, 3)}, Status.DIMENSIONS_MISMATCH)


def _refusals(operator: str, options: dict[str, Any], status: Status) -> Iterator[Probe]:
    yield Refusal(operator, f"{options}", (np.ones((2, 3), np.float32),), status, options)


_SPACINGS: tuple[dict[str, float], ...] = (
    {},
    {"d": 1.0},
    {"d": 0.25},
    {"d": 0.1},
    {"d": 3.0},
    {"d": -2.0},
    {"d": 1e-3},
)


def _frequencies(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    half = operator == "fft.rfftfreq"
    for t in accepted("F", available):
        for n in (1, 2, 3, 4, 5, 8, 9, 1024, 1009):
            for given in _SPACINGS:
                places = np.arange(n // 2 + 1) if half else (np.arange(n) + n // 2) % n - n // 2
                values = places.astype(np.longdouble) / (n * np.longdouble(given.get("d", 1.0)))
                wanted = Expected(t, values, 3.0, signed_zero=False)  # the product n * d is rounded as well
                yield Value(operator, f"{t.name}, n={n}, {given}", (n,), wanted, {**given, "dtype": t})
                if t.name == "float32" and n in (5, 8):
                    yield Value(operator, f"n={n}, {given}", (n,), wanted, dict(given))
    yield Refusal(operator, "no samples", (0,), Status.INVALID_ARGUMENT)
    yield Refusal(operator, "a negative number of samples", (-3,), Status.INVALID_ARGUMENT)


def _shift(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Test refusals only. The probes of the moved elements follow from the model."""
    yield from _refusals(operator, {"axes": 2}, Status.OUT_OF_RANGE)
    yield from _refusals(operator, {"axes": -3}, Status.OUT_OF_RANGE)


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft"), _line),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _box),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), _frequencies),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift"), _shift),
}
