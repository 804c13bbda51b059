"""Interpolation axis by axis. Each axis has a dense matrix of weights, which the formula of the mode defines.

Positions are rounded as Suanzi documents, because positions decide which elements contribute.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from suanzi.conformance.oracle.element_types import EXTENDED, Array

SPATIAL = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
CHOOSING = ("nearest", "nearest-exact")


def sizes(shape: tuple[int, ...], size: Any = None, scale_factor: Any = None) -> tuple[int, ...]:
    """Return the spatial dimensions of an interpolated tensor: `size` itself, or dimensions times `scale_factor`."""
    spatial = shape[2:]
    if size is not None:
        return (size,) * len(spatial) if isinstance(size, int) else tuple(size)
    return tuple(math.floor(n * f) for n, f in zip(spatial, _factors(scale_factor, len(spatial)), strict=True))


def _factors(scale_factor: Any, count: int) -> tuple[float, ...]:
    return (scale_factor,) * count if isinstance(scale_factor, int | float) else tuple(scale_factor)


def _ratio(n: int, m: int, factor: float | None, align_corners: bool, t: Any) -> Any:
    if align_corners:
        return t(n - 1) / t(m - 1) if m > 1 else t(0)
    return t(n) / t(m) if factor is None else t(1 / factor)


def _centre(ratio: Any, i: int, align_corners: bool, t: Any) -> Any:
    """Return the position of result i among the elements, rounded once to `t` after a product and a sum."""
    if align_corners:
        return ratio * t(i)
    return t(EXTENDED(ratio) * EXTENDED(t(i) + t(0.5)) - EXTENDED(0.5))


def _keys(x: Any, a: float) -> Any:
    """Evaluate the cubic convolution kernel of Keys with parameter `a` at the distance `x`."""
    x = abs(x)
    if x >= 2:
        return 0
    return (a + 2) * x**3 - (a + 3) * x**2 + 1 if x <= 1 else a * (x**3 - 5 * x**2 + 8 * x - 4)


def matrix(n: int, m: int, mode: str, *, factor: float | None, align_corners: bool, antialias: bool, t: Any) -> Array:
    """Return the m x n matrix of weights that interpolates n elements at m positions, computed in the type `t`.

    The weights themselves are computed in long double.
    """
    weights = np.zeros((m, n), EXTENDED)
    ratio = _ratio(n, m, factor, align_corners, t)
    shifts = mode in CHOOSING or (mode == "bicubic" and not antialias)
    if n == m and not shifts:
        return np.eye(n, dtype=EXTENDED)
    for i in range(m):
        if mode == "nearest":
            weights[i, min(math.floor(np.float32(ratio * t(i))), n - 1)] = 1
        elif mode == "nearest-exact":
            position = max(_centre(ratio, i, False, t), t(0))
            weights[i, min(math.floor(np.float32(np.float64(position) + 0.5)), n - 1)] = 1
        elif mode == "area":
            first, end = i * n // m, -(-(i + 1) * n // m)
            weights[i, first:end] = 1 / EXTENDED(end - first)
        elif antialias:
            weights[i] = _wide(n, ratio * (t(i) + t(0.5)), ratio, mode, t)
        else:
            position = _centre(ratio, i, align_corners, t)
            if mode != "bicubic":
                position = max(position, t(0))
            below = min(math.floor(np.float32(position)), n - 1)
            x = min(max(EXTENDED(position) - below, EXTENDED(0)), EXTENDED(1))
            offsets = range(-1, 3) if mode == "bicubic" else range(2)
            for offset in offsets:
                weight = _keys(x - offset, -0.75) if mode == "bicubic" else 1 - abs(x - offset)
                weights[i, min(max(below + offset, 0), n - 1)] += weight
    return weights


def _wide(n: int, centre: Any, ratio: Any, mode: str, t: Any) -> Array:
    width = max(ratio, t(1))
    reach = t(2 if mode == "bicubic" else 1) * width
    first, end = max(int(centre - reach + t(0.5)), 0), min(int(centre + reach + t(0.5)), n)
    weights = np.zeros(n, EXTENDED)
    for k in range(first, end):
        x = (k + EXTENDED(0.5) - centre) / width
        weights[k] = _keys(x, -0.5) if mode == "bicubic" else max(1 - abs(x), 0)
    return np.asarray(weights / weights.sum())


def matrices(shape: tuple[int, ...], mode: str, name: str, **options: Any) -> list[Array]:
    """Return the matrix of weights for each spatial axis of a tensor of a shape and a type."""
    results = sizes(shape, options.get("size"), options.get("scale_factor"))
    given = options.get("scale_factor") is not None
    keep = given and not options.get("recompute_scale_factor", False) and mode != "area"
    factors = _factors(options["scale_factor"], len(results)) if keep else (None,) * len(results)
    t = np.float64 if name == "float64" else np.float32
    return [
        matrix(
            n, m, mode, factor=factor, align_corners=options.get("align_corners", False),
            antialias=options.get("antialias", False), t=t,
        )
        for n, m, factor in zip(shape[2:], results, factors, strict=True)
    ]  # fmt: skip


def apply(x: Array, weights: list[Array]) -> Array:
    """Multiply each spatial axis by the axis's matrix of weights, from the last axis to the first."""
    for axis in range(len(weights) - 1, -1, -1):
        x = np.moveaxis(np.tensordot(x, weights[axis], (axis + 2, 1)), -1, axis + 2)
    return x


def chosen(x: Array, weights: list[Array]) -> Array:
    """Return the elements that matrices of zeros and ones select along each spatial axis, without arithmetic."""
    for axis, w in enumerate(weights):
        x = np.take(x, w.argmax(axis=1), axis + 2)
    return x
