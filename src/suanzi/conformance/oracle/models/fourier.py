"""Models of Fourier transforms by the defining sums. NumPy computes long transforms in extended precision."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..compare import Expected
from ..element_types import ELEMENT_TYPES, Array, ElementType, as_extended, exact, type_of
from .model import Elements, Model, Options, Shape

INVERSE = {"fft.ifft", "fft.irfft", "fft.ihfft", "fft.ifftn", "fft.irfftn"}
TO_HALF = {"fft.rfft", "fft.ihfft", "fft.rfftn"}
FROM_HALF = {"fft.irfft", "fft.hfft", "fft.irfftn"}
_LONGEST = 300  # the longest transform that is computed by the definition
_DOUBLE = 20_000  # transforms that are longer are computed in double precision, which is exact enough for float32


@cache
def _roots(n: int, sign: int) -> Array:
    """Return exp(sign 2πi jk / n) for all j and k, in extended precision."""
    turns = np.outer(np.arange(n), np.arange(n)) % n
    angle = np.arange(n, dtype=np.longdouble) * (8 * np.arctan(np.longdouble(1)) / n)
    return np.asarray((np.cos(angle) + sign * 1j * np.sin(angle))[turns])


def transform(x: Array, n: int, axis: int, inverse: bool, norm: str = "backward") -> Array:
    """Return the Fourier transform of length n along an axis. The axis is first cut or padded with zeros."""
    moved = np.moveaxis(x.astype(np.clongdouble), axis, -1)[..., :n]
    padded = np.concatenate([moved, np.zeros((*moved.shape[:-1], n - moved.shape[-1]))], axis=-1)
    if n <= _LONGEST:
        sums = padded @ _roots(n, 1 if inverse else -1)
    else:
        given = padded if n <= _DOUBLE else padded.astype(np.complex128)
        sums = np.fft.ifft(given) * n if inverse else np.fft.fft(given)
    divisor = {"backward": n if inverse else 1, "ortho": np.sqrt(np.longdouble(n)), "forward": 1 if inverse else n}
    return np.moveaxis(sums / divisor[norm], -1, axis)


def completed(x: Array, n: int) -> Array:
    """Return the n numbers of a Hermitian spectrum along the last axis. The array `x` has only the first half."""
    half = np.zeros((*x.shape[:-1], n // 2 + 1), np.clongdouble)
    used = min(x.shape[-1], half.shape[-1])
    half[..., :used] = x[..., :used]
    half[..., 0] = half[..., 0].real
    if n % 2 == 0:
        half[..., -1] = half[..., -1].real
    rest = n - half.shape[-1]
    return np.concatenate([half, half[..., 1 : 1 + rest][..., ::-1].conj()], axis=-1)


def line(operator: str, x: Array, n: int | None, axis: int = -1, norm: str = "backward") -> Array:
    """Return an operator's transform of exact values along one axis."""
    inverse = operator in INVERSE
    if n is None:
        n = 2 * (x.shape[axis] - 1) if operator in FROM_HALF else x.shape[axis]
    if operator in FROM_HALF:
        x = np.moveaxis(completed(np.moveaxis(x, axis, -1), n), -1, axis)
    result = transform(x, n, axis, inverse, norm)
    if operator in TO_HALF:
        result = np.moveaxis(np.moveaxis(result, axis, -1)[..., : n // 2 + 1], -1, axis)
    return result


def box(operator: str, x: Array, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """Return an operator's transform of exact values along several axes. If the operator has a real input or output,
    the transform along the last axis is the transform with the real input or output.
    """
    s = (s,) if isinstance(s, int) else s
    axes = (axes,) if isinstance(axes, int) else axes
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    if s is None:
        s = [x.shape[axis] for axis in axes]
        if operator in FROM_HALF and s:
            s[-1] = 2 * (s[-1] - 1)
    order = list(zip(s, axes, strict=True))
    if operator in TO_HALF:
        x = line("fft.rfft", x, *order.pop(), norm)
    last = order.pop() if operator in FROM_HALF else None
    for n, axis in order:
        x = transform(x, n, axis, operator in INVERSE, norm)
    return line("fft.irfft", x, *last, norm) if last else x


def expected(t: ElementType, reference: Array, real: bool) -> Expected:
    """Return the expected transform in the type of the result, which is a real type if `real` is True.

    The bound of an element's error is relative to the root mean square of all elements, and to the element itself. The
    bound grows with the number of steps.
    """
    twice = t.name in ("float64", "complex128")
    name = ("float64" if twice else "float32") if real else ("complex128" if twice else "complex64")
    values = reference.real if real else reference
    spread = np.sqrt(np.mean(np.abs(reference) ** 2)) if reference.size else np.longdouble(0)
    steps = max(1.0, np.log2(max(reference.size, 2)) / 5)
    magnitude = np.maximum(spread * steps, np.longdouble(1e-30)) + np.abs(reference)
    return Expected(ELEMENT_TYPES[name], values, 40.0, magnitude, signed_zero=False)


def _result(operator: str, reference: Callable[..., Array]) -> Callable[..., Expected]:
    def result(x: Array, **options: Any) -> Expected:
        values = as_extended(exact(x))
        return expected(type_of(x), reference(operator, values, **options), operator in FROM_HALF)

    return result


def _line(operator: str, x: Array, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    return line(operator, x, n, axis, norm)


def _moderate(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return (elements.moderate(shape),)


_NORMS = ("backward", "ortho", "forward")
_ONE = ("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft")
_SEVERAL = ("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn")


def _together(shape: Shape, options: Options) -> bool:
    """Return whether the options contain as many lengths as axes. Without axes, the lengths belong to the last axes."""
    s, axes = options.get("s"), options.get("axes")
    if axes == () or (isinstance(axes, tuple) and any(axis >= len(shape) for axis in axes)):
        return False
    if s is None:
        return len(shape) > 0
    if isinstance(s, int) or isinstance(axes, int):
        return isinstance(s, int) and isinstance(axes, int)
    return len(s) == len(shape) if axes is None else len(s) == len(axes)


def _long_enough(name: str, shape: Shape, options: Options) -> bool:
    """Return whether the transform's length is positive: the given length, or the length that the axis implies."""
    return options.get("n") is not None or shape[options.get("axis", -1)] > (1 if name in FROM_HALF else 0)


def _shifted(sign: int) -> Callable[..., Array]:
    def shift(x: Array, axes: Any = None) -> Array:
        chosen = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
        return np.roll(x, [sign * (x.shape[axis] // 2) for axis in chosen], tuple(chosen))

    return shift


def _of_one(name: str) -> Model:
    real_alone = name in TO_HALF
    return Model(
        name,
        _result(name, _line),
        "BIF" if real_alone else "BIFC",
        _moderate,
        choices={"n": (None, 1, 2, 3, 4, 6, 7, 8, 16), "norm": _NORMS, "axis": (-1, 0, 1, 2, -2, -3)},
        axis="axis",
        sensible=partial(_long_enough, name),
        ranks=((7,), (2, 3, 4, 5), (2, 3, 2, 2, 4), (2, 1, 2, 1, 3, 4)),
        empty=((0, 3),),
        long=((3, 1024), (2, 1009), (70, 130), (65_539,) if name in FROM_HALF else (131_075,)),
        special="",
    )


def _of_several(name: str) -> Model:
    return Model(
        name,
        _result(name, box),
        "BIF" if name in TO_HALF else "BIFC",
        _moderate,
        choices={
            "s": (None, (3, 4), (8, 3), (5, 2, 6), (4,)),
            "axes": (None, (0, 1), (-1, 0), (2, 0), (-2, -1), (1, 2, 0), (0, 1, 2), (1,)),
            "norm": _NORMS,
        },
        sensible=_together,
        ranks=((7,), (4, 5), (2, 3, 4, 5), (2, 3, 2, 2, 4), (2, 1, 2, 1, 3, 4)),
        empty=(),
        long=((130, 70), (3, 1024), (5, 17, 33)),
        special="",
    )


MODELS = (
    *map(_of_one, _ONE),
    *map(_of_several, _SEVERAL),
    *(
        Model(
            name,
            _shifted(sign),
            "BIFC",
            axis="axes",
            axes="some or none",
            ranks=((1,), (7,), (8,), (2, 3, 4, 5), (2, 3, 1, 2, 4), (2, 1, 3, 1, 2, 2)),
        )
        for name, sign in (("fft.fftshift", 1), ("fft.ifftshift", -1))
    ),
)
